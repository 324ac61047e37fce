/* The live part of a ring: what a loop is in now, what keeps it alive and what is in
 * flight. It lies between the header and the chunks of a ring's file (format.h,
 * header.board_size), and is read from outside while the program writes: by `rondo top`,
 * `rondo why` and `rondo dump`, also when the program has been killed.
 *
 * Nothing here is overwritten by what happens later, as the chunks are: a request that
 * has been waiting for an hour is still in the table. A loop's part has one writer, the
 * loop's thread; the sampling thread writes the samples. Readers take what they see as a
 * hint: words are whole, entries may be half changed unless a sequence
 * guards them (odd while it is written). */
#ifndef RONDO_TRACE_BOARD_H
#define RONDO_TRACE_BOARD_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  BOARD_LOOPS = 32,    /* further loops are recorded, but have no part here */
  BOARD_SPANS = 16,    /* open in one another; deeper ones are not recorded */
  BOARD_BEGUN = 4,     /* by one open span, that are kept with it */
  BOARD_SAMPLES = 128, /* of all loops together: 2.5 s of one that is held up */
  BOARD_FRAMES = 96,   /* of a stack */
  BOARD_ALIVE = 64,
  BOARD_ABOUT = 104,
  BOARD_SETS = 256, /* of the table of what is begun, */
  BOARD_WAYS = 4,   /* and places in each */
};

enum { BOARD_SINCE_SHIFT = 20 }; /* about a millisecond */
static const uint64_t BOARD_ASLEEP = (uint64_t) 1 << 63;

/* A span that is open and not in the stream yet. */
struct board_span {
  uint64_t begin_ns; /* on the monotonic clock */
  uint64_t subject;
  uint32_t name; /* a definition's number: of its function, or what it was named */
  int32_t detail;
  uint32_t kind;    /* enum trace_kind */
  uint32_t written; /* it is in the stream: so are those around it */
  uint32_t begun_count, unused;
  uint64_t begun[BOARD_BEGUN]; /* subjects */
};

/* A handle that was started and isn't closed, or a request in flight. */
struct board_entry {
  uint64_t subject; /* 0: a free place */
  uint32_t since;   /* ns of the monotonic clock, in units of 2^BOARD_SINCE_SHIFT */
  uint32_t by;      /* what the span around it is called; 0: there was none */
};

struct board_alive {
  uint64_t subject;
  int32_t fd; /* -1: none */
  uint32_t unused;
  char about[BOARD_ABOUT]; /* an address, a path; ends with a zero */
};

/* A stack, written by the sampling thread when it was taken. */
struct board_sample {
  uint32_t sequence;
  uint32_t loop;   /* its place on the board */
  uint32_t number; /* in its stretch, from 1; 0: a free place */
  uint32_t count;  /* of its frames */
  uint64_t when_ns;
  uint64_t stretch_ns; /* the look at what is ready that it follows: looked_ns then */
  uint32_t names[BOARD_FRAMES]; /* of its frames: definitions; the innermost first */
};

struct board_loop {
  uint32_t number; /* of the loop; 0: the place is free */
  uint32_t thread;
  uint32_t depth;    /* of open spans */
  uint32_t handles;  /* that keep it alive, and */
  uint32_t requests; /* in flight, when it last slept or began a turn */
  uint32_t crowded;  /* begun, and found no place in the table */
  uint64_t turns;
  uint64_t looked_ns; /* at what is ready; with BOARD_ASLEEP: when it fell asleep */
  uint64_t slept_ns;  /* in all */
  uint64_t since_ns;  /* when the loop was made */
  char backend[8];
  uint32_t alive_sequence;
  uint32_t alive_count;
  uint64_t alive_ns; /* when it was listed */
  struct board_alive alive[BOARD_ALIVE];
  struct board_span open[BOARD_SPANS];
  /* A set is a cache line: requests come and go with every message. */
  _Alignas(64) struct board_entry table[BOARD_SETS][BOARD_WAYS];
};

struct board {
  uint64_t process_start; /* field 22 of /proc/PID/stat: differs for a reused pid */
  uint64_t pid_namespace; /* its inode: a pid means nothing in another */
  uint64_t ring_size;     /* of the file when it is full */
  uint64_t filled;        /* of it, so far: what lies behind has no memory */
  uint64_t stall_ns;      /* what is reported as a stall; 0: nothing */
  uint32_t alarms;        /* a futex: goes up when there is something to report */
  uint32_t stalls;        /* so many of them; stall_loop is the place of the last */
  uint32_t stall_loop;
  uint32_t dumps_asked;  /* by a signal to the program */
  uint32_t pool_waiting; /* for a thread of the pool, */
  uint32_t pool_working; /* and threads that are at work */
  uint32_t sampling;     /* 1: stacks can be sampled; 2: SIGURG is the program's own */
  uint32_t sampled; /* so often: the last is before samples[sampled % BOARD_SAMPLES] */
  struct board_sample samples[BOARD_SAMPLES];
  struct board_loop loops[BOARD_LOOPS];
};

enum { BOARD_PAGE = 4096 };
static const size_t BOARD_SIZE =
    (sizeof(struct board) + BOARD_PAGE - 1) / BOARD_PAGE * BOARD_PAGE;

/* --- the table of what is begun ---------------------------------------------------- */

/* A product alone would put addresses at some distances from each other, such as those of
 * an array's elements, into few sets. */
static inline struct board_entry* board_set(struct board_loop* loop, uint64_t subject) {
  uint64_t address = subject & (((uint64_t) 1 << TRACE_SUBJECT_SHIFT) - 1);
  return loop->table[(address ^ address >> 11) * 0x9e3779b97f4a7c15u >> 56];
}

static inline bool board_same(uint64_t left, uint64_t right) {
  return (left ^ right) << (64 - TRACE_SUBJECT_SHIFT) == 0;
}

static inline bool board_has(struct board_loop* loop, uint64_t subject) {
  const struct board_entry* set = board_set(loop, subject);
  for (int i = 0; i < BOARD_WAYS; i++) {
    if (set[i].subject == subject)
      return true;
  }
  return false;
}

/* Whatever lived at the address before was taken out by board_ended. */
static inline void board_begun(struct board_loop* loop, uint64_t subject, uint64_t now,
                               uint32_t by) {
  struct board_entry* set = board_set(loop, subject);
  int place = 0;
  while (place < BOARD_WAYS && set[place].subject != 0)
    place++;
  if (place == BOARD_WAYS) {
    loop->crowded++;
    return;
  }
  set[place].since = (uint32_t) (now >> BOARD_SINCE_SHIFT);
  set[place].by = by;
  __atomic_store_n(&set[place].subject, subject, __ATOMIC_RELEASE);
}

static inline void board_ended(struct board_loop* loop, uint64_t subject) {
  struct board_entry* set = board_set(loop, subject);
  for (int i = 0; i < BOARD_WAYS; i++) {
    if (board_same(set[i].subject, subject)) {
      __atomic_store_n(&set[i].subject, 0, __ATOMIC_RELAXED);
      return;
    }
  }
}

/* How long ago it was begun; of what is older than 50 days, something less. */
static inline uint64_t board_age_ns(const struct board_entry* entry, uint64_t now) {
  uint32_t age = (uint32_t) (now >> BOARD_SINCE_SHIFT) - entry->since;
  return (uint64_t) age << BOARD_SINCE_SHIFT;
}

_Static_assert(sizeof(struct board_entry[BOARD_WAYS]) == 64, "a cache line");
_Static_assert(BOARD_SETS == 256, "board_set takes eight bits");
_Static_assert(sizeof(struct board_span) == 72, "files have this");

#endif
