/* TLS for tls of runtime/lib: OpenSSL's libssl behind plain functions. This room is an
 * object of its own, librondo-tls.so, which js_tls.c loads when a program first requires
 * tls: a program that only hashes doesn't load libssl. No JavaScript and no sockets in
 * here.
 *
 * A context has what connections share: certificates, keys, ciphers, whom to trust. A
 * connection turns bytes of the program into bytes of the network and back. Both belong
 * to one thread. */
#ifndef RONDO_TLS_LIBRARY_H
#define RONDO_TLS_LIBRARY_H

#include "crypto/crypto_library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- values for a program -------------------------------------------------------------
 */

/* Receives an object property by property, or the items of an array, whose names are
 * NULL. */
struct tls_sink {
  void* data;
  void (*text)(void* data, const char* name, const char* text, size_t length);
  void (*number)(void* data, const char* name, double value);
  void (*boolean)(void* data, const char* name, bool value);
  void (*bytes)(void* data, const char* name, const void* bytes, size_t length);
};

/* ---- contexts -------------------------------------------------------------------------
 */

struct tls_context;

enum tls_outcome {
  TLS_OK,
  TLS_FAILED,    /* see the failure */
  TLS_NO_METHOD, /* "Unknown method: X" */
  TLS_SSL2,      /* "SSLv2 methods disabled" */
  TLS_SSL3,      /* "SSLv3 methods disabled" */
  TLS_WEAK_DH,   /* shorter than 1024 bits */
  TLS_SHORT_DH,  /* shorter than 2048 bits: taken, with a warning */
  TLS_BAD_CURVE,
  TLS_BAD_CRL,
  TLS_BAD_PASSWORD, /* of a PFX */
  TLS_NO_PFX_CERT,
  TLS_NO_PFX_KEY,
  TLS_NO_PEER,
  TLS_NOT_READY,
  TLS_KEY_MISMATCH
};

enum { TLS_TICKET_KEYS = 48 };

struct tls_context_kind {
  struct tls_context* (*open)(const char* method, int min, int max,
                              enum tls_outcome* outcome, struct crypto_failure* failure);
  void (*close)(struct tls_context* context);
  /* `passphrase` may be NULL. */
  enum tls_outcome (*set_key)(struct tls_context* context, struct crypto_bytes pem,
                              const char* passphrase, struct crypto_failure* failure);
  enum tls_outcome (*set_cert)(struct tls_context* context, struct crypto_bytes pem,
                               struct crypto_failure* failure);
  enum tls_outcome (*load_pfx)(struct tls_context* context, struct crypto_bytes pfx,
                               const char* passphrase, struct crypto_failure* failure);
  enum tls_outcome (*add_ca)(struct tls_context* context, struct crypto_bytes pem,
                             struct crypto_failure* failure);
  enum tls_outcome (*add_crl)(struct tls_context* context, struct crypto_bytes pem,
                              struct crypto_failure* failure);
  /* The machine's trusted certificates; *problem is why those of NODE_EXTRA_CA_CERTS
   * couldn't be read, once. */
  void (*add_roots)(struct tls_context* context, const char** problem);
  enum tls_outcome (*set_ciphers)(struct tls_context* context, const char* list,
                                  struct crypto_failure* failure);
  enum tls_outcome (*set_suites)(struct tls_context* context, const char* list,
                                 struct crypto_failure* failure);
  enum tls_outcome (*set_sigalgs)(struct tls_context* context, const char* list,
                                  struct crypto_failure* failure);
  enum tls_outcome (*set_curves)(struct tls_context* context, const char* list);
  enum tls_outcome (*set_dh)(struct tls_context* context, struct crypto_bytes pem,
                             bool is_auto);
  bool (*set_session_name)(struct tls_context* context, const char* name);
  void (*set_session_timeout)(struct tls_context* context, long seconds);
  void (*set_options)(struct tls_context* context, uint64_t options);
  void (*set_partial_trust)(struct tls_context* context);
  int (*version)(const struct tls_context* context, bool is_max);
  bool (*set_version)(struct tls_context* context, bool is_max, int version);
  void (*ticket_keys)(const struct tls_context* context, uint8_t* out);
  void (*set_ticket_keys)(struct tls_context* context, const uint8_t* keys);
  /* The context's own certificate, or that of its issuer, as DER: malloc'ed, or NULL. */
  uint8_t* (*certificate)(struct tls_context* context, bool of_issuer, size_t* length);
};

/* One error in words. */
struct tls_trouble {
  char text[512];
  char library[64], reason[128], code[192];
};

/* ---- connections ----------------------------------------------------------------------
 */

struct tls_connection;

enum tls_event_kind {
  TLS_EVENT_START, /* of a handshake, also a later one */
  TLS_EVENT_DONE,
  TLS_EVENT_SESSION, /* bytes: the session, id: its id */
  TLS_EVENT_KEYLOG,  /* bytes: a line, with its end */
  TLS_EVENT_OCSP     /* bytes: the server's answer, none if it sent none */
};

struct tls_hello {
  struct crypto_bytes session_id;
  const char* servername; /* or NULL */
  size_t servername_length;
  bool has_ticket, wants_ocsp;
};

enum { TLS_ALPN_NONE = -1, TLS_ALPN_REFUSE = -2 };

/* Questions of a connection to its owner, from within a call by the owner. */
struct tls_hooks {
  /* A handshake stops where these return false, until `resume` is called. */
  bool (*hello)(void* data, const struct tls_hello* hello);
  bool (*certificate)(void* data);
  /* There are events that can't wait for the end of the call: a handshake is over, and
   * what the program writes now goes before what OpenSSL sends next, a server's tickets;
   * or a client has got a session, the present one for as long as this takes. As in Node.
   */
  void (*news)(void* data, bool may_write);
  /* The chosen protocol in `offered` (length, name, length, name …), as its offset. */
  int (*alpn)(void* data, struct crypto_bytes offered);
  /* Fill `key` and return its length; 0 refuses. */
  int (*psk_server)(void* data, const char* identity, uint8_t* key, size_t most);
  int (*psk_client)(void* data, const char* hint, char* identity, size_t most_identity,
                    uint8_t* key, size_t most);
};

struct tls_event {
  enum tls_event_kind kind;
  struct crypto_bytes bytes, id;
};

enum tls_step {
  TLS_STEP_DONE,  /* the call did what it was to do */
  TLS_STEP_WAIT,  /* for bytes of the network */
  TLS_STEP_STOP,  /* for an answer to a hook */
  TLS_STEP_END,   /* the other side said good-bye */
  TLS_STEP_FAILED /* see failed_as */
};

struct tls_connection_kind {
  struct tls_connection* (*open)(struct tls_context* context, bool is_server,
                                 const struct tls_hooks* hooks, void* data);
  void (*close)(struct tls_connection* connection);
  enum tls_outcome (*set_context)(struct tls_connection* connection,
                                  struct tls_context* context,
                                  struct crypto_failure* failure);

  /* Bytes from the network, read in place: they stay until they are consumed or taken
   * back. */
  void (*feed)(struct tls_connection* connection, const uint8_t* bytes, size_t length);
  /* How many of the bytes weren't consumed; afterwards there are none. */
  size_t (*take_back)(struct tls_connection* connection);
  size_t (*unread)(const struct tls_connection* connection);
  enum tls_step (*handshake)(struct tls_connection* connection);
  /* *count grows as bytes are read, also while hooks are called. */
  enum tls_step (*read)(struct tls_connection* connection, uint8_t* out, size_t room,
                        size_t* count);
  enum tls_step (*write)(struct tls_connection* connection, const uint8_t* bytes,
                         size_t length);
  void (*say_goodbye)(struct tls_connection* connection);
  /* The first handshake is over; later ones happen while it reads and writes. */
  bool (*is_established)(const struct tls_connection* connection);
  void (*resume)(struct tls_connection* connection);
  /* The connection's error, its text as OpenSSL prints it, with the file and line that
   * noticed. */
  void (*trouble)(const struct tls_connection* connection, struct tls_trouble* trouble);

  /* Bytes for the network: the caller owns them (free) from now on; NULL if there are
   * none. */
  uint8_t* (*take_output)(struct tls_connection* connection, size_t* length);
  size_t (*output_size)(const struct tls_connection* connection);
  /* The oldest event that nobody has seen; its bytes live until the next call. */
  bool (*next_event)(struct tls_connection* connection, struct tls_event* event);

  /* settings, before the handshake */
  void (*set_verify)(struct tls_connection* connection, bool request, bool reject);
  bool (*set_servername)(struct tls_connection* connection, const char* name);
  bool (*set_session)(struct tls_connection* connection, struct crypto_bytes session);
  /* what a resumption on the server will use */
  bool (*load_session)(struct tls_connection* connection, struct crypto_bytes session);
  bool (*set_alpn)(struct tls_connection* connection, struct crypto_bytes protocols);
  void (*ask_alpn)(struct tls_connection* connection);
  void (*ask_sessions)(struct tls_connection* connection);
  void (*ask_hello)(struct tls_connection* connection);
  void (*ask_certificate)(struct tls_connection* connection);
  void (*ask_psk)(struct tls_connection* connection);
  bool (*set_psk_hint)(struct tls_connection* connection, const char* hint);
  void (*log_keys)(struct tls_connection* connection);
  void (*trace)(struct tls_connection* connection);
  void (*request_ocsp)(struct tls_connection* connection);
  bool (*set_ocsp)(struct tls_connection* connection, struct crypto_bytes answer);
  enum tls_outcome (*set_keycert)(struct tls_connection* connection,
                                  struct tls_context* context,
                                  struct crypto_failure* failure);
  bool (*set_max_fragment)(struct tls_connection* connection, long size);
  enum tls_outcome (*renegotiate)(struct tls_connection* connection,
                                  struct crypto_failure* failure);
  void (*refuse_renegotiation)(struct tls_connection* connection);

  /* facts */
  const char* (*protocol)(const struct tls_connection* connection);
  const char* (*servername)(const struct tls_connection* connection);
  bool (*wants_ocsp)(const struct tls_connection* connection);
  bool (*is_reused)(const struct tls_connection* connection);
  /* NULL if the peer's certificate is good, else the name of the code */
  const char* (*verify_error)(struct tls_connection* connection, const char** words);
  struct crypto_bytes (*alpn)(const struct tls_connection* connection);
  /* The following malloc, or return NULL. */
  uint8_t* (*session)(const struct tls_connection* connection, size_t* length);
  uint8_t* (*ticket)(const struct tls_connection* connection, size_t* length);
  uint8_t* (*finished)(const struct tls_connection* connection, bool of_peer,
                       size_t* length);
  uint8_t* (*exported)(struct tls_connection* connection, size_t length,
                       struct crypto_bytes label, const struct crypto_bytes* context,
                       struct crypto_failure* failure);
  /* The peer's certificate as DER or our own, the n-th of its chain. */
  uint8_t* (*certificate)(const struct tls_connection* connection, bool of_peer,
                          size_t* length);
  /* The peer's certificate as DER, and if `whole` those of its issuers, as far as they
   * are known; a boolean after the last says that it issued itself. False if there is
   * none. */
  bool (*list_chain)(struct tls_connection* connection, bool whole,
                     struct tls_sink* sink);
  bool (*describe_cipher)(const struct tls_connection* connection, struct tls_sink* sink);
  bool (*describe_ephemeral)(struct tls_connection* connection, struct tls_sink* sink);
  void (*describe_sigalgs)(struct tls_connection* connection, struct tls_sink* sink);
};

struct tls_library {
  uint64_t interface; /* MODULE_INTERFACE, first (js_module.h) */
  struct tls_context_kind context;
  struct tls_connection_kind connection;
  void (*words)(unsigned long error, struct tls_trouble* trouble);
  void (*each_cipher)(crypto_visit visit, void* data);
  /* The machine's trusted certificates as PEM. */
  void (*each_root)(crypto_visit visit, void* data);
};

#define TLS_LIBRARY "rondo_tls_library"

/* ---- for the files of this object -----------------------------------------------------
 */

extern const struct tls_context_kind tls_contexts;
extern struct tls_connection_kind tls_connections;
struct ssl_ctx_st;
struct ssl_st;
struct x509_store_st;
struct x509_st;
struct tls_context {
  struct ssl_ctx_st* ctx;
  struct x509_st *certificate, *issuer;
  bool shares_roots; /* its store is everybody's, and must not be changed */
  uint8_t keys[TLS_TICKET_KEYS];
};

/* tls_roots.c: everybody's store of the machine's trusted certificates, or a new one. */
struct x509_store_st* tls_roots_shared(const char** problem);
struct x509_store_st* tls_roots_new(const char** problem);
void tls_each_root(crypto_visit visit, void* data);

/* tls_connection.c: what a context's callbacks do. */
void tls_connection_watch(struct ssl_ctx_st* ctx);
struct ssl_st* tls_connection_ssl(const struct tls_connection* connection);

/* tls_facts.c */
const char* tls_verify_error(struct tls_connection* connection, const char** words);
bool tls_list_chain(struct tls_connection* connection, bool whole, struct tls_sink* sink);
bool tls_describe_cipher(const struct tls_connection* connection, struct tls_sink* sink);
bool tls_describe_ephemeral(struct tls_connection* connection, struct tls_sink* sink);
void tls_describe_sigalgs(struct tls_connection* connection, struct tls_sink* sink);
void tls_words(unsigned long error, struct tls_trouble* trouble);
/* Only the code: "ERR_", the prefix, the reason. */
void tls_code_of(unsigned long error, const char* prefix, struct tls_trouble* trouble);

#endif
