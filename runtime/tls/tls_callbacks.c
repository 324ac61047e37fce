/* Functions that OpenSSL calls in the middle of its work: news become events, questions
 * go to the hooks. */
#include "tls_connection.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <limits.h>
#include <string.h>

/* ---- OpenSSL's callbacks --------------------------------------------------------------
 */

static struct tls_connection* connection_of(const SSL* ssl) {
  return SSL_get_app_data(ssl);
}

static void on_info(const SSL* ssl, int where, int value) {
  struct tls_connection* connection = connection_of(ssl);
  (void) value;
  if (connection == NULL)
    return;
  if (where & SSL_CB_HANDSHAKE_START)
    tls_event_add(connection, TLS_EVENT_START, NULL, 0, 0);
  /* START and DONE come also when a server only asks for a new handshake. */
  if ((where & SSL_CB_HANDSHAKE_DONE) &&
      !SSL_renegotiate_pending((SSL*) (uintptr_t) ssl)) {
    connection->is_established = true;
    tls_event_add(connection, TLS_EVENT_DONE, NULL, 0, 0);
    connection->hooks->news(connection->data, true);
  }
}

static int on_new_session(SSL* ssl, SSL_SESSION* session) {
  struct tls_connection* connection = connection_of(ssl);
  if (connection == NULL || !connection->asks_sessions)
    return 0;
  int size = i2d_SSL_SESSION(session, NULL);
  unsigned id_length = 0;
  const unsigned char* id = SSL_SESSION_get_id(session, &id_length);
  uint8_t* out = size > 0 ? tls_event_add(connection, TLS_EVENT_SESSION, id, id_length,
                                          (size_t) size)
                          : NULL;
  if (out != NULL)
    i2d_SSL_SESSION(session, &out);
  if (out != NULL && !connection->is_server)
    connection->hooks->news(connection->data, false);
  return 0; /* not kept */
}

static SSL_SESSION* on_get_session(SSL* ssl, const unsigned char* id, int length,
                                   int* copy) {
  struct tls_connection* connection = connection_of(ssl);
  (void) id, (void) length;
  *copy = 0;
  if (connection == NULL)
    return NULL;
  SSL_SESSION* session = connection->next_session;
  connection->next_session = NULL;
  return session;
}

static void on_keylog(const SSL* ssl, const char* line) {
  struct tls_connection* connection = connection_of(ssl);
  if (connection == NULL || !connection->logs_keys)
    return;
  size_t length = strnlen(line, INT_MAX);
  uint8_t* out = tls_event_add(connection, TLS_EVENT_KEYLOG, NULL, 0, length + 1);
  if (out == NULL)
    return;
  memcpy(out, line, length);
  out[length] = '\n';
}

/* As in Node, a name isn't acknowledged, so that a session doesn't have it. */
static int on_servername(SSL* ssl, int* alert, void* data) {
  (void) ssl, (void) alert, (void) data;
  return SSL_TLSEXT_ERR_NOACK;
}

static int on_status(SSL* ssl, void* data) {
  struct tls_connection* connection = connection_of(ssl);
  (void) data;
  if (connection == NULL)
    return SSL_TLSEXT_ERR_NOACK;
  if (connection->is_server) {
    if (connection->ocsp == NULL)
      return SSL_TLSEXT_ERR_NOACK;
    /* The copy becomes OpenSSL's. */
    uint8_t* copy = OPENSSL_memdup(connection->ocsp, connection->ocsp_length);
    if (copy == NULL)
      return SSL_TLSEXT_ERR_NOACK;
    SSL_set_tlsext_status_ocsp_resp(ssl, copy, (long) connection->ocsp_length);
    return SSL_TLSEXT_ERR_OK;
  }
  const unsigned char* answer;
  long length = SSL_get_tlsext_status_ocsp_resp(ssl, &answer);
  if (length < 0 || answer == NULL)
    length = 0;
  uint8_t* out = tls_event_add(connection, TLS_EVENT_OCSP, NULL, 0, (size_t) length);
  if (out != NULL && length > 0)
    memcpy(out, answer, (size_t) length);
  return 1;
}

static int on_alpn(SSL* ssl, const unsigned char** out, unsigned char* length,
                   const unsigned char* offered, unsigned offered_length, void* data) {
  struct tls_connection* connection = connection_of(ssl);
  (void) data;
  if (connection == NULL)
    return SSL_TLSEXT_ERR_NOACK;
  if (connection->asks_alpn) {
    int at = connection->hooks->alpn(connection->data,
                                     (struct crypto_bytes){offered, offered_length});
    if (at == TLS_ALPN_NONE)
      return SSL_TLSEXT_ERR_NOACK;
    if (at < 0 || (unsigned) at >= offered_length)
      return SSL_TLSEXT_ERR_ALERT_FATAL;
    *length = offered[at];
    *out = offered + at + 1;
    return SSL_TLSEXT_ERR_OK;
  }
  if (connection->protocols_length == 0)
    return SSL_TLSEXT_ERR_NOACK;
  unsigned char* chosen;
  if (SSL_select_next_proto(&chosen, length, connection->protocols,
                            (unsigned) connection->protocols_length, offered,
                            offered_length) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/* The name in a server_name extension: a list of (type, length, name). */
static void hello_servername(SSL* ssl, struct tls_hello* hello) {
  const unsigned char* bytes;
  size_t length;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &length) != 1 ||
      length < 5 || bytes[2] != TLSEXT_NAMETYPE_host_name)
    return;
  size_t name = (size_t) bytes[3] << 8 | bytes[4];
  if (name > length - 5)
    return;
  hello->servername = (const char*) bytes + 5;
  hello->servername_length = name;
}

static int on_hello(SSL* ssl, int* alert, void* data) {
  struct tls_connection* connection = connection_of(ssl);
  (void) alert, (void) data;
  if (connection == NULL || !connection->asks_hello || connection->hello_answered)
    return SSL_CLIENT_HELLO_SUCCESS;
  if (connection->hello_seen)
    return SSL_CLIENT_HELLO_RETRY;
  struct tls_hello hello = {0};
  const unsigned char* bytes;
  size_t length = 0;
  hello.session_id.length = SSL_client_hello_get0_session_id(ssl, &bytes);
  hello.session_id.bytes = bytes;
  hello.has_ticket =
      SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_session_ticket, &bytes, &length) == 1 &&
      length > 0;
  hello.wants_ocsp =
      SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_status_request, &bytes, &length) == 1;
  hello_servername(ssl, &hello);
  connection->hello_seen = true;
  connection->hello_answered = connection->hooks->hello(connection->data, &hello);
  return connection->hello_answered ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_RETRY;
}

static int on_certificate(SSL* ssl, void* data) {
  struct tls_connection* connection = connection_of(ssl);
  (void) data;
  if (connection == NULL || !connection->asks_certificate ||
      connection->certificate_answered)
    return 1;
  if (connection->certificate_seen)
    return -1;
  connection->certificate_seen = true;
  connection->certificate_answered = connection->hooks->certificate(connection->data);
  return connection->certificate_answered ? 1 : -1;
}

static unsigned on_psk_server(SSL* ssl, const char* identity, unsigned char* key,
                              unsigned most) {
  struct tls_connection* connection = connection_of(ssl);
  int length = connection->hooks->psk_server(connection->data, identity, key, most);
  return length > 0 && (unsigned) length <= most ? (unsigned) length : 0;
}

static unsigned on_psk_client(SSL* ssl, const char* hint, char* identity,
                              unsigned most_identity, unsigned char* key, unsigned most) {
  struct tls_connection* connection = connection_of(ssl);
  int length = connection->hooks->psk_client(connection->data, hint, identity,
                                             most_identity, key, most);
  return length > 0 && (unsigned) length <= most ? (unsigned) length : 0;
}

int tls_verify_any(int is_good, X509_STORE_CTX* store) {
  (void) is_good, (void) store;
  return 1;
}

void tls_connection_watch(SSL_CTX* ctx) {
  SSL_CTX_set_info_callback(ctx, on_info);
  SSL_CTX_sess_set_new_cb(ctx, on_new_session);
  SSL_CTX_sess_set_get_cb(ctx, on_get_session);
  SSL_CTX_set_tlsext_servername_callback(ctx, on_servername);
  SSL_CTX_set_tlsext_status_cb(ctx, on_status);
  SSL_CTX_set_client_hello_cb(ctx, on_hello, NULL);
}

/* ---- what is asked for ----------------------------------------------------------------
 */

void tls_watch_alpn(struct tls_connection* connection) {
  SSL_CTX_set_alpn_select_cb(SSL_get_SSL_CTX(connection->ssl), on_alpn, NULL);
}

void tls_ask_alpn(struct tls_connection* connection) {
  connection->asks_alpn = true;
  tls_watch_alpn(connection);
}

void tls_ask_certificate(struct tls_connection* connection) {
  connection->asks_certificate = true;
  SSL_set_cert_cb(connection->ssl, on_certificate, NULL);
}

void tls_ask_psk(struct tls_connection* connection) {
  if (connection->is_server)
    SSL_set_psk_server_callback(connection->ssl, on_psk_server);
  else
    SSL_set_psk_client_callback(connection->ssl, on_psk_client);
}

void tls_log_keys(struct tls_connection* connection) {
  connection->logs_keys = true;
  SSL_CTX_set_keylog_callback(SSL_get_SSL_CTX(connection->ssl), on_keylog);
}
