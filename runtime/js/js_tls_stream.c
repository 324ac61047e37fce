/* Moves the bytes of a TLS stream: those of the network through the connection to the
 * program, those of the program through it to the network.
 *
 * `drive` does whatever can be done now: handshake, reading, writing, sending. `drive`
 * calls JavaScript, which may call anything here: a drive that is asked for during a
 * drive comes after the first one, and after each call the handle may be closing. The
 * stream itself lives until the handle's close callback. */
#include "js_tls_stream.h"

#include "js_contexts.h"

#include <stdlib.h>
#include <string.h>

bool tls_stream_is_gone(const struct tls_stream* stream) {
  return uv_is_closing(&stream->handle->uv.handle);
}

/* ---- what the connection does ---------------------------------------------------------
 */

static void deliver_events(struct tls_stream* stream) {
  struct tls_event event;
  while (!tls_stream_is_gone(stream) &&
         js_tls->connection.next_event(stream->connection, &event)) {
    JSValueRef values[2];
    switch (event.kind) {
    case TLS_EVENT_START:
      js_tls_call(TLS_CALL_START, stream->handle, stream->owner, 0, NULL);
      break;
    case TLS_EVENT_DONE:
      js_tls_call(TLS_CALL_DONE, stream->handle, stream->owner, 0, NULL);
      break;
    case TLS_EVENT_SESSION:
      values[0] = js_tls_copy(event.id);
      values[1] = js_tls_copy(event.bytes);
      js_tls_call(TLS_CALL_SESSION, stream->handle, stream->owner, 2, values);
      break;
    case TLS_EVENT_KEYLOG:
      values[0] = js_tls_copy(event.bytes);
      js_tls_call(TLS_CALL_KEYLOG, stream->handle, stream->owner, 1, values);
      break;
    case TLS_EVENT_OCSP:
      values[0] = event.bytes.length > 0 ? js_tls_copy(event.bytes) : js_null();
      js_tls_call(TLS_CALL_OCSP, stream->handle, stream->owner, 1, values);
      break;
    }
  }
}

static void fail(struct tls_stream* stream) {
  struct tls_trouble trouble;
  js_tls->connection.trouble(stream->connection, &trouble);
  stream->is_failed = true;
  tls_stream_send(stream); /* the alert */
  deliver_events(stream);
  if (tls_stream_is_gone(stream))
    return;
  JSValueRef values[] = {js_string(trouble.text), js_string(trouble.library),
                         js_string(trouble.reason), js_string(trouble.code)};
  if (stream->write.request != NULL) {
    JSValueRef written[] = {stream->write.request, values[0]};
    tls_write_clear(stream);
    js_tls_call(TLS_CALL_WRITE_FAILED, stream->handle, stream->owner, 2, written);
    return;
  }
  js_tls_call(TLS_CALL_ERROR, stream->handle, stream->owner, 4, values);
}

/* Whether to go on. */
bool tls_stream_take(struct tls_stream* stream, enum tls_step step) {
  if (step == TLS_STEP_FAILED)
    fail(stream);
  if (step == TLS_STEP_STOP)
    stream->is_stopped = true;
  return step == TLS_STEP_DONE && !tls_stream_is_gone(stream);
}

static void end_reading(struct tls_stream* stream, int status) {
  if (stream->has_ended)
    return;
  stream->has_ended = true;
  js_stream_give(stream->handle, stream->owner, status, NULL);
}

/* Gives what has been read since the last time. */
static void give_read(struct tls_stream* stream) {
  size_t count = stream->block_count - stream->block_given;
  char* part = count > 0 ? js_stream_block_take() : NULL;
  if (part == NULL || tls_stream_is_gone(stream)) {
    if (part != NULL)
      js_stream_block_return(part);
    return;
  }
  memcpy(part, stream->block + stream->block_given, count);
  stream->block_given = stream->block_count;
  js_stream_give(stream->handle, stream->owner, (ssize_t) count, part);
}

void tls_stream_news(void* data, bool may_write) {
  struct tls_stream* stream = data;
  /* Bytes that came before the news are given to the program before them. */
  if (stream->block != NULL)
    give_read(stream);
  deliver_events(stream);
  if (may_write && !tls_stream_is_gone(stream) && stream->write.request != NULL)
    tls_stream_encrypt(stream);
}

/* One block. */
static enum tls_step read_block(struct tls_stream* stream) {
  stream->block = js_stream_block_take();
  stream->block_count = stream->block_given = 0;
  if (stream->block == NULL) {
    end_reading(stream, UV_ENOMEM);
    return TLS_STEP_WAIT;
  }
  enum tls_step step = js_tls->connection.read(
      stream->connection, (uint8_t*) stream->block, STREAM_BLOCK, &stream->block_count);
  char* block = stream->block;
  stream->block = NULL;
  size_t given = stream->block_given, count = stream->block_count - given;
  if (count > 0 && given > 0)
    memmove(block, block + given, count);
  if (count > 0 && !tls_stream_is_gone(stream))
    js_stream_give(stream->handle, stream->owner, (ssize_t) count, block);
  else
    js_stream_block_return(block);
  deliver_events(stream);
  return step;
}

static void read_all(struct tls_stream* stream) {
  bool goes_on = true;
  while (goes_on && stream->is_reading && !stream->has_ended) {
    enum tls_step step = read_block(stream);
    if (tls_stream_is_gone(stream))
      return;
    if (step == TLS_STEP_END)
      end_reading(stream, UV_EOF);
    goes_on = tls_stream_take(stream, step);
  }
  stream->is_left_over = goes_on && !stream->is_reading;
}

static void drive_once(struct tls_stream* stream) {
  bool works = stream->is_started && !stream->is_failed && !stream->is_stopped;
  if (works && !stream->said_goodbye &&
      !js_tls->connection.is_established(stream->connection) && !stream->has_ended) {
    enum tls_step step = js_tls->connection.handshake(stream->connection);
    deliver_events(stream);
    works = !tls_stream_is_gone(stream) && tls_stream_take(stream, step);
  }
  if (works)
    read_all(stream);
  works = works && !tls_stream_is_gone(stream) && !stream->is_failed;
  if (works && js_tls->connection.is_established(stream->connection))
    tls_stream_encrypt(stream);
  if (tls_stream_is_gone(stream))
    return;
  if (stream->shut_request != NULL && !stream->said_goodbye &&
      stream->write.request == NULL) {
    stream->said_goodbye = true;
    if (stream->is_started && !stream->is_failed)
      js_tls->connection.say_goodbye(stream->connection);
  }
  tls_stream_send(stream);
  tls_stream_settle(stream);
}

/* ---- driving --------------------------------------------------------------------------
 */

/* Input that the connection has left comes before input that has arrived meanwhile. */
static bool keep_rest(struct tls_stream* stream, const uint8_t* rest, size_t length) {
  uint8_t* all = malloc(length + stream->waiting_length + 1);
  if (all == NULL)
    return false;
  if (length > 0)
    memcpy(all, rest, length);
  if (stream->waiting_length > 0)
    memcpy(all + length, stream->waiting, stream->waiting_length);
  free(stream->waiting);
  stream->waiting = all;
  stream->waiting_length += length;
  return true;
}

static bool keep_more(struct tls_stream* stream, const uint8_t* bytes, size_t length) {
  uint8_t* all = realloc(stream->waiting, stream->waiting_length + length + 1);
  if (all == NULL)
    return false;
  memcpy(all + stream->waiting_length, bytes, length);
  stream->waiting = all;
  stream->waiting_length += length;
  return true;
}

/* Drives with these bytes as input. */
static void drive_with(struct tls_stream* stream, const uint8_t* bytes, size_t length) {
  stream->drives_again = false;
  js_tls->connection.feed(stream->connection, bytes, length);
  drive_once(stream);
  size_t left = js_tls->connection.take_back(stream->connection);
  if (stream->is_failed || stream->has_ended || tls_stream_is_gone(stream))
    return; /* nobody will read it */
  if (left > 0 && !keep_rest(stream, bytes + (length - left), left))
    end_reading(stream, UV_ENOMEM);
}

static void drive_waiting(struct tls_stream* stream) {
  uint8_t* bytes = stream->waiting;
  size_t length = stream->waiting_length;
  stream->waiting = NULL;
  stream->waiting_length = 0;
  drive_with(stream, bytes, length);
  free(bytes);
}

/* Also after a failure: the socket is the program's until the network ends. */
static void report_network(struct tls_stream* stream) {
  if (stream->network_status == 0 || stream->has_ended || tls_stream_is_gone(stream) ||
      (stream->is_left_over && !stream->is_failed))
    return;
  if (stream->is_reading || !js_tls->connection.is_established(stream->connection))
    end_reading(stream, stream->network_status);
}

void tls_stream_drive(struct tls_stream* stream) {
  if (stream->is_driving) {
    stream->drives_again = true;
    return;
  }
  stream->is_driving = true;
  do {
    drive_waiting(stream);
    report_network(stream); /* which may ask for more */
  } while (stream->drives_again && !tls_stream_is_gone(stream));
  stream->is_driving = stream->sent_late = false;
}

void tls_stream_receive(struct tls_stream* stream, ssize_t count, const uint8_t* bytes) {
  if (tls_stream_is_gone(stream))
    return;
  if (count < 0) {
    stream->network_status = (int) count;
    tls_stream_drive(stream);
    return;
  }
  if (stream->is_failed || stream->has_ended)
    return;
  if (stream->is_driving || stream->waiting_length > 0 || !stream->is_started) {
    if (!keep_more(stream, bytes, (size_t) count))
      end_reading(stream, UV_ENOMEM);
    else
      tls_stream_drive(stream);
    return;
  }
  stream->is_driving = true;
  drive_with(stream, bytes, (size_t) count);
  stream->is_driving = stream->sent_late = false;
  if (stream->drives_again && !tls_stream_is_gone(stream))
    tls_stream_drive(stream);
}

/* ---- the layer ------------------------------------------------------------------------
 */

static int network_flow(struct tls_stream* stream, bool flows) {
  if (stream->is_over_script) {
    JSValueRef value = js_boolean(flows);
    js_tls_call(TLS_CALL_FLOW, stream->handle, stream->owner, 1, &value);
    return 0;
  }
  int err = flows ? js_stream_read_start(stream->handle)
                  : uv_read_stop(&stream->handle->uv.stream);
  return err == UV_EALREADY ? 0 : err;
}

int tls_stream_start(struct tls_stream* stream) {
  stream->is_started = true;
  return stream->is_over_script ? 0 : network_flow(stream, true);
}

static int layer_read_start(struct stream_layer* layer) {
  struct tls_stream* stream = (struct tls_stream*) layer;
  if (stream->is_reading)
    return 0;
  stream->is_reading = true;
  if (!stream->is_started)
    return 0;
  if (stream->is_left_over || stream->waiting_length > 0 || stream->network_status < 0) {
    stream->later_drives = true;
    tls_stream_come_later(stream);
  }
  return stream->network_status < 0 || stream->has_ended ? 0 : network_flow(stream, true);
}

static int layer_read_stop(struct stream_layer* layer) {
  struct tls_stream* stream = (struct tls_stream*) layer;
  stream->is_reading = false;
  /* A handshake needs the network even if the program doesn't. */
  if (!stream->is_started || !js_tls->connection.is_established(stream->connection))
    return 0;
  return network_flow(stream, false);
}

static void layer_receive(struct stream_layer* layer, ssize_t count, uint8_t* bytes) {
  tls_stream_receive((struct tls_stream*) layer, count, bytes);
}

static void layer_release(struct stream_layer* layer) {
  struct tls_stream* stream = (struct tls_stream*) layer;
  struct js_handle* handle = stream->handle;
  JSObjectRef owner = stream->owner;
  JSValueRef request = stream->write.request;
  JSValueRef arguments[] = {owner, js_number(UV_ECANCELED), request};
  handle->layer = NULL;
  if (stream->is_later)
    rondo_node_immediate_clear(js.node, &stream->later);
  tls_write_clear(stream);
  if (stream->shut_request != NULL)
    js_drop(stream->shut_request);
  if (layer->token != handle->token && layer->token != NULL) {
    JSObjectSetPrivate(layer->token, NULL);
    js_drop(layer->token);
  }
  js_tls->connection.close(stream->connection);
  free(stream->waiting);
  free(stream);
  js_drop(owner);
  if (request != NULL)
    js_stream_call_back(STREAM_WRITTEN, 3, arguments);
}

struct tls_stream* tls_stream_new(struct js_handle* handle, JSObjectRef owner,
                                  struct tls_context* context, bool is_server,
                                  bool is_over_script) {
  struct tls_stream* stream = calloc(1, sizeof(*stream));
  if (stream == NULL)
    return NULL;
  stream->connection =
      js_tls->connection.open(context, is_server, &tls_stream_hooks, stream);
  if (stream->connection == NULL) {
    free(stream);
    return NULL;
  }
  stream->layer = (struct stream_layer){
      .read_start = layer_read_start,
      .read_stop = layer_read_stop,
      .receive = layer_receive,
      .write = tls_stream_write,
      .shutdown = tls_stream_shutdown,
      .queued = tls_stream_queued,
      .release = layer_release,
  };
  stream->handle = handle;
  stream->owner = owner;
  js_keep(owner);
  stream->is_over_script = is_over_script;
  handle->layer = &stream->layer;
  return stream;
}

struct tls_stream* js_tls_stream(size_t argc, const JSValueRef argv[]) {
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL || handle->layer == NULL || handle->layer->token != argv[0] ||
      handle->layer->release != layer_release)
    return NULL;
  return (struct tls_stream*) handle->layer;
}

struct tls_connection* js_tls_connection(size_t argc, const JSValueRef argv[]) {
  struct tls_stream* stream = js_tls_stream(argc, argv);
  return stream != NULL ? stream->connection : NULL;
}
