/* Contexts: what connections share. */
#include "tls_library.h"

#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 16, SECRET = 16, WEAK_DH_BITS = 1024, SHORT_DH_BITS = 2048 };

static enum tls_outcome failed(struct crypto_failure* failure) {
  crypto_take_failure(failure);
  return TLS_FAILED;
}

/* ---- methods --------------------------------------------------------------------------
 */

struct method {
  const char* name;
  const SSL_METHOD* (*make)(void);
  int min, max; /* 0: as asked for */
};

static const struct method methods[] = {
    {"SSLv23_method", TLS_method, 0, TLS1_2_VERSION},
    {"SSLv23_server_method", TLS_server_method, 0, TLS1_2_VERSION},
    {"SSLv23_client_method", TLS_client_method, 0, TLS1_2_VERSION},
    {"TLS_method", TLS_method, 0, TLS1_3_VERSION},
    {"TLS_server_method", TLS_server_method, 0, TLS1_3_VERSION},
    {"TLS_client_method", TLS_client_method, 0, TLS1_3_VERSION},
    {"TLSv1_method", TLS_method, TLS1_VERSION, TLS1_VERSION},
    {"TLSv1_server_method", TLS_server_method, TLS1_VERSION, TLS1_VERSION},
    {"TLSv1_client_method", TLS_client_method, TLS1_VERSION, TLS1_VERSION},
    {"TLSv1_1_method", TLS_method, TLS1_1_VERSION, TLS1_1_VERSION},
    {"TLSv1_1_server_method", TLS_server_method, TLS1_1_VERSION, TLS1_1_VERSION},
    {"TLSv1_1_client_method", TLS_client_method, TLS1_1_VERSION, TLS1_1_VERSION},
    {"TLSv1_2_method", TLS_method, TLS1_2_VERSION, TLS1_2_VERSION},
    {"TLSv1_2_server_method", TLS_server_method, TLS1_2_VERSION, TLS1_2_VERSION},
    {"TLSv1_2_client_method", TLS_client_method, TLS1_2_VERSION, TLS1_2_VERSION},
};

static enum tls_outcome method_find(const char* name, int* min, int* max,
                                    const SSL_METHOD** method) {
  *method = TLS_method();
  if (name == NULL)
    return TLS_OK;
  if (strncmp(name, "SSLv2_", 6) == 0)
    return TLS_SSL2;
  if (strncmp(name, "SSLv3_", 6) == 0)
    return TLS_SSL3;
  for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
    if (strcmp(methods[i].name, name) == 0) {
      *method = methods[i].make();
      *min = methods[i].min;
      *max = methods[i].max;
      return TLS_OK;
    }
  return TLS_NO_METHOD;
}

/* ---- tickets --------------------------------------------------------------------------
 */

/* The keys are a name, a secret for the checksum and one for the cipher, as in Node, so
 * that processes may share them. */
static int ticket_mac(EVP_MAC_CTX* mac, const uint8_t* key) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void*) (uintptr_t) key,
                                        SECRET),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){"SHA256"}, 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(mac, params);
}

static int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv,
                      EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int encrypts) {
  const struct tls_context* context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
  const uint8_t* keys = context->keys;
  if (encrypts) {
    memcpy(name, keys, NAME);
    if (RAND_bytes(iv, 16) != 1 ||
        EVP_EncryptInit_ex(cipher, EVP_aes_128_cbc(), NULL, keys + NAME + SECRET, iv) !=
            1 ||
        ticket_mac(mac, keys + NAME) != 1)
      return -1;
    return 1;
  }
  if (memcmp(name, keys, NAME) != 0)
    return 0; /* a full handshake, and a new ticket */
  if (EVP_DecryptInit_ex(cipher, EVP_aes_128_cbc(), NULL, keys + NAME + SECRET, iv) !=
          1 ||
      ticket_mac(mac, keys + NAME) != 1)
    return -1;
  return 1;
}

static void context_ticket_keys(const struct tls_context* context, uint8_t* out) {
  memcpy(out, context->keys, TLS_TICKET_KEYS);
}

static void context_set_ticket_keys(struct tls_context* context, const uint8_t* keys) {
  memcpy(context->keys, keys, TLS_TICKET_KEYS);
}

/* ---- life -----------------------------------------------------------------------------
 */

static void context_close(struct tls_context* context) {
  SSL_CTX* ctx = context->ctx;
  X509_free(context->certificate);
  X509_free(context->issuer);
  context->certificate = context->issuer = NULL;
  /* Connections may still hold the ctx, and its ticket keys with it. */
  SSL_CTX_free(ctx);
}

/* With the ctx: the last one to hold it may be a connection. */
static void app_data_free(void* parent, void* data, CRYPTO_EX_DATA* all, int index,
                          long argl, void* argp) {
  (void) parent, (void) all, (void) index, (void) argl, (void) argp;
  struct tls_context* context = data;
  if (context == NULL)
    return;
  OPENSSL_cleanse(context->keys, sizeof(context->keys));
  free(context);
}

static int freed_index(void) {
  static int index = -1;
  if (index < 0)
    index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL,
                                    app_data_free);
  return index;
}

static bool context_prepare(struct tls_context* context, int min, int max) {
  SSL_CTX* ctx = context->ctx;
  if (freed_index() < 0 || RAND_bytes(context->keys, sizeof(context->keys)) != 1 ||
      SSL_CTX_set_min_proto_version(ctx, min) != 1 ||
      SSL_CTX_set_max_proto_version(ctx, max) != 1)
    return false;
  SSL_CTX_set_app_data(ctx, context);
  /* OpenSSL's own level, not the machine's stricter one: a program raises it by its list
   * of ciphers. */
  SSL_CTX_set_security_level(ctx, 1);
  SSL_CTX_set_options(ctx, SSL_OP_NO_SSLv3 | SSL_OP_ALLOW_CLIENT_RENEGOTIATION |
                               SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_clear_mode(ctx, SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY |
                            SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_BOTH | SSL_SESS_CACHE_NO_INTERNAL |
                                          SSL_SESS_CACHE_NO_AUTO_CLEAR);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, ticket_key);
  tls_connection_watch(ctx);
  return true;
}

static struct tls_context* context_open(const char* name, int min, int max,
                                        enum tls_outcome* outcome,
                                        struct crypto_failure* failure) {
  const SSL_METHOD* method;
  crypto_forget_failures();
  *outcome = method_find(name, &min, &max, &method);
  if (*outcome != TLS_OK)
    return NULL;
  *outcome = TLS_FAILED;
  struct tls_context* context = calloc(1, sizeof(*context));
  if (context == NULL)
    return NULL;
  context->ctx = SSL_CTX_new(method);
  /* From the second on, the ctx frees the context. */
  if (context->ctx == NULL || freed_index() < 0 ||
      SSL_CTX_set_ex_data(context->ctx, freed_index(), context) != 1) {
    crypto_take_failure(failure);
    SSL_CTX_free(context->ctx);
    free(context);
    return NULL;
  }
  if (!context_prepare(context, min, max)) {
    crypto_take_failure(failure);
    context_close(context);
    return NULL;
  }
  *outcome = TLS_OK;
  return context;
}

/* ---- keys and certificates ------------------------------------------------------------
 */

static BIO* bio_over(struct crypto_bytes bytes) {
  if (bytes.length > INT_MAX)
    return NULL;
  return BIO_new_mem_buf(bytes.length > 0 ? bytes.bytes : (const uint8_t*) "",
                         (int) bytes.length);
}

/* A password that isn't given is an empty one, and no question to the terminal. */
static int give_passphrase(char* out, int room, int writes, void* data) {
  const char* passphrase = data;
  (void) writes;
  if (passphrase == NULL)
    return 0;
  size_t length = strnlen(passphrase, (size_t) room + 1);
  if (length > (size_t) room)
    return -1;
  memcpy(out, passphrase, length);
  return (int) length;
}

static enum tls_outcome context_set_key(struct tls_context* context,
                                        struct crypto_bytes pem, const char* passphrase,
                                        struct crypto_failure* failure) {
  crypto_forget_failures();
  BIO* bio = bio_over(pem);
  EVP_PKEY* key = bio == NULL ? NULL
                              : PEM_read_bio_PrivateKey(bio, NULL, give_passphrase,
                                                        (void*) (uintptr_t) passphrase);
  enum tls_outcome outcome = key != NULL && SSL_CTX_use_PrivateKey(context->ctx, key) == 1
                                 ? TLS_OK
                                 : failed(failure);
  EVP_PKEY_free(key);
  BIO_free(bio);
  return outcome;
}

/* The certificate that issued ours: of the rest of the chain, or of those trusted. */
static X509* issuer_find(SSL_CTX* ctx, X509* certificate, STACK_OF(X509) * chain) {
  for (int i = 0; i < sk_X509_num(chain); i++) {
    X509* other = sk_X509_value(chain, i);
    if (X509_check_issued(other, certificate) == X509_V_OK) {
      X509_up_ref(other);
      return other;
    }
  }
  X509_STORE_CTX* look = X509_STORE_CTX_new();
  X509* issuer = NULL;
  if (look != NULL &&
      X509_STORE_CTX_init(look, SSL_CTX_get_cert_store(ctx), NULL, NULL) == 1)
    X509_STORE_CTX_get1_issuer(&issuer, look, certificate);
  X509_STORE_CTX_free(look);
  return issuer;
}

/* Takes the certificate over; the chain stays the caller's. */
static bool use_chain(struct tls_context* context, X509* certificate,
                      STACK_OF(X509) * chain) {
  SSL_CTX* ctx = context->ctx;
  bool used = SSL_CTX_use_certificate(ctx, certificate) == 1 &&
              SSL_CTX_clear_chain_certs(ctx) == 1;
  for (int i = 0; used && i < sk_X509_num(chain); i++)
    used = SSL_CTX_add1_chain_cert(ctx, sk_X509_value(chain, i)) == 1;
  if (!used) {
    X509_free(certificate);
    return false;
  }
  X509_free(context->certificate);
  X509_free(context->issuer);
  context->certificate = certificate;
  context->issuer = issuer_find(ctx, certificate, chain);
  return true;
}

/* The error with which a list of PEM texts ends in order. */
static bool is_end_of_pem(void) {
  unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM &&
         ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

static enum tls_outcome context_set_cert(struct tls_context* context,
                                         struct crypto_bytes pem,
                                         struct crypto_failure* failure) {
  crypto_forget_failures();
  BIO* bio = bio_over(pem);
  STACK_OF(X509)* chain = sk_X509_new_null();
  X509* certificate = bio != NULL && chain != NULL
                          ? PEM_read_bio_X509_AUX(bio, NULL, give_passphrase, NULL)
                          : NULL;
  enum tls_outcome outcome = certificate != NULL ? TLS_OK : TLS_FAILED;
  X509* more;
  while (outcome == TLS_OK &&
         (more = PEM_read_bio_X509(bio, NULL, give_passphrase, NULL)) != NULL)
    if (sk_X509_push(chain, more) == 0) {
      X509_free(more);
      outcome = TLS_FAILED;
    }
  if (outcome == TLS_OK && is_end_of_pem()) {
    crypto_forget_failures();
    outcome = use_chain(context, certificate, chain) ? TLS_OK : TLS_FAILED;
  } else {
    outcome = TLS_FAILED;
    X509_free(certificate);
  }
  if (outcome != TLS_OK)
    crypto_take_failure(failure);
  crypto_forget_failures();
  sk_X509_pop_free(chain, X509_free);
  BIO_free(bio);
  return outcome;
}

/* A store that may be changed; NULL without memory. */
static X509_STORE* own_store(struct tls_context* context) {
  if (context->shares_roots) {
    X509_STORE* store = tls_roots_new(NULL);
    if (store == NULL)
      return NULL;
    SSL_CTX_set_cert_store(context->ctx, store);
    context->shares_roots = false;
  }
  return SSL_CTX_get_cert_store(context->ctx);
}

static enum tls_outcome context_load_pfx(struct tls_context* context,
                                         struct crypto_bytes pfx, const char* passphrase,
                                         struct crypto_failure* failure) {
  crypto_forget_failures();
  EVP_PKEY* key = NULL;
  X509* certificate = NULL;
  STACK_OF(X509)* extra = NULL;
  BIO* bio = bio_over(pfx);
  PKCS12* parsed = bio != NULL ? d2i_PKCS12_bio(bio, NULL) : NULL;
  enum tls_outcome outcome = parsed != NULL ? TLS_OK : TLS_FAILED;
  if (outcome == TLS_OK &&
      PKCS12_parse(parsed, passphrase, &key, &certificate, &extra) != 1)
    outcome = TLS_FAILED;
  if (outcome == TLS_OK && key == NULL)
    outcome = TLS_NO_PFX_KEY;
  if (outcome == TLS_OK && certificate == NULL)
    outcome = TLS_NO_PFX_CERT;
  if (outcome == TLS_OK) {
    if (!use_chain(context, certificate, extra) ||
        SSL_CTX_use_PrivateKey(context->ctx, key) != 1)
      outcome = TLS_FAILED;
    certificate = NULL;
  }
  X509_STORE* store = outcome == TLS_OK ? own_store(context) : NULL;
  for (int i = 0; store != NULL && i < sk_X509_num(extra); i++) {
    X509_STORE_add_cert(store, sk_X509_value(extra, i));
    SSL_CTX_add_client_CA(context->ctx, sk_X509_value(extra, i));
  }
  if (outcome != TLS_OK)
    crypto_take_failure(failure);
  crypto_forget_failures();
  X509_free(certificate);
  EVP_PKEY_free(key);
  sk_X509_pop_free(extra, X509_free);
  PKCS12_free(parsed);
  BIO_free(bio);
  return outcome;
}

static enum tls_outcome context_add_ca(struct tls_context* context,
                                       struct crypto_bytes pem,
                                       struct crypto_failure* failure) {
  crypto_forget_failures();
  BIO* bio = bio_over(pem);
  X509_STORE* store = own_store(context);
  X509* certificate;
  (void) failure; /* text that is no certificate is passed over, as in Node */
  while (bio != NULL && store != NULL &&
         (certificate = PEM_read_bio_X509_AUX(bio, NULL, give_passphrase, NULL)) !=
             NULL) {
    X509_STORE_add_cert(store, certificate);
    SSL_CTX_add_client_CA(context->ctx, certificate);
    X509_free(certificate);
  }
  BIO_free(bio);
  crypto_forget_failures();
  return TLS_OK;
}

static enum tls_outcome context_add_crl(struct tls_context* context,
                                        struct crypto_bytes pem,
                                        struct crypto_failure* failure) {
  crypto_forget_failures();
  BIO* bio = bio_over(pem);
  X509_CRL* list =
      bio != NULL ? PEM_read_bio_X509_CRL(bio, NULL, give_passphrase, NULL) : NULL;
  X509_STORE* store = list != NULL ? own_store(context) : NULL;
  enum tls_outcome outcome = list == NULL ? TLS_BAD_CRL : TLS_OK;
  if (outcome == TLS_OK &&
      (store == NULL || X509_STORE_add_crl(store, list) != 1 ||
       X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) !=
           1))
    outcome = failed(failure);
  X509_CRL_free(list);
  BIO_free(bio);
  crypto_forget_failures();
  return outcome;
}

static void context_add_roots(struct tls_context* context, const char** problem) {
  X509_STORE* store = tls_roots_shared(problem);
  if (store == NULL || X509_STORE_up_ref(store) != 1)
    return;
  SSL_CTX_set_cert_store(context->ctx, store);
  context->shares_roots = true;
}

static uint8_t* context_certificate(struct tls_context* context, bool of_issuer,
                                    size_t* length) {
  X509* certificate = of_issuer ? context->issuer : context->certificate;
  uint8_t* der = NULL;
  int size = certificate != NULL ? i2d_X509(certificate, NULL) : 0;
  uint8_t* at = size > 0 ? malloc((size_t) size) : NULL;
  der = at;
  if (der != NULL)
    *length = (size_t) i2d_X509(certificate, &at);
  return der;
}

/* ---- settings -------------------------------------------------------------------------
 */

static enum tls_outcome context_set_ciphers(struct tls_context* context, const char* list,
                                            struct crypto_failure* failure) {
  crypto_forget_failures();
  if (SSL_CTX_set_cipher_list(context->ctx, list) == 1)
    return TLS_OK;
  if (*list == '\0' && ERR_GET_REASON(ERR_peek_error()) == SSL_R_NO_CIPHER_MATCH) {
    crypto_forget_failures(); /* none but TLS 1.3's */
    return TLS_OK;
  }
  return failed(failure);
}

static enum tls_outcome context_set_suites(struct tls_context* context, const char* list,
                                           struct crypto_failure* failure) {
  crypto_forget_failures();
  return SSL_CTX_set_ciphersuites(context->ctx, list) == 1 ? TLS_OK : failed(failure);
}

static enum tls_outcome context_set_sigalgs(struct tls_context* context, const char* list,
                                            struct crypto_failure* failure) {
  crypto_forget_failures();
  return SSL_CTX_set1_sigalgs_list(context->ctx, list) == 1 ? TLS_OK : failed(failure);
}

static enum tls_outcome context_set_curves(struct tls_context* context,
                                           const char* list) {
  bool is_set =
      strcmp(list, "auto") == 0 || SSL_CTX_set1_curves_list(context->ctx, list) == 1;
  crypto_forget_failures();
  return is_set ? TLS_OK : TLS_BAD_CURVE;
}

static enum tls_outcome context_set_dh(struct tls_context* context,
                                       struct crypto_bytes pem, bool is_auto) {
  if (is_auto) {
    SSL_CTX_set_dh_auto(context->ctx, 1);
    return TLS_OK;
  }
  crypto_forget_failures();
  BIO* bio = bio_over(pem);
  EVP_PKEY* params = bio != NULL ? PEM_read_bio_Parameters(bio, NULL) : NULL;
  int bits = params != NULL ? EVP_PKEY_get_bits(params) : SHORT_DH_BITS;
  enum tls_outcome outcome = bits < WEAK_DH_BITS    ? TLS_WEAK_DH
                             : bits < SHORT_DH_BITS ? TLS_SHORT_DH
                                                    : TLS_OK;
  /* On success the ctx has taken the parameters over. */
  if (outcome != TLS_WEAK_DH && params != NULL) {
    SSL_CTX_clear_options(context->ctx, SSL_OP_SINGLE_DH_USE);
    if (SSL_CTX_set0_tmp_dh_pkey(context->ctx, params) == 1)
      params = NULL;
    else
      outcome = TLS_FAILED;
  }
  EVP_PKEY_free(params);
  BIO_free(bio);
  crypto_forget_failures();
  return outcome;
}

static bool context_set_session_name(struct tls_context* context, const char* name) {
  return SSL_CTX_set_session_id_context(context->ctx, (const unsigned char*) name,
                                        (unsigned) strlen(name)) == 1;
}

static void context_set_session_timeout(struct tls_context* context, long seconds) {
  SSL_CTX_set_timeout(context->ctx, seconds);
}

static void context_set_options(struct tls_context* context, uint64_t options) {
  SSL_CTX_set_options(context->ctx, options);
}

static void context_set_partial_trust(struct tls_context* context) {
  X509_STORE* store = own_store(context);
  if (store != NULL)
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
}

static int context_version(const struct tls_context* context, bool is_max) {
  return (int) (is_max ? SSL_CTX_get_max_proto_version(context->ctx)
                       : SSL_CTX_get_min_proto_version(context->ctx));
}

static bool context_set_version(struct tls_context* context, bool is_max, int version) {
  return (is_max ? SSL_CTX_set_max_proto_version(context->ctx, version)
                 : SSL_CTX_set_min_proto_version(context->ctx, version)) == 1;
}

const struct tls_context_kind tls_contexts = {
    .open = context_open,
    .close = context_close,
    .set_key = context_set_key,
    .set_cert = context_set_cert,
    .load_pfx = context_load_pfx,
    .add_ca = context_add_ca,
    .add_crl = context_add_crl,
    .add_roots = context_add_roots,
    .set_ciphers = context_set_ciphers,
    .set_suites = context_set_suites,
    .set_sigalgs = context_set_sigalgs,
    .set_curves = context_set_curves,
    .set_dh = context_set_dh,
    .set_session_name = context_set_session_name,
    .set_session_timeout = context_set_session_timeout,
    .set_options = context_set_options,
    .set_partial_trust = context_set_partial_trust,
    .version = context_version,
    .set_version = context_set_version,
    .ticket_keys = context_ticket_keys,
    .set_ticket_keys = context_set_ticket_keys,
    .certificate = context_certificate,
};
