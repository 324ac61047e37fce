/* Facts that a systematic search asks about a loop and its world: see sim_next.h. */
#include "sim/sim_next.h"

#include "backend/interest.h"
#include "base/base.h"
#include "loop/timer_heap.h"

#include <unistd.h>

/* A timer that was started just now may be further away than the allowance reaches. */
static const uint64_t NEW_TIMER_MOST = 1000 * UINT64_C(1000000);

/* An engine's own handles keep no loop alive. */
bool sim_next_is_engines(const uv_loop_t* loop, int fd) {
  const uv_handle_t* handle = sim_handle_of(loop, loop->slots[fd].watcher);
  return handle != NULL && handle->type == UV_POLL && !uv_has_ref(handle);
}

/* Node has one timer for all of a script's. Elsewhere one that keeps no loop alive may be
 * an engine's. */
bool sim_next_timer_is_engines(const uv_timer_t* timer) {
  return !sim_is_in_node() && !uv_has_ref((const uv_handle_t*) timer);
}

/* When the program's next timer is due. */
uint64_t sim_next_due(const uv_loop_t* loop) {
  uint64_t first = WORLD_NEVER;
  for (unsigned int i = 0; i < loop->timer_count; i++) {
    if (!sim_next_timer_is_engines(loop->timers[i].handle))
      first = u64_min(first, loop->timers[i].due_us * 1000);
  }
  return first;
}

/* Whether the program's next timer may come before what is ready. */
bool sim_next_timer_may_come(const uv_loop_t* loop, uint64_t due) {
  const struct sim_state* sim = sim_of(loop);
  uint64_t now = world_now(sim->world);
  if (due == WORLD_NEVER || due <= now || sim_is_engines_loop(loop))
    return false;
  uint64_t distance = due - now;
  uint64_t longest = sim->world->longest;
  if (longest != 0 && distance > longest)
    return false;
  return distance <= world_late_most(sim->world) ||
         (distance <= NEW_TIMER_MOST && world_late_is_whole(sim->world));
}

/* Whether another thread of the program's, or another process, may do something. */
bool sim_next_has_others(struct world* world) {
  int pid = getpid();
  const struct world_thread* self = world_self(world);
  bool has = false;
  world_lock(world);
  for (uint32_t i = 0; i < world->process_high && !has; i++) {
    const struct world_process* process = &world->processes[i];
    has = process->state != PROCESS_FREE && process->pid != pid &&
          process->state != PROCESS_STRANGER;
  }
  for (uint32_t i = 0; i < world->thread_high && !has; i++) {
    const struct world_thread* thread = &world->threads[i];
    has = thread->tid != 0 && thread->pid == pid && thread != self &&
          !thread->is_helper && thread->is_loop;
  }
  world_unlock(world);
  return has;
}

/* A callback that a write to the standard streams has put off concerns no order. */
static bool has_pending(const uv_loop_t* loop) {
  const struct queue* pending = queue_of(((uv_loop_t*) (uintptr_t) loop)->pending_queue);
  for (struct queue* link = queue_first(pending); link != NULL;
       link = queue_next(pending, link)) {
    if (rondo_container_of(link, uv__io_t, pending_queue)->fd > STDERR_FILENO)
      return true;
  }
  return false;
}

/* Whether something would come between two callbacks of one poll. */
bool sim_next_between(const uv_loop_t* loop) {
  uint64_t now = world_now(sim_of(loop)->world);
  return loop->stop_flag != 0 || loop->closing_handles != NULL ||
         loop->closing_batch != NULL || has_pending(loop) ||
         loop->idle_handles[0] != loop->idle_handles ||
         (loop->timer_count > 0 && loop->timers[0].due_us * 1000 <= now);
}
