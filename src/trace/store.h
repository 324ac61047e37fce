/* Where the chunks of a recording live. A store hands out zeroed chunks and takes back
 * full ones; whether those are kept for ever (a file that grows, store_file.c) or used
 * again (a ring) is its own affair, and the recording above doesn't know. A store is not
 * safe against several threads: the recording's lock is held whenever it is called. */
#ifndef RONDO_TRACE_STORE_H
#define RONDO_TRACE_STORE_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>

struct board;
struct board_loop;
struct trace_store;

struct trace_store_kind {
  /* A chunk with nothing in it but zeros; NULL when there will be no more. */
  struct trace_chunk* (*take)(struct trace_store* store);
  /* The chunk is full, or its stream has ended: the last record in use is before `end`.
   */
  void (*give_back)(struct trace_store* store, struct trace_chunk* chunk,
                    const void* end);
  /* All chunks were given back: completes the header and frees the store. */
  void (*close)(struct trace_store* store);
  /* In a forked child: the store is the parent's. Frees this process's copy of it. */
  void (*leave)(struct trace_store* store);
};

struct trace_store {
  const struct trace_store_kind* kind;
  struct trace_header* header; /* stays where it is until the store is closed */
  size_t chunk_size;
};

/* The file behind one recording: memory that is the file, a chunk at a time.
 *
 * The output is mapped shared. Writing to it is writing to memory; the kernel brings it
 * to the disk when it likes, and what was written is in the file even if the program is
 * killed a moment later. A buffer that is flushed with write() would lose its last part
 * then, which is the part one looks for, and would make the loop's thread wait for the
 * disk, or need another thread.
 *
 * Memory of a file that has no blocks on the disk is death by SIGBUS when the disk is
 * full. So blocks are allocated before a chunk is mapped; when there are none, the
 * recording ends where it is and says so.
 *
 * `pattern` may hold %p (the process) and %l (`loop`, a number). With `for_many`, other
 * processes may have the same pattern: a name that is taken gets a number behind it. If
 * `before` is the path of a file that this process has written and closed, and that is
 * still the same file, it is continued. 0, UV_EBUSY if another recorder writes to that
 * file, or another UV_E…. */
int store_file_open(struct trace_store** store, const char* pattern, unsigned int loop,
                    bool for_many, const char* before);
/* Its file's path, good until it is closed. */
const char* store_file_path(const struct trace_store* store);

/* Whether a file may become that long: beyond the process's limit the kernel sends
 * SIGXFSZ, which ends programs. */
bool store_size_allowed(uint64_t size);

/* Fills in what is known of the process. */
void trace_header_fill(struct trace_header* header, size_t chunk_size);

/* The ring of this process (store_ring.c), which is made when it is first asked for;
 * `size`: how large, as RONDO_RECORD has it. 0 or a UV_E…. */
int store_ring_open(struct trace_store** store, const char* size);
/* The live part of a ring; NULL if the store is none. */
struct board* store_ring_board(struct trace_store* store);
/* A loop's place in it, which is the loop's until its number is set to 0; NULL if all are
 * taken. */
struct board_loop* store_ring_place(struct trace_store* store, uint32_t number);

#endif
