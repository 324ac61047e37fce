/* The file behind one recorder: memory that is the file, a piece at a time.
 *
 * The output is mapped shared. Writing to it is writing to memory; the kernel brings it
 * to the disk when it likes, and what was written is in the file even if the program is
 * killed a moment later. A buffer that is flushed with write() would lose its last part
 * then, which is the part one looks for, and would make the loop's thread wait for the
 * disk, or need another thread.
 *
 * Memory of a file that has no blocks on the disk is death by SIGBUS when the disk is
 * full. So blocks are allocated before a piece is mapped; when there are none, the
 * recording ends where it is and says so. */
#ifndef RONDO_TRACE_OUTPUT_H
#define RONDO_TRACE_OUTPUT_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_output {
  struct trace_header* header; /* its page stays mapped to the end */
  struct trace_record* piece;
  struct trace_record* next; /* in the piece, */
  struct trace_record* end;  /* and its end; equal when nothing can be written */
  uint64_t size;
  uint64_t limit;
  bool full;
  uint64_t device, inode; /* of the file, for programs that close what isn't theirs */
  int fd;
  char* path;
};

/* `pattern` may hold %p (the process) and %l (the number of the loop). One that is meant
 * for many loops is made into a name for each. 0, UV_EBUSY if another recorder writes to
 * that file, or another UV_E…. */
int output_open(struct trace_output* output, const char* pattern, unsigned int loop,
                bool for_many);
/* True if there is room for this many records in a row. */
bool output_grow(struct trace_output* output, size_t count);
/* Cuts off what isn't used. */
void output_close(struct trace_output* output);
/* The same in a forked child: the file belongs to the parent. */
void output_leave(struct trace_output* output);

#endif
