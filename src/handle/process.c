/* Child processes: starting them, being notified of their end, and sending them signals.
 *
 * Each child is watched through a descriptor of its own (pidfd). So its end is an event
 * like any other, called back after the others of a batch; a thousand children cost no
 * scan; and neither SIGCHLD nor the children of others are touched. Where the kernel has
 * no pidfds, or no room for one, the loop has a SIGCHLD handle instead, which checks each
 * child.
 *
 * A handle that is closed before its child has ended stops watching the child: the
 * program may wait for the pid itself. */
#include "uv.h"
#include "base/alloc.h"
#include "base/base.h"
#include "base/queue.h"
#include "handle/descriptor.h"
#include "handle/signal.h"
#include "handle/spawn.h"
#include "loop/loop.h"
#include "loop/watcher.h"
#include "sim/sim.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum process_status { PROCESS_NEVER_RAN, PROCESS_RUNS, PROCESS_ENDED };

/* A child that has not been waited for. */
struct rondo_child {
  uv__io_t watcher; /* fd is the pidfd, or -1 */
  uv_process_t* handle;
  struct queue link;
};

struct process_state {
  struct loop_part part;
  struct queue children;
  unsigned int without_pidfd;
  bool has_signal; /* `signal` was initialised, for children without a pidfd */
  uv_signal_t signal;
  char* stack; /* for each child until its exec, with a guard page below */
};

/* --- The end of a child ------------------------------------------------------------ */

static void child_release(struct rondo_child* child) {
  uv_process_t* handle = child->handle;
  struct process_state* state = handle->loop->process_state;

  if (child->watcher.fd != -1) {
    watcher_close(handle->loop, &child->watcher);
    descriptor_close(child->watcher.fd);
  } else if (--state->without_pidfd == 0) {
    uv_signal_stop(&state->signal);
  }
  queue_remove(&child->link);
  mem_free(child);
  handle->child = NULL;
  handle_stop((uv_handle_t*) handle);
}

/* Called if another thread has waited for the child, or the kernel has because SIGCHLD is
 * ignored. Linux 6.15 and later keep the wait status for holders of the pidfd. */
static bool child_ask_kernel(int pidfd, int* status) {
  struct {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
  } info;
  const uint64_t mask_exit = UINT64_C(1) << 3;

  memset(&info, 0, sizeof(info));
  info.mask = mask_exit;
  if (ioctl(pidfd, _IOWR(0xff, 11, info), &info) == -1 || !(info.mask & mask_exit))
    return false;
  *status = info.exit_code;
  return true;
}

/* Returns 1 with the wait status if the child has ended, 0 if it hasn't, and UV_UNKNOWN
 * if it has ended and its status is lost. */
static int child_poll(struct rondo_child* child, int* status) {
  int pidfd = child->watcher.fd;
  siginfo_t info;
  int result;

  memset(&info, 0, sizeof(info));
  do
    result = pidfd != -1 ? waitid(P_PIDFD, (id_t) pidfd, &info, WEXITED | WNOHANG) : -1;
  while (result == -1 && errno == EINTR && pidfd != -1);
  /* No pidfd, or a kernel that has them but doesn't wait for them (5.3). */
  if (pidfd == -1 || (result == -1 && errno == EINVAL)) {
    do
      result = waitid(P_PID, (id_t) child->handle->pid, &info, WEXITED | WNOHANG);
    while (result == -1 && errno == EINTR);
  }
  if (result == -1)
    return pidfd != -1 && child_ask_kernel(pidfd, status) ? 1 : UV_UNKNOWN;
  if (info.si_pid == 0)
    return 0;
  *status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0)
                                       : W_EXITCODE(0, info.si_status);
  return 1;
}

/* Calls back if the child has ended. If its status is lost, the callback gets the exit
 * status UV_UNKNOWN, since waiting for ever would be worse. */
static void child_check(struct rondo_child* child) {
  uv_process_t* handle = child->handle;
  int64_t exit_status = 0;
  int term_signal = 0;
  int status = 0;

  int known = child_poll(child, &status);
  if (known == 0)
    return;
  if (known < 0)
    exit_status = known;
  else if (WIFEXITED(status))
    exit_status = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    term_signal = WTERMSIG(status);

  child_release(child);
  handle->status = PROCESS_ENDED;
  if (handle->exit_cb != NULL)
    loop_call_back(handle->loop, subject_handle(handle), exit_status, handle->exit_cb,
                   handle, exit_status, term_signal);
}

static void child_ready(uv_loop_t* loop, uv__io_t* watcher, unsigned int events) {
  (void) loop;
  (void) events;
  child_check(rondo_container_of(watcher, struct rondo_child, watcher));
}

/* Called for SIGCHLD where there are no pidfds: any child may have ended. */
static void children_check(uv_signal_t* signal, int signum) {
  struct process_state* state = signal->loop->process_state;
  struct queue batch;
  (void) signum;

  queue_move(&state->children, &batch);
  while (!queue_empty(&batch)) {
    struct queue* link = queue_first(&batch);
    struct rondo_child* child = rondo_container_of(link, struct rondo_child, link);
    queue_remove(link);
    queue_push_back(&state->children, link);
    if (child->watcher.fd == -1)
      child_check(child);
  }
}

/* --- What a loop keeps for its children -------------------------------------------- */

/* The children are the parent's; this process can't wait for them. */
static int process_state_fork(uv_loop_t* loop, struct loop_part* part) {
  struct process_state* state = rondo_container_of(part, struct process_state, part);
  (void) loop;

  while (!queue_empty(&state->children)) {
    struct queue* link = queue_first(&state->children);
    child_release(rondo_container_of(link, struct rondo_child, link));
  }
  return 0;
}

static void process_state_close(uv_loop_t* loop, struct loop_part* part) {
  struct process_state* state = rondo_container_of(part, struct process_state, part);

  assert(queue_empty(&state->children));
  if (state->has_signal)
    handle_uninit((uv_handle_t*) &state->signal);
  munmap(state->stack, system_page_size() + SPAWN_STACK_SIZE);
  loop->process_state = NULL;
  mem_free(state);
}

static int process_state_open(uv_loop_t* loop) {
  if (loop->process_state != NULL)
    return 0;
  struct process_state* state = mem_calloc(1, sizeof(*state));
  if (state == NULL)
    return UV_ENOMEM;
  void* stack = mmap(NULL, system_page_size() + SPAWN_STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    mem_free(state);
    return UV_ENOMEM;
  }
  /* Stacks grow down. Without the guard the child would still work. */
  mprotect(stack, system_page_size(), PROT_NONE);
  state->stack = stack;
  state->part.fork = process_state_fork;
  state->part.close = process_state_close;
  queue_init(&state->children);
  loop->process_state = state;
  return 0;
}

static int process_watch_sigchld(uv_loop_t* loop, struct process_state* state) {
  if (!state->has_signal) {
    int err = uv_signal_init(loop, &state->signal);
    if (err != 0)
      return err;
    state->signal.flags |= HANDLE_INTERNAL;
    uv_unref((uv_handle_t*) &state->signal);
    state->has_signal = true;
  }
  return uv_signal_start(&state->signal, children_check, SIGCHLD);
}

/* --- Spawning ---------------------------------------------------------------------- */

static void process_close(uv_handle_t* base) {
  uv_process_t* handle = (uv_process_t*) base;
  if (handle->child != NULL)
    child_release(handle->child);
  handle_closed(base);
}

static const struct handle_kind process_kind = {
    .type = UV_PROCESS,
    .close = process_close,
    .finish = NULL,
};

/* Watches for the end of a new child. The descriptor stays the caller's on failure. */
static int process_watch(uv_process_t* handle, int pidfd) {
  struct process_state* state = handle->loop->process_state;
  struct rondo_child* child = mem_calloc(1, sizeof(*child));
  int err;

  if (child == NULL)
    return UV_ENOMEM;
  watcher_init(&child->watcher, child_ready);
  if (pidfd != -1) {
    child->watcher.flags |= WATCHER_LAST;
    err = watcher_open(handle->loop, &child->watcher, pidfd);
  } else {
    err = process_watch_sigchld(handle->loop, state);
  }
  if (err != 0) {
    mem_free(child);
    return err;
  }

  child->handle = handle;
  queue_push_back(&state->children, &child->link);
  handle->child = child;
  if (pidfd != -1) {
    watcher_start(handle->loop, &child->watcher, WATCH_IN);
  } else {
    state->without_pidfd++;
    /* The child may have ended before the signal handle was started. */
    signal_feed(&state->signal);
  }
  return 0;
}

int uv_spawn(uv_loop_t* loop, uv_process_t* handle, const uv_process_options_t* options) {
  struct spawn spawn;

  /* First, whatever happens next: a handle whose spawn failed may still be closed. */
  handle_init(loop, (uv_handle_t*) handle, &process_kind);
  handle->exit_cb = options->exit_cb;
  handle->pid = 0;
  handle->child = NULL;
  handle->unused = NULL;
  handle->status = PROCESS_NEVER_RAN;

  int err = process_state_open(loop);
  if (err != 0)
    return err;
  struct process_state* state = loop->process_state;
  uv_process_options_t joining;
  if (simulated(loop))
    options = sim_child_options(loop, options, &joining);
  err = spawn_begin(&spawn, options, state->stack + system_page_size());
  if (simulated(loop))
    sim_child_options_free(options, &joining);
  if (err != 0)
    return err;
  handle->pid = spawn.pid;
  err = process_watch(handle, spawn.pidfd);
  if (err != 0) {
    spawn_abort(&spawn);
    handle->pid = 0;
    return err;
  }
  spawn_commit(&spawn);
  if (simulated(loop))
    sim_spawned(loop, handle->pid);
  handle->status = PROCESS_RUNS;
  handle_start((uv_handle_t*) handle);
  return 0;
}

/* --- Reaching processes ------------------------------------------------------------ */

int uv_kill(int pid, int signum) {
  return kill(pid, signum) == -1 ? -errno : 0;
}

/* Never signals another process: once the child has been waited for, its number may be
 * reused, but its pidfd can't refer to another process. */
int uv_process_kill(uv_process_t* process, int signum) {
  if (process->status != PROCESS_RUNS)
    return UV_ESRCH;
  if (process->child != NULL && process->child->watcher.fd != -1) {
    long result =
        syscall(SYS_pidfd_send_signal, process->child->watcher.fd, signum, NULL, 0);
    if (result == 0 || errno != ENOSYS)
      return result == 0 ? 0 : -errno;
  }
  return uv_kill(process->pid, signum);
}

uv_pid_t uv_process_get_pid(const uv_process_t* process) {
  return process->pid;
}
