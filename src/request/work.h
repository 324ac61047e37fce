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

/* For work that comes back without having been submitted, by work_give_back: false if
 * the loop has no memory for it. It counts in work_active. */
bool work_can_give_back(uv_loop_t* loop);

/* Inside a `done`: these, linked by their wq, have been finished by it and are delivered
 * next, before what else has come back. Their work must be NULL. */
void work_deliver_next(uv_loop_t* loop, struct queue* finished);

/* For the thread that has run it: from here on it is its loop's. */
void work_give_back(struct uv__work* w);

#endif
