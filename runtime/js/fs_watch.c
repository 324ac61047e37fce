/* Watching files: fs.watch over uv_fs_event_t, fs.watchFile over uv_fs_poll_t. The owner
 * is told by its methods onchange(status, rename, name) and onstat(status, now, before).
 */
#include "fs.h"
#include "handle.h"

#include <stdlib.h>

static void on_event(uv_fs_event_t* uv, const char* name, int events, int status) {
  handle_t* handle = uv->data;
  JSValueRef arguments[] = {js_number(status), js_boolean((events & UV_RENAME) != 0),
                            name != NULL ? js_string(name) : js_null()};
  js_call_method(handle->owner, "onchange", 3, arguments);
}

static JSValueRef failed(handle_t* handle, int err, const char* path,
                         JSValueRef* exception) {
  js_handle_discard(handle);
  *exception = js_uv_error(err, "watch", path, NULL);
  return js_undefined();
}

static void close_failed(uv_handle_t* uv) {
  js_handle_discard(uv->data);
}

/* watch(owner, path, recursive): a token */
static JSValueRef watch_path(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_new(js_arg_object(argc, argv, 0));
  char* path = js_fs_path(js_arg(argc, argv, 1));
  JSValueRef returned = js_undefined();
  if (handle == NULL || path == NULL) {
    *exception = js_uv_error(UV_ENOMEM, "watch", NULL, NULL);
    if (handle != NULL)
      js_handle_discard(handle);
  } else {
    unsigned flags = js_arg_bool(argc, argv, 2) ? UV_FS_EVENT_RECURSIVE : 0;
    int err = uv_fs_event_init(js.loop, &handle->uv.fs_event);
    if (err < 0) {
      returned = failed(handle, err, path, exception);
    } else if ((err = uv_fs_event_start(&handle->uv.fs_event, on_event, path, flags)) <
               0) {
      *exception = js_uv_error(err, "watch", path, NULL);
      handle->uv.handle.data = handle;
      uv_close(&handle->uv.handle, close_failed);
    } else {
      returned = js_handle_made(handle);
    }
  }
  free(path);
  return returned;
}

static void on_poll(uv_fs_poll_t* uv, int status, const uv_stat_t* before,
                    const uv_stat_t* now) {
  handle_t* handle = uv->data;
  bool big = handle->extra != NULL;
  JSValueRef current = js_fs_stat_value(now, big);
  JSValueRef previous = js_fs_stat_value(before, big);
  JSValueRef arguments[] = {js_number(status), current, previous};
  js_call_method(handle->owner, "onstat", 3, arguments);
}

/* poll(owner, path, interval, bigint): a token */
static JSValueRef watch_poll(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_new(js_arg_object(argc, argv, 0));
  char* path = js_fs_path(js_arg(argc, argv, 1));
  JSValueRef returned = js_undefined();
  if (handle == NULL || path == NULL) {
    *exception = js_uv_error(UV_ENOMEM, "watch", NULL, NULL);
    if (handle != NULL)
      js_handle_discard(handle);
  } else {
    handle->extra = js_arg_bool(argc, argv, 3) ? handle : NULL;
    int err = uv_fs_poll_init(js.loop, &handle->uv.fs_poll);
    if (err < 0) {
      returned = failed(handle, err, path, exception);
    } else {
      returned = js_handle_made(handle);
      err = uv_fs_poll_start(&handle->uv.fs_poll, on_poll, path,
                             (unsigned) js_arg_number(argc, argv, 2, 5007));
      if (err < 0)
        *exception = js_uv_error(err, "watch", path, NULL);
    }
  }
  free(path);
  return returned;
}

const js_method_t js_fs_watch_methods[] = {
    {"watch", watch_path},
    {"poll", watch_poll},
    {NULL, NULL},
};
