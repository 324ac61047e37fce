/* Which schedules of a systematic search come first.
 *
 * Most races take one slow thing among fast ones, at one of many places that are alike.
 * So a schedule costs more the more choices it has, and the more others with such choices
 * there were before; it costs less if its last choice is about what the choices before
 * have made late, or about two operations on one path of which one changes files. All
 * schedules are tried in the end, whatever they cost. */
#ifndef RONDO_SIM_RANK_H
#define RONDO_SIM_RANK_H

#include "sim_choices.h"

enum { RANK_LATE_MOST = 16 };

/* The cost and the key that a schedule's choices add up to. */
struct sim_rank {
  uint64_t cost;
  uint64_t key; /* of all its choices, but for names and numbers */
  uint32_t late_count;
  uint64_t late[RANK_LATE_MOST]; /* hashes of the words of what was passed over */
};

/* How often each key was met. */
struct sim_rank_table {
  struct sim_rank_place {
    uint64_t key;
    uint32_t count;
  } * places;
  size_t count, capacity;
};

/* The rank of a schedule that goes on from `parent` and takes another alternative. */
struct sim_rank rank_of(struct sim_rank_table* table, const struct sim_rank* parent,
                        const struct sim_point* point, uint32_t taken);
void rank_table_free(struct sim_rank_table* table);

#endif
