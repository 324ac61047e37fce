/* File operations on io_uring's own workers.
 *
 * File operations have a ring of their own, made on first use, that any thread may enter:
 * unlike the wait in the loop's ring, an operation in flight can't be repeated when the
 * loop moves to another thread. The ring's descriptor is watched like any other.
 * Operations are collected and handed to the kernel together, in the next poll phase.
 *
 * No operation is lost, whatever fails. Operations that the kernel doesn't take, or that
 * end with an error of the ring's own (EAGAIN, EINTR, no memory, not supported), end with
 * UV_ECANCELED, and their owner sends them to the pool. Operations that the kernel took
 * are reported in the ring's memory, also when the ring can't be entered any more; while
 * the kernel doesn't watch the ring's descriptor for us, that memory is looked at every
 * few milliseconds. */
#ifndef RONDO_URING_FILES_H
#define RONDO_URING_FILES_H

#include "backend/backend.h"

#include <liburing.h>
#include <stdbool.h>

struct uring_files {
  struct io_uring ring;
  bool open;
  bool refused;   /* no ring can be made, or it has failed for good */
  bool returning; /* the kernel refuses the unflushed operations: they go back to their
                     owners */
  unsigned int unflushed; /* number of operations in the submission queue that the kernel
                             hasn't taken */
  unsigned int in_flight;
  uv__io_t watcher;
};

int uring_files_submit(uv_loop_t* loop, struct uring_files* files,
                       const struct file_operation* op, struct uv__work* w);
int uring_files_cancel(struct uring_files* files, struct uv__work* w);
/* Returns how long the loop may sleep now, at most timeout_ns. */
int64_t uring_files_flush(uv_loop_t* loop, struct uring_files* files, int64_t timeout_ns);
void uring_files_close(uv_loop_t* loop, struct uring_files* files);
/* Operations of the parent stay the parent's: the child's copies of those requests are
 * never called back. */
void uring_files_fork(uv_loop_t* loop, struct uring_files* files);

#endif
