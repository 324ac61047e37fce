/* A finding in one sentence: which two callbacks change places between a run that passes
 * and one that fails. */
#ifndef RONDO_SIM_STORY_H
#define RONDO_SIM_STORY_H

#include "sim_run.h"

/* The recordings of a run: one of each process. */
struct sim_recordings {
  struct sim_recording {
    char process[WORLD_PATH]; /* as in "0.2" */
    char* path;
  } * all;
  size_t count;
};

/* "the answer of fs.stat (a.js:4) comes after the timer of a.js:9"; NULL if no two
 * callbacks do. `run` has the failing run's decisions. To be freed. */
char* sim_story(const struct sim_run* run, const struct sim_recordings* passing,
                const struct sim_recordings* failing);

#endif
