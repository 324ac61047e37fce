/* A clock that is read in a few nanoseconds: the processor's counter, where the kernel
 * has found it good enough to be its own clock, turned into nanoseconds of the monotonic
 * clock. Elsewhere it is that clock.
 *
 * How fast the counter goes is learned from two looks at both, a hundredth of a second
 * apart or more: until then the monotonic clock is read. Its owner calls ticks_set now
 * and then with a time that it has read anyway, so that errors don't add up. */
#ifndef RONDO_TRACE_TICKS_H
#define RONDO_TRACE_TICKS_H

#include "base/base.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
static inline uint64_t ticks_read(void) {
  return __rdtsc();
}
#else
static inline uint64_t ticks_read(void) {
  return 0;
}
#endif

__extension__ typedef unsigned __int128 ticks_wide;

struct ticks {
  uint64_t rate;                  /* ns in a tick, in units of 2^-32; 0: not known */
  uint64_t ticks, ns;             /* both clocks at one moment, */
  uint64_t first_ticks, first_ns; /* and at the first */
  bool learning;
};

/* Whether the kernel trusts the counter. */
bool ticks_are_good(void);

static inline void ticks_start(struct ticks* clock, uint64_t now) {
  clock->learning = ticks_are_good();
  clock->first_ticks = clock->ticks = ticks_read();
  clock->first_ns = clock->ns = now;
}

/* `now` was read from the monotonic clock a moment ago. */
static inline void ticks_set(struct ticks* clock, uint64_t now) {
  static const uint64_t apart_ns = 10000000, learned_ns = 10000000000;
  uint64_t ticks = ticks_read();
  if (clock->learning && now >= clock->first_ns + apart_ns &&
      ticks > clock->first_ticks) {
    clock->rate = (uint64_t) (((ticks_wide) (now - clock->first_ns) << 32) /
                              (ticks - clock->first_ticks));
    clock->learning = now - clock->first_ns < learned_ns;
  }
  clock->ticks = ticks;
  clock->ns = now;
}

static inline uint64_t ticks_now(const struct ticks* clock) {
  if (__builtin_expect(clock->rate == 0, 0))
    return clock_now_ns();
  uint64_t ticks = ticks_read();
  uint64_t passed = ticks > clock->ticks ? ticks - clock->ticks : 0;
  return clock->ns + (uint64_t) ((ticks_wide) passed * clock->rate >> 32);
}

#endif
