/* What a loop's thread was doing while it held the loop up.
 *
 * Each recorded loop keeps the moment of its last look at what is ready. One thread of
 * the process compares these with the clock; when a loop hasn't looked for longer than
 * the threshold (RONDO_TRACE_STALL, 10 ms unless it is set, 25 ms for a ring; 0 is
 * never), that thread samples the stack of the loop's thread until the loop looks again.
 * Below the threshold nothing is sampled, and a loop pays for one store a turn.
 *
 * A sample is taken by a signal to the loop's thread, SIGURG, whose default is to be
 * ignored, so that one that comes too late can't harm a program started by exec. Signals
 * interrupt system calls: a thread that is blocked in a call which SA_RESTART wouldn't
 * resume (nanosleep, poll and their kin) gets none; of it only the call is noted. A
 * program with a SIGURG handler of its own is not sampled. */
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
  union { /* the innermost first */
    uintptr_t frames[SAMPLE_FRAMES];
    uint32_t names[SAMPLE_FRAMES]; /* of a loop that is in a ring */
  };
};

/* One loop's part. Only sampler_take reads samples; the loop's thread calls it. */
struct sampled_loop {
  struct queue link;           /* of the sampler's list, under its lock */
  _Atomic uint64_t looked_ns;  /* with SAMPLER_ASLEEP: when it fell asleep */
  _Atomic unsigned int filled; /* samples written so far, by whoever takes them */
  unsigned int taken;          /* by the loop's thread */
  pid_t thread;                /* under the sampler's lock, with what belongs to it: */
  uintptr_t stack_start, stack_end;
  uint64_t stretch_ns; /* the looked_ns that is sampled, */
  unsigned int stretch_tries, stretch_samples;
  uint64_t seen_ns; /* when it was last seen to go on, */
  uint64_t next_ns; /* and when it is due again */
  struct sample* samples;

  /* Of a ring, for the sampling thread; live is NULL where there is none. */
  struct board_loop* live; /* its place on the board, which shows its samples */
  struct board* board;
  struct trace_stream* stream; /* whose recording has the names of its frames, */
  struct trace_names names;    /* and those that are known */
  uint64_t alarm_ns;           /* the looked_ns that was reported as a stall */
};

/* Begins to watch a loop that is run by the calling thread. Does nothing if sampling is
 * off or there is no memory or thread for it: samples are then never there. In a ring
 * the loop's part has `live`, `board` and `stream` set before. */
void sampler_join(struct sampled_loop* loop, uint64_t now);
void sampler_leave(struct sampled_loop* loop);
/* In a forked child, where the sampling thread is not. */
void sampler_abandon(struct sampled_loop* loop);
/* Another thread runs the loop from now on: the calling one. */
void sampler_moved(struct sampled_loop* loop);

/* The next sample, in the order of time; NULL if all are taken. Valid until the loop is
 * sampled SAMPLES_KEPT times more. */
const struct sample* sampler_take(struct sampled_loop* loop);

void sampler_wake(void);
extern atomic_bool sampler_is_idle;

/* The loop looks at what is ready, or wakes up. */
static inline void sampler_looked(struct sampled_loop* loop, uint64_t now) {
  atomic_store_explicit(&loop->looked_ns, now, memory_order_relaxed);
  if (__builtin_expect(atomic_load_explicit(&sampler_is_idle, memory_order_relaxed), 0))
    sampler_wake();
}

static inline void sampler_asleep(struct sampled_loop* loop, uint64_t now) {
  atomic_store_explicit(&loop->looked_ns, now | SAMPLER_ASLEEP, memory_order_relaxed);
}

#endif
