/* native('crypto'): calls of the library's operations (crypto_library.h), at once or on a
 * thread of the pool, and the tokens that hold keys and certificates. */
#include "js_answer.h"
#include "js_crypto.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ---------------------------------------------------------------------- */

static void key_finalize(JSObjectRef token) {
  js_crypto->call.key_drop(JSObjectGetPrivate(token));
}

static void certificate_finalize(JSObjectRef token) {
  js_crypto->call.certificate_drop(JSObjectGetPrivate(token));
}

static JSClassRef token_class(JSClassRef* class, const char* name,
                              JSObjectFinalizeCallback finalize) {
  if (*class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = name;
    definition.finalize = finalize;
    *class = JSClassCreate(&definition);
  }
  return *class;
}

static JSClassRef key_class(void) {
  static JSClassRef class;
  return token_class(&class, "Key", key_finalize);
}

static JSClassRef certificate_class(void) {
  static JSClassRef class;
  return token_class(&class, "Certificate", certificate_finalize);
}

static void* token_held(JSValueRef value, JSClassRef class) {
  return JSValueIsObjectOfClass(js.ctx, value, class)
             ? JSObjectGetPrivate((JSObjectRef) (uintptr_t) value)
             : NULL;
}

struct crypto_key* js_crypto_key(JSValueRef token) {
  return js_crypto != NULL ? token_held(token, key_class()) : NULL;
}

JSValueRef js_crypto_key_token(struct crypto_key* key) {
  return JSObjectMake(js.ctx, key_class(), js_crypto->call.key_hold(key));
}

struct crypto_certificate* js_crypto_certificate(JSValueRef token) {
  return js_crypto != NULL ? token_held(token, certificate_class()) : NULL;
}

JSValueRef js_crypto_certificate_token(struct crypto_certificate* certificate) {
  return JSObjectMake(js.ctx, certificate_class(),
                      js_crypto->call.certificate_hold(certificate));
}

/* ---- a call ------------------------------------------------------------------------ */

struct pending {
  uv_work_t uv;
  struct crypto_call call;
  struct answer answer;
  bool is_job;
  /* The arguments' memory, which the call only points to; `copied` if the bytes are, too:
   * the program may change or move its own meanwhile. */
  char* texts[CRYPTO_ARGUMENTS_MOST];
  uint8_t* bytes[CRYPTO_ARGUMENTS_MOST];
};

static void pending_clear(struct pending* pending) {
  for (size_t i = 0; i < pending->call.in_count; i++) {
    struct crypto_value* value = &pending->call.in[i];
    free(pending->texts[i]);
    if (pending->bytes[i] != NULL)
      explicit_bzero(pending->bytes[i], value->bytes.length);
    free(pending->bytes[i]);
    js_crypto->call.key_drop(value->key);
    js_crypto->call.certificate_drop(value->certificate);
  }
  js_crypto->call.clear(&pending->call);
}

static bool bytes_read(struct pending* pending, size_t index, JSValueRef argument,
                       bool copies) {
  struct crypto_value* value = &pending->call.in[index];
  value->kind = CRYPTO_BYTES;
  value->bytes = js_crypto_bytes(argument);
  if (!copies)
    return true;
  pending->bytes[index] = malloc(value->bytes.length + 1);
  if (pending->bytes[index] == NULL)
    return false;
  if (value->bytes.length > 0)
    memcpy(pending->bytes[index], value->bytes.bytes, value->bytes.length);
  value->bytes.bytes = pending->bytes[index];
  return true;
}

static bool object_read(struct pending* pending, size_t index, JSValueRef argument,
                        bool copies) {
  struct crypto_value* value = &pending->call.in[index];
  struct crypto_key* key = js_crypto_key(argument);
  struct crypto_certificate* certificate = js_crypto_certificate(argument);
  if (key != NULL) {
    value->kind = CRYPTO_KEY;
    value->key = js_crypto->call.key_hold(key);
    return true;
  }
  if (certificate != NULL) {
    value->kind = CRYPTO_CERTIFICATE;
    value->certificate = js_crypto->call.certificate_hold(certificate);
    return true;
  }
  return bytes_read(pending, index, argument, copies);
}

/* False without memory. */
static bool argument_read(struct pending* pending, size_t index, JSValueRef argument,
                          bool copies) {
  struct crypto_value* value = &pending->call.in[index];
  switch (JSValueGetType(js.ctx, argument)) {
  case kJSTypeNumber:
    value->kind = CRYPTO_NUMBER;
    value->number = JSValueToNumber(js.ctx, argument, NULL);
    return true;
  case kJSTypeBoolean:
    value->kind = CRYPTO_TRUTH;
    value->number = JSValueToBoolean(js.ctx, argument);
    return true;
  case kJSTypeString:
    value->kind = CRYPTO_TEXT;
    value->text = pending->texts[index] = js_utf8(argument, NULL);
    return value->text != NULL;
  case kJSTypeObject:
    return object_read(pending, index, argument, copies);
  default:
    return true;
  }
}

/* ---- results -------------------------------------------------------------------------
 */

/* Bytes and objects go over to JavaScript. */
static JSValueRef value_of(struct crypto_value* value) {
  JSValueRef made = js_undefined();
  switch (value->kind) {
  case CRYPTO_NUMBER:
    return js_number(value->number);
  case CRYPTO_TRUTH:
    return js_boolean(value->number != 0);
  case CRYPTO_TEXT:
    return js_string(value->text);
  case CRYPTO_BYTES:
    made = js_bytes_take((void*) (uintptr_t) value->bytes.bytes, value->bytes.length);
    break;
  case CRYPTO_KEY:
    made = JSObjectMake(js.ctx, key_class(), value->key);
    break;
  case CRYPTO_CERTIFICATE:
    made = JSObjectMake(js.ctx, certificate_class(), value->certificate);
    break;
  case CRYPTO_NOTHING:
    break;
  }
  value->kind = CRYPTO_NOTHING;
  return made;
}

static JSValueRef results_of(struct crypto_call* call) {
  if (!call->is_list)
    return call->out_count > 0 ? value_of(&call->out[0]) : js_undefined();
  JSObjectRef list = js_array(0, NULL);
  for (size_t i = 0; i < call->out_count; i++)
    JSObjectSetPropertyAtIndex(js.ctx, list, (unsigned) i, value_of(&call->out[i]), NULL);
  return list;
}

static JSValueRef error_of(const struct pending* pending) {
  const struct crypto_call* call = &pending->call;
  const struct crypto_refusal* refusal = &call->refusal;
  if (refusal->kind != NULL)
    return js_error(refusal->kind, refusal->code, "%s", refusal->message);
  return (pending->is_job ? js_crypto_job_error : js_crypto_error)(
      &call->failure, call->otherwise != NULL ? call->otherwise : "Operation failed");
}

static void pending_run(uv_work_t* uv) {
  js_crypto->call.run(&((struct pending*) uv)->call);
}

static void pending_done(uv_work_t* uv, int status) {
  struct pending* pending = (struct pending*) uv;
  (void) status; /* nobody cancels */
  JSValueRef error = pending->call.failed ? error_of(pending) : NULL;
  JSValueRef result = error == NULL ? results_of(&pending->call) : NULL;
  struct answer answer = pending->answer;
  pending_clear(pending);
  free(pending);
  js_answer_give(&answer, error, result);
}

static JSValueRef run_now(const struct pending* begun, JSValueRef* exception) {
  struct pending pending = *begun;
  js_crypto->call.run(&pending.call);
  JSValueRef result = js_undefined();
  if (pending.call.failed)
    *exception = error_of(&pending);
  else
    result = results_of(&pending.call);
  pending_clear(&pending);
  return result;
}

static JSValueRef run_later(const struct pending* begun, JSObjectRef callback,
                            JSValueRef* exception) {
  struct pending* pending = malloc(sizeof(*pending));
  int err = UV_ENOMEM;
  if (pending != NULL) {
    *pending = *begun;
    js_answer_open(&pending->answer, callback);
    char* origin = js_origin();
    js_origin_report(origin);
    free(origin);
    err = uv_queue_work(js.loop, &pending->uv, pending_run, pending_done);
    if (err == 0)
      return js_undefined();
    js_answer_drop(&pending->answer);
    free(pending);
  }
  struct pending left = *begun;
  pending_clear(&left);
  *exception = js_uv_error(err, "crypto", NULL, NULL);
  return js_undefined();
}

static JSValueRef call_start(bool is_job, size_t argc, const JSValueRef argv[],
                             JSValueRef* exception) {
  struct pending pending = {.is_job = is_job};
  char* name = js_arg_utf8(argc, argv, 0);
  pending.call.operation = name != NULL ? js_crypto->call.find(name) : NULL;
  JSObjectRef callback = js_arg_function(argc, argv, 1);
  bool ready = pending.call.operation != NULL;
  if (!ready)
    *exception = js_error("Error", "ERR_INTERNAL_ASSERTION", "No operation %s", name);
  free(name);
  for (size_t i = 2; ready && i < argc && i < CRYPTO_ARGUMENTS_MOST + 2; i++) {
    pending.call.in_count = i - 1;
    ready = argument_read(&pending, i - 2, argv[i], callback != NULL);
    if (!ready)
      *exception = js_uv_error(UV_ENOMEM, "crypto", NULL, NULL);
  }
  if (!ready) {
    pending_clear(&pending);
    return js_undefined();
  }
  return callback == NULL ? run_now(&pending, exception)
                          : run_later(&pending, callback, exception);
}

/* call(operation, undefined, …arguments) → its result */
static JSValueRef crypto_call(JS_ARGS) {
  JS_UNUSED;
  return call_start(false, argc, argv, exception);
}

/* callLater(operation, callback or undefined, …arguments): its result, or with a callback
 * nothing. Errors are those of a job. */
static JSValueRef crypto_call_later(JS_ARGS) {
  JS_UNUSED;
  return call_start(true, argc, argv, exception);
}

const struct js_method js_crypto_call_methods[] = {
    {"call", crypto_call}, {"callLater", crypto_call_later}, {NULL, NULL}};
