/* The outcomes of a program: runs that printed the same, or ended in the same way, are
 * one. The first is what happens in virtual time alone, without any decision; for each of
 * the others the few decisions that lead to it are found as `rondo sim` finds those of a
 * failure. */
#ifndef RONDO_ORDERS_H
#define RONDO_ORDERS_H

#include "sim_find.h"
#include "sim_search.h"

#include <stddef.h>

struct outcome {
  unsigned int count;         /* runs that ended so */
  struct sim_finding finding; /* its run is the first that ended so */
};

struct outcomes {
  struct outcome* list; /* in the order in which they were seen */
  size_t count;
  unsigned int runs;     /* with the one without decisions */
  unsigned int last_new; /* the run that showed a new one */
  unsigned int quiet; /* enough when so many runs in a row show nothing new; 0: never */
  bool by_status;     /* what was printed doesn't count */
  bool by_callbacks;  /* nor here: a run's "output" is the list of its callbacks */
  bool part_is_complete; /* all orders of this part of the search were tried */
  bool is_short;         /* memory was not enough for all */
};

/* Takes what it needs of a run that is over; true when no more runs are needed. */
bool outcomes_take(struct outcomes* outcomes, struct sim_run* run);
/* Whether two runs are one outcome. */
bool outcomes_same_output(const struct sim_run* one, const struct sim_run* other);
bool outcomes_same_status(const struct sim_run* one, const struct sim_run* other);
/* Finds what each takes, but for the first. */
void outcomes_explain(struct outcomes* outcomes, const struct sim_options* options,
                      bool is_terminal, const volatile sig_atomic_t* stop);
void outcomes_free(struct outcomes* outcomes);

/* --- orders_callbacks.c --- */
/* Only callbacks whose name or place has one of these words, separated by commas. */
void callbacks_want(const char* words);
/* Puts the callbacks of a run that is over in the place of its output. */
void callbacks_read(struct sim_run* run);

/* --- orders_always.c: which lines never change places --------------------------------
 */

/* A line of output; lines with one text are known by their number. */
struct always_line {
  const char* text;
  size_t length;
  unsigned int nth;
};

struct always {
  struct always_line* lines; /* that all outcomes have, as the first has them */
  size_t count;
  bool* before;  /* [i * count + k]: line i is before line k in all outcomes */
  bool too_many; /* lines to compare */
};

void always_find(struct always* always, const struct outcomes* outcomes);
/* Whether i precedes k in all outcomes and no line stands between the two in all. */
bool always_is_next(const struct always* always, size_t i, size_t k);
void always_free(struct always* always);

/* --- orders_report.c ------------------------------------------------------------------
 */

void orders_report(const struct sim_options* options, const struct outcomes* outcomes,
                   const struct always* always);
void orders_json(const struct sim_options* options, const struct outcomes* outcomes,
                 const struct always* always);

#endif
