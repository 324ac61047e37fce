/* The mixed program's parts. Each does one kind of work on the one loop, goes on after
 * any error as a program would, and is over when nothing of it is under way. Requests and
 * handles are counted: who is begun has to be called back, who is opened has to be
 * closed. */
#ifndef RONDO_MIXED_H
#define RONDO_MIXED_H

#include "uv.h"

#include <stdbool.h>

enum part {
  PART_FILES,
  PART_DIRECTORIES,
  PART_TCP,
  PART_PIPE,
  PART_UDP,
  PART_UDP_MANY,
  PART_PASSING,
  PART_CHILD,
  PART_NO_CHILD,
  PART_SIGNAL,
  PART_POOL,
  PART_ASYNC,
  PART_WATCH,
  PART_POLL,
  PART_NAMES,
  PART_TIMERS,
  PART_TERMINAL,
  PARTS
};

extern uv_loop_t mixed_loop;

/* What a function that begins a request returned: an error is an answer, too. Returns
 * whether the request is under way. */
bool request_begun(int result);
/* To be called in every request's callback. */
void request_answered(void);

/* A handle that will have to be closed, and closing it, once. */
void handle_opened(void);
void handle_close(void* handle);
/* The part's story is over: no more is expected of it. */
void part_over(enum part part);
bool part_is_over(enum part part);
/* A callback has come. */
void mixed_progress(void);

void files_begin(void);
void directories_begin(void);
void streams_begin(enum part part);
void udp_begin(enum part part);
void passing_begin(void);
void child_begin(void);
void no_child_begin(void);
void signal_begin(void);
void pool_begin(void);
void async_begin(void);
void async_end(void);
void watch_begin(void);
void poll_begin(void);
void names_begin(void);
void timers_begin(void);
void terminal_begin(void);

#endif
