/* native('stream'): reading from and writing to stream handles.
 *
 * Reads go into one block that all streams share, since a block is filled and passed on
 * within one callback. A small read is copied into an ArrayBuffer that holds many small
 * reads; a large one takes the whole block. Either way JavaScript gets an ArrayBuffer and
 * an offset, and makes its Buffer from them.
 *
 * A write first tries the kernel and waits only with the rest; callers expect that the
 * write may have finished at once (as in Node). */
#include "js_stream.h"
#include "js_contexts.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = STREAM_BLOCK, SMALL = 4 * 1024, PACK = 64 * 1024 };

static JSObjectRef callbacks[STREAM_EVENTS];

void js_stream_call_back(enum stream_event event, size_t argc, const JSValueRef argv[]) {
  if (callbacks[event] != NULL)
    js_call_scoped(callbacks[event], NULL, argc, argv);
}

/* setCallbacks(onread, onwritten, onshut, onclient, onconnect) */
static JSValueRef set_callbacks(JS_ARGS) {
  JS_UNUSED;
  for (size_t i = 0; i < STREAM_EVENTS; i++) {
    callbacks[i] = js_arg_function(argc, argv, i);
    if (callbacks[i] != NULL)
      js_keep(callbacks[i]);
  }
  return js_undefined();
}

/* ---- reading ------------------------------------------------------------------ */

static char* block;           /* where the next read goes */
static char* spare_blocks[2]; /* those that aren't used now */

static struct {
  JSObjectRef buffer; /* protected */
  char* bytes;
  size_t used;
} pack;

char* js_stream_block_take(void) {
  for (size_t i = 0; i < sizeof(spare_blocks) / sizeof(*spare_blocks); i++)
    if (spare_blocks[i] != NULL) {
      char* found = spare_blocks[i];
      spare_blocks[i] = NULL;
      return found;
    }
  return malloc(BLOCK);
}

void js_stream_block_return(char* used) {
  for (size_t i = 0; i < sizeof(spare_blocks) / sizeof(*spare_blocks); i++)
    if (spare_blocks[i] == NULL) {
      spare_blocks[i] = used;
      return;
    }
  free(used);
}

static void bytes_free(void* bytes, void* context) {
  (void) context;
  free(bytes);
}

static JSObjectRef array_buffer(void* bytes, size_t length) {
  JSObjectRef buffer = JSObjectMakeArrayBufferWithBytesNoCopy(js.ctx, bytes, length,
                                                              bytes_free, NULL, NULL);
  if (buffer == NULL)
    free(bytes);
  return buffer;
}

static bool pack_renew(void) {
  char* bytes = malloc(PACK);
  JSObjectRef buffer = bytes != NULL ? array_buffer(bytes, PACK) : NULL;
  if (buffer == NULL)
    return false;
  if (pack.buffer != NULL)
    js_drop(pack.buffer);
  js_keep(buffer);
  pack.buffer = buffer;
  pack.bytes = bytes;
  pack.used = 0;
  return true;
}

JSObjectRef js_stream_copy(const char* from, size_t count, size_t* offset) {
  *offset = 0;
  if (count > SMALL) {
    char* bytes = malloc(count);
    if (bytes == NULL)
      return NULL;
    memcpy(bytes, from, count);
    return array_buffer(bytes, count);
  }
  if ((pack.buffer == NULL || PACK - pack.used < count) && !pack_renew())
    return NULL;
  memcpy(pack.bytes + pack.used, from, count);
  *offset = pack.used;
  /* Typed arrays with elements of 8 bytes need an aligned offset. */
  pack.used += (count + 7) & ~(size_t) 7;
  if (pack.used > PACK)
    pack.used = PACK;
  return pack.buffer;
}

/* An ArrayBuffer with what was read, NULL without memory. A block that it takes over is
 * NULL afterwards. */
static JSObjectRef read_buffer(char** from, size_t count, size_t* offset) {
  if (count < BLOCK / 2)
    return js_stream_copy(*from, count, offset);
  char* bytes = *from;
  *offset = 0;
  *from = NULL;
  if (count < BLOCK) {
    char* fitting = realloc(bytes, count);
    if (fitting != NULL)
      bytes = fitting;
  }
  return array_buffer(bytes, count);
}

static void read_alloc(uv_handle_t* uv, size_t suggested, uv_buf_t* buffer) {
  (void) uv;
  (void) suggested;
  if (block == NULL)
    block = js_stream_block_take();
  *buffer = uv_buf_init(block, block != NULL ? BLOCK : 0);
}

void js_stream_give(struct js_handle* handle, JSObjectRef owner, ssize_t count,
                    char* from) {
  size_t offset = 0;
  JSObjectRef bytes = NULL;
  if (count > 0 && handle->read != NULL) {
    handle->read(handle, from, (size_t) count);
    js_stream_block_return(from);
    return;
  }
  if (count > 0 && (bytes = read_buffer(&from, (size_t) count, &offset)) == NULL)
    count = UV_ENOMEM;
  /* Before the call: what it does may read, too. */
  if (from != NULL)
    js_stream_block_return(from);
  JSValueRef arguments[] = {owner, js_number((double) count),
                            bytes != NULL ? bytes : js_undefined(),
                            js_number((double) offset)};
  js_context_next(handle->context);
  js_stream_call_back(STREAM_READ, 4, arguments);
}

static void on_read(uv_stream_t* uv, ssize_t count, const uv_buf_t* buffer) {
  struct js_handle* handle = uv->data;
  (void) buffer;
  if (count == 0)
    return; /* nothing to read after all */
  char* mine = block;
  block = NULL;
  if (handle->layer == NULL) {
    js_stream_give(handle, handle->owner, count, mine);
    return;
  }
  handle->layer->receive(handle->layer, count, (uint8_t*) mine);
  if (mine != NULL)
    js_stream_block_return(mine);
}

int js_stream_read_start(struct js_handle* handle) {
  return uv_read_start(&handle->uv.stream, read_alloc, on_read);
}

/* Whether a call with this token goes through a layer. */
static bool is_layered(const struct js_handle* handle, const JSValueRef argv[]) {
  return handle->layer != NULL && handle->layer->token == argv[0];
}

static JSValueRef read_start(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  if (is_layered(handle, argv))
    return stream_status(handle->layer->read_start(handle->layer));
  int err = js_stream_read_start(handle);
  /* A layer may read already, whatever the socket below it knows of that. */
  return stream_status(err == UV_EALREADY && handle->layer != NULL ? 0 : err);
}

static JSValueRef read_stop(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  if (handle->layer != NULL)
    return stream_status(
        is_layered(handle, argv) ? handle->layer->read_stop(handle->layer) : 0);
  return stream_status(uv_read_stop(&handle->uv.stream));
}

/* ---- writing -------------------------------------------------------------------- */

struct stream_write {
  uv_write_t uv;
  JSValueRef
      request;     /* JavaScript's request object, called back when the write is done */
  JSValueRef kept; /* the views being written, or NULL */
  char* text;      /* or a copy of a string */
  JSObjectRef context;
};

static void write_free(struct stream_write* request) {
  if (request->kept != NULL)
    js_drop(request->kept);
  js_drop(request->request);
  js_context_end(request->context);
  free(request->text);
  free(request);
}

static void on_written(uv_write_t* uv, int status) {
  struct stream_write* request = (struct stream_write*) uv;
  struct js_handle* handle = uv->handle->data;
  JSValueRef arguments[] = {handle->owner, js_number(status), request->request};
  js_context_next(request->context);
  write_free(request);
  js_stream_call_back(STREAM_WRITTEN, 3, arguments);
}

/* Writes as much as the kernel takes now. Returns an error, or 0 with *buffers and *count
 * reduced to the rest. */
static int write_now(uv_stream_t* stream, uv_buf_t** buffers, unsigned* count) {
  int written = uv_try_write(stream, *buffers, *count);
  if (written == UV_EAGAIN || written == UV_ENOSYS)
    return 0;
  if (written < 0)
    return written;
  size_t done = (size_t) written;
  while (*count > 0 && done >= (*buffers)->len) {
    done -= (*buffers)->len;
    (*buffers)++;
    (*count)--;
  }
  if (*count > 0) {
    (*buffers)->base += done;
    (*buffers)->len -= done;
  }
  return 0;
}

/* Whether a view, or one of an array of views, may move while a write waits. */
static bool kept_may_move(JSValueRef kept) {
  if (!JSValueIsArray(js.ctx, kept))
    return js_bytes_may_move(kept);
  JSObjectRef views = (JSObjectRef) (uintptr_t) kept;
  double count = JSValueToNumber(js.ctx, js_get(views, "length"), NULL);
  for (unsigned i = 0; i < (unsigned) count; i++)
    if (js_bytes_may_move(JSObjectGetPropertyAtIndex(js.ctx, views, i, NULL)))
      return true;
  return false;
}

/* The rest of the write in one piece; NULL without memory. */
static char* write_copy(const uv_buf_t* buffers, unsigned count, size_t* length) {
  *length = 0;
  for (unsigned i = 0; i < count; i++)
    *length += buffers[i].len;
  char* copy = malloc(*length + 1);
  char* at = copy;
  for (unsigned i = 0; copy != NULL && i < count; at += buffers[i++].len)
    if (buffers[i].len > 0)
      memcpy(at, buffers[i].base, buffers[i].len);
  return copy;
}

/* Through the layer, whose writes are never finished at once. */
static JSValueRef write_layered(struct stream_layer* layer, const uv_buf_t* buffers,
                                unsigned count, JSValueRef request, JSValueRef kept,
                                char* text) {
  if (text == NULL && kept_may_move(kept)) {
    size_t length;
    text = write_copy(buffers, count, &length);
    if (text == NULL)
      return stream_status(UV_ENOMEM);
    uv_buf_t copy = js_buf(text, length);
    return stream_status(layer->write(layer, &copy, 1, request, NULL, text));
  }
  return stream_status(layer->write(layer, buffers, count, request, kept, text));
}

/* The status of a write for JavaScript: an error, 0 if it waits (`request` is called
 * back), 1 if all is written. Takes ownership of `text`; `kept` is the value that the
 * buffers belong to. */
static JSValueRef write_start(struct js_handle* handle, uv_buf_t* buffers, unsigned count,
                              JSValueRef request, JSValueRef kept, char* text) {
  int err = write_now(&handle->uv.stream, &buffers, &count);
  if (err < 0 || count == 0) {
    free(text);
    return stream_status(err < 0 ? err : 1);
  }
  struct stream_write* write = calloc(1, sizeof(*write));
  if (write == NULL) {
    free(text);
    return stream_status(UV_ENOMEM);
  }
  if (text == NULL && kept_may_move(kept)) {
    size_t length;
    text = write_copy(buffers, count, &length);
    if (text == NULL) {
      free(write);
      return stream_status(UV_ENOMEM);
    }
    *buffers = js_buf(text, length);
    count = 1;
  }
  write->request = request;
  js_keep(request);
  write->context = js_context_capture("WRITEWRAP", handle->context);
  write->text = text;
  write->kept = kept;
  if (kept != NULL)
    js_keep(kept);
  err = uv_write(&write->uv, &handle->uv.stream, buffers, count, on_written);
  if (err < 0)
    write_free(write);
  return stream_status(err);
}

/* writeBytes(token, view, request) */
static JSValueRef write_bytes(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  uint8_t* bytes;
  size_t length;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  if (!js_bytes(js_arg(argc, argv, 1), &bytes, &length))
    return stream_status(UV_EINVAL);
  uv_buf_t buffer = js_buf(bytes, length);
  if (is_layered(handle, argv))
    return write_layered(handle->layer, &buffer, 1, js_arg(argc, argv, 2), argv[1], NULL);
  return write_start(handle, &buffer, 1, js_arg(argc, argv, 2), argv[1], NULL);
}

/* The number of bytes that writeText has written or begun to write, for JavaScript. */
static double text_size;

/* writeText(token, string, request): as UTF-8 */
static JSValueRef write_text(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  size_t length;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  char* text = js_utf8(js_arg(argc, argv, 1), &length);
  if (text == NULL)
    return stream_status(UV_ENOMEM);
  text_size = (double) length;
  uv_buf_t buffer = js_buf(text, length);
  if (is_layered(handle, argv))
    return write_layered(handle->layer, &buffer, 1, js_arg(argc, argv, 2), NULL, text);
  return write_start(handle, &buffer, 1, js_arg(argc, argv, 2), NULL, text);
}

/* writeMany(token, array of views, request) */
static JSValueRef write_many(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  JSObjectRef views = js_arg_object(argc, argv, 1);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  double count =
      views != NULL ? JSValueToNumber(js.ctx, js_get(views, "length"), NULL) : 0;
  if (!(count > 0 && count < 1u << 30))
    return stream_status(UV_EINVAL);
  uv_buf_t* buffers = calloc((size_t) count, sizeof(*buffers));
  if (buffers == NULL)
    return stream_status(UV_ENOMEM);
  for (unsigned i = 0; i < (unsigned) count; i++) {
    uint8_t* bytes;
    size_t length;
    if (js_bytes(JSObjectGetPropertyAtIndex(js.ctx, views, i, NULL), &bytes, &length))
      buffers[i] = js_buf(bytes, length);
  }
  /* The library makes its own copy of the list while the write waits. */
  JSValueRef request = js_arg(argc, argv, 2);
  JSValueRef status =
      is_layered(handle, argv)
          ? write_layered(handle->layer, buffers, (unsigned) count, request, views, NULL)
          : write_start(handle, buffers, (unsigned) count, request, views, NULL);
  free(buffers);
  return status;
}

static JSValueRef write_queued(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle != NULL && is_layered(handle, argv))
    return js_number((double) handle->layer->queued(handle->layer));
  return js_number(
      handle != NULL ? (double) uv_stream_get_write_queue_size(&handle->uv.stream) : 0);
}

/* setBlocking(token, on) */
static JSValueRef set_blocking(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(
      uv_stream_set_blocking(&handle->uv.stream, js_arg_bool(argc, argv, 1)));
}

/* ---- shutting down ------------------------------------------------------------------
 */

struct stream_shutdown {
  uv_shutdown_t uv;
  JSValueRef request;
  JSObjectRef context;
};

static void on_shutdown(uv_shutdown_t* uv, int status) {
  struct stream_shutdown* request = (struct stream_shutdown*) uv;
  struct js_handle* handle = uv->handle->data;
  JSValueRef arguments[] = {handle->owner, js_number(status), request->request};
  js_drop(request->request);
  js_context_next(request->context);
  js_context_end(request->context);
  free(request);
  js_stream_call_back(STREAM_SHUT, 3, arguments);
}

/* shutdown(token, request) */
static JSValueRef stream_shutdown(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle != NULL && is_layered(handle, argv))
    return stream_status(handle->layer->shutdown(handle->layer, js_arg(argc, argv, 1)));
  struct stream_shutdown* request = handle != NULL ? calloc(1, sizeof(*request)) : NULL;
  if (request == NULL)
    return stream_status(handle == NULL ? UV_EBADF : UV_ENOMEM);
  request->request = js_arg(argc, argv, 1);
  js_keep(request->request);
  request->context = js_context_capture("SHUTDOWNWRAP", handle->context);
  int err = uv_shutdown(&request->uv, &handle->uv.stream, on_shutdown);
  if (err < 0) {
    js_drop(request->request);
    js_context_end(request->context);
    free(request);
  }
  return stream_status(err);
}

/* ---- servers
 * --------------------------------------------------------------------------- */

static void on_client(uv_stream_t* server, int status) {
  struct js_handle* handle = server->data;
  JSValueRef arguments[] = {handle->owner, js_number(status)};
  js_context_next(handle->context);
  js_stream_call_back(STREAM_CLIENT, 2, arguments);
}

/* listen(token, backlog) */
static JSValueRef stream_listen(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(
      uv_listen(&handle->uv.stream, js_arg_int(argc, argv, 1, 511), on_client));
}

/* accept(server token, client token) */
static JSValueRef stream_accept(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* server = js_handle_arg(argc, argv, 0);
  struct js_handle* client = js_handle_arg(argc, argv, 1);
  if (server == NULL || client == NULL)
    return stream_status(UV_EBADF);
  return stream_status(uv_accept(&server->uv.stream, &client->uv.stream));
}

struct stream_connect* js_connect_new(const struct js_handle* handle,
                                      JSValueRef request) {
  const char* type =
      handle->uv.handle.type == UV_TCP ? "TCPCONNECTWRAP" : "PIPECONNECTWRAP";
  struct stream_connect* connect = calloc(1, sizeof(*connect));
  if (connect == NULL)
    return NULL;
  connect->request = request;
  js_keep(request);
  connect->context = js_context_capture(type, handle->context);
  return connect;
}

void js_connect_free(struct stream_connect* connect) {
  js_drop(connect->request);
  js_context_end(connect->context);
  free(connect);
}

void js_stream_connected(uv_connect_t* uv, int status) {
  struct stream_connect* connect = (struct stream_connect*) uv;
  struct js_handle* handle = uv->handle->data;
  JSValueRef arguments[] = {handle->owner, js_number(status), connect->request};
  js_context_next(connect->context);
  js_connect_free(connect);
  js_stream_call_back(STREAM_CONNECT, 3, arguments);
}

/* fileno(token) */
static JSValueRef stream_fileno(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  uv_os_fd_t fd = -1;
  if (handle == NULL || uv_fileno(&handle->uv.handle, &fd) < 0)
    return js_number(-1);
  return js_number(fd);
}

void native_stream(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"setCallbacks", set_callbacks},
      {"readStart", read_start},
      {"readStop", read_stop},
      {"writeBytes", write_bytes},
      {"writeText", write_text},
      {"writeMany", write_many},
      {"queued", write_queued},
      {"setBlocking", set_blocking},
      {"shutdown", stream_shutdown},
      {"listen", stream_listen},
      {"accept", stream_accept},
      {"fileno", stream_fileno},
      {NULL, NULL},
  };

  js_methods(exports, methods);
  js_set(exports, "textSize",
         js_shared(kJSTypedArrayTypeFloat64Array, &text_size, sizeof(text_size)));
  js_tcp_add(exports);
  js_pipe_add(exports);
}
