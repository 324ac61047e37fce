/* The stacks of a loop's thread that the program's recorder has sampled since the loop's
 * last poll. */
#ifndef RONDO_TOOL_LIVE_STACK_H
#define RONDO_TOOL_LIVE_STACK_H

#include "live_ring.h"
#include "trace_samples.h"

/* Samples of one stretch as a loop without events, for hot_path_find. */
struct live_stacks {
  struct trace_loop loop; /* its times are on the monotonic clock */
  uint32_t taken;         /* number in the stretch; the board has only the last of them */
  struct hot_path path;   /* common to the samples */
};

/* Reads the samples of the stretch that began with the poll at `looked_ns`. `board` is a
 * copy, `place` the loop's place on it, and `names` was read after it. False if there are
 * none; otherwise live_stacks_free must be called. */
bool live_stacks_read(struct live_stacks* stacks, const struct board* board, size_t place,
                      uint64_t looked_ns, const struct trace* names);
void live_stacks_free(struct live_stacks* stacks);

#endif
