/* Functions that glibc got after 2.28, for the objects we ship: those load wherever an
 * official Node does, and that is from glibc 2.28 on.
 *
 * Each definition carries the version in which glibc got the function, and makes the
 * system call itself. The definitions are weak and hidden: no other object sees them. The
 * simulator's preloaded part, which exports some of these names, is linked without. This
 * file is linked into what cmake/floor.cmake links, and into nothing else; the
 * archive libuv.a uses the C library of whoever links it. A function that is missing here
 * fails the link.
 *
 * With musl the file is part of everything that is built: musl.h declares the functions
 * that it hasn't. */

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEWER __attribute__((weak, visibility("hidden")))

/* The kernel's set of signals has 64 bits, the C library's is larger. */
enum { KERNEL_SIGSET_SIZE = 8 };

#ifndef __GLIBC__
/* 2.26, with the one below */
NEWER ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t from,
                      int flags) {
  return syscall(SYS_preadv2, fd, vector, count, from, 0L, flags);
}

/* 2.28; glibc's works without the kernel's, too */
NEWER int statx(int folder, const char* path, int flags, unsigned int mask,
                struct statx* to) {
  return (int) syscall(SYS_statx, folder, path, flags, mask, to);
}

/* 2.28 */
NEWER int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                    unsigned int flags) {
  return (int) syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

NEWER ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t to,
                       int flags) {
  return syscall(SYS_pwritev2, fd, vector, count, to, 0L, flags);
}
#endif

#ifdef __GLIBC__
/* 2.30 */
NEWER pid_t gettid(void) {
  return (pid_t) syscall(SYS_gettid);
}
#endif

/* 2.30 */
NEWER ssize_t getdents64(int fd, void* buffer, size_t length) {
  return syscall(SYS_getdents64, fd, buffer, length);
}

/* 2.32 */
NEWER const char* sigabbrev_np(int signal) {
  static const char* const names[] = {
      [SIGHUP] = "HUP",       [SIGINT] = "INT",       [SIGQUIT] = "QUIT",
      [SIGILL] = "ILL",       [SIGTRAP] = "TRAP",     [SIGABRT] = "ABRT",
      [SIGBUS] = "BUS",       [SIGFPE] = "FPE",       [SIGKILL] = "KILL",
      [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2",
      [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM",     [SIGTERM] = "TERM",
      [SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD",     [SIGCONT] = "CONT",
      [SIGSTOP] = "STOP",     [SIGTSTP] = "TSTP",     [SIGTTIN] = "TTIN",
      [SIGTTOU] = "TTOU",     [SIGURG] = "URG",       [SIGXCPU] = "XCPU",
      [SIGXFSZ] = "XFSZ",     [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
      [SIGWINCH] = "WINCH",   [SIGIO] = "POLL",       [SIGPWR] = "PWR",
      [SIGSYS] = "SYS"};
  if (signal < 0 || (size_t) signal >= sizeof(names) / sizeof(names[0]))
    return NULL;
  return names[signal];
}

#ifdef __GLIBC__
/* 2.33, with the three below; before that, headers had them inline around __fxstat and
 * its kin. On 64-bit Linux the C library's struct stat is the kernel's. */
NEWER int fstatat(int folder, const char* restrict path, struct stat* restrict to,
                  int flags) {
  return (int) syscall(SYS_newfstatat, folder, path, to, flags);
}

NEWER int stat(const char* restrict path, struct stat* restrict to) {
  return (int) syscall(SYS_newfstatat, AT_FDCWD, path, to, 0);
}

NEWER int lstat(const char* restrict path, struct stat* restrict to) {
  return (int) syscall(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

NEWER int fstat(int fd, struct stat* to) {
  return (int) syscall(SYS_fstat, fd, to);
}
#endif

/* 2.34 */
NEWER int close_range(unsigned int first, unsigned int last, int flags) {
  return (int) syscall(SYS_close_range, first, last, flags);
}

typedef int pwait2_function(int, struct epoll_event*, int, const struct timespec*,
                            const sigset_t*);

/* Looks epoll_pwait2 up by name: under `rondo sim` the preloaded part has one that knows
 * virtual time, whatever the C library's age. */
static pwait2_function* newer_find_pwait2(void) {
  static _Atomic(pwait2_function*) found;
  static atomic_bool asked;
  if (!atomic_load_explicit(&asked, memory_order_acquire)) {
    void* symbol = dlsym(RTLD_DEFAULT, "epoll_pwait2");
    pwait2_function* function = NULL;
    memcpy(&function, &symbol, sizeof(function)); /* ISO C has no cast for this */
    atomic_store_explicit(&found, function, memory_order_relaxed);
    atomic_store_explicit(&asked, true, memory_order_release);
  }
  return atomic_load_explicit(&found, memory_order_relaxed);
}

/* 2.35 */
NEWER int epoll_pwait2(int set, struct epoll_event* events, int most,
                       const struct timespec* timeout, const sigset_t* mask) {
  pwait2_function* const function = newer_find_pwait2();
  if (function != NULL)
    return function(set, events, most, timeout, mask);
  return (int) syscall(SYS_epoll_pwait2, set, events, most, timeout, mask,
                       KERNEL_SIGSET_SIZE);
}
