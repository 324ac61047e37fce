/* Keys from their numbers and back, as JSON Web Keys list them. Numbers are bytes, most
 * significant first. */
#include "crypto_call.h"

#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>

/* ---- RSA ------------------------------------------------------------------------ */

enum { N, E, D, P, Q, DP, DQ, QI, RSA_PARTS };

static EVP_PKEY* key_of_rsa(RSA* rsa) {
  EVP_PKEY* key = EVP_PKEY_new();
  if (key != NULL && EVP_PKEY_assign_RSA(key, rsa) == 1)
    return key;
  EVP_PKEY_free(key);
  return NULL;
}

/* On success the numbers are the RSA structure's, and NULL in the list. */
static bool rsa_fill(RSA* rsa, BIGNUM* parts[RSA_PARTS]) {
  if (rsa == NULL || RSA_set0_key(rsa, parts[N], parts[E], parts[D]) != 1)
    return false;
  bool is_private = parts[D] != NULL;
  parts[N] = parts[E] = parts[D] = NULL;
  if (!is_private)
    return true;
  if (RSA_set0_factors(rsa, parts[P], parts[Q]) != 1)
    return false;
  parts[P] = parts[Q] = NULL;
  if (RSA_set0_crt_params(rsa, parts[DP], parts[DQ], parts[QI]) != 1)
    return false;
  parts[DP] = parts[DQ] = parts[QI] = NULL;
  return true;
}

/* keyOfRsa(n, e[, d, p, q, dp, dq, qi]) → a key, or nothing */
static void run_of_rsa(struct crypto_call* call) {
  BIGNUM* parts[RSA_PARTS] = {NULL};
  for (size_t i = 0; i < RSA_PARTS; i++)
    if (call_has(call, i))
      parts[i] = call_big(call, i);
  RSA* rsa = RSA_new();
  EVP_PKEY* key = rsa_fill(rsa, parts) ? key_of_rsa(rsa) : NULL;
  if (key == NULL)
    RSA_free(rsa);
  for (size_t i = 0; i < RSA_PARTS; i++)
    BN_clear_free(parts[i]);
  if (key != NULL)
    call_give_key(call, key);
  else
    call_give_nothing(call);
}

/* keyRsaParts(key, is private) → list of numbers as in keyOfRsa */
static void run_rsa_parts(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  const RSA* rsa = key != NULL ? EVP_PKEY_get0_RSA(key) : NULL;
  const BIGNUM* parts[RSA_PARTS] = {NULL};
  call->is_list = true;
  if (rsa == NULL) {
    call_fail(call, "Not an RSA key");
    return;
  }
  RSA_get0_key(rsa, &parts[N], &parts[E], &parts[D]);
  RSA_get0_factors(rsa, &parts[P], &parts[Q]);
  RSA_get0_crt_params(rsa, &parts[DP], &parts[DQ], &parts[QI]);
  size_t count = call_truth(call, 1) ? RSA_PARTS : D;
  for (size_t i = 0; i < count; i++)
    if (parts[i] != NULL)
      call_give_big(call, parts[i], 0);
    else
      call_give_nothing(call);
}

/* ---- elliptic curves -----------------------------------------------------------------
 */

enum { CURVE, X, Y, SECRET };

static EVP_PKEY* key_of_ec(EC_KEY* ec) {
  EVP_PKEY* key = EVP_PKEY_new();
  if (key != NULL && EVP_PKEY_assign_EC_KEY(key, ec) == 1)
    return key;
  EVP_PKEY_free(key);
  return NULL;
}

static bool ec_fill(struct crypto_call* call, EC_KEY* ec) {
  BIGNUM *x = call_big(call, X), *y = call_big(call, Y);
  BIGNUM* secret = call_has(call, SECRET) ? call_big(call, SECRET) : NULL;
  bool done = ec != NULL && x != NULL && y != NULL &&
              EC_KEY_set_public_key_affine_coordinates(ec, x, y) == 1 &&
              (secret == NULL || EC_KEY_set_private_key(ec, secret) == 1);
  BN_free(x);
  BN_free(y);
  BN_clear_free(secret);
  return done;
}

/* keyOfEc(curve, x, y[, d]) → a key, or nothing */
static void run_of_ec(struct crypto_call* call) {
  const char* curve = call_text(call, CURVE);
  EC_KEY* ec = EC_KEY_new_by_curve_name(curve != NULL ? OBJ_txt2nid(curve) : NID_undef);
  EVP_PKEY* key = ec_fill(call, ec) ? key_of_ec(ec) : NULL;
  if (key == NULL)
    EC_KEY_free(ec);
  if (key != NULL)
    call_give_key(call, key);
  else
    call_give_nothing(call);
}

/* keyEcParts(key, is private) → [curve, x, y[, d]] */
static void run_ec_parts(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  const EC_KEY* ec = key != NULL ? EVP_PKEY_get0_EC_KEY(key) : NULL;
  BIGNUM *x = BN_new(), *y = BN_new();
  call->is_list = true;
  if (ec == NULL || x == NULL || y == NULL || EC_KEY_get0_public_key(ec) == NULL ||
      EC_POINT_get_affine_coordinates(EC_KEY_get0_group(ec), EC_KEY_get0_public_key(ec),
                                      x, y, NULL) != 1)
    call_fail(call, "Failed to get elliptic-curve point coordinates");
  else {
    const EC_GROUP* group = EC_KEY_get0_group(ec);
    size_t width = ((size_t) EC_GROUP_get_degree(group) + 7) / 8;
    call_give_text(call, OBJ_nid2sn(EC_GROUP_get_curve_name(group)));
    call_give_big(call, x, width);
    call_give_big(call, y, width);
    if (call_truth(call, 1))
      call_give_big(call, EC_KEY_get0_private_key(ec),
                    ((size_t) EC_GROUP_order_bits(group) + 7) / 8);
  }
  BN_free(x);
  BN_free(y);
}

/* ---- points, for keys in the form that webcrypto calls raw
 * ------------------------------ */

/* keyOfPoint(curve, bytes) → a public key, or nothing */
static void run_of_point(struct crypto_call* call) {
  const char* curve = call_text(call, 0);
  struct crypto_bytes bytes = call_bytes(call, 1);
  EC_KEY* ec = EC_KEY_new_by_curve_name(curve != NULL ? OBJ_txt2nid(curve) : NID_undef);
  EVP_PKEY* key = NULL;
  if (ec != NULL && EC_KEY_oct2key(ec, bytes.bytes, bytes.length, NULL) == 1)
    key = key_of_ec(ec);
  if (key == NULL) {
    EC_KEY_free(ec);
    call_give_nothing(call);
    return;
  }
  call_give_key(call, key);
}

/* keyPoint(key) → bytes of the public point, uncompressed */
static void run_point(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  const EC_KEY* ec = key != NULL ? EVP_PKEY_get0_EC_KEY(key) : NULL;
  uint8_t* point = NULL;
  size_t length =
      ec != NULL ? EC_KEY_key2buf(ec, POINT_CONVERSION_UNCOMPRESSED, &point, NULL) : 0;
  if (length > 0)
    call_give_bytes(call, point, length);
  else
    call_fail(call, "Failed to get public key");
  OPENSSL_free(point);
}

const struct crypto_operation crypto_key_parts_operations[] = {
    {"keyOfRsa", run_of_rsa},
    {"keyRsaParts", run_rsa_parts},
    {"keyOfEc", run_of_ec},
    {"keyEcParts", run_ec_parts},
    {"keyOfPoint", run_of_point},
    {"keyPoint", run_point},
    {NULL, NULL},
};
