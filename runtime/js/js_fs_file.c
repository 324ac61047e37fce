/* Operations on open files. Buffers are JavaScript's own memory, kept alive while the
 * kernel works on them. */
#include "js_fs.h"

#include <stdlib.h>
#include <string.h>

static JSValueRef value_result(struct fs_request* request) {
  return js_number((double) request->uv.result);
}

static int start_open(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return uv_fs_open(js.loop, &request->uv, request->path, js_arg_int(argc, argv, 1, 0),
                    js_arg_int(argc, argv, 2, 0666), request->done);
}

/* ---- reading and writing ---------------------------------------------------- */

/* The part of a view that a request is about, limited to the view's length. */
static uv_buf_t view_part(JSValueRef view, double offset, double length) {
  uint8_t* bytes;
  size_t size;
  if (!js_bytes(view, &bytes, &size) || offset < 0 || offset > (double) size)
    return js_buf(NULL, 0);
  size -= (size_t) offset;
  if (length >= 0 && length < (double) size)
    size = (size_t) length;
  return js_buf(bytes + (size_t) offset, size);
}

/* For memory that may move while the request waits, copies are used. */
static int part_settle(struct fs_request* request, JSValueRef view, uv_buf_t* part,
                       unsigned index) {
  if (request->done == NULL || part->len == 0 || !js_bytes_may_move(view))
    return 0;
  if (request->copies == NULL)
    request->copies = calloc(request->count, sizeof(*request->copies));
  char* copy = request->copies != NULL ? malloc(part->len) : NULL;
  if (copy == NULL)
    return UV_ENOMEM;
  memcpy(copy, part->base, part->len);
  request->copies[index] = part->base = copy;
  return 0;
}

/* Copies the bytes that were read back into the views, as far as they still have room. */
static void copies_return(struct fs_request* request) {
  JSObjectRef views = request->buffers != NULL ? (JSObjectRef) request->kept : NULL;
  size_t left = (size_t) request->uv.result;
  for (unsigned i = 0; i < request->count && left > 0; i++) {
    JSValueRef view = views != NULL ? JSObjectGetPropertyAtIndex(js.ctx, views, i, NULL)
                                    : request->kept;
    size_t count = request->buffers != NULL ? request->buffers[i].len : left;
    if (count > left)
      count = left;
    left -= count;
    uv_buf_t part = view_part(view, request->offset, (double) count);
    if (request->copies[i] != NULL && part.len > 0)
      memcpy(part.base, request->copies[i], part.len);
  }
}

static JSValueRef value_read(struct fs_request* request) {
  if (request->copies != NULL)
    copies_return(request);
  return value_result(request);
}

/* More than this is refused by uv_fs_read and uv_fs_write. */
static const size_t MOVED_MOST = 0x7ffff000;

static int start_move(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  JSValueRef view = js_arg(argc, argv, 1);
  request->count = 1;
  request->offset = js_arg_number(argc, argv, 2, 0);
  uv_buf_t part = view_part(view, request->offset, js_arg_number(argc, argv, 3, -1));
  /* JavaScript may ask for up to 2 GiB - 1, and is answered with how much was moved. */
  part.len = part.len < MOVED_MOST ? part.len : MOVED_MOST;
  fs_request_keep(request, view);
  int err = part_settle(request, view, &part, 0);
  if (err < 0)
    return err;
  return request->operation->uv.move(js.loop, &request->uv, fs_arg_file(argc, argv),
                                     &part, 1, (int64_t) js_arg_number(argc, argv, 4, -1),
                                     request->done);
}

/* The views of a JavaScript array as a list of buffers that the request owns. */
static int request_views(struct fs_request* request, JSValueRef views) {
  JSObjectRef array = JSValueIsObject(js.ctx, views) ? (JSObjectRef) views : NULL;
  if (array == NULL)
    return UV_EINVAL;
  double count = JSValueToNumber(js.ctx, js_get(array, "length"), NULL);
  if (!(count > 0 && count < 1u << 30))
    return UV_EINVAL;
  request->buffers = calloc((size_t) count, sizeof(*request->buffers));
  if (request->buffers == NULL)
    return UV_ENOMEM;
  request->count = (unsigned) count;
  fs_request_keep(request, views);
  for (unsigned i = 0; i < request->count; i++) {
    JSValueRef view = JSObjectGetPropertyAtIndex(js.ctx, array, i, NULL);
    request->buffers[i] = view_part(view, 0, -1);
    int err = part_settle(request, view, &request->buffers[i], i);
    if (err < 0)
      return err;
  }
  return 0;
}

static int start_move_views(struct fs_request* request, size_t argc,
                            const JSValueRef argv[]) {
  int err = request_views(request, js_arg(argc, argv, 1));
  if (err < 0)
    return err;
  return request->operation->uv.move(
      js.loop, &request->uv, fs_arg_file(argc, argv), request->buffers, request->count,
      (int64_t) js_arg_number(argc, argv, 2, -1), request->done);
}

/* ---- size, rights and times --------------------------------------------------- */

static int start_truncate(struct fs_request* request, size_t argc,
                          const JSValueRef argv[]) {
  return uv_fs_ftruncate(js.loop, &request->uv, fs_arg_file(argc, argv),
                         (int64_t) js_arg_number(argc, argv, 1, 0), request->done);
}

static int start_chmod(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return uv_fs_fchmod(js.loop, &request->uv, fs_arg_file(argc, argv),
                      js_arg_int(argc, argv, 1, 0), request->done);
}

static int start_chown(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return uv_fs_fchown(js.loop, &request->uv, fs_arg_file(argc, argv),
                      fs_arg_id(argc, argv, 1), fs_arg_id(argc, argv, 2), request->done);
}

static int start_times(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return uv_fs_futime(js.loop, &request->uv, fs_arg_file(argc, argv),
                      js_arg_number(argc, argv, 1, 0), js_arg_number(argc, argv, 2, 0),
                      request->done);
}

/* The comments list the arguments from JavaScript, without the last one, `how`. */
const struct fs_operation js_fs_file_operations[] = {
    /* (path, flags, mode) */
    {"open", "open", 1, 3, start_open, value_result, {NULL}},
    /* (fd, view, offset, length, position) */
    {"read", "read", 0, 5, start_move, value_read, {.move = uv_fs_read}},
    {"write", "write", 0, 5, start_move, value_result, {.move = uv_fs_write}},
    /* (fd, views, position) */
    {"readv", "read", 0, 3, start_move_views, value_read, {.move = uv_fs_read}},
    {"writev", "write", 0, 3, start_move_views, value_result, {.move = uv_fs_write}},
    /* (fd) */
    {"close", "close", 0, 1, fs_start_file, NULL, {.file = uv_fs_close}},
    {"fsync", "fsync", 0, 1, fs_start_file, NULL, {.file = uv_fs_fsync}},
    {"fdatasync", "fdatasync", 0, 1, fs_start_file, NULL, {.file = uv_fs_fdatasync}},
    /* (fd, length), (fd, mode), (fd, uid, gid), (fd, access, modification) in seconds */
    {"ftruncate", "ftruncate", 0, 2, start_truncate, NULL, {NULL}},
    {"fchmod", "fchmod", 0, 2, start_chmod, NULL, {NULL}},
    {"fchown", "fchown", 0, 3, start_chown, NULL, {NULL}},
    {"futimes", "futime", 0, 3, start_times, NULL, {NULL}},
    {NULL, NULL, 0, 0, NULL, NULL, {NULL}},
};
