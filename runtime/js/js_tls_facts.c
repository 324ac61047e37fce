/* native('tls'): what a program asks about a TLS connection. */
#include "js_tls.h"

#include <stdlib.h>

typedef uint8_t* (*give_bytes)(const struct tls_connection*, size_t*);

static JSValueRef taken(give_bytes give, size_t argc, const JSValueRef argv[]) {
  struct tls_connection* connection = js_tls_connection(argc, argv);
  size_t length = 0;
  uint8_t* bytes = connection != NULL ? give(connection, &length) : NULL;
  return js_tls_take(bytes, length);
}

static JSValueRef fact_session(JS_ARGS) {
  JS_UNUSED;
  return taken(js_tls->connection.session, argc, argv);
}

static JSValueRef fact_ticket(JS_ARGS) {
  JS_UNUSED;
  return taken(js_tls->connection.ticket, argc, argv);
}

typedef uint8_t* (*give_side)(const struct tls_connection*, bool, size_t*);

static JSValueRef taken_of_side(give_side give, size_t argc, const JSValueRef argv[]) {
  struct tls_connection* connection = js_tls_connection(argc, argv);
  size_t length = 0;
  if (connection == NULL)
    return js_undefined();
  uint8_t* bytes = give(connection, js_arg_bool(argc, argv, 1), &length);
  return js_tls_take(bytes, length);
}

/* finished(token, whether the peer's) */
static JSValueRef fact_finished(JS_ARGS) {
  JS_UNUSED;
  return taken_of_side(js_tls->connection.finished, argc, argv);
}

/* certificate(token, whether the peer's) → DER */
static JSValueRef fact_certificate(JS_ARGS) {
  JS_UNUSED;
  return taken_of_side(js_tls->connection.certificate, argc, argv);
}

/* chain(token, whole) → [DER …, whether the last is its own issuer's], or undefined */
static JSValueRef fact_chain(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct tls_build build;
  js_tls_build(&build, true);
  if (connection == NULL ||
      !js_tls->connection.list_chain(connection, js_arg_bool(argc, argv, 1), &build.sink))
    return js_undefined();
  return build.target;
}

static JSValueRef fact_cipher(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct tls_build build;
  js_tls_build(&build, false);
  if (connection == NULL || !js_tls->connection.describe_cipher(connection, &build.sink))
    return js_undefined();
  return build.target;
}

/* ephemeral(token) → an object, null on a server */
static JSValueRef fact_ephemeral(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct tls_build build;
  js_tls_build(&build, false);
  if (connection == NULL ||
      !js_tls->connection.describe_ephemeral(connection, &build.sink))
    return js_null();
  return build.target;
}

static JSValueRef fact_sigalgs(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct tls_build build;
  js_tls_build(&build, true);
  if (connection != NULL)
    js_tls->connection.describe_sigalgs(connection, &build.sink);
  return build.target;
}

static JSValueRef fact_protocol(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  return connection != NULL ? js_string(js_tls->connection.protocol(connection))
                            : js_null();
}

static JSValueRef fact_servername(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  const char* name =
      connection != NULL ? js_tls->connection.servername(connection) : NULL;
  return name != NULL ? js_string(name) : js_boolean(false);
}

static JSValueRef fact_alpn(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct crypto_bytes name = {0};
  if (connection != NULL)
    name = js_tls->connection.alpn(connection);
  return name.length > 0 ? js_string_n((const char*) name.bytes, name.length)
                         : js_boolean(false);
}

static JSValueRef fact_reused(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  return js_boolean(connection != NULL && js_tls->connection.is_reused(connection));
}

/* verifyError(token) → null, or [code, words] */
static JSValueRef fact_verify_error(JS_ARGS) {
  JS_UNUSED;
  struct tls_connection* connection = js_tls_connection(argc, argv);
  const char* words = "";
  const char* code =
      connection != NULL ? js_tls->connection.verify_error(connection, &words) : NULL;
  if (code == NULL)
    return js_null();
  JSValueRef values[] = {js_string(code), js_string(words)};
  return js_array(2, values);
}

/* exported(token, length, label as bytes, context or undefined) → bytes or an Error */
static JSValueRef fact_exported(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct tls_connection* connection = js_tls_connection(argc, argv);
  struct crypto_bytes context = js_tls_bytes(js_arg(argc, argv, 3));
  bool has_context = !JSValueIsUndefined(js.ctx, js_arg(argc, argv, 3));
  double length = js_arg_number(argc, argv, 1, 0);
  if (connection == NULL || !(length >= 0 && length <= INT32_MAX))
    return js_undefined();
  uint8_t* bytes = js_tls->connection.exported(connection, (size_t) length,
                                               js_tls_bytes(js_arg(argc, argv, 2)),
                                               has_context ? &context : NULL, &failure);
  return bytes != NULL ? js_tls_take(bytes, (size_t) length)
                       : js_tls_error(&failure, "Operation failed");
}

/* canonicalIP(text): the shortest way to write that address, undefined if it is none */
static JSValueRef fact_canonical_ip(JS_ARGS) {
  JS_UNUSED;
  char* text = js_arg_utf8(argc, argv, 0);
  uint8_t address[16];
  char out[64];
  JSValueRef result = js_undefined();
  for (int i = 0; text != NULL && i < 2; i++) {
    int family = i == 0 ? AF_INET : AF_INET6;
    if (uv_inet_pton(family, text, address) == 0 &&
        uv_inet_ntop(family, address, out, sizeof(out)) == 0)
      result = js_string(out);
  }
  free(text);
  return result;
}

const struct js_method js_tls_fact_methods[] = {
    {"canonicalIP", fact_canonical_ip},
    {"session", fact_session},
    {"ticket", fact_ticket},
    {"finished", fact_finished},
    {"certificate", fact_certificate},
    {"chain", fact_chain},
    {"cipher", fact_cipher},
    {"ephemeral", fact_ephemeral},
    {"sigalgs", fact_sigalgs},
    {"protocol", fact_protocol},
    {"servername", fact_servername},
    {"alpn", fact_alpn},
    {"isReused", fact_reused},
    {"verifyError", fact_verify_error},
    {"exported", fact_exported},
    {NULL, NULL},
};
