/* native('timers'): ticks, timers and immediates for JavaScript. JavaScript identifies a
 * timer by a slot number and keeps the callback; C keeps the order. So no value has to be
 * protected from collection, and firing a timer is a single call into JavaScript.
 * Frequent calls pass their numbers through shared memory: converting a value takes the
 * engine's lock, which costs as much as everything else. */
#include "js.h"
#include "node/tracing.h"

#include <stdlib.h>

enum { CHUNK = 256 };

/* Slots of one kind: memory that never moves (the Node layer links it), found by number,
 * reused once free. */
struct timer_slots {
  size_t item_size;
  char** chunks;
  size_t chunk_count;
  uint32_t* free_slots;
  size_t free_count, free_capacity;
};

static struct timer_slots timer_slots = {sizeof(rondo_node_timer_t), NULL, 0, NULL, 0, 0};
static struct timer_slots immediate_slots = {
    sizeof(rondo_node_immediate_t), NULL, 0, NULL, 0, 0};
static JSObjectRef fire_timer, fire_immediate, name_timer, name_immediate, run_ticks;
static rondo_node_tick_t tick;
static int32_t tick_info[1]; /* [0]: JavaScript's tick queue isn't empty */
static int tick_queued;
static bool stepped;    /* `rondo step` shows the queues */
static char* last_name; /* of the timer that is called back, for its next time */
static double cell[2];  /* in: delay and repeat; out: the slot that is due */

static void* slot_at(const struct timer_slots* slots, uint32_t slot) {
  return slots->chunks[slot / CHUNK] + slot % CHUNK * slots->item_size;
}

static void* slot_get(const struct timer_slots* slots, double number) {
  if (!(number >= 0 && number < (double) (slots->chunk_count * CHUNK)))
    return NULL;
  return slot_at(slots, (uint32_t) number);
}

static int slots_grow(struct timer_slots* slots) {
  size_t capacity = (slots->chunk_count + 1) * CHUNK;
  char** chunks = realloc(slots->chunks, (slots->chunk_count + 1) * sizeof(*chunks));
  if (chunks == NULL)
    return UV_ENOMEM;
  slots->chunks = chunks;
  if (capacity > slots->free_capacity) {
    uint32_t* free_slots = realloc(slots->free_slots, 2 * capacity * sizeof(*free_slots));
    if (free_slots == NULL)
      return UV_ENOMEM;
    slots->free_slots = free_slots;
    slots->free_capacity = 2 * capacity;
  }
  char* chunk = calloc(CHUNK, slots->item_size);
  if (chunk == NULL)
    return UV_ENOMEM;
  chunks[slots->chunk_count++] = chunk;
  for (size_t i = 1; i <= CHUNK; i++)
    slots->free_slots[slots->free_count++] = (uint32_t) (capacity - i);
  return 0;
}

static int slot_take(struct timer_slots* slots, uint32_t* slot) {
  if (slots->free_count == 0 && slots_grow(slots) != 0)
    return UV_ENOMEM;
  *slot = slots->free_slots[--slots->free_count];
  return 0;
}

static void slot_give(struct timer_slots* slots, uint32_t slot) {
  slots->free_slots[slots->free_count++] = slot;
}

/* Reports the callback's name to the recorder. */
static void name_slot(JSObjectRef name_of) {
  if (!rondo_trace_active(js.loop) || name_of == NULL)
    return;
  JSValueRef value = JSObjectCallAsFunction(js.ctx, name_of, NULL, 0, NULL, NULL);
  char* name = value == NULL ? NULL : js_utf8(value, NULL);
  if (name != NULL)
    rondo_trace_name(js.loop, name);
  free(last_name);
  last_name = name;
}

/* ---- for `rondo step` -------------------------------------------------------- */

static void step_timer(const rondo_node_timer_t* timer, const char* name) {
  if (!stepped)
    return;
  unsigned int flags = (timer->repeat ? RONDO_STEP_REPEATS : 0u) |
                       (timer->refed ? 0u : RONDO_STEP_UNREFERENCED);
  rondo_step_put(js.loop, RONDO_STEP_TIMERS, (uint64_t) (uintptr_t) timer->data, name,
                 timer->start + timer->duration, flags);
}

/* The interval counts from before its callback, and is started again behind it. */
static void step_repeat(const rondo_node_timer_t* timer, uint64_t now) {
  rondo_node_timer_t next = *timer;
  next.start = now;
  step_timer(&next, last_name);
}

static void step_immediate(const rondo_node_immediate_t* immediate, const char* name) {
  if (stepped)
    rondo_step_put(js.loop, RONDO_STEP_IMMEDIATES, (uint64_t) (uintptr_t) immediate->data,
                   name, 0, immediate->refed ? 0 : RONDO_STEP_UNREFERENCED);
}

static void step_take(int queue, uint64_t key) {
  if (stepped)
    rondo_step_take(js.loop, queue, key);
}

static const void* call_with_slot(JSObjectRef function, JSObjectRef name_of, void* data) {
  JSValueRef exception = NULL;
  cell[0] = (double) (uintptr_t) data;
  name_slot(name_of);
  JSObjectCallAsFunction(js.ctx, function, NULL, 0, NULL, &exception);
  return exception;
}

/* ---- ticks ------------------------------------------------------------------ */

static const void* ticks_due(rondo_node_t* node, void* data) {
  (void) data;
  JSValueRef exception = NULL;
  tick_queued = 0;
  JSObjectCallAsFunction(js.ctx, run_ticks, NULL, 0, NULL, &exception);
  /* Ticks that an error has left in JavaScript's queue run at the next checkpoint. */
  if (tick_info[0] != 0 && rondo_node_next_tick(node, &tick, ticks_due, NULL) == 0)
    tick_queued = 1;
  return exception;
}

static JSValueRef schedule_ticks(JS_ARGS) {
  JS_UNUSED;
  if (!tick_queued && rondo_node_next_tick(js.node, &tick, ticks_due, NULL) == 0)
    tick_queued = 1;
  return js_undefined();
}

/* ---- timers ------------------------------------------------------------------ */

static const void* timer_due(rondo_node_t* node, void* data) {
  uint64_t now = uv_now(rondo_node_loop(node));
  uint32_t slot = (uint32_t) (uintptr_t) data;
  step_take(RONDO_STEP_TIMERS, slot);
  const void* error = call_with_slot(fire_timer, name_timer, data);
  const rondo_node_timer_t* timer = slot_at(&timer_slots, slot);
  if (stepped && timer->repeat && timer->active && timer->data == data)
    step_repeat(timer, now);
  return error;
}

static void timer_done(rondo_node_t* node, rondo_node_timer_t* timer) {
  (void) node;
  step_take(RONDO_STEP_TIMERS, (uint64_t) (uintptr_t) timer->data);
  slot_give(&timer_slots, (uint32_t) (uintptr_t) timer->data);
}

/* timerStart() → slot, with delay and repeat in the cell */
static JSValueRef timer_start(JS_ARGS) {
  uint32_t slot;
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  double ms = cell[0];
  int repeat = cell[1] != 0;
  if (slot_take(&timer_slots, &slot) == 0) {
    rondo_node_timer_t* timer = slot_at(&timer_slots, slot);
    timer->data = (void*) (uintptr_t) slot;
    if (rondo_node_timer_start(js.node, timer, ms, repeat, timer_due, timer_done) == 0) {
      step_timer(timer, NULL);
      return js_number(slot);
    }
    slot_give(&timer_slots, slot);
  }
  *exception = js_error("Error", "ERR_OUT_OF_MEMORY", "No memory for another timer");
  return js_undefined();
}

static rondo_node_timer_t* timer_arg(size_t argc, const JSValueRef argv[]) {
  return slot_get(&timer_slots, js_arg_number(argc, argv, 0, -1));
}

static JSValueRef timer_clear(JS_ARGS) {
  JS_UNUSED;
  rondo_node_timer_t* timer = timer_arg(argc, argv);
  if (timer != NULL)
    rondo_node_timer_clear(js.node, timer);
  return js_undefined();
}

static JSValueRef timer_refresh(JS_ARGS) {
  JS_UNUSED;
  rondo_node_timer_t* timer = timer_arg(argc, argv);
  if (timer != NULL) {
    rondo_node_timer_refresh(js.node, timer);
    step_timer(timer, NULL);
  }
  return js_undefined();
}

/* timerRef(slot, on) */
static JSValueRef timer_ref(JS_ARGS) {
  JS_UNUSED;
  rondo_node_timer_t* timer = timer_arg(argc, argv);
  if (timer != NULL && js_arg_bool(argc, argv, 1))
    rondo_node_timer_ref(js.node, timer);
  else if (timer != NULL)
    rondo_node_timer_unref(js.node, timer);
  if (timer != NULL && timer->active && !timer->firing)
    step_timer(timer, NULL);
  return js_undefined();
}

/* ---- immediates ---------------------------------------------------------------- */

static const void* immediate_due(rondo_node_t* node, void* data) {
  (void) node;
  /* The slot is freed before the callback, which may use it again. */
  slot_give(&immediate_slots, (uint32_t) (uintptr_t) data);
  step_take(RONDO_STEP_IMMEDIATES, (uint64_t) (uintptr_t) data);
  return call_with_slot(fire_immediate, name_immediate, data);
}

/* immediateStart() → slot */
static JSValueRef immediate_start(JS_ARGS) {
  uint32_t slot;
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  if (slot_take(&immediate_slots, &slot) != 0) {
    *exception =
        js_error("Error", "ERR_OUT_OF_MEMORY", "No memory for another immediate");
    return js_undefined();
  }
  rondo_node_immediate_t* immediate = slot_at(&immediate_slots, slot);
  immediate->data = (void*) (uintptr_t) slot;
  rondo_node_immediate_start(js.node, immediate, immediate_due);
  step_immediate(immediate, NULL);
  return js_number(slot);
}

static JSValueRef immediate_clear(JS_ARGS) {
  JS_UNUSED;
  rondo_node_immediate_t* immediate =
      slot_get(&immediate_slots, js_arg_number(argc, argv, 0, -1));
  if (immediate != NULL && immediate->queued) {
    rondo_node_immediate_clear(js.node, immediate);
    step_take(RONDO_STEP_IMMEDIATES, (uint64_t) (uintptr_t) immediate->data);
    slot_give(&immediate_slots, (uint32_t) (uintptr_t) immediate->data);
  }
  return js_undefined();
}

/* immediateRef(slot, on) */
static JSValueRef immediate_ref(JS_ARGS) {
  JS_UNUSED;
  rondo_node_immediate_t* immediate =
      slot_get(&immediate_slots, js_arg_number(argc, argv, 0, -1));
  if (immediate != NULL && js_arg_bool(argc, argv, 1))
    rondo_node_immediate_ref(js.node, immediate);
  else if (immediate != NULL)
    rondo_node_immediate_unref(js.node, immediate);
  if (immediate != NULL && immediate->queued)
    step_immediate(immediate, NULL);
  return js_undefined();
}

/* ---- for `rondo step`, from JavaScript ------------------------------------------ */

/* step(queue, key, name): what in a queue is called; for ticks also that it is there */
static JSValueRef step_name(JS_ARGS) {
  JS_UNUSED;
  int queue = (int) js_arg_number(argc, argv, 0, -1);
  double key = js_arg_number(argc, argv, 1, -1);
  char* name = js_utf8(js_arg(argc, argv, 2), NULL);
  const rondo_node_timer_t* timer =
      queue == RONDO_STEP_TIMERS ? slot_get(&timer_slots, key) : NULL;
  const rondo_node_immediate_t* immediate =
      queue == RONDO_STEP_IMMEDIATES ? slot_get(&immediate_slots, key) : NULL;
  if (timer != NULL)
    step_timer(timer, name);
  else if (immediate != NULL)
    step_immediate(immediate, name);
  else if (queue == RONDO_STEP_TICKS && key >= 0)
    rondo_step_put(js.loop, queue, (uint64_t) key, name, 0, 0);
  free(name);
  return js_undefined();
}

/* tickBegins(key, name) → the span; tickEnds(span) */
static JSValueRef tick_begins(JS_ARGS) {
  JS_UNUSED;
  char* name = js_utf8(js_arg(argc, argv, 1), NULL);
  step_take(RONDO_STEP_TICKS, (uint64_t) js_arg_number(argc, argv, 0, 0));
  int span = rondo_trace_begin(js.loop, name == NULL ? "" : name);
  free(name);
  return js_number(span);
}

static JSValueRef tick_ends(JS_ARGS) {
  JS_UNUSED;
  rondo_trace_end(js.loop, (int) js_arg_number(argc, argv, 0, 0));
  return js_undefined();
}

static JSObjectRef kept_arg(size_t argc, const JSValueRef argv[], size_t index) {
  JSObjectRef callback = js_arg_function(argc, argv, index);
  if (callback != NULL)
    js_keep(callback);
  return callback;
}

/* onTicks(runTicks) */
static JSValueRef on_ticks(JS_ARGS) {
  JS_UNUSED;
  run_ticks = kept_arg(argc, argv, 0);
  return js_undefined();
}

/* onTimers(fireTimer, fireImmediate, nameTimer, nameImmediate): called with a slot number
 * in the cell */
static JSValueRef on_timers(JS_ARGS) {
  JS_UNUSED;
  fire_timer = kept_arg(argc, argv, 0);
  fire_immediate = kept_arg(argc, argv, 1);
  name_timer = kept_arg(argc, argv, 2);
  name_immediate = kept_arg(argc, argv, 3);
  return js_undefined();
}

bool js_step_join(void) {
  return rondo_step_join(js.loop, 1u << RONDO_STEP_TIMERS | 1u << RONDO_STEP_IMMEDIATES |
                                      1u << RONDO_STEP_TICKS | RONDO_STEP_NAMES_FOLLOW) !=
         0;
}

void native_timers(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"onTicks", on_ticks},
      {"onTimers", on_timers},
      {"scheduleTicks", schedule_ticks},
      {"timerStart", timer_start},
      {"timerClear", timer_clear},
      {"timerRefresh", timer_refresh},
      {"timerRef", timer_ref},
      {"immediateStart", immediate_start},
      {"immediateClear", immediate_clear},
      {"immediateRef", immediate_ref},
      {NULL, NULL},
  };
  static const struct js_method step_methods[] = {{"step", step_name},
                                                  {"tickBegins", tick_begins},
                                                  {"tickEnds", tick_ends},
                                                  {NULL, NULL}};
  js_methods(exports, methods);
  stepped = js_step_join();
  if (stepped)
    js_methods(exports, step_methods);
  js_set(exports, "cell", js_shared(kJSTypedArrayTypeFloat64Array, cell, sizeof(cell)));
  js_set(exports, "tickInfo",
         js_shared(kJSTypedArrayTypeInt32Array, tick_info, sizeof(tick_info)));
}
