/* Spinning: waiting awake for a word that another thread will change. */
#ifndef RONDO_SPIN_H
#define RONDO_SPIN_H

#include "base/base.h"
#include "loop/loop.h"

/* True as soon as ready(subject), false when the clock has passed `end`. The number of
 * rounds is limited too, for a clock that was made to stand still (libfaketime). */
static inline bool spin_until(bool (*ready)(const void* subject), const void* subject,
                              uint64_t end) {
  enum { ROUNDS = 4000, LOOKS_PER_ROUND = 32 };
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < LOOKS_PER_ROUND; i++) {
      if (ready(subject))
        return true;
      relax();
    }
    if (clock_now_ns() >= end)
      break;
  }
  return false;
}

#endif
