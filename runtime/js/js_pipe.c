/* Pipes and terminals: making, opening a descriptor, local sockets, window size. */
#include "js_stream.h"

#include <stdlib.h>

/* pipe(owner, ipc): a token */
static JSValueRef pipe_new(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = UV_ENOMEM;
  if (handle != NULL)
    err = uv_pipe_init(js.loop, &handle->uv.pipe, js_arg_bool(argc, argv, 1));
  return js_handle_answer(handle, err, "pipe", exception);
}

/* pipeOpen(token, fd) */
static int pipe_open(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_pipe_open(&handle->uv.pipe, js_arg_int(argc, argv, 1, -1));
}

/* pipeBind(token, path) */
static int pipe_bind(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  char* path = js_arg_utf8(argc, argv, 1);
  int err = path != NULL ? uv_pipe_bind(&handle->uv.pipe, path) : UV_ENOMEM;
  free(path);
  return err;
}

/* pipeConnect(token, path, request) */
static int pipe_connect(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  char* path = js_arg_utf8(argc, argv, 1);
  struct stream_connect* connect =
      path != NULL ? js_connect_new(handle, js_arg(argc, argv, 2)) : NULL;
  if (connect != NULL)
    uv_pipe_connect(&connect->uv, &handle->uv.pipe, path, js_stream_connected);
  free(path);
  return connect != NULL ? 0 : UV_ENOMEM;
}

/* pipeChmod(token, flags) */
static int pipe_chmod(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_pipe_chmod(&handle->uv.pipe, js_arg_int(argc, argv, 1, 0));
}

/* tty(owner, fd): a token */
static JSValueRef tty_new(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = UV_ENOMEM;
  if (handle != NULL)
    err = uv_tty_init(js.loop, &handle->uv.tty, js_arg_int(argc, argv, 1, 0), 0);
  return js_handle_answer(handle, err, "uv_tty_init", exception);
}

/* rawMode(token, on) */
static int tty_raw_mode(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  bool on = js_arg_bool(argc, argv, 1);
  return uv_tty_set_mode(&handle->uv.tty, on ? UV_TTY_MODE_RAW : UV_TTY_MODE_NORMAL);
}

/* windowSize(token): [columns, rows] or null */
static JSValueRef tty_window_size(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  int width, height;
  if (handle == NULL || uv_tty_get_winsize(&handle->uv.tty, &width, &height) < 0)
    return js_null();
  JSValueRef size[] = {js_number(width), js_number(height)};
  return js_array(2, size);
}

/* guess(fd): what kind of thing a descriptor is, as dgram and process.stdin ask */
static JSValueRef guess(JS_ARGS) {
  JS_UNUSED;
  static const char* const names[] = {
      [UV_TCP] = "TCP",   [UV_TTY] = "TTY",         [UV_UDP] = "UDP",
      [UV_FILE] = "FILE", [UV_NAMED_PIPE] = "PIPE",
  };
  uv_handle_type type = uv_guess_handle(js_arg_int(argc, argv, 0, -1));
  bool known = (size_t) type < sizeof(names) / sizeof(names[0]) && names[type] != NULL;
  return js_string(known ? names[type] : "UNKNOWN");
}

void js_pipe_add(JSObjectRef exports) {
  static const struct handle_method handle_methods[] = {
      {"pipeOpen", pipe_open},   {"pipeBind", pipe_bind},   {"pipeConnect", pipe_connect},
      {"pipeChmod", pipe_chmod}, {"rawMode", tty_raw_mode}, {NULL, NULL},
  };
  static const struct js_method methods[] = {
      {"pipe", pipe_new}, {"tty", tty_new}, {"windowSize", tty_window_size},
      {"guess", guess},   {NULL, NULL},
  };
  js_handle_methods(exports, handle_methods);
  js_methods(exports, methods);
}
