/* How many runs go on at a time, and whether each has a network and a /tmp of its own:
 * decided by what the first runs use of the machine, and again when a later one uses
 * more. */
#ifndef RONDO_SIM_TOGETHER_H
#define RONDO_SIM_TOGETHER_H

#include "sim_options.h"

struct sim_together {
  const struct sim_options* options;
  unsigned int jobs;   /* at a time, from now on */
  bool isolate;        /* from now on */
  unsigned int learnt; /* runs that were looked at */
  bool is_decided;
  char** written; /* files that the first runs wrote, and which run it was */
  uint64_t* writers;
  size_t written_count;
};

/* False, with a line on standard error, if what the options ask for isn't possible. */
bool together_begin(struct sim_together* together, const struct sim_options* options);
/* A run is over. */
void together_learn(struct sim_together* together, const struct sim_run* run);
/* A run failed in company, or in isolation, and doesn't alone. */
void together_doubt(struct sim_together* together);
void together_free(struct sim_together* together);

#endif
