/* Looking out: a loop that expects to be woken soon spins before it sleeps.
 *
 * Falling asleep and being woken by another thread costs tens of microseconds on a
 * virtual machine, more than most work of the pool takes, and more than another loop
 * needs for its answer. So a loop spins on its flags for a moment before it sleeps, but
 * only with a reason, and with a back-off while spins are lost. An idle loop doesn't
 * spin, nor does any loop on a machine with one processor. The reasons:
 *
 * - The loop has work in the pool. - The last spin for an async was won: asyncs come
 * fast, and the spin is short. - The loop has sent to a loop that was spinning. A
 * spinning loop answers at once if it answers, so a short spin decides. - The last sleep
 * was short and ended by an async. One short sleep proves little: two loops that answer
 * each other and both sleep see sleeps of two wake-ups each, which would be a fraction of
 * a microsecond if both were spinning. So now and then such a sleep is followed by a long
 * spin, long enough for the other loop to be woken and to answer. If the other loop is
 * such a partner it sees this loop spin, spins in its turn, and from then on both find
 * each other awake. */
#include "base/backoff.h"
#include "base/base.h"
#include "loop/counters.h"
#include "loop/loop.h"
#include "loop/spin.h"
#include "system/system.h"
#include "system/tune.h"

#include <sched.h>

enum {
  WORK_MOST_NS = 50000,
  WORK_LEAST_NS = 1500,
  /* More work is under way than there are other processors: the pool needs ours. A short
   * spin still pays when results come so fast that the loop, by taking them, keeps a
   * thread of the pool busy. */
  CROWDED_MOST_NS = 5000,
  /* The sender of an async is unknown, and so is when it will send again: a short spin.
   */
  ASYNC_MOST_NS = 10000,
  /* The long spin, and the longest sleep that justifies one: a thread on another
   * processor is woken and answers in less time. */
  PROBE_NS = 120000,
  SHORT_SLEEP_NS = 240000,
  /* After a sleep for work that was shorter than this, a spin would have been better. */
  SHORT_WORK_SLEEP_NS = 60000,
};

/* Values of loop->spin_reason. */
enum { SPIN_NONE, SPIN_WON, SPIN_PARTNER, SPIN_PROBE };

/* The loop that this thread runs. A thread that sends to a spinning loop notes that in
 * its own running loop. The first access may come from a signal handler, so the variable
 * must not be allocated on demand. */
static _Thread_local uv_loop_t* running_loop __attribute__((tls_model("initial-exec")));

uv_loop_t* look_out_enter(uv_loop_t* loop) {
  uv_loop_t* outer = running_loop;
  running_loop = loop;
  return outer;
}

void look_out_leave(uv_loop_t* outer) {
  running_loop = outer;
}

void look_out_partner_spins(const uv_loop_t* partner) {
  uv_loop_t* loop = running_loop;
  if (loop == NULL || loop == partner || loop->spin_reason != SPIN_NONE)
    return;
  if (backoff_take_chance(&loop->partner_backoff))
    loop->spin_reason = SPIN_PARTNER;
}

/* A pool thread on the loop's own processor gets nothing done while the loop spins. */
static bool work_needs_our_processor(const uv_loop_t* loop) {
  unsigned int processor = __atomic_load_n(&loop->work_processor, __ATOMIC_RELAXED);
  return processor != 0 && processor == (unsigned int) sched_getcpu() + 1;
}

static bool machine_is_crowded(const uv_loop_t* loop) {
  return loop->work_active >= system_processors();
}

static bool look_out_is_over(const void* loop) {
  return wake_has_news(loop);
}

static bool look_out_spin(uv_loop_t* loop, uint64_t most, uint64_t deadline) {
  wake_spin_begin(loop);
  bool won = spin_until(look_out_is_over, loop, u64_min(clock_now_ns() + most, deadline));
  wake_spin_end(loop);
  return won;
}

static bool spin_for_work(uv_loop_t* loop, uint64_t deadline) {
  if (!tune_is_on(TUNE_WORK_SPIN) || work_needs_our_processor(loop))
    return false;
  uint64_t most =
      u64_max(backoff_share(&loop->work_backoff, WORK_MOST_NS), WORK_LEAST_NS);
  bool limited = machine_is_crowded(loop);
  bool won =
      look_out_spin(loop, limited ? u64_min(most, CROWDED_MOST_NS) : most, deadline);
  loop_count(loop, won ? COUNTER_SPIN_WORK_WON : COUNTER_SPIN_WORK_LOST);
  if (limited)
    return won;
  if (won)
    backoff_ease(&loop->work_backoff);
  else
    backoff_lost(&loop->work_backoff);
  return won;
}

/* A won probe doesn't end the back-off. The short spin after the probe shows whether
 * asyncs now come fast, and only that spin ends it. */
static bool spin_for_async(uv_loop_t* loop, uint64_t deadline) {
  unsigned int reason = loop->spin_reason;
  if (reason == SPIN_NONE || !tune_is_on(TUNE_ASYNC_SPIN))
    return false;
  assert(reason <= SPIN_PROBE && loop->work_active == 0);
  bool won =
      look_out_spin(loop, reason == SPIN_PROBE ? PROBE_NS : ASYNC_MOST_NS, deadline);
  loop_count(loop, won ? COUNTER_SPIN_ASYNC_WON : COUNTER_SPIN_ASYNC_LOST);
  loop->spin_reason = won ? SPIN_WON : SPIN_NONE;
  struct rondo_backoff* backoff =
      reason == SPIN_PARTNER ? &loop->partner_backoff : &loop->async_backoff;
  if (!won)
    backoff_lost(backoff);
  else if (reason != SPIN_PROBE)
    backoff_won(backoff);
  return won;
}

/* A loop without a reason asks nothing: its sleep is one system call. */
bool look_out(uv_loop_t* loop, uint64_t deadline) {
  if ((loop->work_active == 0 && loop->spin_reason == SPIN_NONE) ||
      system_processors() < 2)
    return false;
  return loop->work_active > 0 ? spin_for_work(loop, deadline)
                               : spin_for_async(loop, deadline);
}

void look_out_learn(uv_loop_t* loop, uint64_t slept_ns) {
  if (slept_ns >= SHORT_SLEEP_NS)
    return;
  unsigned int flags = __atomic_load_n(&loop->wake_flags, __ATOMIC_RELAXED);
  if (slept_ns < SHORT_WORK_SLEEP_NS && loop->work_active > 0 &&
      (flags & 1u << WAKE_WORK))
    backoff_won(&loop->work_backoff);
  if ((flags & 1u << WAKE_ASYNC) && backoff_take_chance(&loop->async_backoff))
    loop->spin_reason = SPIN_PROBE;
}
