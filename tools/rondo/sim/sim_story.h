/* A finding in one sentence: which two callbacks change places between a run that passes
 * and one that fails. */
#ifndef RONDO_SIM_STORY_H
#define RONDO_SIM_STORY_H

#include "sim_run.h"

/* "the answer of fs.stat (a.js:4) comes after the timer of a.js:9"; NULL if no two
 * callbacks of one loop do. `run` has the failing run's decisions. To be freed. */
char* sim_story(const struct sim_run* run, const char* passing_path,
                const char* failing_path);

#endif
