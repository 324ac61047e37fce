/* native('names'): names of the program's functions for the recorder of `rondo trace`.
 * Nothing here is used unless the loop is recorded.
 *
 * Stacks are the recorder's own samples, whose frames js_frames.c names. The engine has a
 * profiler, too, which knows inlined functions; but it counts interpreted code to
 * functions that were called before, and doesn't say in which call a thread is blocked.
 */
#include "js_handle.h"

#include "../node/tracing.h"
#include "rondo.h"

#include <stdlib.h>

static JSObjectRef name_of_call; /* (function, its first argument) → name */

void js_name_callback(JSObjectRef function, size_t argc, const JSValueRef argv[]) {
  if (!rondo_trace_active(js.loop))
    return;
  JSValueRef arguments[] = {function, js_arg(argc, argv, 0)};
  JSValueRef value =
      name_of_call == NULL
          ? js_get(function, "name")
          : JSObjectCallAsFunction(js.ctx, name_of_call, NULL, 2, arguments, NULL);
  char* name = value == NULL ? NULL : js_utf8(value, NULL);
  if (name != NULL && *name != '\0')
    rondo_trace_name(js.loop, name);
  free(name);
}

/* --- life ----------------------------------------------------------------------------
 */

bool js_names_wanted(void) {
  return rondo_trace_active(js.loop) != 0;
}

void js_names_open(void) {
  /* The main script is the first step. */
  if (js_step_join())
    return;
  if (js_names_wanted())
    js_frames_open();
}

/* set(nameOfCall) */
static JSValueRef set(JS_ARGS) {
  JS_UNUSED;
  name_of_call = js_arg_function(argc, argv, 0);
  if (name_of_call != NULL)
    js_keep(name_of_call);
  return js_undefined();
}

/* nameRunning(name): what the callback that is running is called. */
static JSValueRef name_running(JS_ARGS) {
  JS_UNUSED;
  char* name = js_utf8(js_arg(argc, argv, 0), NULL);
  if (name != NULL && *name != '\0')
    rondo_trace_name(js.loop, name);
  free(name);
  return js_undefined();
}

/* describe(token, words): a handle, for the findings of `rondo sim` */
static JSValueRef names_describe(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  char* words = js_arg_utf8(argc, argv, 1);
  if (handle != NULL && words != NULL)
    rondo_sim_describe(js.loop, &handle->uv.handle, (uint64_t) (uintptr_t) handle, words);
  free(words);
  return js_undefined();
}

void native_names(JSObjectRef exports) {
  static const struct js_method methods[] = {{"set", set},
                                             {"nameRunning", name_running},
                                             {"describe", names_describe},
                                             {NULL, NULL}};
  js_methods(exports, methods);
  js_set(exports, "described", js_boolean(getenv("RONDO_SIM_ORIGINS") != NULL));
  js_set(exports, "wanted", js_boolean(js_names_wanted()));
}
