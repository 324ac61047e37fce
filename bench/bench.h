/* What every benchmark uses: errors that end it loudly, random numbers that are the
 * same in every run, and the one line of output that bench/run reads:
 *
 *     name value unit
 *
 * A unit that ends in "/s" is better when higher, any other when lower. A benchmark
 * that this machine can't run says why and exits with 77. */
#ifndef RONDO_BENCH_H
#define RONDO_BENCH_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void bench_fail(const char* what, const char* why) {
  fprintf(stderr, "FAILED: %s: %s\n", what, why);
  exit(1);
}

static inline void bench_skip(const char* why) {
  fprintf(stderr, "SKIP: %s\n", why);
  exit(77);
}

static inline void bench_check(int holds, const char* what) {
  if (!holds) {
    bench_fail(what, "is not so");
  }
}

static inline void bench_system(long result, const char* what) {
  if (result < 0) {
    bench_fail(what, strerror(errno));
  }
}

static inline void* bench_alloc(size_t count, size_t size) {
  void* memory = calloc(count, size);
  bench_check(memory != NULL, "memory for the benchmark");
  return memory;
}

static inline double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* Processor time of the process and its threads, in seconds. */
static inline double bench_processor(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double) used.tv_sec + (double) used.tv_nsec / 1e9;
}

/* With BENCH_PROCESSOR set also what processor time was used since the last report. */
static inline void bench_report(const char* name, double value, const char* unit) {
  static double before;
  printf("%s %.6g %s\n", name, value, unit);
  if (getenv("BENCH_PROCESSOR") != NULL) {
    printf("%s_processor %.6g s\n", name, bench_processor() - before);
    before = bench_processor();
  }
  fflush(stdout);
}

/* xorshift64*: seeded the same every time, so that each library gets the same work. */
static inline uint64_t bench_random(uint64_t* state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 2685821657736338717u;
}

/* The first argument scales a benchmark; without one it takes its usual size. */
static inline long bench_argument(int argc, char** argv, long usual) {
  long value = argc > 1 ? strtol(argv[1], NULL, 10) : usual;
  bench_check(value > 0, "the size given as argument is a positive number");
  return value;
}

#ifdef UV_H
static inline void bench_uv(int result, const char* what) {
  if (result < 0) {
    bench_fail(what, uv_strerror(result));
  }
}

static inline void bench_loop_close(uv_loop_t* loop) {
  bench_uv(uv_loop_close(loop), "closing the loop, which must have nothing left");
}
#endif

#endif
