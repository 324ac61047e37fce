/* The loops of a target, read from outside: each proves itself, or isn't shown. */
#ifndef RONDO_TOOL_UV_LOOK_H
#define RONDO_TOOL_UV_LOOK_H

#include "target_files.h"
#include "uv_layout.h"

struct seen_handle {
  uint64_t address, data;
  uint64_t callback; /* the function it calls, 0 if that isn't known */
  uint32_t type, flags;
  bool is_active, is_referenced, is_internal, is_closing;
  int fd;
  uint64_t due_ms, repeat_ms; /* of a timer */
  char about[300];            /* addresses, paths, when it is due */
};

enum seen_place {
  REQUEST_OF_STREAM, /* waits for the other side */
  REQUEST_WAITS,     /* for a thread of the pool */
  REQUEST_RUNS,      /* on a thread of the pool */
  REQUEST_IS_DONE,   /* its callback is still to come */
};

struct seen_request {
  uint64_t address, data;
  uint64_t loop;
  char kind[24];
  char about[300];
  uint64_t function; /* for work: what runs in the pool */
  enum seen_place place;
  int tid; /* that runs it */
};

struct seen_loop {
  uint64_t address;
  const struct image* image; /* whose variable it is; NULL: none's */
  bool is_default, is_rondo;
  int backend_fd;
  int tid;          /* of the thread that runs it; 0: not known */
  size_t depth;     /* 1: the newest uv_run of that thread's stack; 0: not known */
  bool is_polling;  /* that thread waits for this loop's descriptors, */
  int timeout_ms;   /* for so long at most; -1: for ever */
  bool is_turning;  /* the thread was on a processor while it was looked at */
  uint64_t time_ms; /* what its clock was last set to, */
  uint64_t seen_ms; /* and when that was read; 0: a core file, whose end isn't known */
  uint32_t active_handles, active_requests;
  struct seen_handle* handles;
  size_t handle_count;
  size_t alive_count, closing_count;
  const char* problem; /* NULL, or why its handles aren't shown */
};

struct seen {
  const struct target* target;
  struct target_files files;
  char version[16]; /* of libuv; "" if it isn't known */
  struct seen_loop* loops;
  size_t loop_count;
  struct seen_request* requests;
  size_t request_count;
  bool pool_known;
  uint32_t pool_threads;
};

/* Finds everything. */
void seen_look(struct seen* seen, struct target* target);
void seen_free(struct seen* seen);
/* The clock of loops, which is the machine's. */
uint64_t seen_clock_ms(void);

/* uv_loops.c: whether there is a loop at the address; fills it in. */
bool loop_prove(const struct seen* seen, uint64_t address, struct seen_loop* loop);
/* uv_handles.c: reads the ring of handles and checks it against the loop's count. */
void loop_handles_read(const struct seen* seen, struct seen_loop* loop);
void handle_describe(const struct seen* seen, struct seen_handle* handle,
                     const unsigned char* bytes);
/* uv_requests.c */
void seen_requests_find(struct seen* seen);
void seen_request_add(struct seen* seen, const struct seen_request* request);
const struct seen_loop* seen_loop_at(const struct seen* seen, uint64_t address);

#endif
