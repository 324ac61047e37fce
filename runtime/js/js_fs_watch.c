/* Watching files: fs.watch over uv_fs_event_t, fs.watchFile over uv_fs_poll_t. The
 * owner's methods are called back: onchange(status, rename, name) and onstat(status, now,
 * before).
 */
#include "js_contexts.h"
#include "js_fs.h"
#include "js_handle.h"

#include <stdlib.h>

static void on_event(uv_fs_event_t* uv, const char* name, int events, int status) {
  struct js_handle* handle = uv->data;
  JSValueRef arguments[] = {js_number(status), js_boolean((events & UV_RENAME) != 0),
                            name != NULL ? js_string(name) : js_null()};
  js_context_next(handle->context);
  js_call_method(handle->owner, "onchange", 3, arguments);
}

static void on_poll(uv_fs_poll_t* uv, int status, const uv_stat_t* before,
                    const uv_stat_t* now) {
  struct js_handle* handle = uv->data;
  bool big = handle->extra != NULL;
  JSValueRef current = js_fs_stat_value(now, big);
  JSValueRef previous = js_fs_stat_value(before, big);
  JSValueRef arguments[] = {js_number(status), current, previous};
  js_context_next(handle->context);
  js_call_method(handle->owner, "onstat", 3, arguments);
}

/* The difference between the two ways of watching. Both functions return 0 or a negative
 * error. */
struct fs_watching {
  int (*init)(struct js_handle* handle);
  int (*start)(struct js_handle* handle, const char* path, size_t argc,
               const JSValueRef argv[]);
};

static int event_init(struct js_handle* handle) {
  return uv_fs_event_init(js.loop, &handle->uv.fs_event);
}

static int event_start(struct js_handle* handle, const char* path, size_t argc,
                       const JSValueRef argv[]) {
  unsigned flags = js_arg_bool(argc, argv, 2) ? UV_FS_EVENT_RECURSIVE : 0;
  return uv_fs_event_start(&handle->uv.fs_event, on_event, path, flags);
}

static int poll_init(struct js_handle* handle) {
  return uv_fs_poll_init(js.loop, &handle->uv.fs_poll);
}

static int poll_start(struct js_handle* handle, const char* path, size_t argc,
                      const JSValueRef argv[]) {
  handle->extra = js_arg_bool(argc, argv, 3) ? handle : NULL;
  return uv_fs_poll_start(&handle->uv.fs_poll, on_poll, path,
                          (unsigned) js_arg_number(argc, argv, 2, 5007));
}

/* A token for a handle that watches the path in argument 1 for the owner in argument 0.
 */
static JSValueRef watch(const struct fs_watching* watching, size_t argc,
                        const JSValueRef argv[], JSValueRef* exception) {
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  char* path = js_fs_path(js_arg(argc, argv, 1));
  int err = handle != NULL && path != NULL ? watching->init(handle) : UV_ENOMEM;
  bool on_loop = err == 0;
  if (on_loop)
    err = watching->start(handle, path, argc, argv);
  JSValueRef returned = js_undefined();
  if (err == 0) {
    returned = js_handle_made(handle);
  } else {
    *exception = js_uv_error(err, "watch", path, NULL);
    if (on_loop)
      js_handle_abandon(handle);
    else if (handle != NULL)
      js_handle_discard(handle);
  }
  free(path);
  return returned;
}

/* watch(owner, path, recursive): a token */
static JSValueRef watch_path(JS_ARGS) {
  static const struct fs_watching events = {event_init, event_start};
  JS_UNUSED;
  return watch(&events, argc, argv, exception);
}

/* poll(owner, path, interval, bigint): a token */
static JSValueRef watch_poll(JS_ARGS) {
  static const struct fs_watching polling = {poll_init, poll_start};
  JS_UNUSED;
  return watch(&polling, argc, argv, exception);
}

const struct js_method js_fs_watch_methods[] = {
    {"watch", watch_path},
    {"poll", watch_poll},
    {NULL, NULL},
};
