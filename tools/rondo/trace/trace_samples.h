/* Sampled stacks: where a loop's thread was while it held the loop up. What the summary,
 * `rondo why` and the line of a stall say about it is found here, in one place. */
#ifndef RONDO_TOOL_TRACE_SAMPLES_H
#define RONDO_TOOL_TRACE_SAMPLES_H

#include "trace_model.h"

#include <stdio.h>

enum { PATH_MOST = 128 };

/* The frames that most of the samples agree on, the outermost first. A sample whose walk
 * ended early, in code without frame pointers, agrees with none of the others: it counts,
 * but can't hide them. */
struct hot_path {
  const char* frames[PATH_MOST];
  size_t length;
  size_t agreeing; /* samples that have all of these frames, */
  size_t counted;  /* of so many: all, or those in the script if most are not, */
  size_t samples;  /* of so many */
  bool scripted;   /* one of the frames is a script's */
};

/* A frame's number is that of its name, 0 if it has none; the innermost comes first. */
void samples_add(struct trace_loop* loop, uint64_t at, const uint32_t* names,
                 size_t count);
/* Of the samples between two moments; false if there are none. */
bool hot_path_find(struct hot_path* path, const struct trace_loop* loop, uint64_t from,
                   uint64_t to);
/* "in parse server.js:7 <- onRequest server.js:12 (41 of 44 samples)" behind `before`;
 * nothing if no frame has a name. */
void hot_path_write(FILE* out, const struct hot_path* path, const char* before);
/* How many of the path's frames, from the outermost on, the sample has. */
size_t frames_shared(const struct trace_loop* loop, const struct stack_sample* sample,
                     const struct hot_path* path);
/* A frame of a sample, counted from the outermost; NULL beyond the innermost. */
const char* sample_frame(const struct trace_loop* loop, const struct stack_sample* sample,
                         size_t depth);

#endif
