/* The systematic search of `rondo orders`, in worlds that don't stand still. */
#include "step_outcomes.h"

#include "sim_search.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 100, WORDS_SHOWN = 3, OUTPUT_KEPT = 400 };

const char step_outcomes_usual[] = "nothing is late, and computing takes no time";

struct outcomes_search {
  struct step_outcomes* outcomes;
  const struct step_world* world;
  unsigned int most;
  struct {
    int outcome, detail;
    uint64_t output; /* a hash */
  } * seen;
  size_t seen_count;
  bool has_more; /* than so many */
};

static uint64_t hash_output(const char* text, size_t length) {
  uint64_t hash = length;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char) text[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* True if the outcome wasn't seen before. */
static bool seen_add(struct outcomes_search* search, int outcome, int detail,
                     uint64_t output) {
  for (size_t i = 0; i < search->seen_count; i++) {
    if (search->seen[i].outcome == outcome && search->seen[i].detail == detail &&
        search->seen[i].output == output)
      return false;
  }
  void* grown = realloc(search->seen, (search->seen_count + 1) * sizeof(*search->seen));
  if (grown == NULL)
    return false;
  search->seen = grown;
  search->seen[search->seen_count].outcome = outcome;
  search->seen[search->seen_count].detail = detail;
  search->seen[search->seen_count++].output = output;
  return true;
}

static char* decisions_words(const struct sim_run* run) {
  char* words = NULL;
  size_t size;
  FILE* out = open_memstream(&words, &size);
  if (out == NULL)
    return NULL;
  if (run->decision_count == 0)
    fputs(step_outcomes_usual, out);
  for (size_t i = 0; i < run->decision_count && i < WORDS_SHOWN; i++)
    fprintf(out, "%s%s", i == 0 ? "" : "; ", run->decisions[i].words);
  if (run->decision_count > WORDS_SHOWN)
    fprintf(out, "; and %zu more", run->decision_count - WORDS_SHOWN);
  fclose(out);
  return words;
}

static bool outcome_take(struct sim_run* run, void* data) {
  struct outcomes_search* search = data;
  struct step_outcomes* outcomes = search->outcomes;
  if (run->is_off_path || !seen_add(search, (int) run->outcome, run->detail,
                                    hash_output(run->output, run->output_size)))
    return false;
  if (outcomes->count + 1 >= search->most) {
    search->has_more = true;
    return true;
  }
  struct step_outcome* grown =
      realloc(outcomes->list, (outcomes->count + 1) * sizeof(*grown));
  struct world_choice* choices = calloc(run->choice_count + 1, sizeof(*choices));
  if (grown != NULL)
    outcomes->list = grown;
  if (grown == NULL || choices == NULL) {
    free(choices);
    return true;
  }
  if (run->choice_count > 0)
    memcpy(choices, run->choices, run->choice_count * sizeof(*choices));
  outcomes->list[outcomes->count++] = (struct step_outcome){
      .schedule = {.seed = run->seed, .choices = choices, .count = run->choice_count},
      .words = decisions_words(run),
      .output = run->output == NULL ? NULL : strndup(run->output, OUTPUT_KEPT)};
  return false;
}

void step_outcomes_find(struct step_outcomes* outcomes, const struct step_world* world,
                        unsigned int most) {
  struct sim_options options = world->options;
  struct outcomes_search found = {.outcomes = outcomes, .world = world, .most = most};
  struct sim_search search = {.options = &options,
                              .since = world_real_ns(),
                              .is_terminal = isatty(STDERR_FILENO),
                              .each = outcome_take,
                              .data = &found};
  *outcomes = (struct step_outcomes){0};
  options.way = SIM_SYSTEMATIC;
  options.choices = NULL;
  options.choice_count = 0;
  options.runs = RUNS;
  options.first_seed = 0;
  options.seed_given = false;
  options.sharing = SIM_SHARING_ALL;
  options.jobs = 1;
  options.plan.runs_on = true;
  (void) seen_add(&found, (int) world->run.outcome, world->run.detail,
                  hash_output(world->output, world->output_size));
  if (together_begin(&search.together, &options))
    search_all(&search, world->stop);
  outcomes->is_complete = tree_is_complete(&search.tree) && !found.has_more;
  search_free(&search);
  free(found.seen);
}

void step_outcomes_free(struct step_outcomes* outcomes) {
  for (size_t i = 0; i < outcomes->count; i++) {
    free((void*) (uintptr_t) outcomes->list[i].schedule.choices);
    free(outcomes->list[i].words);
    free(outcomes->list[i].output);
  }
  free(outcomes->list);
  *outcomes = (struct step_outcomes){0};
}
