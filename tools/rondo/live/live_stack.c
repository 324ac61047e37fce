/* Samples of another process: see live_stack.h. */
#include "live_stack.h"

#include <stdlib.h>

bool live_stacks_read(struct live_stacks* stacks, const struct board* board, size_t place,
                      uint64_t looked_ns, const struct trace* names) {
  const struct board_sample* sample;
  size_t at = 0;
  *stacks = (struct live_stacks){0};
  if (names->process_count == 0)
    return false;
  stacks->loop.names = names->processes[0]->names;
  stacks->loop.name_count = names->processes[0]->name_count;
  while ((sample = live_sample_next(board, place, looked_ns, &at)) != NULL) {
    samples_add(&stacks->loop, sample->when_ns, sample->names, sample->count);
    stacks->taken = sample->number;
  }
  if (stacks->loop.sample_count == 0)
    return false;
  hot_path_find(&stacks->path, &stacks->loop, 0, UINT64_MAX);
  return true;
}

void live_stacks_free(struct live_stacks* stacks) {
  free(stacks->loop.samples);
  free(stacks->loop.frames);
}
