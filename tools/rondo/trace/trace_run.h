/* Runs a program with the recorder on, and collects its recordings. */
#ifndef RONDO_TOOL_TRACE_RUN_H
#define RONDO_TOOL_TRACE_RUN_H

#include "trace_janitor.h"
#include "trace_model.h"

struct trace_run {
  char** argv;
  bool script;       /* run by the built-in runtime; otherwise a program on the library */
  uint64_t limit;    /* size limit of each recording, 0 for the default */
  int pid;           /* of the child */
  int status;        /* as from waitpid, */
  uint64_t ended_ns; /* and when, on the monotonic clock */
  uint64_t began_ns;
  char* folder;       /* where the recordings are; NULL: they are to stay */
  struct stop* stops; /* in which the child was stopped */
  size_t stop_count, stop_capacity;
  struct janitor janitor;
};

/* False if the program could not be run, which has been reported; then `status` is an
 * exit code. */
bool trace_run(struct trace_run* run);

/* Reads the recordings. With `keep`, also joins them into one file of that name; false if
 * that failed. */
bool trace_collect(const struct trace_run* run, struct trace* trace, const char* keep);

/* Removes the recordings. */
void trace_run_forget(struct trace_run* run);

#endif
