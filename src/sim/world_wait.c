/* Waiting in a world, and moving its clock.
 *
 * A waiting thread sleeps on its own descriptors and on a FIFO of its own, through which
 * whoever moves the clock to its deadline wakes it. Before it sleeps it looks whether it
 * was the last; if others still work it looks again now and then, with a back-off, for
 * they may fall asleep where nobody sees it (a lock, a plain read). */
#include "sim/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  TICK_LEAST_NS = 30 * 1000,
  TICK_MOST_NS = 20 * 1000 * 1000,
  /* With nothing to wait for, and everybody asleep: how long until that is a hang. */
  HANG_PATIENCE_NS = 700 * 1000 * 1000,
  WAKE_FD_LEAST = 400, /* out of the way of the program's numbers */
};

/* The FIFO that wakes this thread. */
static _Thread_local struct {
  const struct world* world;
  int pid;
  unsigned int index;
  int fd;
} wake __attribute__((tls_model("initial-exec")));

static void wake_path(const struct world* world, size_t index, char* path) {
  snprintf(path, WORLD_FOLDER + 32, "%s/wake.%zu", world->folder, index);
}

static int wake_open_high(int fd) {
  if (fd < 0)
    return -1;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, WAKE_FD_LEAST);
  if (high < 0)
    return fd;
  close(fd);
  return high;
}

/* In a world of one process a pipe without a name does, if nobody else waits: without a
 * folder a thread that is due looks at the clock itself. */
static int wake_fd(const struct world* world, const struct world_thread* self) {
  char path[WORLD_FOLDER + 32];
  unsigned int index = (unsigned int) (self - world->threads);
  if (world->folder[0] == '\0')
    return -1;
  if (wake.world == world && wake.index == index && wake.pid == self->pid &&
      fcntl(wake.fd, F_GETFD) >= 0)
    return wake.fd;
  wake_path(world, index, path);
  if (mkfifo(path, 0600) != 0 && errno != EEXIST)
    return -1;
  wake.fd = wake_open_high(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  wake.world = wake.fd < 0 ? NULL : world;
  wake.index = index;
  wake.pid = self->pid;
  return wake.fd;
}

/* With the lock held, which keeps the condition alive. */
static void wake_thread(const struct world* world, struct world_thread* thread) {
  char path[WORLD_FOLDER + 32];
  thread->state = THREAD_DUE;
  if (thread->kind == WAIT_CONDITION) {
    if (thread->pid == getpid())
      pthread_cond_broadcast((pthread_cond_t*) (uintptr_t) thread->condition);
    return;
  }
  if (world->folder[0] == '\0')
    return;
  wake_path(world, (size_t) (thread - world->threads), path);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write(fd, "", 1) < 0)
    world_say(world, "thread %d can't be woken", thread->tid);
  close(fd);
}

/* --- the clock ---------------------------------------------------------------------- */

/* Engines have helpers that wait for work with a time-out, again and again or for ages:
 * that alone is nothing to live for. And the longest wait that fits into milliseconds, 24
 * days, is meant to be for ever. */
static bool is_for_nothing(const struct world* world, const struct world_thread* thread) {
  const uint64_t ages = 3600 * WORLD_SECOND;
  const uint64_t for_ever = 2000000 * WORLD_SECOND;
  const uint32_t often = 300;
  if (thread->deadline > world->now + for_ever)
    return true;
  return thread->kind == WAIT_CONDITION && !thread->is_loop &&
         thread->tid != thread->pid &&
         (thread->deadline - world->now > ages || world->helper_jumps > often);
}

/* First deadline first; of equal ones the first in the table. */
static struct world_thread* first_deadline(struct world* world) {
  struct world_thread* first = NULL;
  for (int i = 0; i < WORLD_THREADS; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && thread->state == THREAD_WAITS &&
        thread->deadline != WORLD_NEVER && !is_for_nothing(world, thread) &&
        (first == NULL || thread->deadline < first->deadline))
      first = thread;
  }
  return first;
}

static void clock_move(struct world* world, uint64_t to) {
  if (to > world->now)
    __atomic_store_n(&world->now, to, __ATOMIC_RELEASE);
}

void world_step(struct world* world, uint64_t step) {
  world_lock(world);
  clock_move(world, world->now + step);
  if (world->now > world->limit)
    world_set_end(world, WORLD_TIMED_OUT);
  for (int i = 0; i < WORLD_THREADS; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && thread->state == THREAD_WAITS &&
        thread->deadline <= world->now)
      wake_thread(world, thread);
  }
  world_unlock(world);
}

static enum world_advance advance_locked(struct world* world, struct world_thread* self,
                                         struct pollfd* fds, nfds_t count, char* who) {
  static const struct timespec at_once;
  if (self->state == THREAD_DUE || self->deadline <= world->now)
    return ADVANCE_DUE;
  struct world_thread* first = first_deadline(world);
  if (!world_is_idle(world, who))
    return ADVANCE_BUSY;
  /* What became ready meanwhile has woken others; ourselves it could not. */
  if (count > 0 && syscall(SYS_ppoll, fds, count, &at_once, NULL, 0) != 0)
    return ADVANCE_READY;
  if (first == NULL || first->tid == 0)
    return first == NULL ? ADVANCE_NEVER : ADVANCE_BUSY;
  if (first->deadline > world->limit) {
    world_say(world,
              "the time-out comes before what thread %d of process %d waits for, "
              "%s in %llu s",
              first->tid, first->pid,
              first->kind == WAIT_CONDITION ? "a condition"
              : first->is_loop              ? "its loop"
                                            : "a descriptor or time",
              (unsigned long long) ((first->deadline - world->now) / WORLD_SECOND));
    world_set_end(world, WORLD_TIMED_OUT);
    return ADVANCE_BUSY;
  }
  clock_move(world, first->deadline);
  world->jumps++;
  world->helper_jumps = first->kind == WAIT_CONDITION ? world->helper_jumps + 1 : 0;
  if (first == self)
    return ADVANCE_DUE;
  wake_thread(world, first);
  return ADVANCE_OTHER;
}

enum world_advance world_advance(struct world* world, struct world_thread* self,
                                 struct pollfd* fds, nfds_t count) {
  char who[64] = "";
  world_lock(world);
  enum world_advance result = advance_locked(world, self, fds, count, who);
  world_unlock(world);
  return result;
}

/* --- waiting ------------------------------------------------------------------------ */

void world_wait_begin(struct world* world, struct world_thread* self, uint64_t deadline,
                      void* condition) {
  world_lock(world);
  self->kind = condition == NULL ? WAIT_DESCRIPTORS : WAIT_CONDITION;
  self->condition = (uint64_t) (uintptr_t) condition;
  self->deadline = deadline;
  self->state = THREAD_WAITS;
  world_unlock(world);
}

/* True if the thread was woken because its time has come. */
bool world_wait_end(struct world* world, struct world_thread* self) {
  world_lock(world);
  bool due = self->state == THREAD_DUE || self->deadline <= world->now;
  self->state = THREAD_AWAKE;
  world_unlock(world);
  return due;
}

static void wake_drain(int fd) {
  char bytes[64];
  while (read(fd, bytes, sizeof(bytes)) > 0) {
  }
}

/* How long to sleep before the next look at the others. */
static uint64_t tick_next(uint64_t tick, enum world_advance result) {
  if (result == ADVANCE_OTHER)
    return TICK_MOST_NS; /* the one that was woken will look */
  if (tick == 0)
    return TICK_LEAST_NS;
  return tick * 2 > TICK_MOST_NS ? TICK_MOST_NS : tick * 2;
}

/* Nobody works and no time will ever come: if it stays so, the world hangs. */
static void hang_look(struct world* world, enum world_advance result, uint64_t* since) {
  if (result != ADVANCE_NEVER || world->folder[0] == '\0') {
    *since = 0;
    return;
  }
  uint64_t now = world_real_ns();
  if (*since == 0)
    *since = now;
  else if (now - *since > HANG_PATIENCE_NS)
    world_set_end(world, WORLD_HANGS);
}

static int real_poll(struct pollfd* fds, nfds_t count, uint64_t ns,
                     const sigset_t* mask) {
  struct timespec time = {.tv_sec = (time_t) (ns / WORLD_SECOND),
                          .tv_nsec = (long) (ns % WORLD_SECOND)};
  return (int) syscall(SYS_ppoll, fds, count, &time, mask, _NSIG / 8);
}

int world_wait(struct world* world, struct pollfd* fds, nfds_t count, uint64_t deadline,
               const sigset_t* mask) {
  struct world_thread* self = world_self(world);
  int ready = real_poll(fds, count, 0, mask);
  if (ready != 0 || deadline <= world_now(world))
    return ready;
  if (self == NULL) { /* too many threads: real time for this one */
    uint64_t ns =
        deadline == WORLD_NEVER ? 3600 * WORLD_SECOND : deadline - world_now(world);
    return real_poll(fds, count, ns, mask);
  }
  int fd = wake_fd(world, self);
  nfds_t all = count;
  uint64_t tick = 0;
  uint64_t hangs_since = 0;
  if (fd >= 0) {
    wake_drain(fd);
    fds[all++] = (struct pollfd){.fd = fd, .events = POLLIN};
  }
  world_wait_begin(world, self, deadline, NULL);
  for (;;) {
    enum world_advance result = world_advance(world, self, fds, count);
    if (result == ADVANCE_DUE)
      break;
    hang_look(world, result, &hangs_since);
    tick = tick_next(tick, result);
    ready = real_poll(fds, all, tick, mask);
    if (ready < 0)
      break;
    if (ready > 0 && fd >= 0 && fds[count].revents != 0)
      ready--;
    if (ready > 0 || (fd >= 0 && fds[count].revents != 0))
      break;
  }
  int error = errno;
  bool due = world_wait_end(world, self);
  errno = error;
  if (ready > 0)
    return ready;
  if (ready < 0)
    return ready;
  /* What came at the same moment is not to be missed. */
  ready = real_poll(fds, count, 0, NULL);
  if (ready == 0 && !due)
    return world_wait(world, fds, count, deadline, mask);
  return ready < 0 ? 0 : ready;
}
