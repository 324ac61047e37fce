/* Facts that a program asks about a connection: the peer's certificates and what is wrong
 * with them, ciphers, keys, and OpenSSL's errors in words. */
#include "tls_library.h"

#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MOST = 32 };

/* ---- errors ---------------------------------------------------------------------------
 */

static void copy_text(char* out, size_t room, const char* text) {
  snprintf(out, room, "%s", text != NULL ? text : "");
}

void tls_code_of(unsigned long error, const char* prefix, struct tls_trouble* trouble) {
  const char* reason = ERR_reason_error_string(error);
  trouble->code[0] = '\0';
  if (reason == NULL)
    return;
  size_t used = (size_t) snprintf(trouble->code, sizeof(trouble->code), "ERR_%s", prefix);
  for (; *reason != '\0' && used < sizeof(trouble->code) - 1; reason++)
    trouble->code[used++] =
        (char) (*reason == ' ' ? '_' : toupper((unsigned char) *reason));
  trouble->code[used] = '\0';
}

void tls_words(unsigned long error, struct tls_trouble* trouble) {
  ERR_error_string_n(error, trouble->text, sizeof(trouble->text));
  copy_text(trouble->library, sizeof(trouble->library), ERR_lib_error_string(error));
  copy_text(trouble->reason, sizeof(trouble->reason), ERR_reason_error_string(error));
  tls_code_of(error, crypto_prefix_of(error), trouble);
}

/* ---- the peer's certificates ----------------------------------------------------------
 */

#define VERIFY_ERROR(name)                                                               \
  { X509_V_ERR_##name, #name }

static const struct {
  int code;
  const char* name;
} verify_errors[] = {
    VERIFY_ERROR(UNABLE_TO_GET_ISSUER_CERT),
    VERIFY_ERROR(UNABLE_TO_GET_CRL),
    VERIFY_ERROR(UNABLE_TO_DECRYPT_CERT_SIGNATURE),
    VERIFY_ERROR(UNABLE_TO_DECRYPT_CRL_SIGNATURE),
    VERIFY_ERROR(UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY),
    VERIFY_ERROR(CERT_SIGNATURE_FAILURE),
    VERIFY_ERROR(CRL_SIGNATURE_FAILURE),
    VERIFY_ERROR(CERT_NOT_YET_VALID),
    VERIFY_ERROR(CERT_HAS_EXPIRED),
    VERIFY_ERROR(CRL_NOT_YET_VALID),
    VERIFY_ERROR(CRL_HAS_EXPIRED),
    VERIFY_ERROR(ERROR_IN_CERT_NOT_BEFORE_FIELD),
    VERIFY_ERROR(ERROR_IN_CERT_NOT_AFTER_FIELD),
    VERIFY_ERROR(ERROR_IN_CRL_LAST_UPDATE_FIELD),
    VERIFY_ERROR(ERROR_IN_CRL_NEXT_UPDATE_FIELD),
    VERIFY_ERROR(OUT_OF_MEM),
    VERIFY_ERROR(DEPTH_ZERO_SELF_SIGNED_CERT),
    VERIFY_ERROR(SELF_SIGNED_CERT_IN_CHAIN),
    VERIFY_ERROR(UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
    VERIFY_ERROR(UNABLE_TO_VERIFY_LEAF_SIGNATURE),
    VERIFY_ERROR(CERT_CHAIN_TOO_LONG),
    VERIFY_ERROR(CERT_REVOKED),
    VERIFY_ERROR(INVALID_CA),
    VERIFY_ERROR(PATH_LENGTH_EXCEEDED),
    VERIFY_ERROR(INVALID_PURPOSE),
    VERIFY_ERROR(CERT_UNTRUSTED),
    VERIFY_ERROR(CERT_REJECTED),
    VERIFY_ERROR(HOSTNAME_MISMATCH),
};

static const char* verify_name(long code) {
  for (size_t i = 0; i < sizeof(verify_errors) / sizeof(*verify_errors); i++)
    if (verify_errors[i].code == code)
      return verify_errors[i].name;
  return "UNSPECIFIED";
}

/* Whether the other side needn't show a certificate: both knew a secret before. */
static bool is_by_secret(const SSL* ssl) {
  const SSL_CIPHER* cipher = SSL_get_current_cipher(ssl);
  const SSL_SESSION* session = SSL_get_session(ssl);
  return (cipher != NULL && SSL_CIPHER_get_auth_nid(cipher) == NID_auth_psk) ||
         (session != NULL &&
          SSL_SESSION_get_protocol_version(session) == TLS1_3_VERSION &&
          SSL_session_reused(ssl));
}

const char* tls_verify_error(struct tls_connection* connection, const char** words) {
  const SSL* ssl = tls_connection_ssl(connection);
  long code = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT;
  if (SSL_get0_peer_certificate(ssl) != NULL)
    code = SSL_get_verify_result(ssl);
  else if (is_by_secret(ssl))
    code = X509_V_OK;
  *words = X509_verify_cert_error_string(code);
  return code == X509_V_OK ? NULL : verify_name(code);
}

static void give_der(X509* certificate, struct tls_sink* sink) {
  uint8_t* bytes = NULL;
  int length = i2d_X509(certificate, &bytes);
  if (length > 0)
    sink->bytes(sink->data, NULL, bytes, (size_t) length);
  OPENSSL_free(bytes);
}

/* The issuer of a certificate among those that the peer sent, or NULL. */
static X509* issuer_sent(X509* certificate, STACK_OF(X509) * sent) {
  for (int i = 0; i < sk_X509_num(sent); i++) {
    X509* other = sk_X509_value(sent, i);
    if (other != certificate && X509_cmp(other, certificate) != 0 &&
        X509_check_issued(other, certificate) == X509_V_OK)
      return other;
  }
  return NULL;
}

/* Among those that are trusted; to be freed. */
static X509* issuer_trusted(const SSL* ssl, X509* certificate) {
  X509_STORE_CTX* look = X509_STORE_CTX_new();
  X509_STORE* store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
  X509* issuer = NULL;
  if (look != NULL && X509_STORE_CTX_init(look, store, NULL, NULL) == 1 &&
      X509_STORE_CTX_get1_issuer(&issuer, look, certificate) != 1)
    issuer = NULL;
  X509_STORE_CTX_free(look);
  return issuer;
}

bool tls_list_chain(struct tls_connection* connection, bool whole,
                    struct tls_sink* sink) {
  const SSL* ssl = tls_connection_ssl(connection);
  X509* at = SSL_get0_peer_certificate(ssl);
  /* A session that goes on has the certificate, but not what was sent with it: as in
   * Node, a client then has none. */
  if (at == NULL || (!SSL_is_server(ssl) && SSL_get_peer_cert_chain(ssl) == NULL))
    return false;
  ERR_clear_error();
  X509_up_ref(at);
  for (int i = 0; i < CHAIN_MOST; i++) {
    give_der(at, sink);
    if (!whole)
      break;
    if (X509_check_issued(at, at) == X509_V_OK) {
      sink->boolean(sink->data, NULL, true);
      break;
    }
    X509* issuer = issuer_sent(at, SSL_get_peer_cert_chain(ssl));
    if (issuer != NULL)
      X509_up_ref(issuer);
    else
      issuer = issuer_trusted(ssl, at);
    X509_free(at);
    at = issuer;
    if (at == NULL)
      break;
  }
  X509_free(at);
  ERR_clear_error();
  return true;
}

/* ---- ciphers and keys -----------------------------------------------------------------
 */

static void give_text(struct tls_sink* sink, const char* name, const char* text) {
  if (text != NULL)
    sink->text(sink->data, name, text, strlen(text));
}

bool tls_describe_cipher(const struct tls_connection* connection, struct tls_sink* sink) {
  const SSL_CIPHER* cipher = SSL_get_current_cipher(tls_connection_ssl(connection));
  if (cipher == NULL)
    return false;
  give_text(sink, "name", SSL_CIPHER_get_name(cipher));
  give_text(sink, "standardName", SSL_CIPHER_standard_name(cipher));
  give_text(sink, "version", SSL_CIPHER_get_version(cipher));
  return true;
}

/* False on a server, which doesn't know. */
bool tls_describe_ephemeral(struct tls_connection* connection, struct tls_sink* sink) {
  SSL* ssl = tls_connection_ssl(connection);
  EVP_PKEY* key = NULL;
  if (SSL_is_server(ssl))
    return false;
  ERR_clear_error();
  if (SSL_get_peer_tmp_key(ssl, &key) != 1 || key == NULL)
    return true;
  int kind = EVP_PKEY_get_id(key);
  char group[64] = "";
  if (kind == EVP_PKEY_DH) {
    give_text(sink, "type", "DH");
    sink->number(sink->data, "size", EVP_PKEY_get_bits(key));
  } else if (kind == EVP_PKEY_EC || kind == EVP_PKEY_X25519 || kind == EVP_PKEY_X448) {
    size_t length;
    give_text(sink, "type", "ECDH");
    if (kind == EVP_PKEY_EC &&
        EVP_PKEY_get_group_name(key, group, sizeof(group), &length) == 1)
      give_text(sink, "name", group);
    else
      give_text(sink, "name", OBJ_nid2sn(kind));
    sink->number(sink->data, "size", EVP_PKEY_get_bits(key));
  }
  EVP_PKEY_free(key);
  ERR_clear_error();
  return true;
}

static const char* signer_name(int nid) {
  switch (nid) {
  case EVP_PKEY_RSA:
    return "RSA";
  case EVP_PKEY_RSA_PSS:
    return "RSA-PSS";
  case EVP_PKEY_DSA:
    return "DSA";
  case EVP_PKEY_EC:
    return "ECDSA";
  case NID_ED25519:
    return "Ed25519";
  case NID_ED448:
    return "Ed448";
  default:
    break;
  }
  const char* name = OBJ_nid2sn(nid);
  return name != NULL ? name : "UNDEF";
}

void tls_describe_sigalgs(struct tls_connection* connection, struct tls_sink* sink) {
  SSL* ssl = tls_connection_ssl(connection);
  int count = SSL_get_shared_sigalgs(ssl, 0, NULL, NULL, NULL, NULL, NULL);
  for (int i = 0; i < count; i++) {
    int signer = NID_undef, hash = NID_undef;
    char text[128];
    SSL_get_shared_sigalgs(ssl, i, &signer, &hash, NULL, NULL, NULL);
    const char* name = OBJ_nid2sn(hash);
    snprintf(text, sizeof(text), "%s+%s", signer_name(signer),
             name != NULL ? name : "UNDEF");
    give_text(sink, NULL, text);
  }
}
