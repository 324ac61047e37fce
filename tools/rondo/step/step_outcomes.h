/* The other outcomes of a program that is stepped through, as `rondo orders` finds them.
 */
#ifndef RONDO_TOOL_STEP_OUTCOMES_H
#define RONDO_TOOL_STEP_OUTCOMES_H

#include "step.h"

struct step_outcome {
  struct step_schedule schedule; /* its choices are owned */
  char* words;                   /* what it takes */
  char* output;                  /* the beginning of what it prints */
};

struct step_outcomes {
  struct step_outcome* list; /* without the one that the world has */
  size_t count;
  bool is_complete; /* there are no others */
};

/* The words for the schedule without choices. */
extern const char step_outcomes_usual[];

/* Looks for so many outcomes at most, in a bounded number of schedules. Precondition: the
 * world's program is over. */
void step_outcomes_find(struct step_outcomes* outcomes, const struct step_world* world,
                        unsigned int most);
void step_outcomes_free(struct step_outcomes* outcomes);

#endif
