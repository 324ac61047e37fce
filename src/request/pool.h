/* The pool's threads: one pool for the process.
 *
 * A thread is started when there is work and no thread is free, up to UV_THREADPOOL_SIZE.
 * Name look-ups, which may wait long for a dead server, get at most half of the threads.
 */
#ifndef RONDO_POOL_H
#define RONDO_POOL_H

#include "uv.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Has w->work run by a thread, which then calls work_give_back. Returns 0, or a negative
 * error if not even one thread can be started. */
int pool_hand_over(struct uv__work* w);

/* Has `work` run once by an idle thread; it isn't given back to the loop. False if there
 * is no idle thread, or no second processor to run it on. */
bool pool_lend(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work* w));

/* True if no thread has begun the work; then none will, and w->work is set to `instead`.
 * False also if w->work was `instead` already. */
bool pool_take_back(struct uv__work* w, void (*instead)(struct uv__work* w));

/* The largest number of threads. */
unsigned int pool_size(void);

/* How many file requests wait for a free thread. */
extern _Atomic unsigned int pool_files;

static inline bool pool_files_waiting(void) {
  return atomic_load_explicit(&pool_files, memory_order_relaxed) > 0;
}

#endif
