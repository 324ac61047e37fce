/* The command line of `rondo sim`. */
#ifndef RONDO_SIM_OPTIONS_H
#define RONDO_SIM_OPTIONS_H

#include "sim_run.h"

/* Whether runs share the machine's network and /tmp. */
enum sim_sharing {
  SIM_SHARING_AUTO, /* if they must */
  SIM_SHARING_ALL,
  SIM_SHARING_NONE
};

/* Which schedules are tried. */
enum sim_way { SIM_RANDOM, SIM_SYSTEMATIC, SIM_BOTH };

struct sim_options {
  struct sim_plan plan;
  enum sim_way way;
  unsigned int shard, shards;   /* of so many parts this one alone; 0 of 0: all */
  struct world_choice* choices; /* of the one run that is asked for; NULL: none is */
  size_t choice_count;
  uint64_t first_seed;
  unsigned int runs;
  unsigned int jobs;
  enum sim_sharing sharing;
  bool seed_given;
  bool keep_going;
  bool merge; /* what stands for the program are files of results */
  bool json;
  bool shrink;
  const char* faults; /* as given, or NULL */
  const char* output; /* folder for the recordings of a finding */
  /* Whether a run with fewer decisions is the same finding; NULL: it fails in the same
   * way. */
  bool (*alike)(const struct sim_run* one, const struct sim_run* other);
};

/* Values of --search, --shard, --choices and --date, for a table of options. */
bool sim_way_take(const char* text, void* options);
bool sim_shard_take(const char* text, void* options);
bool sim_choices_take(const char* text, void* options);
bool sim_date_take(const char* text, void* wall_start);
extern const char sim_date_problem[];
void sim_options_free(struct sim_options* options);
/* The defaults, unless the command line has something else. */
void sim_options_defaults(struct sim_options* options);
/* Returns the index of the program in argv, or 0 or a negative exit code to end with. */
int sim_options_read(struct sim_options* options, int argc, char** argv);

#endif
