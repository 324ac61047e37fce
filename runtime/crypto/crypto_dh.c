/* Diffie-Hellman: by numbers that the program keeps, and between keys of any kind that
 * can agree on a secret. */
#include "crypto_call.h"

#include <openssl/dh.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups --------------------------------------------------------------------------
 */

/* dhGroup(name) → prime, or nothing; the generator of all is 2 */
static void run_group(struct crypto_call* call) {
  static const struct {
    const char* name;
    BIGNUM* (*make)(BIGNUM* number);
  } groups[] = {
      {"modp1", BN_get_rfc2409_prime_768},   {"modp2", BN_get_rfc2409_prime_1024},
      {"modp5", BN_get_rfc3526_prime_1536},  {"modp14", BN_get_rfc3526_prime_2048},
      {"modp15", BN_get_rfc3526_prime_3072}, {"modp16", BN_get_rfc3526_prime_4096},
      {"modp17", BN_get_rfc3526_prime_6144}, {"modp18", BN_get_rfc3526_prime_8192},
  };
  const char* name = call_text(call, 0);
  for (size_t i = 0; name != NULL && i < sizeof(groups) / sizeof(*groups); i++)
    if (strcasecmp(groups[i].name, name) == 0) {
      BIGNUM* prime = groups[i].make(NULL);
      call_give_big(call, prime, 0);
      BN_free(prime);
      return;
    }
  call_give_nothing(call);
}

/* ---- numbers -------------------------------------------------------------------------
 */

enum { PRIME, GENERATOR, PRIVATE, PUBLIC };

/* Of the first arguments; those that aren't given stay out. NULL if it can't be made. */
static DH* dh_of(const struct crypto_call* call) {
  DH* dh = DH_new();
  BIGNUM *prime = call_big(call, PRIME), *generator = call_big(call, GENERATOR);
  if (dh == NULL || prime == NULL || generator == NULL ||
      DH_set0_pqg(dh, prime, NULL, generator) != 1) {
    BN_free(prime);
    BN_free(generator);
    DH_free(dh);
    return NULL;
  }
  BIGNUM* secret = call_has(call, PRIVATE) ? call_big(call, PRIVATE) : NULL;
  if (secret != NULL && DH_set0_key(dh, NULL, secret) != 1)
    BN_clear_free(secret);
  return dh;
}

/* dhPrime(bits, generator) → prime */
static void run_prime(struct crypto_call* call) {
  int bits = call_int(call, 0, 0), generator = call_int(call, 1, 2);
  DH* dh = DH_new();
  const BIGNUM* prime = NULL;
  if (bits < 2)
    ERR_raise(ERR_LIB_DH, DH_R_MODULUS_TOO_SMALL);
  else if (dh != NULL && DH_generate_parameters_ex(dh, bits, generator, NULL) == 1)
    DH_get0_pqg(dh, &prime, NULL, NULL);
  if (prime != NULL)
    call_give_big(call, prime, 0);
  else
    call_fail(call, "Initialization failed");
  DH_free(dh);
}

/* dhCheck(prime, generator) → what is wrong with them, as bits */
static void run_check(struct crypto_call* call) {
  struct crypto_bytes generator = call_bytes(call, GENERATOR);
  BIGNUM* base = call_big(call, GENERATOR);
  int codes = 0;
  bool usable = base != NULL && generator.length > 0 && !BN_is_zero(base) &&
                !BN_is_one(base) && !BN_is_negative(base);
  BN_free(base);
  if (!usable) {
    ERR_raise(ERR_LIB_DH, DH_R_BAD_GENERATOR);
    call_fail(call, "Initialization failed");
    return;
  }
  DH* dh = dh_of(call);
  if (dh == NULL)
    call_fail(call, "Initialization failed");
  else {
    if (DH_check(dh, &codes) != 1)
      codes |= DH_CHECK_P_NOT_PRIME;
    call_give_number(call, codes);
  }
  DH_free(dh);
}

/* dhKeys(prime, generator, private or nothing) → [public, private] */
static void run_keys(struct crypto_call* call) {
  DH* dh = dh_of(call);
  const BIGNUM *open = NULL, *secret = NULL;
  call->is_list = true;
  if (dh != NULL && DH_generate_key(dh) == 1) {
    DH_get0_key(dh, &open, &secret);
    call_give_big(call, open, 0);
    call_give_big(call, secret, 0);
  } else
    call_fail(call, "Key generation failed");
  DH_free(dh);
}

static void refuse_secret(struct crypto_call* call, const DH* dh, const BIGNUM* other) {
  int codes = 0;
  if (DH_check_pub_key(dh, other, &codes) == 1 && codes & DH_CHECK_PUBKEY_TOO_SMALL)
    call_refuse(call, "RangeError", "ERR_CRYPTO_INVALID_KEYLEN",
                "Supplied key is too small");
  else if (codes & DH_CHECK_PUBKEY_TOO_LARGE)
    call_refuse(call, "RangeError", "ERR_CRYPTO_INVALID_KEYLEN",
                "Supplied key is too large");
  else
    call_refuse(call, "RangeError", "ERR_CRYPTO_INVALID_KEYTYPE", "Invalid key type");
}

/* dhSecret(prime, generator, private, the other's public) → bytes, as many as the prime
 */
static void run_secret(struct crypto_call* call) {
  DH* dh = dh_of(call);
  BIGNUM* other = call_big(call, PUBLIC);
  size_t size = dh != NULL ? (size_t) DH_size(dh) : 0;
  uint8_t* secret = calloc(1, size + 1);
  int length = dh != NULL && other != NULL && secret != NULL
                   ? DH_compute_key(secret, other, dh)
                   : -1;
  if (length >= 0) {
    memmove(secret + size - (size_t) length, secret, (size_t) length);
    memset(secret, 0, size - (size_t) length);
    call_give_taken(call, secret, size);
  } else {
    free(secret);
    if (dh != NULL && other != NULL)
      refuse_secret(call, dh, other);
    else
      call_fail(call, "Out of memory");
  }
  BN_free(other);
  DH_free(dh);
}

/* ---- keys
 * ------------------------------------------------------------------------------ */

/* agree(private key, public key) → bytes */
static void run_agree(struct crypto_call* call) {
  EVP_PKEY *own = call_key(call, 0), *other = call_key(call, 1);
  EVP_PKEY_CTX* context = own != NULL ? EVP_PKEY_CTX_new(own, NULL) : NULL;
  size_t size = 0, length;
  uint8_t* secret = NULL;
  bool done = context != NULL && EVP_PKEY_derive_init(context) > 0 &&
              EVP_PKEY_derive_set_peer(context, other) > 0 &&
              EVP_PKEY_derive(context, NULL, &size) > 0 &&
              (secret = calloc(1, size + 1)) != NULL;
  length = size;
  done = done && EVP_PKEY_derive(context, secret, &length) > 0;
  EVP_PKEY_CTX_free(context);
  if (!done) {
    free(secret);
    call_fail(call, "Deriving bits failed");
    return;
  }
  /* Leading zeros belong to it. */
  memmove(secret + size - length, secret, length);
  memset(secret, 0, size - length);
  call_give_taken(call, secret, size);
}

const struct crypto_operation crypto_dh_operations[] = {
    {"dhGroup", run_group}, {"dhPrime", run_prime},   {"dhCheck", run_check},
    {"dhKeys", run_keys},   {"dhSecret", run_secret}, {"agree", run_agree},
    {NULL, NULL},
};
