/* What stands on the command line of `rondo sim`. */
#ifndef RONDO_SIM_OPTIONS_H
#define RONDO_SIM_OPTIONS_H

#include "sim_run.h"

struct sim_options {
  struct sim_plan plan;
  uint64_t first_seed;
  unsigned int runs;
  unsigned int jobs;
  bool seed_given;
  bool keep_going;
  bool json;
  bool shrink;
  const char* faults; /* as given, or NULL */
  const char* output; /* folder for the recordings of a finding */
};

/* Returns the index of the program in argv, or 0 or a negative exit code to end with. */
int sim_options_read(struct sim_options* options, int argc, char** argv);

#endif
