/* What the files of native('crypto') share: the loaded object, and its errors for
 * JavaScript. */
#ifndef RONDO_JS_CRYPTO_H
#define RONDO_JS_CRYPTO_H

#include "crypto/crypto_library.h"
#include "js.h"

/* NULL where it can't be loaded; then native('crypto') has no function that needs it. */
extern const struct crypto_library* js_crypto;

/* The error of a failure; `otherwise` is its message if OpenSSL reported nothing. */
JSValueRef js_crypto_error(const struct crypto_failure* failure, const char* otherwise);

/* The bytes of an argument; none for undefined and null. */
struct crypto_bytes js_crypto_bytes(JSValueRef value);

/* What a token of this class holds, or NULL. */
void* js_crypto_held(size_t argc, const JSValueRef argv[], JSClassRef class);

extern const struct js_method js_crypto_digest_methods[];
extern const struct js_method js_crypto_cipher_methods[];
extern const struct js_method js_crypto_job_methods[];

#endif
