/* Calls: finds operations by name, runs them, keeps their results. */
#include "crypto_call.h"

#include <openssl/crypto.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct crypto_operation* operation_find(const char* name) {
  static const struct crypto_operation* const tables[] = {
      crypto_key_operations,
      crypto_key_read_operations,
      crypto_key_write_operations,
      crypto_key_parts_operations,
      crypto_key_make_operations,
      crypto_sign_operations,
      crypto_seal_operations,
      crypto_dh_operations,
      crypto_ecdh_operations,
      crypto_prime_operations,
      crypto_certificate_operations,
      crypto_spkac_operations,
      NULL,
  };
  for (size_t i = 0; tables[i] != NULL; i++)
    for (const struct crypto_operation* each = tables[i]; each->name != NULL; each++)
      if (strcmp(each->name, name) == 0)
        return each;
  return NULL;
}

/* ---- arguments ------------------------------------------------------------ */

bool call_has(const struct crypto_call* call, size_t index) {
  return index < call->in_count && call->in[index].kind != CRYPTO_NOTHING;
}

double call_number(const struct crypto_call* call, size_t index, double otherwise) {
  return call_has(call, index) && call->in[index].kind == CRYPTO_NUMBER
             ? call->in[index].number
             : otherwise;
}

int call_int(const struct crypto_call* call, size_t index, int otherwise) {
  double number = call_number(call, index, otherwise);
  return number >= -2147483648.0 && number <= 2147483647.0 ? (int) number : otherwise;
}

bool call_truth(const struct crypto_call* call, size_t index) {
  return call_has(call, index) && call->in[index].number != 0;
}

const char* call_text(const struct crypto_call* call, size_t index) {
  return call_has(call, index) ? call->in[index].text : NULL;
}

struct crypto_bytes call_bytes(const struct crypto_call* call, size_t index) {
  /* OpenSSL refuses a pointer that leads nowhere, even to no bytes. */
  static const uint8_t nothing[1];
  struct crypto_bytes none = {nothing, 0};
  if (!call_has(call, index) || call->in[index].bytes.bytes == NULL)
    return none;
  return call->in[index].bytes;
}

EVP_PKEY* call_key(const struct crypto_call* call, size_t index) {
  return call_has(call, index) ? (EVP_PKEY*) call->in[index].key : NULL;
}

BIGNUM* call_big(const struct crypto_call* call, size_t index) {
  struct crypto_bytes bytes = call_bytes(call, index);
  return bytes.length <= INT32_MAX ? BN_bin2bn(bytes.bytes, (int) bytes.length, NULL)
                                   : NULL;
}

BIO* call_bio(const struct crypto_call* call, size_t index) {
  struct crypto_bytes bytes = call_bytes(call, index);
  return bytes.length <= INT32_MAX ? BIO_new_mem_buf(bytes.bytes, (int) bytes.length)
                                   : NULL;
}

/* ---- results ---------------------------------------------------------------- */

/* NULL without memory; then the call has failed. */
static struct crypto_value* result_add(struct crypto_call* call, enum crypto_kind kind) {
  if (call->failed)
    return NULL;
  struct crypto_value* grown = call->out;
  if ((call->out_count & (call->out_count - 1)) == 0) /* 0, 1, 2, 4 …: it is full */
    grown = realloc(call->out, (call->out_count == 0 ? 1 : call->out_count * 2) *
                                   sizeof(*call->out));
  if (grown == NULL) {
    call_fail(call, "Out of memory");
    return NULL;
  }
  call->out = grown;
  struct crypto_value* added = &call->out[call->out_count++];
  *added = (struct crypto_value){.kind = kind};
  return added;
}

void call_give_nothing(struct crypto_call* call) {
  result_add(call, CRYPTO_NOTHING);
}

void call_give_number(struct crypto_call* call, double number) {
  struct crypto_value* value = result_add(call, CRYPTO_NUMBER);
  if (value != NULL)
    value->number = number;
}

void call_give_truth(struct crypto_call* call, bool truth) {
  struct crypto_value* value = result_add(call, CRYPTO_TRUTH);
  if (value != NULL)
    value->number = truth;
}

void call_give_text(struct crypto_call* call, const char* text) {
  if (text == NULL) {
    call_give_nothing(call);
    return;
  }
  char* copy = strdup(text);
  struct crypto_value* value = copy != NULL ? result_add(call, CRYPTO_TEXT) : NULL;
  if (value == NULL) {
    free(copy);
    call_fail(call, "Out of memory");
    return;
  }
  value->text = copy;
}

void call_give_taken(struct crypto_call* call, uint8_t* bytes, size_t length) {
  struct crypto_value* value = bytes != NULL ? result_add(call, CRYPTO_BYTES) : NULL;
  if (value == NULL) {
    free(bytes);
    call_fail(call, "Out of memory");
    return;
  }
  value->bytes = (struct crypto_bytes){bytes, length};
}

void call_give_bytes(struct crypto_call* call, const uint8_t* bytes, size_t length) {
  uint8_t* copy = malloc(length + 1);
  if (copy != NULL && length > 0)
    memcpy(copy, bytes, length);
  call_give_taken(call, copy, length);
}

void call_give_big(struct crypto_call* call, const BIGNUM* number, size_t width) {
  size_t own = number != NULL ? (size_t) BN_num_bytes(number) : 0;
  size_t length = own > width ? own : width;
  uint8_t* bytes = number != NULL ? malloc(length + 1) : NULL;
  if (bytes != NULL && length > 0)
    BN_bn2binpad(number, bytes, (int) length);
  call_give_taken(call, bytes, length);
}

void call_give_bio(struct crypto_call* call, BIO* bio) {
  char* bytes = NULL;
  long length = bio != NULL ? BIO_get_mem_data(bio, &bytes) : 0;
  if (bio == NULL)
    call_give_nothing(call);
  else
    call_give_bytes(call, (const uint8_t*) bytes, length > 0 ? (size_t) length : 0);
}

void call_give_key(struct crypto_call* call, EVP_PKEY* key) {
  struct crypto_value* value = key != NULL ? result_add(call, CRYPTO_KEY) : NULL;
  if (value == NULL) {
    EVP_PKEY_free(key);
    call_fail(call, "Operation failed");
    return;
  }
  value->key = (struct crypto_key*) key;
}

void call_give_certificate(struct crypto_call* call, void* x509) {
  struct crypto_value* value = x509 != NULL ? result_add(call, CRYPTO_CERTIFICATE) : NULL;
  if (value == NULL) {
    X509_free(x509);
    call_fail(call, "Operation failed");
    return;
  }
  value->certificate = x509;
}

/* The first failure counts. */
void call_fail(struct crypto_call* call, const char* otherwise) {
  if (call->failed)
    return;
  call->failed = true;
  call->otherwise = otherwise;
}

void call_refuse(struct crypto_call* call, const char* kind, const char* code,
                 const char* format, ...) {
  va_list arguments;
  if (call->failed)
    return;
  call->failed = true;
  call->refusal = (struct crypto_refusal){.kind = kind, .code = code};
  va_start(arguments, format);
  vsnprintf(call->refusal.message, sizeof(call->refusal.message), format, arguments);
  va_end(arguments);
}

/* ---- life --------------------------------------------------------------------- */

static void key_drop(struct crypto_key* key) {
  EVP_PKEY_free((EVP_PKEY*) key);
}

static struct crypto_key* key_hold(struct crypto_key* key) {
  EVP_PKEY_up_ref((EVP_PKEY*) key);
  return key;
}

static void certificate_drop(struct crypto_certificate* certificate) {
  X509_free((X509*) certificate);
}

static struct crypto_certificate* certificate_hold(struct crypto_certificate* one) {
  X509_up_ref((X509*) one);
  return one;
}

static void value_clear(struct crypto_value* value) {
  switch (value->kind) {
  case CRYPTO_TEXT:
    free((char*) (uintptr_t) value->text);
    break;
  case CRYPTO_BYTES:
    OPENSSL_cleanse((uint8_t*) (uintptr_t) value->bytes.bytes, value->bytes.length);
    free((uint8_t*) (uintptr_t) value->bytes.bytes);
    break;
  case CRYPTO_KEY:
    key_drop(value->key);
    break;
  case CRYPTO_CERTIFICATE:
    certificate_drop(value->certificate);
    break;
  default:
    break;
  }
  *value = (struct crypto_value){0};
}

static void call_clear(struct crypto_call* call) {
  for (size_t i = 0; i < call->out_count; i++)
    value_clear(&call->out[i]);
  free(call->out);
  call->out = NULL;
  call->out_count = 0;
}

static void call_run(struct crypto_call* call) {
  crypto_forget_failures();
  if (crypto_operation_needs_certificate(call->operation) &&
      (call->in_count == 0 || call->in[0].kind != CRYPTO_CERTIFICATE))
    call_fail(call, "Not a certificate");
  else
    call->operation->run(call);
  if (call->failed && call->refusal.kind == NULL)
    crypto_take_failure(&call->failure);
  if (call->failed)
    call_clear(call);
  crypto_forget_failures();
}

const struct crypto_call_kind crypto_calls = {
    .find = operation_find,
    .run = call_run,
    .clear = call_clear,
    .key_hold = key_hold,
    .key_drop = key_drop,
    .certificate_hold = certificate_hold,
    .certificate_drop = certificate_drop,
};
