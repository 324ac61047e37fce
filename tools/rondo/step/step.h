/* `rondo step`: the record of a run's steps, and the world that makes more of them.
 *
 * The world stands still behind the last step that was asked for. Steps that were seen
 * are kept, so going back over them shows the record; the program itself never goes back.
 */
#ifndef RONDO_TOOL_STEP_H
#define RONDO_TOOL_STEP_H

#include "sim_options.h"
#include "sim_run.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum step_kind {
  STEP_CALLBACK, /* the loop calls back */
  STEP_FUNCTION, /* a function of a script, inside */
  STEP_SCRIPT,   /* a main script */
  STEP_TICKS,    /* ticks, or microtasks, behind a callback */
  STEP_MICROTASKS,
  STEP_END,   /* of one of these */
  STEP_SLEEP, /* the loop waits in its poll */
};

struct step {
  uint64_t number; /* in the order of the world, from 1; names leave gaps */
  enum step_kind kind;
  char process[WORLD_PATH];
  unsigned int loop;
  uint64_t at, turn; /* turn 0: before the first */
  const char* phase; /* "": outside of the phases */
  unsigned int depth;
  uint64_t output; /* bytes that had been printed */
  uint32_t points; /* choices that had been made: where more than one thing could come */
  char* name;      /* as in "load /app/a.js:4:7", or a C function's; "" */
  char* subject;   /* as in "timer 3"; "" */
  uint64_t by;     /* the step that has begun it; 0: it isn't known */
  uint64_t of;     /* of an end: the step that it ends */
  bool closes;
  int64_t timeout; /* of a sleep; -1: for ever */
  char* queues;    /* JSON; of the same text for steps between which nothing changed */
  bool owns_queues;
  size_t queues_number; /* of that text, from 1; 0: none yet */
};

struct step_record {
  struct step* steps;
  size_t count, capacity;
  size_t queues_count; /* different texts */
};

/* --- step_record.c ----------------------------------------------------------------- */
/* Takes a line of the file `steps`; false if it isn't one that can be read. */
bool step_record_take(struct step_record* record, const char* line, size_t length);
void step_record_free(struct step_record* record);
/* The index of the step of that number, or of the next after it; the count: none. */
size_t step_find(const struct step_record* record, uint64_t number);
/* As people count: the number of the step that has that number in the world; 0: none. */
unsigned long long step_shown(const struct step_record* record, uint64_t number);
/* Whether two steps are the same: all but their numbers' gaps. */
bool step_same(const struct step* one, const struct step* other);
/* Whether a step begins a callback or a function of the program's own. */
bool step_is_own(const struct step_record* record, size_t index);
const char* step_kind_word(enum step_kind kind);
/* Splits "load /app/a.js:4:7"; false if the name has no place. */
bool step_place(const struct step* step, char* function, char* file, size_t size,
                unsigned int* line);
/* As in "load (a.js:4)" */
void step_title(const struct step* step, char* title, size_t size);

/* --- step_world.c ------------------------------------------------------------------ */
/* Which of a program's schedules is stepped through: that of a seed, or that of choices.
 * Without any choice nothing is late and computing takes no time. */
struct step_schedule {
  bool is_drawn; /* by the seed, as in `rondo sim --seed` */
  uint64_t seed;
  const struct world_choice* choices;
  size_t count;
};

struct step_world {
  struct sim_options options;    /* its own, with texts and lists that are the caller's */
  struct step_schedule schedule; /* `choices` are the world's own */
  struct sim_points points;      /* of choices, as far as they were asked for */
  const volatile sig_atomic_t* stop;
  struct sim_run run;
  struct step_record record;
  uint64_t permit;
  int steps_fd, output_fd;
  char* line; /* read, and not yet a whole line */
  size_t line_used, line_size;
  char* output;
  size_t output_size;
  bool is_started, is_over, is_lost;
  bool has_progress; /* a line on the terminal says how far a long run has come */
  uint64_t asked_at,
      shown_at;     /* real: since when a step is waited for, and when that was said */
  uint64_t said_at; /* when it was said that the program waits for its debugger */
  /* So many steps more than are asked for may run: a world that is only looked at. */
  unsigned int ahead;
  uint64_t until_ns; /* of real time: later, nothing is waited for; 0: no limit */
};

bool step_world_start(struct step_world* world, const struct sim_options* options,
                      const struct step_schedule* schedule,
                      const volatile sig_atomic_t* stop);
/* The points of a schedule of choices, up to that number of them at least; as many as
 * there are. */
const struct sim_points* step_world_points(struct step_world* world, size_t count);
/* Goes on until there is a step of that index, the program has ended, or `stop` is set.
 * True: there is one. */
bool step_world_reach(struct step_world* world, size_t index);
/* Goes on to the program's end. */
void step_world_run(struct step_world* world);
void step_world_end(struct step_world* world);
/* Takes the line about a long run away. */
void step_world_progress_end(struct step_world* world);
/* How it ended, as in "exit status 1"; "" while it goes on. */
void step_world_outcome(const struct step_world* world, char* words, size_t size);

enum { STEPS_MOST = 1000000 };

/* --- the outputs ------------------------------------------------------------------- */
void step_json(const struct step_world* world);
/* Up to so many outcomes. False, after a report: the file can't be written. */
bool step_film(struct step_world* world, const char* path, const char* title,
               unsigned int outcomes_most);
/* Serves the page, live, until `stop` is set; the exit code. */
int step_web(struct step_world* world, const char* title, unsigned int port);
/* The exit code. */
int step_terminal(struct step_world* world);
/* Runs the program again, with the same choices, as far as the record goes. Returns the
 * index of the first step that differs; the count: all are the same. */
size_t step_world_check(const struct step_world* world);

#endif
