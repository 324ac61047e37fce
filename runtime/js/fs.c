/* native('fs'): the life of a file system request between JavaScript and the library.
 * Whether a call waits is the caller's choice (answer.h), so the synchronous, the
 * callback and the promise interface are one function here. */
#include "fs.h"

#include <stdlib.h>
#include <string.h>

char* js_fs_path(JSValueRef value) {
  uint8_t* bytes;
  size_t length;
  if (!JSValueIsObject(js.ctx, value) || !js_bytes(value, &bytes, &length))
    return js_utf8(value, NULL);
  char* path = malloc(length + 1);
  if (path == NULL)
    return NULL;
  if (length > 0)
    memcpy(path, bytes, length);
  path[length] = '\0';
  return path;
}

static void request_free(fs_request_t* request) {
  uv_fs_req_cleanup(&request->uv);
  if (request->kept != NULL)
    js_drop(request->kept);
  js_answer_drop(&request->answer);
  free(request->buffers);
  free(request->path);
  free(request->dest);
  free(request);
}

static JSValueRef request_error(const fs_request_t* request, int err) {
  return js_uv_error(err, request->syscall, request->path, request->dest);
}

static void request_answer(fs_request_t* request, int err) {
  JSValueRef error = NULL, value = NULL;
  if (err < 0)
    error = request_error(request, err);
  else if (request->value != NULL)
    value = request->value(request);
  answer_t answer = request->answer;
  request->answer = (answer_t){0};
  request_free(request);
  js_answer_give(&answer, error, value);
}

static void request_done(uv_fs_t* uv) {
  request_answer(uv->data, uv->result < 0 ? (int) uv->result : 0);
}

static const void* request_failed(rondo_node_t* node, void* data) {
  fs_request_t* request = data;
  (void) node;
  request_answer(request, (int) request->uv.result);
  return NULL;
}

fs_call_t js_fs_begin(const char* syscall, size_t paths, size_t how, size_t argc,
                      const JSValueRef argv[], JSValueRef* exception) {
  fs_call_t call = {.returned = js_undefined()};
  fs_request_t* request = calloc(1, sizeof *request);
  if (request == NULL) {
    *exception = js_uv_error(UV_ENOMEM, syscall, NULL, NULL);
    return call;
  }
  request->syscall = syscall;
  if (paths > 0)
    request->path = js_fs_path(js_arg(argc, argv, 0));
  if (paths > 1)
    request->dest = js_fs_path(js_arg(argc, argv, 1));
  if ((paths > 0 && request->path == NULL) || (paths > 1 && request->dest == NULL)) {
    request_free(request);
    *exception = js_uv_error(UV_ENOMEM, syscall, NULL, NULL);
    return call;
  }
  request->uv.data = request;
  call.request = request;
  call.returned = js_answer_open(&request->answer, js_arg(argc, argv, how));
  if (answer_waits(&request->answer))
    call.done = request_done;
  return call;
}

JSValueRef js_fs_end(fs_call_t* call, fs_value value, int result, JSValueRef* exception) {
  fs_request_t* request = call->request;
  request->value = value;
  if (answer_waits(&request->answer)) {
    if (result < 0) {
      /* Refused before it began. The caller still gets its answer later. */
      request->uv.result = result;
      if (rondo_node_next_tick(js.node, &request->tick, request_failed, request) < 0)
        request_free(request);
    }
    return call->returned;
  }
  JSValueRef returned = call->returned;
  if (result < 0)
    *exception = request_error(request, result);
  else if (value != NULL)
    returned = value(request);
  request_free(request);
  return returned != NULL ? returned : js_undefined();
}

static JSObjectRef buffer_prototype;

JSValueRef js_fs_buffer_take(void* bytes, size_t length) {
  JSValueRef array = js_bytes_take(bytes, length);
  if (buffer_prototype != NULL && JSValueIsObject(js.ctx, array))
    JSObjectSetPrototype(js.ctx, (JSObjectRef) array, buffer_prototype);
  return array;
}

/* setBuffer(Buffer.prototype): what the bytes made here are from then on. */
static JSValueRef set_buffer(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef prototype = js_arg_object(argc, argv, 0);
  if (prototype != NULL) {
    js_keep(prototype);
    buffer_prototype = prototype;
  }
  return js_undefined();
}

void native_fs(JSObjectRef exports) {
  js_methods(exports, js_fs_path_methods);
  js_methods(exports, js_fs_file_methods);
  js_methods(exports, js_fs_stat_methods);
  js_methods(exports, js_fs_list_methods);
  js_methods(exports, js_fs_whole_methods);
  js_methods(exports, js_fs_watch_methods);
  js_set(exports, "setBuffer", js_function("setBuffer", set_buffer));
  js_fs_stat_init(exports);
}
