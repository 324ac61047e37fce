/* The hooks of a ring, which stays on in production: just enough to show which callback
 * held the loop up.
 *
 * A callback costs one reading of the clock, when it ends. Its time counts from the end
 * of the callback before it, or from the end of the poll, so it includes the loop's own
 * work for it (reading what arrived). A callback that took less than BRIEF_NS is not
 * recorded by itself; consecutive ones become one record that counts them (TRACE_MANY).
 * Open spans are on the board, where a reader finds them at any moment. A span becomes a
 * record once it has lasted BRIEF_NS: the records, which a server's work has displaced
 * from the processor's cache by the next callback, cost some hundredths of 10 us.
 *
 * However short they are, recorded are a callback that hands work to the pool, and the
 * callback of a request that could be the pool's and took SLOW_SINCE: a reader then sees
 * who waited for a thread, and who had the threads. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"

static const uint32_t BRIEF_NS = 100000;
enum { SLOW_SINCE = 5 }; /* in the board's unit, about a millisecond */

/* For bench/record/run, which counts instructions: under valgrind everything takes about
 * a hundred times as long, and work that depends on time must be done as often as
 * without. */
static const uint32_t EMULATED_TIMES = 100;

void ring_start(struct recorder* recorder) {
  recorder->slowness = debug_wants("emulated") ? EMULATED_TIMES : 1;
  recorder->many.brief_ns = BRIEF_NS * (uint32_t) recorder->slowness;
}

/* Not "cold", which would make the compiler optimise for size: what is rare is apart, so
 * that what is frequent has no registers to save. */
#define RING_APART __attribute__((noinline))

static bool subject_is_handle(uint64_t subject) {
  return (subject >> TRACE_SUBJECT_SHIFT & 0xff) < TRACE_SUBJECT_REQ;
}

static bool subject_is_last(uint64_t subject) {
  return (subject >> TRACE_SUBJECT_LAST_SHIFT & 1) != 0;
}

/* --- records ----------------------------------------------------------------------- */

void ring_write_many(struct recorder* recorder) {
  struct recorder_many* many = &recorder->many;
  uint64_t phase = (uint64_t) (recorder->phase + 1) << TRACE_MANY_SHIFT;
  record(recorder, TRACE_MANY, many->begin_ns, phase | (many->end_ns - many->begin_ns),
         many->differ == 0 ? many->name : 0, detail_of(many->count));
  recorder->phase_written = true;
  many->count = 0;
}

static void begun_keep(struct recorder_begun* begun, uint64_t subject) {
  if (subject != 0 && begun->count < BEGUN_KEPT) /* 0: the request has ended */
    begun->subjects[begun->count++] = subject;
}

/* Keeps what the outermost callback has appended to the list. */
static void begun_take_fresh(struct recorder* recorder) {
  for (const struct board_entry* entry = recorder->fresh_from;
       entry < recorder->fresh_end; entry++)
    begun_keep(&recorder->begun[0], entry->subject);
  recorder->fresh_from = recorder->fresh_end;
}

static void write_span(struct recorder* recorder, unsigned int depth) {
  struct board_span* span = &recorder->live->open[depth];
  struct recorder_begun* begun = &recorder->begun[depth];
  assert(depth < BOARD_SPANS && recorder->live->written == depth);
  write_phase(recorder, span->begin_ns);
  record(recorder, (enum trace_kind) span->kind, span->begin_ns, span->subject,
         span->name, detail_of(span->detail));
  if (depth == 0)
    begun_take_fresh(recorder);
  for (uint32_t i = 0; i < begun->count; i++)
    record(recorder, TRACE_BEGUN, span->begin_ns, begun->subjects[i], 0, 0);
  recorder->live->written = (uint16_t) (depth + 1);
}

/* A span can be in the stream only together with the spans around it, and only before
 * records with a later time: a reader's clock never goes back. */
static void write_open(struct recorder* recorder, unsigned int depth) {
  ring_flush(recorder);
  for (unsigned int i = recorder->live->written; i < depth; i++)
    write_span(recorder, i);
}

void ring_write_open(struct recorder* recorder) {
  unsigned int depth = recorder->depth;
  recorder->quick = QUICK_NOT;
  write_open(recorder, depth < BOARD_SPANS ? depth : BOARD_SPANS);
}

/* --- spans ------------------------------------------------------------------------- */

static bool span_is_written(const struct recorder* recorder) {
  return recorder->live->written == recorder->depth;
}

static struct board_span* span_open(const struct recorder* recorder) {
  unsigned int depth = recorder->depth;
  return depth == 0 || depth > BOARD_SPANS ? NULL : &recorder->live->open[depth - 1];
}

static void ring_open(struct recorder* recorder, unsigned int depth, uint64_t now,
                      enum trace_kind kind, uint64_t subject, uint32_t name,
                      int64_t detail) {
  struct board_loop* live = recorder->live;
  struct board_span* span = &live->open[depth];
  assert(depth < BOARD_SPANS);
  span->begin_ns = now;
  span->subject = subject;
  span->name = name;
  span->detail = detail;
  span->kind = kind;
  recorder->depth = depth + 1;
  __atomic_store_n(&live->depth, depth + 1, __ATOMIC_RELEASE);
}

/* Consecutive callbacks of one kind become one record. */
static void many_add(struct recorder_many* many, const struct board_span* span,
                     uint64_t now) {
  many->end_ns = now;
  if (__builtin_expect(many->count++ == 0, 0)) {
    many->begin_ns = span->begin_ns;
    many->name = span->name;
    many->differ = 0;
  }
  many->differ |= many->name ^ span->name;
}

/* Inside a turn the clock was read after the last callback or just now, after the poll;
 * outside of a turn it wasn't. */
static uint64_t begin_clock(const uv_loop_t* loop, const struct recorder* recorder) {
  if (recorder->depth > 0 || recorder->phase < 0)
    return recorder_now(recorder);
  return u64_max(recorder->last_ns, loop->now_ns);
}

static int span_begin_apart(const uv_loop_t* loop, enum trace_kind kind, uint64_t subject,
                            uint32_t name, int64_t detail) {
  struct recorder* recorder = recorder_of(loop);
  recorder->quick = QUICK_NOT;
  if (recorder->depth < BOARD_SPANS)
    ring_open(recorder, recorder->depth, begin_clock(loop, recorder), kind, subject, name,
              detail);
  else
    recorder->depth++;
  return (int) recorder->depth;
}

RING_APART static int callback_slowly(uv_loop_t* loop, uint64_t subject,
                                      trace_function function, int64_t detail) {
  return span_begin_apart(loop, TRACE_CALLBACK, subject,
                          recorder_name(recorder_of(loop), function), detail);
}

static void ring_begin_span(uv_loop_t* loop, enum trace_kind kind) {
  span_begin_apart(loop, kind, 0, 0, 0);
}

static int ring_begin_known(uv_loop_t* loop, const char* name, uint64_t key) {
  struct recorder* recorder = recorder_of(loop);
  return span_begin_apart(
      loop, TRACE_CALLBACK, trace_subject(NULL, TRACE_SUBJECT_NODE + TRACE_NODE_FUNCTION),
      name_of_known_text(&recorder->names, &recorder->stream, name, key), 0);
}

static void gone_write(struct recorder* recorder, uint64_t subject) {
  const struct board_loop* live = recorder->live;
  bool is_written = live->written >= live->depth || live->written >= BOARD_SPANS;
  uint32_t since;
  (void) board_table_ended(recorder->live, subject, &since);
  record(recorder, TRACE_GONE,
         is_written ? recorder->last_ns : live->open[live->written].begin_ns,
         subject & ~((uint64_t) 1 << TRACE_SUBJECT_LAST_SHIFT), 0, 0);
}

/* The span may have begun before the recording did. */
static void ring_end_span(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  struct board_loop* live = recorder->live;
  if (recorder->depth == 0)
    return;
  unsigned int depth = --recorder->depth;
  uint64_t now = recorder_now(recorder);
  recorder->last_ns = now;
  ring_set_quick(recorder);
  if (depth >= BOARD_SPANS)
    return;
  struct board_span* span = &live->open[depth];
  now = recorder->last_ns = u64_max(now, span->begin_ns); /* two clocks may differ */
  __atomic_store_n(&live->depth, depth, __ATOMIC_RELAXED);
  bool is_slow = board_same(recorder->slow, span->subject) && recorder->slow != 0;
  if (live->written > depth || is_slow ||
      now - span->begin_ns >= recorder->many.brief_ns) {
    write_open(recorder, depth + 1);
    record(recorder, TRACE_END, now, 0, 0, 0);
    live->written = (uint16_t) depth;
    recorder->slow = is_slow ? 0 : recorder->slow;
  } else if (depth == 0) {
    many_add(&recorder->many, span, now);
  }
  recorder->begun[depth].count = 0;
  if (depth == 0)
    recorder->fresh_from = recorder->fresh_end;
  if (subject_is_last(span->subject))
    gone_write(recorder, span->subject);
  if (now >= recorder->cpu.next_ns && live->written == depth) {
    cpu_write(recorder, now);
    recorder->last_ns = recorder_now(
        recorder); /* so that this time isn't counted as the next callback's */
  }
}

RING_APART static void spans_end(uv_loop_t* loop, int span) {
  while (span > 0 && recorder_of(loop)->depth >= (unsigned int) span)
    ring_end_span(loop);
}

static void ring_named(uv_loop_t* loop, const char* name) {
  struct recorder* recorder = recorder_of(loop);
  struct board_span* span = span_open(recorder);
  uint32_t number =
      span == NULL ? 0 : name_of_text(&recorder->names, &recorder->stream, name);
  if (number == 0)
    return;
  span->name = number;
  if (span_is_written(recorder))
    record(recorder, TRACE_NAMED, recorder_now(recorder), 0, number, 0);
}

/* A span is a span, however many calls it stands for. */
static void ring_repeated(uv_loop_t* loop, int span, int count) {
  (void) loop, (void) span, (void) count;
}

/* Nearly every callback is brief and outermost. False if ring_end_span has to end it. */
static bool end_quickly(struct recorder* recorder) {
  uint64_t now;
  if (recorder->quick != QUICK_IN || !ticks_now_quickly(&recorder->clock, &now))
    return false;
  struct board_loop* live = recorder->live;
  const struct board_span* span = &live->open[0];
  if (now - span->begin_ns >= recorder->many.brief_ns || now >= recorder->cpu.next_ns)
    return false;
  recorder->last_ns = now;
  recorder->depth = 0;
  recorder->fresh_from = recorder->fresh_end;
  recorder->quick = QUICK_BETWEEN;
  __atomic_store_n(&live->depth, 0, __ATOMIC_RELAXED);
  many_add(&recorder->many, span, now);
  return true;
}

/* Nearly every callback is outermost, its function has been called before, and it isn't a
 * close callback. */
static int ring_callback(uv_loop_t* loop, uint64_t subject, trace_function function,
                         int64_t detail) {
  struct recorder* recorder = recorder_of(loop);
  const struct recorder_recent* recent = recorder_recent(recorder, function);
  if (__builtin_expect(recorder->quick == QUICK_BETWEEN && recent->function == function &&
                           !subject_is_last(subject),
                       1)) {
    ring_open(recorder, 0, u64_max(recorder->last_ns, loop->now_ns), TRACE_CALLBACK,
              subject, recent->name, detail);
    recorder->quick = QUICK_IN;
    return 1;
  }
  return callback_slowly(loop, subject, function, detail);
}

static void ring_callback_end(uv_loop_t* loop, int span) {
  if (__builtin_expect(span == 1 && end_quickly(recorder_of(loop)), 1))
    return;
  spans_end(loop, span);
}

/* --- what is begun ----------------------------------------------------------------- */

/* Records that the open callback begins a request. False if ring_begun has to do it. */
static bool begin_req_quickly(struct recorder* recorder, uint64_t subject) {
  struct board_entry* entry = recorder->fresh_end;
  if (recorder->quick != QUICK_IN || entry == recorder->live->fresh + BOARD_FRESH)
    return false;
  entry->by = recorder->live->open[0].name;
  __atomic_store_n(&entry->subject, subject, __ATOMIC_RELEASE);
  recorder->fresh_end = entry + 1;
  return true;
}

/* False if the request isn't the first of the list. */
static bool req_end_quickly(struct recorder* recorder, uint64_t subject) {
  struct board_entry* entry = recorder->fresh_front;
  if (recorder->quick == QUICK_NOT || entry == recorder->fresh_end ||
      !board_same(entry->subject, subject))
    return false;
  __atomic_store_n(&entry->subject, 0, __ATOMIC_RELAXED);
  recorder->fresh_front = entry + 1;
  return true;
}

/* Moves the requests of this turn to the table. */
void ring_settle(struct recorder* recorder) {
  struct board_loop* live = recorder->live;
  if (recorder->depth > 0 && live->written == 0)
    begun_take_fresh(recorder);
  if (recorder->quick == QUICK_IN)
    recorder->quick = QUICK_NOT; /* ring_end_span forgets what was kept */
  for (struct board_entry* entry = recorder->fresh_front; entry < recorder->fresh_end;
       entry++) {
    board_begun(live, entry->subject, live->looked_ns, entry->by);
    __atomic_store_n(&entry->subject, 0, __ATOMIC_RELAXED);
  }
  recorder->fresh_front = recorder->fresh_end = recorder->fresh_from = live->fresh;
}

static bool subject_is_pools(uint64_t subject) {
  switch ((int) (subject >> TRACE_SUBJECT_SHIFT & 0xff) - TRACE_SUBJECT_REQ) {
  case UV_WORK:
  case UV_GETADDRINFO:
  case UV_GETNAMEINFO:
  case UV_RANDOM:
    return true;
  default:
    return false;
  }
}

/* How long a request then waits for a thread counts from its own beginning, not from that
 * of the callback, which may have worked before. */
static void ring_pooled(uv_loop_t* loop, uint64_t subject) {
  struct recorder* recorder = recorder_of(loop);
  if (span_open(recorder) == NULL)
    return;
  ring_write_open(recorder);
  record(recorder, TRACE_BEGUN, recorder_now(recorder), subject, 0, 0);
}

/* A handle that is stopped and started again keeps its entry. */
static void ring_begun(uv_loop_t* loop, uint64_t subject, trace_function work) {
  struct recorder* recorder = recorder_of(loop);
  struct board_span* span = span_open(recorder);
  struct board_loop* live = recorder->live;
  if (subject_is_handle(subject) && board_has(live, subject))
    return;
  sampler_look_for_threads(&recorder->sampled); /* a loop may run long after its start */
  if (span != NULL && subject_is_pools(subject))
    ring_write_open(recorder);
  uint64_t now = span == NULL || span_is_written(recorder) || subject_is_handle(subject)
                     ? recorder_now(recorder)
                     : u64_max(recorder->last_ns, loop->now_ns);
  if (recorder->fresh_end == live->fresh + BOARD_FRESH)
    ring_settle(recorder);
  board_begun(live, subject, now, span == NULL ? 0 : span->name);
  if (span == NULL)
    return;
  if (span_is_written(recorder))
    record(recorder, TRACE_BEGUN, now, subject,
           name_of_function(&recorder->names, &recorder->stream, work), 0);
  else
    begun_keep(&recorder->begun[recorder->depth - 1], subject);
}

RING_APART static void begun_slowly(uv_loop_t* loop, uint64_t subject) {
  ring_begun(loop, subject, NULL);
}

static void ring_begun_req(uv_loop_t* loop, uint64_t subject) {
  if (!__builtin_expect(begin_req_quickly(recorder_of(loop), subject), 1))
    begun_slowly(loop, subject);
}

/* The callback of a request follows its end. */
static void slow_note(struct recorder* recorder, uint64_t subject, uint32_t since) {
  unsigned int kind = (unsigned int) (subject >> TRACE_SUBJECT_SHIFT & 0xff);
  uint32_t now = (uint32_t) (recorder->last_ns >> BOARD_SINCE_SHIFT);
  if (now - since < SLOW_SINCE ||
      (!subject_is_pools(subject) && kind != TRACE_SUBJECT_REQ + UV_FS))
    return;
  recorder->slow = subject;
  recorder->quick = QUICK_NOT;
}

RING_APART static void req_end_slowly(struct recorder* recorder, uint64_t subject) {
  struct board_loop* live = recorder->live;
  uint32_t since;
  if (req_end_quickly(recorder, subject))
    return;
  if (!board_table_ended(live, subject, &since)) {
    ring_settle(recorder);
    if (!board_table_ended(live, subject, &since))
      return;
  }
  slow_note(recorder, subject, since);
}

static void ring_req_end(uv_loop_t* loop, const uv_req_t* req) {
  if (!__builtin_expect(req_end_quickly(recorder_of(loop), trace_subject(req, 0)), 1))
    req_end_slowly(recorder_of(loop), subject_req(req));
}

static void ring_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  gone_write(recorder_of(loop), subject_handle(handle));
}

/* --- garbage collections ----------------------------------------------------------- */

/* For whoever looks at the loop while it is held up. */
static void collected_show(struct board_loop* live, uint64_t took) {
  uint64_t looked = __atomic_load_n(&live->looked_ns, __ATOMIC_RELAXED);
  bool same = live->collected_looked_ns == looked;
  __atomic_store_n(&live->collected_ns, same ? live->collected_ns + took : took,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&live->collected_looked_ns, looked, __ATOMIC_RELEASE);
}

/* Short ones are counted and written with the next that isn't, behind what is open: a
 * reader's clock never goes back. */
static void ring_collected(uv_loop_t* loop, const char* kind, uint64_t took) {
  struct recorder* recorder = recorder_of(loop);
  collected_show(recorder->live, took);
  if (took < recorder->many.brief_ns) {
    recorder->collections++;
    return;
  }
  uint64_t now = recorder_now(recorder);
  uint32_t name = name_of_text(&recorder->names, &recorder->stream, kind);
  ring_write_open(recorder);
  record(recorder, TRACE_COLLECTED, now, took, name,
         detail_of((int64_t) recorder->collections + 1));
  recorder->collections = 0;
}

/* --- the table --------------------------------------------------------------------- */

/* The poll begins where it sleeps or calls back. */
static void ring_poll(uv_loop_t* loop) {
  (void) loop;
}

/* Asking for time stamps would make the kernel keep them for the socket from then on. */
static void ring_want_arrivals(uv_loop_t* loop, int fd) {
  (void) loop, (void) fd;
}

/* Spans that are open are not in the stream yet. */
static void ring_arrived(uv_loop_t* loop, const uv_handle_t* handle, int fd) {
  if (recorder_of(loop)->depth > 0)
    return;
  ring_flush(recorder_of(loop));
  recorder_arrived(loop, handle, fd);
}

_Alignas(CACHE_LINE) const struct recorder_kind recorder_ring = {
    .hooks = {.callback = ring_callback,
              .callback_end = ring_callback_end,
              .begun_req = ring_begun_req,
              .req_end = ring_req_end,
              .turn = ring_turn,
              .phase = ring_phase,
              .sleep = ring_sleep,
              .wake = ring_wake,
              .poll = ring_poll,
              .run = ring_run,
              .run_end = ring_run_end,
              .begin = ring_begin_span,
              .end = ring_end_span,
              .begun = ring_begun,
              .pooled = ring_pooled,
              .gone = ring_gone,
              .arrived = ring_arrived,
              .want_arrivals = ring_want_arrivals,
              .is_recording = true,
              .begin_known = ring_begin_known,
              .repeated = ring_repeated,
              .named = ring_named,
              .collected = ring_collected,
              .stack = recorder_stack},
    .cpu_every_ns = 10000000,
    .cpu_missed_ns = 5000000,
    .cpu_delay_stale_ns = 100000000,
    .held_up_ns = 25000000,
    .arrivals_most = 64,
    .waits_most = BOARD_ALIVE,
};
