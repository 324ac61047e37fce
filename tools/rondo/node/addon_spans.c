/* Spans that names.js begins and ends around callbacks of the program's, for as little as
 * possible: a name crosses once and is a number from then on, the open spans are kept
 * here, and what both sides look at all the time is memory that they share.
 *
 * Behind the outermost callback Node runs its ticks and microtasks. No hook says when
 * that begins: a span is begun whenever an outermost callback has ended, and ended by the
 * engine, which calls back when the queue is empty, or by the next callback, such as a
 * tick. Whatever is left open ends with the callback of the loop. */
#include "addon_spans.h"

#include "addon_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPANS_MOST = 256, NAMES_MOST = 1 << 15 };

/* The memory that names.js sees as an Int32Array. */
struct shared {
  int32_t run;      /* calls of the run that is open: a span for one function called again
                       and again; 0: none is open */
  int32_t run_more; /* there were more, which nobody has counted */
  int32_t ticks;    /* how many of Node's own ticks may still be named, */
  int32_t finds;    /* and for how many objects a name may still be sought */
};

struct span_name {
  uint64_t key, microtasks_key;
  char* text; /* the name, its terminator, and "microtasks of" it */
  const char* microtasks;
};

struct open_span {
  int span;
  int32_t name;
};

struct spans {
  uv_loop_t* loop;
  struct shared* shared; /* belongs to the script */
  struct span_name* names;
  int32_t name_count, name_capacity;
  struct open_span open[SPANS_MOST];
  unsigned int depth;
  bool microtasks_watched;
  int microtasks_span;   /* 0: none is open */
  int32_t microtasks_of; /* the callback before them */
  bool interrupted;      /* a callback came in the middle; the span goes on after it */
  unsigned int since_refill; /* microtasks since the credit was refilled, */
  uint64_t refilled_us;      /* and the thread's processor time then */
};

/* Naming one tick of Node's own takes a microsecond or two, as long as the tick, and a
 * request has a dozen. So there are so many names for a millisecond of processor time.
 * Ticks over that are not named, nor is anything until the debt is paid off: of a server
 * either nearly all of them are named or none. */
enum { RATE_PER_MS = 15, CREDIT_MOST = 3000, DEBT_MOST = -10000 };
/* Reading the thread's processor time takes a system call, so it is read now and then. */
enum { REFILL_EVERY = 64 };

static int32_t refilled(int32_t credit, uint64_t used_us) {
  int64_t most = used_us < 1000000 ? (int64_t) used_us * RATE_PER_MS / 1000 : CREDIT_MOST;
  int64_t sum = (credit < DEBT_MOST ? DEBT_MOST : credit) + most;
  return (int32_t) (sum > CREDIT_MOST ? CREDIT_MOST : sum);
}

static void refill(struct spans* spans) {
  struct timespec used;
  if (++spans->since_refill < REFILL_EVERY)
    return;
  spans->since_refill = 0;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
    return;
  uint64_t now_us = (uint64_t) used.tv_sec * 1000000 + (uint64_t) used.tv_nsec / 1000;
  uint64_t used_us = now_us - spans->refilled_us;
  spans->refilled_us = now_us;
  spans->shared->ticks = refilled(spans->shared->ticks, used_us);
  spans->shared->finds = refilled(spans->shared->finds, used_us);
}

/* --- names ---------------------------------------------------------------------------
 */

/* Number 0 stands for a name that found no room. */
static int32_t name_add(struct spans* spans, const char* name) {
  static const char behind[] = "microtasks of ";
  if (spans->name_count == spans->name_capacity) {
    int32_t more = spans->name_capacity == 0 ? 64 : spans->name_capacity * 2;
    struct span_name* bigger =
        more > NAMES_MOST ? NULL : realloc(spans->names, (size_t) more * sizeof(*bigger));
    if (bigger == NULL)
      return 0;
    spans->names = bigger;
    spans->name_capacity = more;
  }
  size_t size = strlen(name) + 1;
  char* text = malloc(2 * size + sizeof(behind));
  if (text == NULL)
    return 0;
  memcpy(text, name, size);
  snprintf(text + size, size + sizeof(behind), "%s%s", behind, name);
  spans->names[spans->name_count] = (struct span_name){
      rondo_trace_key(text), rondo_trace_key(text + size), text, text + size};
  return ++spans->name_count;
}

static const struct span_name* name_of(const struct spans* spans, int32_t number) {
  static const struct span_name none = {.text = NULL};
  return number > 0 && number <= spans->name_count ? &spans->names[number - 1] : &none;
}

/* --- spans ---------------------------------------------------------------------------
 */

static int named_begin(const struct spans* spans, const char* text, uint64_t key) {
  return text == NULL ? 0 : rondo_trace_begin_known(spans->loop, text, key);
}

static void microtasks_end(struct spans* spans) {
  int span = spans->microtasks_span;
  spans->microtasks_span = 0;
  if (span != 0)
    rondo_trace_end(spans->loop, span);
}

/* If the microtasks behind an earlier callback haven't run yet, they still belong to that
 * one. */
static void microtasks_begin(struct spans* spans, int32_t behind) {
  if (!spans->microtasks_watched || spans->microtasks_span != 0)
    return;
  if (!spans->interrupted)
    spans->microtasks_of = behind;
  spans->interrupted = false;
  const struct span_name* name = name_of(spans, spans->microtasks_of);
  spans->microtasks_span = named_begin(spans, name->microtasks, name->microtasks_key);
}

static void run_end(struct spans* spans) {
  struct shared* shared = spans->shared;
  if (shared->run == 0)
    return;
  int count = shared->run_more ? -shared->run : shared->run;
  shared->run = shared->run_more = 0;
  if (spans->depth == 0)
    return;
  int span = spans->open[--spans->depth].span;
  rondo_trace_repeated(spans->loop, span, count);
  rondo_trace_end(spans->loop, span);
}

/* The engine may call once more when the environment is being torn down. */
static _Thread_local struct spans* thread_spans;

static void spans_microtasks_done(void* isolate, void* data) {
  struct spans* spans = data;
  (void) isolate;
  if (spans != thread_spans)
    return;
  spans->interrupted = false;
  run_end(spans);
  microtasks_end(spans);
  refill(spans);
}

static void spans_begin(struct spans* spans, int32_t number) {
  const struct span_name* name = name_of(spans, number);
  run_end(spans);
  spans->interrupted = spans->microtasks_span != 0;
  microtasks_end(spans);
  int span = named_begin(spans, name->text, name->key);
  if (spans->depth < SPANS_MOST)
    spans->open[spans->depth++] = (struct open_span){span, number};
}

static void spans_end(struct spans* spans) {
  run_end(spans);
  if (spans->depth == 0)
    return;
  const struct open_span* last = &spans->open[--spans->depth];
  rondo_trace_end(spans->loop, last->span);
  if (spans->depth == 0)
    microtasks_begin(spans, last->name);
}

/* The span of a request begins when its callback is under way already, and the microtasks
 * behind the callback are the request's. */
static void spans_begin_request(struct spans* spans, int32_t number, bool instead) {
  run_end(spans);
  if (instead && spans->depth > 0)
    rondo_trace_end(spans->loop, spans->open[--spans->depth].span);
  spans_begin(spans, number);
  spans->interrupted = false;
}

/* An error that nobody caught leaves spans open. */
static void spans_reset(struct spans* spans) {
  run_end(spans);
  while (spans->depth > 0)
    rondo_trace_end(spans->loop, spans->open[--spans->depth].span);
}

/* --- for the script ------------------------------------------------------------------
 */

/* Also the first argument as a number, 0 without. */
static struct spans* spans_of(napi_env env, napi_callback_info info, int32_t* number) {
  size_t argc = 1;
  napi_value argument;
  void* spans = NULL;
  *number = 0;
  if (napi_get_cb_info(env, info, &argc, &argument, NULL, &spans) != 0)
    return NULL;
  if (argc >= 1 && napi_get_value_int32(env, argument, number) != 0)
    *number = 0;
  return spans;
}

/* text(name) → its number */
static napi_value call_text(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  int32_t number;
  struct spans* spans = spans_of(env, info, &number);
  return spans != NULL && addon_name(env, info, name)
             ? addon_number(env, name_add(spans, name))
             : addon_number(env, 0);
}

/* begin(number) */
static napi_value call_begin(napi_env env, napi_callback_info info) {
  int32_t number;
  struct spans* spans = spans_of(env, info, &number);
  if (spans != NULL)
    spans_begin(spans, number);
  return NULL;
}

/* beginRequest(number); beginRequestInstead(number) ends the innermost span before */
static napi_value call_begin_request(napi_env env, napi_callback_info info) {
  int32_t number;
  struct spans* spans = spans_of(env, info, &number);
  if (spans != NULL)
    spans_begin_request(spans, number, false);
  return NULL;
}

static napi_value call_begin_request_instead(napi_env env, napi_callback_info info) {
  int32_t number;
  struct spans* spans = spans_of(env, info, &number);
  if (spans != NULL)
    spans_begin_request(spans, number, true);
  return NULL;
}

/* end(): of the innermost span, and of a run in it */
static napi_value call_end(napi_env env, napi_callback_info info) {
  int32_t none;
  struct spans* spans = spans_of(env, info, &none);
  if (spans != NULL)
    spans_end(spans);
  return NULL;
}

/* endRun(): if one is open */
static napi_value call_end_run(napi_env env, napi_callback_info info) {
  int32_t none;
  struct spans* spans = spans_of(env, info, &none);
  if (spans != NULL)
    run_end(spans);
  return NULL;
}

/* tail(number): an outermost callback without a span has ended; its name */
static napi_value call_tail(napi_env env, napi_callback_info info) {
  int32_t number;
  struct spans* spans = spans_of(env, info, &number);
  if (spans != NULL && spans->depth == 0)
    microtasks_begin(spans, number);
  return NULL;
}

/* reset(): ends all spans */
static napi_value call_reset(napi_env env, napi_callback_info info) {
  int32_t none;
  struct spans* spans = spans_of(env, info, &none);
  if (spans != NULL)
    spans_reset(spans);
  return NULL;
}

static void spans_free(napi_env env, void* data, void* hint) {
  struct spans* spans = data;
  (void) env, (void) hint;
  if (thread_spans == spans)
    thread_spans = NULL;
  for (int32_t i = 0; i < spans->name_count; i++)
    free(spans->names[i].text);
  free(spans->names);
  free(spans);
}

static bool spans_share(napi_env env, napi_value object, struct spans* spans) {
  napi_value buffer, array;
  void* memory;
  const size_t count = sizeof(struct shared) / sizeof(int32_t);
  if (napi_create_arraybuffer(env, sizeof(struct shared), &memory, &buffer) != 0 ||
      napi_create_typedarray(env, NAPI_INT32_ARRAY, count, buffer, 0, &array) != 0 ||
      napi_set_named_property(env, object, "shared", array) != 0)
    return false;
  spans->shared = memory;
  *spans->shared = (struct shared){.ticks = CREDIT_MOST, .finds = CREDIT_MOST};
  return true;
}

static bool spans_export(napi_env env, napi_value object, struct spans* spans) {
  static const struct {
    const char* name;
    napi_callback call;
  } calls[] = {{"beginRequest", call_begin_request},
               {"beginRequestInstead", call_begin_request_instead},
               {"text", call_text},
               {"begin", call_begin},
               {"end", call_end},
               {"endRun", call_end_run},
               {"tail", call_tail},
               {"reset", call_reset}};
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
    napi_value function;
    if (napi_create_function(env, calls[i].name, (size_t) -1, calls[i].call, spans,
                             &function) != 0 ||
        napi_set_named_property(env, object, calls[i].name, function) != 0)
      return false;
  }
  return true;
}

/* The script keeps the object for as long as it runs, and with it what is shared. */
napi_value addon_spans(napi_env env, napi_callback_info info) {
  napi_value object, owner;
  uv_loop_t* loop = addon_loop(env);
  struct spans* spans = loop == NULL ? NULL : calloc(1, sizeof(*spans));
  (void) info;
  if (spans == NULL)
    return NULL;
  spans->loop = loop;
  if (napi_create_external(env, spans, spans_free, NULL, &owner) != 0) {
    free(spans);
    return NULL;
  }
  if (napi_create_object(env, &object) != 0 || !spans_share(env, object, spans) ||
      !spans_export(env, object, spans) ||
      napi_set_named_property(env, object, "owner", owner) != 0)
    return NULL;
  thread_spans = spans;
  spans->microtasks_watched = addon_microtasks_watch(spans_microtasks_done, spans);
  return object;
}
