/* Limits: how much one turn may do.
 *
 * Some are fixed, so that no phase starves the others (contract P5, Q1). The others are
 * the program's, one for each phase (rondo_loop_limit, contract P4): callbacks beyond the
 * limit wait for the next turn, in order, and the poll before that doesn't block.
 *
 * In the poll phase the limit covers events, finished work and notifications. For events
 * it is spent in advance: the backend is asked for no more than may be dispatched. For
 * the other two it is spent one by one (poll_take). */
#ifndef RONDO_LIMITS_H
#define RONDO_LIMITS_H

#include "loop/loop.h"

enum {
  POLL_BATCHES_MOST = 48, /* full batches of events in one poll */
  PENDING_ROUNDS_MOST = 8 /* rounds of pending callbacks after the poll */
};

static inline bool phase_is_limited(const uv_loop_t* loop, enum rondo_phase phase) {
  return loop->limits[phase] != 0;
}

/* How many callbacks the phase may make. */
static inline unsigned int phase_limit(const uv_loop_t* loop, enum rondo_phase phase) {
  return phase_is_limited(loop, phase) ? loop->limits[phase] : ~0u;
}

/* A limit has left callbacks for the next turn: the poll must not sleep before. */
static inline void phase_leave_rest(uv_loop_t* loop) {
  loop->flags |= LOOP_LEFTOVER;
}

static inline void poll_limit_begin(uv_loop_t* loop) {
  loop->flags &= ~(unsigned int) LOOP_LEFTOVER;
  loop->poll_left = phase_limit(loop, RONDO_PHASE_POLL);
}

/* Takes one callback off the poll phase's limit; to be called before each callback for a
 * notification or finished work. False when the limit is reached: the remaining work
 * stays queued, and an on_wake function that has work left calls loop_wake for itself
 * again. */
static inline bool poll_take(uv_loop_t* loop) {
  if (loop->poll_left == 0) {
    loop->flags |= LOOP_LEFTOVER | LOOP_OWED;
    return false;
  }
  loop->poll_left--;
  return true;
}

/* Undoes poll_take for finished work that made no callback. */
static inline void poll_refund(uv_loop_t* loop) {
  loop->poll_left++;
}

#endif
