/* The options of `rondo exec` for the flight recorder: a ring for the program, and a
 * watcher process beside it. */
#ifndef RONDO_TOOL_EXEC_RECORD_H
#define RONDO_TOOL_EXEC_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct exec_record {
  bool on;
  uint64_t size;       /* of the ring; 0 for the default */
  uint64_t stall_ns;   /* threshold; 0: stalls aren't reported */
  const char* command; /* command to run for each stall, or NULL, */
  char** environment;  /* and its environment; NULL: this process's */
  const char* folder;  /* for the files that are written down, or NULL */
  const char* log;     /* file for the lines, or NULL */
  bool names;          /* name the functions that Node calls back */
  int signal;          /* signal that dumps the ring, or 0 */
};

/* Stores the number of the signal that `text` names; false unless a program can handle
 * it. */
bool exec_record_signal(const char* text, void* into);
/* Makes the program that is started next record itself; may change its arguments. False
 * if that fails, which has been reported. */
bool exec_record_start(const struct exec_record* record, char*** argv);

#endif
