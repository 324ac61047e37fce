/* A connection, for the files that make it: tls_connection.c has its life and its work,
 * tls_callbacks.c what OpenSSL calls, tls_settings.c what is set and asked. */
#ifndef RONDO_TLS_CONNECTION_H
#define RONDO_TLS_CONNECTION_H

#include "tls_library.h"

#include <openssl/ssl.h>

struct event_node {
  struct event_node* next;
  enum tls_event_kind kind;
  size_t length, id_length;
  uint8_t bytes[];
};

struct tls_connection {
  SSL* ssl;
  const struct tls_hooks* hooks;
  void* data;
  bool is_server, asks_alpn, asks_sessions, asks_hello, asks_certificate, logs_keys;
  bool hello_seen, hello_answered, certificate_seen, certificate_answered;
  bool is_established;
  /* from the network */
  const uint8_t* in;
  size_t in_length;
  /* for the network */
  uint8_t* out;
  size_t out_length, out_room;
  bool out_of_memory;
  struct event_node *first, *last, *shown;
  uint8_t* protocols; /* of ALPN, on a server */
  size_t protocols_length;
  uint8_t* ocsp; /* the answer of a server */
  size_t ocsp_length;
  SSL_SESSION* next_session; /* what a resumption will use */
  bool psk_refused;
  struct tls_trouble trouble;
};

/* A new event with room for `length` bytes behind the id; NULL without memory: the event
 * is lost then, for none is needed to go on. */
uint8_t* tls_event_add(struct tls_connection* connection, enum tls_event_kind kind,
                       const void* id, size_t id_length, size_t length);

/* Whether a chain is good is for the program to say, after the handshake. */
int tls_verify_any(int is_good, X509_STORE_CTX* store);
/* The session that a program has stored, or NULL. */
SSL_SESSION* tls_session_parse(struct crypto_bytes bytes);

/* tls_callbacks.c: what is asked for from now on. */
void tls_watch_alpn(struct tls_connection* connection);
void tls_ask_alpn(struct tls_connection* connection);
void tls_ask_certificate(struct tls_connection* connection);
void tls_ask_psk(struct tls_connection* connection);
void tls_log_keys(struct tls_connection* connection);

/* tls_settings.c: fills these parts of the table. */
void tls_settings_fill(struct tls_connection_kind* kind);

#endif
