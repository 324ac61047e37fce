/* The stack of a loop's thread, as the program's recorder has sampled it last. */
#ifndef RONDO_TOOL_LIVE_STACK_H
#define RONDO_TOOL_LIVE_STACK_H

#include "live_ring.h"

#include <stdio.h>

/* "JsonParse <- parseBigReport server.js:2 <- …": at most that many, those first that say
 * something. `trace` has the names. */
void live_stack_write(FILE* out, const struct trace* trace,
                      const struct board_sample* sample, size_t most);
/* The last sample of a loop, whole; false if there is none of what it is in now. */
/* The same of the stretch that began with that look. */
bool live_sample_of(const struct board_loop* live, struct board_sample* sample,
                    uint64_t looked_ns);
bool live_sample(const struct board_loop* live, struct board_sample* sample);

#endif
