/* The pool's threads: one pool for the process.
 *
 * They are started when there is work that nobody is free to do, up to
 * UV_THREADPOOL_SIZE. Name look-ups, which may wait long for a dead server, get at most
 * half of them. */
#ifndef RONDO_POOL_H
#define RONDO_POOL_H

#include "uv.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Has w->work run by a thread, which then hands it to work_give_back. 0, or a negative
 * error when not even one thread is to be had. */
int pool_hand_over(struct uv__work* w);

/* Has `work` run once by a thread that has nothing else to do; nothing comes back. False
 * if there is none, or no second processor for it to run on. */
bool pool_lend(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work* w));

/* True if no thread has begun it; then none will, and `instead` stands in w->work. False
 * also if that stands there already. */
bool pool_take_back(struct uv__work* w, void (*instead)(struct uv__work* w));

/* How many threads it has at most. */
unsigned int pool_size(void);

/* How much file work waits for a free thread. */
extern _Atomic unsigned int pool_files;

static inline bool pool_files_waiting(void) {
  return atomic_load_explicit(&pool_files, memory_order_relaxed) > 0;
}

#endif
