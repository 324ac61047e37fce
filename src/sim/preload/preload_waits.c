/* Waits that a time-out ends: for descriptors, and for time alone. */
#include "preload.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FEW = 16 };

static uint64_t deadline_after(uint64_t ns) {
  uint64_t now = world_now(preload_world);
  return ns > WORLD_NEVER / 2 ? WORLD_NEVER / 2 : now + ns;
}

static uint64_t deadline_of(const struct timespec* timeout) {
  return timeout == NULL ? WORLD_NEVER : deadline_after(preload_ns(timeout));
}

/* --- time alone --------------------------------------------------------------------- */

/* 0, or -1 with EINTR and what is left. */
static int sleep_until(uint64_t deadline, struct timespec* left) {
  struct pollfd none[1];
  int result = world_wait(preload_world, none, 0, deadline, NULL);
  if (result < 0 && left != NULL) {
    uint64_t now = world_now(preload_world);
    *left = preload_time(deadline > now ? deadline - now : 0);
  }
  return result < 0 ? -1 : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time,
                    struct timespec* left) {
  if (preload_world == NULL || !preload_is_virtual(clock))
    return syscall(SYS_clock_nanosleep, clock, flags, time, left) == 0 ? 0 : errno;
  if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000 || time->tv_sec < 0)
    return EINVAL;
  int saved = errno;
  uint64_t deadline = flags & TIMER_ABSTIME ? preload_deadline(clock, time)
                                            : deadline_after(preload_ns(time));
  int result = sleep_until(deadline, flags & TIMER_ABSTIME ? NULL : left);
  int error = result < 0 ? errno : 0;
  errno = saved;
  return error;
}

int nanosleep(const struct timespec* time, struct timespec* left) {
  int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  if (error == 0)
    return 0;
  errno = error;
  return -1;
}

int usleep(useconds_t us) {
  struct timespec time = preload_time((uint64_t) us * 1000);
  return nanosleep(&time, NULL);
}

unsigned int sleep(unsigned int seconds) {
  struct timespec time = {.tv_sec = (time_t) seconds};
  struct timespec left = {0};
  return nanosleep(&time, &left) == 0
             ? 0
             : (unsigned int) (left.tv_sec + (left.tv_nsec != 0));
}

/* --- descriptors -------------------------------------------------------------------- */

static int poll_virtually(struct pollfd* fds, nfds_t count, uint64_t deadline,
                          const sigset_t* mask) {
  struct pollfd few[FEW + 1];
  struct pollfd* copy = few;
  if (count > FEW) {
    copy = malloc((count + 1) * sizeof(*copy));
    if (copy == NULL) {
      errno = ENOMEM;
      return -1;
    }
  }
  if (count > 0)
    memcpy(copy, fds, count * sizeof(*fds));
  int result = world_wait(preload_world, copy, count, deadline, mask);
  int saved = errno;
  for (nfds_t i = 0; i < count && result >= 0; i++)
    fds[i].revents = copy[i].revents;
  if (copy != few)
    free(copy);
  errno = saved;
  return result;
}

int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* timeout,
          const sigset_t* mask) {
  if (preload_world == NULL || (timeout != NULL && preload_ns(timeout) == 0)) {
    struct timespec copy = {0}; /* the kernel writes what is left of it there */
    if (timeout != NULL)
      copy = *timeout;
    return (int) syscall(SYS_ppoll, fds, count, timeout == NULL ? NULL : &copy, mask,
                         _NSIG / 8);
  }
  return poll_virtually(fds, count, deadline_of(timeout), mask);
}

/* Newer processors have ppoll only. */
static int poll_really(struct pollfd* fds, nfds_t count, int ms) {
#ifdef SYS_poll
  return (int) syscall(SYS_poll, fds, count, ms);
#else
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  return (int) syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &time, NULL, _NSIG / 8);
#endif
}

int poll(struct pollfd* fds, nfds_t count, int ms) {
  if (preload_world == NULL || ms == 0)
    return poll_really(fds, count, ms);
  return poll_virtually(
      fds, count, ms < 0 ? WORLD_NEVER : deadline_after((uint64_t) ms * 1000000), NULL);
}

int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t size);
int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t size) {
  if (size / sizeof(*fds) < count)
    abort();
  return poll(fds, count, ms);
}

int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* timeout,
                const sigset_t* mask, size_t size);
int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* timeout,
                const sigset_t* mask, size_t size) {
  if (size / sizeof(*fds) < count)
    abort();
  return ppoll(fds, count, timeout, mask);
}

static int epoll_virtually(int set, struct epoll_event* events, int max,
                           uint64_t deadline, const sigset_t* mask) {
  struct pollfd fds[2] = {{.fd = set, .events = POLLIN}};
  for (;;) {
    int count = (int) syscall(SYS_epoll_pwait, set, events, max, 0, mask, _NSIG / 8);
    if (count != 0)
      return count;
    int result = world_wait(preload_world, fds, 1, deadline, mask);
    if (result <= 0)
      return result;
  }
}

int epoll_pwait(int set, struct epoll_event* events, int max, int ms,
                const sigset_t* mask) {
  if (preload_world == NULL || ms == 0)
    return (int) syscall(SYS_epoll_pwait, set, events, max, ms, mask, _NSIG / 8);
  uint64_t deadline = ms < 0 ? WORLD_NEVER : deadline_after((uint64_t) ms * 1000000);
  return epoll_virtually(set, events, max, deadline, mask);
}

int epoll_wait(int set, struct epoll_event* events, int max, int ms) {
  return epoll_pwait(set, events, max, ms, NULL);
}

int epoll_pwait2(int set, struct epoll_event* events, int max,
                 const struct timespec* timeout, const sigset_t* mask) {
  if (preload_world == NULL || (timeout != NULL && preload_ns(timeout) == 0))
    return (int) syscall(SYS_epoll_pwait2, set, events, max, timeout, mask, _NSIG / 8);
  return epoll_virtually(set, events, max, deadline_of(timeout), mask);
}

/* select's sets as descriptors for poll; the number of them. */
static nfds_t select_list(int count, const fd_set* in, const fd_set* out,
                          const fd_set* other, struct pollfd* fds) {
  nfds_t used = 0;
  for (int fd = 0; fd < count; fd++) {
    short events = 0;
    if (in != NULL && FD_ISSET(fd, in))
      events |= POLLIN;
    if (out != NULL && FD_ISSET(fd, out))
      events |= POLLOUT;
    if (other != NULL && FD_ISSET(fd, other))
      events |= POLLPRI;
    if (events != 0)
      fds[used++] = (struct pollfd){.fd = fd, .events = events};
  }
  return used;
}

/* Waits with poll, then asks select itself, which answers at once. */
int pselect(int count, fd_set* in, fd_set* out, fd_set* other,
            const struct timespec* timeout, const sigset_t* mask) {
  static const struct timespec at_once;
  if (count < 0 || count > FD_SETSIZE) {
    errno = EINVAL;
    return -1;
  }
  struct {
    const sigset_t* mask;
    size_t size;
  } masked = {mask, _NSIG / 8};
  struct timespec copy = timeout == NULL ? at_once : *timeout;
  if (preload_world != NULL && (timeout == NULL || preload_ns(timeout) != 0)) {
    struct pollfd fds[FD_SETSIZE + 1];
    nfds_t used = select_list(count, in, out, other, fds);
    if (world_wait(preload_world, fds, used, deadline_of(timeout), mask) < 0)
      return -1;
    copy = at_once;
    timeout = &copy;
  }
  return (int) syscall(SYS_pselect6, count, in, out, other,
                       timeout == NULL ? NULL : &copy, &masked);
}

int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
           struct timeval* restrict timeout) {
  if (timeout == NULL)
    return pselect(count, in, out, other, NULL, NULL);
  struct timespec time = {.tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000};
  return pselect(count, in, out, other, &time, NULL);
}
