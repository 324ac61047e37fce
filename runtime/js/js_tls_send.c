/* The sending side of a TLS stream: the program's writes, encrypted, and whatever else
 * the connection has for the network, and in the end its good-bye. */
#include "js_tls_stream.h"

#include "js_contexts.h"

#include <stdlib.h>
#include <string.h>

/* A long write is encrypted in pieces, so that no more than this waits for the network.
 */
enum { PIECE = 64 * 1024, OUTPUT_MOST = 256 * 1024 };

/* ---- later ----------------------------------------------------------------------------
 */

static void write_finish(struct tls_stream* stream, int status);

static const void* on_later(rondo_node_t* node, void* data) {
  struct tls_stream* stream = data;
  bool writes = stream->later_writes, drives = stream->later_drives;
  (void) node;
  stream->is_later = stream->later_writes = stream->later_drives = false;
  /* The first call may close the handle, but the stream outlives this turn's callbacks.
   */
  if (writes && !tls_stream_is_gone(stream))
    write_finish(stream, stream->send_status);
  if (drives && !tls_stream_is_gone(stream))
    tls_stream_drive(stream);
  return NULL;
}

void tls_stream_come_later(struct tls_stream* stream) {
  if (stream->is_later)
    return;
  stream->is_later = true;
  stream->later.data = stream;
  rondo_node_immediate_start(js.node, &stream->later, on_later);
}

/* ---- the program's writes -------------------------------------------------------------
 */

void tls_write_clear(struct tls_stream* stream) {
  struct tls_write* write = &stream->write;
  if (write->request != NULL)
    js_drop(write->request);
  if (write->kept != NULL)
    js_drop(write->kept);
  free(write->text);
  free(write->buffers);
  js_context_end(write->context);
  *write = (struct tls_write){0};
}

static void write_finish(struct tls_stream* stream, int status) {
  JSValueRef request = stream->write.request;
  if (request == NULL)
    return;
  JSValueRef arguments[] = {stream->owner, js_number(status), request};
  js_context_next(stream->write.context);
  tls_write_clear(
      stream); /* the request is on this stack, where the collector finds it */
  js_stream_call_back(STREAM_WRITTEN, 3, arguments);
}

int tls_stream_write(struct stream_layer* layer, const uv_buf_t* buffers, unsigned count,
                     JSValueRef request, JSValueRef kept, char* text) {
  struct tls_stream* stream = (struct tls_stream*) layer;
  struct tls_write* write = &stream->write;
  uv_buf_t* copy = malloc((count + 1) * sizeof(*copy));
  int err = copy == NULL                 ? UV_ENOMEM
            : write->request != NULL     ? UV_EBUSY
            : tls_stream_is_gone(stream) ? UV_ECANCELED
            : stream->is_failed          ? UV_EPROTO
                                         : stream->send_status;
  if (err < 0) {
    free(copy);
    free(text);
    return err;
  }
  memcpy(copy, buffers, count * sizeof(*copy));
  *write = (struct tls_write){
      .request = request,
      .kept = kept,
      .text = text,
      .buffers = copy,
      .count = count,
      .context = js_context_capture("WRITEWRAP", stream->handle->context)};
  js_keep(request);
  if (kept != NULL)
    js_keep(kept);
  if (!stream->is_started)
    tls_stream_start(stream); /* as in Node, a write begins the handshake */
  tls_stream_drive(stream);
  return 0;
}

size_t tls_stream_queued(const struct stream_layer* layer) {
  const struct tls_stream* stream = (const struct tls_stream*) layer;
  const struct tls_write* write = &stream->write;
  size_t size = js_tls->connection.output_size(stream->connection);
  for (unsigned i = write->at; i < write->count; i++)
    size += write->buffers[i].len;
  size -= write->done;
  return size + uv_stream_get_write_queue_size(&stream->handle->uv.stream);
}

/* ---- sending --------------------------------------------------------------------------
 */

struct network_write {
  uv_write_t uv;
  uint8_t* bytes;
};

static void on_network_written(uv_write_t* uv, int status) {
  struct network_write* request = (struct network_write*) uv;
  struct js_handle* handle = uv->handle->data;
  free(request->bytes);
  free(request);
  if (handle->layer != NULL)
    tls_stream_sent((struct tls_stream*) handle->layer, status);
}

/* Takes the bytes over. Returns an error, or 0; is_sending then says whether it waits. */
static int send_bytes(struct tls_stream* stream, uint8_t* bytes, size_t length) {
  uv_stream_t* network = &stream->handle->uv.stream;
  uv_buf_t buffer = js_buf(bytes, length);
  int written = uv_try_write(network, &buffer, 1);
  if (written == UV_EAGAIN || written == UV_ENOSYS)
    written = 0;
  if (written < 0 || (size_t) written == length) {
    free(bytes);
    return written < 0 ? written : 0;
  }
  struct network_write* request = calloc(1, sizeof(*request));
  if (request == NULL) {
    free(bytes);
    return UV_ENOMEM;
  }
  request->bytes = bytes;
  buffer = js_buf(bytes + written, length - (size_t) written);
  int err = uv_write(&request->uv, network, &buffer, 1, on_network_written);
  if (err < 0) {
    free(bytes);
    free(request);
    return err;
  }
  stream->is_sending = true;
  return 0;
}

static void on_network_shut(uv_shutdown_t* uv, int status) {
  struct js_handle* handle = uv->handle->data;
  free(uv);
  struct tls_stream* stream = (struct tls_stream*) handle->layer;
  if (stream == NULL || stream->shut_request == NULL)
    return;
  JSValueRef arguments[] = {stream->owner, js_number(status), stream->shut_request};
  stream->shut_request = NULL;
  js_drop(arguments[2]);
  js_stream_call_back(STREAM_SHUT, 3, arguments);
}

/* All has been sent, our good-bye too: ends the network's own writing. */
static void shut_network(struct tls_stream* stream) {
  if (stream->is_over_script) {
    JSValueRef request = stream->shut_request;
    stream->shut_request = NULL;
    js_drop(request);
    js_tls_call(TLS_CALL_SHUT, stream->handle, stream->owner, 1, &request);
    return;
  }
  uv_shutdown_t* request = calloc(1, sizeof(*request));
  int err = request == NULL
                ? UV_ENOMEM
                : uv_shutdown(request, &stream->handle->uv.stream, on_network_shut);
  if (err == 0)
    return;
  free(request);
  JSValueRef arguments[] = {stream->owner, js_number(err), stream->shut_request};
  stream->shut_request = NULL;
  js_drop(arguments[2]);
  js_stream_call_back(STREAM_SHUT, 3, arguments);
}

void tls_stream_send(struct tls_stream* stream) {
  size_t length = 0;
  uint8_t* bytes;
  if (stream->is_sending || tls_stream_is_gone(stream) ||
      (bytes = js_tls->connection.take_output(stream->connection, &length)) == NULL)
    return;
  if (stream->send_status < 0) {
    free(bytes);
  } else if (stream->is_over_script) {
    stream->is_sending = true;
    JSValueRef view = js_bytes_take(bytes, length);
    js_tls_call(TLS_CALL_SEND, stream->handle, stream->owner, 1, &view);
  } else {
    stream->send_status = send_bytes(stream, bytes, length);
  }
}

void tls_stream_sent(struct tls_stream* stream, int status) {
  stream->is_sending = false;
  if (status < 0 && stream->send_status == 0)
    stream->send_status = status;
  if (tls_stream_is_gone(stream))
    return;
  stream->sent_late = true;
  tls_stream_drive(stream);
}

void tls_stream_encrypt(struct tls_stream* stream) {
  struct tls_write* write = &stream->write;
  while (write->request != NULL && !write->is_encrypted && !stream->is_sending) {
    if (write->at == write->count) {
      write->is_encrypted = true;
      return;
    }
    const uv_buf_t* buffer = &write->buffers[write->at];
    size_t piece = buffer->len - write->done;
    if (piece > PIECE)
      piece = PIECE;
    enum tls_step step = js_tls->connection.write(
        stream->connection, (const uint8_t*) buffer->base + write->done, piece);
    if (!tls_stream_take(stream, step))
      return;
    write->done += piece;
    if (write->done == buffer->len) {
      write->at++;
      write->done = 0;
    }
    if (js_tls->connection.output_size(stream->connection) >= OUTPUT_MOST)
      tls_stream_send(stream);
  }
}

void tls_stream_settle(struct tls_stream* stream) {
  bool is_sent =
      !stream->is_sending && js_tls->connection.output_size(stream->connection) == 0;
  if (!is_sent || tls_stream_is_gone(stream))
    return;
  if (stream->write.request != NULL &&
      (stream->write.is_encrypted || stream->send_status < 0)) {
    /* As in Node, a write that the network took at once is finished in the check phase.
     */
    if (stream->sent_late) {
      write_finish(stream, stream->send_status);
    } else {
      stream->later_writes = true;
      tls_stream_come_later(stream);
    }
  }
  if (stream->shut_request != NULL && stream->said_goodbye && !tls_stream_is_gone(stream))
    shut_network(stream);
}

/* ---- ending ---------------------------------------------------------------------------
 */

int tls_stream_shutdown(struct stream_layer* layer, JSValueRef request) {
  struct tls_stream* stream = (struct tls_stream*) layer;
  if (stream->shut_request != NULL || tls_stream_is_gone(stream))
    return UV_EALREADY;
  stream->shut_request = request;
  js_keep(request);
  tls_stream_drive(stream);
  return 0;
}
