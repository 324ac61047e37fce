/* Reads whose result is known beforehand: of files whose bytes are kept in memory too,
 * and of odd descriptors that are asked first what they would answer. */
#ifndef RONDO_FUZZ_FS_READS_H
#define RONDO_FUZZ_FS_READS_H

#include "fs_fuzz.h"

enum { SOURCES = 16, SOURCE_MOST = 320000, VECTORS_MOST = 40 };

struct source {
  int fd;
  char* bytes; /* what is in it; NULL: it is asked */
  int64_t size;
  int64_t other_size; /* before or after it was truncated, whichever that isn't */
  int64_t position;
  bool truncating;
  bool closing;
  bool positioned; /* a read at the file's own position is under way */
};

struct reader {
  uv_fs_t request;
  void* burst;
  uint64_t seed;
  struct source* source;
  int64_t offset;
  int64_t start; /* where that is */
  bool under_way;
  bool cancelled;
  bool truncated; /* meanwhile, as it may have been */
  bool closed;
  bool lost; /* and in other threads files are opened: the number may be another's */
  int left;  /* how many follow */
  uv_buf_t vectors[VECTORS_MOST];
  unsigned int count;
  char* memory;
  size_t size;
  ssize_t answer; /* of a source that is asked, with what it gave */
  char* given;
};

/* How long the reads are. */
enum length { SHORT, PAGES, MIXED, LENGTHS };

void sources_make(struct chain* chain, struct source* sources);
void sources_end(struct source* sources);
void source_open(struct chain* chain, struct source* sources, int number);
/* Puts it out of memory, as far as it is there. */
void source_make_cold(struct source* source);
void source_write(struct chain* chain, struct source* source);
/* Its size is the other one now. */
void source_truncated(struct source* source);

/* All but the callback: that checks it first, then ends it. Most of them are of the
 * favourite, if there is one. */
void reader_choose(struct reader* reader, struct source* sources,
                   struct source* favourite, enum length length);
int reader_begin(struct reader* reader, uv_loop_t* loop, uv_fs_cb cb);
void reader_check(const struct reader* reader);
void reader_end(struct reader* reader);

#endif
