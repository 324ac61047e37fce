/* The systematic search: all ways that a program can go on where more than one thing
 * could come next (docs/orders.md). A schedule is a list of choices; the first one has
 * none. Each run shows the points behind its last choice, and what else there was: those
 * are the next schedules. Which of them come first is sim_rank.h's. */
#ifndef RONDO_SIM_TREE_H
#define RONDO_SIM_TREE_H

#include "sim_rank.h"
#include "sim_run.h"

struct sim_node;

struct sim_tree {
  struct sim_node** nodes; /* in the order in which they were found */
  size_t count;
  size_t* heap; /* those that wait, by their ranks: the cheapest first */
  size_t waiting;
  struct sim_rank_table ranks;
  unsigned int shard, shards; /* this one of so many parts; 0: all */
  unsigned int under_way;
  unsigned int unequal; /* runs that had other alternatives than the same run before */
  bool is_cut;          /* some alternatives were left out */
  bool is_broken;       /* memory was not enough */
};

/* False without memory. */
bool tree_begin(struct sim_tree* tree, unsigned int shard, unsigned int shards);
static inline bool tree_has_next(const struct sim_tree* tree) {
  return tree->waiting > 0;
}
/* Precondition: there is one. What the run borrows lives as long as the tree. */
void tree_take(struct sim_tree* tree, struct sim_run* run);
/* The run is over. */
void tree_learn(struct sim_tree* tree, const struct sim_run* run);
/* Whether all schedules were tried, and are all that there are. */
bool tree_is_complete(const struct sim_tree* tree);
void tree_free(struct sim_tree* tree);

#endif
