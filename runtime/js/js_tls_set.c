/* native('tls'): a TLS stream's life and settings. Functions return a negative error, or
 * UV_EBADF for a token that has no TLS. */
#include "js_tls_stream.h"

#include <stdlib.h>

enum layer_place { OWN, OVER_SOCKET, OVER_SCRIPT };

/* attach(token, owner, context, is server, place) → the token to use from now on */
static JSValueRef tls_attach(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  JSObjectRef owner = js_arg_object(argc, argv, 1);
  struct tls_context* context = js_tls_context(js_arg(argc, argv, 2));
  int place = js_arg_int(argc, argv, 4, OWN);
  if (handle == NULL || owner == NULL || context == NULL)
    return js_number(UV_EINVAL);
  if (handle->layer != NULL || uv_is_closing(&handle->uv.handle))
    return js_number(UV_EBUSY);
  struct tls_stream* stream = tls_stream_new(
      handle, owner, context, js_arg_bool(argc, argv, 3), place == OVER_SCRIPT);
  if (stream == NULL)
    return js_number(UV_ENOMEM);
  stream->layer.token = handle->token;
  if (place == OVER_SOCKET) {
    stream->layer.token = js_handle_second_token(handle);
    js_keep(stream->layer.token);
  }
  return stream->layer.token;
}

/* start(token): the handshake begins, or waits for the other side */
static JSValueRef tls_start(JS_ARGS) {
  JS_UNUSED;
  struct tls_stream* stream = js_tls_stream(argc, argv);
  if (stream == NULL)
    return js_number(UV_EBADF);
  if (stream->is_started)
    return js_number(0);
  int err = tls_stream_start(stream);
  tls_stream_drive(stream);
  return js_number(err);
}

/* feed(token, bytes or an error): what the network brought */
static JSValueRef tls_feed(JS_ARGS) {
  JS_UNUSED;
  struct tls_stream* stream = js_tls_stream(argc, argv);
  JSValueRef given = js_arg(argc, argv, 1);
  if (stream == NULL)
    return js_number(UV_EBADF);
  if (JSValueIsNumber(js.ctx, given)) {
    tls_stream_receive(stream, (ssize_t) JSValueToNumber(js.ctx, given, NULL), NULL);
    return js_number(0);
  }
  struct crypto_bytes bytes = js_tls_bytes(given);
  if (bytes.length > 0)
    tls_stream_receive(stream, (ssize_t) bytes.length, bytes.bytes);
  return js_number(0);
}

/* sent(token, status): the answer to TLS_CALL_SEND */
static JSValueRef tls_sent(JS_ARGS) {
  JS_UNUSED;
  struct tls_stream* stream = js_tls_stream(argc, argv);
  if (stream != NULL)
    tls_stream_sent(stream, js_arg_int(argc, argv, 1, 0));
  return js_undefined();
}

/* resume(token): the answer to a question has come */
static JSValueRef tls_resume(JS_ARGS) {
  JS_UNUSED;
  struct tls_stream* stream = js_tls_stream(argc, argv);
  if (stream == NULL)
    return js_number(UV_EBADF);
  js_tls->connection.resume(stream->connection);
  stream->is_stopped = false;
  tls_stream_drive(stream);
  return js_number(0);
}

typedef enum tls_outcome (*use_context)(struct tls_connection*, struct tls_context*,
                                        struct crypto_failure*);

static JSValueRef with_context(use_context use, size_t argc, const JSValueRef argv[]) {
  struct crypto_failure failure = {0};
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct tls_context* context = js_tls_context(js_arg(argc, argv, 1));
  if (connection == NULL || context == NULL)
    return js_number(TLS_NOT_READY);
  return js_tls_outcome(use(connection, context, &failure), &failure);
}

static JSValueRef tls_set_context(JS_ARGS) {
  JS_UNUSED;
  return with_context(js_tls->connection.set_context, argc, argv);
}

static JSValueRef tls_set_keycert(JS_ARGS) {
  JS_UNUSED;
  return with_context(js_tls->connection.set_keycert, argc, argv);
}

/* setVerify(token, request, reject) */
static JSValueRef tls_set_verify(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  if (connection != NULL)
    js_tls->connection.set_verify(connection, js_arg_bool(argc, argv, 1),
                                  js_arg_bool(argc, argv, 2));
  return js_undefined();
}

static JSValueRef with_text(bool (*set)(struct tls_connection*, const char*), size_t argc,
                            const JSValueRef argv[]) {
  struct tls_connection* connection = js_tls_connection(argc, argv);
  char* text = connection != NULL ? js_arg_utf8(argc, argv, 1) : NULL;
  bool done = text != NULL && set(connection, text);
  free(text);
  return js_boolean(done);
}

static JSValueRef with_bytes(bool (*set)(struct tls_connection*, struct crypto_bytes),
                             size_t argc, const JSValueRef argv[]) {
  struct tls_connection* connection = js_tls_connection(argc, argv);
  return js_boolean(connection != NULL &&
                    set(connection, js_tls_bytes(js_arg(argc, argv, 1))));
}

static JSValueRef plain(void (*set)(struct tls_connection*), size_t argc,
                        const JSValueRef argv[]) {
  struct tls_connection* connection = js_tls_connection(argc, argv);
  if (connection != NULL)
    set(connection);
  return js_undefined();
}

static JSValueRef tls_set_servername(JS_ARGS) {
  JS_UNUSED;
  return with_text(js_tls->connection.set_servername, argc, argv);
}

static JSValueRef tls_set_psk_hint(JS_ARGS) {
  JS_UNUSED;
  return with_text(js_tls->connection.set_psk_hint, argc, argv);
}

static JSValueRef tls_set_session(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->connection.set_session, argc, argv);
}

static JSValueRef tls_load_session(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->connection.load_session, argc, argv);
}

static JSValueRef tls_set_alpn(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->connection.set_alpn, argc, argv);
}

static JSValueRef tls_set_ocsp(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->connection.set_ocsp, argc, argv);
}

static JSValueRef tls_ask_alpn(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.ask_alpn, argc, argv);
}

static JSValueRef tls_ask_sessions(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.ask_sessions, argc, argv);
}

static JSValueRef tls_ask_hello(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.ask_hello, argc, argv);
}

static JSValueRef tls_ask_certificate(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.ask_certificate, argc, argv);
}

static JSValueRef tls_ask_psk(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.ask_psk, argc, argv);
}

static JSValueRef tls_log_keys(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.log_keys, argc, argv);
}

static JSValueRef tls_trace(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.trace, argc, argv);
}

static JSValueRef tls_request_ocsp(JS_ARGS) {
  JS_UNUSED;
  return plain(js_tls->connection.request_ocsp, argc, argv);
}

/* setMaxFragment(token, size) */
static JSValueRef tls_set_max_fragment(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  return js_boolean(connection != NULL && js_tls->connection.set_max_fragment(
                                              connection, js_arg_int(argc, argv, 1, 0)));
}

/* renegotiate(token) → 0 or an Error */
static JSValueRef tls_renegotiate(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct tls_stream* stream = js_tls_stream(argc, argv);
  if (stream == NULL)
    return js_number(TLS_NOT_READY);
  enum tls_outcome outcome = js_tls->connection.renegotiate(stream->connection, &failure);
  if (outcome == TLS_OK) {
    stream->later_drives = true;
    tls_stream_drive(stream);
  }
  return js_tls_outcome(outcome, &failure);
}

const struct js_method js_tls_stream_methods[] = {
    {"attach", tls_attach},
    {"start", tls_start},
    {"feed", tls_feed},
    {"sent", tls_sent},
    {"resume", tls_resume},
    {"setContext", tls_set_context},
    {"setKeyCert", tls_set_keycert},
    {"setVerify", tls_set_verify},
    {"setServername", tls_set_servername},
    {"setPskHint", tls_set_psk_hint},
    {"setSession", tls_set_session},
    {"loadSession", tls_load_session},
    {"setALPN", tls_set_alpn},
    {"setOCSP", tls_set_ocsp},
    {"askALPN", tls_ask_alpn},
    {"askSessions", tls_ask_sessions},
    {"askHello", tls_ask_hello},
    {"askCertificate", tls_ask_certificate},
    {"askPSK", tls_ask_psk},
    {"logKeys", tls_log_keys},
    {"trace", tls_trace},
    {"requestOCSP", tls_request_ocsp},
    {"setMaxFragment", tls_set_max_fragment},
    {"renegotiate", tls_renegotiate},
    {NULL, NULL},
};
