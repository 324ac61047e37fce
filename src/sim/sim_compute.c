/* Computing takes time: virtual time stands still while anybody computes, so without this
 * a timer never becomes due behind a script or a callback that took longer than the
 * timer's time, and the order of `setTimeout(a, 0); setImmediate(b)` would always be one
 * of two.
 *
 * The decision is whether what ran since the loop's last look at the clock took longer
 * than the time to the loop's next timer. The clock moves by that before the look. A
 * computation that passes no timer changes no order, and is none of the decisions. Timers
 * of a few milliseconds are passed now and then, longer ones rarely, and those above
 * LONGEST never: nobody's callback takes that long by chance. */
#include "sim/sim_state.h"

#include "base/base.h"
#include "loop/timer_heap.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MILLISECOND UINT64_C(1000000)
static const uint64_t LONGEST = 100 * MILLISECOND;
/* The most that all computations of a world add up to. */
static const uint64_t MOST_IN_ALL = 500 * MILLISECOND;

/* Whether a computation is long enough for a timer that is so far away. */
static bool is_long_enough(uint64_t distance, uint64_t number) {
  uint64_t share = number % 64;
  if (distance <= 2 * MILLISECOND + MILLISECOND / 2)
    return share < 44;
  if (distance <= 20 * MILLISECOND)
    return share < 16;
  return distance <= LONGEST && share < 2;
}

/* True if the world's computations have that much left to take. */
static bool budget_take(struct world* world, uint64_t length) {
  uint64_t used = __atomic_add_fetch(&world->computed, length, __ATOMIC_RELAXED);
  return used <= MOST_IN_ALL;
}

static void compute_apply(uv_loop_t* loop, const struct sim_computing* what) {
  struct sim_state* sim = sim_of(loop);
  char words[sizeof(what->name) + 64];
  if (!what->decided || loop->timer_count == 0)
    return;
  uint64_t now = world_now(sim->world);
  uint64_t due = loop->timers[0].due_us * 1000;
  if (due <= now || !is_long_enough(due - now, what->number))
    return;
  uint64_t extra = what->number >> 8;
  uint64_t length = due - now + 1000 +
                    extra / 4 % (extra % 4 == 0 ? 10 * MILLISECOND : MILLISECOND / 2);
  /* Time that one thing computes makes all others late. */
  if (length > world_late_most(sim->world) || !budget_take(sim->world, length))
    return;
  (void) world_late_take(sim->world, length, false);
  snprintf(words, sizeof(words), "%s takes longer than %.4g ms", what->name,
           (double) (due - now) / (double) MILLISECOND);
  chooser_log(sim->chooser, &what->question, length, words);
  /* Waits for that long, so that others, also a thread that has just begun, do meanwhile
   * what they do in that time, in the same order in each run. */
  struct pollfd none[1];
  uint64_t until = now + length;
  while (world_now(sim->world) < until)
    (void) world_wait(sim->world, none, 0, until, NULL);
}

/* --- what runs ---------------------------------------------------------------------- */

struct sim_computing* sim_compute_begins(uv_loop_t* loop, const char* source) {
  struct sim_state* sim = sim_of(loop);
  uint64_t hash = sim_hash((uint64_t) SIM_COMPUTE, source);
  struct sim_computing* what = &sim->begun;
  struct sim_question question = {
      .kind = SIM_COMPUTE, .loop = sim->number, .source = hash};
  uint64_t number;
  if (sim_is_engines_loop(loop))
    return NULL; /* runs when its threads get to it, which differs from run to run */
  question.nth = sim_nth(sim, hash);
  if (!chooser_decides(sim->chooser, &question, &number))
    return NULL;
  *what = (struct sim_computing){.decided = true, .question = question, .number = number};
  snprintf(what->name, sizeof(what->name), "%s", source);
  return what;
}

/* In each turn the loop looks twice: at the start, and behind the wait. What the wait has
 * found is called back between that look and the next. */
uint64_t sim_look_ns(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  bool is_start = loop->turns == sim->look_turns;
  sim->look_turns = loop->turns;
  if (!sim->has_looked) {
    sim->has_looked = true;
    bool is_main = syscall(SYS_gettid) == getpid();
    (void) sim_compute_begins(loop, is_main ? "the main script" : "a thread's script");
    sim->runs = sim->begun;
    sim->begun.decided = false;
  }
  if (sim_is_systematic(sim) && is_start)
    sim_next_compute(loop, sim->look_turns == 0 ? "the main script" : "a callback");
  compute_apply(loop, &sim->runs);
  sim->runs = sim->begun;
  sim->begun.decided = false;
  uint64_t now = sim_now_ns(loop);
  if (is_start && loop->timer_count > 0 && loop->timers[0].due_us * 1000 <= now) {
    (void) sim_compute_begins(loop, "the callback of a timer");
    sim->runs = sim->begun;
    sim->begun.decided = false;
  }
  return now;
}
