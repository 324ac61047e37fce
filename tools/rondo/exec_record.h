/* The flight recorder's options of `rondo exec`: a ring for the program, and a watcher
 * beside it. */
#ifndef RONDO_TOOL_EXEC_RECORD_H
#define RONDO_TOOL_EXEC_RECORD_H

#include <stdbool.h>

struct exec_record {
  bool on;
  const char* size;    /* of the ring, as it was given; "" for the default */
  unsigned int stall;  /* in milliseconds; 0: none is reported */
  const char* command; /* to be run for a stall, or NULL */
  bool names;          /* of what a Node calls back */
  int signal;          /* that has the ring written down, or 0 */
};

extern const char exec_record_usage[];

/* The option at *next, with its value, which may be the next argument. 1 if it was one of
 * these, 0 if not, -1 if its value is bad or missing: `problem` says so. */
int exec_record_option(struct exec_record* record, int argc, char** argv, int* next,
                       const char** problem);
/* Makes what is started next record itself; it may need other arguments. False, after a
 * word about it, if that can't be. */
bool exec_record_start(const struct exec_record* record, char*** argv);

#endif
