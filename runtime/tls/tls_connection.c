/* Connections: bytes of the program into bytes of the network and back. OpenSSL reads the
 * network's bytes in place and appends its own to a buffer, which the caller sends.
 *
 * OpenSSL's callbacks run in the middle of its work. What is only news becomes an event,
 * which the caller fetches after its call; what OpenSSL can't go on without is asked for
 * at once by a hook. From a hook only settings may be called, and, when a handshake is
 * over, what writes. */
#include "tls_connection.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_LEAST = 4096, RECORD = 16384, RECORD_EXTRA = 64 };

SSL* tls_connection_ssl(const struct tls_connection* connection) {
  return connection->ssl;
}

/* ---- events ---------------------------------------------------------------------------
 */

uint8_t* tls_event_add(struct tls_connection* connection, enum tls_event_kind kind,
                       const void* id, size_t id_length, size_t length) {
  struct event_node* event = malloc(sizeof(*event) + id_length + length);
  if (event == NULL)
    return NULL;
  *event = (struct event_node){.kind = kind, .length = length, .id_length = id_length};
  if (id_length > 0)
    memcpy(event->bytes, id, id_length);
  if (connection->last != NULL)
    connection->last->next = event;
  else
    connection->first = event;
  connection->last = event;
  return event->bytes + id_length;
}

static bool connection_next_event(struct tls_connection* connection,
                                  struct tls_event* event) {
  struct event_node* next = connection->first;
  free(connection->shown);
  connection->shown = next;
  if (next == NULL)
    return false;
  connection->first = next->next;
  if (next->next == NULL)
    connection->last = NULL;
  *event = (struct tls_event){
      .kind = next->kind,
      .id = {next->bytes, next->id_length},
      .bytes = {next->bytes + next->id_length, next->length},
  };
  return true;
}

/* ---- the network's side ---------------------------------------------------------------
 */

static int network_read(BIO* bio, char* out, int room) {
  struct tls_connection* connection = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  size_t count = connection->in_length;
  if (room <= 0)
    return 0;
  if (count == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  if (count > (size_t) room)
    count = (size_t) room;
  memcpy(out, connection->in, count);
  connection->in += count;
  connection->in_length -= count;
  return (int) count;
}

static bool output_reserve(struct tls_connection* connection, size_t more) {
  size_t need = connection->out_length + more;
  if (need <= connection->out_room)
    return true;
  size_t room = connection->out_room * 2;
  if (room < need)
    room = need;
  if (room < OUTPUT_LEAST)
    room = OUTPUT_LEAST;
  uint8_t* out = realloc(connection->out, room);
  if (out == NULL)
    return false;
  connection->out = out;
  connection->out_room = room;
  return true;
}

static int network_write(BIO* bio, const char* bytes, int length) {
  struct tls_connection* connection = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (length <= 0)
    return 0;
  if (!output_reserve(connection, (size_t) length)) {
    connection->out_of_memory = true;
    return -1;
  }
  memcpy(connection->out + connection->out_length, bytes, (size_t) length);
  connection->out_length += (size_t) length;
  return length;
}

static long network_control(BIO* bio, int command, long number, void* pointer) {
  (void) bio, (void) number, (void) pointer;
  return command == BIO_CTRL_FLUSH;
}

static BIO* network_new(struct tls_connection* connection) {
  static BIO_METHOD* method;
  if (method == NULL) {
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "rondo");
    if (method == NULL)
      return NULL;
    BIO_meth_set_read(method, network_read);
    BIO_meth_set_write(method, network_write);
    BIO_meth_set_ctrl(method, network_control);
  }
  BIO* bio = BIO_new(method);
  if (bio != NULL) {
    BIO_set_data(bio, connection);
    BIO_set_init(bio, 1);
  }
  return bio;
}

static uint8_t* connection_take_output(struct tls_connection* connection,
                                       size_t* length) {
  if (connection->out_length == 0)
    return NULL;
  uint8_t* out = connection->out;
  *length = connection->out_length;
  connection->out = NULL;
  connection->out_length = connection->out_room = 0;
  return out;
}

static size_t connection_output_size(const struct tls_connection* connection) {
  return connection->out_length;
}

static void connection_feed(struct tls_connection* connection, const uint8_t* bytes,
                            size_t length) {
  connection->in = bytes;
  connection->in_length = length;
}

static size_t connection_take_back(struct tls_connection* connection) {
  size_t left = connection->in_length;
  connection->in = NULL;
  connection->in_length = 0;
  return left;
}

static size_t connection_unread(const struct tls_connection* connection) {
  return connection->in_length;
}

/* ---- life -----------------------------------------------------------------------------
 */

static void connection_close(struct tls_connection* connection) {
  struct tls_event event;
  while (connection_next_event(connection, &event)) {
  }
  if (connection->ssl != NULL)
    SSL_set_app_data(connection->ssl, NULL);
  SSL_free(connection->ssl);
  SSL_SESSION_free(connection->next_session);
  free(connection->out);
  free(connection->protocols);
  free(connection->ocsp);
  free(connection);
  ERR_clear_error();
}

static struct tls_connection* connection_open(struct tls_context* context, bool is_server,
                                              const struct tls_hooks* hooks, void* data) {
  struct tls_connection* connection = calloc(1, sizeof(*connection));
  if (connection == NULL)
    return NULL;
  BIO* bio = network_new(connection);
  SSL* ssl = bio != NULL ? SSL_new(context->ctx) : NULL;
  if (ssl == NULL) {
    BIO_free(bio);
    free(connection);
    return NULL;
  }
  *connection = (struct tls_connection){
      .ssl = ssl, .hooks = hooks, .data = data, .is_server = is_server};
  SSL_set_bio(ssl, bio, bio);
  SSL_set_app_data(ssl, connection);
  SSL_set_verify(ssl, SSL_VERIFY_NONE, tls_verify_any);
  if (is_server)
    SSL_set_accept_state(ssl);
  else
    SSL_set_connect_state(ssl);
  return connection;
}

/* Settings that a certificate's callback may still change: OpenSSL has begun with the
 * first ctx. */
static enum tls_outcome connection_set_context(struct tls_connection* connection,
                                               struct tls_context* context,
                                               struct crypto_failure* failure) {
  SSL* ssl = connection->ssl;
  SSL_CTX* ctx = context->ctx;
  STACK_OF(X509)* chain = NULL;
  ERR_clear_error();
  SSL_CTX_get0_chain_certs(ctx, &chain);
  if (SSL_use_certificate(ssl, SSL_CTX_get0_certificate(ctx)) != 1 ||
      SSL_use_PrivateKey(ssl, SSL_CTX_get0_privatekey(ctx)) != 1 ||
      (chain != NULL && SSL_set1_chain(ssl, chain) != 1) ||
      SSL_set1_verify_cert_store(ssl, SSL_CTX_get_cert_store(ctx)) != 1) {
    crypto_take_failure(failure);
    return TLS_FAILED;
  }
  SSL_set_client_CA_list(ssl, SSL_dup_CA_list(SSL_CTX_get_client_CA_list(ctx)));
  return TLS_OK;
}

/* ---- work -----------------------------------------------------------------------------
 */

static int print_line(const char* text, size_t length, void* data) {
  struct tls_trouble* trouble = data;
  size_t used = strlen(trouble->text);
  if (length > sizeof(trouble->text) - 1 - used)
    length = sizeof(trouble->text) - 1 - used;
  memcpy(trouble->text + used, text, length);
  trouble->text[used + length] = '\0';
  return 1;
}

static enum tls_step step_of(struct tls_connection* connection, int result) {
  if (result > 0)
    return TLS_STEP_DONE;
  switch (SSL_get_error(connection->ssl, result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE:
    return connection->out_of_memory ? TLS_STEP_FAILED : TLS_STEP_WAIT;
  case SSL_ERROR_WANT_X509_LOOKUP:
  case SSL_ERROR_WANT_CLIENT_HELLO_CB:
    return TLS_STEP_STOP;
  case SSL_ERROR_ZERO_RETURN:
    return TLS_STEP_END;
  default:
    break;
  }
  memset(&connection->trouble, 0, sizeof(connection->trouble));
  tls_words(ERR_peek_error(), &connection->trouble);
  tls_code_of(ERR_peek_error(), "SSL_",
              &connection->trouble); /* wherever it comes from */
  connection->trouble.text[0] = '\0';
  ERR_print_errors_cb(print_line, &connection->trouble);
  ERR_clear_error();
  return TLS_STEP_FAILED;
}

static enum tls_step connection_handshake(struct tls_connection* connection) {
  ERR_clear_error();
  return step_of(connection, SSL_do_handshake(connection->ssl));
}

static enum tls_step connection_read(struct tls_connection* connection, uint8_t* out,
                                     size_t room, size_t* count) {
  ERR_clear_error();
  while (*count < room) {
    size_t got = 0;
    int result = SSL_read_ex(connection->ssl, out + *count, room - *count, &got);
    *count += got;
    if (result <= 0)
      return step_of(connection, result);
  }
  return TLS_STEP_DONE;
}

static enum tls_step connection_write(struct tls_connection* connection,
                                      const uint8_t* bytes, size_t length) {
  size_t written = 0;
  if (length == 0)
    return TLS_STEP_DONE;
  ERR_clear_error();
  output_reserve(connection, length + (length / RECORD + 1) * RECORD_EXTRA);
  return step_of(connection, SSL_write_ex(connection->ssl, bytes, length, &written));
}

static void connection_say_goodbye(struct tls_connection* connection) {
  ERR_clear_error();
  if (SSL_shutdown(connection->ssl) == 0)
    SSL_shutdown(connection->ssl);
  ERR_clear_error();
}

static bool connection_is_established(const struct tls_connection* connection) {
  return connection->is_established;
}

static void connection_resume(struct tls_connection* connection) {
  if (connection->certificate_seen)
    connection->certificate_answered = true;
  else if (connection->hello_seen)
    connection->hello_answered = true;
}

static void connection_trouble(const struct tls_connection* connection,
                               struct tls_trouble* trouble) {
  *trouble = connection->trouble;
}

/* The rest is filled in when the object is loaded. */
struct tls_connection_kind tls_connections = {
    .open = connection_open,
    .close = connection_close,
    .set_context = connection_set_context,
    .feed = connection_feed,
    .take_back = connection_take_back,
    .unread = connection_unread,
    .handshake = connection_handshake,
    .read = connection_read,
    .write = connection_write,
    .say_goodbye = connection_say_goodbye,
    .is_established = connection_is_established,
    .resume = connection_resume,
    .trouble = connection_trouble,
    .take_output = connection_take_output,
    .output_size = connection_output_size,
    .next_event = connection_next_event,
};
