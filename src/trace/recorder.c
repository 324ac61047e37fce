/* The recorder: what the hooks write down, and its life.
 *
 * A record is some stores to mapped memory and a look at the clock. Nothing here
 * allocates or calls the kernel, except when a callback is seen for the first time and
 * when a piece of the output is full. */
#include "trace/recorder.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct trace_record* record_next(struct recorder* recorder, size_t text) {
  struct trace_output* output = &recorder->output;
  if ((size_t) (output->end - output->next) < 1 + text &&
      !output_grow(output, 1 + text)) {
    output->header->lost++;
    return NULL;
  }
  struct trace_record* record = output->next;
  output->next += 1 + text;
  return record;
}

static inline void record(struct recorder* recorder, enum trace_kind kind, uint64_t now,
                          uint64_t number, uint32_t name, int32_t detail) {
  struct trace_record* next = recorder->output.next;
  if (next != recorder->output.end)
    recorder->output.next = next + 1;
  else if ((next = record_next(recorder, 0)) == NULL)
    return;
  next->number = number;
  next->name = name;
  next->detail = detail;
  record_commit(recorder, next, kind, now);
}

/* NULL where nothing is to be recorded: in a forked child, whose recorder is the
 * parent's, and up to the end of the turn in which the recording was started. */
static struct recorder* recorder_of(const uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  return recorder != NULL && loop_is_ours(loop) && !recorder->waiting ? recorder : NULL;
}

/* --- turns and phases ------------------------------------------------------------- */

static uint32_t current_thread(struct recorder* recorder) {
  pthread_t self = pthread_self();
  if (!recorder->thread_known || !pthread_equal(recorder->thread, self)) {
    recorder->thread = self;
    recorder->thread_id = (uint32_t) gettid();
    recorder->thread_known = true;
  }
  return recorder->thread_id;
}

void trace_write_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  *outer_phase = recorder->phase;
  recorder->phase = -1;
  record(recorder, TRACE_RUN, clock_now_ns(), current_thread(recorder), 0, (int) mode);
}

/* A run inside a callback: the phase of that callback goes on. */
void trace_write_run_end(uv_loop_t* loop, int outer_phase) {
  struct recorder* recorder = loop->trace_state;
  if (recorder != NULL)
    recorder->waiting = false; /* started in the last turn, which is over */
  recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  record(recorder, TRACE_RUN_END, clock_now_ns(), 0, 0, 0);
  recorder->phase = outer_phase;
  recorder->phase_written = true;
}

void trace_write_turn(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  uint64_t now = clock_now_ns();
  if (recorder->waiting && loop_is_ours(loop)) {
    recorder->waiting = false;
    record(recorder, TRACE_RUN, now, current_thread(recorder), 0, 0);
  }
  recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  recorder->phase = -1;
  record(recorder, TRACE_TURN, now, loop->turns + 1, 0, 0);
}

/* What the poll put off is called back before the check phase, and belongs to the poll.
 */
void trace_note_phase(uv_loop_t* loop, enum rondo_phase phase) {
  struct recorder* recorder = loop->trace_state;
  if (phase == RONDO_PHASE_PENDING && recorder->phase == RONDO_PHASE_POLL)
    return;
  recorder->phase = (int) phase;
  recorder->phase_written = false;
}

static void write_phase(struct recorder* recorder, uint64_t now) {
  if (recorder->phase < 0 || recorder->phase_written)
    return;
  recorder->phase_written = true;
  record(recorder, TRACE_PHASE, now, 0, 0, recorder->phase);
}

void trace_write_poll(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder != NULL && !recorder->phase_written)
    write_phase(recorder, clock_now_ns());
}

/* --- spans ----------------------------------------------------------------------- */

static int32_t clamp(int64_t detail) {
  return (int32_t) (detail > INT32_MAX   ? INT32_MAX
                    : detail < INT32_MIN ? INT32_MIN
                                         : detail);
}

void trace_write_callback(uv_loop_t* loop, uint64_t subject, trace_function function,
                          int64_t detail) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  uint32_t name = name_of_function(recorder, function);
  uint64_t now = clock_now_ns();
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, TRACE_CALLBACK, now, subject, name, clamp(detail));
}

void trace_write_begin(uv_loop_t* loop, enum trace_kind kind) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  uint64_t now = clock_now_ns();
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, kind, now, 0, 0, 0);
}

/* The span may have begun before the recording did. */
void trace_write_end(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL || recorder->depth == 0)
    return;
  recorder->depth--;
  record(recorder, TRACE_END, clock_now_ns(), 0, 0, 0);
}

enum {
  WAITS_LOOKED_AT = 256, /* of the handles, for one list, */
  WAITS_LISTED = 32,     /* and of those that are in it */
  WAITS_CREDIT = 4096,
};

/* What keeps the loop alive is asked when a program doesn't end, or ends too early. It is
 * listed when it has changed, or a second later, for one may have taken another's place;
 * but a busy loop's recording must not be full of that: a handle looked at costs a
 * credit, and there is one a millisecond. */
static bool waits_wanted(const uv_loop_t* loop, struct recorder* recorder, uint64_t now) {
  uint64_t since = (now - recorder->waits_ns) / 1000000;
  bool changed = loop->active_handles != recorder->waits_listed;
  if (now < recorder->waits_ns || (!changed && since < 1000))
    return false;
  uint64_t credit = recorder->waits_credit + since;
  recorder->waits_credit = credit < WAITS_CREDIT ? credit : WAITS_CREDIT;
  return recorder->waits_credit >= WAITS_LOOKED_AT;
}

static void write_waits(uv_loop_t* loop, struct recorder* recorder, uint64_t now) {
  const struct queue* handles = queue_of(loop->handle_queue);
  unsigned int looked_at = 0, listed = 0;
  if (!waits_wanted(loop, recorder, now))
    return;
  for (const struct queue* link = queue_first(handles);
       link != NULL && looked_at < WAITS_LOOKED_AT && listed < WAITS_LISTED;
       link = queue_next(handles, link), looked_at++) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if (!handle_active(handle) || !uv_has_ref(handle))
      continue;
    listed++;
    record(recorder, TRACE_WAITS, now, subject_handle(handle), 0, 0);
  }
  recorder->waits_credit -= looked_at;
  recorder->waits_listed = loop->active_handles;
  recorder->waits_ns = now;
}

void trace_write_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL)
    return;
  write_phase(recorder, now);
  write_waits(loop, recorder, now);
  recorder->depth++;
  record(recorder, TRACE_SLEEP, now, (uint64_t) timeout_ns, loop->active_reqs.count,
         clamp(loop->active_handles));
}

void trace_write_wake(uv_loop_t* loop, uint64_t now) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder == NULL || recorder->depth == 0)
    return;
  recorder->depth--;
  record(recorder, TRACE_END, now, 0, 0, 0);
}

void trace_write_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder != NULL)
    record(recorder, TRACE_GONE, clock_now_ns(), subject_handle(handle), 0, 0);
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
  uint32_t number = name_of_text(recorder, name);
  if (number != 0)
    record(recorder, TRACE_NAMED, clock_now_ns(), 0, number, 0);
}

/* --- life ------------------------------------------------------------------------ */

static uint64_t wall_clock_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static int start(uv_loop_t* loop, const char* path, bool for_many) {
  static unsigned int loops;
  if (loop == NULL || path == NULL || *path == '\0')
    return UV_EINVAL;
  if (loop->trace_state != NULL)
    return UV_EALREADY;
  struct recorder* recorder = mem_calloc(1, sizeof(*recorder));
  char* pattern = mem_strdup(path);
  unsigned int number = __atomic_add_fetch(&loops, 1, __ATOMIC_RELAXED);
  int err = recorder == NULL || pattern == NULL
                ? UV_ENOMEM
                : output_open(&recorder->output, path, number, for_many);
  if (err != 0) {
    mem_free(recorder);
    mem_free(pattern);
    return err;
  }
  struct trace_header* header = recorder->output.header;
  recorder->pattern = pattern;
  recorder->phase = -1;
  recorder->waiting = wake_is_awake(loop);
  recorder->start_ns = clock_now_ns();
  recorder->waits_ns = recorder->start_ns;
  recorder->waits_credit = WAITS_CREDIT;
  header->start_ns = recorder->start_ns;
  header->start_wall_ns = wall_clock_ns();
  header->thread = current_thread(recorder);
  header->loop = number;
  header->tells = TRACE_TELLS_LATE | TRACE_TELLS_WAITS;
  snprintf(header->backend, sizeof(header->backend), "%s", rondo_backend_name(loop));
  loop->trace_state = recorder;
  return 0;
}

int rondo_trace_start(uv_loop_t* loop, const char* path) {
  return start(loop, path, false);
}

static void recorder_free(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  loop->trace_state = NULL;
  names_free(&recorder->names);
  mem_free(recorder->pattern);
  mem_free(recorder);
}

void rondo_trace_stop(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (recorder == NULL)
    return;
  if (loop_is_ours(loop))
    output_close(&recorder->output);
  else
    output_leave(&recorder->output);
  recorder_free(loop);
}

static void start_or_say(uv_loop_t* loop, const char* pattern) {
  int err = start(loop, pattern, true);
  if (err != 0)
    fprintf(stderr, "rondo: no trace in %s: %s\n", pattern, uv_strerror(err));
}

void trace_loop_init(uv_loop_t* loop) {
  const char* pattern = secure_getenv("RONDO_TRACE");
  if (pattern != NULL && *pattern != '\0')
    start_or_say(loop, pattern);
}

void trace_loop_close(uv_loop_t* loop) {
  if (traced(loop))
    rondo_trace_stop(loop);
}

void trace_loop_fork(uv_loop_t* loop) {
  if (!traced(loop) || loop_is_ours(loop))
    return;
  struct recorder* recorder = loop->trace_state;
  char* pattern = recorder->pattern;
  recorder->pattern = NULL;
  output_leave(&recorder->output);
  recorder_free(loop);
  start_or_say(loop, pattern);
  mem_free(pattern);
}
