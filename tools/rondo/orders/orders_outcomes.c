/* Which runs are one outcome, and what each takes: see orders.h. */
#include "orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool outcomes_same_status(const struct sim_run* one, const struct sim_run* other) {
  return one->outcome == other->outcome && one->detail == other->detail;
}

bool outcomes_same_output(const struct sim_run* one, const struct sim_run* other) {
  return outcomes_same_status(one, other) && one->output_size == other->output_size &&
         (one->output_size == 0 ||
          memcmp(one->output, other->output, one->output_size) == 0);
}

static bool is_same(const struct outcomes* outcomes, const struct sim_run* one,
                    const struct sim_run* other) {
  return outcomes->by_status ? outcomes_same_status(one, other)
                             : outcomes_same_output(one, other);
}

static struct outcome* outcome_of(const struct outcomes* outcomes,
                                  const struct sim_run* run) {
  for (size_t i = 0; i < outcomes->count; i++) {
    if (is_same(outcomes, &outcomes->list[i].finding.run, run))
      return &outcomes->list[i];
  }
  return NULL;
}

bool outcomes_take(struct outcomes* outcomes, struct sim_run* run) {
  struct outcome* outcome = outcome_of(outcomes, run);
  outcomes->runs++;
  if (outcome == NULL) {
    struct outcome* grown =
        realloc(outcomes->list, (outcomes->count + 1) * sizeof(*grown));
    if (grown == NULL) {
      outcomes->is_short = true;
      return true;
    }
    outcomes->list = grown;
    outcome = &grown[outcomes->count++];
    *outcome = (struct outcome){.finding = {.run = *run}};
    *run = (struct sim_run){.seed = run->seed}; /* what it owned is the outcome's */
    outcomes->last_new = outcomes->runs;
  }
  outcome->count++;
  return outcomes->quiet > 0 && outcomes->runs - outcomes->last_new >= outcomes->quiet;
}

void outcomes_explain(struct outcomes* outcomes, const struct sim_options* options,
                      bool is_terminal, const volatile sig_atomic_t* stop) {
  for (size_t i = 1; i < outcomes->count && !*stop; i++) {
    if (is_terminal)
      fprintf(stderr, "\r\033[Klooking for what outcome %zu of %zu takes …", i + 1,
              outcomes->count);
    sim_find(options, &outcomes->list[i].finding, NULL, stop);
  }
  if (is_terminal)
    fputs("\r\033[K", stderr);
}

void outcomes_free(struct outcomes* outcomes) {
  for (size_t i = 0; i < outcomes->count; i++)
    sim_find_free(&outcomes->list[i].finding);
  free(outcomes->list);
}
