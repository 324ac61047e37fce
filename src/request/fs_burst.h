/* Many reads at once: see fs_burst.c. For the loop's thread, if nothing else is said. */
#ifndef RONDO_FS_BURST_H
#define RONDO_FS_BURST_H

#include "request/fs.h"

/* Puts the request where the loop or its helper takes it. False if there is no room. */
bool fs_burst_add(uv_fs_t* req);

/* False if it has been begun. */
bool fs_burst_cancel(uv_fs_t* req);

/* For what must come after the reads that the helper has taken: puts it behind them.
 * False if there are none. */
bool fs_burst_follow(uv_fs_t* req);

/* What becomes of them is fs_way.c's business. Nothing is called back from there: it may
 * be inside a call of the program's. `answer` is what preadv2(RWF_NOWAIT) gave.
 *
 * The loop's own come to fs_burst_done. Of the helper's, and of what has followed them,
 * those for which the others are true are over and called back as work; the rest has gone
 * on another way. */
void fs_burst_done(uv_fs_t* req, ssize_t answer);
bool fs_burst_back(uv_fs_t* req, ssize_t answer);
bool fs_burst_followed(uv_fs_t* req);

/* The fourth reserved word: the number of a place, its own or the one it follows. */
static inline unsigned int fs_burst_place(const uv_fs_t* req) {
  return (unsigned int) (uintptr_t) req->reserved[3];
}

static inline void fs_set_burst_place(uv_fs_t* req, unsigned int number) {
  req->reserved[3] = (void*) (uintptr_t) number;
}

#endif
