/* The stacks of a loop's thread, as the program's recorder has sampled them since the
 * loop has last looked at what is ready. */
#ifndef RONDO_TOOL_LIVE_STACK_H
#define RONDO_TOOL_LIVE_STACK_H

#include "live_ring.h"
#include "trace_samples.h"

/* Samples of one stretch as a loop without events, for hot_path_find. */
struct live_stacks {
  struct trace_loop loop; /* its times are those of the monotonic clock */
  uint32_t taken;         /* in the stretch; the board has the last of them */
  struct hot_path path;   /* of what is here */
};

/* Of the stretch that began with the look at `looked_ns`. `board` is a copy, `place` the
 * loop's place on it, and `names` was read behind it. False if there are none: else
 * live_stacks_free is due. */
bool live_stacks_read(struct live_stacks* stacks, const struct board* board, size_t place,
                      uint64_t looked_ns, const struct trace* names);
void live_stacks_free(struct live_stacks* stacks);

#endif
