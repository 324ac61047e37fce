/* Small helpers that every room uses. Nothing here allocates, locks or calls
 * the kernel. */
#ifndef RONDO_BASE_BASE_H
#define RONDO_BASE_BASE_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From a member back to the structure that holds it. A macro because it takes
 * a type; the cast through char* keeps it free of alignment warnings. */
#define rondo_container_of(pointer, type, member)                                        \
  ((type*) (void*) ((char*) (pointer) -offsetof(type, member)))

/* Whatever must hold is stated with assert, in every build, where the question takes a
 * few instructions; with assert_slow where it takes more: that is on in debug and
 * sanitized builds only. */
#ifdef RONDO_SLOW_CHECKS
#define assert_slow(condition) assert(condition)
#else
#define assert_slow(condition) ((void) 0)
#endif

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static inline size_t size_min(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b) {
  return a > b ? a : b;
}

static inline uint64_t u64_min(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline uint64_t u64_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static inline int int_min(int a, int b) {
  return a < b ? a : b;
}

static inline int int_max(int a, int b) {
  return a > b ? a : b;
}

/* Pauses between two reads of a word that another processor will change. */
static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* Sums that stop at the end of the range instead of wrapping round. */
static inline uint64_t u64_add_clamped(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
