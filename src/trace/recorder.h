/* One loop's recorder, inside. Its interface is trace.h; its output is recording.h. Only
 * the loop's own thread uses it, so there is no lock. */
#ifndef RONDO_TRACE_RECORDER_H
#define RONDO_TRACE_RECORDER_H

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
  bool limited;       /* a control group limits the processor time */
  uint64_t every_ns;  /* the interval between two reads, */
  uint64_t missed_ns; /* the least missing time whose cause is looked up, */
  uint64_t stale_ns;  /* and the age at which that answer must be read again */
};

/* Consecutive callbacks that were too short to be recorded one by one: recorder_brief.c.
 */
struct recorder_many {
  uint64_t begin_ns, end_ns;
  uint32_t name; /* the function's name if it is the same for all, else 0 */
  uint32_t count;
};

/* The names of the functions that were called back last. */
enum { RECENT_NAMES = 16 };
struct recorder_recent {
  trace_function function;
  uint32_t name;
};

struct recorder {
  /* Fields that every callback uses, together. */
  struct board_loop* live; /* NULL: not a ring, everything is recorded */
  unsigned int depth;      /* number of open spans that began here */
  int phase;               /* enum rondo_phase, or -1 */
  bool phase_written;
  bool waiting;      /* started in the middle of a turn: begins with the next one */
  uint64_t last_ns;  /* of a ring: the last reading of the clock */
  uint64_t brief_ns; /* of a ring: shorter callbacks are only counted */
  struct ticks clock;
  struct recorder_many many; /* of a ring */
  struct recorder_cpu cpu;
  struct recorder_recent recent[RECENT_NAMES];

  struct trace_stream stream;
  struct trace_names names;
  uint64_t start_ns; /* start of the recording: its times count from here */
  uint64_t slowness; /* of the clock, under an emulator */
  uint64_t slept_ns; /* when the current sleep began */
  unsigned int
      waits_listed;      /* how many handles kept the loop alive when they were listed */
  uint64_t waits_ns;     /* when that was, */
  uint64_t waits_credit; /* and how many may be examined */
  pthread_t thread;      /* the thread that ran the loop last, or made the recorder, */
  bool thread_known;     /* its id and name are known, since it has run the loop */
  uint32_t thread_id;
  char thread_name[16];
  uint64_t counts_start[16];   /* the loop's counters when the recording began, */
  uint64_t counts_written[16]; /* as last recorded, */
  uint32_t counts_names[16];   /* and their names */
  struct sampled_loop sampled;
  rondo_trace_stack_source stack_source; /* or NULL */
  uint64_t stacks_forgotten_ns;
  uv_loop_t* loop;
  char* pattern; /* of a file; or of a ring, its size */
  bool is_ring;
  struct board* board; /* of a ring */
  bool live_is_own;    /* allocated: the board had no place left */
};

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

static inline void write_phase(struct recorder* recorder, uint64_t now) {
  if (recorder->phase < 0 || recorder->phase_written)
    return;
  recorder->phase_written = true;
  record(recorder, TRACE_PHASE, now, 0, 0, recorder->phase);
}

static inline int32_t detail_of(int64_t number) {
  return (int32_t) (number > INT32_MAX   ? INT32_MAX
                    : number < INT32_MIN ? INT32_MIN
                                         : number);
}

/* A cache by address: few functions are called back often. */
static inline struct recorder_recent* recorder_recent(struct recorder* recorder,
                                                      trace_function function) {
  return &recorder->recent[(uintptr_t) function / 16 % RECENT_NAMES];
}

/* Lists the handles that keep the loop alive, if that is worth the time now;
 * recorder_waits.c. */
void recorder_write_waits(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);
enum { WAITS_CREDIT = 4096 }; /* at the beginning */
enum { WAITS_EVERY_NS = 1000000000 };

/* Records the stacks sampled since the last time; recorder_samples.c. */
void recorder_write_samples(struct recorder* recorder, uint64_t now);

/* --- recorder_counts.c: the loop's counters --- */
void counts_start(const uv_loop_t* loop, struct recorder* recorder);
void counts_write(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);

/* --- recorder_brief.c: the hooks of a ring --- */
void brief_start(struct recorder* recorder);
void brief_begin(const uv_loop_t* loop, struct recorder* recorder, enum trace_kind kind,
                 uint64_t subject, uint32_t name, int32_t detail);
void brief_write_many(struct recorder* recorder);
void brief_begun(const uv_loop_t* loop, struct recorder* recorder, uint64_t subject,
                 trace_function work);
void brief_gone(struct recorder* recorder, uint64_t subject);
void brief_named(struct recorder* recorder, uint32_t name);
/* Records that the loop polls. */
void brief_looked(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);
void brief_asleep(const uv_loop_t* loop, struct recorder* recorder, uint64_t now);
/* Ends a span that brief_end could not end. */
TRACE_APART void brief_end_slowly(struct recorder* recorder, unsigned int depth,
                                  uint64_t now);

/* True for a ring that is recording, with this many spans open. */
static inline bool brief_is_quick(const uv_loop_t* loop, const struct recorder* recorder,
                                  unsigned int depth) {
  return recorder->live != NULL && recorder->depth == depth && !recorder->waiting &&
         loop_is_ours(loop);
}

static inline void brief_open(struct recorder* recorder, unsigned int depth, uint64_t now,
                              enum trace_kind kind, uint64_t subject, uint32_t name,
                              int32_t detail) {
  struct board_loop* live = recorder->live;
  struct board_span* span = &live->open[depth];
  span->begin_ns = now;
  span->subject = subject;
  span->name = name;
  span->detail = detail;
  span->kind = (uint32_t) kind;
  span->written = 0;
  span->begun_count = 0;
  recorder->depth = depth + 1;
  __atomic_store_n(&live->depth, depth + 1, __ATOMIC_RELEASE);
}

static inline bool subject_is_handle(uint64_t subject) {
  return (subject >> TRACE_SUBJECT_SHIFT & 0xff) < TRACE_SUBJECT_REQ;
}

static inline bool subject_is_last(uint64_t subject) {
  return (subject >> TRACE_SUBJECT_LAST_SHIFT & 1) != 0;
}

/* Consecutive callbacks of one kind become one record. */
static inline void many_add(struct recorder_many* many, const struct board_span* span,
                            uint64_t now) {
  many->end_ns = now;
  if (many->count++ == 0) {
    many->begin_ns = span->begin_ns;
    many->name = span->name;
  } else if (many->name != span->name) {
    many->name = 0;
  }
}

/* Nearly every callback is brief and outermost. */
static inline void brief_end(struct recorder* recorder) {
  struct board_loop* live = recorder->live;
  uint64_t now = recorder_now(recorder);
  unsigned int depth = --recorder->depth;
  const struct board_span* span = &live->open[0];
  if (__builtin_expect(depth > 0 || span->written ||
                           now - span->begin_ns >= recorder->brief_ns ||
                           subject_is_last(span->subject) || now >= recorder->cpu.next_ns,
                       0)) {
    brief_end_slowly(recorder, depth, now);
    return;
  }
  recorder->last_ns = now;
  __atomic_store_n(&live->depth, 0, __ATOMIC_RELAXED);
  many_add(&recorder->many, span, now);
}

/* Records that the open callback, which isn't recorded yet, begins a request. False if
 * brief_begun has to do it. */
static inline bool brief_begin_req(const uv_loop_t* loop, struct recorder* recorder,
                                   uint64_t subject) {
  struct board_span* span = &recorder->live->open[0];
  if (subject_is_handle(subject) || span->written)
    return false;
  if (span->begun_count < BOARD_BEGUN)
    span->begun[span->begun_count++] = subject;
  board_begun(recorder->live, subject, u64_max(recorder->last_ns, loop->now_ns),
              span->name);
  return true;
}

/* Writes the record of the short callbacks so far. */
static inline void brief_flush(struct recorder* recorder) {
  if (recorder->many.count != 0)
    brief_write_many(recorder);
}

/* --- recorder_cpu.c --- */
void cpu_start(struct recorder_cpu* cpu, uint64_t now, bool is_ring);
/* Records the thread's processor time since the last time. */
TRACE_APART void cpu_write(struct recorder* recorder, uint64_t now);
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
