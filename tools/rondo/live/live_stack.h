/* The stack of a loop's thread, as the program's recorder has sampled it last, with
 * names: of native functions, by what the process has mapped, and of compiled ones, by
 * the map that their engine writes. */
#ifndef RONDO_TOOL_LIVE_STACK_H
#define RONDO_TOOL_LIVE_STACK_H

#include "live_ring.h"

#include <stdio.h>

struct live_stack {
  size_t count;
  char* names[BOARD_FRAMES]; /* the innermost first */
};

void live_stack_read(struct live_stack* stack, const struct live_ring* ring,
                     const struct board_sample* sample);
void live_stack_free(struct live_stack* stack);
/* "JsonParse <- parseBigReport server.js:2 <- …": at most that many of those that say
 * something. */
void live_stack_write(FILE* out, const struct live_stack* stack, size_t most);
/* The last sample of a loop, whole; false if there is none of what it is in now. */
bool live_sample(const struct board_loop* live, struct board_sample* sample);

#endif
