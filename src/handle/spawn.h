/* How a child process is started: spawn_plan.c prepares everything, spawn_stdio.c the
 * descriptors, and spawn.c has the steps between clone and exec.
 *
 * The child starts in the parent's memory (CLONE_VM), while the calling thread waits for
 * its exec or its end (CLONE_VFORK): none of the address space is copied, however large
 * it is, and an error before the exec is simply stored in the plan. */
#ifndef RONDO_SPAWN_H
#define RONDO_SPAWN_H

#include "uv.h"

#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_STACK_SIZE = 64 * 1024 };

/* Everything that the child needs, prepared beforehand, since the child must not
 * allocate. */
struct spawn_plan {
  const uv_process_options_t* options;
  char** args;
  char** env;

  /* Where to search for the file: a list of directories as in PATH, or NULL if its name
   * has a slash. `candidate` has room for the longest name that can result. */
  const char* path;
  char* candidate;
  size_t candidate_size;
  /* The arguments for running the file as a shell script; the file's name goes to [1]. */
  char** shell_args;

  /* The parent's descriptor fds[i] (none if negative) becomes i in the child. The child
   * uses `scratch`, of the same length, to resolve collisions. */
  const int* fds;
  int* scratch;
  int fd_count;

  int error; /* out: 0, or the negative error that prevented the exec */
};

/* The list of directories that a file of this name is searched for in, with this
 * environment; NULL for a name with a slash. */
const char* spawn_search_path(const char* file, char** env);
/* The size that `candidate` needs for such a list. */
size_t spawn_candidate_size(const char* file, const char* path);

/* Runs the plan on a stack of SPAWN_STACK_SIZE bytes. Returns the pid, with a pidfd in
 * *pidfd (-1 where the kernel has none), or a negative error; then there is no child. */
pid_t spawn_run(struct spawn_plan* plan, void* stack, int* pidfd);
/* Waits for a child that is ending. */
void spawn_reap(pid_t pid);

/* The descriptors of the child: element i of pairs for container i. */
struct spawn_pair {
  int child;  /* what the child gets; -1 for none */
  int parent; /* the other end of a pipe made here, now the stream's; -1 for none */
};

/* Makes pairs for all containers, with the streams opened on the parent's ends. On an
 * error nothing is left open. */
int spawn_stdio_open(const uv_process_options_t* options, struct spawn_pair* pairs);
/* Closes the child's ends in the parent, once the child has them or has failed. */
void spawn_stdio_close_child_ends(const uv_process_options_t* options,
                                  const struct spawn_pair* pairs);
/* After a failed start: takes the parent's ends back from the streams. */
void spawn_stdio_undo(const uv_process_options_t* options, struct spawn_pair* pairs);

/* A running child, and what is needed to undo its start. */
struct spawn {
  const uv_process_options_t* options;
  struct spawn_pair* pairs;
  pid_t pid;
  int pidfd; /* -1 where the kernel has none */
};

/* Starts the program. The streams among its descriptors are open afterwards, even if the
 * program can't be run: then reading from them gives end of file. On other failures
 * everything is as before. A success is to be followed by spawn_commit or spawn_abort. */
int spawn_begin(struct spawn* spawn, const uv_process_options_t* options, void* stack);
/* Keeps the child: pid and pidfd are the caller's. */
void spawn_commit(struct spawn* spawn);
/* For a child that can't be watched and so must not run: kills it and undoes everything.
 */
void spawn_abort(struct spawn* spawn);

#endif
