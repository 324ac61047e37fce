/* A number that guards an entry of the board: odd while its one writer changes the entry.
 * Another process copies the entry, and keeps the copy only if the number was even and is
 * still the same.
 *
 * Pairings. The fence of sequence_write_begin orders the odd number before everything
 * that is written then; the fence of sequence_read_end orders everything that was read
 * before the second look. So whoever has read a word of the new entry sees that the
 * number has changed. A store that only releases, even a sequentially consistent one,
 * doesn't do that: on arm64 what follows it may be seen first. */
#ifndef RONDO_TRACE_SEQUENCE_H
#define RONDO_TRACE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

static inline void sequence_write_begin(uint32_t* sequence) {
  __atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* with sequence_read_end */
}

static inline void sequence_write_end(uint32_t* sequence) {
  __atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELEASE); /* sequence_read_begin */
}

static inline uint32_t sequence_read_begin(const uint32_t* sequence) {
  return __atomic_load_n(sequence, __ATOMIC_ACQUIRE); /* with sequence_write_end */
}

/* Whether what was read since `before` is whole. */
static inline bool sequence_read_end(const uint32_t* sequence, uint32_t before) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE); /* with sequence_write_begin */
  return before % 2 == 0 && __atomic_load_n(sequence, __ATOMIC_RELAXED) == before;
}

#endif
