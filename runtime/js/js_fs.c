/* native('fs'): the life of a file system request between JavaScript and the library.
 * Whether a call is synchronous is the caller's choice (js_answer.h), so the synchronous,
 * the callback and the promise interface are one function here. */
#include "js_fs.h"

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

static void request_free(struct fs_request* request) {
  uv_fs_req_cleanup(&request->uv);
  if (request->kept != NULL)
    js_drop(request->kept);
  js_answer_drop(&request->answer);
  for (unsigned i = 0; request->copies != NULL && i < request->count; i++)
    free(request->copies[i]);
  free(request->copies);
  free(request->buffers);
  free(request->path);
  free(request->dest);
  free(request);
}

static JSValueRef request_error(const struct fs_request* request, int err) {
  return js_uv_error(err, request->operation->syscall, request->path, request->dest);
}

static void request_answer(struct fs_request* request, int err) {
  JSValueRef error = NULL, value = NULL;
  if (err < 0)
    error = request_error(request, err);
  else if (request->value != NULL)
    value = request->value(request);
  struct answer answer = request->answer;
  request->answer = (struct answer){0};
  request_free(request);
  js_answer_give(&answer, error, value);
}

static void request_done(uv_fs_t* uv) {
  request_answer(uv->data, uv->result < 0 ? (int) uv->result : 0);
}

static const void* request_failed(rondo_node_t* node, void* data) {
  struct fs_request* request = data;
  (void) node;
  request_answer(request, (int) request->uv.result);
  return NULL;
}

/* NULL without memory. */
static struct fs_request* request_new(const struct fs_operation* operation, size_t argc,
                                      const JSValueRef argv[]) {
  struct fs_request* request = calloc(1, sizeof(*request));
  if (request == NULL)
    return NULL;
  request->uv.data = request;
  request->operation = operation;
  request->value = operation->value;
  if (operation->paths > 0)
    request->path = js_fs_path(js_arg(argc, argv, 0));
  if (operation->paths > 1)
    request->dest = js_fs_path(js_arg(argc, argv, 1));
  if ((operation->paths > 0 && request->path == NULL) ||
      (operation->paths > 1 && request->dest == NULL)) {
    request_free(request);
    return NULL;
  }
  return request;
}

static JSValueRef request_at_once(struct fs_request* request, int result,
                                  JSValueRef* exception) {
  JSValueRef value = NULL;
  if (result < 0)
    *exception = request_error(request, result);
  else if (request->value != NULL)
    value = request->value(request);
  request_free(request);
  return value != NULL ? value : js_undefined();
}

static JSValueRef operation_call(JS_ARGS) {
  JS_UNUSED;
  const struct fs_operation* operation = JSObjectGetPrivate(function);
  struct fs_request* request = request_new(operation, argc, argv);
  if (request == NULL) {
    *exception = js_uv_error(UV_ENOMEM, operation->syscall, NULL, NULL);
    return js_undefined();
  }
  JSValueRef returned =
      js_answer_open(&request->answer, js_arg(argc, argv, operation->how));
  bool waits = answer_waits(&request->answer);
  request->done = waits ? request_done : NULL;
  char* origin = waits ? js_origin() : NULL;
  js_origin_report(origin);
  free(origin);
  int result = operation->start(request, argc, argv);
  if (!waits)
    return request_at_once(request, result, exception);
  if (result < 0) {
    /* The library refused the request at once. The caller still gets its answer later. */
    request->uv.result = result;
    if (rondo_node_next_tick(js.node, &request->tick, request_failed, request) < 0)
      request_free(request);
  }
  return returned;
}

static void add_operations(JSObjectRef exports, const struct fs_operation* operations) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "FsOperation";
    definition.callAsFunction = operation_call;
    class = JSClassCreate(&definition);
  }
  for (; operations->name != NULL; operations++)
    js_set(exports, operations->name,
           JSObjectMake(js.ctx, class, (void*) (uintptr_t) operations));
}

int fs_start_path(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  (void) argc, (void) argv;
  return request->operation->uv.path(js.loop, &request->uv, request->path, request->done);
}

int fs_start_option(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  request->option = js_arg_bool(argc, argv, 1);
  return fs_start_path(request, argc, argv);
}

int fs_start_file(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return request->operation->uv.file(js.loop, &request->uv, fs_arg_file(argc, argv),
                                     request->done);
}

void fs_request_keep(struct fs_request* request, JSValueRef value) {
  js_keep(value);
  request->kept = value;
}

static JSObjectRef buffer_prototype;

JSValueRef js_fs_buffer_take(void* bytes, size_t length) {
  JSValueRef array = js_bytes_take(bytes, length);
  if (buffer_prototype != NULL && JSValueIsObject(js.ctx, array))
    JSObjectSetPrototype(js.ctx, (JSObjectRef) array, buffer_prototype);
  return array;
}

/* setBuffer(Buffer.prototype): the prototype of byte arrays made here from then on. */
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
  add_operations(exports, js_fs_path_operations);
  add_operations(exports, js_fs_file_operations);
  add_operations(exports, js_fs_stat_operations);
  add_operations(exports, js_fs_list_operations);
  js_methods(exports, js_fs_stat_methods);
  js_methods(exports, js_fs_whole_methods);
  js_methods(exports, js_fs_watch_methods);
  js_set(exports, "setBuffer", js_function("setBuffer", set_buffer));
  js_fs_stat_init(exports);
}
