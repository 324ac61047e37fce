/* What the hooks write into a ring, which stays on in production: just enough to show
 * which callback held the loop up.
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

void brief_start(struct recorder* recorder) {
  recorder->slowness = debug_wants("emulated") ? EMULATED_TIMES : 1;
  recorder->brief_ns = BRIEF_NS * (uint32_t) recorder->slowness;
}

/* --- records ----------------------------------------------------------------------- */

void brief_write_many(struct recorder* recorder) {
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
  brief_flush(recorder);
  for (unsigned int i = recorder->live->written; i < depth; i++)
    write_span(recorder, i);
}

void brief_write_open(struct recorder* recorder) {
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

/* Inside a turn the clock was read after the last callback or just now, after the poll;
 * outside of a turn it wasn't. */
static uint64_t begin_clock(const uv_loop_t* loop, const struct recorder* recorder) {
  if (recorder->depth > 0 || recorder->phase < 0)
    return recorder_now(recorder);
  return u64_max(recorder->last_ns, loop->now_ns);
}

void brief_begin(const uv_loop_t* loop, struct recorder* recorder, enum trace_kind kind,
                 uint64_t subject, uint32_t name, int64_t detail) {
  recorder->quick = QUICK_NOT;
  if (recorder->depth < BOARD_SPANS)
    brief_open(recorder, recorder->depth, begin_clock(loop, recorder), kind, subject,
               name, detail);
  else
    recorder->depth++;
}

void brief_end(struct recorder* recorder) {
  struct board_loop* live = recorder->live;
  unsigned int depth = --recorder->depth;
  uint64_t now = recorder_now(recorder);
  recorder->last_ns = now;
  recorder_set_quick(recorder);
  if (depth >= BOARD_SPANS)
    return;
  struct board_span* span = &live->open[depth];
  now = recorder->last_ns = u64_max(now, span->begin_ns); /* two clocks may differ */
  __atomic_store_n(&live->depth, depth, __ATOMIC_RELAXED);
  bool is_slow = board_same(recorder->slow, span->subject) && recorder->slow != 0;
  if (live->written > depth || is_slow || now - span->begin_ns >= recorder->brief_ns) {
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
    brief_gone(recorder, span->subject);
  if (now >= recorder->cpu.next_ns && live->written == depth) {
    cpu_write(recorder, now);
    recorder->last_ns = recorder_now(
        recorder); /* so that this time isn't counted as the next callback's */
  }
}

void brief_named(struct recorder* recorder, uint32_t name) {
  struct board_span* span = span_open(recorder);
  if (span == NULL)
    return;
  span->name = name;
  if (span_is_written(recorder))
    record(recorder, TRACE_NAMED, recorder_now(recorder), 0, name, 0);
}

/* --- what is begun ----------------------------------------------------------------- */

/* Moves the requests of this turn to the table. */
void brief_settle(struct recorder* recorder) {
  struct board_loop* live = recorder->live;
  if (recorder->depth > 0 && live->written == 0)
    begun_take_fresh(recorder);
  if (recorder->quick == QUICK_IN)
    recorder->quick = QUICK_NOT; /* brief_end forgets what was kept */
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
void brief_pooled(struct recorder* recorder, uint64_t subject) {
  if (span_open(recorder) == NULL)
    return;
  brief_write_open(recorder);
  record(recorder, TRACE_BEGUN, recorder_now(recorder), subject, 0, 0);
}

/* A handle that is stopped and started again keeps its entry. */
void brief_begun(const uv_loop_t* loop, struct recorder* recorder, uint64_t subject,
                 trace_function work) {
  struct board_span* span = span_open(recorder);
  struct board_loop* live = recorder->live;
  if (subject_is_handle(subject) && board_has(live, subject))
    return;
  sampler_look_for_threads(&recorder->sampled); /* a loop may run long after its start */
  if (span != NULL && subject_is_pools(subject))
    brief_write_open(recorder);
  uint64_t now = span == NULL || span_is_written(recorder) || subject_is_handle(subject)
                     ? recorder_now(recorder)
                     : u64_max(recorder->last_ns, loop->now_ns);
  if (recorder->fresh_end == live->fresh + BOARD_FRESH)
    brief_settle(recorder);
  board_begun(live, subject, now, span == NULL ? 0 : span->name);
  if (span == NULL)
    return;
  if (span_is_written(recorder))
    record(recorder, TRACE_BEGUN, now, subject,
           name_of_function(&recorder->names, &recorder->stream, work), 0);
  else
    begun_keep(&recorder->begun[recorder->depth - 1], subject);
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

void brief_req_end(struct recorder* recorder, uint64_t subject) {
  struct board_loop* live = recorder->live;
  uint32_t since;
  if (brief_req_end_quickly(recorder, subject))
    return;
  if (!board_table_ended(live, subject, &since)) {
    brief_settle(recorder);
    if (!board_table_ended(live, subject, &since))
      return;
  }
  slow_note(recorder, subject, since);
}

void brief_gone(struct recorder* recorder, uint64_t subject) {
  const struct board_loop* live = recorder->live;
  bool is_written = live->written >= live->depth || live->written >= BOARD_SPANS;
  uint32_t since;
  (void) board_table_ended(recorder->live, subject, &since);
  record(recorder, TRACE_GONE,
         is_written ? recorder->last_ns : live->open[live->written].begin_ns,
         subject & ~((uint64_t) 1 << TRACE_SUBJECT_LAST_SHIFT), 0, 0);
}
