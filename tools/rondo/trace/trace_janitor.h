/* The temporary folder of `rondo trace` goes with the command, however that ends: a
 * process of its own waits for it, and removes what it leaves behind if it was killed. */
#ifndef RONDO_TOOL_TRACE_JANITOR_H
#define RONDO_TOOL_TRACE_JANITOR_H

#include <stdbool.h>

struct janitor {
  int fd; /* closed by the end of the command; -1: there is no janitor */
  int pid;
};

/* Starts it, before the program. Without memory for a process there is none. */
struct janitor janitor_start(const char* folder);
/* Ends it: the command has removed the folder, or means to keep it. */
void janitor_dismiss(struct janitor* janitor);

/* Whether the recorder of this file still holds its lock. */
bool recording_is_being_written(const char* path);
/* Removes the folder and the files in it. */
void recordings_remove(const char* folder);

#endif
