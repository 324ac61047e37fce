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
  const char* faults; /* as they were asked for, or NULL */
  const char* output; /* where recordings of a finding go: a folder */
};

/* The place of the program in argv; 0 or a negative exit code to leave with. */
int sim_options_read(struct sim_options* options, int argc, char** argv);

#endif
