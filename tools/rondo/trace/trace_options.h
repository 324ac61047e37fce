/* The options of `rondo trace`, which come before a script or program, and before or
 * after the names of recordings. */
#ifndef RONDO_TOOL_TRACE_OPTIONS_H
#define RONDO_TOOL_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum form { PICTURE, JSON, TEXT, COMPARISON };

struct options {
  int form; /* enum form */
  bool turns;
  bool keep;
  bool verbose;
  bool program; /* came after -- */
  const char* output;
  const char* backend;
  uint64_t limit;          /* 0: the default */
  uint64_t from_ns, to_ns; /* range of the trace to show */
  uint64_t attach;         /* a process to look at from outside; 0: none, */
  uint64_t for_ns;         /* for how long, */
  uint64_t every_ns;       /* and how often */
};

/* Returns the index of the first argument that isn't an option; 0 or less: the negative
 * of the exit code to end with. */
int trace_options_read(struct options* options, int argc, char** argv);

/* Removes the options from the arguments after the first recording, and leaves `count`
 * names. Returns 0, or the exit code to end with. */
int trace_options_gather(struct options* options, int* count, char** argv);

#endif
