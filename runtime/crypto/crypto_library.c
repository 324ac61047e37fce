/* The one name that librondo-crypto.so exports (crypto_library.h), errors in words, and
 * the lists of names. */
#include "crypto_library.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static struct crypto_words words_of(unsigned long error) {
  struct crypto_words words = {.library = ERR_lib_error_string(error),
                               .reason = ERR_reason_error_string(error),
                               .prefix = crypto_prefix_of(error)};
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
