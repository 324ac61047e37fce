/* One run of the program in a world of its own: started, watched, ended, and what is
 * known of it afterwards. */
#ifndef RONDO_SIM_RUN_H
#define RONDO_SIM_RUN_H

#include "sim_choices.h"

#include <stddef.h>
#include <sys/types.h>

struct sim_run;

/* The settings that all runs have in common. */
struct sim_plan {
  char** argv;
  bool script; /* argv[1] is a script for our own runtime */
  bool show;   /* the program's output goes where ours goes */
  bool time_only;
  bool verbose;
  bool expire;          /* delays may be longer than the program's limits */
  uint64_t limit_ns;    /* virtual */
  uint64_t longest_ns;  /* delay; 0: the chooser's own */
  uint64_t patience_ns; /* real */
  uint64_t outside_ns;  /* how long an answer from outside is waited for: real */
  const char* match;    /* a pattern that the output must not have */
  uint32_t fault_rate, fault_kinds;
  bool steps;   /* the world stands still behind each step (sim_step.h), */
  bool runs_on; /* or doesn't, and the steps are only written */
  void (*left)(struct sim_run* run); /* looks at what a run has left; NULL: nobody does */
  const char* input;   /* the program's standard input is this file; NULL: it is empty */
  uint64_t wall_start; /* seconds since 1970, the same in all runs */
};

enum sim_outcome {
  OUTCOME_PASSED,
  OUTCOME_STATUS, /* an exit status other than 0 */
  OUTCOME_SIGNAL,
  OUTCOME_TIMED_OUT, /* in virtual time */
  OUTCOME_HANGS,     /* nothing is left that could happen */
  OUTCOME_MATCHED,
  OUTCOME_STUCK,  /* in real time */
  OUTCOME_BROKEN, /* the run itself failed: nothing is known */
};

/* A decision that differs from the default. */
struct sim_decision {
  char* key;
  char* words;
  char process[WORLD_PATH]; /* whose it is, as in "0.2" */
  uint64_t at;
  uint64_t value;
};

struct sim_run {
  uint64_t seed;
  bool allow_some; /* only the decisions of `allowed` */
  char* const* allowed;
  size_t allowed_count;
  bool is_systematic; /* what comes next is chosen, and not late by chance */
  const struct world_choice*
      choices; /* at some points; the first alternative at others */
  size_t choice_count;
  size_t node;         /* in the tree of a systematic search */
  unsigned int number; /* of the runs of a search */
  const char* record;  /* where its recording goes, or NULL */
  bool isolate;        /* with a network and a /tmp of its own */
  bool had_company;    /* other runs went on beside it */

  char* folder;
  int folder_fd; /* locked while the folder is used */
  struct world* world;
  int ended_fd;
  pid_t pid;
  bool has_terminal; /* and is of our process group */
  uint64_t started;
  uint64_t patient_since; /* the same, or when a debugger last held it */
  bool is_over;

  enum sim_outcome outcome;
  int detail; /* exit status or signal */
  uint64_t real_ns, virtual_ns;
  uint64_t decisions_made;
  struct sim_decision* decisions; /* sorted by process, in order of time */
  size_t decision_count;
  struct sim_points points; /* of a systematic run */
  bool is_cut;      /* some alternatives were not offered, for they might never end */
  bool is_off_path; /* a given choice had no such alternative */
  struct sim_process {
    char path[WORLD_PATH];
    int pid;
  } * processes;
  size_t process_count;
  char* output; /* its last part */
  size_t output_size;
  /* The things of the machine that the run used and another run would use, too. */
  char outside[WORLD_LINK_NAME]; /* an address that isn't its own, or "" */
  char fixed[WORLD_LINK_NAME];   /* a port that the program chose, or "" */
  char** written;                /* files */
  size_t written_count;
  int not_isolated; /* why it had no network and /tmp of its own: errno */
};

/* Whether runs can have a network and a /tmp of their own here: 0 or an errno. */
int sim_run_try_isolation(void);
/* A new run with the same seed, or the same choices, as a run before. */
static inline struct sim_run sim_run_like(const struct sim_run* run) {
  return (struct sim_run){.seed = run->seed,
                          .is_systematic = run->is_systematic,
                          .choices = run->choices,
                          .choice_count = run->choice_count};
}
/* False, with a line on standard error, if it can't be started. */
bool sim_run_start(const struct sim_plan* plan, struct sim_run* run);
/* Waits until one of the runs is over, or `stop` is set. The index, or -1. */
int sim_run_wait(const struct sim_plan* plan, struct sim_run** runs, size_t count,
                 const volatile sig_atomic_t* stop);
/* The same for one, without waiting. */
bool sim_run_is_over(const struct sim_plan* plan, struct sim_run* run);
/* Ends it, reads what it left, and removes its folder. */
void sim_run_finish(const struct sim_plan* plan, struct sim_run* run);
void sim_run_free(struct sim_run* run);
/* All in one; false if it can't be started or was stopped. */
bool sim_run_whole(const struct sim_plan* plan, struct sim_run* run,
                   const volatile sig_atomic_t* stop);

/* --- sim_decisions.c --- */
/* Adds the decisions of a file `decisions.PROCESS` of its folder. */
void sim_decisions_read(struct sim_run* run, const char* name);
/* Reads the points of a systematic run; those where it didn't go on by the first
 * alternative are its decisions. */
void sim_decisions_of_choices(struct sim_run* run);

/* As in "exit status 1". */
void sim_run_outcome_words(const struct sim_run* run, char* words, size_t size);
static inline bool sim_run_failed(const struct sim_run* run) {
  return run->outcome != OUTCOME_PASSED && run->outcome != OUTCOME_BROKEN;
}
/* Its decisions and its outcome as one number. */
uint64_t sim_run_hash(const struct sim_run* run);
/* Whether both made the same decisions; otherwise the number of the first that differs.
 */
bool sim_run_same(const struct sim_run* one, const struct sim_run* other, size_t* first);

#endif
