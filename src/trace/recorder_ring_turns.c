/* The hooks of a ring for turns and sleeps, for a server that turns a hundred thousand
 * times a second.
 *
 * A turn is a record. A sleep is on the board while it lasts, and in the stream, with its
 * end, when it is over; it begins the poll phase for a reader. What is done only now and
 * then (the clocks are compared, processor time and handles are recorded) has one common
 * due time, so that a turn asks once. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"

/* Less than the time for which ticks_now is trusted, so that a loop that never sleeps can
 * use the fast clock too. */
static const uint64_t CLOCK_SET_NS = 5000000;

/* When the processor's counter must be compared with the clock again. */
static uint64_t clock_due_ns(const struct recorder* recorder) {
  if (recorder->clock.rate != 0)
    return recorder->clock.ns + CLOCK_SET_NS;
  return recorder->lesson.goes_on ? 0 : UINT64_MAX; /* never: it isn't used here */
}

uint64_t recorder_set_clock(struct recorder* recorder, uint64_t now) {
  if (now < clock_due_ns(recorder))
    return now;
  now = clock_now_ns();
  ticks_set(&recorder->clock, &recorder->lesson, now);
  return now;
}

static void show_counts(const uv_loop_t* loop, struct board_loop* live) {
  live->turns = loop->turns;
  live->requests = loop->active_reqs.count;
  live->handles = loop->active_handles;
}

/* The counts are shown for a loop that never sleeps. */
static uint64_t chores_do(const uv_loop_t* loop, struct recorder* recorder, uint64_t now,
                          bool sleeps) {
  now = recorder_set_clock(recorder, now);
  cpu_look(recorder, now);
  sampler_look_for_threads(&recorder->sampled);
  if (sleeps)
    recorder_look_around(loop, recorder, now);
  else
    recorder_look_awake(loop, recorder, now);
  show_counts(loop, recorder->live);
  recorder->chores_ns = u64_min(clock_due_ns(recorder), recorder->cpu.next_ns);
  if (!sleeps && now - recorder->waits_ns > WAITS_EVERY_NS * recorder->slowness)
    recorder->chores_ns = now; /* the next sleep lists the handles */
  return now;
}

void ring_looked(struct recorder* recorder, uint64_t now) {
  struct board_loop* live = recorder->live;
  recorder->last_ns = now;
  if (recorder->fresh_end != live->fresh)
    ring_settle(recorder);
  __atomic_store_n(&live->looked_ns, now, __ATOMIC_RELEASE);
}

/* The turn begins where the last callback or the last poll ended: from then until now
 * only the loop itself has run. */
void ring_turn(uv_loop_t* loop) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = u64_max(recorder->last_ns, loop->now_ns);
  ring_flush(recorder);
  if (__builtin_expect(now >= recorder->chores_ns, 0))
    now = chores_do(loop, recorder, now, false);
  recorder->phase = -1;
  recorder->quick = QUICK_NOT;
  recorder->stream.turns = loop->turns + 1;
  ring_looked(recorder, now);
  record(recorder, TRACE_TURN, now, loop->turns + 1, recorder->live->thread, 0);
}

/* The sleep begins after all that is in the stream: a reader of the board takes an
 * earlier one for an old one. The clock may have been read again, and last_ns comes from
 * another one. */
void ring_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns) {
  struct recorder* recorder = recorder_of(loop);
  struct board_loop* live = recorder->live;
  now = u64_max(now, recorder->last_ns);
  recorder->slept = true;
  recorder->timeout_ns = timeout_ns;
  ring_flush(recorder);
  if (now >= recorder->chores_ns || loop->active_handles != recorder->waits_listed ||
      (recorder_rests(recorder) && now - recorder->waits_ns > WAITS_RESTING_NS))
    now = chores_do(loop, recorder, now, true);
  if (recorder->fresh_end != live->fresh)
    ring_settle(recorder);
  recorder->slept_ns = now;
  show_counts(loop, live);
  __atomic_store_n(&live->looked_ns, now | BOARD_ASLEEP, __ATOMIC_RELEASE);
}

static void write_slept(struct recorder* recorder, uint64_t now) {
  struct trace_record* sleep = stream_row(&recorder->stream, 2);
  uint64_t start = recorder->start_ns;
  if (sleep == NULL)
    return;
  sleep[0].number = (uint64_t) recorder->timeout_ns;
  sleep[0].name = recorder->live->requests;
  sleep[0].detail = detail_of(recorder->live->handles);
  record_commit(&sleep[0], TRACE_SLEEP, u64_max(recorder->slept_ns, start) - start);
  record_commit(&sleep[1], TRACE_END, u64_max(now, start) - start);
  recorder->phase_written = true;
}

/* A loop isn't asleep here if the recording began meanwhile. */
void ring_wake(uv_loop_t* loop, uint64_t now) {
  struct recorder* recorder = recorder_of(loop);
  struct board_loop* live = recorder->live;
  if ((live->looked_ns & BOARD_ASLEEP) == 0)
    return;
  uint64_t slept = now > recorder->slept_ns ? now - recorder->slept_ns : 0;
  write_slept(recorder, now);
  live->slept_ns += slept;
  ticks_set(&recorder->clock, &recorder->lesson, now);
  recorder->last_ns = now;
  cpu_slept(&recorder->cpu, slept);
  __atomic_store_n(&live->looked_ns, now, __ATOMIC_RELEASE);
  if (__builtin_expect(live->unseen, 0))
    sampler_woken(&recorder->sampled);
}

/* --- runs and phases --------------------------------------------------------------- */

void ring_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_now(recorder);
  if (recorder->depth > 0)
    ring_write_open(recorder); /* the callback around this run, in its phase */
  *outer_phase = (int) recorder->phase;
  recorder->phase = -1;
  ring_set_quick(recorder);
  uint32_t thread = recorder_thread(recorder, now);
  ring_flush(recorder);
  cpu_look(recorder, now);
  ring_looked(recorder, now);
  sampler_woken(&recorder->sampled);
  recorder_write_run(loop, recorder, now, mode, thread);
}

/* After a run inside a callback, the phase of that callback continues. */
void ring_run_end(uv_loop_t* loop, int outer_phase) {
  struct recorder* recorder = recorder_of(loop);
  uint64_t now = recorder_now(recorder);
  ring_flush(recorder);
  cpu_look(recorder, now);
  show_counts(loop, recorder->live);
  ring_looked(recorder, now);
  record(recorder, TRACE_RUN_END, now, 0, 0, 0);
  recorder->phase = (int8_t) outer_phase;
  recorder->phase_written = true;
  ring_set_quick(recorder);
}

/* Callbacks that the poll has put off run before the check phase and count as the poll's.
 */
void ring_phase(uv_loop_t* loop, enum rondo_phase phase) {
  struct recorder* recorder = recorder_of(loop);
  if (phase == RONDO_PHASE_PENDING && recorder->phase == RONDO_PHASE_POLL)
    return;
  ring_flush(recorder);
  recorder->phase = (int8_t) phase;
  recorder->phase_written = false;
  ring_set_quick(recorder);
}
