/* The chooser: the one function that decides.
 *
 * A decision is a hash of the seed and of what is decided about: the process, the loop,
 * the kind of decision, its source (a file operation of that name, a connection) and how
 * often that source was decided about before. There is no shared stream of random
 * numbers, so a decision that is taken back, or one more that a thread of the engine
 * brings about, changes no other.
 *
 * A decision may leave things as they are. Each of the others is a line in the file
 * `decisions.PATH` of the world's folder; all lines together are the schedule. */
#ifndef RONDO_SIM_CHOOSE_H
#define RONDO_SIM_CHOOSE_H

#include "sim/world.h"

#include <stddef.h>

enum sim_kind {
  SIM_WORK,    /* how long work of the pool takes */
  SIM_READY,   /* how long a ready descriptor is held back */
  SIM_TIMER,   /* how late the timers are */
  SIM_ASYNC,   /* how long an async is held back */
  SIM_SIGNAL,  /* how long a signal is held back */
  SIM_CHILD,   /* how long a child's end is held back */
  SIM_READ,    /* how many bytes a read moves */
  SIM_WRITE,   /* how many bytes a write moves */
  SIM_FAULT,   /* which operation fails */
  SIM_COMPUTE, /* how long a script or a callback computes */
  SIM_EXPIRE,  /* which delay is longer than the program's limits */
  SIM_KINDS
};

/* A process's chooser; loops share it. */
struct sim_chooser;

/* NULL without memory. */
struct sim_chooser* chooser_make(struct world* world);
void chooser_free(struct sim_chooser* chooser);
/* In a forked child, which has another path and another file. */
void chooser_forked(struct sim_chooser* chooser);

struct sim_question {
  enum sim_kind kind;
  unsigned int loop; /* its number in the process */
  uint64_t source;
  uint64_t nth;
};

/* True if this operation is to be perturbed; then *number determines how, and the caller
 * reports the result with chooser_log. */
bool chooser_decides(struct sim_chooser* chooser, const struct sim_question* question,
                     uint64_t* number);
void chooser_log(struct sim_chooser* chooser, const struct sim_question* question,
                 uint64_t value, const char* words);

/* A hash of everything logged so far. */
uint64_t chooser_schedule(const struct sim_chooser* chooser);

/* A delay of some order of magnitude, shorter than `most`. */
uint64_t chooser_within(uint64_t number, uint64_t most);
/* Within the run's range, or a few milliseconds at most; and which of the two it is. */
uint64_t chooser_long(const struct sim_chooser* chooser, uint64_t number);
uint64_t chooser_short(uint64_t number);
bool chooser_is_long(const struct sim_chooser* chooser, uint64_t number);
uint64_t chooser_delay(const struct sim_chooser* chooser, uint64_t number);

uint64_t sim_mix(uint64_t word);
uint64_t sim_hash(uint64_t start, const char* text);

#endif
