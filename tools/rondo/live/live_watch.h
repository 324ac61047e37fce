/* The watcher: a process beside a recorded program, which reports the program's stalls at
 * once, on standard error, and saves its ring after a stall or a crash. */
#ifndef RONDO_TOOL_LIVE_WATCH_H
#define RONDO_TOOL_LIVE_WATCH_H

#include <stdbool.h>

struct watch_options {
  const char* command; /* shell command to run for each stall, or NULL, */
  char** environment;  /* and its environment; NULL: this process's */
  const char* folder;  /* of the files that are written; NULL: the working directory */
  const char* log;     /* file for the lines, or NULL: standard error */
};

/* Starts a watcher for the program that this process becomes and its children, and sets
 * RONDO_RECORD_WATCHER for them. The watcher is nobody's child, so that no program waits
 * for it by mistake, and ends with the last process it watches. False if the folder or
 * the log can't be used, which has been reported. If the watcher can't be started, that
 * is reported, and the program is recorded without. */
bool watch_start(const struct watch_options* options);

/* In a child of the watcher: the signals as they were before the watcher. */
void watch_signals_restore(void);

#endif
