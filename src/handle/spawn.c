/* From clone, or fork, to exec.
 *
 * As a rule the child is a clone that shares the parent's memory. A program that has fork
 * handlers (uvloop's run the preexec_fn of Python's subprocess) gets a real fork instead,
 * which runs them.
 *
 * Between clone and exec the child runs in the parent's memory, on a stack of its own,
 * beside the parent's other threads. So it allocates nothing, takes no lock, and makes
 * its system calls directly: the C library's setuid would change the parent's threads as
 * well, and sanitizers keep tables of handlers and descriptors that are the parent's, not
 * the child's. All signals are blocked until none of the parent's handlers is left that
 * could run in the child. */
#include "handle/spawn.h"

#include "base/own_fd.h"
#include "handle/descriptor.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif

/* ThreadSanitizer treats every clone as a fork with memory of its own. The sanitizer
 * doesn't intercept the C library's second name for the function. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
int __clone(int (*entry)(void*), void* stack, int flags, void* argument, ...);
#define clone __clone
#endif
#endif

/* The stack of these functions is unknown to the sanitizers, and is left without a return
 * when the exec succeeds. */
#define IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

IN_CHILD static long child_error(long result) {
  return result == -1 ? -errno : result;
}

/* Ignored signals would stay ignored after the exec, and handlers would run before it.
 * All zero is SIG_DFL with nothing set; the two signals that the kernel refuses are as
 * they should be. */
IN_CHILD static void child_reset_signals(void) {
  const unsigned long defaults[4] = {0, 0, 0, 0};
  for (int signum = 1; signum < NSIG; signum++)
    syscall(SYS_rt_sigaction, signum, defaults, NULL, (size_t) (NSIG - 1) / 8);
}

IN_CHILD static void child_unblock_signals(void) {
  const unsigned long none = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, (size_t) (NSIG - 1) / 8);
}

/* Gives the child /dev/null as descriptor i. All descriptors below i are in use, so i,
 * once it is free, is the next number that the kernel gives; no other number is needed.
 */
IN_CHILD static long child_open_null(int i) {
  syscall(SYS_close, i);
  long fd = child_error(
      syscall(SYS_openat, AT_FDCWD, "/dev/null", i == 0 ? O_RDONLY : O_RDWR, 0));
  return fd >= 0 && fd != i ? -EBADF : fd;
}

IN_CHILD static long child_place_descriptor(int fd, int i) {
  long err;

  if (fd < 0 && i <= STDERR_FILENO)
    return child_open_null(i);
  if (fd < 0) {
    syscall(SYS_close, i);
    return 0;
  }
  if (fd == i)
    err = child_error(syscall(SYS_fcntl, fd, F_SETFD, 0));
  else
    err = child_error(syscall(SYS_dup3, fd, i, 0));
  /* Standard input, output and error block, as programs expect. Some descriptors refuse
   * to change the mode. */
  if (err >= 0 && i <= STDERR_FILENO) {
    int off = 0;
    syscall(SYS_ioctl, i, FIONBIO, &off);
  }
  return err;
}

/* First every descriptor whose number is the target of another one is moved out of the
 * way, then each goes to its target. The moved ones are close-on-exec. */
IN_CHILD static long child_place_descriptors(const struct spawn_plan* plan) {
  for (int i = 0; i < plan->fd_count; i++) {
    long fd = plan->fds[i];
    if (fd >= 0 && fd < plan->fd_count && fd != i)
      fd = child_error(syscall(SYS_fcntl, (int) fd, F_DUPFD_CLOEXEC, plan->fd_count));
    if (fd < 0 && plan->fds[i] >= 0)
      return fd;
    plan->scratch[i] = (int) fd;
  }
  for (int i = 0; i < plan->fd_count; i++) {
    long err = child_place_descriptor(plan->scratch[i], i);
    if (err < 0)
      return err;
  }
  return 0;
}

/* The supplementary groups are those of the parent's user. Dropping them needs a
 * privilege; without it the ids can't be changed either, or are the same already. */
IN_CHILD static long child_change_ids(const uv_process_options_t* options) {
  long err = 0;
  if (options->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID))
    syscall(SYS_setgroups, 0, NULL);
  if (options->flags & UV_PROCESS_SETGID)
    err = child_error(syscall(SYS_setgid, options->gid));
  if (err == 0 && (options->flags & UV_PROCESS_SETUID))
    err = child_error(syscall(SYS_setuid, options->uid));
  return err;
}

/* Returns only with an error. A file in a format that the kernel doesn't know is run as a
 * shell script, as by execvp. */
IN_CHILD static long child_exec_file(const struct spawn_plan* plan, const char* file) {
  long err = child_error(syscall(SYS_execve, file, plan->args, plan->env));
  if (err != -ENOEXEC)
    return err;
  plan->shell_args[1] = (char*) (uintptr_t) file;
  return child_error(syscall(SYS_execve, "/bin/sh", plan->shell_args, plan->env));
}

/* Writes the next candidate (directory and file) and returns the rest of the list. An
 * empty entry means the working directory. */
IN_CHILD static const char* child_next_candidate(const struct spawn_plan* plan,
                                                 const char* path) {
  char* out = plan->candidate;
  while (*path != '\0' && *path != ':')
    *out++ = *path++;
  if (out != plan->candidate)
    *out++ = '/';
  for (const char* in = plan->options->file; *in != '\0'; in++)
    *out++ = *in;
  *out = '\0';
  return *path == ':' ? path + 1 : NULL;
}

IN_CHILD static bool child_may_look_further(long err) {
  return err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -ESTALE ||
         err == -ENODEV || err == -ETIMEDOUT;
}

IN_CHILD static long child_exec(const struct spawn_plan* plan) {
  long err = -ENOENT;
  bool forbidden = false;

  if (plan->path == NULL)
    return child_exec_file(plan, plan->options->file);
  for (const char* path = plan->path; path != NULL;) {
    path = child_next_candidate(plan, path);
    err = child_exec_file(plan, plan->candidate);
    if (!child_may_look_further(err))
      return err;
    forbidden = forbidden || err == -EACCES;
  }
  return forbidden ? -EACCES : err;
}

IN_CHILD static long child_prepare_and_exec(const struct spawn_plan* plan) {
  const uv_process_options_t* options = plan->options;
  long err;

  child_reset_signals();
  if (options->flags & UV_PROCESS_DETACHED)
    syscall(SYS_setsid);
  err = child_place_descriptors(plan);
  if (err == 0 && options->cwd != NULL)
    err = child_error(syscall(SYS_chdir, options->cwd));
  if (err == 0)
    err = child_change_ids(options);
  if (err != 0)
    return err;
  child_unblock_signals();
  return child_exec(plan);
}

IN_CHILD static int child_main(void* argument) {
  struct spawn_plan* plan = argument;
  plan->error = (int) child_prepare_and_exec(plan);
  syscall(SYS_exit_group, 127);
  return 127;
}

static pid_t spawn_clone(struct spawn_plan* plan, void* stack, int* pidfd) {
  const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
  char* top = (char*) stack + SPAWN_STACK_SIZE;

  *pidfd = -1;
  pid_t pid = clone(child_main, top, flags | CLONE_PIDFD, plan, pidfd);
  /* Older kernels ignore the flag, a sandbox may refuse it, and the descriptor table may
   * be full: the child is started without a pidfd. */
  if (pid == -1 && (errno == EINVAL || errno == EMFILE || errno == ENFILE)) {
    *pidfd = -1;
    pid = clone(child_main, top, flags, plan);
  }
  return pid == -1 ? -errno : pid;
}

/* --- The child with memory of its own ---------------------------------------------- */

/* The child's end of the pipe must have a higher number than all of the child's
 * descriptors. The exec closes it, so end of file on the pipe means success. */
static int fork_pipe(const struct spawn_plan* plan, int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) /* both are moved above the standard ones */
    return -errno;
  int least = plan->fd_count > OWN_FD_FIRST ? plan->fd_count : OWN_FD_FIRST;
  int high = fcntl(ends[1], F_DUPFD_CLOEXEC, least);
  int err = high == -1 ? -errno : 0;
  descriptor_close(ends[1]);
  ends[1] = high;
  ends[0] = own_fd_raise(ends[0]);
  if (err == 0 && ends[0] < 0)
    err = -errno;
  for (int i = 0; i < 2; i++) {
    if (err != 0 && ends[i] >= 0)
      descriptor_close(ends[i]);
  }
  return err;
}

/* The child's environment is what the fork handlers have left in `environ`, unless the
 * program gave one; the search for the file follows it. A longer PATH gets memory of the
 * child's own from the kernel: the program's allocator may not be usable here. */
static long fork_take_environment(struct spawn_plan* plan) {
  const char* file = plan->options->file;
  if (plan->options->env != NULL)
    return 0;
  plan->env = environ;
  plan->path = spawn_search_path(file, plan->env);
  size_t size = spawn_candidate_size(file, plan->path);
  if (size <= plan->candidate_size)
    return 0;
  void* room =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return -errno;
  plan->candidate = room;
  return 0;
}

_Noreturn static void fork_child(struct spawn_plan* plan, int fd) {
  int err = (int) fork_take_environment(plan);
  if (err == 0)
    err = (int) child_prepare_and_exec(plan);
  syscall(SYS_write, fd, &err, sizeof(err));
  syscall(SYS_exit_group, 127);
  __builtin_unreachable();
}

static void fork_read_error(struct spawn_plan* plan, int fd) {
  int error;
  ssize_t n;
  do
    n = read(fd, &error, sizeof(error));
  while (n == -1 && errno == EINTR);
  if (n == (ssize_t) sizeof(error))
    plan->error = error;
}

static pid_t spawn_fork(struct spawn_plan* plan, int* pidfd) {
  int ends[2];
  *pidfd = -1;
  int err = fork_pipe(plan, ends);
  if (err != 0)
    return err;
  pid_t pid = fork();
  if (pid == 0)
    fork_child(plan, ends[1]);
  err = pid == -1 ? -errno : 0;
  descriptor_close(ends[1]);
  if (err == 0)
    fork_read_error(plan, ends[0]);
  descriptor_close(ends[0]);
  if (err != 0)
    return err;
  /* close-on-exec by definition; moved above the standard ones */
  *pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
  return pid;
}

/* --- Whether a child can share the parent's memory ---------------------------------- */

IN_CHILD static int child_mark(void* word) {
  *(volatile int*) word = 1;
  syscall(SYS_exit_group, 0);
  return 0;
}

/* Emulators of other processors (qemu-user, under which containers for another platform
 * run) make a fork of it: then an error before the exec would be lost in the child's
 * copy. One child without a signal at its end is tried, once in a process; qemu-user
 * refuses such a child with EINVAL, which no kernel does. */
static bool spawn_shares_memory(void* stack) {
  static atomic_int known; /* 1: shared, 2: copied */
  volatile int word = 0;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer != 0)
    return answer == 1;
  char* top = (char*) stack + SPAWN_STACK_SIZE;
  pid_t pid = clone(child_mark, top, CLONE_VM | CLONE_VFORK, (void*) &word);
  if (pid == -1 && errno != EINVAL)
    return true; /* the error is reported when the real child is started */
  while (pid != -1 && waitpid(pid, NULL, __WALL) == -1 && errno == EINTR)
    continue;
  atomic_store_explicit(&known, word != 0 ? 1 : 2, memory_order_relaxed);
  return word != 0;
}

/* Changing ids makes the memory undumpable, and that memory is the parent's. */
static void spawn_restore_dumpable(int before) {
  if (before == 1 && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1)
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

void spawn_reap(pid_t pid) {
  int result;
  do
    result = waitpid(pid, NULL, 0);
  while (result == -1 && errno == EINTR);
}

pid_t spawn_run(struct spawn_plan* plan, void* stack, int* pidfd) {
  bool changes_ids =
      (plan->options->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID)) != 0;
  int dumpable = changes_ids ? prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) : 0;
  int cancel_state;
  sigset_t all;
  sigset_t saved;

  plan->error = 0;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  bool copies = system_has_fork_handlers() || !spawn_shares_memory(stack);
  pid_t pid = copies ? spawn_fork(plan, pidfd) : spawn_clone(plan, stack, pidfd);
  *pidfd = own_fd_raise(*pidfd); /* without one the child is waited for by SIGCHLD */
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  pthread_setcancelstate(cancel_state, NULL);
  if (changes_ids)
    spawn_restore_dumpable(dumpable);

  if (pid > 0 && plan->error != 0) {
    spawn_reap(pid);
    if (*pidfd != -1)
      descriptor_close(*pidfd);
    return plan->error;
  }
  return pid;
}
