/* A clock that is read in a few nanoseconds: the processor's counter, converted to
 * nanoseconds of the monotonic clock, where the kernel uses the counter as its own clock.
 * Elsewhere the monotonic clock itself.
 *
 * The rate of the counter is computed from two readings of both clocks, a hundredth of a
 * second apart or more; until then the monotonic clock is read. The owner calls ticks_set
 * now and then, so that errors don't add up; if the last call is long ago, the monotonic
 * clock is read too. A thread may lose the processor between the readings of the two
 * clocks: a pair that took long is not used. */
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
  uint64_t rate;                  /* ns per tick, in units of 2^-32; 0: not known */
  uint64_t ticks, ns;             /* both clocks at the last pair of readings, */
  uint64_t first_ticks, first_ns; /* and at the first */
  bool learning;
};

/* Whether the kernel uses the counter as its clock. */
bool ticks_are_good(void);

/* Reads both clocks; false if the two readings are too far apart. */
static inline bool ticks_pair(uint64_t* ticks, uint64_t* ns) {
  static const uint64_t apart_ticks = 20000;
  uint64_t before = ticks_read();
  *ns = clock_now_ns();
  *ticks = ticks_read();
  return *ticks - before < apart_ticks;
}

static inline void ticks_start(struct ticks* clock) {
  clock->learning = ticks_are_good() && ticks_pair(&clock->first_ticks, &clock->first_ns);
  clock->ticks = clock->first_ticks;
  clock->ns = clock->first_ns;
}

/* Compares the two clocks, unless that was done just before. */
static inline void ticks_set(struct ticks* clock, uint64_t now) {
  static const uint64_t apart_ns = 10000000, learned_ns = 10000000000,
                        just_now_ns = 200000;
  uint64_t ticks, ns;
  if ((!clock->learning && clock->rate == 0) || now < clock->ns + just_now_ns ||
      !ticks_pair(&ticks, &ns))
    return;
  if (clock->learning && ns >= clock->first_ns + apart_ns && ticks > clock->first_ticks) {
    clock->rate = (uint64_t) (((ticks_wide) (ns - clock->first_ns) << 32) /
                              (ticks - clock->first_ticks));
    clock->learning = ns - clock->first_ns < learned_ns;
  }
  clock->ticks = ticks;
  clock->ns = ns;
}

static inline uint64_t ticks_now(const struct ticks* clock) {
  static const uint64_t trusted_ns = 10000000;
  if (__builtin_expect(clock->rate == 0, 0))
    return clock_now_ns();
  uint64_t ticks = ticks_read();
  uint64_t passed = ticks > clock->ticks ? ticks - clock->ticks : 0;
  uint64_t passed_ns = (uint64_t) ((ticks_wide) passed * clock->rate >> 32);
  if (__builtin_expect(passed_ns > trusted_ns, 0))
    return clock_now_ns();
  return clock->ns + passed_ns;
}

#endif
