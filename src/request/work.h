/* Work that would block a loop.
 *
 * Work is submitted on the loop's thread, runs on a thread of the pool (pool.h), and then
 * its `done` is called on the loop's thread, from the poll phase. */
#ifndef RONDO_WORK_H
#define RONDO_WORK_H

#include "uv.h"

#include <stdbool.h>

struct queue;

/* Returns 0, UV_ENOMEM, or UV_EAGAIN if not even one thread can be started; after an
 * error `done` won't be called. */
int work_submit(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work* w),
                void (*done)(struct uv__work* w, int status));

/* Cancels work that no thread has begun: returns 0, and `done` is called later with
 * UV_ECANCELED. UV_EBUSY for work that is running or has run. */
int work_cancel(struct uv__work* w);

/* For work that wasn't submitted but comes back through work_give_back: false if the loop
 * has no memory for that. The caller counts such work in work_active. */
bool work_can_give_back(uv_loop_t* loop);

/* Called inside a `done`, with a queue of work that it has finished, linked by wq: that
 * work is delivered next, before other work that has come back. Its `work` must be NULL.
 */
void work_deliver_next(uv_loop_t* loop, struct queue* finished);

/* Hands work back to its loop, on the thread that has run it. */
void work_give_back(struct uv__work* w);

#endif
