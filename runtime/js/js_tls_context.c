/* native('tls'): contexts. A function returns 0, the number of an outcome
 * (tls_library.h), or an Error. */
#include "js_tls.h"

#include <stdlib.h>

static void context_finalize(JSObjectRef token) {
  struct tls_context* context = JSObjectGetPrivate(token);
  if (context != NULL)
    js_tls->context.close(context);
}

static JSClassRef context_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "SecureContext";
    definition.finalize = context_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

struct tls_context* js_tls_context(JSValueRef token) {
  if (!JSValueIsObjectOfClass(js.ctx, token, context_class()))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) (uintptr_t) token);
}

static struct tls_context* context_arg(size_t argc, const JSValueRef argv[]) {
  return js_tls_context(js_arg(argc, argv, 0));
}

/* A text that may be left out; NULL then. */
static char* optional_text(size_t argc, const JSValueRef argv[], size_t index) {
  JSValueRef value = js_arg(argc, argv, index);
  return JSValueIsString(js.ctx, value) ? js_utf8(value, NULL) : NULL;
}

/* context(method or undefined, least version, greatest) → a token */
static JSValueRef context_open(JS_ARGS) {
  JS_UNUSED;
  struct crypto_failure failure = {0};
  enum tls_outcome outcome = TLS_FAILED;
  char* method = optional_text(argc, argv, 0);
  struct tls_context* context =
      js_tls->context.open(method, js_arg_int(argc, argv, 1, 0),
                           js_arg_int(argc, argv, 2, 0), &outcome, &failure);
  free(method);
  return context != NULL ? JSObjectMake(js.ctx, context_class(), context)
                         : js_tls_outcome(outcome, &failure);
}

typedef enum tls_outcome (*set_secret)(struct tls_context*, struct crypto_bytes,
                                       const char*, struct crypto_failure*);

static JSValueRef with_passphrase(set_secret set, size_t argc, const JSValueRef argv[]) {
  struct crypto_failure failure = {0};
  struct tls_context* context = context_arg(argc, argv);
  if (context == NULL)
    return js_number(TLS_NOT_READY);
  char* passphrase = optional_text(argc, argv, 2);
  enum tls_outcome outcome =
      set(context, js_tls_bytes(js_arg(argc, argv, 1)), passphrase, &failure);
  free(passphrase);
  return js_tls_outcome(outcome, &failure);
}

/* contextSetKey(token, PEM, passphrase or undefined) */
static JSValueRef context_set_key(JS_ARGS) {
  JS_UNUSED;
  return with_passphrase(js_tls->context.set_key, argc, argv);
}

/* contextLoadPFX(token, bytes, passphrase or undefined) */
static JSValueRef context_load_pfx(JS_ARGS) {
  JS_UNUSED;
  return with_passphrase(js_tls->context.load_pfx, argc, argv);
}

typedef enum tls_outcome (*set_bytes)(struct tls_context*, struct crypto_bytes,
                                      struct crypto_failure*);
typedef enum tls_outcome (*set_text)(struct tls_context*, const char*,
                                     struct crypto_failure*);

static JSValueRef with_bytes(set_bytes set, size_t argc, const JSValueRef argv[]) {
  struct crypto_failure failure = {0};
  struct tls_context* context = context_arg(argc, argv);
  if (context == NULL)
    return js_number(TLS_NOT_READY);
  return js_tls_outcome(set(context, js_tls_bytes(js_arg(argc, argv, 1)), &failure),
                        &failure);
}

static JSValueRef with_text(set_text set, size_t argc, const JSValueRef argv[]) {
  struct crypto_failure failure = {0};
  struct tls_context* context = context_arg(argc, argv);
  char* text = context != NULL ? js_arg_utf8(argc, argv, 1) : NULL;
  if (text == NULL)
    return js_number(TLS_NOT_READY);
  enum tls_outcome outcome = set(context, text, &failure);
  free(text);
  return js_tls_outcome(outcome, &failure);
}

static JSValueRef context_set_cert(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->context.set_cert, argc, argv);
}

static JSValueRef context_add_ca(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->context.add_ca, argc, argv);
}

static JSValueRef context_add_crl(JS_ARGS) {
  JS_UNUSED;
  return with_bytes(js_tls->context.add_crl, argc, argv);
}

static JSValueRef context_set_ciphers(JS_ARGS) {
  JS_UNUSED;
  return with_text(js_tls->context.set_ciphers, argc, argv);
}

static JSValueRef context_set_suites(JS_ARGS) {
  JS_UNUSED;
  return with_text(js_tls->context.set_suites, argc, argv);
}

static JSValueRef context_set_sigalgs(JS_ARGS) {
  JS_UNUSED;
  return with_text(js_tls->context.set_sigalgs, argc, argv);
}

/* contextAddRoots(token) → what is wrong with NODE_EXTRA_CA_CERTS, or undefined */
static JSValueRef context_add_roots(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  const char* problem = NULL;
  if (context != NULL)
    js_tls->context.add_roots(context, &problem);
  return problem != NULL ? js_string(problem) : js_undefined();
}

static JSValueRef context_set_curves(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  char* list = context != NULL ? js_arg_utf8(argc, argv, 1) : NULL;
  if (list == NULL)
    return js_number(TLS_NOT_READY);
  enum tls_outcome outcome = js_tls->context.set_curves(context, list);
  free(list);
  return js_number(outcome);
}

/* contextSetDH(token, PEM, or true for parameters that fit) */
static JSValueRef context_set_dh(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  JSValueRef params = js_arg(argc, argv, 1);
  if (context == NULL)
    return js_number(TLS_NOT_READY);
  bool is_auto = JSValueIsBoolean(js.ctx, params);
  return js_number(js_tls->context.set_dh(context, js_tls_bytes(params), is_auto));
}

static JSValueRef context_set_session_name(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  char* name = context != NULL ? js_arg_utf8(argc, argv, 1) : NULL;
  bool is_set = name != NULL && js_tls->context.set_session_name(context, name);
  free(name);
  return js_boolean(is_set);
}

static JSValueRef context_set_session_timeout(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  if (context != NULL)
    js_tls->context.set_session_timeout(context, js_arg_int(argc, argv, 1, 0));
  return js_undefined();
}

/* contextSetOptions(token, bits) */
static JSValueRef context_set_options(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  double bits = js_arg_number(argc, argv, 1, 0);
  if (context != NULL)
    js_tls->context.set_options(context, (uint64_t) (int64_t) bits);
  return js_undefined();
}

static JSValueRef context_set_partial_trust(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  if (context != NULL)
    js_tls->context.set_partial_trust(context);
  return js_undefined();
}

/* contextVersion(token, whether the greatest[, a new one]) */
static JSValueRef context_version(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  bool is_max = js_arg_bool(argc, argv, 1);
  if (context == NULL)
    return js_number(0);
  if (argc > 2)
    return js_boolean(
        js_tls->context.set_version(context, is_max, js_arg_int(argc, argv, 2, 0)));
  return js_number(js_tls->context.version(context, is_max));
}

/* contextTicketKeys(token[, new ones]) */
static JSValueRef context_ticket_keys(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  if (context == NULL)
    return js_undefined();
  if (argc > 1) {
    struct crypto_bytes keys = js_tls_bytes(argv[1]);
    if (keys.length == TLS_TICKET_KEYS)
      js_tls->context.set_ticket_keys(context, keys.bytes);
    return js_undefined();
  }
  uint8_t keys[TLS_TICKET_KEYS];
  js_tls->context.ticket_keys(context, keys);
  return js_tls_copy((struct crypto_bytes){keys, sizeof(keys)});
}

/* contextCertificate(token, whether that of the issuer) → DER, or undefined */
static JSValueRef context_certificate(JS_ARGS) {
  JS_UNUSED;
  struct tls_context* context = context_arg(argc, argv);
  size_t length = 0;
  if (context == NULL)
    return js_undefined();
  uint8_t* der =
      js_tls->context.certificate(context, js_arg_bool(argc, argv, 1), &length);
  return js_tls_take(der, length);
}

const struct js_method js_tls_context_methods[] = {
    {"context", context_open},
    {"contextSetKey", context_set_key},
    {"contextSetCert", context_set_cert},
    {"contextLoadPFX", context_load_pfx},
    {"contextAddCA", context_add_ca},
    {"contextAddCRL", context_add_crl},
    {"contextAddRoots", context_add_roots},
    {"contextSetCiphers", context_set_ciphers},
    {"contextSetSuites", context_set_suites},
    {"contextSetSigalgs", context_set_sigalgs},
    {"contextSetCurves", context_set_curves},
    {"contextSetDH", context_set_dh},
    {"contextSetSessionName", context_set_session_name},
    {"contextSetSessionTimeout", context_set_session_timeout},
    {"contextSetOptions", context_set_options},
    {"contextSetPartialTrust", context_set_partial_trust},
    {"contextVersion", context_version},
    {"contextTicketKeys", context_ticket_keys},
    {"contextCertificate", context_certificate},
    {NULL, NULL},
};
