/* The hooks of a recording of everything, which goes into a file: a record for each
 * event, when it happens. Requests and handles that end need none where a callback shows
 * the end. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"
#include "sim/sim_step.h"

#include <limits.h>

enum { WAITS_EVERY_CHUNKS = 8 };

/* --- turns and phases -------------------------------------------------------------- */

static void file_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_now(recorder);
  if (sim_step_is_on)
    sim_step_run(loop);
  *outer_phase = (int) recorder->phase;
  recorder->phase = -1;
  uint32_t thread = recorder_thread(recorder, now);
  cpu_look(recorder, now);
  sampler_looked(&recorder->sampled, now);
  recorder_write_run(loop, recorder, now, mode, thread);
}

/* After a run inside a callback, the phase of that callback continues. */
static void file_run_end(uv_loop_t* loop, int outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_now(recorder);
  cpu_look(recorder, now);
  sampler_looked(&recorder->sampled, now);
  counts_write(loop, recorder, now); /* many programs end without closing the loop */
  record(recorder, TRACE_RUN_END, now, 0, 0, 0);
  if (sim_step_is_on)
    sim_step_phase(loop, outer_phase);
  recorder->phase = (int8_t) outer_phase;
  recorder->phase_written = true;
}

static void file_turn(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_set_clock(recorder, recorder_now(recorder));
  recorder->phase = -1;
  recorder->stream.turns = loop->turns + 1;
  cpu_look(recorder, now);
  sampler_looked(&recorder->sampled, now);
  /* A recording that is full keeps its last part, which has to have a list, too. */
  if (recorder->stream.chunks - recorder->waits_chunks >= WAITS_EVERY_CHUNKS) {
    recorder->waits_chunks = recorder->stream.chunks;
    recorder->waits_listed = UINT_MAX; /* as if handles had come or gone */
    recorder_look_awake(loop, recorder, now);
  } else if (now - recorder->waits_ns > WAITS_EVERY_NS * recorder->slowness) {
    recorder_look_awake(loop, recorder, now);
  }
  record(recorder, TRACE_TURN, now, loop->turns + 1, recorder->thread_id, 0);
  if (sim_step_is_on)
    sim_step_turn(loop);
}

/* Callbacks that the poll has put off run before the check phase and count as the poll's.
 */
static void file_phase(uv_loop_t* loop, enum rondo_phase phase) {
  struct recorder* recorder = recorder_of(loop);
  if (phase == RONDO_PHASE_PENDING && recorder->phase == RONDO_PHASE_POLL)
    return;
  recorder->phase = (int8_t) phase;
  recorder->phase_written = false;
  if (sim_step_is_on)
    sim_step_phase(loop, (int) phase);
}

static void file_poll(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  write_phase(recorder, recorder_now(recorder));
}

static void file_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  struct recorder* recorder = recorder_of(loop);
  write_phase(recorder, now);
  cpu_look(recorder, now);
  recorder->slept = true;
  recorder->timeout_ns = timeout_ns;
  recorder_look_around(loop, recorder, now);
  recorder->depth++;
  recorder->slept_ns = now;
  sampler_asleep(&recorder->sampled, now);
  record(recorder, TRACE_SLEEP, now, (uint64_t) timeout_ns, loop->active_reqs.count,
         detail_of(loop->active_handles));
  if (sim_step_is_on)
    sim_step_sleep(loop, timeout_ns);
}

/* The sleep may have begun before the recording did. */
static void file_wake(uv_loop_t* loop, uint64_t now) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder->depth == 0)
    return;
  recorder->depth--;
  record(recorder, TRACE_END, now, 0, 0, 0);
  ticks_set(&recorder->clock, &recorder->lesson, now);
  sampler_looked(&recorder->sampled, now);
  sampler_woken(&recorder->sampled);
  cpu_slept(&recorder->cpu, now > recorder->slept_ns ? now - recorder->slept_ns : 0);
}

/* --- spans ------------------------------------------------------------------------- */

static int span_begin(struct recorder* recorder, enum trace_kind kind, uint64_t subject,
                      uint32_t name, int64_t detail) {
  uint64_t now = recorder_now(recorder);
  write_phase(recorder, now);
  recorder->depth++;
  record(recorder, kind, now, subject, name, detail_of(detail));
  return (int) recorder->depth;
}

static int file_callback(uv_loop_t* loop, uint64_t subject, trace_function function,
                         int64_t detail) {
  struct recorder* recorder = recorder_of(loop);
  int span = span_begin(recorder, TRACE_CALLBACK, subject,
                        recorder_name(recorder, function), detail);
  if (sim_step_is_on)
    sim_step_begin(loop, TRACE_CALLBACK, subject, function);
  return span;
}

static void file_begin(uv_loop_t* loop, enum trace_kind kind) {
  span_begin(recorder_of(loop), kind, 0, 0, 0);
  if (sim_step_is_on)
    sim_step_begin(loop, kind, 0, NULL);
}

static int file_begin_known(uv_loop_t* loop, const char* name, uint64_t key) {
  struct recorder* recorder = recorder_of(loop);
  uint32_t number = name_of_known_text(&recorder->names, &recorder->stream, name, key);
  uint64_t subject = trace_subject(NULL, TRACE_SUBJECT_NODE + TRACE_NODE_FUNCTION);
  int span = span_begin(recorder, TRACE_CALLBACK, subject, number, 0);
  if (sim_step_is_on)
    sim_step_begin_named(loop, name);
  return span;
}

/* The span may have begun before the recording did. */
static void file_end(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  if (recorder->depth == 0)
    return;
  recorder->depth--;
  if (sim_step_is_on)
    sim_step_end(loop);
  uint64_t now = recorder_now(recorder);
  record(recorder, TRACE_END, now, 0, 0, 0);
  cpu_look(recorder, now);
}

static void file_callback_end(uv_loop_t* loop, int span) {
  while (span > 0 && recorder_of(loop)->depth >= (unsigned int) span)
    file_end(loop);
}

static void file_named(uv_loop_t* loop, const char* name) {
  struct recorder* recorder = recorder_of(loop);
  uint32_t number =
      recorder->depth == 0 ? 0 : name_of_text(&recorder->names, &recorder->stream, name);
  if (number != 0)
    record(recorder, TRACE_NAMED, recorder_now(recorder), 0, number, 0);
  if (number != 0 && sim_step_is_on)
    sim_step_name(loop, name);
}

static void file_repeated(uv_loop_t* loop, int span, int count) {
  struct recorder* recorder = recorder_of(loop);
  if (span > 0 && recorder->depth == (unsigned int) span)
    record(recorder, TRACE_REPEATED, recorder_now(recorder), 0, 0, count);
}

/* --- requests and handles ---------------------------------------------------------- */

/* For work of the program's the function that runs on the pool is known only here. */
static void file_begun(uv_loop_t* loop, uint64_t subject, trace_function work) {
  struct recorder* recorder = recorder_of(loop);
  uint32_t name = name_of_function(&recorder->names, &recorder->stream, work);
  if (sim_step_is_on)
    sim_step_begun(loop, subject);
  record(recorder, TRACE_BEGUN, recorder_now(recorder), subject, name, 0);
}

static void file_begun_req(uv_loop_t* loop, uint64_t subject) {
  file_begun(loop, subject, NULL);
}

/* A file has a record of a request's beginning; its way to the pool and its end need
 * none. */
static void file_pooled(uv_loop_t* loop, uint64_t subject) {
  (void) loop, (void) subject;
}

static void file_req_end(uv_loop_t* loop, const uv_req_t* req) {
  (void) loop, (void) req;
}

static void file_gone(uv_loop_t* loop, const uv_handle_t* handle) {
  struct recorder* recorder = recorder_of(loop);
  record(recorder, TRACE_GONE, recorder_now(recorder), subject_handle(handle), 0, 0);
}

static void file_collected(uv_loop_t* loop, const char* kind, uint64_t took) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_now(recorder);
  uint32_t name = name_of_text(&recorder->names, &recorder->stream, kind);
  record(recorder, TRACE_COLLECTED, now, took, name, 1);
}

const struct recorder_kind recorder_file = {
    .hooks = {.callback = file_callback,
              .callback_end = file_callback_end,
              .begun_req = file_begun_req,
              .req_end = file_req_end,
              .turn = file_turn,
              .phase = file_phase,
              .sleep = file_sleep,
              .wake = file_wake,
              .poll = file_poll,
              .run = file_run,
              .run_end = file_run_end,
              .begin = file_begin,
              .end = file_end,
              .begun = file_begun,
              .pooled = file_pooled,
              .gone = file_gone,
              .arrived = recorder_arrived,
              .want_arrivals = recorder_want_arrivals,
              .is_recording = true,
              .begin_known = file_begin_known,
              .repeated = file_repeated,
              .named = file_named,
              .collected = file_collected,
              .stack = recorder_stack},
    .cpu_every_ns = 1000000,
    .cpu_missed_ns = 200000,
    .cpu_delay_stale_ns = 10000000,
    .held_up_ns = 5000000,
    .arrivals_most = 65536,
    .waits_most = WAITS_LISTED,
};
