/* New pairs of keys. */
#include "crypto_call.h"

#include <openssl/dh.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <string.h>

static const char NOT_MADE[] = "Key generation job failed";

static void make(struct crypto_call* call, EVP_PKEY_CTX* context, bool is_ready) {
  EVP_PKEY* key = NULL;
  if (is_ready && EVP_PKEY_keygen(context, &key) == 1)
    call_give_key(call, key);
  else
    call_fail(call, NOT_MADE);
  EVP_PKEY_CTX_free(context);
}

/* ---- RSA -------------------------------------------------------------------------- */

/* The digests and the salt to which a PSS key is limited; each may be left out. */
static bool pss_limit(struct crypto_call* call, EVP_PKEY_CTX* context) {
  const char *name = call_text(call, 2), *mask_name = call_text(call, 3);
  int salt = call_int(call, 4, -1);
  const EVP_MD* digest = name != NULL ? EVP_get_digestbyname(name) : NULL;
  const EVP_MD* mask = mask_name != NULL ? EVP_get_digestbyname(mask_name) : digest;
  /* Left out, the salt is as long as the digest. */
  if (salt < 0 && digest != NULL)
    salt = EVP_MD_get_size(digest);
  return (digest == NULL || EVP_PKEY_CTX_set_rsa_pss_keygen_md(context, digest) > 0) &&
         (mask == NULL || EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md(context, mask) > 0) &&
         (salt < 0 || EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(context, salt) > 0);
}

static void make_rsa(struct crypto_call* call, bool is_pss) {
  EVP_PKEY_CTX* context =
      EVP_PKEY_CTX_new_id(is_pss ? EVP_PKEY_RSA_PSS : EVP_PKEY_RSA, NULL);
  BIGNUM* exponent = BN_new();
  bool ready = context != NULL && exponent != NULL &&
               EVP_PKEY_keygen_init(context) == 1 &&
               EVP_PKEY_CTX_set_rsa_keygen_bits(context, call_int(call, 0, 0)) > 0 &&
               BN_set_word(exponent, (BN_ULONG) call_number(call, 1, 65537)) == 1 &&
               EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, exponent) > 0 &&
               (!is_pss || pss_limit(call, context));
  BN_free(exponent);
  make(call, context, ready);
}

/* makeRsa(bits, exponent) → key */
static void run_rsa(struct crypto_call* call) {
  make_rsa(call, false);
}

/* makeRsaPss(bits, exponent, digest, digest of the mask, length of the salt) → key */
static void run_rsa_pss(struct crypto_call* call) {
  make_rsa(call, true);
}

/* ---- those that need parameters first
 * -------------------------------------------------- */

static EVP_PKEY* parameters_made(EVP_PKEY_CTX* context, bool is_ready) {
  EVP_PKEY* parameters = NULL;
  if (is_ready && EVP_PKEY_paramgen(context, &parameters) != 1)
    parameters = NULL;
  EVP_PKEY_CTX_free(context);
  return parameters;
}

static void make_from(struct crypto_call* call, EVP_PKEY* parameters) {
  EVP_PKEY_CTX* context = parameters != NULL ? EVP_PKEY_CTX_new(parameters, NULL) : NULL;
  EVP_PKEY_free(parameters);
  make(call, context, context != NULL && EVP_PKEY_keygen_init(context) == 1);
}

/* makeDsa(bits, bits of the divisor or -1) → key */
static void run_dsa(struct crypto_call* call) {
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(EVP_PKEY_DSA, NULL);
  int divisor = call_int(call, 1, -1);
  bool ready =
      context != NULL && EVP_PKEY_paramgen_init(context) == 1 &&
      EVP_PKEY_CTX_set_dsa_paramgen_bits(context, call_int(call, 0, 0)) > 0 &&
      (divisor < 0 || EVP_PKEY_CTX_set_dsa_paramgen_q_bits(context, divisor) > 0);
  make_from(call, parameters_made(context, ready));
}

static EVP_PKEY* dh_parameters(DH* dh) {
  EVP_PKEY* key = dh != NULL ? EVP_PKEY_new() : NULL;
  if (key != NULL && EVP_PKEY_assign_DH(key, dh) == 1)
    return key;
  EVP_PKEY_free(key);
  DH_free(dh);
  return NULL;
}

/* makeDh(length of the prime or -1, prime, generator) → key */
static void run_dh(struct crypto_call* call) {
  int bits = call_int(call, 0, -1), generator = call_int(call, 2, 2);
  if (bits < 0) {
    DH* dh = DH_new();
    BIGNUM *prime = call_big(call, 1), *base = BN_new();
    if (dh == NULL || prime == NULL || base == NULL ||
        BN_set_word(base, (BN_ULONG) generator) != 1 ||
        DH_set0_pqg(dh, prime, NULL, base) != 1) {
      DH_free(dh);
      BN_free(prime);
      BN_free(base);
      dh = NULL;
    }
    make_from(call, dh_parameters(dh));
    return;
  }
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(EVP_PKEY_DH, NULL);
  bool ready = context != NULL && EVP_PKEY_paramgen_init(context) == 1 &&
               EVP_PKEY_CTX_set_dh_paramgen_prime_len(context, bits) > 0 &&
               EVP_PKEY_CTX_set_dh_paramgen_generator(context, generator) > 0;
  make_from(call, parameters_made(context, ready));
}

/* ---- curves
 * ----------------------------------------------------------------------------- */

int crypto_curve_of(const char* name) {
  int nid = name != NULL ? EC_curve_nist2nid(name) : NID_undef;
  return nid == NID_undef && name != NULL ? OBJ_sn2nid(name) : nid;
}

/* isCurve(name) */
static void run_is_curve(struct crypto_call* call) {
  call_give_truth(call, crypto_curve_of(call_text(call, 0)) != NID_undef);
}

/* makeEc(curve, whether the curve is written by its numbers instead of its name) → key */
static void run_ec(struct crypto_call* call) {
  int nid = crypto_curve_of(call_text(call, 0));
  int encoding = call_truth(call, 1) ? OPENSSL_EC_EXPLICIT_CURVE : OPENSSL_EC_NAMED_CURVE;
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
  bool ready = context != NULL && EVP_PKEY_paramgen_init(context) == 1 &&
               EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, nid) > 0 &&
               EVP_PKEY_CTX_set_ec_param_enc(context, encoding) > 0;
  make_from(call, parameters_made(context, ready));
}

/* makeEdwards(kind) → key; for X25519 and its kin, too */
static void run_edwards(struct crypto_call* call) {
  static const struct {
    const char* name;
    int id;
  } kinds[] = {{"ed25519", EVP_PKEY_ED25519},
               {"ed448", EVP_PKEY_ED448},
               {"x25519", EVP_PKEY_X25519},
               {"x448", EVP_PKEY_X448}};
  const char* name = call_text(call, 0);
  int id = EVP_PKEY_NONE;
  for (size_t i = 0; name != NULL && i < sizeof(kinds) / sizeof(*kinds); i++)
    if (strcmp(kinds[i].name, name) == 0)
      id = kinds[i].id;
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(id, NULL);
  make(call, context, context != NULL && EVP_PKEY_keygen_init(context) == 1);
}

const struct crypto_operation crypto_key_make_operations[] = {
    {"makeRsa", run_rsa},      {"makeRsaPss", run_rsa_pss},
    {"makeDsa", run_dsa},      {"makeDh", run_dh},
    {"makeEc", run_ec},        {"makeEdwards", run_edwards},
    {"isCurve", run_is_curve}, {NULL, NULL},
};
