/* Reads that cannot wait, many with one system call.
 *
 * Told not to wait, a read in a ring is over when the call that handed it over returns:
 * from memory, or with EAGAIN. So the ring is a list of calls to be made at once, and
 * holds nothing from one run to the next. What is saved is entering the kernel for each:
 * a tenth to a fifth of the price of reading a page. */
#ifndef RONDO_URING_READS_H
#define RONDO_URING_READS_H

#include "backend/backend.h"

#include <liburing.h>
#include <stdbool.h>

struct uring_reads {
  struct io_uring ring;
  bool open;
  bool refused;        /* no ring is to be had, or it didn't do as it should */
  unsigned int before; /* reads that were done without it */
};

/* See read_now in backend.h. Any thread may call it, one at a time. */
int uring_reads_run(struct uring_reads* reads, const struct file_operation* ops,
                    int count, int* results);
void uring_reads_close(struct uring_reads* reads);

#endif
