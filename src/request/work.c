/* How work gets to the pool and back to its loop: through one lock-free stack per loop.
 * Threads push finished work; the loop takes the whole stack at once. Only the push that
 * finds the stack empty wakes the loop, and loop_wake makes no system call unless the
 * loop sleeps.
 *
 * Work that was under way in the parent of a fork stays the parent's: its end is never
 * reported in the child. */
#include "request/work.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/queue.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "request/pool.h"
#include "sim/sim.h"

#include <sched.h>
#include <stdatomic.h>

/* A loop's work_state. */
struct work_state {
  struct loop_part part;
  /* Finished work, the last one first, linked through wq[0]. */
  _Atomic(struct uv__work*) finished;
  struct queue backlog; /* taken off the stack and not yet called back */
  struct queue batch;   /* the part of the backlog that this poll calls back */
  /* How many threads are between their push and the end of loop_wake. Such a thread still
   * touches the loop, though the push may be all that the program waits for before it
   * closes the loop. */
  _Atomic unsigned int visitors;
};

/* The work must not be touched after the push, nor the loop after the decrement of
 * `visitors`. */
void work_give_back(struct uv__work* w) {
  uv_loop_t* loop = w->loop;
  struct work_state* state = loop->work_state;

  atomic_fetch_add_explicit(&state->visitors, 1, memory_order_relaxed);
  struct uv__work* before = atomic_load_explicit(&state->finished, memory_order_relaxed);
  do {
    w->wq[0] = before;
  } while (!atomic_compare_exchange_weak_explicit(
      &state->finished, &before, w, memory_order_acq_rel, memory_order_relaxed));
  if (before == NULL)
    loop_wake(loop, WAKE_WORK);
  atomic_fetch_sub_explicit(&state->visitors, 1, memory_order_release);
}

/* The value of `work` after a cancellation. */
static void work_cancelled(struct uv__work* w) {
  (void) w;
}

/* Appends the work that has finished since to what a limit left over, in the order in
 * which it finished: the stack is reversed. */
static void work_collect(struct work_state* state) {
  struct uv__work* w =
      atomic_exchange_explicit(&state->finished, NULL, memory_order_acquire);
  struct queue batch;
  queue_init(&batch);
  while (w != NULL) {
    struct uv__work* next = w->wq[0];
    queue_push_front(&batch, queue_of(w->wq));
    w = next;
  }
  queue_append(&state->backlog, &batch);
}

static void work_deliver(uv_loop_t* loop) {
  struct work_state* state = loop->work_state;
  work_collect(state);
  queue_append(&state->batch, &state->backlog);
  while (!queue_empty(&state->batch) && poll_take(loop)) {
    struct queue* link = queue_first(&state->batch);
    queue_remove(link);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    assert(loop->work_active > 0);
    loop->work_active--;
    loop->events++;
    int status = w->work == work_cancelled ? UV_ECANCELED : 0;
    w->work = NULL; /* can't be cancelled from here on */
    w->done(w, status);
  }
  queue_append(&state->batch, &state->backlog);
  queue_move(&state->batch, &state->backlog);
  if (!queue_empty(&state->backlog))
    loop_wake(loop, WAKE_WORK);
}

static void work_state_close(uv_loop_t* loop, struct loop_part* part) {
  struct work_state* state = (struct work_state*) part;
  while (atomic_load_explicit(&state->visitors, memory_order_acquire) > 0 &&
         loop_is_ours(loop))
    sched_yield();
  loop->work_state = NULL;
  mem_free(state);
}

static unsigned int queue_count(const struct queue* queue) {
  unsigned int count = 0;
  for (struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link))
    count++;
  return count;
}

/* In the child: of the work that was under way, only what had already come back is called
 * back. The fork may happen inside such a callback. */
static int work_state_fork(uv_loop_t* loop, struct loop_part* part) {
  struct work_state* state = (struct work_state*) part;
  atomic_store(&state->visitors, 0);
  work_collect(state);
  loop->work_active = queue_count(&state->backlog) + queue_count(&state->batch);
  if (loop->work_active > 0)
    loop_wake(loop, WAKE_WORK);
  return 0;
}

static int work_state_make(uv_loop_t* loop) {
  struct work_state* state = mem_calloc(1, sizeof(*state));
  if (state == NULL)
    return UV_ENOMEM;
  state->part.close = work_state_close;
  state->part.fork = work_state_fork;
  queue_init(&state->backlog);
  queue_init(&state->batch);
  loop->work_state = state;
  loop->on_wake[WAKE_WORK] = work_deliver;
  return 0;
}

bool work_can_give_back(uv_loop_t* loop) {
  return loop->work_state != NULL || work_state_make(loop) == 0;
}

void work_deliver_next(uv_loop_t* loop, struct queue* finished) {
  struct work_state* state = loop->work_state;
  loop->work_active += queue_count(finished);
  /* The `done` that finished these made no callback itself, so it doesn't count towards
   * the limit. */
  poll_refund(loop);
  loop->events--;
  queue_append(finished, &state->batch);
  queue_move(finished, &state->batch);
}

int work_submit(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work*),
                void (*done)(struct uv__work*, int)) {
  if (!work_can_give_back(loop))
    return UV_ENOMEM;
  if (simulated(loop))
    return sim_work_submit(loop, w, work, done);

  w->loop = loop;
  w->work = work;
  w->done = done;
  if (pool_hand_over(w) != 0)
    return UV_EAGAIN;
  loop->work_active++;
  return 0;
}

int work_cancel(struct uv__work* w) {
  if (simulated(w->loop))
    return sim_work_cancel(w);
  if (pool_take_back(w, work_cancelled)) {
    work_give_back(w);
    return 0;
  }
  return w->work == work_cancelled ? 0 : UV_EBUSY;
}
