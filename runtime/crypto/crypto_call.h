/* For the files that carry operations out (crypto_library.h, "calls"): arguments are read
 * and results given by the functions below. An operation that has given its results has
 * worked; call_fail and call_refuse end it. Each file has a table of its operations,
 * listed in crypto_call.c. */
#ifndef RONDO_CRYPTO_CALL_H
#define RONDO_CRYPTO_CALL_H

/* The structures of keys are read as OpenSSL 1.1 had them: version 3 has no other way to
 * some parts, and still has this one. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "crypto_library.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>

struct crypto_operation {
  const char* name; /* NULL ends a table */
  void (*run)(struct crypto_call* call);
};

extern const struct crypto_operation crypto_key_operations[];
extern const struct crypto_operation crypto_key_read_operations[];
extern const struct crypto_operation crypto_key_write_operations[];
extern const struct crypto_operation crypto_key_parts_operations[];
extern const struct crypto_operation crypto_key_make_operations[];
extern const struct crypto_operation crypto_sign_operations[];
extern const struct crypto_operation crypto_seal_operations[];
extern const struct crypto_operation crypto_dh_operations[];
extern const struct crypto_operation crypto_ecdh_operations[];
extern const struct crypto_operation crypto_prime_operations[];
extern const struct crypto_operation crypto_certificate_operations[];
extern const struct crypto_operation crypto_spkac_operations[];

/* crypto_certificate.c: whether the first argument has to be a certificate. */
bool crypto_operation_needs_certificate(const struct crypto_operation* operation);

/* ---- arguments ------------------------------------------------------------ */

bool call_has(const struct crypto_call* call, size_t index);
double call_number(const struct crypto_call* call, size_t index, double otherwise);
int call_int(const struct crypto_call* call, size_t index, int otherwise);
bool call_truth(const struct crypto_call* call, size_t index);
const char* call_text(const struct crypto_call* call, size_t index); /* or NULL */
struct crypto_bytes call_bytes(const struct crypto_call* call, size_t index);
EVP_PKEY* call_key(const struct crypto_call* call, size_t index); /* or NULL */
/* Bytes of a big number, most significant first; NULL without memory. */
BIGNUM* call_big(const struct crypto_call* call, size_t index);
/* A BIO over the bytes of an argument; NULL without memory. */
BIO* call_bio(const struct crypto_call* call, size_t index);

/* ---- results ---------------------------------------------------------------- */

void call_give_nothing(struct crypto_call* call);
void call_give_number(struct crypto_call* call, double number);
void call_give_truth(struct crypto_call* call, bool truth);
void call_give_text(struct crypto_call* call,
                    const char* text); /* copied; NULL: nothing */
void call_give_bytes(struct crypto_call* call, const uint8_t* bytes, size_t length);
/* Memory from malloc, which the call takes over. */
void call_give_taken(struct crypto_call* call, uint8_t* bytes, size_t length);
/* Padded in front to `width` bytes. */
void call_give_big(struct crypto_call* call, const BIGNUM* number, size_t width);
/* The bytes that were written to a memory BIO; NULL gives nothing. */
void call_give_bio(struct crypto_call* call, BIO* bio);
/* The caller's count goes over to the call. NULL fails it. */
void call_give_key(struct crypto_call* call, EVP_PKEY* key);
void call_give_certificate(struct crypto_call* call, void* x509);

/* OpenSSL's reasons are taken later, from the thread's queue. */
void call_fail(struct crypto_call* call, const char* otherwise);
void call_refuse(struct crypto_call* call, const char* kind, const char* code,
                 const char* format, ...) __attribute__((format(printf, 4, 5)));

#endif
