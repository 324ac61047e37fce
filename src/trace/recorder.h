/* One loop's recorder, inside. Its interface is trace.h; its output is recording.h. Only
 * the loop's own thread uses it, so there is no lock. */
#ifndef RONDO_TRACE_RECORDER_H
#define RONDO_TRACE_RECORDER_H

#include "base/alloc.h"
#include "trace/board.h"
#include "trace/names.h"
#include "trace/recording.h"
#include "trace/sampler.h"
#include "trace/ticks.h"
#include "trace/trace.h"

#include <pthread.h>

/* How long the thread was on a processor, and how long it waited for one: recorder_cpu.c.
 */
struct recorder_cpu {
  uint64_t next_ns; /* not read again before this time; sleeps postpone it */
  uint64_t mark_ns; /* when it was last read, plus the sleeps since then, */
  uint64_t used_ns; /* and the processor time used by then */
  uint64_t delay_ns, delay_read_ns; /* total wait for a processor; when it was read */
  uint64_t throttled_us, throttled_read_ns;
  bool limited; /* a control group limits the processor time */
};

/* Consecutive callbacks that were too short to be recorded one by one: recorder_ring.c.
 */
struct recorder_many {
  uint64_t begin_ns, end_ns;
  uint32_t name;   /* of the first callback's function */
  uint32_t differ; /* bits in which another name differs; 0: all have the same */
  uint32_t count;
  uint32_t brief_ns; /* shorter callbacks are only counted */
};

/* Requests and handles that an open span has begun; recorder_ring.c. */
enum { BEGUN_KEPT = 4 };
struct recorder_begun {
  uint32_t count;
  uint64_t subjects[BEGUN_KEPT];
};

/* Which hooks of a ring may take their fast path. QUICK_BETWEEN: the loop is in a phase,
 * belongs to this process, and no span is open. QUICK_IN: the only open span is a
 * callback that isn't in the stream yet and isn't a close callback. */
enum recorder_quick { QUICK_NOT, QUICK_BETWEEN, QUICK_IN };

/* How long data had been there when it was read: recorder_arrivals.c. */
struct recorder_arrivals {
  uint64_t until_turn; /* asked up to this one, */
  unsigned int left;   /* and so many times more */
};

/* The names of the functions that were called back last. */
enum { RECENT_NAMES = 16 };
struct recorder_recent {
  trace_function function;
  uint32_t name;
};

/* The differences between a file and a ring. */
struct recorder_kind {
  struct trace_hooks hooks;
  /* recorder_cpu.c: when the thread's processor time is read, which wait is looked into,
   * and how old the sum of waits may get. */
  uint64_t cpu_every_ns, cpu_missed_ns, cpu_delay_stale_ns;
  /* recorder_arrivals.c: after which stretch the kernel is asked since when data is
   * there, and how often. Asking and writing down what is found takes some microseconds a
   * read: of a ring's loop less than a hundredth of what it was held up. */
  uint64_t held_up_ns;
  unsigned int arrivals_most;
  unsigned int waits_most; /* recorder_waits.c: handles in one list */
};
extern const struct recorder_kind recorder_file, recorder_ring;

struct recorder {
  /* Fields that every callback uses: two cache lines. A server's own work has displaced
   * them from the processor's cache by the next callback, and each line costs more than
   * all that is done with it. */
  _Alignas(CACHE_LINE) const struct trace_hooks* hooks; /* the kind's, or resting; */
  bool data_may_be_late;                                /* both as in traced_loop */
  bool phase_written;
  uint8_t quick;           /* of a ring: enum recorder_quick */
  int8_t phase;            /* enum rondo_phase, or -1 */
  unsigned int depth;      /* number of open spans that began here */
  struct board_loop* live; /* a file's is its own, and nobody reads it */
  uint64_t last_ns;        /* of a ring: the last reading of the clock */
  struct ticks clock;
  struct recorder_many many; /* of a ring */
  /* Of a ring, in live->fresh: what is in flight, and what the open callback has begun.
   */
  struct board_entry *fresh_front, *fresh_end, *fresh_from;
  struct recorder_cpu cpu; /* its first field is in the second line */

  /* Fields that every turn uses: a line more, and the start of the stream. */
  uint64_t start_ns;         /* start of the recording: its times count from here */
  uint64_t chores_ns;        /* of a ring: when one of its rare duties is due */
  uint64_t slept_ns;         /* when the current sleep began, */
  int64_t timeout_ns;        /* and how long it may last */
  unsigned int waits_listed; /* number of handles when they were last listed */
  uint32_t waits_chunks;     /* chunks of the stream by then */
  bool slept;                /* since a turn last wanted to list the handles */
  struct trace_stream stream;
  struct recorder_recent recent[RECENT_NAMES];

  struct trace_names names;
  uint64_t slowness; /* of the clock, under an emulator */
  struct ticks_lesson lesson;
  uint64_t waits_ns;     /* when the handles that keep the loop alive were listed, */
  uint64_t waits_credit; /* and how many may be examined */
  pthread_t thread;      /* the thread that ran the loop last, or made the recorder, */
  bool thread_known;     /* its id and name are known, since it has run the loop */
  uint32_t thread_id;
  char thread_name[16];
  uint64_t counts_start[16];   /* the loop's counters when the recording began, */
  uint64_t counts_written[16]; /* as last recorded, */
  uint32_t counts_names[16];   /* and their names */
  struct recorder_arrivals arrivals;
  struct sampled_loop sampled;
  rondo_trace_stack_source stack_source; /* or NULL */
  uint64_t stacks_forgotten_ns;
  uv_loop_t* loop;
  const struct recorder_kind* kind;
  char* pattern;       /* of a file; or of a ring, its size */
  struct board* board; /* of a ring */
  bool live_is_own;    /* allocated: there is no board, or it had no place left */
  struct recorder_begun begun[BOARD_SPANS]; /* of a ring's open spans */
  uint32_t collections;  /* of a ring: short ones since the last that was written */
  uint64_t slow;         /* of a ring: a request that took long and is called back next */
  struct recorder* next; /* of the process's: recorder_life.c */
};

_Static_assert(offsetof(struct recorder, hooks) == offsetof(struct traced_loop, hooks) &&
                   offsetof(struct recorder, data_may_be_late) ==
                       offsetof(struct traced_loop, data_may_be_late),
               "a recorder begins as the hooks know it");
_Static_assert(offsetof(struct recorder, many) == CACHE_LINE &&
                   offsetof(struct recorder, cpu.next_ns) + sizeof(uint64_t) ==
                       2 * (size_t) CACHE_LINE,
               "two cache lines");

static inline void record(struct recorder* recorder, enum trace_kind kind, uint64_t now,
                          uint64_t number, uint32_t name, int32_t detail) {
  struct trace_record* next = stream_next(&recorder->stream);
  if (next == NULL)
    return;
  next->number = number;
  next->name = name;
  next->detail = detail;
  record_commit(next, kind, now > recorder->start_ns ? now - recorder->start_ns : 0);
}

static inline uint64_t recorder_now(const struct recorder* recorder) {
  return ticks_now(&recorder->clock);
}

static inline struct recorder* recorder_of(const uv_loop_t* loop) {
  return loop->trace_state;
}

static inline void write_phase(struct recorder* recorder, uint64_t now) {
  if (recorder->phase < 0 || recorder->phase_written)
    return;
  recorder->phase_written = true;
  record(recorder, TRACE_PHASE, now, 0, 0, recorder->phase);
}

/* --- recorder.c: what both kinds do --- */
/* The thread that runs the loop now. */
uint32_t recorder_thread(struct recorder* recorder, uint64_t now);
void recorder_write_run(const uv_loop_t* loop, struct recorder* recorder, uint64_t now,
                        uv_run_mode mode, uint32_t thread);
/* The number of a function's name. */
uint32_t recorder_name(struct recorder* recorder, trace_function function);
/* Records from now on; or rests until the next turn, of a forked child for ever. */
void recorder_begin(struct recorder* recorder);
void recorder_rest(struct recorder* recorder);

/* A cache by address: few functions are called back often. Functions are aligned to 16
 * bytes, which is also the size of an entry. */
static inline struct recorder_recent* recorder_recent(struct recorder* recorder,
                                                      trace_function function) {
  size_t offset = (uintptr_t) function & (RECENT_NAMES - 1) * sizeof(recorder->recent[0]);
  return (struct recorder_recent*) (void*) ((char*) recorder->recent + offset);
}

/* Lists the handles that keep the loop alive, if that is worth the time now;
 * recorder_waits.c. */
void recorder_write_waits(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);
enum { WAITS_CREDIT = 4096 }; /* at the beginning */
enum { WAITS_EVERY_NS = 1000000000, WAITS_RESTING_NS = 30000000, WAITS_LISTED = 32 };
/* Whether the sleep that begins may be a long one. */
static inline bool recorder_rests(const struct recorder* recorder) {
  return recorder->slept && (uint64_t) recorder->timeout_ns > 100000000;
}

/* Records the stacks sampled since the last time; recorder_samples.c. */
void recorder_write_samples(struct recorder* recorder, uint64_t now);
void recorder_stack(uv_loop_t* loop, uint64_t when_ns, const char* const* frames,
                    size_t count);

/* --- recorder_counts.c: the loop's counters --- */
void counts_start(const uv_loop_t* loop, struct recorder* recorder);
void counts_write(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);

/* --- recorder_ring.c: the hooks of a ring --- */
/* Which callbacks are short, for both kinds. */
void ring_start(struct recorder* recorder);
void ring_write_many(struct recorder* recorder);
/* Writes the open spans that aren't in the stream yet. */
void ring_write_open(struct recorder* recorder);
/* The list of requests begun in this turn ends. */
void ring_settle(struct recorder* recorder);

/* --- recorder_ring_turns.c: the same for turns and sleeps --- */
/* Records that the loop polls. */
void ring_looked(struct recorder* recorder, uint64_t now);
void ring_run(uv_loop_t* loop, uv_run_mode mode, int* outer_phase);
void ring_run_end(uv_loop_t* loop, int outer_phase);
void ring_phase(uv_loop_t* loop, enum rondo_phase phase);
void ring_turn(uv_loop_t* loop);
void ring_sleep(uv_loop_t* loop, uint64_t now, int64_t timeout_ns);
void ring_wake(uv_loop_t* loop, uint64_t now);
/* Compares the clocks if that is due; returns the time. */
uint64_t recorder_set_clock(struct recorder* recorder, uint64_t now);

/* Records, now and then, the handles that keep the loop alive, the thread's name and the
 * counters; recorder.c. */
void recorder_look_around(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);
/* The same at the beginning of a turn, for a loop that doesn't sleep. */
void recorder_look_awake(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);

/* To be called after a change of what the state depends on. */
static inline void ring_set_quick(struct recorder* recorder) {
  bool quick = recorder->depth == 0 && recorder->phase >= 0;
  recorder->quick = quick ? QUICK_BETWEEN : QUICK_NOT;
}

/* Writes the record of a ring's short callbacks so far. */
static inline void ring_flush(struct recorder* recorder) {
  if (recorder->many.count != 0)
    ring_write_many(recorder);
}

/* --- recorder_arrivals.c --- */
/* Begins to ask about what is read, if the loop has been held up for long. */
void arrivals_look(struct recorder* recorder, uint64_t now);
void recorder_arrived(uv_loop_t* loop, const uv_handle_t* handle, int fd);
void recorder_want_arrivals(uv_loop_t* loop, int fd);

/* --- recorder_waits.c --- */
/* "127.0.0.1:8000", of a connection "127.0.0.1:8000 - 10.0.0.2:4711"; "" if it isn't
 * known. */
void socket_text(char* text, size_t size, int fd);

/* --- recorder_cpu.c --- */
void cpu_start(struct recorder* recorder, uint64_t now);
/* Records the thread's processor time since the last time. */
__attribute__((noinline)) void cpu_write(struct recorder* recorder, uint64_t now);
/* Another thread runs the loop: its processor time before now doesn't count. */
void cpu_write_moved(struct recorder* recorder, uint64_t now);

/* Called after a millisecond or more without sleep, or after many short stretches. */
static inline void cpu_look(struct recorder* recorder, uint64_t now) {
  if (__builtin_expect(now >= recorder->cpu.next_ns, 0))
    cpu_write(recorder, now);
}

/* A sleep uses no processor time. */
static inline void cpu_slept(struct recorder_cpu* cpu, uint64_t slept_ns) {
  cpu->next_ns += slept_ns;
  cpu->mark_ns += slept_ns;
}

#endif
