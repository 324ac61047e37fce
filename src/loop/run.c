/* uv_run: seven phases a turn, in an order that never changes (contract P). */
#include "backend/backend.h"
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"

#include <limits.h>

bool loop_alive(const uv_loop_t* loop) {
  return loop->active_handles > 0 || loop->active_reqs.count > 0 ||
         loop->pending_queue[0] != loop->pending_queue || loop->closing_handles != NULL ||
         loop->closing_batch != NULL;
}

bool loop_work_waits(const uv_loop_t* loop) {
  return loop->pending_queue[0] != loop->pending_queue || loop->closing_handles != NULL ||
         loop->closing_batch != NULL || (loop->flags & LOOP_LEFTOVER) != 0 ||
         loop->completed_queue[0] != loop->completed_queue || loop->before_poll != NULL;
}

int64_t loop_poll_timeout(const uv_loop_t* loop) {
  if (loop->stop_flag != 0 || loop_work_waits(loop))
    return 0;
  if (loop->active_handles == 0 && loop->active_reqs.count == 0)
    return 0;
  if (loop->idle_handles[0] != loop->idle_handles)
    return 0;
  return timers_next_ns(loop);
}

int uv_backend_timeout(const uv_loop_t* loop) {
  /* The caller is about to sleep on the backend's descriptor in place of the loop, so all
   * interest must be registered with the kernel now. */
  uv_loop_t* own = (uv_loop_t*) (uintptr_t) loop;
  if (!wake_is_awake(loop))
    __atomic_store_n(&own->has_outer, 1, __ATOMIC_RELAXED);
  int64_t ns = loop->backend->flush(own, loop_poll_timeout(loop));
  if (ns < 0)
    return -1;
  /* Rounded up to whole milliseconds, since waking early is useless. But due times have
   * themselves been rounded up by less than a microsecond, which is ignored here, so that
   * 1000 ms stay 1000. */
  int64_t us = ns / 1000;
  int64_t ms = us / 1000 + (us % 1000 != 0);
  return ms > INT_MAX ? INT_MAX : (int) ms;
}

/* UV_RUN_ONCE waits until one callback has run (contract L8). After a pending or idle
 * callback of this turn the poll must not sleep: nothing else may ever come. After a
 * timer's callback the poll may sleep, as in libuv 1.44. */
static bool may_sleep_in(const uv_loop_t* loop, uv_run_mode mode) {
  if (mode == UV_RUN_ONCE)
    return loop->pending_queue[0] == loop->pending_queue &&
           loop->idle_handles[0] == loop->idle_handles;
  return mode == UV_RUN_DEFAULT;
}

/* Sets the loop's time at the start of a turn. Except before the first turn, the last
 * poll has read the clock already. */
static void clock_at_start(uv_loop_t* loop, bool first) {
  if (first)
    clock_look(loop);
  else
    clock_look_again(loop);
}

/* I/O callbacks that were put off (a write or a shutdown that ended at once) run once
 * more before the check phase, whichever phase put them off, as libuv does since 1.45 and
 * as Node's order of events requires (contract Q1). The number of rounds is limited:
 * callbacks that write again and again must not keep the loop here. */
static void pending_after_poll(uv_loop_t* loop) {
  if (phase_is_limited(loop, RONDO_PHASE_PENDING))
    return;
  for (int round = 0;
       round < PENDING_ROUNDS_MOST && !queue_empty(queue_of(loop->pending_queue));
       round++)
    pending_run(loop);
}

/* True after a poll that didn't sleep, because finished work waited, and that made no
 * callback: the work went on elsewhere, from the ring to the pool for example.
 * UV_RUN_ONCE still owes a callback (contract L8), and now the poll may sleep for it. If
 * the work was already over there and only the limit left it (LOOP_OWED), the next poll
 * finds it at once. */
static bool came_to_nothing(const uv_loop_t* loop) {
  return loop->callbacks_run == 0 && loop->owed[RONDO_PHASE_CHECK] == 0 &&
         (loop_poll_timeout(loop) != 0 || (loop->flags & LOOP_OWED) != 0);
}

static void poll_phase(uv_loop_t* loop, bool may_sleep) {
  trace_phase(loop, RONDO_PHASE_POLL);
  if (loop->before_poll != NULL) {
    loop->before_poll(loop);
    loop->flags &= ~(unsigned int) LOOP_CLOCK_FRESH; /* before_poll has taken time */
  }
  int64_t timeout = may_sleep ? loop_poll_timeout(loop) : 0;
  poll_limit_begin(loop);
  poll_run(loop, timeout);
  if (may_sleep && timeout == 0 && came_to_nothing(loop)) {
    poll_limit_begin(loop);
    poll_run(loop, loop_poll_timeout(loop));
  }
  pending_after_poll(loop);
}

static void loop_turn(uv_loop_t* loop, uv_run_mode mode, bool first) {
  trace_turn(loop);
  clock_at_start(loop, first);
  timers_run(loop);
  bool may_sleep = may_sleep_in(loop, mode);
  pending_run(loop);
  idle_run(loop);
  prepare_run(loop);
  loop->turns++; /* counted from the poll on: the first prepare sees no turn yet */
  poll_phase(loop, may_sleep);
  check_run(loop);
  closing_run(loop);
}

int uv_run(uv_loop_t* loop, uv_run_mode mode) {
  unsigned int outer_callbacks = loop->callbacks_run;
  /* uv_run inside a callback: libuv's manual forbids it, and programs do it. Wake-ups
   * that the outer run's poll has taken and not served yet must be served by this run,
   * which might otherwise wait for them for ever. */
  wake_give_back(loop);
  bool alive = loop_alive(loop);
  if (!alive)
    clock_update(loop);
  int outer_phase = trace_run(loop, mode);
  loop->callbacks_run = 0;
  wake_entered(loop, mode, alive);
  uv_loop_t* outer_loop = look_out_enter(loop);
  for (bool first = true; alive && loop->stop_flag == 0; first = false) {
    loop_turn(loop, mode, first);
    /* The poll may have slept until a timer was due. ONCE promises progress, and that
     * timer is it (contract L8, P3). */
    if (mode == UV_RUN_ONCE && loop->callbacks_run == 0) {
      clock_update(loop);
      timers_run(loop);
    }
    alive = loop_alive(loop);
    if (mode != UV_RUN_DEFAULT)
      break;
  }
  loop->callbacks_run +=
      outer_callbacks; /* for the outer run, the inner run's callbacks count too */
  look_out_leave(outer_loop);
  wake_left(loop);
  trace_run_end(loop, outer_phase);
  loop->stop_flag = 0;
  return alive;
}

void uv_stop(uv_loop_t* loop) {
  loop->stop_flag = 1;
}
