/* Stores: where the chunks of a recording are kept. A store hands out zeroed chunks and
 * takes back full ones. Whether it keeps them for ever (a file that grows, store_file.c)
 * or reuses them (a ring, store_ring.c) is hidden from the recording. A store has no lock
 * of its own: the recording's lock is held whenever it is called. */
#ifndef RONDO_TRACE_STORE_H
#define RONDO_TRACE_STORE_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>

struct board;
struct board_loop;
struct trace_store;

struct trace_store_kind {
  /* A zeroed chunk; NULL when there will be no more. */
  struct trace_chunk* (*take)(struct trace_store* store);
  /* Takes back a chunk that is full or whose stream has ended: the last record is before
   * `end`. */
  void (*give_back)(struct trace_store* store, struct trace_chunk* chunk,
                    const void* end);
  /* Called when all chunks were given back: completes the header and frees the store. */
  void (*close)(struct trace_store* store);
  /* In a forked child, where the store is the parent's: frees this process's copy of it.
   */
  void (*leave)(struct trace_store* store);
};

struct trace_store {
  const struct trace_store_kind* kind;
  struct trace_header* header; /* doesn't move until the store is closed */
  size_t chunk_size;
};

/* Opens the file of one recording, which is mapped a chunk at a time.
 *
 * The mapping is shared: a record is written by storing it to memory, the kernel writes
 * it to the disk some time later, and it is in the file even if the program is killed a
 * moment later. A buffer that is flushed with write() would lose its last part in that
 * case, the very part that matters, and would make the loop's thread wait for the disk,
 * or need another thread.
 *
 * Storing to mapped memory that has no disk block raises SIGBUS when the disk is full. So
 * blocks are allocated before a chunk is mapped; if that fails, or at the file's limit,
 * the oldest chunks are used again from then on, which a line on standard error reports.
 *
 * `pattern` may hold %p (the process) and %l (`loop`, a number). With `for_many`, other
 * processes may have the same pattern: if the name is taken, a number is appended. If
 * `before` is the path of a file that this process has written and closed, and that is
 * still the same file, it is continued. Returns 0, UV_EBUSY if another recorder writes to
 * that file, or another UV_E… code. */
int store_file_open(struct trace_store** store, const char* pattern, unsigned int loop,
                    bool for_many, const char* before);
/* The path of the store's file, valid until the store is closed. */
const char* store_file_path(const struct trace_store* store);

/* Whether a file may become that large: beyond the process's limit the kernel sends
 * SIGXFSZ, which ends the program. */
bool store_size_allowed(uint64_t size);

/* Fills in what is known about the process. */
void trace_header_fill(struct trace_header* header, size_t chunk_size);

/* The ring of this process (store_ring.c), made on the first call; `size` is the text of
 * RONDO_RECORD. Returns 0 or a UV_E… code. */
int store_ring_open(struct trace_store** store, const char* size);
/* The board of a ring; NULL if the store isn't a ring. */
struct board* store_ring_board(struct trace_store* store);
/* A place on the ring's board for a loop, in use until its number is set to 0; NULL if
 * all places are taken. */
struct board_loop* store_ring_place(struct trace_store* store, uint32_t number);

#endif
