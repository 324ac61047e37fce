/* Arrays of buffers that a program hands over. */
#ifndef RONDO_BASE_BUFFER_H
#define RONDO_BASE_BUFFER_H

#include "uv.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The most that the kernel moves in one call, whatever it is asked for. A larger amount
 * also doesn't fit the int that the result is returned in. */
static const size_t BUFFERS_MOST = 0x7ffff000;

/* An array has at least one buffer; a count above INT_MAX comes from a negative int.
 * Lengths that overflow their sum are too large each for itself. */
static inline bool buffers_fit(const uv_buf_t bufs[], unsigned int count) {
  if (bufs == NULL || count < 1 || count > INT_MAX)
    return false;
  size_t left = BUFFERS_MOST;
  for (unsigned int i = 0; i < count; i++) {
    if (bufs[i].len > left)
      return false;
    left -= bufs[i].len;
  }
  return true;
}

#endif
