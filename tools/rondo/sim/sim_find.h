/* A finding: a schedule that makes the program fail, proved by a second run and made
 * small; and what is said about it. */
#ifndef RONDO_SIM_FIND_H
#define RONDO_SIM_FIND_H

#include "sim_options.h"

struct sim_finding {
  struct sim_run run;      /* as it was found */
  struct sim_run smallest; /* with fewer decisions; its seed is 0 if there is none */
  bool is_proved;          /* the smallest one failed in the same way */
  bool repeats;            /* a second run made the same decisions */
  size_t differs_at;       /* otherwise: the first decision that differed */
  char* differs_words[2];  /* the first and the second run's decision there, or NULL */
  bool fails_anyway;       /* also without any decision */
  unsigned int tries;
  struct world_choice* fewer; /* the run's, if some of its choices weren't needed */
  char* story;                /* which two callbacks change places, or NULL */
  char* kept_failing;         /* recordings, or NULL */
  char* kept_passing;
};

/* Proves and shrinks. The finding owns its run from here on; `before` is a run of the
 * same seed that failed, or NULL. */
void sim_find(const struct sim_options* options, struct sim_finding* finding,
              const struct sim_run* before, const volatile sig_atomic_t* stop);
void sim_find_report(const struct sim_options* options,
                     const struct sim_finding* finding);
void sim_find_free(struct sim_finding* finding);
/* The command line that runs this seed, or with these choices, as one would type it, with
 * a line break: of `rondo sim` or `rondo step`. */
void sim_find_command(const struct sim_options* options, const struct sim_run* run,
                      const char* command);
/* The run with the decisions that are needed: the smallest one, or the original if no
 * decision could be removed. */
const struct sim_run* sim_find_smallest(const struct sim_finding* finding);

/* As in "1.5 s" or "2 h 3 min". */
void sim_time_words(uint64_t ns, char* words, size_t size);
/* "2027-01-31", or with a time, in UTC. */
void sim_date_words(uint64_t seconds, char* words, size_t size);

#endif
