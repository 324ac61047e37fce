/* native('stdio'): synchronous writing to any descriptor, and reading files before any
 * stream exists. Node writes to files, pipes and terminals behind stdout and stderr
 * synchronously; so does this. */
#include "js.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char* bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(fd, bytes, length);
    if (count >= 0) {
      bytes += count;
      length -= (size_t) count;
    } else if (errno == EAGAIN) {
      /* The descriptor is non-blocking, set so by another process or handle: wait for
       * room. */
      struct pollfd room = {.fd = fd, .events = POLLOUT};
      if (poll(&room, 1, -1) < 0 && errno != EINTR)
        return -errno;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return 0;
}

/* write(fd, string or bytes, newline) → 0 or a libuv error */
static JSValueRef stdio_write(JS_ARGS) {
  JS_UNUSED;
  int fd = js_arg_int(argc, argv, 0, 1);
  JSValueRef value = js_arg(argc, argv, 1);
  uint8_t* bytes;
  size_t length;
  if (js_bytes(value, &bytes, &length))
    return js_number(write_all(fd, (const char*) bytes, length));
  char* text = js_utf8(value, &length);
  if (text == NULL)
    return js_number(UV_ENOMEM);
  if (js_arg_bool(argc, argv, 2))
    text[length++] = '\n'; /* over the terminating NUL */
  int err = write_all(fd, text, length);
  free(text);
  return js_number(err);
}

static char* read_all(int fd, size_t* length, int* err) {
  struct stat info;
  size_t size =
      fstat(fd, &info) == 0 && info.st_size > 0 ? (size_t) info.st_size + 1 : 65536;
  size_t used = 0;
  char* bytes = malloc(size);
  while (bytes != NULL) {
    if (used == size) {
      char* more = realloc(bytes, size *= 2);
      if (more == NULL)
        break;
      bytes = more;
    }
    ssize_t count = read(fd, bytes + used, size - used);
    if (count > 0) {
      used += (size_t) count;
    } else if (count == 0) {
      *length = used;
      return bytes;
    } else if (errno == EAGAIN) {
      struct pollfd data = {.fd = fd, .events = POLLIN};
      poll(&data, 1, -1);
    } else if (errno != EINTR) {
      *err = -errno;
      free(bytes);
      return NULL;
    }
  }
  *err = UV_ENOMEM;
  free(bytes);
  return NULL;
}

/* readText(path or fd) → the whole file as a string; throws. */
static JSValueRef stdio_read_text(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  char* path = NULL;
  int fd, err = 0;
  size_t length = 0;
  if (argc > 0 && JSValueIsNumber(js.ctx, argv[0])) {
    fd = js_arg_int(argc, argv, 0, 0);
  } else {
    path = js_arg_utf8(argc, argv, 0);
    fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
      err = path != NULL ? -errno : UV_ENOMEM;
  }
  char* bytes = fd >= 0 ? read_all(fd, &length, &err) : NULL;
  if (path != NULL && fd >= 0)
    close(fd);
  JSValueRef text = js_undefined();
  if (bytes != NULL)
    text = js_string_n(bytes, length);
  else
    *exception = js_uv_error(err, fd < 0 ? "open" : "read", fd < 0 ? path : NULL, NULL);
  free(bytes);
  free(path);
  return text;
}

/* stat(path) → 0 a file, 1 a directory, below 0 neither. For the module loader. */
static JSValueRef stdio_stat(JS_ARGS) {
  JS_UNUSED;
  struct stat info;
  char* path = js_arg_utf8(argc, argv, 0);
  int result = path != NULL && stat(path, &info) == 0 ? S_ISDIR(info.st_mode) != 0 : -1;
  free(path);
  return js_number(result);
}

/* realpath(path) → string, or undefined */
static JSValueRef stdio_realpath(JS_ARGS) {
  JS_UNUSED;
  char* path = js_arg_utf8(argc, argv, 0);
  char* real = path != NULL ? realpath(path, NULL) : NULL;
  JSValueRef result = real != NULL ? js_string(real) : js_undefined();
  free(real);
  free(path);
  return result;
}

/* kind(fd) → "file", "pipe", "tty", "tcp" or "unknown" */
static JSValueRef stdio_kind(JS_ARGS) {
  JS_UNUSED;
  switch (uv_guess_handle(js_arg_int(argc, argv, 0, 0))) {
  case UV_FILE:
    return js_string("file");
  case UV_TTY:
    return js_string("tty");
  case UV_NAMED_PIPE:
    return js_string("pipe");
  case UV_TCP:
    return js_string("tcp");
  default:
    return js_string("unknown");
  }
}

/* windowSize(fd) → [columns, rows] of a terminal */
static JSValueRef stdio_window_size(JS_ARGS) {
  JS_UNUSED;
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  ioctl(js_arg_int(argc, argv, 0, 0), TIOCGWINSZ, &size);
  JSValueRef parts[] = {js_number(size.ws_col), js_number(size.ws_row)};
  return js_array(2, parts);
}

void native_stdio(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"write", stdio_write}, {"readText", stdio_read_text},
      {"stat", stdio_stat},   {"realpath", stdio_realpath},
      {"kind", stdio_kind},   {"windowSize", stdio_window_size},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
