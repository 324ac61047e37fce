/* Many reads at once: see fs_burst.c. For the loop's thread, if nothing else is said. */
#ifndef RONDO_FS_BURST_H
#define RONDO_FS_BURST_H

#include "request/fs.h"

/* Puts the request where the loop or its helper takes it. False if there is no room. */
bool fs_burst_add(uv_fs_t* req);

/* False if it has been begun. */
bool fs_burst_cancel(uv_fs_t* req);

/* For what must come after the reads that the helper has taken: puts it behind them, and
 * it is called back as work when they have been. False if there are none. */
bool fs_burst_follow(uv_fs_t* req);

/* What becomes of it is fs_way.c's business: the loop's own come to fs_burst_done, with
 * what preadv2(RWF_NOWAIT) gave; the helper's are called back as work, and have it with
 * them. */
void fs_burst_done(uv_fs_t* req, ssize_t answer);
void fs_burst_helped(uv_loop_t* loop); /* one of the helper's has been called back */

/* The fourth reserved word: the number of a place, its own or the one it follows; of a
 * read, later the answer. */
static inline unsigned int fs_burst_place(const uv_fs_t* req) {
  return (unsigned int) (uintptr_t) req->reserved[3];
}

static inline void fs_set_burst_place(uv_fs_t* req, unsigned int number) {
  req->reserved[3] = (void*) (uintptr_t) number;
}

static inline ssize_t fs_answer(const uv_fs_t* req) {
  return (ssize_t) (intptr_t) req->reserved[3];
}

static inline void fs_set_answer(uv_fs_t* req, ssize_t answer) {
  req->reserved[3] = (void*) (intptr_t) answer;
}

#endif
