/* Questions of a TLS connection to the program from within a handshake. A function of the
 * program that throws has been reported as any other; the handshake is then refused. */
#include "js_tls_stream.h"

#include <string.h>

static bool answer_is_true(JSValueRef answer) {
  return answer != NULL && JSValueToBoolean(js.ctx, answer);
}

static bool ask_hello(void* data, const struct tls_hello* hello) {
  struct tls_stream* stream = data;
  JSValueRef values[] = {
      js_tls_copy(hello->session_id),
      hello->servername != NULL ? js_string_n(hello->servername, hello->servername_length)
                                : js_string(""),
      js_boolean(hello->has_ticket),
      js_boolean(hello->wants_ocsp),
  };
  return answer_is_true(js_tls_ask(TLS_CALL_HELLO, stream->owner, 4, values));
}

static bool ask_certificate(void* data) {
  struct tls_stream* stream = data;
  const char* name = js_tls->connection.servername(stream->connection);
  JSValueRef values[] = {
      js_string(name != NULL ? name : ""),
      js_boolean(js_tls->connection.wants_ocsp(stream->connection)),
  };
  return answer_is_true(js_tls_ask(TLS_CALL_CERTIFICATE, stream->owner, 2, values));
}

static int ask_alpn(void* data, struct crypto_bytes offered) {
  struct tls_stream* stream = data;
  JSValueRef value = js_tls_copy(offered);
  JSValueRef answer = js_tls_ask(TLS_CALL_ALPN, stream->owner, 1, &value);
  return answer != NULL && JSValueIsNumber(js.ctx, answer)
             ? (int) JSValueToNumber(js.ctx, answer, NULL)
             : TLS_ALPN_REFUSE;
}

static int take_key(JSValueRef value, uint8_t* key, size_t most) {
  uint8_t* bytes;
  size_t length;
  if (value == NULL || !js_bytes(value, &bytes, &length) || bytes == NULL ||
      length > most)
    return 0;
  memcpy(key, bytes, length);
  return (int) length;
}

static int ask_psk_server(void* data, const char* identity, uint8_t* key, size_t most) {
  struct tls_stream* stream = data;
  JSValueRef values[] = {js_string(identity != NULL ? identity : ""),
                         js_number((double) most)};
  return take_key(js_tls_ask(TLS_CALL_PSK_SERVER, stream->owner, 2, values), key, most);
}

static int ask_psk_client(void* data, const char* hint, char* identity,
                          size_t most_identity, uint8_t* key, size_t most) {
  struct tls_stream* stream = data;
  JSValueRef values[] = {hint != NULL ? js_string(hint) : js_null(),
                         js_number((double) most_identity), js_number((double) most)};
  JSValueRef answer = js_tls_ask(TLS_CALL_PSK_CLIENT, stream->owner, 3, values);
  if (answer == NULL || !JSValueIsArray(js.ctx, answer))
    return 0;
  JSObjectRef pair = (JSObjectRef) (uintptr_t) answer;
  struct crypto_bytes name =
      js_tls_bytes(JSObjectGetPropertyAtIndex(js.ctx, pair, 0, NULL));
  if (name.length > most_identity)
    return 0;
  if (name.length > 0)
    memcpy(identity, name.bytes, name.length);
  identity[name.length] = '\0';
  return take_key(JSObjectGetPropertyAtIndex(js.ctx, pair, 1, NULL), key, most);
}

const struct tls_hooks tls_stream_hooks = {
    .hello = ask_hello,
    .certificate = ask_certificate,
    .news = tls_stream_news,
    .alpn = ask_alpn,
    .psk_server = ask_psk_server,
    .psk_client = ask_psk_client,
};
