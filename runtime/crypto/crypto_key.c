/* Facts about keys of pairs: their kind, their details, whether two are the same; keys
 * that are bytes alone (X25519, Ed25519 and their kin). */
#include "crypto_call.h"

#include <openssl/core_names.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

static const struct key_name {
  int id;
  const char* name;
} names[] = {
    {EVP_PKEY_RSA, "rsa"},     {EVP_PKEY_RSA_PSS, "rsa-pss"},
    {EVP_PKEY_DSA, "dsa"},     {EVP_PKEY_DH, "dh"},
    {EVP_PKEY_EC, "ec"},       {EVP_PKEY_ED25519, "ed25519"},
    {EVP_PKEY_ED448, "ed448"}, {EVP_PKEY_X25519, "x25519"},
    {EVP_PKEY_X448, "x448"},   {0, NULL},
};

static const char* key_name(const EVP_PKEY* key) {
  int id = EVP_PKEY_get_base_id(key);
  for (const struct key_name* each = names; each->name != NULL; each++)
    if (each->id == id)
      return each->name;
  return NULL;
}

/* keyType(key) → its name, or nothing */
static void run_type(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  call_give_text(call, key != NULL ? key_name(key) : NULL);
}

/* ---- details ------------------------------------------------------------------ */

static const char* digest_of(const X509_ALGOR* algorithm) {
  const ASN1_OBJECT* object = NULL;
  if (algorithm == NULL)
    return "sha1"; /* what is left out */
  X509_ALGOR_get0(&object, NULL, NULL, algorithm);
  return OBJ_nid2ln(OBJ_obj2nid(object));
}

/* The digest of the mask function, which is a parameter inside a parameter. */
static void give_mask(struct crypto_call* call, const X509_ALGOR* mask) {
  const ASN1_OBJECT* object = NULL;
  const void* inner = NULL;
  int type = 0;
  if (mask == NULL) {
    call_give_text(call, "sha1");
    return;
  }
  X509_ALGOR_get0(&object, &type, &inner, mask);
  X509_ALGOR* algorithm = NULL;
  if (type == V_ASN1_SEQUENCE)
    algorithm = ASN1_item_unpack(inner, ASN1_ITEM_rptr(X509_ALGOR));
  call_give_text(call, algorithm != NULL ? digest_of(algorithm) : NULL);
  X509_ALGOR_free(algorithm);
}

/* modulusLength, publicExponent[, hashAlgorithm, mgf1HashAlgorithm, saltLength] */
static void give_rsa(struct crypto_call* call, EVP_PKEY* key) {
  const RSA* rsa = EVP_PKEY_get0_RSA(key);
  const BIGNUM *modulus = NULL, *exponent = NULL;
  if (rsa == NULL) {
    call_fail(call, "Not an RSA key");
    return;
  }
  RSA_get0_key(rsa, &modulus, &exponent, NULL);
  call_give_number(call, BN_num_bits(modulus));
  call_give_big(call, exponent, 1);
  const RSA_PSS_PARAMS* limits =
      EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA_PSS ? RSA_get0_pss_params(rsa) : NULL;
  if (limits == NULL)
    return;
  call_give_text(call, digest_of(limits->hashAlgorithm));
  give_mask(call, limits->maskGenAlgorithm);
  call_give_number(call, limits->saltLength != NULL
                             ? (double) ASN1_INTEGER_get(limits->saltLength)
                             : 20);
}

/* keyDetails(key): what the kind of key has, in a fixed order */
static void run_details(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  char name[80];
  const BIGNUM *prime = NULL, *order = NULL;
  call->is_list = true;
  switch (key != NULL ? EVP_PKEY_get_base_id(key) : 0) {
  case EVP_PKEY_RSA:
  case EVP_PKEY_RSA_PSS:
    give_rsa(call, key);
    break;
  case EVP_PKEY_DSA:
    if (EVP_PKEY_get0_DSA(key) == NULL)
      return;
    DSA_get0_pqg(EVP_PKEY_get0_DSA(key), &prime, &order, NULL);
    call_give_number(call, BN_num_bits(prime));
    call_give_number(call, BN_num_bits(order));
    break;
  case EVP_PKEY_EC:
    if (EVP_PKEY_get_group_name(key, name, sizeof(name), NULL) == 1)
      call_give_text(call, name);
    break;
  default:
    break;
  }
}

/* keyEquals(key, key, whether both are private) */
static void run_equals(struct crypto_call* call) {
  EVP_PKEY *one = call_key(call, 0), *other = call_key(call, 1);
  if (one == NULL || other == NULL) {
    call_give_truth(call, false);
    return;
  }
  int answer = EVP_PKEY_eq(one, other);
  if (answer == -2)
    call_refuse(call, "Error", "ERR_CRYPTO_UNSUPPORTED_OPERATION",
                "Unsupported crypto operation");
  else
    call_give_truth(call, answer == 1);
}

/* ---- keys that are bytes -------------------------------------------------------- */

static int id_of(const char* name) {
  for (const struct key_name* each = names; name != NULL && each->name != NULL; each++)
    if (strcmp(each->name, name) == 0)
      return each->id;
  return EVP_PKEY_NONE;
}

/* keyOfRaw(kind, bytes, is private) → a key, or nothing if the bytes aren't one */
static void run_of_raw(struct crypto_call* call) {
  struct crypto_bytes bytes = call_bytes(call, 1);
  int id = id_of(call_text(call, 0));
  EVP_PKEY* key = call_truth(call, 2)
                      ? EVP_PKEY_new_raw_private_key(id, NULL, bytes.bytes, bytes.length)
                      : EVP_PKEY_new_raw_public_key(id, NULL, bytes.bytes, bytes.length);
  if (key != NULL)
    call_give_key(call, key);
  else
    call_give_nothing(call);
}

/* keyRaw(key, is private) → bytes */
static void run_raw(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  uint8_t bytes[64];
  size_t length = sizeof(bytes);
  bool is_private = call_truth(call, 1);
  int done = key == NULL  ? 0
             : is_private ? EVP_PKEY_get_raw_private_key(key, bytes, &length)
                          : EVP_PKEY_get_raw_public_key(key, bytes, &length);
  if (done == 1)
    call_give_bytes(call, bytes, length);
  else
    call_fail(call, "Failed to get raw key");
  explicit_bzero(bytes, sizeof(bytes));
}

/* keyPublic(key) → a key without the private half */
static void run_public(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  uint8_t* der = NULL;
  int length = key != NULL ? i2d_PUBKEY(key, &der) : -1;
  const uint8_t* at = der;
  call_give_key(call, length > 0 ? d2i_PUBKEY(NULL, &at, length) : NULL);
  OPENSSL_free(der);
}

/* keyIsSound(key, is private): whether its numbers make a key */
static void run_is_sound(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 0);
  EVP_PKEY_CTX* context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
  int answer = context == NULL       ? 0
               : call_truth(call, 1) ? EVP_PKEY_check(context)
                                     : EVP_PKEY_public_check(context);
  call_give_truth(call, answer == 1);
  EVP_PKEY_CTX_free(context);
}

static int name_order(const void* one, const void* other) {
  return strcmp(*(const char* const*) one, *(const char* const*) other);
}

/* curves() → names */
static void run_curves(struct crypto_call* call) {
  call->is_list = true;
  size_t count = EC_get_builtin_curves(NULL, 0);
  EC_builtin_curve* curves = calloc(count + 1, sizeof(*curves));
  const char** list = calloc(count + 1, sizeof(*list));
  if (curves == NULL || list == NULL)
    call_fail(call, "Out of memory");
  else if (EC_get_builtin_curves(curves, count) > 0) {
    for (size_t i = 0; i < count; i++)
      list[i] = OBJ_nid2sn(curves[i].nid);
    qsort(list, count, sizeof(*list), name_order);
    for (size_t i = 0; i < count; i++)
      call_give_text(call, list[i]);
  }
  free(list);
  free(curves);
}

const struct crypto_operation crypto_key_operations[] = {
    {"keyType", run_type},        {"keyDetails", run_details}, {"keyEquals", run_equals},
    {"keyOfRaw", run_of_raw},     {"keyRaw", run_raw},         {"keyPublic", run_public},
    {"keyIsSound", run_is_sound}, {"curves", run_curves},      {NULL, NULL},
};
