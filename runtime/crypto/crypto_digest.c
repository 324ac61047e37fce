/* Hash functions and HMAC. */
#include "crypto_library.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>

struct crypto_digest {
  EVP_MD_CTX* hash; /* one of the two */
  EVP_MAC_CTX* mac;
  size_t size;
  bool is_xof; /* of any length */
};

static void digest_close(struct crypto_digest* digest) {
  EVP_MD_CTX_free(digest->hash);
  EVP_MAC_CTX_free(digest->mac);
  free(digest);
}

static struct crypto_digest* digest_fail(struct crypto_digest* digest,
                                         struct crypto_failure* failure) {
  if (digest != NULL)
    digest_close(digest);
  crypto_take_failure(failure);
  return NULL;
}

/* False for a length that the function doesn't have. */
static bool size_set(struct crypto_digest* digest, const EVP_MD* kind, int64_t length) {
  digest->is_xof = (EVP_MD_get_flags(kind) & EVP_MD_FLAG_XOF) != 0;
  int own = EVP_MD_get_size(kind);
  digest->size = length < 0 ? (size_t) (own > 0 ? own : 0) : (size_t) length;
  if (digest->is_xof || (int64_t) digest->size == own)
    return true;
  ERR_raise(ERR_LIB_EVP, EVP_R_NOT_XOF_OR_INVALID_LENGTH);
  return false;
}

static struct crypto_digest* digest_open(const char* name, int64_t length,
                                         struct crypto_failure* failure) {
  crypto_forget_failures();
  *failure = (struct crypto_failure){0};
  const EVP_MD* kind = EVP_get_digestbyname(name);
  if (kind == NULL)
    return NULL;
  struct crypto_digest* digest = calloc(1, sizeof(*digest));
  if (digest == NULL || (digest->hash = EVP_MD_CTX_new()) == NULL ||
      !EVP_DigestInit_ex(digest->hash, kind, NULL) || !size_set(digest, kind, length))
    return digest_fail(digest, failure);
  return digest;
}

static bool mac_init(struct crypto_digest* digest, const EVP_MD* kind,
                     struct crypto_bytes key) {
  static const uint8_t nothing[1];
  EVP_MAC* hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                       (char*) (uintptr_t) EVP_MD_get0_name(kind), 0),
      OSSL_PARAM_construct_end()};
  if (hmac != NULL)
    digest->mac = EVP_MAC_CTX_new(hmac);
  EVP_MAC_free(hmac);
  if (digest->mac == NULL ||
      !EVP_MAC_init(digest->mac, key.length > 0 ? key.bytes : nothing, key.length,
                    parameters))
    return false;
  digest->size = EVP_MAC_CTX_get_mac_size(digest->mac);
  return true;
}

static struct crypto_digest* digest_open_hmac(const char* name, struct crypto_bytes key,
                                              struct crypto_failure* failure) {
  crypto_forget_failures();
  *failure = (struct crypto_failure){0};
  const EVP_MD* kind = EVP_get_digestbyname(name);
  if (kind == NULL)
    return NULL;
  struct crypto_digest* digest = calloc(1, sizeof(*digest));
  if (digest == NULL || !mac_init(digest, kind, key))
    return digest_fail(digest, failure);
  return digest;
}

static struct crypto_digest* digest_copy(const struct crypto_digest* from, int64_t length,
                                         struct crypto_failure* failure) {
  crypto_forget_failures();
  struct crypto_digest* digest = calloc(1, sizeof(*digest));
  if (digest == NULL || (digest->hash = EVP_MD_CTX_new()) == NULL ||
      !EVP_MD_CTX_copy_ex(digest->hash, from->hash) ||
      !size_set(digest, EVP_MD_CTX_get0_md(digest->hash), length))
    return digest_fail(digest, failure);
  return digest;
}

static bool digest_update(struct crypto_digest* digest, struct crypto_bytes data) {
  if (data.length == 0)
    return true;
  if (digest->mac != NULL)
    return EVP_MAC_update(digest->mac, data.bytes, data.length) == 1;
  return EVP_DigestUpdate(digest->hash, data.bytes, data.length) == 1;
}

static size_t digest_size(const struct crypto_digest* digest) {
  return digest->size;
}

static bool digest_finish(struct crypto_digest* digest, uint8_t* out) {
  size_t written;
  if (digest->mac != NULL)
    return EVP_MAC_final(digest->mac, out, &written, digest->size) == 1;
  if (!digest->is_xof)
    return EVP_DigestFinal_ex(digest->hash, out, NULL) == 1;
  return digest->size == 0 || EVP_DigestFinalXOF(digest->hash, out, digest->size) == 1;
}

static bool digest_is_known(const char* name) {
  return EVP_get_digestbyname(name) != NULL;
}

const struct crypto_digest_kind crypto_digests = {
    .open = digest_open,
    .open_hmac = digest_open_hmac,
    .copy = digest_copy,
    .update = digest_update,
    .size = digest_size,
    .finish = digest_finish,
    .close = digest_close,
    .is_known = digest_is_known,
};
