/* Settings before a handshake, and questions after it. */
#include "tls_connection.h"

#include <openssl/err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings -------------------------------------------------------------------------
 */

static void connection_set_verify(struct tls_connection* connection, bool request,
                                  bool reject) {
  int mode = SSL_VERIFY_NONE;
  if (request || !connection->is_server)
    mode = SSL_VERIFY_PEER;
  if (connection->is_server && request && reject)
    mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_set_verify(connection->ssl, mode, tls_verify_any);
}

static bool connection_set_servername(struct tls_connection* connection,
                                      const char* name) {
  return SSL_set_tlsext_host_name(connection->ssl, name) == 1;
}

SSL_SESSION* tls_session_parse(struct crypto_bytes bytes) {
  const unsigned char* at = bytes.bytes;
  SSL_SESSION* session =
      bytes.length <= LONG_MAX ? d2i_SSL_SESSION(NULL, &at, (long) bytes.length) : NULL;
  ERR_clear_error();
  return session;
}

static bool connection_set_session(struct tls_connection* connection,
                                   struct crypto_bytes bytes) {
  SSL_SESSION* session = tls_session_parse(bytes);
  bool is_set = session == NULL || SSL_set_session(connection->ssl, session) == 1;
  SSL_SESSION_free(session);
  return is_set;
}

static bool connection_load_session(struct tls_connection* connection,
                                    struct crypto_bytes bytes) {
  SSL_SESSION_free(connection->next_session);
  connection->next_session = tls_session_parse(bytes);
  return connection->next_session != NULL;
}

static bool bytes_replace(uint8_t** kept, size_t* kept_length,
                          struct crypto_bytes bytes) {
  uint8_t* copy = malloc(bytes.length + 1);
  if (copy == NULL)
    return false;
  if (bytes.length > 0)
    memcpy(copy, bytes.bytes, bytes.length);
  free(*kept);
  *kept = copy;
  *kept_length = bytes.length;
  return true;
}

static bool connection_set_alpn(struct tls_connection* connection,
                                struct crypto_bytes protocols) {
  if (!connection->is_server)
    return protocols.length <= UINT_MAX &&
           SSL_set_alpn_protos(connection->ssl, protocols.bytes,
                               (unsigned) protocols.length) == 0;
  if (!bytes_replace(&connection->protocols, &connection->protocols_length, protocols))
    return false;
  tls_watch_alpn(connection);
  return true;
}

static void connection_ask_sessions(struct tls_connection* connection) {
  connection->asks_sessions = true;
}

static void connection_ask_hello(struct tls_connection* connection) {
  connection->asks_hello = true;
}

static bool connection_set_psk_hint(struct tls_connection* connection, const char* hint) {
  return SSL_use_psk_identity_hint(connection->ssl, hint) == 1;
}

static void connection_trace(struct tls_connection* connection) {
#ifndef OPENSSL_NO_SSL_TRACE
  static BIO* err;
  if (err == NULL)
    err = BIO_new_fp(stderr, BIO_NOCLOSE | BIO_FP_TEXT);
  SSL_set_msg_callback(connection->ssl, SSL_trace);
  SSL_set_msg_callback_arg(connection->ssl, err);
#else
  (void) connection;
#endif
}

static void connection_request_ocsp(struct tls_connection* connection) {
  SSL_set_tlsext_status_type(connection->ssl, TLSEXT_STATUSTYPE_ocsp);
}

static bool connection_set_ocsp(struct tls_connection* connection,
                                struct crypto_bytes answer) {
  return bytes_replace(&connection->ocsp, &connection->ocsp_length, answer);
}

static enum tls_outcome connection_set_keycert(struct tls_connection* connection,
                                               struct tls_context* context,
                                               struct crypto_failure* failure) {
  EVP_PKEY* key = SSL_CTX_get0_privatekey(context->ctx);
  STACK_OF(X509)* chain = NULL;
  ERR_clear_error();
  SSL_CTX_get0_chain_certs(context->ctx, &chain);
  if (key == NULL || context->certificate == NULL ||
      SSL_use_cert_and_key(connection->ssl, context->certificate, key, chain, 1) != 1) {
    crypto_take_failure(failure);
    return TLS_FAILED;
  }
  return TLS_OK;
}

static bool connection_set_max_fragment(struct tls_connection* connection, long size) {
  return SSL_set_max_send_fragment(connection->ssl, size) == 1;
}

static enum tls_outcome connection_renegotiate(struct tls_connection* connection,
                                               struct crypto_failure* failure) {
  ERR_clear_error();
  if (SSL_renegotiate(connection->ssl) == 1)
    return TLS_OK;
  crypto_take_failure(failure);
  return TLS_FAILED;
}

static void connection_refuse_renegotiation(struct tls_connection* connection) {
  SSL_set_options(connection->ssl, SSL_OP_NO_RENEGOTIATION);
}

/* ---- facts ----------------------------------------------------------------------------
 */

static const char* connection_protocol(const struct tls_connection* connection) {
  return SSL_get_version(connection->ssl);
}

static const char* connection_servername(const struct tls_connection* connection) {
  return SSL_get_servername(connection->ssl, TLSEXT_NAMETYPE_host_name);
}

static bool connection_wants_ocsp(const struct tls_connection* connection) {
  return SSL_get_tlsext_status_type(connection->ssl) == TLSEXT_STATUSTYPE_ocsp;
}

static bool connection_is_reused(const struct tls_connection* connection) {
  return SSL_session_reused(connection->ssl) == 1;
}

static struct crypto_bytes connection_alpn(const struct tls_connection* connection) {
  const unsigned char* bytes = NULL;
  unsigned length = 0;
  SSL_get0_alpn_selected(connection->ssl, &bytes, &length);
  return (struct crypto_bytes){bytes, length};
}

static uint8_t* copied(const void* bytes, size_t count, size_t* length) {
  uint8_t* copy = count > 0 ? malloc(count) : NULL;
  if (copy == NULL)
    return NULL;
  memcpy(copy, bytes, count);
  *length = count;
  return copy;
}

static uint8_t* connection_session(const struct tls_connection* connection,
                                   size_t* length) {
  SSL_SESSION* session = SSL_get_session(connection->ssl);
  int size = session != NULL ? i2d_SSL_SESSION(session, NULL) : 0;
  uint8_t* bytes = size > 0 ? malloc((size_t) size) : NULL;
  uint8_t* at = bytes;
  if (bytes != NULL)
    *length = (size_t) i2d_SSL_SESSION(session, &at);
  return bytes;
}

static uint8_t* connection_ticket(const struct tls_connection* connection,
                                  size_t* length) {
  SSL_SESSION* session = SSL_get_session(connection->ssl);
  const unsigned char* ticket = NULL;
  size_t size = 0;
  if (session != NULL)
    SSL_SESSION_get0_ticket(session, &ticket, &size);
  return copied(ticket, ticket != NULL ? size : 0, length);
}

static uint8_t* connection_finished(const struct tls_connection* connection, bool of_peer,
                                    size_t* length) {
  uint8_t bytes[EVP_MAX_MD_SIZE];
  size_t size = of_peer ? SSL_get_peer_finished(connection->ssl, bytes, sizeof(bytes))
                        : SSL_get_finished(connection->ssl, bytes, sizeof(bytes));
  return copied(bytes, size < sizeof(bytes) ? size : sizeof(bytes), length);
}

static uint8_t* connection_exported(struct tls_connection* connection, size_t length,
                                    struct crypto_bytes label,
                                    const struct crypto_bytes* context,
                                    struct crypto_failure* failure) {
  uint8_t* out = malloc(length + 1);
  ERR_clear_error();
  if (out != NULL && SSL_export_keying_material(
                         connection->ssl, out, length, (const char*) label.bytes,
                         label.length, context != NULL ? context->bytes : NULL,
                         context != NULL ? context->length : 0, context != NULL) == 1)
    return out;
  crypto_take_failure(failure);
  free(out);
  return NULL;
}

static uint8_t* connection_certificate(const struct tls_connection* connection,
                                       bool of_peer, size_t* length) {
  X509* certificate = of_peer ? SSL_get0_peer_certificate(connection->ssl)
                              : SSL_get_certificate(connection->ssl);
  uint8_t* bytes = NULL;
  int size = certificate != NULL ? i2d_X509(certificate, &bytes) : 0;
  uint8_t* copy = size > 0 ? copied(bytes, (size_t) size, length) : NULL;
  OPENSSL_free(bytes);
  return copy;
}

void tls_settings_fill(struct tls_connection_kind* kind) {
  kind->set_verify = connection_set_verify;
  kind->set_servername = connection_set_servername;
  kind->set_session = connection_set_session;
  kind->load_session = connection_load_session;
  kind->set_alpn = connection_set_alpn;
  kind->ask_alpn = tls_ask_alpn;
  kind->ask_sessions = connection_ask_sessions;
  kind->ask_hello = connection_ask_hello;
  kind->ask_certificate = tls_ask_certificate;
  kind->ask_psk = tls_ask_psk;
  kind->set_psk_hint = connection_set_psk_hint;
  kind->log_keys = tls_log_keys;
  kind->trace = connection_trace;
  kind->request_ocsp = connection_request_ocsp;
  kind->set_ocsp = connection_set_ocsp;
  kind->set_keycert = connection_set_keycert;
  kind->set_max_fragment = connection_set_max_fragment;
  kind->renegotiate = connection_renegotiate;
  kind->refuse_renegotiation = connection_refuse_renegotiation;
  kind->protocol = connection_protocol;
  kind->servername = connection_servername;
  kind->wants_ocsp = connection_wants_ocsp;
  kind->is_reused = connection_is_reused;
  kind->verify_error = tls_verify_error;
  kind->alpn = connection_alpn;
  kind->session = connection_session;
  kind->ticket = connection_ticket;
  kind->finished = connection_finished;
  kind->exported = connection_exported;
  kind->certificate = connection_certificate;
  kind->list_chain = tls_list_chain;
  kind->describe_cipher = tls_describe_cipher;
  kind->describe_ephemeral = tls_describe_ephemeral;
  kind->describe_sigalgs = tls_describe_sigalgs;
}
