/* Samples the stack of a thread that holds up its loop.
 *
 * Each recorded loop keeps the time of its last poll. One thread of the process compares
 * these times with the clock. When a loop hasn't polled for longer than the threshold
 * (RONDO_TRACE_STALL, by default 10 ms, for a ring 25 ms; 0 means never), that thread
 * samples the stack of the loop's thread until the loop polls again. Below the threshold
 * nothing is sampled, and the cost is one store a turn.
 *
 * A sample is taken by a signal to the loop's thread, SIGURG, whose default is to be
 * ignored, so that a late signal can't harm a program started by exec. Signals interrupt
 * system calls: a thread that is blocked in a call which SA_RESTART wouldn't resume
 * (nanosleep, poll and the like) gets no signal, and only the call is recorded. A program
 * with a SIGURG handler of its own is not sampled. */
#ifndef RONDO_TRACE_SAMPLER_H
#define RONDO_TRACE_SAMPLER_H

#include "base/queue.h"
#include "trace/board.h"
#include "trace/names.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SAMPLE_FRAMES = 96, SAMPLES_KEPT = 256 };

static const uint64_t SAMPLER_ASLEEP = (uint64_t) 1 << 63;

struct sample {
  uint64_t when_ns;
  uint32_t count;
  union { /* frames, the innermost first */
    uintptr_t frames[SAMPLE_FRAMES];
    uint32_t names[SAMPLE_FRAMES]; /* of a loop that is in a ring */
  };
};

/* One loop's part. Only sampler_take reads samples; the loop's thread calls it. */
struct sampled_loop {
  struct queue link;          /* in the sampler's list, protected by its lock */
  _Atomic uint64_t looked_ns; /* time of the last poll; with SAMPLER_ASLEEP: when the loop
                                 fell asleep */
  _Atomic unsigned int filled; /* number of samples written so far */
  unsigned int taken;          /* number of samples that the loop's thread has read */
  pid_t thread; /* protected by the sampler's lock, as are the next fields: */
  uintptr_t stack_start, stack_end;
  uint64_t stretch_ns; /* looked_ns of the stretch that is being sampled, */
  unsigned int stretch_tries, stretch_samples;
  uint64_t seen_ns; /* when the stretch was last seen to continue, */
  uint64_t next_ns; /* and when the next sample is due */
  struct sample* samples;

  /* For a ring, used by the sampling thread; `live` is NULL without one. */
  struct board_loop* live; /* the loop's place on the board, which shows its samples */
  struct board* board;
  struct trace_stream* stream; /* whose recording defines the names of the frames, */
  struct trace_names names;    /* and the names known so far */
  uint64_t alarm_ns;           /* looked_ns of the stretch that was reported as a stall */
};

/* Begins to watch a loop that the calling thread runs. Does nothing if sampling is off,
 * or without memory or a thread; then there are never any samples. For a ring the caller
 * sets `live`, `board` and `stream` before. */
void sampler_join(struct sampled_loop* loop, uint64_t now);
void sampler_leave(struct sampled_loop* loop);
/* In a forked child, which has no sampling thread. */
void sampler_abandon(struct sampled_loop* loop);
/* The calling thread runs the loop from now on. */
void sampler_moved(struct sampled_loop* loop);

/* The next sample in the order of time; NULL if all have been read. Valid until the loop
 * has been sampled SAMPLES_KEPT times more. */
const struct sample* sampler_take(struct sampled_loop* loop);

void sampler_wake(void);
extern atomic_bool sampler_is_idle;

/* The loop polls, or wakes up. */
static inline void sampler_looked(struct sampled_loop* loop, uint64_t now) {
  atomic_store_explicit(&loop->looked_ns, now, memory_order_relaxed);
  if (__builtin_expect(atomic_load_explicit(&sampler_is_idle, memory_order_relaxed), 0))
    sampler_wake();
}

static inline void sampler_asleep(struct sampled_loop* loop, uint64_t now) {
  atomic_store_explicit(&loop->looked_ns, now | SAMPLER_ASLEEP, memory_order_relaxed);
}

#endif
