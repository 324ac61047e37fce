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

/* The numbers that a reading needs: half a cache line. */
struct ticks {
  uint64_t rate;      /* ns per tick, in units of 2^-32; 0: not known */
  uint64_t trusted;   /* ticks after the last pair for which the rate is used */
  uint64_t ticks, ns; /* both clocks at the last pair of readings */
};

/* How the rate is learned. */
struct ticks_lesson {
  uint64_t first_ticks, first_ns; /* both clocks at the first pair of readings */
  bool goes_on;
};

/* Whether the kernel uses the counter as its clock. */
bool ticks_are_good(void);

static inline void ticks_start(struct ticks_lesson* lesson) {
  lesson->goes_on = ticks_are_good();
}

/* Compares the two clocks. */
void ticks_compare(struct ticks* clock, struct ticks_lesson* lesson);

/* The same, unless it was done just before. */
static inline void ticks_set(struct ticks* clock, struct ticks_lesson* lesson,
                             uint64_t now) {
  static const uint64_t just_now_ns = 200000;
  if (now >= clock->ns + just_now_ns)
    ticks_compare(clock, lesson);
}

/* False where the counter can't be used now. Ticks before the last look are far beyond
 * those that are trusted. */
static inline bool ticks_now_quickly(const struct ticks* clock, uint64_t* now) {
  uint64_t passed = ticks_read() - clock->ticks;
  *now = clock->ns + (uint64_t) ((ticks_wide) passed * clock->rate >> 32);
  return passed < clock->trusted;
}

static inline uint64_t ticks_now(const struct ticks* clock) {
  uint64_t now;
  return ticks_now_quickly(clock, &now) ? now : clock_now_ns();
}

#endif
