/* native('contexts'): asynchronous contexts across C. What runs in a context belongs to
 * what began it: a request's callback sees the AsyncLocalStorage of the code that made
 * the request. The contexts are objects of runtime/lib/internal/contexts.js; C only
 * carries them. Without a program that asks for async_hooks there are none, and every
 * function here returns at once. */
#include "js_contexts.h"

#include <string.h>

enum { MOST_ARGUMENTS = 8 };

static JSObjectRef capture, enter, settle, end;
static JSObjectRef next;   /* the context of the call that comes next */
static int32_t is_left[1]; /* a microtask has left its context behind */

static JSObjectRef made(const char* type, JSObjectRef cause, JSObjectRef owner) {
  if (capture == NULL)
    return NULL;
  JSValueRef arguments[3] = {js_string(type), js_undefined(), js_undefined()};
  if (cause != NULL)
    arguments[1] = cause;
  if (owner != NULL)
    arguments[2] = owner;
  JSValueRef exception = NULL;
  JSValueRef context =
      JSObjectCallAsFunction(js.ctx, capture, NULL, 3, arguments, &exception);
  if (context == NULL || !JSValueIsObject(js.ctx, context))
    return NULL;
  js_keep(context);
  return (JSObjectRef) (uintptr_t) context;
}

JSObjectRef js_context_capture(const char* type, JSObjectRef cause) {
  return made(type, cause, NULL);
}

JSObjectRef js_context_of_handle(const char* type, JSObjectRef owner) {
  return made(type, NULL, owner);
}

void js_context_drop(JSObjectRef context) {
  if (context != NULL)
    js_drop(context);
}

void js_context_end(JSObjectRef context) {
  if (context == NULL)
    return;
  JSValueRef argument = context;
  JSObjectCallAsFunction(js.ctx, end, NULL, 1, &argument, NULL);
  js_drop(context);
}

/* Protected until the call is over: the caller's request is freed before it. */
void js_context_next(JSObjectRef context) {
  js_context_drop(next);
  next = context;
  if (context != NULL)
    js_keep(context);
}

JSObjectRef js_context_take(void) {
  JSObjectRef context = next;
  next = NULL;
  return context;
}

void js_context_call(JSObjectRef context, JSObjectRef function, JSObjectRef self,
                     size_t argc, const JSValueRef argv[], JSValueRef* exception) {
  JSValueRef arguments[MOST_ARGUMENTS + 3] = {context, function,
                                              self != NULL ? self : js_undefined()};
  if (argc > MOST_ARGUMENTS)
    argc = MOST_ARGUMENTS;
  for (size_t i = 0; i < argc; i++)
    arguments[3 + i] = argv[i];
  JSObjectCallAsFunction(js.ctx, enter, NULL, argc + 3, arguments, exception);
}

void js_context_settle(void) {
  if (is_left[0] == 0)
    return;
  is_left[0] = 0;
  JSObjectCallAsFunction(js.ctx, settle, NULL, 0, NULL, NULL);
}

/* install(capture, enter, settle, end): from now on there are contexts. capture(type,
 * cause, owner) returns a new one for what begins now; enter(context, function, self,
 * ...arguments) calls a function in one; settle() comes after microtasks that left one
 * behind; end(context) comes when nothing will be called in it any more. */
static JSValueRef contexts_install(JS_ARGS) {
  JS_UNUSED;
  capture = js_arg_function(argc, argv, 0);
  enter = js_arg_function(argc, argv, 1);
  settle = js_arg_function(argc, argv, 2);
  end = js_arg_function(argc, argv, 3);
  js_keep(capture);
  js_keep(enter);
  js_keep(settle);
  js_keep(end);
  return js_undefined();
}

void native_contexts(JSObjectRef exports) {
  static const struct js_method methods[] = {{"install", contexts_install}, {NULL, NULL}};
  js_methods(exports, methods);
  js_set(exports, "left",
         js_shared(kJSTypedArrayTypeInt32Array, is_left, sizeof(is_left)));
}
