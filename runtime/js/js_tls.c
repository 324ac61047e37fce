/* native('tls'): librondo-tls.so (tls/tls_library.h) for runtime/lib, loaded when it is
 * first asked for; its errors, its lists, and calls of runtime/lib. */
#include "js_tls.h"

#include "js_contexts.h"
#include "js_module.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 6 };

const struct tls_library* js_tls;
static JSObjectRef callback;

/* The arguments of the call; returns their number. */
static size_t arguments_fill(JSValueRef arguments[], enum tls_call call,
                             JSObjectRef owner, size_t argc, const JSValueRef argv[]) {
  if (argc > MOST_ARGUMENTS - 2)
    argc = MOST_ARGUMENTS - 2;
  arguments[0] = js_number(call);
  arguments[1] = owner;
  for (size_t i = 0; i < argc; i++)
    arguments[i + 2] = argv[i];
  return argc + 2;
}

void js_tls_call(enum tls_call call, struct js_handle* handle, JSObjectRef owner,
                 size_t argc, const JSValueRef argv[]) {
  JSValueRef arguments[MOST_ARGUMENTS];
  size_t count = arguments_fill(arguments, call, owner, argc, argv);
  if (callback == NULL)
    return;
  js_context_next(handle->context);
  js_call_scoped(callback, NULL, count, arguments);
}

JSValueRef js_tls_ask(enum tls_call call, JSObjectRef owner, size_t argc,
                      const JSValueRef argv[]) {
  JSValueRef arguments[MOST_ARGUMENTS];
  JSValueRef exception = NULL;
  size_t count = arguments_fill(arguments, call, owner, argc, argv);
  if (callback == NULL || rondo_node_exiting(js.node))
    return NULL;
  js_name_callback(callback, count, arguments);
  rondo_node_enter(js.node);
  JSValueRef result =
      JSObjectCallAsFunction(js.ctx, callback, NULL, count, arguments, &exception);
  rondo_node_leave(js.node, exception);
  return exception == NULL ? result : NULL;
}

/* ---- values ---------------------------------------------------------------------------
 */

struct crypto_bytes js_tls_bytes(JSValueRef value) {
  uint8_t* bytes = NULL;
  size_t length = 0;
  if (!js_bytes(value, &bytes, &length))
    length = 0;
  return (struct crypto_bytes){bytes, bytes != NULL ? length : 0};
}

JSValueRef js_tls_take(uint8_t* bytes, size_t length) {
  return bytes != NULL ? js_bytes_take(bytes, length) : js_undefined();
}

JSValueRef js_tls_copy(struct crypto_bytes bytes) {
  uint8_t* copy = malloc(bytes.length + 1);
  if (copy != NULL && bytes.length > 0)
    memcpy(copy, bytes.bytes, bytes.length);
  return js_tls_take(copy, bytes.length);
}

JSValueRef js_tls_error(const struct crypto_failure* failure, const char* otherwise) {
  struct tls_trouble trouble;
  if (failure->first == 0)
    return js_error("Error", NULL, "%s", otherwise);
  js_tls->words(failure->first, &trouble);
  JSObjectRef error =
      (JSObjectRef) (uintptr_t) js_error("Error", NULL, "%s", trouble.text);
  struct tls_trouble other;
  if (failure->other_count > 0) {
    JSValueRef others[CRYPTO_ERRORS_MOST];
    for (int i = 0; i < failure->other_count; i++) {
      js_tls->words(failure->others[i], &other);
      others[i] = js_string(other.text);
    }
    js_set(error, "opensslErrorStack", js_array((size_t) failure->other_count, others));
  }
  if (trouble.library[0] != '\0')
    js_set_string(error, "library", trouble.library);
  if (trouble.reason[0] != '\0')
    js_set_string(error, "reason", trouble.reason);
  if (trouble.code[0] != '\0')
    js_set_string(error, "code", trouble.code);
  return error;
}

JSValueRef js_tls_outcome(enum tls_outcome outcome,
                          const struct crypto_failure* failure) {
  if (outcome == TLS_FAILED && failure != NULL)
    return js_tls_error(failure, "Operation failed");
  return js_number(outcome);
}

/* ---- objects under construction -------------------------------------------------------
 */

static void build_put(struct tls_build* build, const char* name, JSValueRef value) {
  if (build->is_array)
    JSObjectSetPropertyAtIndex(js.ctx, build->target, build->count++, value, NULL);
  else
    js_set(build->target, name, value);
}

static void build_text(void* data, const char* name, const char* text, size_t length) {
  build_put(data, name, js_string_n(text, length));
}

static void build_number(void* data, const char* name, double value) {
  build_put(data, name, js_number(value));
}

static void build_boolean(void* data, const char* name, bool value) {
  build_put(data, name, js_boolean(value));
}

static void build_bytes(void* data, const char* name, const void* bytes, size_t length) {
  build_put(data, name, js_tls_copy((struct crypto_bytes){bytes, length}));
}

void js_tls_build(struct tls_build* build, bool is_array) {
  *build = (struct tls_build){
      .sink = {build, build_text, build_number, build_boolean, build_bytes},
      .target = is_array ? js_array(0, NULL) : js_object(),
      .is_array = is_array,
  };
}

/* ---- lists ----------------------------------------------------------------------------
 */

static void name_add(const char* name, void* data) {
  build_put(data, NULL, js_string(name));
}

static JSValueRef tls_ciphers(JS_ARGS) {
  JS_UNUSED;
  struct tls_build build;
  js_tls_build(&build, true);
  js_tls->each_cipher(name_add, &build);
  return build.target;
}

static JSValueRef tls_roots(JS_ARGS) {
  JS_UNUSED;
  struct tls_build build;
  js_tls_build(&build, true);
  js_tls->each_root(name_add, &build);
  return build.target;
}

/* setCallback(function) */
static JSValueRef tls_set_callback(JS_ARGS) {
  JS_UNUSED;
  callback = js_arg_function(argc, argv, 0);
  if (callback != NULL)
    js_keep(callback);
  return js_undefined();
}

void native_tls(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"setCallback", tls_set_callback},
      {"ciphers", tls_ciphers},
      {"roots", tls_roots},
      {NULL, NULL},
  };
  char problem[MODULE_PROBLEM];
  js_tls = js_module_load("librondo-tls.so", TLS_LIBRARY, problem, sizeof(problem));
  if (js_tls == NULL) {
    js_set_string(exports, "problem", problem); /* and no function that would need it */
    return;
  }
  js_methods(exports, methods);
  js_methods(exports, js_tls_context_methods);
  js_methods(exports, js_tls_stream_methods);
  js_methods(exports, js_tls_fact_methods);
}
