/* The watcher: a process beside a recorded program, which reports the program's stalls at
 * once, on standard error, and saves its ring after a stall or a crash. */
#ifndef RONDO_TOOL_LIVE_WATCH_H
#define RONDO_TOOL_LIVE_WATCH_H

#include <stdbool.h>

struct watch_options {
  const char* command; /* shell command to run for each stall, or NULL */
};

/* Starts a watcher for the program that this process becomes and its children, and sets
 * RONDO_RECORD_WATCHER for them. The watcher is nobody's child, so that no program waits
 * for it by mistake, and ends with the last process it watches. False if it can't be
 * started, which has been reported. */
bool watch_start(const struct watch_options* options);

#endif
