/* The board is the live part of a ring: the callback that each loop is in now, the
 * handles that keep it alive and the requests in flight. The board lies between the
 * header and the chunks of a ring's file (format.h, header.board_size), and other
 * processes read it while the program writes: `rondo top`, `rondo why` and `rondo dump`,
 * even after the program was killed.
 *
 * Unlike chunks, the board isn't overwritten by later events: a request that has been
 * waiting for an hour is still in the table. A loop's part has one writer, the loop's
 * thread; the sampling thread writes the samples. Readers treat the contents as a hint:
 * words are consistent, but entries may be half written unless a sequence number guards
 * them (odd during a write). */
#ifndef RONDO_TRACE_BOARD_H
#define RONDO_TRACE_BOARD_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
  BOARD_LAYOUT = 3,    /* incremented when a structure here changes */
  BOARD_LOOPS = 32,    /* further loops are recorded without a part on the board */
  BOARD_SPANS = 16,    /* nested; deeper ones are not recorded */
  BOARD_SAMPLES = 128, /* of all loops together: 2.5 s of one stalled loop */
  BOARD_FRAMES = 96,   /* of one stack, */
  BOARD_PLACES = 48,   /* and of one without names */
  BOARD_OBJECTS = 64,
  BOARD_PATH = 232,
  BOARD_ALIVE = 64,
  BOARD_ABOUT = 104,
  BOARD_SETS = 256,  /* sets of the table of handles and requests, */
  BOARD_WAYS = 4,    /* and places in each */
  BOARD_FRESH = 256, /* requests of the current turn, before they go to the table */
  BOARD_ENTRIES = BOARD_SETS * BOARD_WAYS + BOARD_FRESH, /* for board_entry_at */
};

enum { BOARD_SINCE_SHIFT = 20 }; /* about a millisecond */
static const uint64_t BOARD_ASLEEP = (uint64_t) 1 << 63;

/* An open span. */
struct board_span {
  uint64_t begin_ns; /* on the monotonic clock */
  uint64_t subject;
  int64_t detail;
  uint32_t name; /* number of a definition: the span's function or name */
  uint32_t kind; /* enum trace_kind */
};

/* A handle that was started and isn't closed, or a request in flight. */
struct board_entry {
  uint64_t subject; /* 0: a free place */
  uint32_t since;   /* ns of the monotonic clock, in units of 2^BOARD_SINCE_SHIFT */
  uint32_t by;      /* name of the span that began it; 0: none */
};

struct board_alive {
  uint64_t subject;
  int32_t fd; /* -1: none */
  uint32_t unused;
  char about[BOARD_ABOUT]; /* an address or a path, NUL-terminated */
};

/* A stack, written when the sample was taken: by the sampling thread or, for a loop that
 * the watcher samples, by the signal handler, which can't look up names. */
struct board_sample {
  uint32_t sequence;
  uint32_t loop;   /* the loop's place on the board */
  uint32_t number; /* within its stretch, from 1; 0: the entry is free */
  uint32_t count;  /* number of frames */
  uint64_t when_ns;
  uint64_t stretch_ns; /* the poll that the stretch follows: looked_ns at that time */
  uint64_t is_bare;    /* the frames are in `places`, not in `names` */
  union {              /* innermost first */
    uint32_t names[BOARD_FRAMES];  /* definitions of the frames' names */
    uint64_t places[BOARD_PLACES]; /* addresses */
  };
};

/* A file that the loader has mapped: where a reader finds the names of `places`. */
struct board_object {
  uint64_t start, end;
  uint64_t base;         /* subtracted from an address in a definition */
  char path[BOARD_PATH]; /* ends with a zero */
};

/* Sums of a loop's thread at a time: on a processor, and waiting for one. Written by
 * board_cpu_write, so that a reader has them together. */
struct board_cpu {
  uint64_t at_ns; /* 0: not known */
  uint64_t used_ns;
  uint64_t delay_at_ns; /* the wait may have been read earlier */
  uint64_t delay_ns;
};

struct board_loop {
  uint32_t number; /* of the loop; 0: the place is free */
  uint32_t thread;
  uint64_t slept_ns; /* total time asleep */
  uint64_t since_ns; /* when the loop was made */
  char backend[8];
  uint32_t is_watched; /* 1: the watcher samples the loop; 0: a thread of the program */
  uint32_t crowded;    /* requests and handles for which the table had no room */
  uint32_t alive_sequence;
  uint32_t alive_count;
  uint64_t alive_ns; /* when the list of handles was written */
  struct board_alive alive[BOARD_ALIVE];
  struct board_cpu cpu_marked; /* the recorder's last look (recorder_cpu.c), and */
  struct board_cpu cpu_held;   /* when it was first seen that the loop is held up */
  uint64_t cpu_limited;        /* 1: a control group limits the processor time */
  uint64_t collected_ns; /* garbage collections since the poll at collected_looked_ns */
  uint64_t collected_looked_ns;
  /* Every turn and callback writes these: a cache line, with the outermost span. */
  _Alignas(64) uint32_t depth; /* number of open spans, */
  uint16_t written;  /* and how many of them, the outermost, are in the stream */
  uint16_t unseen;   /* 1: who samples the loop sleeps, and the loop wakes it */
  uint32_t handles;  /* number of handles that keep the loop alive and */
  uint32_t requests; /* in flight: when it last slept, or some milliseconds ago */
  uint64_t turns;
  /* Time of the last poll; with BOARD_ASLEEP: when the loop fell asleep. */
  uint64_t looked_ns;
  struct board_span open[BOARD_SPANS];
  /* Requests come and go with every message, most of them within one turn and in FIFO
   * order. A new request is appended to this list and removed if it is the first when it
   * ends; requests that outlive the turn move to the table. */
  struct board_entry fresh[BOARD_FRESH]; /* `since` is not set: it is looked_ns */
  /* A set is one cache line. */
  _Alignas(64) struct board_entry table[BOARD_SETS][BOARD_WAYS];
};

struct board {
  uint64_t process_start; /* field 22 of /proc/PID/stat: differs for a reused pid */
  uint64_t pid_namespace; /* inode of the pid namespace: pids of another one can't be
                             compared */
  uint64_t ring_size;     /* size of the file when it is full */
  uint64_t filled;        /* how much of the file is in use; the rest has no memory */
  uint64_t stall_ns;      /* shortest delay that is reported as a stall; 0: none is */
  uint32_t parted;        /* a futex: 1 when the watcher has reported what it could before
                             an exit */
  uint32_t stalls;        /* number of stalls; stall_loop is the place of the last */
  uint32_t stall_loop;
  uint32_t dumps_asked;  /* how often a signal has asked for a dump */
  uint32_t pool_waiting; /* work waiting for a thread of the pool, */
  uint32_t pool_working; /* threads of the pool that are working */
  uint32_t sampling;     /* 1: stacks can be sampled; 2: SIGURG is the program's own */
  uint32_t sampled;      /* number of samples; the last is before samples[sampled %
                            BOARD_SAMPLES] */
  uint64_t threshold_ns; /* a loop that hasn't polled for this long is sampled */
  uint32_t watcher_idle; /* the watcher sleeps until ALARM_AWAKE */
  uint32_t object_count;
  /* Kept up to date while a loop is_watched. */
  struct board_object objects[BOARD_OBJECTS];
  uint32_t places; /* loops[] that have been in use; those behind have no memory */
  uint32_t layout; /* BOARD_LAYOUT */
  struct board_sample samples[BOARD_SAMPLES];
  struct board_loop loops[BOARD_LOOPS];
};

enum { BOARD_PAGE = 4096 };
static const size_t BOARD_SIZE =
    (sizeof(struct board) + BOARD_PAGE - 1) / BOARD_PAGE * BOARD_PAGE;

/* As records have it. */
static inline int32_t detail_of(int64_t number) {
  return (int32_t) (number > INT32_MAX   ? INT32_MAX
                    : number < INT32_MIN ? INT32_MIN
                                         : number);
}

/* --- the processor ------------------------------------------------------------------ */

static inline void board_cpu_write(struct board_cpu* cpu, uint64_t at, uint64_t used,
                                   uint64_t delay_at, uint64_t delay) {
  __atomic_store_n(&cpu->at_ns, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&cpu->used_ns, used, __ATOMIC_RELAXED);
  __atomic_store_n(&cpu->delay_at_ns, delay_at, __ATOMIC_RELAXED);
  __atomic_store_n(&cpu->delay_ns, delay, __ATOMIC_RELAXED);
  __atomic_store_n(&cpu->at_ns, at, __ATOMIC_RELEASE);
}

/* False if it isn't known, or is being written. */
static inline bool board_cpu_read(const struct board_cpu* from, struct board_cpu* cpu) {
  cpu->at_ns = __atomic_load_n(&from->at_ns, __ATOMIC_ACQUIRE);
  cpu->used_ns = __atomic_load_n(&from->used_ns, __ATOMIC_RELAXED);
  cpu->delay_at_ns = __atomic_load_n(&from->delay_at_ns, __ATOMIC_RELAXED);
  cpu->delay_ns = __atomic_load_n(&from->delay_ns, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return cpu->at_ns != 0 && __atomic_load_n(&from->at_ns, __ATOMIC_RELAXED) == cpu->at_ns;
}

/* From the text of /proc/PID/task/TID/schedstat: "time on the processor, time waiting for
 * it, time slices". False where the kernel doesn't give it: all of them are 0 then. */
static inline bool schedstat_parse(const char* text, uint64_t* used, uint64_t* delay) {
  char* rest;
  *used = strtoull(text, &rest, 10);
  *delay = strtoull(rest, &rest, 10);
  return strtoull(rest, NULL, 10) > 0;
}

/* --- the table of what is begun ---------------------------------------------------- */

/* A multiplication alone would put addresses at regular distances, such as those of an
 * array's elements, into few sets. */
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

/* An earlier entry for the same address was removed by board_table_ended. */
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

/* Removes the entry, and says since when it was there; false if it isn't in the table. */
static inline bool board_table_ended(struct board_loop* loop, uint64_t subject,
                                     uint32_t* since) {
  struct board_entry* set = board_set(loop, subject);
  for (int i = 0; i < BOARD_WAYS; i++) {
    if (board_same(set[i].subject, subject)) {
      *since = set[i].since;
      __atomic_store_n(&set[i].subject, 0, __ATOMIC_RELAXED);
      return true;
    }
  }
  return false;
}

/* For readers: the list and the table, `at` from 0 to BOARD_ENTRIES; the subject is 0
 * where nothing is. */
static inline struct board_entry board_entry_at(const struct board_loop* loop,
                                                size_t at) {
  if (at >= BOARD_FRESH)
    return loop->table[(at - BOARD_FRESH) / BOARD_WAYS][at % BOARD_WAYS];
  struct board_entry entry = loop->fresh[at];
  entry.since = (uint32_t) ((loop->looked_ns & ~BOARD_ASLEEP) >> BOARD_SINCE_SHIFT);
  return entry;
}

/* The age of an entry. Ages beyond 50 days wrap around and come out too small. */
static inline uint64_t board_age_ns(const struct board_entry* entry, uint64_t now) {
  uint32_t age = (uint32_t) (now >> BOARD_SINCE_SHIFT) - entry->since;
  return (uint64_t) age << BOARD_SINCE_SHIFT;
}

_Static_assert(sizeof(struct board_entry[BOARD_WAYS]) == 64, "a cache line");
_Static_assert(BOARD_SETS == 256, "board_set takes eight bits");
_Static_assert(BOARD_FRESH % BOARD_WAYS == 0, "board_entry_at counts on it");
_Static_assert(offsetof(struct board_loop, open[1]) -
                       offsetof(struct board_loop, depth) ==
                   64,
               "a cache line");

#endif
