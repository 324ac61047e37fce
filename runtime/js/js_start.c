/* The one function that librondo-js.so exports: see js_start.h. */
#include "js_start.h"

#include "js.h"

__attribute__((visibility("default"))) void
rondo_js_start(const struct js_options* options);

void rondo_js_start(const struct js_options* options) {
  (void) uv_setup_args(options->process_argc, options->process_argv);
  js_leave(js_run(options));
}
