/* How a child process comes to life: spawn_plan.c makes everything ready, spawn_stdio.c
 * the descriptors, and spawn.c has what happens between clone and exec.
 *
 * The child starts in our own memory (CLONE_VM), while the calling thread waits for its
 * exec or its end (CLONE_VFORK): nothing of the address space is copied, however large it
 * is, and what goes wrong before the exec is simply left in the plan. */
#ifndef RONDO_SPAWN_H
#define RONDO_SPAWN_H

#include "uv.h"

#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_STACK_SIZE = 64 * 1024 };

/* Everything the child needs, made ready beforehand: in there it may not allocate. */
struct spawn_plan {
  const uv_process_options_t* options;
  char** args;
  char** env;

  /* Where to look for the file: a list of directories as in PATH, or NULL if its name has
   * a slash. candidate has room for the longest name that can come out. */
  const char* path;
  char* candidate;
  /* The arguments for running it as a shell script; the file's name goes to [1]. */
  char** shell_args;

  /* Descriptor fds[i] of ours, or none if negative, becomes i in the child, which uses
   * scratch (as long) to sort out collisions. */
  const int* fds;
  int* scratch;
  int fd_count;

  int error; /* out: 0, or the negative error that kept the child from its exec */
};

/* Runs the plan on a stack of SPAWN_STACK_SIZE bytes. Gives the pid, and a descriptor for
 * it in *pidfd, -1 where the kernel has none; or a negative error, with no child left. */
pid_t spawn_run(struct spawn_plan* plan, void* stack, int* pidfd);
/* Waits for a child that is ending. */
void spawn_reap(pid_t pid);

/* The descriptors of the child: element i of pairs for container i. */
struct spawn_pair {
  int child;  /* what the child gets; -1 for none */
  int parent; /* the other end of a pipe made here, now the stream's; -1 for none */
};

/* Makes pairs for all containers, with the streams opened on the parent's ends, or
 * returns an error and leaves nothing behind. */
int spawn_stdio_open(const uv_process_options_t* options, struct spawn_pair* pairs);
/* The child has its ends (or never will): closes ours. */
void spawn_stdio_close_child_ends(const uv_process_options_t* options,
                                  const struct spawn_pair* pairs);
/* There is no child: takes the parent's ends back from the streams. */
void spawn_stdio_undo(const uv_process_options_t* options, struct spawn_pair* pairs);

/* A child that runs, and what it takes to undo that. */
struct spawn {
  const uv_process_options_t* options;
  struct spawn_pair* pairs;
  pid_t pid;
  int pidfd; /* -1 where the kernel has none */
};

/* Starts the program; the streams among its descriptors are open afterwards, also when
 * the program can't be run: they read their end then. On other failures all is as before.
 * On success to be followed by one of the two below. */
int spawn_begin(struct spawn* spawn, const uv_process_options_t* options, void* stack);
/* It shall live: pid and pidfd are the caller's. */
void spawn_commit(struct spawn* spawn);
/* It can't be watched, so it must not run: ends it and undoes everything. */
void spawn_abort(struct spawn* spawn);

#endif
