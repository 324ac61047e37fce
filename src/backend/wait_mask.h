/* The signal mask of the wait (UV_LOOP_BLOCK_SIGNAL): a profiler's SIGPROF must not wake
 * a sleeping loop a hundred times a second. The mask is the thread's own with the signal
 * added, and holds during the wait only. */
#ifndef RONDO_WAIT_MASK_H
#define RONDO_WAIT_MASK_H

#include "loop/loop.h"

#include <signal.h>

static inline const sigset_t* wait_mask_of(const uv_loop_t* loop, sigset_t* mask) {
  if (!(loop->flags & LOOP_BLOCK_SIGPROF))
    return NULL;
  if (pthread_sigmask(SIG_SETMASK, NULL, mask) != 0)
    return NULL;
  sigaddset(mask, SIGPROF);
  return mask;
}

#endif
