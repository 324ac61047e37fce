/* What the interface borrows from the system: descriptors, ids, buffers, threads and
 * locks under the names that programs use, and the watcher by which the loop knows a
 * descriptor. */
#ifndef UV_UNIX_H
#define UV_UNIX_H

#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <termios.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "uv/linux.h"
#include "uv/threadpool.h"

/* A program in strict ISO C mode doesn't see these of netdb.h. */
#ifndef NI_MAXHOST
#define NI_MAXHOST 1025
#endif
#ifndef NI_MAXSERV
#define NI_MAXSERV 32
#endif
struct addrinfo;

/* Descriptors and ids */
typedef int uv_file;
typedef int uv_os_fd_t;
typedef int uv_os_sock_t;
typedef pid_t uv_pid_t;
typedef uid_t uv_uid_t;
typedef gid_t uv_gid_t;

/* A piece of memory; laid out as struct iovec. */
typedef struct uv_buf_t {
  char* base;
  size_t len;
} uv_buf_t;

/* Threads and locks */
typedef pthread_t uv_thread_t;
typedef pthread_key_t uv_key_t;
typedef pthread_once_t uv_once_t;
typedef pthread_mutex_t uv_mutex_t;
typedef pthread_cond_t uv_cond_t;
typedef sem_t uv_sem_t;
#define UV_ONCE_INIT PTHREAD_ONCE_INIT

/* In strict ISO C mode pthread.h hides these two: keep their size and alignment. */
#ifdef PTHREAD_RWLOCK_INITIALIZER
typedef pthread_rwlock_t uv_rwlock_t;
#else
typedef struct {
  long opaque[7];
} uv_rwlock_t;
#endif
#ifdef PTHREAD_BARRIER_SERIAL_THREAD
typedef pthread_barrier_t uv_barrier_t;
#else
typedef struct {
  long opaque[4];
} uv_barrier_t;
#endif

/* A loaded library, see uv_dlopen. */
typedef struct {
  void* handle;
  char* errmsg;
} uv_lib_t;
#define UV_DYNAMIC

/* A descriptor as the loop watches it. Private: embedded in handles for its size. */
struct uv_loop_s;
struct uv__io_s;
typedef void (*uv__io_cb)(struct uv_loop_s* loop, struct uv__io_s* w,
                          unsigned int events);
typedef struct uv__io_s {
  uv__io_cb cb;
  void* pending_queue[2];
  void* watcher_queue[2];
  unsigned int wanted;
  unsigned int flags;
  int fd;
} uv__io_t;

#endif
