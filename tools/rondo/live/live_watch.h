/* The watcher: stands beside a recorded program, and reports what it does too slowly, at
 * once, on standard error; writes its ring down when that is worth it. */
#ifndef RONDO_TOOL_LIVE_WATCH_H
#define RONDO_TOOL_LIVE_WATCH_H

#include <stdbool.h>

struct watch_options {
  const char* command; /* to be run for each stall, by a shell; or NULL */
};

/* Starts a watcher for what this process becomes and its children, and sets
 * RONDO_RECORD_WATCHER for them. The watcher is nobody's child, so that no program waits
 * for it by mistake, and ends with the last of those it watches. False, after a word
 * about it, if there can't be one. */
bool watch_start(const struct watch_options* options);

#endif
