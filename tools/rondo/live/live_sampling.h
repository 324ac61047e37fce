/* Samples the loops of a program without threads, for the watcher: compares the board
 * with the clock and has the program's signal handler take the stacks
 * (src/trace/sampler/sampler_watched.c), by the rules of the sampling thread that other
 * programs have (src/trace/sampler/sampler.c). */
#ifndef RONDO_TOOL_LIVE_SAMPLING_H
#define RONDO_TOOL_LIVE_SAMPLING_H

#include "live_ring.h"

struct sampling_loop {
  uint64_t stretch_ns; /* the looked_ns that is sampled, */
  unsigned int tries, samples;
  uint64_t seen_ns;  /* when it was last seen to go on, */
  uint64_t next_ns;  /* and when it is due again */
  uint64_t alarm_ns; /* the stretch that was reported as a stall */
};

struct sampling {
  struct board* board; /* to be written to; NULL: it can't be */
  int pid;
  bool calls_hidden; /* the kernel doesn't show us the program's system calls */
  uint64_t busy_ns;  /* when a loop was last awake */
  struct sampling_loop loops[BOARD_LOOPS];
};

/* A stall is to be reported: of the loop at that place, since that look. */
typedef void (*sampling_stall)(void* data, uint32_t place, uint64_t looked_ns,
                               uint64_t held_ns);

void sampling_open(struct sampling* sampling, const struct live_ring* ring);
void sampling_close(struct sampling* sampling);
/* For how many ns the program can be left alone now; UINT64_MAX: until it reports that a
 * loop is awake. */
uint64_t sampling_look(struct sampling* sampling, sampling_stall stall, void* data);
/* The program ends, or has ended: a stall that nobody has looked at since. */
void sampling_finish(struct sampling* sampling, sampling_stall stall, void* data);

#endif
