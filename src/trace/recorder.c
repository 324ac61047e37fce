/* The recorder: the hooks that write records.
 *
 * A record costs some stores to mapped memory and one reading of the clock. Nothing here
 * allocates or calls the kernel, except when a callback is seen for the first time and
 * when a piece of the output is full. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"
#include "loop/timer_heap.h"

#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* NULL where nothing is to be recorded: in a forked child, where the recorder is the
 * parent's, and until the end of the turn in which the recording was started. */
static struct recorder* recorder_of(const uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  return recorder != NULL && loop_is_ours(loop) && !recorder->waiting ? recorder : NULL;
}

/* --- turns and phases ------------------------------------------------------------- */

/* A thread may get its name after it began, or be renamed. The name is read when a thread
 * runs the loop for the first time and, since it costs a system call, otherwise only
 * together with the list of handles that keep the loop alive. */
static void thread_name_look(struct recorder* recorder) {
  char name[sizeof(recorder->thread_name)] = "";
  prctl(PR_GET_NAME, name);
  if (memcmp(name, recorder->thread_name, sizeof(name)) == 0)
    return;
  memcpy(recorder->thread_name, name, sizeof(name));
  name[sizeof(name) - 1] = '\0';
  recording_thread(&recorder->stream, recorder->thread_id, name);
}

/* The thread that runs the loop now. Processor time counts for the loop from the moment
 * its recorder was made or, if another thread made the recorder, from this thread's first
 * run. */
static uint32_t current_thread(struct recorder* recorder, uint64_t now) {
  pthread_t self = pthread_self();
  bool moved = !pthread_equal(recorder->thread, self);
  if (recorder->thread_known && !moved)
    return recorder->thread_id;
  recorder->thread = self;
  recorder->thread_id = (uint32_t) gettid();
  recorder->thread_known = true;
  if (recorder->live != NULL)
    recorder->live->thread = recorder->thread_id;
  memset(recorder->thread_name, 0, sizeof(recorder->thread_name));
  thread_name_look(recorder);
  if (moved) {
    cpu_write_moved(recorder, now);
    sampler_moved(&recorder->sampled);
  }
  return recorder->thread_id;
}

/* Records that the loop polls now. */
static void recorder_looked(struct recorder* recorder, uint64_t now) {
  if (recorder->live != NULL)
    turns_looked(recorder, now);
  else
    sampler_looked(&recorder->sampled, now);
}

void recorder_look_around(const uv_loop_t* loop, struct recorder* recorder,
                          uint64_t now) {
  uint64_t before = recorder->waits_ns;
  recorder_write_waits(loop, recorder, now);
  if (recorder->waits_ns == before)
    return;
  thread_name_look(recorder);
  counts_write(loop, recorder, now);
  if (recorder->sampled.is_watched)
    watched_list_files(&recorder->sampled);
}

/* A loop that sleeps lists its handles there: when a turn begins, a timer that the loop
 * has slept for is due, and will be due again only after its callback. */
void recorder_look_awake(const uv_loop_t* loop, struct recorder* recorder, uint64_t now) {
  if (!recorder->slept || recorder->waits_listed == UINT_MAX)
    recorder_look_around(loop, recorder, now);
  recorder->slept = false;
}

/* How long the first timer has been due, in microseconds. */
static uint32_t timer_overdue_us(const uv_loop_t* loop, uint64_t now) {
  if (loop->timer_count == 0 || loop->timers[0].due_us >= now / 1000)
    return 0;
  return (uint32_t) u64_min(now / 1000 - loop->timers[0].due_us, UINT32_MAX);
}

static void write_run(const uv_loop_t* loop, struct recorder* recorder, uint64_t now,
                      uv_run_mode mode) {
  int detail = (int) mode & TRACE_RUN_MODE;
  uint32_t thread = current_thread(recorder, now);
  if (__atomic_load_n(&loop->has_outer, __ATOMIC_RELAXED))
    detail |= TRACE_RUN_OUTER;
  brief_flush(recorder);
  cpu_look(recorder, now);
  recorder_looked(recorder, now);
  if (recorder->live != NULL)
    sampler_woken(&recorder->sampled);
  record(recorder, TRACE_RUN, now, thread, timer_overdue_us(loop, now), detail);
}

void trace_write_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  uint64_t now = recorder_now(recorder);
  if (recorder->live != NULL && recorder->depth > 0)
    brief_write_open(recorder); /* the callback around this run, in its phase */
  *outer_phase = recorder->phase;
  recorder->phase = -1;
  recorder_set_quick(recorder);
  write_run(loop, recorder, now, mode);
}

/* A recording that was started in the middle of a turn begins after that turn. */
static void recorder_begin(uv_loop_t* loop, struct recorder* recorder) {
  if (!loop_is_ours(loop))
    return;
  recorder->waiting = false;
  recorder->brief = recorder->live != NULL;
}

/* After a run inside a callback, the phase of that callback continues. */
void trace_write_run_end(uv_loop_t* loop, int outer_phase) {
  struct recorder* recorder = loop->trace_state;
  if (recorder != NULL && recorder->waiting)
    recorder_begin(loop, recorder);
  recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  uint64_t now = recorder_now(recorder);
  brief_flush(recorder);
  cpu_look(recorder, now);
  recorder_looked(recorder, now);
  if (recorder->live == NULL)
    counts_write(loop, recorder, now); /* many programs end without closing the loop */
  record(recorder, TRACE_RUN_END, now, 0, 0, 0);
  recorder->phase = outer_phase;
  recorder->phase_written = true;
  recorder_set_quick(recorder);
}

TRACE_APART static void turn_slowly(uv_loop_t* loop, struct recorder* recorder) {
  uint64_t now = recorder_now(recorder);
  if (recorder->waiting && loop_is_ours(loop)) {
    recorder_begin(loop, recorder);
    record(recorder, TRACE_RUN, now, current_thread(recorder, now), 0, 0);
  }
  recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  now = recorder_set_clock(recorder, now);
  recorder->phase = -1;
  recorder->stream.turns = loop->turns + 1;
  cpu_look(recorder, now);
  recorder_looked(recorder, now);
  /* A recording that is full keeps its last part, which has to have a list, too. */
  if (recorder->stream.chunks - recorder->waits_chunks >= WAITS_EVERY_CHUNKS) {
    recorder->waits_chunks = recorder->stream.chunks;
    recorder->waits_listed = UINT_MAX; /* as if handles had come or gone */
    recorder_look_awake(loop, recorder, now);
  } else if (now - recorder->waits_ns > WAITS_EVERY_NS * recorder->slowness) {
    recorder_look_awake(loop, recorder, now);
  }
  record(recorder, TRACE_TURN, now, loop->turns + 1, recorder->thread_id, 0);
}

void trace_write_turn(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (recorder->brief)
    turns_begin(loop, recorder);
  else
    turn_slowly(loop, recorder);
}

/* Callbacks that the poll has put off run before the check phase and count as the poll's.
 */
void trace_note_phase(uv_loop_t* loop, enum rondo_phase phase) {
  struct recorder* recorder = loop->trace_state;
  if (phase == RONDO_PHASE_PENDING && recorder->phase == RONDO_PHASE_POLL)
    return;
  if (recorder->brief)
    brief_flush(recorder);
  recorder->phase = (int) phase;
  recorder->phase_written = false;
  recorder_set_quick(recorder);
}

/* In a ring the poll begins where it sleeps or calls back. */
void trace_write_poll(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (!recorder->brief && recorder_of(loop) != NULL)
    write_phase(recorder, recorder_now(recorder));
}

/* --- spans ----------------------------------------------------------------------- */

static uint32_t recorder_name(struct recorder* recorder, trace_function function) {
  struct recorder_recent* recent = recorder_recent(recorder, function);
  if (recent->function != function) {
    recent->name = name_of_function(&recorder->names, &recorder->stream, function);
    recent->function = function;
  }
  return recent->name;
}

TRACE_APART static int callback_slowly(uv_loop_t* loop, uint64_t subject,
                                       trace_function function, int64_t detail) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return 0;
  uint32_t name = recorder_name(recorder, function);
  if (recorder->live != NULL) {
    brief_begin(loop, recorder, TRACE_CALLBACK, subject, name, detail);
    return (int) recorder->depth;
  }
  uint64_t now = recorder_now(recorder);
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, TRACE_CALLBACK, now, subject, name, detail_of(detail));
  return (int) recorder->depth;
}

/* In a ring, nearly every callback is outermost, its function has been called before, and
 * it isn't a close callback. All other cases are in a separate function, so that this one
 * has no registers to save. */
int trace_write_callback(uv_loop_t* loop, uint64_t subject, trace_function function,
                         int64_t detail) {
  struct recorder* recorder = loop->trace_state;
  const struct recorder_recent* recent = recorder_recent(recorder, function);
  if (__builtin_expect(recorder->quick == QUICK_BETWEEN && recent->function == function &&
                           !subject_is_last(subject),
                       1)) {
    brief_open(recorder, 0, u64_max(recorder->last_ns, loop->now_ns), TRACE_CALLBACK,
               subject, recent->name, detail);
    recorder->quick = QUICK_IN;
    return 1;
  }
  return callback_slowly(loop, subject, function, detail);
}

void trace_write_callback_end(uv_loop_t* loop, int span) {
  struct recorder* recorder = loop->trace_state;
  if (__builtin_expect(recorder != NULL && span == 1 && brief_end_quickly(recorder), 1))
    return;
  rondo_trace_end(loop, span);
}

void trace_write_begin(uv_loop_t* loop, enum trace_kind kind) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  if (recorder->live != NULL) {
    brief_begin(loop, recorder, kind, 0, 0, 0);
    return;
  }
  uint64_t now = recorder_now(recorder);
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, kind, now, 0, 0, 0);
}

/* The span may have begun before the recording did. */
void trace_write_end(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL || recorder->depth == 0)
    return;
  if (recorder->live != NULL) {
    brief_end(recorder);
    return;
  }
  recorder->depth--;
  uint64_t now = recorder_now(recorder);
  record(recorder, TRACE_END, now, 0, 0, 0);
  cpu_look(recorder, now);
}

TRACE_APART static void sleep_slowly(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  write_phase(recorder, now);
  cpu_look(recorder, now);
  recorder_look_around(loop, recorder, now);
  recorder->depth++;
  recorder->slept = true;
  recorder->slept_ns = now;
  sampler_asleep(&recorder->sampled, now);
  record(recorder, TRACE_SLEEP, now, (uint64_t) timeout_ns, loop->active_reqs.count,
         detail_of(loop->active_handles));
}

void trace_write_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  struct recorder* recorder = loop->trace_state;
  if (recorder->brief)
    turns_sleep(loop, recorder, now, timeout_ns);
  else
    sleep_slowly(loop, now, timeout_ns);
}

TRACE_APART static void wake_slowly(uv_loop_t* loop, uint64_t now) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL || recorder->depth == 0)
    return;
  recorder->depth--;
  record(recorder, TRACE_END, now, 0, 0, 0);
  ticks_set(&recorder->clock, &recorder->lesson, now);
  sampler_looked(&recorder->sampled, now);
  sampler_woken(&recorder->sampled);
  cpu_slept(&recorder->cpu, now > recorder->slept_ns ? now - recorder->slept_ns : 0);
}

void trace_write_wake(uv_loop_t* loop, uint64_t now) {
  struct recorder* recorder = loop->trace_state;
  if (recorder->brief)
    turns_wake(recorder, now);
  else
    wake_slowly(loop, now);
}

/* For work of the program's the function that runs on the pool is known only here. */
void trace_write_begun(uv_loop_t* loop, uint64_t subject, trace_function work) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  if (recorder->live != NULL) {
    brief_begun(loop, recorder, subject, work);
    return;
  }
  uint32_t name = name_of_function(&recorder->names, &recorder->stream, work);
  record(recorder, TRACE_BEGUN, recorder_now(recorder), subject, name, 0);
}

void trace_write_begun_req(uv_loop_t* loop, uint64_t subject) {
  if (__builtin_expect(brief_begin_req_quickly(loop->trace_state, subject), 1))
    return;
  trace_write_begun(loop, subject, NULL);
}

/* In a recording of everything the request's beginning is all that is needed. */
void trace_write_pooled(uv_loop_t* loop, uint64_t subject) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder != NULL && recorder->live != NULL)
    brief_pooled(recorder, subject);
}

void trace_write_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  if (recorder->live != NULL)
    brief_gone(recorder, subject_handle(handle));
  else
    record(recorder, TRACE_GONE, recorder_now(recorder), subject_handle(handle), 0, 0);
}

/* In a recording of everything the callback shows the end of a request. */
TRACE_APART static void req_end_slowly(uv_loop_t* loop, const uv_req_t* req) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder != NULL && recorder->live != NULL)
    brief_req_end(recorder, subject_req(req));
}

void trace_write_req_end(uv_loop_t* loop, const uv_req_t* req) {
  struct recorder* recorder = loop->trace_state;
  if (__builtin_expect(brief_req_end_quickly(recorder, trace_subject(req, 0)), 1))
    return;
  req_end_slowly(loop, req);
}

int64_t trace_late_us(uint64_t due_us) {
  uint64_t now_us = clock_now_ns() / 1000;
  return now_us > due_us ? (int64_t) (now_us - due_us) : 0;
}

int rondo_trace_active(const uv_loop_t* loop) {
  return traced(loop) && recorder_of(loop) != NULL;
}

void rondo_trace_name(uv_loop_t* loop, const char* name) {
  struct recorder* recorder = traced(loop) ? recorder_of(loop) : NULL;
  if (recorder == NULL || recorder->depth == 0)
    return;
  uint32_t number = name_of_text(&recorder->names, &recorder->stream, name);
  if (number == 0)
    return;
  if (recorder->live == NULL)
    record(recorder, TRACE_NAMED, recorder_now(recorder), 0, number, 0);
  else
    brief_named(recorder, number);
}

uint64_t rondo_trace_key(const char* name) {
  return name_key_of_text(name);
}

int rondo_trace_begin_known(uv_loop_t* loop, const char* name, uint64_t key) {
  struct recorder* recorder = traced(loop) ? recorder_of(loop) : NULL;
  if (recorder == NULL)
    return 0;
  uint32_t number = name_of_known_text(&recorder->names, &recorder->stream, name, key);
  uint64_t subject = trace_subject(NULL, TRACE_SUBJECT_NODE + TRACE_NODE_FUNCTION);
  if (recorder->live != NULL) {
    brief_begin(loop, recorder, TRACE_CALLBACK, subject, number, 0);
    return (int) recorder->depth;
  }
  uint64_t now = recorder_now(recorder);
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, TRACE_CALLBACK, now, subject, number, 0);
  return (int) recorder->depth;
}

int rondo_trace_begin(uv_loop_t* loop, const char* name) {
  return traced(loop) ? rondo_trace_begin_known(loop, name, name_key_of_text(name)) : 0;
}

/* In a ring a span is a span, however many calls it stands for. */
void rondo_trace_repeated(uv_loop_t* loop, int span, int count) {
  struct recorder* recorder = traced(loop) ? recorder_of(loop) : NULL;
  if (recorder != NULL && recorder->live == NULL && span > 0 &&
      recorder->depth == (unsigned int) span)
    record(recorder, TRACE_REPEATED, recorder_now(recorder), 0, 0, count);
}

void rondo_trace_end(uv_loop_t* loop, int span) {
  struct recorder* recorder = traced(loop) ? recorder_of(loop) : NULL;
  while (recorder != NULL && span > 0 && recorder->depth >= (unsigned int) span)
    trace_write_end(loop);
}
