/* timerfd in virtual time: the descriptor is an eventfd, whose counter the thread of the
 * timers adds to. A read takes the number of times and sets it to 0, poll says whether
 * there is any: as with a timerfd. */
#include "preload_timers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { FDS = 65536 };

static struct preload_timer* timer_of_fd[FDS];

static struct preload_timer* timerfd_of(int fd) {
  return fd >= 0 && fd < FDS ? __atomic_load_n(&timer_of_fd[fd], __ATOMIC_ACQUIRE) : NULL;
}

bool preload_is_timerfd(int fd) {
  return timerfd_of(fd) != NULL;
}

static bool timerfd_is_readable(int fd) {
  struct timespec at_once = {0}; /* written to: what is left of it */
  struct pollfd poller = {.fd = fd, .events = POLLIN};
  return syscall(SYS_ppoll, &poller, 1, &at_once, NULL, 0) > 0;
}

static bool timerfd_expire(struct preload_timer* timer, uint64_t times) {
  bool was_read = !timerfd_is_readable(timer->fd);
  if (syscall(SYS_write, timer->fd, &times, sizeof(times)) < 0)
    return false; /* full, after 2^64 times */
  return was_read;
}

int timerfd_create(int clock, int flags) {
  if (preload_world == NULL || !preload_timer_clock_is_virtual(clock) ||
      (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0)
    return (int) syscall(SYS_timerfd_create, clock, flags);
  struct preload_timer* timer = preload_timer_take(clock);
  if (timer == NULL) {
    errno = EMFILE;
    return -1;
  }
  int fd = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) |
                          (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
  if (fd >= FDS) {
    close(fd);
    fd = -1;
    errno = EMFILE;
  }
  if (fd < 0) {
    preload_timer_give_back(timer);
    return -1;
  }
  timer->fd = fd;
  timer->expire = timerfd_expire;
  __atomic_store_n(&timer_of_fd[fd], timer, __ATOMIC_RELEASE);
  return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec* spec,
                    struct itimerspec* old) {
  struct preload_timer* timer = timerfd_of(fd);
  if (timer == NULL)
    return (int) syscall(SYS_timerfd_settime, fd, flags, spec, old);
  if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) != 0 || spec == NULL) {
    errno = spec == NULL ? EFAULT : EINVAL;
    return -1;
  }
  preload_timers_lock();
  int err = preload_timer_set(timer, (flags & TFD_TIMER_ABSTIME) != 0, spec, old);
  uint64_t word;
  if (err == 0 && timerfd_is_readable(fd)) /* times before don't count any more */
    (void) !syscall(SYS_read, fd, &word, sizeof(word));
  preload_timers_unlock();
  errno = err == 0 ? errno : err;
  return err == 0 ? 0 : -1;
}

int timerfd_gettime(int fd, struct itimerspec* left) {
  struct preload_timer* timer = timerfd_of(fd);
  if (timer == NULL)
    return (int) syscall(SYS_timerfd_gettime, fd, left);
  preload_timers_lock();
  (void) preload_timer_set(timer, false, NULL, left);
  preload_timers_unlock();
  return 0;
}

bool preload_timerfd_await(int fd) {
  struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}};
  int flags = (int) syscall(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0 || preload_world == NULL)
    return true;
  return world_wait(preload_world, fds, 1, WORLD_NEVER, NULL) >= 0;
}

void preload_timerfd_closed(int fd) {
  struct preload_timer* timer = timerfd_of(fd);
  if (timer == NULL)
    return;
  __atomic_store_n(&timer_of_fd[fd], NULL, __ATOMIC_RELEASE);
  preload_timer_give_back(timer);
}
