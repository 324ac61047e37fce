/* Signals that are sent, for they wake threads that wait for the clock alone; and waits
 * for signals. Waits with a time-out end in virtual time. Waits without one are the
 * world's, too, if the main thread makes them: time passes at once. Other threads that
 * wait for signals for ever are nothing to wait for. */
#include "preload.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_main_thread(void) {
  return syscall(SYS_gettid) == getpid();
}

int sigsuspend(const sigset_t* mask) {
  struct pollfd none[1];
  if (preload_world == NULL || !is_main_thread())
    return (int) syscall(SYS_rt_sigsuspend, mask, _NSIG / 8);
  while (world_wait(preload_world, none, 0, WORLD_NEVER, mask) >= 0) {
  }
  return -1;
}

int pause(void) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return sigsuspend(&mask);
}

/* The signals in the set are blocked; a descriptor of theirs says when one has come. */
static int signal_await(const sigset_t* set, siginfo_t* info, uint64_t deadline) {
  static const struct timespec at_once;
  struct pollfd fds[2] = {{.events = POLLIN}};
  fds[0].fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
  int signal = -1;
  int result = 1;
  while (fds[0].fd >= 0 && result > 0) {
    signal = (int) syscall(SYS_rt_sigtimedwait, set, info, &at_once, _NSIG / 8);
    if (signal >= 0 || errno != EAGAIN)
      break;
    result = world_wait(preload_world, fds, 1, deadline, NULL);
  }
  int saved = result == 0 ? EAGAIN : errno;
  if (fds[0].fd >= 0)
    close(fds[0].fd);
  errno = saved;
  return signal;
}

int sigtimedwait(const sigset_t* restrict set, siginfo_t* restrict info,
                 const struct timespec* restrict timeout) {
  bool is_virtual = preload_world != NULL &&
                    (timeout == NULL ? is_main_thread() : preload_ns(timeout) != 0);
  if (!is_virtual)
    return (int) syscall(SYS_rt_sigtimedwait, set, info, timeout, _NSIG / 8);
  return signal_await(set, info,
                      timeout == NULL ? WORLD_NEVER
                                      : world_now(preload_world) + preload_ns(timeout));
}

int sigwaitinfo(const sigset_t* restrict set, siginfo_t* restrict info) {
  return sigtimedwait(set, info, NULL);
}

int sigwait(const sigset_t* restrict set, int* restrict signal) {
  int saved = errno;
  int result;
  do
    result = sigtimedwait(set, NULL, NULL);
  while (result < 0 && errno == EINTR);
  int error = result < 0 ? errno : 0;
  errno = saved;
  if (result > 0)
    *signal = result;
  return error;
}

/* --- sending ------------------------------------------------------------------------ */

static void note_signal(int signal) {
  if (preload_world != NULL && signal != 0)
    world_note_signal(preload_world);
}

int kill(pid_t pid, int signal) {
  note_signal(signal);
  return (int) syscall(SYS_kill, pid, signal);
}

int killpg(pid_t group, int signal) {
  if (group < 0) {
    errno = EINVAL;
    return -1;
  }
  return kill(-group, signal);
}

int tgkill(pid_t pid, pid_t tid, int signal) {
  note_signal(signal);
  return (int) syscall(SYS_tgkill, pid, tid, signal);
}

int pthread_kill(pthread_t thread, int signal) {
  static int (*next)(pthread_t, int);
  if (next == NULL)
    preload_find("pthread_kill", &next);
  note_signal(signal);
  return next(thread, signal);
}

int sigqueue(pid_t pid, int signal, const union sigval value) {
  static int (*next)(pid_t, int, const union sigval);
  if (next == NULL)
    preload_find("sigqueue", &next);
  note_signal(signal);
  return next(pid, signal, value);
}

int pthread_sigqueue(pthread_t thread, int signal, const union sigval value) {
  static int (*next)(pthread_t, int, const union sigval);
  if (next == NULL)
    preload_find("pthread_sigqueue", &next);
  note_signal(signal);
  return next(thread, signal, value);
}
