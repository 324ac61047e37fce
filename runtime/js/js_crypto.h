/* The common part of the files of native('crypto'): the loaded object, and its errors for
 * JavaScript. */
#ifndef RONDO_JS_CRYPTO_H
#define RONDO_JS_CRYPTO_H

#include "crypto/crypto_library.h"
#include "js.h"

/* NULL where it can't be loaded; then native('crypto') has no function that needs it. */
extern const struct crypto_library* js_crypto;

/* The error of a failure; `otherwise` is its message if OpenSSL reported nothing. */
JSValueRef js_crypto_error(const struct crypto_failure* failure, const char* otherwise);

/* The same of something that runs on the pool: the reasons, without code and library. */
JSValueRef js_crypto_job_error(const struct crypto_failure* failure,
                               const char* otherwise);

/* The bytes of an argument; none for undefined and null. */
struct crypto_bytes js_crypto_bytes(JSValueRef value);

/* The pointer that a token of this class holds, or NULL. */
void* js_crypto_held(size_t argc, const JSValueRef argv[], JSClassRef class);

/* Keys and certificates are held in JavaScript by tokens (internal/crypto/key_object has
 * `tokenOf(keyObject)`, internal/crypto/certificate `tokenOf(x509)`). What is held is an
 * EVP_PKEY or an X509; NULL for anything else. The token keeps its count: who keeps it
 * for longer counts one of its own. */
struct crypto_key* js_crypto_key(JSValueRef token);
struct crypto_certificate* js_crypto_certificate(JSValueRef token);
/* A new token, which counts one more. native('crypto') must have been loaded. */
JSValueRef js_crypto_key_token(struct crypto_key* key);
JSValueRef js_crypto_certificate_token(struct crypto_certificate* certificate);

extern const struct js_method js_crypto_call_methods[];
extern const struct js_method js_crypto_digest_methods[];
extern const struct js_method js_crypto_cipher_methods[];
extern const struct js_method js_crypto_job_methods[];

#endif
