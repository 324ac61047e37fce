/* Sampled stacks: where a loop's thread was while it held the loop up. The summary,
 * `rondo why` and the line about a stall all use this. */
#ifndef RONDO_TOOL_TRACE_SAMPLES_H
#define RONDO_TOOL_TRACE_SAMPLES_H

#include "trace_model.h"

#include <stdio.h>

enum { PATH_MOST = 128 };

/* The frames that most samples share, the outermost first. A sample whose walk ended
 * early, in code without frame pointers, shares frames with no other: it counts, but
 * can't hide them. */
struct hot_path {
  const char* frames[PATH_MOST];
  size_t length;
  size_t agreeing; /* samples that have all of these frames, */
  size_t counted;  /* out of this many: all, or those in the script if most are not, */
  size_t samples;  /* out of this many */
  bool scripted;   /* one of the frames is a script's */
};

/* A frame is the number of its name, 0 if it has none; the innermost comes first. */
void samples_add(struct trace_loop* loop, uint64_t at, const uint32_t* names,
                 size_t count);
/* As read from a loop's own stream: an engine's sample, or the beginning of some. */
void samples_take(struct trace_loop* loop, uint64_t first_ns, uint64_t now,
                  const struct trace_record* record);
/* Reads records of the sampling thread, which come after the loop's own; returns how many
 * were good. *last: time of the last of them, since the loop's start. */
size_t samples_read(struct trace_loop* loop, const struct trace_record* records,
                    size_t count, uint64_t first_ns, uint64_t* last);
/* Sorts the samples when all have been read. */
void samples_sort(struct trace_loop* loop);
/* Finds the path of the samples between two times; false if there are none. */
bool hot_path_find(struct hot_path* path, const struct trace_loop* loop, uint64_t from,
                   uint64_t to);
/* Writes `before` and "in parse server.js:7 <- onRequest server.js:12 (41 of 44
 * samples)"; nothing if no frame has a name. */
void hot_path_write(FILE* out, const struct hot_path* path, const char* before);
/* The innermost function of a script on the path, or NULL. */
const char* hot_path_function(const struct hot_path* path);
/* Writes the program's function that most samples are in, and ", called by "; nothing if
 * there is none. Of a function of Node's that runs by itself, one of the program's may
 * have been compiled into it, and says so. */
void hot_path_write_function(FILE* out, const struct hot_path* path);
/* The thing that a blocked thread waits for there: "in open", "for a child process";
 * NULL: that isn't known. trace_blocked.c */
const char* hot_path_waits(const struct hot_path* path);
/* Writes a frame; of a script's function with the file's name, without its folders. */
void frame_write(FILE* out, const char* name);
/* How many of the path's frames the sample has, from the outermost on. */
size_t frames_shared(const struct trace_loop* loop, const struct stack_sample* sample,
                     const struct hot_path* path);
/* A frame of a sample, counted from the outermost; NULL beyond the innermost. */
const char* sample_frame(const struct trace_loop* loop, const struct stack_sample* sample,
                         size_t depth);

#endif
