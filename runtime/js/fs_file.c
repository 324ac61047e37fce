/* Operations on open files. Buffers are JavaScript's own memory, kept alive while the
 * kernel works on it. */
#include "fs.h"

#include <stdlib.h>

static uv_file arg_file(size_t argc, const JSValueRef argv[]) {
  return js_arg_int(argc, argv, 0, -1);
}

static JSValueRef value_result(fs_request_t* request) {
  return js_number((double) request->uv.result);
}

/* open(path, flags, mode, how) */
static JSValueRef file_open(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("open", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, value_result,
                   uv_fs_open(js.loop, &call.request->uv, call.request->path,
                              js_arg_int(argc, argv, 1, 0),
                              js_arg_int(argc, argv, 2, 0666), call.done),
                   exception);
}

/* close(fd, how) */
static JSValueRef file_close(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("close", 0, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(
      &call, NULL,
      uv_fs_close(js.loop, &call.request->uv, arg_file(argc, argv), call.done),
      exception);
}

/* The part of one view that a request is about, not more than the view has. */
static uv_buf_t view_part(JSValueRef view, double offset, double length) {
  uint8_t* bytes;
  size_t size;
  if (!js_bytes(view, &bytes, &size) || offset < 0 || offset > (double) size)
    return uv_buf_init(NULL, 0);
  size -= (size_t) offset;
  if (length >= 0 && length < (double) size)
    size = (size_t) length;
  return uv_buf_init((char*) bytes + (size_t) offset, (unsigned) size);
}

static void request_keep(fs_request_t* request, JSValueRef value) {
  js_keep(value);
  request->kept = value;
}

/* read(fd, view, offset, length, position, how) */
static JSValueRef file_read(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("read", 0, 5, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  uv_buf_t part = view_part(js_arg(argc, argv, 1), js_arg_number(argc, argv, 2, 0),
                            js_arg_number(argc, argv, 3, -1));
  request_keep(call.request, js_arg(argc, argv, 1));
  return js_fs_end(&call, value_result,
                   uv_fs_read(js.loop, &call.request->uv, arg_file(argc, argv), &part, 1,
                              (int64_t) js_arg_number(argc, argv, 4, -1), call.done),
                   exception);
}

/* write(fd, view, offset, length, position, how) */
static JSValueRef file_write(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("write", 0, 5, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  uv_buf_t part = view_part(js_arg(argc, argv, 1), js_arg_number(argc, argv, 2, 0),
                            js_arg_number(argc, argv, 3, -1));
  request_keep(call.request, js_arg(argc, argv, 1));
  return js_fs_end(&call, value_result,
                   uv_fs_write(js.loop, &call.request->uv, arg_file(argc, argv), &part, 1,
                               (int64_t) js_arg_number(argc, argv, 4, -1), call.done),
                   exception);
}

/* The views of a JavaScript array as a list of buffers that the request owns. */
static unsigned request_views(fs_request_t* request, JSValueRef views) {
  JSObjectRef array = JSValueIsObject(js.ctx, views) ? (JSObjectRef) views : NULL;
  if (array == NULL)
    return 0;
  JSValueRef length = js_get(array, "length");
  double count = JSValueToNumber(js.ctx, length, NULL);
  if (!(count > 0 && count < 1u << 30))
    return 0;
  request->buffers = calloc((size_t) count, sizeof *request->buffers);
  if (request->buffers == NULL)
    return 0;
  for (unsigned i = 0; i < (unsigned) count; i++)
    request->buffers[i] =
        view_part(JSObjectGetPropertyAtIndex(js.ctx, array, i, NULL), 0, -1);
  request_keep(request, views);
  return (unsigned) count;
}

/* readv(fd, views, position, how) */
static JSValueRef file_readv(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("read", 0, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  unsigned count = request_views(call.request, js_arg(argc, argv, 1));
  return js_fs_end(&call, value_result,
                   uv_fs_read(js.loop, &call.request->uv, arg_file(argc, argv),
                              call.request->buffers, count,
                              (int64_t) js_arg_number(argc, argv, 2, -1), call.done),
                   exception);
}

/* writev(fd, views, position, how) */
static JSValueRef file_writev(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("write", 0, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  unsigned count = request_views(call.request, js_arg(argc, argv, 1));
  return js_fs_end(&call, value_result,
                   uv_fs_write(js.loop, &call.request->uv, arg_file(argc, argv),
                               call.request->buffers, count,
                               (int64_t) js_arg_number(argc, argv, 2, -1), call.done),
                   exception);
}

/* ftruncate(fd, length, how) */
static JSValueRef file_truncate(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("ftruncate", 0, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_ftruncate(js.loop, &call.request->uv, arg_file(argc, argv),
                                   (int64_t) js_arg_number(argc, argv, 1, 0), call.done),
                   exception);
}

/* fsync(fd, how) */
static JSValueRef file_sync(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("fsync", 0, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(
      &call, NULL,
      uv_fs_fsync(js.loop, &call.request->uv, arg_file(argc, argv), call.done),
      exception);
}

/* fdatasync(fd, how) */
static JSValueRef file_datasync(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("fdatasync", 0, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(
      &call, NULL,
      uv_fs_fdatasync(js.loop, &call.request->uv, arg_file(argc, argv), call.done),
      exception);
}

/* fchmod(fd, mode, how) */
static JSValueRef file_chmod(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("fchmod", 0, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_fchmod(js.loop, &call.request->uv, arg_file(argc, argv),
                                js_arg_int(argc, argv, 1, 0), call.done),
                   exception);
}

/* fchown(fd, uid, gid, how) */
static JSValueRef file_chown(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("fchown", 0, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_fchown(js.loop, &call.request->uv, arg_file(argc, argv),
                                (unsigned) (int64_t) js_arg_number(argc, argv, 1, -1),
                                (unsigned) (int64_t) js_arg_number(argc, argv, 2, -1),
                                call.done),
                   exception);
}

/* futimes(fd, access, modification, how), in seconds */
static JSValueRef file_utimes(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("futime", 0, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_futime(js.loop, &call.request->uv, arg_file(argc, argv),
                                js_arg_number(argc, argv, 1, 0),
                                js_arg_number(argc, argv, 2, 0), call.done),
                   exception);
}

const js_method_t js_fs_file_methods[] = {
    {"open", file_open},
    {"close", file_close},
    {"read", file_read},
    {"write", file_write},
    {"readv", file_readv},
    {"writev", file_writev},
    {"ftruncate", file_truncate},
    {"fsync", file_sync},
    {"fdatasync", file_datasync},
    {"fchmod", file_chmod},
    {"fchown", file_chown},
    {"futimes", file_utimes},
    {NULL, NULL},
};
