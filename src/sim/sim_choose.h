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
  SIM_WORK,   /* how long work of the pool takes */
  SIM_READY,  /* how long a ready descriptor isn't noticed */
  SIM_TIMER,  /* how late the timers are */
  SIM_ASYNC,  /* how long an async isn't noticed */
  SIM_SIGNAL, /* the same of a signal */
  SIM_CHILD,  /* the same of a child's end */
  SIM_READ,   /* how many bytes a read moves */
  SIM_WRITE,  /* how many a write moves */
  SIM_FAULT,  /* what fails */
  SIM_KINDS
};

/* A process's chooser; loops share it. */
struct sim_chooser;

/* NULL without memory. */
struct sim_chooser* chooser_make(struct world* world);
void chooser_free(struct sim_chooser* chooser);
/* In a forked child: another path, another file. */
void chooser_forked(struct sim_chooser* chooser);

struct sim_question {
  enum sim_kind kind;
  unsigned int loop; /* its number in the process */
  uint64_t source;
  uint64_t nth;
};

/* True if this isn't to go as usual; then *number is what the particulars are taken from,
 * and the caller reports what it made of it with chooser_log. */
bool chooser_decides(struct sim_chooser* chooser, const struct sim_question* question,
                     uint64_t* number);
void chooser_log(struct sim_chooser* chooser, const struct sim_question* question,
                 uint64_t value, const char* words);

/* All that was logged so far, in one number. */
uint64_t chooser_schedule(const struct sim_chooser* chooser);

/* A delay of the run's range. */
uint64_t chooser_delay(const struct sim_chooser* chooser, uint64_t number);

uint64_t sim_mix(uint64_t word);
uint64_t sim_hash(uint64_t start, const char* text);
const char* sim_kind_name(enum sim_kind kind);

#endif
