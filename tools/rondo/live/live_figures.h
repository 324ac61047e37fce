/* The figures of a recorded process that `rondo top` shows in the terminal, as JSON and
 * in its page, computed in one place. The board gives the current state and the rates
 * between two readings; the ring gives the waits and the callbacks that held a loop up.
 */
#ifndef RONDO_TOOL_LIVE_FIGURES_H
#define RONDO_TOOL_LIVE_FIGURES_H

#include "live_ring.h"

#include <stdio.h>

enum { FIGURES_KINDS = 24, FIGURES_HISTORY = 60 };

/* Handles or requests of one kind. */
struct live_kind_count {
  char kind[24];
  uint32_t count;
  uint64_t oldest_ns; /* its age */
};

/* A stretch in which the loop was held up, as text. */
struct live_held {
  uint64_t length_ns;
  uint64_t at_ns; /* when it ended, on the monotonic clock; 0: there is none */
  char* who;      /* "by on_read (tcp 7)" */
};

struct live_loop {
  uint32_t number, thread;
  char backend[9];
  char thread_name[16];
  double turns; /* in a second */
  double busy;  /* a share of 1 */
  uint32_t handles, requests;
  bool asleep;
  bool never_ran;
  uint64_t held_ns; /* time since its last poll, unless it sleeps */
  char* in;         /* the callback that it is in; NULL: none, or asleep */
  bool waits_known;
  uint64_t wait_p50, wait_p90, wait_p99, wait_worst;
  struct live_held last, worst;
};

/* Values kept from one reading to the next. */
struct live_before {
  uint32_t number;
  uint64_t turns, slept_ns;
  uint64_t looked_ns;
};

struct live_figures {
  int pid;
  bool alive;
  bool stopped; /* by a signal or a debugger */
  char* program;
  char* command;
  char *title, *command_line; /* for screens: see live_title.h */
  uint64_t now_ns, since_ns;  /* time of this reading and of the one before */
  double span;                /* how many seconds the ring covers */
  struct live_loop loops[BOARD_LOOPS];
  size_t loop_count;
  struct live_kind_count handles[FIGURES_KINDS], requests[FIGURES_KINDS];
  size_t handle_kinds, request_kinds;
  uint32_t pool_working, pool_waiting;
  uint32_t stalls;
  struct live_before before[BOARD_LOOPS];
  /* Of the busiest loop, the newest value last. */
  double busy_history[FIGURES_HISTORY];
  uint64_t wait_history[FIGURES_HISTORY]; /* the 99th percentile of the waits */
  size_t history;
};

/* Reads the board and, if `window_ns` isn't 0, that much of the ring. The first reading
 * has no rates. Strings are freed by the next reading and by live_figures_free. */
void live_figures_look(struct live_figures* figures, const struct live_ring* ring,
                       uint64_t window_ns);
void live_figures_free(struct live_figures* figures);
/* The busiest loop; NULL if there is none. */
const struct live_loop* live_busiest(const struct live_figures* figures);
void live_figures_json(FILE* out, const struct live_figures* figures);

#endif
