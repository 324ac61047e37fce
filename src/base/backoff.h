/* A back-off: how much is spent on an attempt that may fail. Each failure in a row halves
 * how long the next attempt may take (backoff_share), or doubles how many chances are
 * skipped before it (backoff_take_chance). */
#ifndef RONDO_BASE_BACKOFF_H
#define RONDO_BASE_BACKOFF_H

#include "uv.h"

#include <stdbool.h>
#include <stdint.h>

/* The limit of failures counted in a row, so that an attempt is made again even after a
 * long series of failures. */
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

/* Takes one of the failures back. */
static inline void backoff_ease(struct rondo_backoff* backoff) {
  if (backoff->vain > 0)
    backoff->vain--;
}

/* How long the next attempt may take. */
static inline uint64_t backoff_share(const struct rondo_backoff* backoff, uint64_t most) {
  return most >> backoff->vain;
}

/* A chance has come: true if the attempt is to be made. */
static inline bool backoff_take_chance(struct rondo_backoff* backoff) {
  if (backoff->skip == 0)
    return true;
  backoff->skip--;
  return false;
}

#endif
