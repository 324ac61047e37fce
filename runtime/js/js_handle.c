/* Creates and closes handles, and has the methods of all kinds: close, ref, unref,
 * hasRef. */
#include "js_handle.h"
#include "js_contexts.h"

#include <stdlib.h>

static JSClassRef token_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "Handle";
    class = JSClassCreate(&definition);
  }
  return class;
}

struct js_handle* js_handle_new(JSObjectRef owner) {
  struct js_handle* handle = calloc(1, sizeof(*handle));
  if (handle == NULL)
    return NULL;
  handle->owner = owner;
  if (owner != NULL)
    js_keep(owner);
  return handle;
}

/* The name that async_hooks gives to a handle. */
static const char* context_type(const uv_handle_t* handle) {
  switch (handle->type) {
  case UV_TCP:
    return "TCPWRAP";
  case UV_NAMED_PIPE:
    return "PIPEWRAP";
  case UV_TTY:
    return "TTYWRAP";
  case UV_UDP:
    return "UDPWRAP";
  case UV_PROCESS:
    return "PROCESSWRAP";
  case UV_FS_EVENT:
    return "FSEVENTWRAP";
  case UV_FS_POLL:
    return "STATWATCHER";
  default:
    return "HANDLE";
  }
}

JSValueRef js_handle_made(struct js_handle* handle) {
  handle->uv.handle.data = handle;
  handle->context = js_context_of_handle(context_type(&handle->uv.handle), handle->owner);
  handle->token = JSObjectMake(js.ctx, token_class(), handle);
  js_keep(handle->token);
  return handle->token;
}

JSObjectRef js_handle_second_token(struct js_handle* handle) {
  return JSObjectMake(js.ctx, token_class(), handle);
}

void js_handle_discard(struct js_handle* handle) {
  if (handle->read != NULL)
    handle->read(handle, NULL, 0);
  if (handle->layer != NULL)
    handle->layer->release(handle->layer);
  if (handle->release != NULL)
    handle->release(handle);
  if (handle->owner != NULL)
    js_drop(handle->owner);
  js_context_end(handle->context);
  free(handle);
}

JSValueRef js_handle_answer(struct js_handle* handle, int err, const char* syscall,
                            JSValueRef* exception) {
  if (err == 0)
    return js_handle_made(handle);
  if (handle != NULL)
    js_handle_discard(handle);
  *exception = js_uv_error(err, syscall, NULL, NULL);
  return js_undefined();
}

static void on_abandoned(uv_handle_t* uv) {
  js_handle_discard(uv->data);
}

void js_handle_abandon(struct js_handle* handle) {
  handle->uv.handle.data = handle;
  uv_close(&handle->uv.handle, on_abandoned);
}

struct js_handle* js_handle_arg(size_t argc, const JSValueRef argv[], size_t index) {
  if (index >= argc || !JSValueIsObjectOfClass(js.ctx, argv[index], token_class()))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) argv[index]);
}

static JSValueRef method_call(JS_ARGS) {
  JS_UNUSED;
  const struct handle_method* method = JSObjectGetPrivate(function);
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  return js_number(handle != NULL ? method->call(handle, argc, argv) : UV_EBADF);
}

void js_handle_methods(JSObjectRef exports, const struct handle_method* methods) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "HandleMethod";
    definition.callAsFunction = method_call;
    class = JSClassCreate(&definition);
  }
  for (; methods->name != NULL; methods++)
    js_set(exports, methods->name,
           JSObjectMake(js.ctx, class, (void*) (uintptr_t) methods));
}

void js_handle_closed(uv_handle_t* uv) {
  struct js_handle* handle = uv->data;
  JSObjectRef closed = handle->closed, owner = handle->owner;
  JSObjectSetPrivate(handle->token, NULL);
  js_drop(handle->token);
  if (closed != NULL)
    js_context_next(handle->context);
  js_handle_discard(handle);
  if (closed != NULL) {
    js_drop(closed);
    js_call_scoped(closed, owner, 0, NULL);
  }
}

void js_handle_on_closed(struct js_handle* handle, JSObjectRef callback) {
  handle->closed = callback;
  if (callback != NULL)
    js_keep(callback);
}

/* close(token, callback): the callback comes in the closing phase, with the owner as
 * this. A second close does nothing. */
static JSValueRef handle_close(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL || uv_is_closing(&handle->uv.handle))
    return js_undefined();
  js_handle_on_closed(handle, js_arg_function(argc, argv, 1));
  uv_close(&handle->uv.handle, js_handle_closed);
  return js_undefined();
}

static JSValueRef handle_ref(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle != NULL)
    uv_ref(&handle->uv.handle);
  return js_undefined();
}

static JSValueRef handle_unref(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle != NULL)
    uv_unref(&handle->uv.handle);
  return js_undefined();
}

static JSValueRef handle_has_ref(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  return js_boolean(handle != NULL && uv_has_ref(&handle->uv.handle));
}

void native_handle(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"close", handle_close},    {"ref", handle_ref}, {"unref", handle_unref},
      {"hasRef", handle_has_ref}, {NULL, NULL},
  };
  js_methods(exports, methods);
}
