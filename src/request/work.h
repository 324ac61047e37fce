/* Work that would hold up a loop.
 *
 * It is handed over on the loop's thread, runs on a thread of the pool (pool.h) and comes
 * back through its `done`, called on the loop's thread from the poll phase. */
#ifndef RONDO_WORK_H
#define RONDO_WORK_H

#include "uv.h"

#include <stdbool.h>

struct queue;

/* 0, UV_ENOMEM, or UV_EAGAIN when not even one thread is to be had: nothing is kept
 * then and done won't be called. */
int work_submit(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work* w),
                void (*done)(struct uv__work* w, int status));

/* Takes back what no thread has begun: 0, and done comes later with UV_ECANCELED.
 * UV_EBUSY for what runs or has run. */
int work_cancel(struct uv__work* w);

/* For work that was done without having been handed over: after WAKE_WORK, `collect`
 * puts it behind what has finished, linked by its wq, and it is called back like the
 * rest, with the loop's work_active counting it. The loop must be able to take work back.
 */
bool work_can_give_back(uv_loop_t* loop);
void work_also_collect(uv_loop_t* loop,
                       void (*collect)(uv_loop_t* loop, struct queue* finished));

/* For the thread that has run it: from here on it is its loop's. */
void work_give_back(struct uv__work* w);

#endif
