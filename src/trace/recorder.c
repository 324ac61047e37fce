/* The common part of both kinds of recorders, and the functions of rondo.h.
 *
 * A record costs some stores to mapped memory and one reading of the clock. Nothing
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

/* --- threads, names, handles ------------------------------------------------------- */

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

/* Processor time counts for the loop from the moment its recorder was made or, if another
 * thread made the recorder, from this thread's first run. */
uint32_t recorder_thread(struct recorder* recorder, uint64_t now) {
  pthread_t self = pthread_self();
  bool moved = !pthread_equal(recorder->thread, self);
  if (recorder->thread_known && !moved)
    return recorder->thread_id;
  recorder->thread = self;
  recorder->thread_id = (uint32_t) gettid();
  recorder->thread_known = true;
  recorder->live->thread = recorder->thread_id;
  memset(recorder->thread_name, 0, sizeof(recorder->thread_name));
  thread_name_look(recorder);
  if (moved) {
    cpu_write_moved(recorder, now);
    sampler_moved(&recorder->sampled);
  }
  return recorder->thread_id;
}

uint32_t recorder_name(struct recorder* recorder, trace_function function) {
  struct recorder_recent* recent = recorder_recent(recorder, function);
  if (recent->function != function) {
    recent->name = name_of_function(&recorder->names, &recorder->stream, function);
    recent->function = function;
  }
  return recent->name;
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

void recorder_write_run(const uv_loop_t* loop, struct recorder* recorder, uint64_t now,
                        uv_run_mode mode, uint32_t thread) {
  int detail = (int) mode & TRACE_RUN_MODE;
  if (__atomic_load_n(&loop->has_outer, __ATOMIC_RELAXED))
    detail |= TRACE_RUN_OUTER;
  record(recorder, TRACE_RUN, now, thread, timer_overdue_us(loop, now), detail);
}

/* --- a recorder that rests ---------------------------------------------------------
 * A recording that was started in the middle of a turn begins with the next turn, or with
 * the end of the run. In a forked child the recorder is the parent's, and rests until
 * uv_loop_fork makes another. */

static void resting_turn(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  if (!loop_is_ours(loop))
    return;
  uint64_t now = recorder_now(recorder);
  recorder_begin(recorder);
  recorder->last_ns = now;
  record(recorder, TRACE_RUN, now, recorder_thread(recorder, now), 0, 0);
  recorder->hooks->turn(loop);
}

static void resting_run_end(uv_loop_t* loop, int outer_phase) {
  if (!loop_is_ours(loop))
    return;
  recorder_begin(recorder_of(loop));
  recorder_of(loop)->hooks->run_end(loop, outer_phase);
}

/* The kernel keeps the times of what arrives in this turn and is read in the next. */
static void resting_want_arrivals(uv_loop_t* loop, int fd) {
  recorder_of(loop)->kind->hooks.want_arrivals(loop, fd);
}

static int resting_callback(uv_loop_t* loop, uint64_t subject, trace_function function,
                            int64_t detail) {
  (void) loop, (void) subject, (void) function, (void) detail;
  return 0;
}

static void resting_callback_end(uv_loop_t* loop, int span) {
  (void) loop, (void) span;
}

static void resting_subject(uv_loop_t* loop, uint64_t subject) {
  (void) loop, (void) subject;
}

static void resting_req_end(uv_loop_t* loop, const uv_req_t* req) {
  (void) loop, (void) req;
}

static void resting_phase(uv_loop_t* loop, enum rondo_phase phase) {
  (void) loop, (void) phase;
}

static void resting_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  (void) loop, (void) now, (void) timeout_ns;
}

static void resting_wake(uv_loop_t* loop, uint64_t now) {
  (void) loop, (void) now;
}

static void resting_loop(uv_loop_t* loop) {
  (void) loop;
}

static void resting_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase) {
  (void) loop, (void) mode, (void) outer_phase;
}

static void resting_begin(uv_loop_t* loop, enum trace_kind kind) {
  (void) loop, (void) kind;
}

static void resting_begun(uv_loop_t* loop, uint64_t subject, trace_function work) {
  (void) loop, (void) subject, (void) work;
}

static void resting_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  (void) loop, (void) handle;
}

static void resting_arrived(uv_loop_t* loop, const uv_handle_t* handle, int fd) {
  (void) loop, (void) handle, (void) fd;
}

static const struct trace_hooks resting = {
    .callback = resting_callback,
    .callback_end = resting_callback_end,
    .begun_req = resting_subject,
    .req_end = resting_req_end,
    .turn = resting_turn,
    .phase = resting_phase,
    .sleep = resting_sleep,
    .wake = resting_wake,
    .poll = resting_loop,
    .run = resting_run,
    .run_end = resting_run_end,
    .begin = resting_begin,
    .end = resting_loop,
    .begun = resting_begun,
    .pooled = resting_subject,
    .gone = resting_gone,
    .arrived = resting_arrived,
    .want_arrivals = resting_want_arrivals,
};

void recorder_begin(struct recorder* recorder) {
  recorder->hooks = &recorder->kind->hooks;
}

void recorder_rest(struct recorder* recorder) {
  recorder->hooks = &resting;
}

/* --- rondo.h ----------------------------------------------------------------------- */

int64_t trace_late_us(uint64_t due_us) {
  uint64_t now_us = clock_now_ns() / 1000;
  return now_us > due_us ? (int64_t) (now_us - due_us) : 0;
}

int rondo_trace_active(const uv_loop_t* loop) {
  return traced(loop) && trace_hooks(loop)->is_recording;
}

void rondo_trace_name(uv_loop_t* loop, const char* name) {
  if (rondo_trace_active(loop))
    trace_hooks(loop)->named(loop, name);
}

uint64_t rondo_trace_key(const char* name) {
  return name_key_of_text(name);
}

int rondo_trace_begin_known(uv_loop_t* loop, const char* name, uint64_t key) {
  return rondo_trace_active(loop) ? trace_hooks(loop)->begin_known(loop, name, key) : 0;
}

int rondo_trace_begin(uv_loop_t* loop, const char* name) {
  return rondo_trace_active(loop)
             ? trace_hooks(loop)->begin_known(loop, name, name_key_of_text(name))
             : 0;
}

void rondo_trace_repeated(uv_loop_t* loop, int span, int count) {
  if (rondo_trace_active(loop))
    trace_hooks(loop)->repeated(loop, span, count);
}

void rondo_trace_end(uv_loop_t* loop, int span) {
  trace_callback_end(loop, span);
}

void rondo_trace_collected(uv_loop_t* loop, const char* kind, uint64_t began_ns,
                           uint64_t ended_ns) {
  if (rondo_trace_active(loop) && ended_ns >= began_ns)
    trace_hooks(loop)->collected(loop, kind, ended_ns - began_ns);
}

void rondo_trace_stack(uv_loop_t* loop, uint64_t when_ns, const char* const* frames,
                       size_t count) {
  if (rondo_trace_active(loop) && count > 0)
    trace_hooks(loop)->stack(loop, when_ns, frames, count);
}
