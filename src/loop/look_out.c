/* Looking out: how a loop that expects to be told something soon waits for it awake.
 *
 * Falling asleep and being woken by another thread costs tens of microseconds on a
 * virtual machine, more than most work of the pool takes, and more than another loop
 * needs for its answer. So a loop looks at its flags for a moment before it sleeps, but
 * only with a reason: it has work in the pool, or its last sleeps were so short that they
 * were mostly falling asleep and waking up. Looking in vain makes it less willing. An
 * idle loop does none of this, and nobody does where there is one processor. */
#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"

#include <sched.h>

enum {
  WORK_MOST_NS = 50000,
  WORK_LEAST_NS = 1500,
  /* With more work under way than other processors, ours is of use to it, unless results
   * come one upon the other and the loop keeps a thread busy just by taking them. */
  CROWDED_MOST_NS = 5000,
  /* An async is sent by somebody we know nothing about: less patience, and after a look
   * in vain the next chances are let pass, twice as many each time. */
  ASYNC_MOST_NS = 10000,
  ASYNC_CHANCES = 64,
  /* A sleep that ended before this: looking out would have been right. */
  SHORT_SLEEP_NS = 60000,
};

/* A thread that works on the processor we are on gets nothing done while we look. */
static bool work_needs_our_processor(const uv_loop_t* loop) {
  unsigned int processor = __atomic_load_n(&loop->work_processor, __ATOMIC_RELAXED);
  return processor != 0 && processor == (unsigned int) sched_getcpu() + 1;
}

static bool crowded(const uv_loop_t* loop) {
  return loop->work_active >= system_processors();
}

static uint64_t time_for_work(const uv_loop_t* loop) {
  if (system_processors() < 2 || work_needs_our_processor(loop))
    return 0;
  uint64_t most = loop->work_look_ns == 0 ? WORK_MOST_NS : loop->work_look_ns;
  return crowded(loop) ? u64_min(most, CROWDED_MOST_NS) : most;
}

static bool look(const uv_loop_t* loop, uint64_t end) {
  for (int round = 0; round < LOOK_ROUNDS; round++) {
    for (int i = 0; i < 32; i++) {
      if (wake_told(loop))
        return true;
      relax();
    }
    if (clock_now_ns() >= end)
      break;
  }
  return false;
}

bool look_out(uv_loop_t* loop, uint64_t deadline) {
  bool for_work = loop->work_active > 0;
  uint64_t most = for_work ? time_for_work(loop) : loop->async_look_ns;
  if (most == 0)
    return false;
  bool told = look(loop, u64_min(clock_now_ns() + most, deadline));
  if (for_work && crowded(loop))
    return told;
  if (for_work) {
    loop->work_look_ns = (unsigned int) (told ? u64_min(most * 2, WORK_MOST_NS)
                                              : u64_max(most / 2, WORK_LEAST_NS));
  } else if (told) {
    loop->async_vain_looks = 0;
  } else {
    loop->async_look_ns = 0;
    if (loop->async_vain_looks < ASYNC_CHANCES)
      loop->async_vain_looks = loop->async_vain_looks * 2 + 1;
    loop->async_chances_left = loop->async_vain_looks;
  }
  return told;
}

void look_out_learn(uv_loop_t* loop, uint64_t slept_ns) {
  if (slept_ns >= SHORT_SLEEP_NS)
    return;
  unsigned int told = __atomic_load_n(&loop->wake_flags, __ATOMIC_RELAXED);
  if (loop->work_active > 0 && (told & 1u << WAKE_WORK))
    loop->work_look_ns = WORK_MOST_NS;
  if (!(told & 1u << WAKE_ASYNC) || system_processors() < 2)
    return;
  if (loop->async_chances_left > 0)
    loop->async_chances_left--;
  else
    loop->async_look_ns = ASYNC_MOST_NS;
}
