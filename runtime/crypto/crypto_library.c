/* The one name that librondo-crypto.so exports (crypto_library.h), errors in words, and
 * the lists of names. */
#include "crypto_library.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

void crypto_forget_failures(void) {
  ERR_clear_error();
}

void crypto_take_failure(struct crypto_failure* failure) {
  unsigned long error;
  *failure = (struct crypto_failure){.first = ERR_get_error()};
  while ((error = ERR_get_error()) != 0) {
    if (failure->other_count == CRYPTO_ERRORS_MOST)
      continue;
    memmove(failure->others + 1, failure->others,
            (size_t) failure->other_count++ * sizeof(*failure->others));
    failure->others[0] = error;
  }
}

/* Codes of Node name these parts of OpenSSL, and no others. */
static const char* prefix_of(unsigned long error) {
  static const struct {
    int part;
    const char* prefix;
  } known[] = {
      {ERR_LIB_SYS, "OSSL_SYS_"},
      {ERR_LIB_BN, "OSSL_BN_"},
      {ERR_LIB_RSA, "OSSL_RSA_"},
      {ERR_LIB_DH, "OSSL_DH_"},
      {ERR_LIB_EVP, "OSSL_EVP_"},
      {ERR_LIB_BUF, "OSSL_BUF_"},
      {ERR_LIB_OBJ, "OSSL_OBJ_"},
      {ERR_LIB_PEM, "OSSL_PEM_"},
      {ERR_LIB_DSA, "OSSL_DSA_"},
      {ERR_LIB_X509, "OSSL_X509_"},
      {ERR_LIB_ASN1, "OSSL_ASN1_"},
      {ERR_LIB_CONF, "OSSL_CONF_"},
      {ERR_LIB_CRYPTO, "OSSL_CRYPTO_"},
      {ERR_LIB_EC, "OSSL_EC_"},
      {ERR_LIB_SSL, "SSL_"},
      {ERR_LIB_BIO, "OSSL_BIO_"},
      {ERR_LIB_PKCS7, "OSSL_PKCS7_"},
      {ERR_LIB_X509V3, "OSSL_X509V3_"},
      {ERR_LIB_PKCS12, "OSSL_PKCS12_"},
      {ERR_LIB_RAND, "OSSL_RAND_"},
      {ERR_LIB_DSO, "OSSL_DSO_"},
      {ERR_LIB_ENGINE, "OSSL_ENGINE_"},
      {ERR_LIB_OCSP, "OSSL_OCSP_"},
      {ERR_LIB_UI, "OSSL_UI_"},
      {ERR_LIB_COMP, "OSSL_COMP_"},
      {ERR_LIB_ECDSA, "OSSL_ECDSA_"},
      {ERR_LIB_ECDH, "OSSL_ECDH_"},
      {ERR_LIB_FIPS, "OSSL_FIPS_"},
      {ERR_LIB_CMS, "OSSL_CMS_"},
      {ERR_LIB_TS, "OSSL_TS_"},
      {ERR_LIB_HMAC, "OSSL_HMAC_"},
      {ERR_LIB_CT, "OSSL_CT_"},
      {ERR_LIB_ASYNC, "OSSL_ASYNC_"},
      {ERR_LIB_KDF, "OSSL_KDF_"},
      {ERR_LIB_SM2, "OSSL_SM2_"},
      {ERR_LIB_USER, "OSSL_USER_"},
  };
  int part = ERR_GET_LIB(error);
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (known[i].part == part)
      return known[i].prefix;
  return "OSSL_";
}

static struct crypto_words words_of(unsigned long error) {
  struct crypto_words words = {.library = ERR_lib_error_string(error),
                               .reason = ERR_reason_error_string(error),
                               .prefix = prefix_of(error)};
  ERR_error_string_n(error, words.text, sizeof(words.text));
  return words;
}

static const char* version_of(void) {
  return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static unsigned long version_number(void) {
  return OpenSSL_version_num();
}

static bool is_equal(const uint8_t* one, const uint8_t* other, size_t length) {
  return CRYPTO_memcmp(one, other, length) == 0;
}

struct list {
  crypto_visit visit;
  void* data;
};

/* Only what the loaded providers have: the lists also name those of the legacy one. */
static void list_digest(const EVP_MD* digest, const char* from, const char* to,
                        void* data) {
  struct list* list = data;
  (void) digest, (void) to;
  const EVP_MD* known = from != NULL ? EVP_get_digestbyname(from) : NULL;
  EVP_MD* fetched =
      known != NULL ? EVP_MD_fetch(NULL, EVP_MD_get0_name(known), NULL) : NULL;
  if (fetched != NULL)
    list->visit(from, list->data);
  EVP_MD_free(fetched);
}

static void each_digest(crypto_visit visit, void* data) {
  struct list list = {visit, data};
  EVP_MD_do_all_sorted(list_digest, &list);
  ERR_clear_error();
}

static void list_cipher(const EVP_CIPHER* cipher, const char* from, const char* to,
                        void* data) {
  struct list* list = data;
  (void) cipher, (void) to;
  if (from == NULL)
    return;
  EVP_CIPHER* fetched = EVP_CIPHER_fetch(NULL, from, NULL);
  if (fetched != NULL)
    list->visit(from, list->data);
  EVP_CIPHER_free(fetched);
}

static void each_cipher(crypto_visit visit, void* data) {
  struct list list = {visit, data};
  EVP_CIPHER_do_all_sorted(list_cipher, &list);
  ERR_clear_error();
}

extern struct crypto_library rondo_crypto_library;

__attribute__((visibility("default"))) struct crypto_library rondo_crypto_library;

/* Before anybody can look the name up: the tables are of other files, and so no constant.
 */
__attribute__((constructor)) static void library_fill(void) {
  rondo_crypto_library = (struct crypto_library){
      .interface = MODULE_INTERFACE,
      .version = version_of,
      .version_number = version_number,
      .words = words_of,
      .run = crypto_job_run,
      .is_equal = is_equal,
      .each_digest = each_digest,
      .each_cipher = each_cipher,
      .digest = crypto_digests,
      .cipher = crypto_ciphers,
      .call = crypto_calls,
  };
}
