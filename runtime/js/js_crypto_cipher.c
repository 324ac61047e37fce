/* native('crypto'): ciphers. What fails is returned as the negative of its outcome, or as
 * an error if OpenSSL has something to say. */
#include "js_crypto.h"

#include <stdlib.h>
#include <string.h>

static void cipher_finalize(JSObjectRef token) {
  struct crypto_cipher* cipher = JSObjectGetPrivate(token);
  if (cipher != NULL)
    js_crypto->cipher.close(cipher);
}

static JSClassRef cipher_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "Cipher";
    definition.finalize = cipher_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

static JSValueRef outcome_value(enum crypto_outcome outcome,
                                const struct crypto_failure* failure) {
  if (failure != NULL && failure->first != 0 &&
      (outcome == CRYPTO_FAILED || outcome == CRYPTO_NOT_AUTHENTIC))
    return js_crypto_error(failure, "");
  return js_number(-(double) outcome);
}

/* cipher(name, encrypts, key, iv or null, tag length or -1) → a token */
static JSValueRef cipher_open(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct crypto_cipher* cipher = NULL;
  char* name = js_arg_utf8(argc, argv, 0);
  struct crypto_cipher_options options = {
      .name = name,
      .encrypts = js_arg_bool(argc, argv, 1),
      .key = js_crypto_bytes(js_arg(argc, argv, 2)),
      .iv = js_crypto_bytes(js_arg(argc, argv, 3)),
      .has_iv = !JSValueIsNull(js.ctx, js_arg(argc, argv, 3)),
      .tag_length = js_arg_int(argc, argv, 4, -1),
  };
  enum crypto_outcome outcome = CRYPTO_FAILED;
  if (name != NULL)
    outcome = js_crypto->cipher.open(&options, &cipher, &failure);
  free(name);
  return outcome == CRYPTO_OK ? JSObjectMake(js.ctx, cipher_class(), cipher)
                              : outcome_value(outcome, &failure);
}

static JSValueRef cipher_room(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  double length = js_arg_number(argc, argv, 1, 0);
  return js_number(
      cipher != NULL ? (double) js_crypto->cipher.room(cipher, (size_t) length) : 0);
}

/* cipherUpdate(token, bytes, out) → how many bytes came out; `out` has room for them */
static JSValueRef cipher_update(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  struct crypto_bytes data = js_crypto_bytes(js_arg(argc, argv, 1));
  uint8_t* out;
  size_t room, length = 0;
  if (cipher == NULL || !js_bytes(js_arg(argc, argv, 2), &out, &room) ||
      room < js_crypto->cipher.room(cipher, data.length))
    return js_number(-(double) CRYPTO_FAILED);
  enum crypto_outcome outcome =
      js_crypto->cipher.update(cipher, data, out, &length, &failure);
  return outcome == CRYPTO_OK ? js_number((double) length)
                              : outcome_value(outcome, &failure);
}

/* cipherFinish(token, out) → how many bytes came out */
static JSValueRef cipher_finish(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  uint8_t* out;
  size_t room, length = 0;
  if (cipher == NULL || !js_bytes(js_arg(argc, argv, 1), &out, &room) ||
      room < js_crypto->cipher.room(cipher, 0))
    return js_number(-(double) CRYPTO_FAILED);
  enum crypto_outcome outcome = js_crypto->cipher.finish(cipher, out, &length, &failure);
  return outcome == CRYPTO_OK ? js_number((double) length)
                              : outcome_value(outcome, &failure);
}

/* cipherSetAAD(token, bytes, length of the message) */
static JSValueRef cipher_set_aad(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  if (cipher == NULL)
    return js_number(-(double) CRYPTO_BAD_STATE);
  return outcome_value(js_crypto->cipher.set_aad(cipher,
                                                 js_crypto_bytes(js_arg(argc, argv, 1)),
                                                 js_arg_int(argc, argv, 2, 0)),
                       NULL);
}

static JSValueRef cipher_set_tag(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  if (cipher == NULL)
    return js_number(-(double) CRYPTO_BAD_STATE);
  return outcome_value(
      js_crypto->cipher.set_tag(cipher, js_crypto_bytes(js_arg(argc, argv, 1))), NULL);
}

/* cipherTag(token) → bytes, or undefined */
static JSValueRef cipher_tag(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  struct crypto_bytes tag = {0};
  if (cipher != NULL)
    tag = js_crypto->cipher.tag(cipher);
  uint8_t* copy = tag.bytes != NULL ? malloc(tag.length + 1) : NULL;
  if (copy == NULL)
    return js_undefined();
  memcpy(copy, tag.bytes, tag.length);
  return js_bytes_take(copy, tag.length);
}

static JSValueRef cipher_set_padding(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  return js_boolean(cipher != NULL &&
                    js_crypto->cipher.set_padding(cipher, js_arg_bool(argc, argv, 1)));
}

static JSValueRef cipher_is_ccm(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher* cipher = js_crypto_held(argc, argv, cipher_class());
  return js_boolean(cipher != NULL && js_crypto->cipher.is_ccm(cipher));
}

/* cipherInfo(name or number, key length or -1, iv length or -1) → an object, or undefined
 */
static JSValueRef cipher_info(JS_ARGS) {
  JS_UNUSED;
  struct crypto_cipher_info info;
  bool by_number = JSValueIsNumber(js.ctx, js_arg(argc, argv, 0));
  char* name = by_number ? NULL : js_arg_utf8(argc, argv, 0);
  bool known = (by_number || name != NULL) &&
               js_crypto->cipher.info(name, js_arg_int(argc, argv, 0, 0),
                                      js_arg_int(argc, argv, 1, -2),
                                      js_arg_int(argc, argv, 2, -2), &info);
  free(name);
  if (!known)
    return js_undefined();
  JSObjectRef object = js_object();
  if (info.mode != NULL)
    js_set_string(object, "mode", info.mode);
  js_set_string(object, "name", info.name);
  js_set_number(object, "nid", info.nid);
  if (!info.is_stream)
    js_set_number(object, "blockSize", info.block_size);
  if (info.iv_length != 0)
    js_set_number(object, "ivLength", info.iv_length);
  js_set_number(object, "keyLength", info.key_length);
  return object;
}

const struct js_method js_crypto_cipher_methods[] = {
    {"cipher", cipher_open},
    {"cipherRoom", cipher_room},
    {"cipherUpdate", cipher_update},
    {"cipherFinish", cipher_finish},
    {"cipherSetAAD", cipher_set_aad},
    {"cipherSetTag", cipher_set_tag},
    {"cipherTag", cipher_tag},
    {"cipherSetPadding", cipher_set_padding},
    {"cipherIsCCM", cipher_is_ccm},
    {"cipherInfo", cipher_info},
    {NULL, NULL},
};
