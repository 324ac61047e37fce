/* A piece of the pool's work in a simulated loop: sim_work.c carries it out, and
 * sim_next.c says when in a systematic search. */
#ifndef RONDO_SIM_WORK_H
#define RONDO_SIM_WORK_H

#include "sim/sim_state.h"

enum sim_work_state {
  WORK_PLANNED, /* waits for a slot, or for its time */
  WORK_RUNS,
  WORK_LEFT_ALONE, /* runs while the loop continues */
  WORK_RAN,
  WORK_RAN_ALONE, /* the thread has notified the loop and no longer touches it */
  WORK_CANCELLED,
};

struct sim_work {
  struct uv__work own; /* submitted to the real pool */
  struct queue link;
  struct uv__work* w;
  void (*work)(struct uv__work*);
  void (*done)(struct uv__work*, int);
  struct world* world;
  uint32_t state; /* enum sim_work_state; atomic while it runs */
  bool is_lookup;
  int fault;         /* error with which it ends instead of being carried out; 0: none */
  bool left_alone;   /* the loop's own copy of that state */
  bool is_kept_back; /* is done, and to be reported later: a systematic search */
  struct sim_mark mark; /* the same */
  int tid;
  uint64_t complete_at;
  char name[40]; /* that the program gave it; "" */
  char origin[]; /* the place in the program that requested it; "": not known */
};

/* As in "stat '/a/b' (app.js:3)". */
void sim_work_words(const struct sim_work* work, char* words, size_t size);
/* Whether the work changes files. */
bool sim_work_changes_files(const struct sim_work* work);
/* Whether the order in which the two are carried out may make a difference: one changes
 * files, and the paths of both meet. */
bool sim_work_meets(const struct sim_work* one, const struct sim_work* other);

#endif
