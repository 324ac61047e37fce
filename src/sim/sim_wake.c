/* Notifications in virtual time: an async handle that was sent to, and signals, may go
 * unnoticed for a while. Sends that come meanwhile are coalesced, as ever.
 *
 * What engines send from threads of their own, whenever these get to it, is left alone,
 * for it is not the same in two runs: handles that don't keep the loop alive, and in Node
 * all handles of loops that run no script (those of its helper threads). */
#include "sim/sim_state.h"

#include "base/alloc.h"
#include "base/base.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Returns 0 if the notification is delivered now. */
static uint64_t wake_delay(uv_loop_t* loop, enum sim_kind kind, uint64_t source,
                           uint64_t most, const char* what) {
  struct sim_state* sim = sim_of(loop);
  uint64_t key = sim_mix(source ^ (uint64_t) kind << 40);
  struct sim_question question = {
      .kind = kind, .loop = sim->number, .source = source, .nth = sim_nth(sim, key)};
  uint64_t number;
  if (!chooser_decides(sim->chooser, &question, &number))
    return 0;
  /* A signal's is too short to matter to the allowance. */
  uint64_t delay = most < WORLD_NEVER ? 1 + chooser_delay(sim->chooser, number) % most
                                      : sim_delay(loop, &question, number);
  if (delay == 0)
    return 0;
  chooser_log(sim->chooser, &question, delay, what);
  return delay;
}

static bool wake_plan(uv_loop_t* loop, uint64_t delay, unsigned int kind) {
  struct sim_state* sim = sim_of(loop);
  struct sim_event event = {
      .at = world_now(sim->world) + delay, .kind = SIM_EVENT_WAKE, .fd = (int) kind};
  return delay > 0 && sim_heap_push(&sim->heap, event);
}

bool sim_is_in_node(void) {
  /* A race is harmless: all threads find the same value. */
  static _Atomic int in_node = -1;
  if (in_node < 0)
    in_node = dlsym(RTLD_DEFAULT, "napi_create_function") != NULL;
  return in_node != 0;
}

/* A loop that runs a script has a check handle for its immediates. */
bool sim_is_engines_loop(const uv_loop_t* loop) {
  return sim_is_in_node() &&
         queue_empty(queue_of(((uv_loop_t*) (uintptr_t) loop)->check_handles));
}

static bool is_engines(const uv_async_t* handle) {
  return !(handle->flags & HANDLE_REFERENCED) || sim_is_engines_loop(handle->loop);
}

static struct sim_held* held_find(struct sim_state* sim, uint64_t number) {
  for (size_t i = 0; i < sim->held_count; i++) {
    if (sim->held[i].number == number)
      return &sim->held[i];
  }
  return NULL;
}

static bool held_add(uv_loop_t* loop, uint64_t number, uint64_t until) {
  struct sim_state* sim = sim_of(loop);
  struct sim_held* held =
      mem_realloc_array(sim->held, sim->held_count + 1, sizeof(*held));
  if (held == NULL)
    return false;
  sim->held = held;
  held[sim->held_count] = (struct sim_held){.number = number, .until = until};
  sim_next_mark(loop, &held[sim->held_count++].mark);
  return true;
}

bool sim_async_waits(uv_async_t* handle) {
  uv_loop_t* loop = handle->loop;
  struct sim_state* sim = sim_of(loop);
  uint64_t number = handle->number;
  if (is_engines(handle)) {
    sim->woken_by_engine = true;
    return false;
  }
  struct sim_held* held = held_find(sim, number);
  if (held != NULL) {
    if (held->until > world_now(sim->world))
      return true;
    *held = sim->held[--sim->held_count];
    return false;
  }
  char name[64];
  char words[160];
  snprintf(name, sizeof(name), "a send to async handle %u", (unsigned int) number);
  sim_described_words(loop, handle, name, words, sizeof(words) - 32);
  size_t used = strlen(words);
  snprintf(words + used, sizeof(words) - used, " is noticed late");
  if (sim_is_systematic(sim))
    return held_add(loop, number, WORLD_NEVER);
  uint64_t delay = wake_delay(loop, SIM_ASYNC, number, WORLD_NEVER, words);
  if (delay == 0 || !held_add(loop, number, world_now(sim->world) + delay))
    return false;
  if (wake_plan(loop, delay, WAKE_ASYNC))
    return true;
  sim->held_count--;
  return false;
}

bool sim_signals_wait(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  uint64_t now = world_now(sim->world);
  if (sim->signals_until > now)
    return true;
  if (sim->signals_until != 0) {
    sim->signals_until = 0; /* its time has come */
    return false;
  }
  /* The delay is no longer than a thread may wait for a processor, since the kernel
   * delivers signals at once. */
  uint64_t delay =
      wake_delay(loop, SIM_SIGNAL, 0, 1000000, "a signal is noticed a few turns late");
  if (!wake_plan(loop, delay, WAKE_SIGNAL))
    return false;
  sim->signals_until = now + delay;
  return true;
}
