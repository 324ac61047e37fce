/* librondo-sim.so: virtual time for a whole process. `rondo sim` preloads it; it joins
 * the world that RONDO_SIM names, and from then on the C library's clocks, its waits with
 * a time-out, its file times and its random numbers are the world's. Without RONDO_SIM,
 * and in programs with more rights than their user, each function does what it always
 * does. */
#ifndef RONDO_SIM_PRELOAD_H
#define RONDO_SIM_PRELOAD_H

#include "sim/world.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

/* Types that glibc's prototypes have, as other C libraries declare them. */
#ifdef __GLIBC__
#define PRELOAD_ADDRESS(argument) ((argument).__sockaddr__)
#define PRELOAD_FLAGS             int
#else
#define PRELOAD_ADDRESS(argument) (argument)
#define PRELOAD_FLAGS             unsigned int
typedef int __itimer_which_t;
#define __SOCKADDR_ARG            struct sockaddr* restrict
#define __CONST_SOCKADDR_ARG      const struct sockaddr*
#endif

/* NULL: nothing is simulated. */
extern struct world* preload_world __attribute__((visibility("hidden")));

/* Virtual time as the program sees it. */
uint64_t preload_now(void);
uint64_t preload_wall(void);

/* The start value of this process's random numbers: the seed and the process's place in
 * the world. */
uint64_t preload_process_word(void);

/* Sets *function, a pointer to a function, to the C library's own of that name. */
static inline void preload_find(const char* name, void* function) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL)
    abort(); /* every C library that this is for has it */
  __builtin_memcpy(function, &found, sizeof(found));
}

/* The same, with a place in which it is kept. */
static inline void preload_find_once(void** kept, const char* name, void* function) {
  void* found = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (found == NULL) {
    preload_find(name, &found);
    __atomic_store_n(kept, found, __ATOMIC_RELAXED);
  }
  __builtin_memcpy(function, &found, sizeof(found));
}

static inline uint64_t preload_ns(const struct timespec* time) {
  if (time->tv_sec < 0)
    return 0;
  if ((uint64_t) time->tv_sec > WORLD_NEVER / WORLD_SECOND / 2)
    return WORLD_NEVER / 2;
  return (uint64_t) time->tv_sec * WORLD_SECOND + (uint64_t) time->tv_nsec;
}

static inline struct timespec preload_time(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t) (ns / WORLD_SECOND),
                           .tv_nsec = (long) (ns % WORLD_SECOND)};
}

static inline bool preload_is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static inline bool preload_is_virtual(clockid_t clock) {
  return preload_is_wall(clock) || clock == CLOCK_MONOTONIC ||
         clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME;
}

/* Converts a time on one of these clocks to a deadline of the world. */
static inline uint64_t preload_deadline(clockid_t clock, const struct timespec* time) {
  uint64_t ns = preload_ns(time);
  if (!preload_is_wall(clock))
    return ns;
  uint64_t wall = preload_world->wall_start;
  return ns <= wall ? 0 : ns - wall + preload_world->start;
}

#endif
