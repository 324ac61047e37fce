/* Runs a program with the recorder on, and collects what it leaves. */
#ifndef RONDO_TOOL_TRACE_RUN_H
#define RONDO_TOOL_TRACE_RUN_H

#include "trace_model.h"

struct trace_run {
  char** argv;
  bool script;       /* our own runtime runs it; else a program on our library */
  const char* limit; /* of each recording, NULL for the default */
  int pid;           /* of what was run */
  int status;        /* how it ended, as waitpid says, */
  uint64_t ended_ns; /* and when, on the monotonic clock */
  char* folder;      /* where the recordings are */
};

/* False if it could not be run, after a word about it; status is an exit code then. */
bool trace_run(struct trace_run* run);

/* What was recorded. With `keep`, also joined into one file of that name; false if that
 * could not be done. */
bool trace_collect(const struct trace_run* run, struct trace* trace, const char* keep);

/* Removes the recordings. */
void trace_run_forget(struct trace_run* run);

#endif
