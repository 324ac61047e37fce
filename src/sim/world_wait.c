/* Waiting in a world.
 *
 * A waiting thread sleeps on its own descriptors and on a FIFO of its own, through which
 * whoever gives it its turn wakes it. Before it sleeps it looks whether it was the last;
 * if others still work it looks again now and then, with a back-off, for they may fall
 * asleep where nobody sees it (a lock, a plain read). */
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
  TICK_OTHER_NS = 500 * 1000,
  TICK_MOST_NS = 20 * 1000 * 1000,
  TICK_MOST_ALONE_NS = 500 * 1000,
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

/* The lock keeps the condition alive. */
void world_wake(const struct world* world, struct world_thread* thread) {
  char path[WORLD_FOLDER + 32];
  __atomic_store_n(&thread->state, THREAD_ITS_TURN, __ATOMIC_RELEASE);
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

static void wake_drain(int fd) {
  char bytes[64];
  while (read(fd, bytes, sizeof(bytes)) > 0) {
  }
}

/* --- waiting ------------------------------------------------------------------------ */

void world_wait_begin(struct world* world, struct world_thread* self, uint64_t deadline,
                      pthread_cond_t* condition, pthread_mutex_t* mutex) {
  world_lock(world);
  self->kind = condition == NULL ? WAIT_DESCRIPTORS : WAIT_CONDITION;
  self->condition = (uint64_t) (uintptr_t) condition;
  self->mutex = (uint64_t) (uintptr_t) mutex;
  self->deadline = deadline;
  self->over_since = 0;
  self->is_ready = 0;
  self->has_looked = 0;
  self->awaits_input = 0;
  self->state = THREAD_WAITS;
  world_unlock(world);
}

static void process_awakes(struct world* world, int pid) {
  struct world_process* process = world_find_process(world, pid);
  if (process != NULL)
    process->is_quiet = 0;
}

void world_note_signal(struct world* world) {
  __atomic_store_n(&world->signalled, world->turns + 1, __ATOMIC_RELEASE);
}

bool world_wait_end(struct world* world, struct world_thread* self) {
  world_lock(world);
  bool was_woken = self->state == THREAD_ITS_TURN;
  self->state = THREAD_AWAKE;
  self->is_deaf = 0;
  process_awakes(world, self->pid);
  world_unlock(world);
  return was_woken;
}

/* The more threads leave the looking to another, the more rarely each sees after it. */
static uint64_t tick_left(const struct world* world, uint64_t most) {
  const uint64_t each = 2 * 1000 * 1000;
  uint64_t ns = each * __atomic_load_n(&world->thread_high, __ATOMIC_RELAXED);
  return ns < most ? most : ns > WORLD_SECOND / 2 ? WORLD_SECOND / 2 : ns;
}

/* How long to sleep before the next look at the others. Without a FIFO nobody can wake a
 * thread whose turn has come. */
static uint64_t tick_next(const struct world* world, uint64_t tick,
                          enum world_advance result) {
  uint64_t most = world->folder[0] == '\0' ? TICK_MOST_ALONE_NS : TICK_MOST_NS;
  if (result == ADVANCE_OTHER)
    return TICK_OTHER_NS; /* the other will look, unless it ends or sleeps unseen */
  if (result == ADVANCE_LEFT)
    return tick_left(world, most);
  if (tick == 0)
    return TICK_LEAST_NS;
  return tick * 2 > most ? most : tick * 2;
}

static int real_poll(struct pollfd* fds, nfds_t count, uint64_t ns,
                     const sigset_t* mask) {
  struct timespec time = {.tv_sec = (time_t) (ns / WORLD_SECOND),
                          .tv_nsec = (long) (ns % WORLD_SECOND)};
  return (int) syscall(SYS_ppoll, fds, count, &time, mask, _NSIG / 8);
}

/* One wait: what for, and how far it has come. */
struct wait {
  struct pollfd* fds; /* has room for wake_fd */
  nfds_t count;
  const sigset_t* mask;
  int wake_fd; /* or -1 */
  uint64_t tick;
  uint64_t hangs_since;
  int error; /* a signal came: EINTR */
};

/* Nobody works and no time will ever come: if it stays so, the world hangs. */
static void hang_look(struct world* world, struct world_thread* self,
                      enum world_advance result, struct wait* wait) {
  if (result != ADVANCE_NEVER || world->folder[0] == '\0') {
    wait->hangs_since = 0;
    return;
  }
  uint64_t now = world_real_ns();
  if (wait->hangs_since == 0) {
    wait->hangs_since = now;
    self->awaits_input = world_is_input_among(world, wait->fds, wait->count);
  } else if (now - wait->hangs_since > HANG_PATIENCE_NS) {
    if (!world_has_outsider(world))
      world_set_end(world, WORLD_HANGS);
    wait->hangs_since = 0;
  }
}

/* Sleeps until a descriptor is ready, a signal comes, or the thread is woken; one that is
 * ready already, until it is woken. */
static void wait_sleep(struct world_thread* self, struct wait* wait) {
  nfds_t first = self->is_ready ? wait->count : 0;
  nfds_t all = wait->count - first;
  struct pollfd* woken = &wait->fds[wait->count];
  *woken = (struct pollfd){.fd = wait->wake_fd, .events = POLLIN};
  int ready = real_poll(wait->fds + first, all + 1, wait->tick,
                        self->is_ready ? NULL : wait->mask);
  if (self->is_ready || ready == 0 || (ready == 1 && woken->revents != 0))
    return;
  if (ready < 0)
    wait->error = errno;
  __atomic_store_n(&self->is_ready, 1, __ATOMIC_RELEASE);
  wait->tick = 0;
}

static void wait_for_turn(struct world* world, struct world_thread* self,
                          struct wait* wait) {
  enum world_advance result;
  while ((result = world_advance(world, self, wait->fds, wait->count, wait->mask)) !=
         ADVANCE_TURN) {
    hang_look(world, self, result, wait);
    wait->tick = tick_next(world, wait->tick, result);
    wait_sleep(self, wait);
  }
}

/* No other thread has ever waited: it can be nobody else's turn. */
static bool is_alone(const struct world* world) {
  return __atomic_load_n(&world->threads_seen, __ATOMIC_ACQUIRE) <= 1 &&
         __atomic_load_n(&world->processes_seen, __ATOMIC_ACQUIRE) <= 1;
}

static int wait_masked(struct world* world, struct pollfd* fds, nfds_t count,
                       uint64_t deadline, const sigset_t* mask) {
  struct world_thread* self = world_self(world);
  int ready = real_poll(fds, count, 0, mask);
  bool is_over = ready != 0 || deadline <= world_now(world);
  if (is_over && (self == NULL || self->is_helper || is_alone(world)))
    return ready;
  if (self == NULL) { /* too many threads: real time for this one */
    uint64_t ns =
        deadline == WORLD_NEVER ? 3600 * WORLD_SECOND : deadline - world_now(world);
    return real_poll(fds, count, ns, mask);
  }
  struct wait wait = {.fds = fds, .count = count, .mask = mask};
  wait.error = ready < 0 ? errno : 0;
  wait.wake_fd = wake_fd(world, self);
  do {
    if (wait.wake_fd >= 0)
      wake_drain(wait.wake_fd);
    self->is_deaf =
        count == 0 && deadline != WORLD_NEVER && wait.wake_fd >= 0 && ready == 0;
    world_wait_begin(world, self, deadline, NULL, NULL);
    if (ready != 0)
      __atomic_store_n(&self->is_ready, 1, __ATOMIC_RELEASE);
    wait_for_turn(world, self, &wait);
    (void) world_wait_end(world, self);
    if (wait.error != 0) {
      errno = wait.error;
      return -1;
    }
    /* Asked once more: a descriptor may have become ready at the same moment, and data
     * that was there may have been taken by another thread. */
    ready = real_poll(fds, count, 0, NULL);
  } while (ready == 0 && deadline > world_now(world));
  return ready < 0 ? 0 : ready;
}

/* Signals come while the thread sleeps and not in between: a handler that ran while the
 * thread looks at the others would not end the wait. Signals that a fault of this thread
 * causes are left alone. */
int world_wait(struct world* world, struct pollfd* fds, nfds_t count, uint64_t deadline,
               const sigset_t* mask) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int result = wait_masked(world, fds, count, deadline, mask == NULL ? &before : mask);
  int saved = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = saved;
  return result;
}

void world_yield(struct world* world) {
  struct pollfd none[1];
  (void) world_wait(world, none, 0, world_now(world), NULL);
}
