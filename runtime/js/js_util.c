/* native('util'): facts about a value that only the engine knows. */
#include "js.h"

#include <string.h>

/* Exported by the engine's library, but not declared in any header. */
extern JSObjectRef JSObjectGetProxyTarget(JSObjectRef object);
extern JSObjectRef JSGetMemoryUsageStatistics(JSContextRef ctx);

/* A promise keeps its state and result in two internal fields behind the object's header
 * and property storage. No interface gives access to them, so they are read from memory;
 * the first use checks the layout with promises whose state is known. */
struct promise_layout {
  uint64_t header, properties;
  uint64_t flags; /* a small integer: 2 bits of state, then "is handled" */
  JSValueRef result;
};

enum { PENDING, FULFILLED, REJECTED, STATE_MASK = 3, HANDLED = 4 };

static const uint64_t small_integer_tag = 0xfffe000000000000u;

static bool promise_read(JSValueRef promise, struct promise_layout* out) {
  memcpy(out, promise, sizeof(*out));
  return (out->flags & ~(uint64_t) 0xff) == small_integer_tag;
}

static JSValueRef evaluate(const char* code) {
  JSStringRef script = JSStringCreateWithUTF8CString(code);
  JSValueRef value = JSEvaluateScript(js.ctx, script, NULL, NULL, 1, NULL);
  JSStringRelease(script);
  return value;
}

static bool probe(const char* code, unsigned state, unsigned handled) {
  struct promise_layout layout;
  JSValueRef promise = evaluate(code);
  return promise != NULL && JSValueIsObject(js.ctx, promise) &&
         promise_read(promise, &layout) && (layout.flags & STATE_MASK) == state &&
         (layout.flags & HANDLED) == handled;
}

static bool layout_known(void) {
  static int known = -1;
  if (known < 0)
    known =
        probe("new Promise(() => {})", PENDING, 0) &&
        probe("Promise.resolve(1)", FULFILLED, 0) &&
        probe("{ const p = Promise.reject(1); p.catch(() => {}); p }", REJECTED, HANDLED);
  return known != 0;
}

/* promiseState(promise) → [state, result, handled] or undefined if it isn't known */
static JSValueRef promise_state(JS_ARGS) {
  JS_UNUSED;
  struct promise_layout layout;
  JSObjectRef promise = js_arg_object(argc, argv, 0);
  if (promise == NULL || !layout_known() || !promise_read(promise, &layout))
    return js_undefined();
  unsigned state = layout.flags & STATE_MASK;
  JSValueRef parts[] = {js_number(state),
                        state == PENDING ? js_undefined() : layout.result,
                        js_boolean((layout.flags & HANDLED) != 0)};
  return js_array(3, parts);
}

static JSValueRef promise_handled(JS_ARGS) {
  JS_UNUSED;
  struct promise_layout layout;
  JSObjectRef promise = js_arg_object(argc, argv, 0);
  return js_boolean(promise != NULL && layout_known() && promise_read(promise, &layout) &&
                    (layout.flags & HANDLED) != 0);
}

/* proxyTarget(value) → the target, or undefined if it is no proxy */
static JSValueRef proxy_target(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef object = js_arg_object(argc, argv, 0);
  JSObjectRef target = object != NULL ? JSObjectGetProxyTarget(object) : NULL;
  return target != NULL ? target : js_undefined();
}

/* proxyHandler(proxy) → its handler, the second of its internal fields; undefined if the
 * first isn't the target, since then the layout isn't known. */
static JSValueRef proxy_handler(JS_ARGS) {
  JS_UNUSED;
  struct {
    uint64_t header, properties;
    JSValueRef target, handler;
  } layout;
  JSObjectRef proxy = js_arg_object(argc, argv, 0);
  JSObjectRef target = proxy != NULL ? JSObjectGetProxyTarget(proxy) : NULL;
  if (target == NULL)
    return js_undefined();
  memcpy(&layout, proxy, sizeof(layout));
  return layout.target == target ? layout.handler : js_undefined();
}

/* The position of an iterator is in its internal fields: saved before the iterator is
 * used up and restored afterwards, they rewind it. The objects they point to are kept
 * alive by the map or set, which doesn't change meanwhile. */
enum { ITERATOR_FIELDS = 4 * sizeof(uint64_t), ITERATOR_START = 2 * sizeof(uint64_t) };

static JSValueRef take_items(JSObjectRef iterator, JSObjectRef drain,
                             JSValueRef* exception) {
  uint64_t fields[ITERATOR_FIELDS / sizeof(uint64_t)];
  char* start = (char*) (uintptr_t) iterator + ITERATOR_START;
  memcpy(fields, start, sizeof(fields));
  JSValueRef arguments[] = {iterator};
  JSValueRef items = JSObjectCallAsFunction(js.ctx, drain, NULL, 1, arguments, exception);
  memcpy(start, fields, sizeof(fields));
  return items;
}

static double count_of(JSValueRef items) {
  if (items == NULL || !JSValueIsObject(js.ctx, items))
    return -1;
  return JSValueToNumber(js.ctx, js_get((JSObjectRef) (uintptr_t) items, "length"), NULL);
}

/* Tested once, on iterators with known items: a fresh one and one already begun. */
static bool iterators_restart(JSObjectRef drain) {
  static int known = -1;
  if (known >= 0)
    return known != 0;
  known = 1;
  static const char* const samples[] = {
      "{ const i = new Map([[1, 2], [3, 4], [5, 6]]).entries(); i.next(); i }",
      "{ const i = new Set([1, 2, 3]).values(); i.next(); i }",
  };
  for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
    JSObjectRef sample = (JSObjectRef) (uintptr_t) evaluate(samples[i]);
    for (int again = 0; again < 2; again++)
      if (sample == NULL || count_of(take_items(sample, drain, NULL)) != 2)
        known = 0;
  }
  return known != 0;
}

/* iteratorItems(iterator of a map or set, drain) → what drain(iterator) returns, with the
 * iterator left as it was; undefined where that can't be done */
static JSValueRef iterator_items(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef iterator = js_arg_object(argc, argv, 0);
  JSObjectRef drain = js_arg_function(argc, argv, 1);
  if (iterator == NULL || drain == NULL || !iterators_restart(drain))
    return js_undefined();
  JSValueRef items = take_items(iterator, drain, exception);
  return items != NULL ? items : js_undefined();
}

static JSValueRef collect(JS_ARGS) {
  JS_UNUSED;
  JSGarbageCollect(js.ctx);
  return js_undefined();
}

static JSValueRef heap_statistics(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef statistics = JSGetMemoryUsageStatistics(js.ctx);
  JSObjectRef result = js_object();
  js_set(result, "heapTotal", js_get(statistics, "heapCapacity"));
  js_set(result, "heapUsed", js_get(statistics, "heapSize"));
  return result;
}

static JSValueRef on_rejection(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef callback = js_arg_function(argc, argv, 0);
  if (callback != NULL) {
    js_keep(callback);
    engine_on_rejection(callback);
  }
  return js_undefined();
}

static JSValueRef task_begin(JS_ARGS) {
  JS_UNUSED;
  engine_task_begin();
  return js_undefined();
}

static JSValueRef task_end(JS_ARGS) {
  JS_UNUSED;
  engine_task_end();
  return js_undefined();
}

void native_util(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"promiseState", promise_state},
      {"promiseHandled", promise_handled},
      {"proxyTarget", proxy_target},
      {"proxyHandler", proxy_handler},
      {"iteratorItems", iterator_items},
      {"collect", collect},
      {"heap", heap_statistics},
      {"onRejection", on_rejection},
      {"taskBegin", task_begin},
      {"taskEnd", task_end},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
