/* A back-off: how much is spent on an attempt that may be in vain. Each failure in a row
 * halves how long the next attempt may take, or doubles how many chances go by before it,
 * whichever its owner asks for. */
#ifndef RONDO_BASE_BACKOFF_H
#define RONDO_BASE_BACKOFF_H

#include "uv.h"

#include <stdbool.h>
#include <stdint.h>

/* Chances that go by at most: what was in vain long ago is tried again. */
enum { BACKOFF_VAIN_MOST = 6 };

static inline void backoff_won(struct rondo_backoff* backoff) {
  backoff->vain = 0;
  backoff->skip = 0;
}

static inline void backoff_lost(struct rondo_backoff* backoff) {
  if (backoff->vain < BACKOFF_VAIN_MOST)
    backoff->vain++;
  backoff->skip = (1u << backoff->vain) - 1;
}

/* Half of the way back to where nothing had failed. */
static inline void backoff_ease(struct rondo_backoff* backoff) {
  if (backoff->vain > 0)
    backoff->vain--;
}

/* How long the next attempt may take. */
static inline uint64_t backoff_share(const struct rondo_backoff* backoff, uint64_t most) {
  return most >> backoff->vain;
}

/* A chance has come: true if it is to be taken. */
static inline bool backoff_take_chance(struct rondo_backoff* backoff) {
  if (backoff->skip == 0)
    return true;
  backoff->skip--;
  return false;
}

#endif
