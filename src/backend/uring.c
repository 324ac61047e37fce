/* The io_uring backend: a busy loop watches its interest set through a ring.
 *
 * A loop that turns without sleeping (an idle handle is active, work is being finished)
 * puts a wait for the set into the ring (IORING_OP_EPOLL_WAIT, or a poll of the set on
 * kernels before 6.15). From then on a turn with nothing to submit looks at the ring's
 * memory and makes no system call at all: that is the ring's purpose. A loop that sleeps
 * needs a system call anyway, and sleeps on the set itself unless the wait is in the ring
 * already: waking up from there costs two microseconds less than from the ring.
 *
 * The ring is made with DEFER_TASKRUN: completions are processed only when the loop
 * enters it, never during another system call of the thread, which the program would see
 * as EINTR. The cost is that a ring belongs to the thread that made it. The ring is made
 * when it is first needed, so a loop may be made in one thread and run in another, and a
 * loop that only sleeps never has a ring. When a different thread runs the loop, the ring
 * is made again. Nothing is lost by that, because the ring holds only the one wait, which
 * can be repeated.
 *
 * File operations live on a second ring, uring_files.c. */
#include "backend/backend.h"
#include "backend/interest.h"
#include "backend/uring_files.h"
#include "backend/uring_ring.h"
#include "backend/wait_mask.h"
#include "base/alloc.h"
#include "loop/counters.h"
#include "system/system.h"
#include "system/tune.h"

#include <assert.h>
#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Newer than Debian's liburing. */
enum { OPCODE_EPOLL_WAIT = 59 };

/* One request at a time: the smallest ring is enough. */
enum { RING_ENTRIES = 4 };

/* A ring that failed for lack of memory is made again, this many times at most. */
enum { RING_FAILURES_MOST = 3 };

struct uring_state {
  struct io_uring ring;
  const void* owner; /* the thread that made the ring */
  bool open;
  bool refused; /* no ring: it can't be made or has failed for good */
  int failures; /* how many rings have failed */
  bool armed;   /* the wait is in the ring */
  bool quiet;   /* the last wait didn't block either, and found nothing */
  struct uring_files files;
  struct epoll_event events[BACKEND_BATCH]; /* written by the kernel while armed */
};

/* An address that no other living thread has. */
static const void* this_thread(void) {
  static _Thread_local char mark;
  return &mark;
}

/* Whether the kernel has IORING_OP_EPOLL_WAIT; -1 while unknown. */
static _Atomic int kernel_waits_for_sets = -1;

static void probe_operations(struct io_uring* ring) {
  struct io_uring_probe* probe = io_uring_get_probe_ring(ring);
  int answer = probe != NULL && io_uring_opcode_supported(probe, OPCODE_EPOLL_WAIT);
  if (system_setting("RONDO_NO_EPOLL_WAIT") !=
      NULL) /* for testing the older kernels' way */
    answer = 0;
  io_uring_free_probe(probe);
  atomic_store_explicit(&kernel_waits_for_sets, answer, memory_order_release);
}

static int uring_make_ring(struct io_uring* ring) {
  struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER |
                                            IORING_SETUP_DEFER_TASKRUN |
                                            IORING_SETUP_TASKRUN_FLAG};
  int err = uring_start(ring, RING_ENTRIES, &params);
  if (err < 0)
    return err;
  if ((params.features & IORING_FEAT_EXT_ARG) && (params.features & IORING_FEAT_NODROP))
    return 0;
  io_uring_queue_exit(ring);
  return UV_ENOTSUP;
}

/* DEFER_TASKRUN came with Linux 6.1. */
static bool kernel_is_new_enough(void) {
  struct utsname about;
  if (uname(&about) != 0)
    return false;
  char* rest;
  long major = strtol(about.release, &rest, 10);
  long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
  return major > 6 || (major == 6 && minor >= 1);
}

/* Whether a loop can expect to get a ring later. No ring is made to find out: some
 * milliseconds after a ring was closed the kernel interrupts the thread that made it, and
 * a program that is then in a wait of its own would see EINTR. Instead the call is made
 * with NULL parameters: EFAULT means that io_uring is allowed, EPERM or ENOSYS that it
 * isn't. If the ring still fails when it is needed, the loop works without one
 * (`refused`). */
static int ring_possible(void) {
  if (!kernel_is_new_enough())
    return UV_ENOSYS;
  long made = syscall(SYS_io_uring_setup, 1, NULL);
  return made < 0 && errno == EFAULT ? 0 : -errno;
}

static void ring_close(struct uring_state* state) {
  if (state->open)
    ring_release(&state->ring);
  state->open = false;
  state->armed = false;
}

/* -EEXIST: the ring was made by a thread that has ended, whose this_thread() was the same
 * address; the next wait makes a new ring. */
static void ring_fail(struct uring_state* state, int err) {
  ring_close(state);
  if (err == -EEXIST)
    return;
  state->refused = ring_failure_lasts(err) || ++state->failures == RING_FAILURES_MOST;
  if (state->refused)
    ring_report("the loop waits without a ring", err);
}

/* Makes a ring that belongs to this thread, unless there is one. */
static bool ring_own(struct uring_state* state) {
  if (state->open && state->owner == this_thread())
    return true;
  ring_close(state);
  if (uring_make_ring(&state->ring) != 0) {
    state->refused = true;
    return false;
  }
  if (atomic_load_explicit(&kernel_waits_for_sets, memory_order_relaxed) < 0)
    probe_operations(&state->ring);
  state->open = true;
  state->owner = this_thread();
  return true;
}

static int uring_open(uv_loop_t* loop) {
  struct uring_state* state = mem_calloc(1, sizeof(*state));
  if (state == NULL)
    return UV_ENOMEM;
  int err = ring_possible();
  if (err == 0)
    err = interest_open(loop);
  if (err == 0)
    loop->backend_state = state;
  else
    mem_free(state);
  return err;
}

static void uring_close(uv_loop_t* loop) {
  struct uring_state* state = loop->backend_state;
  uring_files_close(loop, &state->files);
  ring_close(state);
  interest_close(loop);
  mem_free(state);
  loop->backend_state = NULL;
}

static int uring_fork(uv_loop_t* loop) {
  struct uring_state* state = loop->backend_state;
  int err = interest_fork(loop);
  if (err != 0)
    return err;
  /* After the set is new: closing the watcher must not change the parent's set. */
  uring_files_fork(loop, &state->files);
  ring_close(state); /* the parent keeps its own mapping and descriptor */
  return 0;
}

/* True if the ring's memory shows that nothing has happened and that the kernel has taken
 * the wait, which it doesn't when it has no memory. */
static bool ring_quiet(struct io_uring* ring) {
  unsigned int flags = IO_URING_READ_ONCE(*ring->sq.kflags);
  return io_uring_cq_ready(ring) == 0 && io_uring_sq_ready(ring) == 0 &&
         (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) == 0;
}

static bool waits_directly(void) {
  return atomic_load_explicit(&kernel_waits_for_sets, memory_order_relaxed) == 1;
}

static void ring_arm(uv_loop_t* loop, struct uring_state* state, int max) {
  struct io_uring_sqe* sqe = io_uring_get_sqe(&state->ring);
  assert(sqe != NULL);
  if (waits_directly())
    io_uring_prep_rw(OPCODE_EPOLL_WAIT, sqe, loop->backend_fd, state->events,
                     (unsigned int) max, 0);
  else
    io_uring_prep_poll_add(sqe, loop->backend_fd, POLLIN);
  io_uring_sqe_set_data(sqe, state);
  state->armed = true;
}

static int ring_enter(uv_loop_t* loop, struct uring_state* state, int64_t timeout_ns) {
  if (timeout_ns == 0)
    return io_uring_submit_and_get_events(&state->ring);
  sigset_t storage;
  sigset_t* mask = wait_mask_of(loop, &storage) == NULL ? NULL : &storage;
  struct __kernel_timespec time = {.tv_sec = timeout_ns / 1000000000,
                                   .tv_nsec = timeout_ns % 1000000000};
  struct io_uring_cqe* cqe;
  return io_uring_submit_and_wait_timeout(&state->ring, &cqe, 1,
                                          timeout_ns < 0 ? NULL : &time, mask);
}

/* Takes the wait's completion, if it is there. */
static int ring_harvest(uv_loop_t* loop, struct uring_state* state, int max) {
  struct io_uring_cqe* cqe;
  if (io_uring_peek_cqe(&state->ring, &cqe) != 0)
    return 0;
  assert(state->armed); /* the ring has had one wait, and this is its end */
  int result = cqe->res;
  io_uring_cqe_seen(&state->ring, cqe);
  state->armed = false;
  if (result < 0 || !waits_directly())
    return interest_wait(loop, 0, state->events, max);
  /* The limit may have become lower since the wait was armed. Events left out are
   * level-triggered and come again. */
  return result < max ? result : max;
}

/* One turn that doesn't sleep doesn't make a busy loop; two in a row do. While each look
 * finds something, reading the set directly is cheaper than waiting through the ring
 * every time. A thread that is about to sleep can read the set whichever thread owns the
 * ring. */
static bool ring_pays(const struct uring_state* state, int64_t timeout_ns) {
  if (state->refused || !tune_is_on(TUNE_RING_WAIT))
    return false;
  return timeout_ns == 0 ? state->quiet || state->armed
                         : state->armed && state->owner == this_thread();
}

static int ring_wait(uv_loop_t* loop, struct uring_state* state, int64_t timeout_ns,
                     int max) {
  if (!ring_own(state))
    return interest_wait(loop, timeout_ns, state->events, max);
  interest_looked(loop); /* the kernel reads the set for the wait that is in the ring */
  loop_count(loop, COUNTER_RING_LOOKS);
  if (timeout_ns == 0 && state->armed && ring_quiet(&state->ring))
    return 0;
  if (!state->armed)
    ring_arm(loop, state, max);
  int err = ring_enter(loop, state, timeout_ns);
  if (err >= 0 && io_uring_sq_ready(&state->ring) > 0)
    err = -EBADF; /* another ring has the descriptor's number, and that one was entered */
  if (err < 0 && err != -ETIME && err != -EINTR) {
    ring_fail(state, err);
    return interest_wait(loop, timeout_ns, state->events, max);
  }
  int count = ring_harvest(loop, state, max);
  /* After an interruption ready events are fetched all the same, so that they arrive even
   * under a filter that interrupts every wait. */
  if (count == 0 && err == -EINTR)
    count = interest_wait(loop, 0, state->events, max);
  return count;
}

static int64_t uring_flush(uv_loop_t* loop, int64_t timeout_ns) {
  struct uring_state* state = loop->backend_state;
  timeout_ns = interest_flush(loop, timeout_ns);
  return uring_files_flush(loop, &state->files, timeout_ns);
}

static int set_wait(uv_loop_t* loop, struct uring_state* state, int64_t timeout_ns,
                    int max) {
  if (max == 0)
    return 0;
  int count = ring_pays(state, timeout_ns)
                  ? ring_wait(loop, state, timeout_ns, max)
                  : interest_wait(loop, timeout_ns, state->events, max);
  state->quiet = timeout_ns == 0 && count == 0;
  return count;
}

/* While the wait is in the ring, the array of events belongs to the kernel. But the
 * kernel writes to it only when the ring is entered, in the next wait, so events found
 * without the set may be stored behind those of the set. */
static int uring_wait(uv_loop_t* loop, int64_t timeout_ns,
                      const struct epoll_event** events, int max) {
  struct uring_state* state = loop->backend_state;
  *events = state->events;
  timeout_ns = uring_flush(loop, timeout_ns);
  if (interest_needs_no_look(loop, timeout_ns))
    return 0;
  int count = set_wait(loop, state, timeout_ns, interest_room(loop, max));
  return count + interest_fetch_unset(loop, state->events + count, max - count);
}

static int uring_submit(uv_loop_t* loop, const struct file_operation* op,
                        struct uv__work* w) {
  struct uring_state* state = loop->backend_state;
  return uring_files_submit(loop, &state->files, op, w);
}

static int uring_cancel(uv_loop_t* loop, struct uv__work* w) {
  struct uring_state* state = loop->backend_state;
  return uring_files_cancel(&state->files, w);
}

const struct rondo_backend backend_uring = {
    .name = "uring",
    .open = uring_open,
    .close = uring_close,
    .fork = uring_fork,
    .flush = uring_flush,
    .wait = uring_wait,
    .submit = uring_submit,
    .cancel = uring_cancel,
};
