/* `rondo sim --merge`: the results of parts of a search, put together. */
#ifndef RONDO_SIM_MERGE_H
#define RONDO_SIM_MERGE_H

#include <stdbool.h>

/* The files are what --json of `rondo sim` or `rondo orders` has written, all of one
 * kind. Returns an exit code: as the search itself would have had. */
int sim_merge(char** files, int count, bool json);

#endif
