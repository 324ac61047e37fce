/* RONDO_TUNE: switches for the mechanisms that tune themselves, so that what each of them
 * gains or costs can be measured (docs/performance.md has the rows). The variable is a
 * list of words: `RONDO_TUNE=-helper,-ring-wait` switches two off, `-all` every one. The
 * variable is read once, with the first loop. */
#ifndef RONDO_SYSTEM_TUNE_H
#define RONDO_SYSTEM_TUNE_H

#include <stdbool.h>

enum tune {
  TUNE_HELPER,      /* a thread of the pool shares gathered reads (fs_read.c) */
  TUNE_RING_WAIT,   /* a busy loop watches its set through io_uring (uring.c) */
  TUNE_WORK_SPIN,   /* a loop spins for the pool's results (look_out.c) */
  TUNE_ASYNC_SPIN,  /* a loop spins for other threads' asyncs (look_out.c) */
  TUNE_POOL_SPIN,   /* a thread of the pool spins for work (pool.c) */
  TUNE_SIZED_READS, /* alloc_cb is asked for as much as has arrived (stream_read.c) */
  TUNE_COUNT
};

/* The mechanisms that are switched off, a bit each. Written before the first loop runs.
 */
extern unsigned int tune_switched_off;

static inline bool tune_is_on(enum tune mechanism) {
  return (tune_switched_off >> mechanism & 1) == 0;
}

/* Reads the setting, the first time that it is called in a process. Each word that isn't
 * known gets a line (debug_report). */
void tune_read(void);

/* Reads a setting of this form: the bits of the mechanisms that it switches off. */
unsigned int tune_parse(const char* setting);

#endif
