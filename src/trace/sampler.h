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
 * (nanosleep, poll and the like) gets no signal. Such a thread stands still, so its stack
 * is read from outside (sample_blocked.c). A program with a SIGURG handler of its own is
 * not sampled.
 *
 * For a file the sampling thread writes each sample down at once, in a stream of its own:
 * a program that is killed while it hangs has its stacks in the file. For a ring, whose
 * board shows them, the loop writes them when the stretch is over.
 *
 * All this is in librondo-sampler.so (sampler_object.h), which libuv.so.1 loads when a
 * recording begins; libuv.a has it inside.
 *
 * A program without threads that runs under `rondo exec` gets no sampling thread: the
 * watcher compares the moments with the clock and sends the signal (sampler_watched.c).
 */
#ifndef RONDO_TRACE_SAMPLER_H
#define RONDO_TRACE_SAMPLER_H

#include "base/queue.h"
#include "trace/board.h"
#include "trace/names.h"
#include "trace/recording.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

enum {
  SAMPLE_FRAMES = 96,
  SAMPLES_KEPT = 256,
  SAMPLES_OF_STALL = 3, /* needed in a stretch before it is reported */
};
/* How long a report waits for a stack. */
static const uint64_t SAMPLE_LATE_NS = 500000000;

struct sample {
  uint64_t when_ns;
  uint32_t count;
  union { /* frames, the innermost first */
    uint32_t names[SAMPLE_FRAMES];
    uintptr_t frames[SAMPLE_FRAMES]; /* their addresses, if the watcher samples */
  };
};

/* One loop's part. Only sampler_take reads samples; the loop's thread calls it. */
struct sampled_loop {
  struct queue link; /* in the sampler's list, protected by its lock */
  /* Time of the last poll; with BOARD_ASLEEP: when the loop fell asleep; 0: it has not
   * run yet. On the board for a ring, otherwise below. */
  uint64_t* looked;
  uint64_t looked_ns;
  uint64_t joined_ns;
  const unsigned int* depth;   /* number of spans that are open in the loop */
  _Atomic unsigned int filled; /* number of samples written so far */
  unsigned int taken;          /* number of samples that the loop's thread has read */
  pid_t thread; /* protected by the sampler's lock, as are the next fields: */
  uintptr_t stack_start, stack_end;
  uint64_t stretch_ns; /* looked_ns of the stretch that is being sampled, */
  unsigned int stretch_tries, stretch_samples;
  uint64_t seen_ns; /* when the stretch was last seen to continue, */
  uint64_t next_ns; /* and when the next sample is due */
  struct sample* samples;
  struct trace_stream* stream; /* whose recording defines the names of the frames, */
  struct trace_names names;    /* and the names known so far */
  struct trace_stream written; /* of a file: what the sampling thread has written */
  bool writes;                 /* the sampling thread can write to the file */

  /* For a ring, used by the sampling thread; `live` is NULL without one. */
  struct board_loop* live; /* the loop's place on the board, which shows its samples */
  struct board* board;
  uint64_t alarm_ns; /* looked_ns of the stretch that was reported as a stall */
  bool is_watched;   /* the watcher samples the loop: sampler_watched.c */
  const char* is_single_threaded; /* of a watched loop: the C library's word for it */
  uint32_t seen; /* board->sampled when samples were last taken from it */
};

/* Begins to watch a loop that the calling thread runs. Does nothing if sampling is off,
 * or without memory or a thread; then there are never any samples. The caller
 * sets `stream` and `depth` before, and for a ring `looked`, `live` and `board`. */
void sampler_join(struct sampled_loop* loop, uint64_t now);
void sampler_leave(struct sampled_loop* loop);
/* In a forked child, which has no sampling thread. */
void sampler_abandon(struct sampled_loop* loop);
/* The calling thread runs the loop from now on. */
void sampler_moved(struct sampled_loop* loop);

/* For engines: rondo_trace_frames_named_by. */
rondo_trace_frame_namer sampler_frame_namer(void);

/* The next sample in the order of time; NULL if all have been read. Valid until the loop
 * has been sampled SAMPLES_KEPT times more. */
const struct sample* sampler_take(struct sampled_loop* loop);

/* --- rules that the sampling thread and the watcher share --- */

/* Whether SA_RESTART resumes the system call, according to signal(7). */
static inline bool sample_resumes_call(long number) {
  static const long calls[] = {
      SYS_read,     SYS_readv,   SYS_pread64, SYS_preadv,    SYS_write,    SYS_writev,
      SYS_pwrite64, SYS_pwritev, SYS_ioctl,   SYS_openat,    SYS_wait4,    SYS_waitid,
      SYS_flock,    SYS_fcntl,   SYS_fsync,   SYS_fdatasync, SYS_getrandom};
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
    if (calls[i] == number)
      return true;
  }
  return false;
}

/* The time until the next sample. Samples are frequent at first and less frequent in a
 * long stretch. For a ring, which stays on, the rate drops to a tenth once there are
 * enough for a report. */
static inline uint64_t sample_period(unsigned int tries, bool is_ring) {
  const uint64_t period_ns = 2000000, ring_period_ns = 20000000, most_ns = 64000000,
                 last_ns = 1000000000; /* for a stretch that doesn't end */
  const unsigned int tries_most = 512, grows_after = 64;
  if (is_ring && tries < SAMPLES_OF_STALL)
    return period_ns;
  if (tries >= tries_most)
    return last_ns;
  if (is_ring)
    return ring_period_ns;
  unsigned int doubled = tries / grows_after < 5 ? tries / grows_after : 5;
  return period_ns << doubled < most_ns ? period_ns << doubled : most_ns;
}

/* --- recorder_cpu.c --- */
/* How long a thread of this process was on a processor, and waited for one; false where
 * the kernel doesn't give it. */
bool thread_sums_read(pid_t thread, uint64_t* used, uint64_t* delay);

/* --- recorder_samples.c --- */
/* Writes the names of a stack's frames, the innermost first, to a stream. */
void stack_write(struct trace_stream* stream, uint64_t when_ns, uint64_t now,
                 const uint32_t* names, size_t count);

/* --- sample.c --- */
/* Installs the signal's handler; false if the program has one of its own. */
bool sample_prepare(void);
/* Takes a sample of the loop's thread; false if it couldn't. Called by the sampling
 * thread. */
bool sample_once(struct sampled_loop* loop, uint64_t now);
void sample_forget(void); /* in a forked child */

/* --- sample_blocked.c --- */
/* Copies the stack of a thread that is blocked where a signal would do harm, and the
 * registers that are known of it. BLOCKED_NOT: it may get the signal; BLOCKED_UNKNOWN: it
 * may not, and nothing is known of it. */
struct unwind_stack;
enum blocked { BLOCKED_NOT, BLOCKED_READ, BLOCKED_UNKNOWN };
enum blocked blocked_stack_read(struct unwind_stack* stack,
                                const struct sampled_loop* loop);

/* --- sample_v8.c --- */
/* The name of a JavaScript frame of V8's, read from the frame itself: false if it isn't
 * one. Called by the sampling thread. */
bool sample_name_v8(const struct unwind_stack* stack, uintptr_t frame, char* text,
                    size_t size);

/* --- sampler_watched.c: a loop that the watcher samples --- */
bool watched_may_begin(struct sampled_loop* loop);
void watched_begin(struct sampled_loop* loop);
void watched_end(struct sampled_loop* loop);
void watched_forget_all(void); /* in a forked child */
void watched_wake(struct sampled_loop* loop);
/* Writes the list of the files that the loader has mapped to the board. */
void watched_list_files(struct sampled_loop* loop);
const struct sample* watched_take(struct sampled_loop* loop);
/* For the signal handler: the loop that the watcher asks about, or NULL; and the answer,
 * a sample made from a copy of the thread's stack. */
struct sampled_loop* watched_loop(unsigned int question);
void watched_answer(struct sampled_loop* loop, unsigned int question,
                    const struct unwind_stack* stack, uint64_t now);
/* Starts the sampling thread, as the program has threads now. */
void sampler_take_over(struct sampled_loop* loop);

/* Programs start their threads when they like. */
static inline void sampler_look_for_threads(struct sampled_loop* loop) {
  if (loop->is_watched && __builtin_expect(!*loop->is_single_threaded, 0))
    sampler_take_over(loop);
}

/* The begin of the stretch without a poll; with BOARD_ASLEEP: of the sleep. */
static inline uint64_t sampled_loop_looked(const struct sampled_loop* loop) {
  uint64_t looked = __atomic_load_n(loop->looked, __ATOMIC_RELAXED);
  return looked == 0 ? loop->joined_ns : looked;
}

/* The loop polls. */
static inline void sampler_looked(struct sampled_loop* loop, uint64_t now) {
  __atomic_store_n(loop->looked, now, __ATOMIC_RELEASE);
}

static inline void sampler_asleep(struct sampled_loop* loop, uint64_t now) {
  __atomic_store_n(loop->looked, now | BOARD_ASLEEP, __ATOMIC_RELEASE);
}

/* The loop runs again; whoever samples it may have stopped looking meanwhile. */
void sampler_woken(struct sampled_loop* loop);

#endif
