/* The search: seed after seed, some at a time, until one fails; and a failure counts when
 * the seed fails alone, too. */
#ifndef RONDO_SIM_SEARCH_H
#define RONDO_SIM_SEARCH_H

#include "sim_together.h"
#include "sim_tree.h"

/* Seeds in ascending order; as many as memory allowed. */
struct sim_seeds {
  uint64_t* seeds;
  unsigned int count;
};

/* The results of all runs together. */
struct sim_search {
  bool is_broken; /* a run could not go on as it should */
  const struct sim_options* options;
  struct sim_together together;
  struct sim_tree tree; /* of a systematic search */
  unsigned int started, ended, failed;
  unsigned int seeds_tried; /* of a search that tries both */
  uint64_t virtual_ns;
  uint64_t decisions;
  uint64_t since;
  uint64_t shown_at;
  bool is_terminal;
  struct sim_seeds failed_seeds;
  struct sim_seeds unrepeated_seeds; /* failed, and did not when they were run alone */
  uint64_t schedules;                /* a hash of all decisions of all runs */
  /* The lowest seed that failed, run alone; and how it failed before, or NULL. */
  struct sim_run* found;
  struct sim_run* found_before;
  /* Unless NULL: gets each run that is over and keeps what it needs of it; nothing is
   * looked for then. True: no more runs are needed. */
  bool (*each)(struct sim_run* run, void* data);
  void* data;
  bool is_enough;
};

/* Tries all seeds, or until one fails, or `stop` is set. */
void search_all(struct sim_search* search, const volatile sig_atomic_t* stop);
void search_free(struct sim_search* search);

#endif
