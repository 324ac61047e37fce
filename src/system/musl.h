/* What glibc declares and musl doesn't, or only in newer versions. The build includes
 * this header before every file where the C library isn't glibc (cmake/floor.cmake);
 * newer.c has the functions. */
#ifndef RONDO_SYSTEM_MUSL_H
#define RONDO_SYSTEM_MUSL_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef W_EXITCODE
#define W_EXITCODE(code, signal) ((code) << 8 | (signal))
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1U << 1)
#endif

#ifndef STATX_BASIC_STATS /* before 1.2.5 */
#include <linux/stat.h>
int statx(int folder, const char* path, int flags, unsigned int mask, struct statx* to);
#endif

/* glibc's kind that spins for a moment before it sleeps. */
#ifndef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP PTHREAD_MUTEX_INITIALIZER
#endif

/* musl has a macro of this name for its getdents, whose buffer has another type. */
#undef getdents64
ssize_t getdents64(int fd, void* buffer, size_t length);

int close_range(unsigned int first, unsigned int last, int flags);
int epoll_pwait2(int set, struct epoll_event* events, int most,
                 const struct timespec* timeout, const sigset_t* mask);
ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t from, int flags);
ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t to, int flags);
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags);
const char* sigabbrev_np(int signal);

/* musl loads no object that has such variables while a program runs, and libuv.so.1 is
 * loaded so for a libuv that is adopted. */
#define tls_model(model)

#endif
