/* The alternatives that could have come now: other schedules that are the same up to a
 * step. */
#ifndef RONDO_TOOL_STEP_ELSE_H
#define RONDO_TOOL_STEP_ELSE_H

#include "step.h"

struct step_other {
  char* title;                   /* of what comes there */
  struct step_schedule schedule; /* the first one with it; its choices are owned */
  unsigned int count;
  bool is_ours;
};

struct step_others {
  struct step_other* list;
  size_t count;
  unsigned int tried, alike; /* schedules, and how many were the same up to there */
  bool is_complete;          /* these are all that could come */
};

/* Tries so many schedules at most. What comes is the program's own step at or behind
 * `index`. With `is_terminal` progress is shown. */
void step_others_find(struct step_others* others, struct step_world* world, size_t index,
                      unsigned int runs, bool is_terminal);
void step_others_free(struct step_others* others);
/* The index of the program's own step of that rank, from 0; the world goes on to it. The
 * count of steps if there is none. */
size_t step_own_at(struct step_world* world, size_t rank);
/* How many of the program's own steps come before `index`. */
size_t step_own_rank(const struct step_world* world, size_t index);
/* The number of the first choice that was made behind the program's own step before
 * `index`: with those up to the step at `index` it was decided what comes there. */
size_t step_points_from(const struct step_world* world, size_t index);

#endif
