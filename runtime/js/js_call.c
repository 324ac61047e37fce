/* Errors as Node makes them, and calls from the loop into JavaScript. */
#include "js_contexts.h"
#include "node/tracing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stored before the program runs, since the program may replace these names. */
enum { MOST_BARE = 2 };

static struct {
  JSObjectRef error, type_error, range_error; /* the constructors */
  JSObjectRef bare[MOST_BARE + 1]; /* each calls its first argument with the rest */
} saved;

static JSObjectRef make_error(const char* kind, const char* message) {
  JSObjectRef constructor = strcmp(kind, "TypeError") == 0    ? saved.type_error
                            : strcmp(kind, "RangeError") == 0 ? saved.range_error
                                                              : saved.error;
  JSValueRef argument = js_string(message);
  JSObjectRef error = JSObjectCallAsConstructor(js.ctx, constructor, 1, &argument, NULL);
  return error != NULL ? error : JSObjectMakeError(js.ctx, 1, &argument, NULL);
}

JSValueRef js_error(const char* kind, const char* code, const char* format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  JSObjectRef error = make_error(kind, message);
  if (code != NULL)
    js_set_string(error, "code", code);
  return error;
}

JSValueRef js_uv_error(int err, const char* syscall, const char* path, const char* dest) {
  char name[64], reason[256];
  uv_err_name_r(err, name, sizeof(name));
  uv_strerror_r(err, reason, sizeof(reason));
  size_t size =
      512 + (path != NULL ? strlen(path) : 0) + (dest != NULL ? strlen(dest) : 0);
  char* message = malloc(size);
  if (message == NULL)
    return make_error("Error", name);
  snprintf(message, size, "%s: %s, %s%s%s%s%s%s%s", name, reason, syscall,
           path != NULL ? " '" : "", path != NULL ? path : "", path != NULL ? "'" : "",
           dest != NULL ? " -> '" : "", dest != NULL ? dest : "",
           dest != NULL ? "'" : "");
  JSObjectRef error = make_error("Error", message);
  free(message);
  js_set_number(error, "errno", err);
  js_set_string(error, "code", name);
  js_set_string(error, "syscall", syscall);
  if (path != NULL)
    js_set_string(error, "path", path);
  if (dest != NULL)
    js_set_string(error, "dest", dest);
  return error;
}

/* `named` is the function that the recorder reports; NULL: the callback has its name. */
static void call_scoped(JSObjectRef named, JSObjectRef function, JSObjectRef self,
                        size_t argc, const JSValueRef argv[]) {
  JSValueRef exception = NULL;
  JSObjectRef context = js_context_take();
  /* After the program has left, the rest of this turn's callbacks are dropped. */
  if (rondo_node_exiting(js.node)) {
    js_context_drop(context);
    return;
  }
  if (named != NULL)
    js_name_callback(named, argc, argv);
  rondo_node_enter(js.node);
  if (context != NULL)
    js_context_call(context, function, self, argc, argv, &exception);
  else
    JSObjectCallAsFunction(js.ctx, function, self, argc, argv, &exception);
  rondo_node_leave(js.node, exception);
  js_context_drop(context);
}

void js_call_scoped(JSObjectRef function, JSObjectRef self, size_t argc,
                    const JSValueRef argv[]) {
  call_scoped(function, function, self, argc, argv);
}

void js_call_named_before(JSObjectRef function, size_t argc, const JSValueRef argv[]) {
  call_scoped(NULL, function, NULL, argc, argv);
}

void js_call_bare(JSObjectRef function, size_t argc, const JSValueRef argv[]) {
  JSValueRef arguments[MOST_BARE + 1] = {function};
  if (argc > MOST_BARE)
    argc = MOST_BARE;
  for (size_t i = 0; i < argc; i++)
    arguments[i + 1] = argv[i];
  call_scoped(function, saved.bare[argc], NULL, argc + 1, arguments);
}

static JSObjectRef evaluate_kept(const char* source) {
  JSStringRef script = JSStringCreateWithUTF8CString(source);
  JSValueRef value = JSEvaluateScript(js.ctx, script, NULL, NULL, 1, NULL);
  JSStringRelease(script);
  if (value == NULL || !JSValueIsObject(js.ctx, value))
    return NULL;
  js_keep(value);
  return (JSObjectRef) (uintptr_t) value;
}

void js_errors_settle(void) {
  saved.error = evaluate_kept("Error");
  saved.type_error = evaluate_kept("TypeError");
  saved.range_error = evaluate_kept("RangeError");
}

int js_call_open(void) {
  js_errors_settle();
  saved.bare[0] = evaluate_kept("(f) => { f(); }");
  saved.bare[1] = evaluate_kept("(f, a) => { f(a); }");
  saved.bare[2] = evaluate_kept("(f, a, b) => { f(a, b); }");
  return saved.error != NULL && saved.type_error != NULL && saved.range_error != NULL &&
                 saved.bare[0] != NULL && saved.bare[1] != NULL && saved.bare[2] != NULL
             ? 0
             : UV_ENOMEM;
}

void js_call_method(JSObjectRef object, const char* name, size_t argc,
                    const JSValueRef argv[]) {
  JSValueRef function = js_get(object, name);
  if (JSValueIsObject(js.ctx, function))
    js_call_scoped((JSObjectRef) function, object, argc, argv);
  else
    js_context_drop(js_context_take());
}
