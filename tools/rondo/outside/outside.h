/* The answer of `rondo why` about a process that nobody prepared, or of a core file. */
#ifndef RONDO_TOOL_OUTSIDE_H
#define RONDO_TOOL_OUTSIDE_H

#include "target.h"

#include <stdbool.h>

/* Writes it; the exit code. `text` is the number of a process, or the path of a core
 * file.
 */
int outside_why(int pid, bool json);
int outside_why_core(const char* path, bool json);

#endif
