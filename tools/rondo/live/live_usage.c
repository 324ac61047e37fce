/* Messages about a bad command line, for the commands about recorded processes. */
#include "live_command.h"

#include <stdio.h>

int live_bad_usage(const char* command, const char* usage, const char* argument) {
  if (argument == NULL)
    fprintf(stderr, "rondo %s: which process?\n%s", command, usage);
  else
    fprintf(stderr, "rondo %s: bad argument: %s\n%s", command, argument, usage);
  return 9;
}
