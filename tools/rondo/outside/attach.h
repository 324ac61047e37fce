/* `rondo trace --attach`: a process that nobody prepared, looked at many times a second.
 * A thread that is blocked isn't stopped: its stack is taken where the kernel's counters
 * prove that it didn't run meanwhile. A thread that runs is stopped for as long as it
 * takes to copy its stack. What lies between two looks isn't known, and isn't invented:
 * the trace that is made says so. */
#ifndef RONDO_TOOL_ATTACH_H
#define RONDO_TOOL_ATTACH_H

#include "target_names.h"
#include "trace_model.h"
#include "uv_look.h"

struct attach_options {
  int pid;
  uint64_t for_ns;   /* how long */
  uint64_t every_ns; /* between two looks */
};

/* Fills an empty trace, sorted. False if nothing could be seen, which has been reported.
 * SIGINT and SIGTERM end it early. */
bool outside_attach(struct trace* trace, const struct attach_options* options);

/* --- inside ---------------------------------------------------------------------------
 */

enum attach_kind {
  ATTACH_RUNS,    /* on a processor, or waiting for one */
  ATTACH_BLOCKED, /* in the kernel */
};

/* The result of one look at one thread. */
struct attach_sample {
  uint64_t at_ns;   /* on the monotonic clock */
  uint64_t cpu_ns;  /* spent on processors so far */
  uint64_t wait_ns; /* and waiting for one */
  size_t stack;     /* 1 more than its place in the list; 0: not known */
  enum attach_kind kind;
  bool is_polling; /* waits for `fd`, an epoll set, and doesn't just ask */
  int fd;
  uint64_t clock_ms; /* what its loop's clock was last set to; 0: it has none */
  uint32_t handles, requests;
};

struct attach_thread {
  int tid;
  char name[17];
  int call_fd, sched_fd; /* of its files in /proc */
  bool is_gone;
  char call[256], sched[96]; /* what they said when the last stack was taken */
  size_t stack;              /* that stack */
  size_t loop;               /* 1 more than its place in the list; 0: none */
  struct attach_sample* samples;
  size_t count, capacity;
  struct attach_sample now; /* this round's, while the thread is being stopped */
  struct target_stop stop;
  bool is_pending, is_copied;
};

struct attach_loop {
  uint64_t address;
  int tid, fd;
};

struct attach_stack {
  size_t first;
  uint32_t count;
};

struct attach {
  struct target target;
  struct namer namer;
  struct seen seen;
  const struct attach_options* options;
  uint64_t start_ns, end_ns;
  uint64_t found_ns; /* when a thread was last found */
  struct attach_loop* loops;
  size_t loop_count, loop_capacity;
  struct attach_thread* threads;
  size_t thread_count, thread_capacity;
  uint32_t* frames; /* numbers of names, the innermost first */
  size_t frame_count, frame_capacity;
  struct attach_stack* stacks;
  size_t stack_count, stack_capacity;
  uint64_t stops, stood_ns, stood_most_ns;
  uint64_t looks, late_ns; /* the longest time between two rounds of looks */
};

uint64_t attach_clock_ns(void);
/* attach_look.c */
bool attach_thread_open(struct attach* attach, struct attach_thread* thread, int tid);
void attach_thread_close(struct attach_thread* thread);
/* Looks at a thread; one that runs is being stopped then, which attach_threads_await ends
 * for all of them. */
void attach_thread_look(struct attach* attach, struct attach_thread* thread);
void attach_threads_await(struct attach* attach);
/* attach_model.c */
void attach_model(struct trace* trace, const struct attach* attach);

#endif
