/* The options of `rondo exec` for the flight recorder: a ring for the program, and a
 * watcher process beside it. */
#ifndef RONDO_TOOL_EXEC_RECORD_H
#define RONDO_TOOL_EXEC_RECORD_H

#include <stdbool.h>

struct exec_record {
  bool on;
  const char* size;    /* of the ring, as given; "" for the default */
  unsigned int stall;  /* threshold in milliseconds; 0: stalls aren't reported */
  const char* command; /* command to run for each stall, or NULL */
  bool names;          /* name the functions that Node calls back */
  int signal;          /* signal that dumps the ring, or 0 */
};

extern const char exec_record_usage[];

/* Reads the option at *next and its value, which may be the next argument. Returns 1 if
 * it was one of these options, 0 if not, -1 if its value is bad or missing, with
 * `problem` set. */
int exec_record_option(struct exec_record* record, int argc, char** argv, int* next,
                       const char** problem);
/* Makes the program that is started next record itself; may change its arguments. False
 * if that fails, which has been reported. */
bool exec_record_start(const struct exec_record* record, char*** argv);

#endif
