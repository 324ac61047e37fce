/* A program from beginning to end: opens the engine on a loop, hands the Node layer its
 * hooks, and lets runtime/lib/internal/bootstrap.js do the rest. */
#include "js.h"
#include "node/tracing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uv_loop_t loop;
static const struct js_options* options;

/* The functions that bootstrap returns, by name. */
static struct { JSObjectRef before_exit, exit, uncaught, fatal, rejections; } on;

/* native(name) → the module's functions; each module is made once. */
static JSValueRef native(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  static JSObjectRef made[64];
  char* name = js_arg_utf8(argc, argv, 0);
  JSValueRef result = NULL;
  for (size_t i = 0; name != NULL && js_natives[i].name != NULL; i++) {
    if (strcmp(js_natives[i].name, name) != 0)
      continue;
    if (made[i] == NULL) {
      made[i] = js_object();
      js_keep(made[i]);
      js_natives[i].init(made[i]);
    }
    result = made[i];
  }
  if (result == NULL) {
    *exception =
        js_error("Error", NULL, "No native module '%s'", name != NULL ? name : "");
    result = js_undefined();
  }
  free(name);
  return result;
}

static JSValueRef call(JSObjectRef function, size_t argc, const JSValueRef argv[],
                       JSValueRef* exception) {
  if (function == NULL)
    return js_undefined();
  JSValueRef value =
      JSObjectCallAsFunction(js.ctx, function, NULL, argc, argv, exception);
  return value != NULL ? value : js_undefined();
}

/* ---- the Node layer's hooks ------------------------------------------------------ */

static const void* hook_rejections(rondo_node_t* node, int* again, void* data) {
  (void) node;
  (void) data;
  JSValueRef exception = NULL;
  /* The engine reported rejections to JavaScript in the last checkpoint, and JavaScript
   * counts them in memory shared with C. */
  extern int32_t js_rejections[1];
  if (js_rejections[0] == 0)
    return NULL;
  *again = JSValueToBoolean(js.ctx, call(on.rejections, 0, NULL, &exception));
  return exception;
}

static const void* hook_before_exit(rondo_node_t* node, void* data) {
  (void) node;
  (void) data;
  JSValueRef exception = NULL;
  call(on.before_exit, 0, NULL, &exception);
  return exception;
}

static int hook_exit(rondo_node_t* node, int code, void* data) {
  (void) data;
  JSValueRef exception = NULL;
  JSValueRef argument = js_number(code);
  JSValueRef result = call(on.exit, 1, &argument, &exception);
  if (exception == NULL)
    return (int) JSValueToNumber(js.ctx, result, NULL);
  /* An exit listener threw. The error is reported like any other; exit isn't emitted
   * again. */
  if (rondo_node_uncaught(node, exception))
    return code;
  return 1;
}

static int hook_uncaught(rondo_node_t* node, const void* error, void* data) {
  (void) node;
  (void) data;
  JSValueRef exception = NULL;
  JSValueRef argument = error;
  JSValueRef handled = call(on.uncaught, 1, &argument, &exception);
  return on.uncaught != NULL && exception == NULL && JSValueToBoolean(js.ctx, handled);
}

static void hook_fatal(rondo_node_t* node, const void* error, void* data) {
  (void) node;
  (void) data;
  JSValueRef exception = NULL;
  JSValueRef argument = error;
  if (on.fatal != NULL)
    call(on.fatal, 1, &argument, &exception);
  if (on.fatal != NULL && exception == NULL)
    return;
  /* The JavaScript that prints errors failed too: print what is possible from here. */
  char* text = js_utf8(argument, NULL);
  char* where = JSValueIsObject(js.ctx, argument)
                    ? js_utf8(js_get((JSObjectRef) argument, "stack"), NULL)
                    : NULL;
  fprintf(stderr, "Uncaught %s\n%s\n", text != NULL ? text : "error",
          where != NULL ? where : "");
  free(text);
  free(where);
}

/* ---- the program ------------------------------------------------------------------- */

int32_t js_rejections[1];

static JSObjectRef kept(JSObjectRef from, const char* name) {
  JSValueRef value = js_get(from, name);
  if (!JSValueIsObject(js.ctx, value))
    return NULL;
  js_keep(value);
  return (JSObjectRef) value;
}

static const void* program(rondo_node_t* node, void* data) {
  (void) node;
  (void) data;
  JSValueRef exception = NULL;
  if (options->file != NULL)
    rondo_trace_name(&loop, options->file);
  JSValueRef bootstrap = script_embedded("internal/bootstrap", &exception);
  if (exception != NULL)
    return exception;
  JSObjectRef how = js_object();
  if (options->file != NULL)
    js_set_string(how, "file", options->file);
  if (options->code != NULL)
    js_set_string(how, "code", options->code);
  js_set(how, "print", js_boolean(options->print));
  JSObjectRef switches = js_array(0, NULL);
  for (int i = 0; i < options->switch_count; i++)
    JSObjectSetPropertyAtIndex(js.ctx, switches, (unsigned) i,
                               js_string(options->switches[i]), NULL);
  js_set(how, "switches", switches);
  js_set(how, "rejections",
         js_shared(kJSTypedArrayTypeInt32Array, js_rejections, sizeof(js_rejections)));
  JSValueRef arguments[] = {JSContextGetGlobalObject(js.ctx),
                            js_function("native", native), how};
  JSValueRef hooks = call((JSObjectRef) bootstrap, 3, arguments, &exception);
  if (exception != NULL)
    return exception;
  js_errors_settle();
  on.before_exit = kept((JSObjectRef) hooks, "beforeExit");
  on.exit = kept((JSObjectRef) hooks, "exit");
  on.uncaught = kept((JSObjectRef) hooks, "uncaught");
  on.fatal = kept((JSObjectRef) hooks, "fatal");
  on.rejections = kept((JSObjectRef) hooks, "rejections");
  JSObjectRef run = kept((JSObjectRef) hooks, "run");
  call(run, 0, NULL, &exception);
  return exception;
}

_Noreturn void js_leave(int code) {
  /* The runtime buffers nothing, and closing the engine would only cost time: the system
   * frees everything. */
  fflush(NULL);
  if (js.node != NULL) /* else the loop was never made */
    rondo_loop_report(&loop);
  quick_exit(code & 0xff); /* the library removes its ring in at_quick_exit */
}

int js_run(const struct js_options* given) {
  rondo_node_hooks_t hooks = {
      .microtasks = engine_microtasks,
      .rejections = hook_rejections,
      .drain = engine_drain,
      .before_exit = hook_before_exit,
      .exit = hook_exit,
      .uncaught = hook_uncaught,
      .fatal = hook_fatal,
  };
  options = given;
  js.argc = given->argc;
  js.argv = given->argv;
  js.loop = &loop;
  js.start_time = uv_hrtime();
  uv_timeval64_t wall = {0};
  uv_gettimeofday(&wall);
  js.start_wall = (double) wall.tv_sec * 1e3 + (double) wall.tv_usec / 1e3;
  /* Writing to a pipe without a reader, or beyond the file size limit, returns an error
   * instead of ending the process. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  int err = uv_loop_init(&loop);
  if (err == 0) /* for performance.eventLoopUtilization() */
    err = uv_loop_configure(&loop, UV_METRICS_IDLE_TIME);
  if (err == 0)
    err = rondo_node_new(&js.node, &loop, &hooks);
  if (err == 0)
    err = engine_open();
  if (err != 0) {
    fprintf(stderr, "rondo: the loop could not be made: %s\n", uv_strerror(err));
    return 1;
  }
  rondo_node_set_grouped(js.node, given->grouped);
  return rondo_node_run(js.node, program, NULL);
}
