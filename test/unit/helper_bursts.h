/* What the tests of bursts share: a file of blocks that can be told apart, and readers of
 * it. */
#ifndef RONDO_HELPER_BURSTS_H
#define RONDO_HELPER_BURSTS_H

#include "helper_files.h"
#include "sanitizers.h"

enum {
  BURST_BLOCK = 4096,
  BURST_BLOCKS = 256,
  BURST_READS = 64,
  BURST_ROUNDS = UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? 40 : 400
};

struct burst_reader {
  uv_fs_t req;
  uv_loop_t* loop;
  int file;
  unsigned int block;
  unsigned int left;
  bool cancelled;
  _Alignas(BURST_BLOCK) char buffer[BURST_BLOCK]; /* as O_DIRECT wants it */
};

extern struct burst_reader burst_readers[BURST_READS];
extern int burst_calls; /* how often burst_whole_or_cancelled was called */

/* Makes the file and opens it. */
int burst_file(void);
/* Whether the file system says what it has in memory. tmpfs of some kernels doesn't, and
 * then every read goes to the pool's threads, in any order. */
bool burst_has_cache(int file);
/* Asserts that the buffer has that block. */
void burst_check(const char* buffer, unsigned int block);

/* Begins to read the reader's block, every third in two parts. */
void burst_begin(struct burst_reader* reader, uv_fs_cb cb);
/* All of burst_readers, each its own block. */
void burst_begin_all(int file, uv_fs_cb cb);

/* Callbacks: the one checks and goes on while anything is left, the other only checks. */
void burst_read_on(uv_fs_t* req);
void burst_whole_or_cancelled(uv_fs_t* req);

/* Reads with that many readers, again and again, until the loop has nothing to do. */
void burst_read_for_long(uv_loop_t* loop, struct burst_reader* some, int file);

/* Runs a function from a callback, where the loop is awake and bursts begin; returns when
 * the loop has nothing more to do. */
void burst_run_inside(void (*function)(int file), int file);

#endif
