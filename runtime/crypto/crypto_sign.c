/* Signatures: of messages, and of digests that were made piece by piece. */
#include "crypto_call.h"

#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

/* The arguments' places: of verifying ones, the signature comes last. */
enum { KEY, DIGEST, DATA, PADDING, SALT, IS_PLAIN, SIGNATURE };

static const EVP_MD* digest_of(const struct crypto_call* call) {
  const char* name = call_text(call, DIGEST);
  return name != NULL ? EVP_get_digestbyname(name) : NULL;
}

static bool key_is_rsa(const EVP_PKEY* key) {
  int id = EVP_PKEY_get_base_id(key);
  return id == EVP_PKEY_RSA || id == EVP_PKEY_RSA_PSS;
}

/* A PSS key signs with PSS only; the others as PKCS#1 had it first. */
static bool rsa_settle(const struct crypto_call* call, const EVP_PKEY* key,
                       EVP_PKEY_CTX* context) {
  if (!key_is_rsa(key))
    return true;
  bool is_pss = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA_PSS;
  int padding =
      call_int(call, PADDING, is_pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING);
  if (EVP_PKEY_CTX_set_rsa_padding(context, padding) <= 0)
    return false;
  return padding != RSA_PKCS1_PSS_PADDING || !call_has(call, SALT) ||
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, call_int(call, SALT, 0)) > 0;
}

/* ---- the two forms of DSA's and ECDSA's: DER, and the two numbers side by side -------
 */

/* Bytes of one of the two numbers; 0 for other kinds of keys. */
static size_t number_width(const EVP_PKEY* key) {
  const BIGNUM* order = NULL;
  int bits = 0;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_DSA) {
    DSA_get0_pqg(EVP_PKEY_get0_DSA(key), NULL, &order, NULL);
    bits = order != NULL ? BN_num_bits(order) : 0;
  } else if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC)
    bits = EC_GROUP_order_bits(EC_KEY_get0_group(EVP_PKEY_get0_EC_KEY(key)));
  return ((size_t) bits + 7) / 8;
}

/* ECDSA's structure in DER is also DSA's. */
static bool plain_of(const uint8_t* der, size_t length, uint8_t* plain, size_t width) {
  const uint8_t* at = der;
  ECDSA_SIG* pair = d2i_ECDSA_SIG(NULL, &at, (long) length);
  bool done = pair != NULL &&
              BN_bn2binpad(ECDSA_SIG_get0_r(pair), plain, (int) width) >= 0 &&
              BN_bn2binpad(ECDSA_SIG_get0_s(pair), plain + width, (int) width) >= 0;
  ECDSA_SIG_free(pair);
  return done;
}

/* Returns memory of OpenSSL's, or NULL if that is no signature of this key. */
static uint8_t* der_of(struct crypto_bytes plain, size_t width, size_t* length) {
  uint8_t* der = NULL;
  if (plain.length != 2 * width)
    return NULL;
  ECDSA_SIG* pair = ECDSA_SIG_new();
  BIGNUM* r = BN_bin2bn(plain.bytes, (int) width, NULL);
  BIGNUM* s = BN_bin2bn(plain.bytes + width, (int) width, NULL);
  if (pair == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(pair, r, s) != 1) {
    BN_free(r);
    BN_free(s);
  } else {
    int size = i2d_ECDSA_SIG(pair, &der);
    *length = size > 0 ? (size_t) size : 0;
  }
  ECDSA_SIG_free(pair);
  return der;
}

/* Takes the signature over. */
static void give_signature(struct crypto_call* call, uint8_t* signature, size_t length) {
  size_t width = call_truth(call, IS_PLAIN) ? number_width(call_key(call, KEY)) : 0;
  if (width == 0) {
    call_give_taken(call, signature, length);
    return;
  }
  uint8_t* plain = malloc(2 * width);
  if (plain != NULL && plain_of(signature, length, plain, width)) {
    call_give_taken(call, plain, 2 * width);
  } else {
    free(plain);
    call_fail(call, "Malformed signature");
  }
  free(signature);
}

/* The signature to be verified, in DER; *made is to be freed. False if it can't be one.
 */
static bool signature_read(const struct crypto_call* call, struct crypto_bytes* signature,
                           uint8_t** made) {
  size_t width = call_truth(call, IS_PLAIN) ? number_width(call_key(call, KEY)) : 0;
  *signature = call_bytes(call, SIGNATURE);
  *made = NULL;
  if (width == 0)
    return true;
  size_t length = 0;
  *made = der_of(*signature, width, &length);
  *signature = (struct crypto_bytes){*made, length};
  return *made != NULL;
}

/* ---- messages
 * ---------------------------------------------------------------------------- */

/* sign(key, digest or nothing, data, padding, salt, whether in plain form) → bytes */
static void run_sign(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = NULL;
  struct crypto_bytes data = call_bytes(call, DATA);
  uint8_t* signature = NULL;
  size_t length = 0;
  bool done = key != NULL && context != NULL &&
              EVP_DigestSignInit(context, &settings, digest_of(call), NULL, key) > 0 &&
              rsa_settle(call, key, settings) &&
              EVP_DigestSign(context, NULL, &length, data.bytes, data.length) > 0 &&
              (signature = malloc(length + 1)) != NULL &&
              EVP_DigestSign(context, signature, &length, data.bytes, data.length) > 0;
  EVP_MD_CTX_free(context);
  if (done) {
    give_signature(call, signature, length);
    return;
  }
  free(signature);
  call_fail(call, "Signing failed");
}

/* verify(key, digest or nothing, data, padding, salt, whether in plain form, signature)
 */
static void run_verify(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = NULL;
  struct crypto_bytes data = call_bytes(call, DATA), signature;
  uint8_t* made = NULL;
  if (key == NULL || context == NULL ||
      EVP_DigestVerifyInit(context, &settings, digest_of(call), NULL, key) <= 0 ||
      !rsa_settle(call, key, settings))
    call_fail(call, "Verification failed");
  else
    call_give_truth(call, signature_read(call, &signature, &made) &&
                              EVP_DigestVerify(context, signature.bytes, signature.length,
                                               data.bytes, data.length) == 1);
  OPENSSL_free(made);
  EVP_MD_CTX_free(context);
}

/* ---- digests
 * ------------------------------------------------------------------------------- */

/* Ed25519 and Ed448 sign whole messages only. */
static bool digest_may_be_signed(struct crypto_call* call, const EVP_PKEY* key) {
  int id = key != NULL ? EVP_PKEY_get_base_id(key) : EVP_PKEY_NONE;
  if (id != EVP_PKEY_ED25519 && id != EVP_PKEY_ED448)
    return true;
  call_refuse(call, "Error", "ERR_CRYPTO_UNSUPPORTED_OPERATION",
              "Unsupported crypto operation");
  return false;
}

static bool settle(const struct crypto_call* call, const EVP_PKEY* key,
                   EVP_PKEY_CTX* context) {
  return rsa_settle(call, key, context) &&
         EVP_PKEY_CTX_set_signature_md(context, digest_of(call)) > 0;
}

/* signDigest: as sign, of a digest */
static void run_sign_digest(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  struct crypto_bytes data = call_bytes(call, DATA);
  uint8_t* signature = NULL;
  size_t length = 0;
  if (!digest_may_be_signed(call, key))
    return;
  EVP_PKEY_CTX* context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
  bool done = context != NULL && EVP_PKEY_sign_init(context) > 0 &&
              settle(call, key, context) &&
              EVP_PKEY_sign(context, NULL, &length, data.bytes, data.length) > 0 &&
              (signature = malloc(length + 1)) != NULL &&
              EVP_PKEY_sign(context, signature, &length, data.bytes, data.length) > 0;
  EVP_PKEY_CTX_free(context);
  if (done) {
    give_signature(call, signature, length);
    return;
  }
  free(signature);
  call_fail(call, "PEM_read_bio_PrivateKey failed"); /* Node's words */
}

/* verifyDigest: as verify, of a digest */
static void run_verify_digest(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, KEY);
  struct crypto_bytes data = call_bytes(call, DATA), signature;
  uint8_t* made = NULL;
  if (!digest_may_be_signed(call, key))
    return;
  EVP_PKEY_CTX* context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
  if (context == NULL || EVP_PKEY_verify_init(context) <= 0)
    call_fail(call, "PEM_read_bio_PUBKEY failed"); /* Node's words */
  else if (!signature_read(call, &signature, &made))
    call_refuse(call, "Error", "ERR_CRYPTO_OPERATION_FAILED", "Malformed signature");
  else
    call_give_truth(call, settle(call, key, context) &&
                              EVP_PKEY_verify(context, signature.bytes, signature.length,
                                              data.bytes, data.length) == 1);
  OPENSSL_free(made);
  EVP_PKEY_CTX_free(context);
}

const struct crypto_operation crypto_sign_operations[] = {
    {"sign", run_sign},
    {"verify", run_verify},
    {"signDigest", run_sign_digest},
    {"verifyDigest", run_verify_digest},
    {NULL, NULL},
};
