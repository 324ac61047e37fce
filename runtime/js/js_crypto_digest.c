/* native('crypto'): hash functions and HMAC. */
#include "js_crypto.h"

#include <stdlib.h>

static void digest_finalize(JSObjectRef token) {
  struct crypto_digest* digest = JSObjectGetPrivate(token);
  if (digest != NULL)
    js_crypto->digest.close(digest);
}

static JSClassRef digest_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "Digest";
    definition.finalize = digest_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

/* A token; undefined without a digest of that name; an exception if it can't be used. */
static JSValueRef digest_made(struct crypto_digest* digest,
                              const struct crypto_failure* failure,
                              JSValueRef* exception) {
  if (digest != NULL)
    return JSObjectMake(js.ctx, digest_class(), digest);
  if (failure->first != 0)
    *exception = js_crypto_error(failure, "");
  return js_undefined();
}

/* digest(name, length or -1) */
static JSValueRef digest_open(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  char* name = js_arg_utf8(argc, argv, 0);
  struct crypto_digest* digest = NULL;
  if (name != NULL)
    digest = js_crypto->digest.open(name, (int64_t) js_arg_number(argc, argv, 1, -1),
                                    &failure);
  free(name);
  return digest_made(digest, &failure, exception);
}

/* hmac(name, key) */
static JSValueRef digest_open_hmac(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  char* name = js_arg_utf8(argc, argv, 0);
  struct crypto_digest* digest = NULL;
  if (name != NULL)
    digest = js_crypto->digest.open_hmac(name, js_crypto_bytes(js_arg(argc, argv, 1)),
                                         &failure);
  free(name);
  return digest_made(digest, &failure, exception);
}

/* digestCopy(token, length or -1) */
static JSValueRef digest_copy(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct crypto_digest* from = js_crypto_held(argc, argv, digest_class());
  if (from == NULL)
    return js_undefined();
  return digest_made(
      js_crypto->digest.copy(from, (int64_t) js_arg_number(argc, argv, 1, -1), &failure),
      &failure, exception);
}

/* digestUpdate(token, bytes): whether it worked */
static JSValueRef digest_update(JS_ARGS) {
  JS_UNUSED;
  struct crypto_digest* digest = js_crypto_held(argc, argv, digest_class());
  return js_boolean(
      digest != NULL &&
      js_crypto->digest.update(digest, js_crypto_bytes(js_arg(argc, argv, 1))));
}

static JSValueRef digest_size(JS_ARGS) {
  JS_UNUSED;
  struct crypto_digest* digest = js_crypto_held(argc, argv, digest_class());
  return js_number(digest != NULL ? (double) js_crypto->digest.size(digest) : 0);
}

/* digestFinish(token, out) → the digest's size, -1 if it failed. Nothing has happened if
 * the size is more than there is room for. */
static JSValueRef digest_finish(JS_ARGS) {
  JS_UNUSED;
  uint8_t* out;
  size_t length;
  struct crypto_digest* digest = js_crypto_held(argc, argv, digest_class());
  if (digest == NULL || !js_bytes(js_arg(argc, argv, 1), &out, &length))
    return js_number(-1);
  size_t size = js_crypto->digest.size(digest);
  bool done = size > length || size == 0 || js_crypto->digest.finish(digest, out);
  return js_number(done ? (double) size : -1);
}

static JSValueRef digest_is_known(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  bool is_known = name != NULL && js_crypto->digest.is_known(name);
  free(name);
  return js_boolean(is_known);
}

const struct js_method js_crypto_digest_methods[] = {
    {"digest", digest_open},       {"hmac", digest_open_hmac},
    {"digestCopy", digest_copy},   {"digestUpdate", digest_update},
    {"digestSize", digest_size},   {"digestFinish", digest_finish},
    {"isDigest", digest_is_known}, {NULL, NULL},
};
