/* What was found out about descriptors, and is believed for a millisecond.
 *
 * The questions (is it O_DIRECT? can it be closed without waiting?) are a system call
 * each, as long as a quarter of the read they are asked for. The kernel doesn't tell when
 * a number comes to mean another file. Should it do so within the millisecond, and the
 * program not have closed it with uv_fs_close, then at worst a request waits that should
 * not have: never is its result another.
 *
 * Each thread has its own, so that there is nothing to lock. */
#ifndef RONDO_FS_FACTS_H
#define RONDO_FS_FACTS_H

#include "uv.h"

#include <stdbool.h>

enum {
  FACT_DIRECT = 1,   /* it has O_DIRECT, */
  FACT_BUFFERED = 2, /* or not */
  FACT_ONLY_READ = 4 /* a local file or directory, opened for reading, with a name */
};

/* Those that are known, by the loop's clock. */
unsigned int fs_facts(const uv_loop_t* loop, int fd);
void fs_facts_learn(const uv_loop_t* loop, int fd, unsigned int facts);
void fs_facts_forget(int fd, unsigned int facts);

#endif
