/* Signed public keys and challenges, as browsers' <keygen> made them. */
#include "crypto_call.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

static NETSCAPE_SPKI* spki_read(struct crypto_call* call) {
  struct crypto_bytes text = call_bytes(call, 0);
  if (text.length > INT32_MAX)
    call_refuse(call, "RangeError", "ERR_OUT_OF_RANGE", "spkac is too large");
  return text.length > 0 && text.length <= INT32_MAX
             ? NETSCAPE_SPKI_b64_decode((const char*) text.bytes, (int) text.length)
             : NULL;
}

/* spkacVerify(text) */
static void run_verify(struct crypto_call* call) {
  NETSCAPE_SPKI* spki = spki_read(call);
  EVP_PKEY* key = spki != NULL ? X509_PUBKEY_get(spki->spkac->pubkey) : NULL;
  call_give_truth(call, key != NULL && NETSCAPE_SPKI_verify(spki, key) > 0);
  EVP_PKEY_free(key);
  NETSCAPE_SPKI_free(spki);
}

/* spkacKey(text) → PEM, or nothing */
static void run_key(struct crypto_call* call) {
  NETSCAPE_SPKI* spki = spki_read(call);
  EVP_PKEY* key = spki != NULL ? NETSCAPE_SPKI_get_pubkey(spki) : NULL;
  BIO* bio = BIO_new(BIO_s_mem());
  if (key != NULL && bio != NULL && PEM_write_bio_PUBKEY(bio, key) == 1)
    call_give_bio(call, bio);
  else
    call_give_nothing(call);
  BIO_free(bio);
  EVP_PKEY_free(key);
  NETSCAPE_SPKI_free(spki);
}

/* spkacChallenge(text) → bytes, or nothing */
static void run_challenge(struct crypto_call* call) {
  NETSCAPE_SPKI* spki = spki_read(call);
  uint8_t* text = NULL;
  int length = spki != NULL ? ASN1_STRING_to_UTF8(&text, spki->spkac->challenge) : -1;
  if (length >= 0)
    call_give_bytes(call, text, (size_t) length);
  else
    call_give_nothing(call);
  OPENSSL_free(text);
  NETSCAPE_SPKI_free(spki);
}

const struct crypto_operation crypto_spkac_operations[] = {
    {"spkacVerify", run_verify},
    {"spkacKey", run_key},
    {"spkacChallenge", run_challenge},
    {NULL, NULL},
};
