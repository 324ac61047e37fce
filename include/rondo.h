/* What Rondo has and libuv doesn't: which backend a loop sleeps on, and limits that keep
 * one busy phase from holding up the others; and, in rondo_node.h, the layer that Node
 * puts on top. */
#ifndef RONDO_H
#define RONDO_H

#include "uv.h"
#include "rondo_node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of what this loop's poll phase waits with: "uring" (io_uring) or "epoll". It
 * is chosen when the loop is made, by RONDO_BACKEND and by what the kernel allows, and
 * stays the same until the loop is closed. The string is static: it need not be freed. */
UV_EXTERN const char* rondo_backend_name(const uv_loop_t* loop);

/* The seven phases of a turn, in the order in which they run. */
enum rondo_phase {
  RONDO_PHASE_TIMERS = 0,
  RONDO_PHASE_PENDING = 1,
  RONDO_PHASE_IDLE = 2,
  RONDO_PHASE_PREPARE = 3,
  RONDO_PHASE_POLL = 4,
  RONDO_PHASE_CHECK = 5,
  RONDO_PHASE_CLOSING = 6
};

/* Lets at most n callbacks of a phase run in one turn; 0, the default, is no limit. When
 * the limit is reached, the callbacks that are left wait for the next turn and run then
 * in the order they would have had; none is lost. The poll of a turn that left some
 * behind does not block, so a limit costs turns but never time asleep; idle, prepare and
 * check handles are left behind until each has been called once. It holds from the
 * next time the phase is entered and may be changed at any time from the loop's thread,
 * also inside callbacks. Returns 0, or UV_EINVAL for a phase that doesn't exist. */
UV_EXTERN int rondo_loop_limit(uv_loop_t* loop, enum rondo_phase phase, unsigned int n);

#ifdef __cplusplus
}
#endif

#endif
