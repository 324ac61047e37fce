/* Keys to PEM and DER. */
#include "crypto_call.h"

#include <openssl/err.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

enum { KEY, FORMAT, TYPE, CIPHER, PASSPHRASE }; /* of both operations */

static bool text_is(const struct crypto_call* call, size_t index, const char* text) {
  const char* given = call_text(call, index);
  return given != NULL && strcmp(given, text) == 0;
}

static bool public_write(const struct crypto_call* call, EVP_PKEY* key, BIO* bio) {
  bool pem = text_is(call, FORMAT, "pem");
  if (!text_is(call, TYPE, "pkcs1"))
    return (pem ? PEM_write_bio_PUBKEY(bio, key) : i2d_PUBKEY_bio(bio, key)) == 1;
  const RSA* rsa = EVP_PKEY_get0_RSA(key);
  return rsa != NULL && (pem ? PEM_write_bio_RSAPublicKey(bio, rsa)
                             : i2d_RSAPublicKey_bio(bio, rsa)) == 1;
}

/* keyWritePublic(key, format, type) → bytes */
static void run_write_public(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  BIO* bio = BIO_new(BIO_s_mem());
  if (key != NULL && bio != NULL && public_write(call, key, bio))
    call_give_bio(call, bio);
  else
    call_fail(call, "Failed to encode public key");
  BIO_free(bio);
}

static bool private_write(const struct crypto_call* call, EVP_PKEY* key, BIO* bio,
                          const EVP_CIPHER* cipher) {
  bool pem = text_is(call, FORMAT, "pem");
  struct crypto_bytes passphrase = call_bytes(call, PASSPHRASE);
  /* Even an empty one is given: without a pointer OpenSSL would ask the terminal. */
  char* secret = call_has(call, PASSPHRASE) ? (char*) (uintptr_t) passphrase.bytes : NULL;
  int length = secret != NULL ? (int) passphrase.length : 0;
  unsigned char* bytes = (unsigned char*) secret;
  if (text_is(call, TYPE, "pkcs8"))
    return (pem ? PEM_write_bio_PKCS8PrivateKey(bio, key, cipher, secret, length, NULL,
                                                NULL)
                : i2d_PKCS8PrivateKey_bio(bio, key, cipher, secret, length, NULL,
                                          NULL)) == 1;
  if (text_is(call, TYPE, "sec1")) {
    const EC_KEY* ec = EVP_PKEY_get0_EC_KEY(key);
    return ec != NULL &&
           (pem ? PEM_write_bio_ECPrivateKey(bio, ec, cipher, bytes, length, NULL, NULL)
                : i2d_ECPrivateKey_bio(bio, ec)) == 1;
  }
  const RSA* rsa = EVP_PKEY_get0_RSA(key);
  return rsa != NULL &&
         (pem ? PEM_write_bio_RSAPrivateKey(bio, rsa, cipher, bytes, length, NULL, NULL)
              : i2d_RSAPrivateKey_bio(bio, rsa)) == 1;
}

/* keyWritePrivate(key, format, type, cipher, passphrase) → bytes */
static void run_write_private(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  const char* name = call_text(call, CIPHER);
  const EVP_CIPHER* cipher = name != NULL ? EVP_get_cipherbyname(name) : NULL;
  if (name != NULL && cipher == NULL) {
    call_refuse(call, "Error", "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher");
    return;
  }
  BIO* bio = BIO_new(BIO_s_secmem());
  if (key != NULL && bio != NULL && private_write(call, key, bio, cipher))
    call_give_bio(call, bio);
  else
    call_fail(call, "Failed to encode private key");
  BIO_free(bio);
}

const struct crypto_operation crypto_key_write_operations[] = {
    {"keyWritePublic", run_write_public},
    {"keyWritePrivate", run_write_private},
    {NULL, NULL},
};
