/* How long a delay is that was decided on.
 *
 * Delays of every order of magnitude are needed: one that ends just behind the next timer
 * or completion changes one order and little else; one of a millisecond changes the order
 * of things that happen at once; a long one lets all else come first. Most runs have few
 * long ones, at places that differ from run to run, for all together fit into the
 * allowance (world_late.c). With `rondo sim --expire` a delay may also be longer than the
 * program's limits, as a decision of its own. */
#include "sim/sim_state.h"

#include "base/base.h"
#include "loop/timer_heap.h"

#include <stdio.h>

static const uint64_t MILLISECOND = 1000 * 1000;

void sim_note_due_timer(const uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  bool is_due =
      loop->timer_count > 0 && loop->timers[0].due_us * 1000 <= world_now(sim->world);
  sim->due_timer = is_due ? loop->timers[0].handle : NULL;
}

/* Whether the loop's next timer was started at this moment, and not again by its own
 * callback: Node has one for all its timers, and starts it again with what is left of the
 * next. So nothing is known to have waited for it before. */
static bool timer_is_new(const uv_loop_t* loop, uint64_t now) {
  const uv_timer_t* timer = loop->timers[0].handle;
  uint64_t started_us = timer->due_us - timer->timeout * 1000;
  return timer != sim_of(loop)->due_timer && started_us * 1000 + MILLISECOND >= now;
}

static uint64_t next_timer(const uv_loop_t* loop, uint64_t now) {
  uint64_t due = loop->timer_count == 0 ? 0 : loop->timers[0].due_us * 1000;
  return due > now ? due : WORLD_NEVER;
}

static uint64_t next_event(const struct sim_state* sim, uint64_t now) {
  uint64_t at = sim->heap.count == 0 ? 0 : sim->heap.events[0].at;
  return at > now ? at : WORLD_NEVER;
}

/* Just behind. */
static uint64_t little(uint64_t number) {
  return 1000 +
         (number >> 20) % ((number >> 8) % 2 == 0 ? 2 * MILLISECOND : 20 * MILLISECOND);
}

static uint64_t take(struct sim_state* sim, uint64_t wanted, bool is_exempt) {
  uint64_t longest = sim->world->longest;
  if (longest != 0 && wanted > longest)
    wanted = longest;
  return world_late_take(sim->world, wanted, is_exempt);
}

/* A delay that lets the loop's next timer expire, or of up to a minute. 0: not decided.
 */
static uint64_t delay_beyond(const uv_loop_t* loop, const struct sim_question* about) {
  const uint64_t most = 60 * WORLD_SECOND;
  struct sim_state* sim = sim_of(loop);
  struct sim_question question = *about;
  uint64_t number, now = world_now(sim->world);
  question.kind = SIM_EXPIRE;
  question.source = sim_mix(about->source ^ (uint64_t) about->kind << 40);
  if (!chooser_decides(sim->chooser, &question, &number))
    return 0;
  uint64_t timer = next_timer(loop, now);
  uint64_t delay = chooser_within(number, most);
  char words[200] = "a delay is longer than a program expects";
  if (timer != WORLD_NEVER && timer - now > world_late_most(sim->world)) {
    delay = timer - now + little(number);
    snprintf(words, sizeof(words), "a time-out, due in %.3g s, expires",
             (double) (timer - now) / 1e9);
  }
  delay = take(sim, delay, true);
  chooser_log(sim->chooser, &question, delay, words);
  return delay;
}

/* Whether the loop waits for one thing only, and nobody else for a time: then nothing
 * comes before it that would have come after it, and a long delay would be a waste of the
 * allowance. */
static bool is_all_there_is(const uv_loop_t* loop, uint64_t others) {
  return loop->timer_count == 0 && loop->active_handles == 0 && loop->work_active <= 1 &&
         others == WORLD_NEVER;
}

/* Just behind what another thread or process waits for until then: half a second after it
 * has started a child, say. 0: not this time, or too far. */
static uint64_t behind_others(uint64_t others, uint64_t now, uint64_t most,
                              uint64_t number) {
  if (others == WORLD_NEVER || (number >> 5) % 2 == 0)
    return 0;
  uint64_t delay = others - now + little(number);
  return delay <= most ? delay : 0;
}

uint64_t sim_delay(const uv_loop_t* loop, const struct sim_question* about,
                   uint64_t number) {
  const uint64_t new_most = WORLD_SECOND;
  struct sim_state* sim = sim_of(loop);
  uint64_t now = world_now(sim->world);
  uint64_t beyond = delay_beyond(loop, about);
  if (beyond != 0)
    return beyond;
  uint64_t most = world_late_most(sim->world);
  uint64_t covered = world_late_covered(sim->world);
  uint64_t timer = next_timer(loop, now), event = next_event(sim, now);
  uint64_t others = world_next_of_others(sim->world);
  uint64_t share = sim_mix(number ^ 3) % 8;
  bool is_long = chooser_is_long(sim->chooser, number) && !is_all_there_is(loop, others);
  uint64_t behind_timer = timer - now + little(number);
  uint64_t behind_event = event - now + little(number);
  if (share < 2 && event != WORLD_NEVER && behind_event <= most)
    return take(sim, behind_event, false);
  if (share < 5 && is_long) {
    uint64_t delay = behind_others(others, now, most, number);
    if (delay != 0)
      return take(sim, delay, false);
  }
  if (share < 5 && is_long && timer != WORLD_NEVER) {
    bool is_exempt = behind_timer > most && timer - now <= new_most &&
                     timer_is_new(loop, now) && world_late_is_whole(sim->world);
    if (behind_timer <= most || is_exempt)
      return take(sim, behind_timer, is_exempt);
  }
  if (covered > MILLISECOND && share != 7) {
    uint64_t wanted = chooser_long(sim->chooser, number);
    return take(sim, wanted <= covered ? wanted : 1 + (number >> 8) % covered, false);
  }
  return take(sim, is_long ? chooser_long(sim->chooser, number) : chooser_short(number),
              false);
}

uint64_t sim_timers_late(const uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  struct sim_question question = {
      .kind = SIM_TIMER, .loop = sim->number, .nth = sim->timer_wakes++};
  uint64_t number;
  if (!chooser_decides(sim->chooser, &question, &number))
    return 0;
  uint64_t late = take(sim, chooser_delay(sim->chooser, number), false);
  if (late != 0)
    chooser_log(sim->chooser, &question, late, "the loop's timers are late");
  return late;
}
