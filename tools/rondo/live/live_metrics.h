/* `rondo top --metrics`: figures of all processes for Prometheus. Figures of recorded
 * processes are sums over all that happened, from their rings and boards; of processes
 * that nobody prepared there is only what a look from outside sees. */
#ifndef RONDO_TOOL_LIVE_METRICS_H
#define RONDO_TOOL_LIVE_METRICS_H

#include "live_figures.h"

#include <stdio.h>

enum { METRICS_BOUNDS = 14, METRICS_KINDS = 16, METRICS_STALLS = 10, METRICS_GC = 4 };

/* Upper bounds of all histograms, in ns. */
extern const uint64_t metrics_bounds[METRICS_BOUNDS];

struct metrics_histogram {
  uint64_t counts[METRICS_BOUNDS + 1]; /* each above the bound before it */
  uint64_t count;
  double sum; /* in seconds */
};
void histogram_add(struct metrics_histogram* histogram, uint64_t ns, uint64_t count);

struct metrics_kind {
  char kind[24];
  uint64_t calls;
};

struct metrics_loop {
  uint32_t number; /* 0: the place is free */
  uint32_t thread;
  uint64_t since_ns;            /* when the loop was made */
  uint64_t done_ns;             /* its stretches up to then are counted */
  uint64_t read_ns, read_turns; /* when, and at how many turns, its ring was last read */
  uint64_t lost; /* how often the ring was overwritten before it was read */
  uint64_t turns, slept_ns, age_ns;
  uint64_t cpu_ns, wait_ns; /* of its thread */
  uint64_t held_ns;         /* up to now; 0: asleep */
  uint32_t handles, requests;
  bool asleep, never_ran;
  double busy;      /* a share of 1, since the look before */
  double cpu_share; /* of a processor, since the look before */
  uint64_t looked_ns;
  /* The time that a request waits which arrives at a random moment: one a microsecond. */
  struct metrics_histogram waits;
  struct metrics_histogram stretches;
  struct metrics_histogram late;
  struct metrics_histogram collected[METRICS_GC];
  uint64_t recent_p50, recent_p90, recent_p99, recent_max; /* of the last look */
  double recent_mean, recent_deviation;
  struct metrics_kind kinds[METRICS_KINDS];
  size_t kind_count;
};

struct metrics_stall {
  char* function;
  uint64_t count, held_ns; /* since the function has this place */
};

struct metrics_process {
  int pid;
  uint64_t start; /* differs where a number is used again */
  bool is_seen;   /* in the look that is going on */
  bool is_sampled;
  char *command, *service;
  struct live_figures figures; /* of a recorded process */
  struct metrics_loop loops[BOARD_LOOPS];
  struct metrics_stall stalls[METRICS_STALLS];
  uint64_t other_count, other_ns; /* stalls of all other functions */
  struct live_kind_count handles[FIGURES_KINDS], requests[FIGURES_KINDS];
  size_t handle_kinds, request_kinds;
  uint32_t pool_working, pool_waiting;
  struct { /* of the names of garbage collections, their types: these never change */
    int32_t name;
    uint8_t type;
  } types[8];
  size_t type_count;
  struct plain* plain; /* live_metrics_plain.c */
};

struct metrics {
  struct metrics_process** list;
  size_t count, capacity;
  uint64_t looked_ns, asked_ns;
  uint64_t stall_ns; /* from when on a stretch is a stall */
};

/* Looks at all processes, unless that was a moment ago. When nobody has asked, only at
 * rings that would be overwritten. */
void metrics_look(struct metrics* metrics, bool asked);
/* In Prometheus's format of old, or as OpenMetrics. */
void metrics_write(FILE* out, const struct metrics* metrics, bool open);

/* live_metrics_ring.c: what the ring has of a loop since the last look. */
void metrics_ring_look(struct metrics* metrics, struct metrics_process* process,
                       const struct live_ring* ring, bool asked);
/* live_metrics_plain.c: processes that nobody prepared, which have no ring. */
void metrics_plain_look(struct metrics* metrics, const struct live_ring* rings,
                        size_t count);
/* The same alone, without figures of recorded ones: for the list of `rondo top`. */
void metrics_plain_only(struct metrics* metrics, const struct live_ring* rings,
                        size_t count);
void plain_free(struct plain* plain);
/* live_metrics.c */
struct metrics_process* metrics_process_of(struct metrics* metrics, int pid,
                                           uint64_t start);
void metrics_describe(struct metrics_process* process, const char* command, size_t size);
void metrics_unsee(struct metrics* metrics);
void metrics_forget(struct metrics* metrics);
void metrics_free(struct metrics* metrics);
void metrics_loop_cpu(struct metrics_process* process, struct metrics_loop* loop);

#endif
