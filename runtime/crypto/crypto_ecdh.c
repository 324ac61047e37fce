/* Elliptic-curve Diffie-Hellman by numbers and points that the program keeps. */
#include "crypto_call.h"

#include <openssl/ec.h>
#include <openssl/objects.h>
#include <stdlib.h>

enum { CURVE, PRIVATE, PUBLIC, OTHER }; /* points and numbers as bytes */

static EC_KEY* ec_of(const struct crypto_call* call) {
  const char* name = call_text(call, CURVE);
  return EC_KEY_new_by_curve_name(name != NULL ? OBJ_sn2nid(name) : NID_undef);
}

/* ecdhIsCurve(name) */
static void run_is_curve(struct crypto_call* call) {
  EC_KEY* ec = ec_of(call);
  call_give_truth(call, ec != NULL);
  EC_KEY_free(ec);
}

static void give_public(struct crypto_call* call, const EC_KEY* ec) {
  uint8_t* point = NULL;
  size_t length = EC_KEY_key2buf(ec, POINT_CONVERSION_UNCOMPRESSED, &point, NULL);
  call_give_bytes(call, point, length);
  OPENSSL_free(point);
}

/* ecdhKeys(curve) → [private, public] */
static void run_keys(struct crypto_call* call) {
  EC_KEY* ec = ec_of(call);
  call->is_list = true;
  if (ec != NULL && EC_KEY_generate_key(ec) == 1) {
    call_give_big(call, EC_KEY_get0_private_key(ec), 0);
    give_public(call, ec);
  } else
    call_refuse(call, "Error", "ERR_CRYPTO_OPERATION_FAILED", "Failed to generate key");
  EC_KEY_free(ec);
}

static bool private_fits(const EC_KEY* ec, const BIGNUM* secret) {
  const BIGNUM* order = EC_GROUP_get0_order(EC_KEY_get0_group(ec));
  return secret != NULL && !BN_is_zero(secret) && BN_cmp(secret, order) < 0;
}

static bool private_set(EC_KEY* ec, const BIGNUM* secret) {
  const EC_GROUP* group = EC_KEY_get0_group(ec);
  EC_POINT* point = EC_POINT_new(group);
  bool done = point != NULL && EC_KEY_set_private_key(ec, secret) == 1 &&
              EC_POINT_mul(group, point, secret, NULL, NULL, NULL) == 1 &&
              EC_KEY_set_public_key(ec, point) == 1;
  EC_POINT_free(point);
  return done;
}

/* ecdhPublic(curve, private) → public */
static void run_public(struct crypto_call* call) {
  EC_KEY* ec = ec_of(call);
  BIGNUM* secret = call_big(call, PRIVATE);
  if (ec == NULL || !private_fits(ec, secret))
    call_refuse(call, "RangeError", "ERR_CRYPTO_INVALID_KEYTYPE",
                "Private key is not valid for specified curve.");
  else if (private_set(ec, secret))
    give_public(call, ec);
  else
    call_refuse(call, "Error", "ERR_CRYPTO_OPERATION_FAILED",
                "Failed to convert BN to a private key");
  BN_clear_free(secret);
  EC_KEY_free(ec);
}

/* NULL for bytes that are no point of the curve. */
static EC_POINT* point_of(const struct crypto_call* call, const EC_KEY* ec,
                          size_t index) {
  struct crypto_bytes bytes = call_bytes(call, index);
  const EC_GROUP* group = EC_KEY_get0_group(ec);
  EC_POINT* point = EC_POINT_new(group);
  if (point != NULL &&
      EC_POINT_oct2point(group, point, bytes.bytes, bytes.length, NULL) == 1)
    return point;
  EC_POINT_free(point);
  return NULL;
}

/* ecdhPoint(curve, bytes, form) → the point in that form; or nothing */
static void run_point(struct crypto_call* call) {
  EC_KEY* ec = ec_of(call);
  EC_POINT* point = ec != NULL ? point_of(call, ec, 1) : NULL;
  uint8_t* bytes = NULL;
  size_t length = 0;
  if (point != NULL)
    length = EC_POINT_point2buf(
        EC_KEY_get0_group(ec), point,
        (point_conversion_form_t) call_int(call, 2, POINT_CONVERSION_UNCOMPRESSED),
        &bytes, NULL);
  if (length > 0)
    call_give_bytes(call, bytes, length);
  else
    call_refuse(call, "Error", "ERR_CRYPTO_OPERATION_FAILED",
                "Failed to convert Buffer to EC_POINT");
  OPENSSL_free(bytes);
  EC_POINT_free(point);
  EC_KEY_free(ec);
}

static bool pair_set(const struct crypto_call* call, EC_KEY* ec) {
  BIGNUM* secret = call_has(call, PRIVATE) ? call_big(call, PRIVATE) : NULL;
  EC_POINT* point = call_has(call, PUBLIC) ? point_of(call, ec, PUBLIC) : NULL;
  bool done = secret != NULL && point != NULL &&
              EC_KEY_set_private_key(ec, secret) == 1 &&
              EC_KEY_set_public_key(ec, point) == 1 && EC_KEY_check_key(ec) == 1;
  EC_POINT_free(point);
  BN_clear_free(secret);
  return done;
}

static void give_secret(struct crypto_call* call, const EC_KEY* ec,
                        const EC_POINT* other) {
  size_t size = ((size_t) EC_GROUP_get_degree(EC_KEY_get0_group(ec)) + 7) / 8;
  uint8_t* secret = malloc(size + 1);
  if (secret != NULL && ECDH_compute_key(secret, size, other, ec, NULL) > 0)
    call_give_taken(call, secret, size);
  else {
    free(secret);
    call_refuse(call, "Error", "ERR_CRYPTO_OPERATION_FAILED",
                "Failed to compute ECDH key");
  }
}

/* ecdhSecret(curve, private, public, the other's public) → bytes */
static void run_secret(struct crypto_call* call) {
  EC_KEY* ec = ec_of(call);
  EC_POINT* other = NULL;
  if (ec == NULL || !pair_set(call, ec))
    call_refuse(call, "RangeError", "ERR_CRYPTO_INVALID_KEYPAIR", "Invalid key pair");
  else if ((other = point_of(call, ec, OTHER)) == NULL)
    call_refuse(call, "Error", "ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY",
                "Public key is not valid for specified curve");
  else
    give_secret(call, ec, other);
  EC_POINT_free(other);
  EC_KEY_free(ec);
}

const struct crypto_operation crypto_ecdh_operations[] = {
    {"ecdhIsCurve", run_is_curve}, {"ecdhKeys", run_keys},     {"ecdhPublic", run_public},
    {"ecdhPoint", run_point},      {"ecdhSecret", run_secret}, {NULL, NULL},
};
