/* What else could have come now: other schedules that are the same up to a step. */
#ifndef RONDO_TOOL_STEP_ELSE_H
#define RONDO_TOOL_STEP_ELSE_H

#include "step.h"

struct step_other {
  char* title;   /* of what comes there */
  uint64_t seed; /* of the first schedule with it */
  unsigned int count;
  bool is_ours;
};

struct step_others {
  struct step_other* list;
  size_t count;
  unsigned int tried, alike; /* schedules, and how many were the same up to there */
};

/* Tries so many schedules. What comes is the program's own step at or behind `index`. */
void step_others_find(struct step_others* others, struct step_world* world, size_t index,
                      unsigned int runs);
void step_others_free(struct step_others* others);
/* The index of the program's own step of that rank, from 0; the world goes on to it. The
 * count of steps if there is none. */
size_t step_own_at(struct step_world* world, size_t rank);
/* How many of the program's own steps come before `index`. */
size_t step_own_rank(const struct step_world* world, size_t index);

#endif
