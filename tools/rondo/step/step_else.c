/* Runs the program under other schedules and compares the order of its own callbacks: of
 * those that are the same up to a step, what comes next is what could have come here. So
 * each one that is shown has really come; there may be more. */
#include "step_else.h"

#include <stdlib.h>
#include <string.h>

size_t step_own_at(struct step_world* world, size_t rank) {
  for (size_t i = 0; step_world_reach(world, i); i++) {
    if (step_is_own(&world->record, i) && rank-- == 0)
      return i;
  }
  return world->record.count;
}

size_t step_own_rank(const struct step_world* world, size_t index) {
  size_t rank = 0;
  for (size_t i = 0; i < index && i < world->record.count; i++)
    rank += step_is_own(&world->record, i);
  return rank;
}

/* Times differ where something is late, and so do handles' numbers. */
static bool is_same_step(const struct step* one, const struct step* other) {
  if (one->kind != other->kind || strcmp(one->process, other->process) != 0)
    return false;
  return one->kind == STEP_SCRIPT || strcmp(one->name, other->name) == 0;
}

static size_t own_next(const struct step_world* world, size_t index) {
  while (index < world->record.count && !step_is_own(&world->record, index))
    index++;
  return index;
}

/* The step of the other run that stands in place of ours at that rank; the count if the
 * runs part before. */
static size_t other_at(struct step_world* world, struct step_world* other, size_t rank) {
  size_t ours = 0, theirs = 0;
  for (;; rank--, ours++, theirs++) {
    ours = own_next(world, ours);
    while (step_world_reach(other, theirs) && !step_is_own(&other->record, theirs))
      theirs++;
    if (theirs >= other->record.count || rank == 0)
      return theirs;
    if (ours >= world->record.count ||
        !is_same_step(&world->record.steps[ours], &other->record.steps[theirs]))
      return other->record.count;
  }
}

static void others_note(struct step_others* others, const struct step* step,
                        uint64_t seed, bool is_ours) {
  char title[700];
  step_title(step, title, sizeof(title));
  for (size_t i = 0; i < others->count; i++) {
    if (strcmp(others->list[i].title, title) == 0) {
      others->list[i].count++;
      return;
    }
  }
  struct step_other* grown = realloc(others->list, (others->count + 1) * sizeof(*grown));
  char* copy = strdup(title);
  if (grown != NULL)
    others->list = grown;
  if (grown == NULL || copy == NULL) {
    free(copy);
    return;
  }
  others->list[others->count++] =
      (struct step_other){.title = copy, .seed = seed, .count = 1, .is_ours = is_ours};
}

void step_others_find(struct step_others* others, struct step_world* world, size_t index,
                      unsigned int runs) {
  struct sim_options options = *world->options;
  size_t rank = step_own_rank(world, index);
  size_t ours = step_own_at(world, rank);
  *others = (struct step_others){0};
  options.plan.time_only = false;
  if (ours < world->record.count)
    others_note(others, &world->record.steps[ours], world->run.seed, true);
  for (uint64_t seed = 1; seed <= runs && !*world->stop; seed++) {
    struct step_world other;
    if (step_world_start(&other, &options, seed, NULL, 0, world->stop)) {
      size_t at = other_at(world, &other, rank);
      others->tried++;
      if (at < other.record.count) {
        others->alike++;
        others_note(others, &other.record.steps[at], seed, false);
      }
    }
    step_world_end(&other);
  }
}

void step_others_free(struct step_others* others) {
  for (size_t i = 0; i < others->count; i++)
    free(others->list[i].title);
  free(others->list);
  *others = (struct step_others){0};
}
