/* What stands on the command line of `rondo sim`. */
#ifndef RONDO_SIM_OPTIONS_H
#define RONDO_SIM_OPTIONS_H

#include "sim_run.h"

/* Whether runs share the machine's network and /tmp. */
enum sim_sharing {
  SIM_SHARING_AUTO, /* if they must */
  SIM_SHARING_ALL,
  SIM_SHARING_NONE
};

struct sim_options {
  struct sim_plan plan;
  uint64_t first_seed;
  unsigned int runs;
  unsigned int jobs;
  enum sim_sharing sharing;
  bool seed_given;
  bool keep_going;
  bool json;
  bool shrink;
  const char* faults; /* as given, or NULL */
  const char* output; /* folder for the recordings of a finding */
  /* Whether a run with fewer decisions is the same finding; NULL: it fails in the same
   * way. */
  bool (*alike)(const struct sim_run* one, const struct sim_run* other);
};

/* What applies unless the command line has something else. */
void sim_options_defaults(struct sim_options* options);
/* Returns the index of the program in argv, or 0 or a negative exit code to end with. */
int sim_options_read(struct sim_options* options, int argc, char** argv);

#endif
