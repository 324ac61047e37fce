/* Runs the program under other schedules and compares the order of its own callbacks: of
 * those that are the same up to a step, what comes next is what could have come here.
 *
 * A schedule of choices is compared with those that differ from it in choices which were
 * made before the step. The next ones to the step are taken first, and of each of those
 * runs, as long as its callbacks are the same, those behind its last choice. So when the
 * list is at its end, these are all. Schedules of seeds are drawn: what they show has
 * come, and there may be more. */
#include "step_else.h"

#include <stdlib.h>
#include <string.h>

/* Steps of a run that is only compared with ours: it need not stop at each. */
enum { AHEAD = 200, SEARCH_MOST = 100000 };

static const char end_title[] = "the end of the program";

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

size_t step_points_from(const struct step_world* world, size_t index) {
  while (index > 0 && !step_is_own(&world->record, index - 1))
    index--;
  return index == 0 ? 0 : world->record.steps[index - 1].points;
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

/* Where another run stands in comparison with ours. */
struct else_place {
  bool is_alike; /* its own steps are ours up to the rank */
  size_t at; /* the step at that rank, or the first that differs; the count: its end */
  size_t points; /* choices that had been made by then */
};

static struct else_place else_compare(struct step_world* world, struct step_world* other,
                                      size_t rank) {
  struct else_place place = {.is_alike = true};
  size_t ours = 0, theirs = 0;
  for (;; rank--, ours++, theirs++) {
    ours = own_next(world, ours);
    while (step_world_reach(other, theirs) && !step_is_own(&other->record, theirs))
      theirs++;
    bool is_there = theirs < other->record.count;
    if (rank == 0 || !is_there || ours >= world->record.count ||
        !is_same_step(&world->record.steps[ours], &other->record.steps[theirs]))
      break;
  }
  place.is_alike = rank == 0;
  place.at = theirs;
  place.points = theirs < other->record.count ? other->record.steps[theirs].points
                                              : step_world_points(other, SIZE_MAX)->count;
  return place;
}

/* --- what was found ----------------------------------------------------------------- */

static struct world_choice* choices_copy(const struct world_choice* choices,
                                         size_t count) {
  struct world_choice* copy = malloc((count + 1) * sizeof(*copy));
  if (copy != NULL && count > 0)
    memcpy(copy, choices, count * sizeof(*copy));
  return copy;
}

/* `at` is the world's step, or its count at its end. */
static void others_note(struct step_others* others, const struct step_world* world,
                        size_t at, bool is_ours) {
  char title[700];
  if (at < world->record.count)
    step_title(&world->record.steps[at], title, sizeof(title));
  else
    snprintf(title, sizeof(title), "%s", end_title);
  for (size_t i = 0; i < others->count; i++) {
    if (strcmp(others->list[i].title, title) == 0) {
      others->list[i].count++;
      return;
    }
  }
  struct step_other* grown = realloc(others->list, (others->count + 1) * sizeof(*grown));
  struct step_other other = {.title = strdup(title),
                             .schedule = world->schedule,
                             .count = 1,
                             .is_ours = is_ours};
  struct world_choice* choices =
      choices_copy(world->schedule.choices, world->schedule.count);
  other.schedule.choices = choices;
  if (grown != NULL)
    others->list = grown;
  if (grown == NULL || other.title == NULL || choices == NULL) {
    free(other.title);
    free(choices);
    others->is_complete = false;
    return;
  }
  others->list[others->count++] = other;
}

void step_others_free(struct step_others* others) {
  for (size_t i = 0; i < others->count; i++) {
    free(others->list[i].title);
    free((void*) (uintptr_t) others->list[i].schedule.choices);
  }
  free(others->list);
  *others = (struct step_others){0};
}

/* --- schedules of seeds ------------------------------------------------------------- */

static void drawn_find(struct step_others* others, struct step_world* world, size_t rank,
                       unsigned int runs) {
  for (uint64_t seed = 1; seed <= runs && !*world->stop; seed++) {
    struct step_world other;
    const struct step_schedule schedule = {.is_drawn = true, .seed = seed};
    if (step_world_start(&other, &world->options, &schedule, world->stop)) {
      other.ahead = AHEAD;
      struct else_place place = else_compare(world, &other, rank);
      others->tried++;
      if (place.is_alike && !*world->stop) {
        others->alike++;
        others_note(others, &other, place.at, false);
      }
    }
    step_world_end(&other);
  }
}

/* --- schedules of choices ----------------------------------------------------------- */

struct else_node {
  struct world_choice* choices;
  size_t count;
};

struct else_search {
  struct step_others* others;
  struct step_world* world;
  size_t rank;
  struct else_node* nodes;
  size_t count, next;
};

static void search_add(struct else_search* search, const struct world_choice* choices,
                       size_t count, struct world_choice choice) {
  struct else_node* grown = NULL;
  struct world_choice* copy = NULL;
  if (search->count < SEARCH_MOST && count < WORLD_TAKEN)
    grown = realloc(search->nodes, (search->count + 1) * sizeof(*grown));
  if (grown != NULL) {
    search->nodes = grown;
    copy = choices_copy(choices, count);
  }
  if (copy == NULL) {
    search->others->is_complete = false;
    return;
  }
  copy[count] = choice;
  search->nodes[search->count++] = (struct else_node){copy, count + 1};
}

/* Schedules that are a run's up to one of its points, from `from` to before `to`, and
 * take another alternative there. The last point is the next to the step. */
static void search_expand(struct else_search* search, const struct step_schedule* run,
                          const struct sim_points* points, size_t from, size_t to) {
  for (size_t i = to < points->count ? to : points->count; i-- > from;) {
    size_t before = 0;
    while (before < run->count && run->choices[before].point < i)
      before++;
    for (uint32_t other = 0; other < points->list[i].count; other++) {
      if (other != points->list[i].chosen)
        search_add(search, run->choices, before,
                   (struct world_choice){(uint32_t) i, other});
    }
  }
}

static void search_try(struct else_search* search, const struct else_node* node) {
  struct step_world* world = search->world;
  struct step_world other;
  const struct step_schedule schedule = {.choices = node->choices, .count = node->count};
  if (!step_world_start(&other, &world->options, &schedule, world->stop)) {
    step_world_end(&other);
    search->others->is_complete = false;
    return;
  }
  other.ahead = AHEAD;
  struct else_place place = else_compare(world, &other, search->rank);
  search->others->tried++;
  size_t last = node->choices[node->count - 1].point;
  bool is_usable = !*world->stop && !other.run.world->is_off_path && !other.is_lost;
  if (!is_usable || other.run.world->is_cut)
    search->others->is_complete = false;
  if (is_usable && place.is_alike) {
    search->others->alike++;
    others_note(search->others, &other, place.at, false);
  }
  if (is_usable && place.points > last + 1)
    search_expand(search, &schedule, step_world_points(&other, place.points), last + 1,
                  place.points);
  step_world_end(&other);
}

static void chosen_find(struct step_others* others, struct step_world* world, size_t rank,
                        size_t to, unsigned int runs, bool is_terminal) {
  struct else_search search = {.others = others, .world = world, .rank = rank};
  others->is_complete = !world->run.world->is_cut;
  search_expand(&search, &world->schedule, step_world_points(world, to), 0, to);
  while (search.next < search.count && others->tried < runs && !*world->stop) {
    if (is_terminal && others->tried > 0)
      fprintf(stderr, "\r\033[K%u of %zu schedules tried … (Ctrl-C: that is enough)",
              others->tried, search.count);
    /* The list may move while it grows. */
    const struct else_node node = search.nodes[search.next++];
    search_try(&search, &node);
  }
  if (is_terminal)
    fputs("\r\033[K", stderr);
  others->is_complete &= search.next == search.count && !*world->stop;
  for (size_t i = 0; i < search.count; i++)
    free(search.nodes[i].choices);
  free(search.nodes);
}

void step_others_find(struct step_others* others, struct step_world* world, size_t index,
                      unsigned int runs, bool is_terminal) {
  size_t rank = step_own_rank(world, index);
  size_t ours = step_own_at(world, rank);
  *others = (struct step_others){0};
  if (*world->stop)
    return;
  others_note(others, world, ours, true);
  if (world->schedule.is_drawn) {
    drawn_find(others, world, rank, runs);
    return;
  }
  size_t to = ours < world->record.count ? world->record.steps[ours].points
                                         : step_world_points(world, SIZE_MAX)->count;
  chosen_find(others, world, rank, to, runs, is_terminal);
}
