/* What is asked of `rondo trace`: its options, which may stand before a script or
 * program, and before or behind the names of recordings. */
#ifndef RONDO_TOOL_TRACE_OPTIONS_H
#define RONDO_TOOL_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum form { PICTURE, JSON, TEXT, COMPARISON };

struct options {
  enum form form;
  bool turns;
  bool keep;
  bool program; /* behind -- */
  const char* output;
  const char* limit;
  uint64_t from_ns, to_ns; /* of the trace */
};

/* The index of the first argument that is no option; 0 or less: the negative of the exit
 * code to leave with. */
int options_read(struct options* options, int argc, char** argv);

/* Behind the first recording: takes out the options among them, and leaves `count` names.
 * 0, or the exit code to leave with. */
int options_read_behind(struct options* options, int argc, char** argv, int* count);

#endif
