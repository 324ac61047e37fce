/* Timers, and the timers phase (contract T).
 *
 * Due times are in microseconds: fine enough that a timer never fires early by the
 * clock's rounding, coarse enough that the longest timeout libuv's users pass (2^48 ms)
 * fits. To compute a due time the loop's cached time is rounded up; to compare with a due
 * time it is rounded down. A timeout of 0 is rounded down too: such a timer is due at
 * once, also for a uv_run that begins within the same microsecond. */
#include "base/alloc.h"
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "loop/timer_heap.h"

/* Due timers are taken from the heap in one pass if there are at least BULK_MIN of them
 * and they are at least one in BULK_SHARE of the heap; otherwise one by one. */
enum { BULK_MIN = 64, BULK_SHARE = 8 };

static void timer_close(uv_handle_t* handle) {
  uv_timer_stop((uv_timer_t*) handle);
  handle_closed(handle);
}

static const struct handle_kind timer_kind = {.type = UV_TIMER, .close = timer_close};

static uint64_t now_rounded_up(const uv_loop_t* loop) {
  return loop->now_ns / 1000 + (loop->now_ns % 1000 != 0);
}

static uint64_t due_after(const uv_loop_t* loop, uint64_t timeout_ms) {
  if (timeout_ms == 0)
    return loop->now_ns / 1000;
  if (timeout_ms > UINT64_MAX / 1000)
    return UINT64_MAX;
  return u64_add_clamped(now_rounded_up(loop), timeout_ms * 1000);
}

int uv_timer_init(uv_loop_t* loop, uv_timer_t* handle) {
  handle_init(loop, (uv_handle_t*) handle, &timer_kind);
  handle->timer_cb = NULL;
  handle->due_us = 0;
  handle->timeout = 0;
  handle->repeat = 0;
  handle->start_id = 0;
  handle->heap_index = TIMER_NOWHERE;
  return 0;
}

/* Precondition: the heap has room (timer_heap_reserve). */
static void timer_arm(uv_loop_t* loop, uv_timer_t* handle, uint64_t timeout) {
  handle->timeout = timeout;
  handle->due_us = due_after(loop, timeout);
  handle->start_id = loop->timer_counter++;
  timer_heap_push(loop, (struct rondo_timer_entry){.due_us = handle->due_us,
                                                   .start_id = handle->start_id,
                                                   .handle = handle});
  handle_start((uv_handle_t*) handle);
}

int uv_timer_start(uv_timer_t* handle, uv_timer_cb cb, uint64_t timeout,
                   uint64_t repeat) {
  uv_loop_t* loop = handle->loop;
  if (cb == NULL || handle_closing((uv_handle_t*) handle))
    return UV_EINVAL;
  int err = timer_heap_reserve(loop);
  if (err != 0)
    return err;
  uv_timer_stop(handle);
  handle->timer_cb = cb;
  handle->repeat = repeat;
  timer_arm(loop, handle, timeout);
  return 0;
}

int uv_timer_stop(uv_timer_t* handle) {
  if (!handle_active((uv_handle_t*) handle))
    return 0;
  if (handle->heap_index & TIMER_DUE) {
    handle->loop->due[handle->heap_index - TIMER_DUE].handle = NULL;
    handle->heap_index = TIMER_NOWHERE;
  } else {
    assert(handle->heap_index < handle->loop->timer_count &&
           handle->loop->timers[handle->heap_index].handle == handle);
    timer_heap_remove(handle->loop, handle->heap_index);
  }
  handle_stop((uv_handle_t*) handle);
  return 0;
}

int uv_timer_again(uv_timer_t* handle) {
  if (handle->timer_cb == NULL)
    return UV_EINVAL;
  if (handle->repeat == 0)
    return 0;
  return uv_timer_start(handle, handle->timer_cb, handle->repeat, handle->repeat);
}

void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat) {
  handle->repeat = repeat;
}

uint64_t uv_timer_get_repeat(const uv_timer_t* handle) {
  return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t* handle) {
  uint64_t now = now_rounded_up(handle->loop);
  if (handle->due_us <= now)
    return 0;
  uint64_t us = handle->due_us - now;
  return us / 1000 + (us % 1000 != 0);
}

int64_t timers_next_ns(const uv_loop_t* loop) {
  if (loop->due_count > 0)
    return 0; /* called inside the phase, while timers taken out of the heap wait */
  if (loop->timer_count == 0)
    return -1;
  uint64_t due = loop->timers[0].due_us;
  if (due > (uint64_t) INT64_MAX / 1000)
    return INT64_MAX;
  return due * 1000 <= loop->now_ns ? 0 : (int64_t) (due * 1000 - loop->now_ns);
}

/* --- the phase ------------------------------------------------------------------- */

/* A repeating timer is re-armed before its callback runs (contract T3), so that the
 * callback may stop it. The heap has room for it: see timer_heap_reserve. */
static void timer_fire(uv_loop_t* loop, uv_timer_t* handle) {
  uint64_t due_us = handle->due_us;
  handle_stop((uv_handle_t*) handle);
  handle->heap_index = TIMER_NOWHERE;
  if (handle->repeat != 0)
    timer_arm(loop, handle, handle->repeat);
  loop_call_back(loop, subject_handle(handle), trace_late_us(due_us), handle->timer_cb,
                 handle);
}

/* Fires the timers that were due and started when the phase was entered. A timer that one
 * of the callbacks starts is due no earlier than any of those and has a higher start_id:
 * when such a timer is on top of the heap, none of the others is left. */
static void timers_fire_from_heap(uv_loop_t* loop, uint64_t now_us, unsigned int limit) {
  uint64_t newest = loop->timer_counter;
  while (loop->timer_count > 0 && loop->timers[0].due_us <= now_us &&
         loop->timers[0].start_id < newest) {
    if (limit-- == 0) {
      phase_leave_rest(loop);
      return;
    }
    uv_timer_t* handle = loop->timers[0].handle;
    timer_heap_remove(loop, 0);
    timer_fire(loop, handle);
  }
}

/* Without memory timers fire one by one, which is slower. */
static bool due_alloc(uv_loop_t* loop, size_t count) {
  assert(loop->due == NULL && loop->due_count == 0);
  loop->due = mem_alloc(count * sizeof(*loop->due));
  return loop->due != NULL;
}

static void timers_fire_taken(uv_loop_t* loop) {
  for (loop->due_next = 0; loop->due_next < loop->due_count; loop->due_next++) {
    const size_t ahead = loop->due_next + 8;
    if (ahead < loop->due_count)
      __builtin_prefetch(loop->due[ahead].handle, 1);
    uv_timer_t* handle = loop->due[loop->due_next].handle;
    if (handle != NULL) /* NULL: stopped by an earlier callback */
      timer_fire(loop, handle);
  }
  loop->due_count = loop->due_next = 0;
  mem_free(loop->due);
  loop->due = NULL;
}

void timers_run(uv_loop_t* loop) {
  uint64_t now_us = loop->now_ns / 1000;
  if (loop->timer_count == 0 || loop->timers[0].due_us > now_us)
    return;
  trace_phase(loop, RONDO_PHASE_TIMERS);
  unsigned int limit = phase_limit(loop, RONDO_PHASE_TIMERS);
  size_t due = 0;
  /* No bulk inside a callback of a batch that is still being fired. */
  if (loop->timer_count >= BULK_MIN && loop->due_count == 0)
    due = timer_heap_count_due(loop, now_us);
  if (due < BULK_MIN || due < loop->timer_count / BULK_SHARE || due > limit ||
      !due_alloc(loop, due)) {
    timers_fire_from_heap(loop, now_us, limit);
    return;
  }
  timer_heap_take_due(loop, now_us);
  timers_fire_taken(loop);
}

void timers_free(uv_loop_t* loop) {
  mem_free(loop->timers);
  mem_free(loop->due);
  loop->timers = NULL;
  loop->due = NULL;
  loop->timer_capacity = 0;
}
