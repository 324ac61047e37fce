/* native('crypto'): librondo-crypto.so (crypto/crypto_library.h) for runtime/lib, loaded
 * when it is first asked for; its errors, names and comparisons. */
#include "js_crypto.h"

#include "js_module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct crypto_library* js_crypto;

/* An error under construction. A program's setter may throw what is then thrown instead.
 */
struct built {
  JSObjectRef error;
  JSValueRef thrown; /* or NULL */
};

static void built_set(struct built* built, const char* name, JSValueRef value) {
  if (built->thrown != NULL)
    return;
  JSStringRef key = JSStringCreateWithUTF8CString(name);
  JSObjectSetProperty(js.ctx, built->error, key, value, kJSPropertyAttributeNone,
                      &built->thrown);
  JSStringRelease(key);
}

static struct built error_begin(const struct crypto_failure* failure,
                                const char* otherwise) {
  struct crypto_words words = {0};
  if (failure->first != 0)
    words = js_crypto->words(failure->first);
  const char* text = failure->first != 0 ? words.text : otherwise;
  struct built built = {
      .error = (JSObjectRef) (uintptr_t) js_error("Error", NULL, "%s", text)};
  if (failure->other_count == 0)
    return built;
  JSValueRef others[CRYPTO_ERRORS_MOST];
  for (int i = 0; i < failure->other_count; i++)
    others[i] = js_string(js_crypto->words(failure->others[i]).text);
  built_set(&built, "opensslErrorStack", js_array((size_t) failure->other_count, others));
  return built;
}

JSValueRef js_crypto_job_error(const struct crypto_failure* failure,
                               const char* otherwise) {
  struct built built = error_begin(failure, otherwise);
  return built.thrown != NULL ? built.thrown : built.error;
}

JSValueRef js_crypto_error(const struct crypto_failure* failure, const char* otherwise) {
  struct built built = error_begin(failure, otherwise);
  struct crypto_words words = {0};
  char code[256];
  if (failure->first != 0)
    words = js_crypto->words(failure->first);
  if (words.library != NULL)
    built_set(&built, "library", js_string(words.library));
  if (words.reason != NULL) {
    built_set(&built, "reason", js_string(words.reason));
    size_t used = (size_t) snprintf(code, sizeof(code), "ERR_%s", words.prefix);
    for (const char* at = words.reason; *at != '\0' && used < sizeof(code) - 1; at++)
      code[used++] = (char) (*at == ' ' ? '_' : toupper((unsigned char) *at));
    code[used] = '\0';
    built_set(&built, "code", js_string(code));
  }
  return built.thrown != NULL ? built.thrown : built.error;
}

struct crypto_bytes js_crypto_bytes(JSValueRef value) {
  uint8_t* bytes = NULL;
  size_t length = 0;
  if (!js_bytes(value, &bytes, &length))
    length = 0;
  return (struct crypto_bytes){bytes, bytes != NULL ? length : 0};
}

void* js_crypto_held(size_t argc, const JSValueRef argv[], JSClassRef class) {
  if (argc == 0 || !JSValueIsObjectOfClass(js.ctx, argv[0], class))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) (uintptr_t) argv[0]);
}

struct name_list {
  JSObjectRef array;
  unsigned count;
};

static void name_add(const char* name, void* data) {
  struct name_list* list = data;
  JSObjectSetPropertyAtIndex(js.ctx, list->array, list->count++, js_string(name), NULL);
}

static JSValueRef crypto_digests_list(JS_ARGS) {
  JS_UNUSED;
  struct name_list list = {.array = js_array(0, NULL)};
  js_crypto->each_digest(name_add, &list);
  return list.array;
}

static JSValueRef crypto_ciphers_list(JS_ARGS) {
  JS_UNUSED;
  struct name_list list = {.array = js_array(0, NULL)};
  js_crypto->each_cipher(name_add, &list);
  return list.array;
}

/* isEqual(bytes, bytes of the same length): takes the same time whatever they are */
static JSValueRef crypto_is_equal(JS_ARGS) {
  JS_UNUSED;
  struct crypto_bytes one = js_crypto_bytes(js_arg(argc, argv, 0));
  struct crypto_bytes other = js_crypto_bytes(js_arg(argc, argv, 1));
  return js_boolean(
      one.length == other.length &&
      (one.length == 0 || js_crypto->is_equal(one.bytes, other.bytes, one.length)));
}

static JSValueRef crypto_version_number(JS_ARGS) {
  JS_UNUSED;
  return js_number((double) js_crypto->version_number());
}

void native_crypto(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"digests", crypto_digests_list},
      {"ciphers", crypto_ciphers_list},
      {"isEqual", crypto_is_equal},
      {"versionNumber", crypto_version_number},
      {NULL, NULL},
  };
  char problem[MODULE_PROBLEM];
  js_crypto =
      js_module_load("librondo-crypto.so", CRYPTO_LIBRARY, problem, sizeof(problem));
  if (js_crypto == NULL) {
    js_set_string(exports, "problem", problem); /* and no function that would need it */
    return;
  }
  js_methods(exports, methods);
  js_methods(exports, js_crypto_call_methods);
  js_methods(exports, js_crypto_digest_methods);
  js_methods(exports, js_crypto_cipher_methods);
  js_methods(exports, js_crypto_job_methods);
}
