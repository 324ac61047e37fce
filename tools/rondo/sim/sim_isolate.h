/* A network and temporary files of its own for a run, so that runs which use one port or
 * one file go on side by side. */
#ifndef RONDO_SIM_ISOLATE_H
#define RONDO_SIM_ISOLATE_H

#include <stdbool.h>

/* In a new process with one thread: gives it a network with nothing but a loopback, and
 * /tmp (and $TMPDIR) in which all is as it was and what is changed goes below `folder`,
 * a folder of the caller's. The current folder stays that of the machine. 0 or an errno;
 * after an error the process shares some or all with the machine. */
int sim_isolate_enter(const char* folder);

/* Whether the machine lets this user do that: tried once, in a child. 0 or an errno. */
int sim_isolate_try(const char* folder);

/* Whether what is written to the path is a run's own. */
bool sim_isolate_covers(const char* path);

/* Removes what sim_isolate_enter left below `folder`. */
void sim_isolate_clean(const char* folder);

#endif
