/* The state of a loop and its thread, as text and as JSON write it. */
#ifndef RONDO_TOOL_OUTSIDE_STATE_H
#define RONDO_TOOL_OUTSIDE_STATE_H

#include "target_names.h"
#include "trace_samples.h"
#include "uv_look.h"

struct seen_stack {
  struct trace_loop samples; /* one, or as many as were taken of a thread that runs */
  struct hot_path path;
  bool is_exact;        /* the thread is blocked: this is where it stands */
  const char* phase;    /* of the loop; NULL: not known, or not in uv_run */
  const char* callback; /* the first function that isn't libuv's; NULL: none */
  size_t shown;         /* frames of the path from this on are below uv_run */
  bool in_run;
  bool is_whole; /* the path begins where the thread does: no caller is missing */
};

/* Looks at a thread: once if it is blocked, else some times in a tenth of a second. Of
 * several uv_runs on its stack the one that counts is at `depth`, 1 for the newest. False
 * if nothing is known of its stack. */
bool seen_stack_take(struct seen_stack* stack, struct namer* namer, struct target* target,
                     int tid, size_t depth);
void seen_stack_free(struct seen_stack* stack);

/* "read", of a system call's number, or NULL. */
const char* call_name(long call);
/* "blocked in read of fd 5 (/tmp/fifo)"; "" if the thread isn't blocked. */
void call_text(char* text, size_t size, const struct seen* seen,
               const struct target_thread* thread);

#endif
