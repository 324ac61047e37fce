/* Sending bytes without ever raising SIGPIPE.
 *
 * Sockets have MSG_NOSIGNAL. For pipes, Linux 6.18 brought RWF_NOSIGNAL, which does the
 * same for a write. On older kernels the signal is blocked in this thread for the time of
 * the write and, if the write raised it, taken off the queue again: the program's own
 * disposition is never touched, and a SIGPIPE from another source is left pending. */
#include "handle/stream_send.h"

#include "base/base.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x00000100
#endif

_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
                   offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base) &&
                   offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "a uv_buf_t is handed to the kernel as an iovec");

static atomic_bool kernel_lacks_nosignal;

void stream_send_assume_old_kernel(bool old) {
  atomic_store_explicit(&kernel_lacks_nosignal, old, memory_order_relaxed);
}

static ssize_t stream_write_masked(int fd, const struct iovec* vector, int count) {
  sigset_t broken_pipe, pending, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigemptyset(&pending);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;

  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  ssize_t n = writev(fd, vector, count);
  int err = errno;
  if (n == -1 && err == EPIPE && !was_pending) {
    const struct timespec at_once = {0, 0};
    while (sigtimedwait(&broken_pipe, NULL, &at_once) == -1 && errno == EINTR)
      continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = err;
  return n;
}

static ssize_t stream_write_quietly(int fd, const struct iovec* vector, int count) {
  if (!atomic_load_explicit(&kernel_lacks_nosignal, memory_order_relaxed)) {
    ssize_t n = pwritev2(fd, vector, count, -1, RWF_NOSIGNAL);
    if (n != -1 || (errno != EOPNOTSUPP && errno != ENOSYS))
      return n;
    atomic_store_explicit(&kernel_lacks_nosignal, true, memory_order_relaxed);
  }
  return stream_write_masked(fd, vector, count);
}

static ssize_t stream_send_vector(int fd, const struct iovec* vector,
                                  unsigned int count) {
  struct msghdr message = {.msg_iov = (struct iovec*) vector, .msg_iovlen = count};
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t stream_send_any(uv_stream_t* stream, const uv_buf_t* bufs, unsigned int nbufs) {
  int fd = stream_fd(stream);
  uv_buf_t cut;
  if (simulated(stream->loop) && nbufs > 0 && !(stream->flags & HANDLE_BLOCKING_WRITES)) {
    if (sim_pipe_is_full(stream))
      return UV_EAGAIN;
    cut = bufs[0];
    cut.len = sim_write_size(stream->loop, fd, bufs[0].len);
    if (cut.len < bufs[0].len) {
      bufs = &cut;
      nbufs = 1;
    }
  }
  const struct iovec* vector = (const struct iovec*) bufs;
  unsigned int count = nbufs < IOV_MAX ? nbufs : IOV_MAX;
  ssize_t n;

  do {
    if (!(stream->flags & STREAM_SOCKET))
      n = stream_write_quietly(fd, vector, (int) count);
    else if (count == 1)
      n = send(fd, bufs[0].base, bufs[0].len, MSG_NOSIGNAL);
    else
      n = stream_send_vector(fd, vector, count);
  } while (n == -1 && errno == EINTR);

  return n >= 0 ? n : -errno;
}

int stream_wait_writable(const uv_stream_t* stream, bool starved) {
  if (starved)
    poll(NULL, 0, 1); /* the descriptor would seem ready at once */
  struct pollfd watched = {.fd = stream_fd(stream), .events = POLLOUT};
  int ready;
  do
    ready = poll(&watched, 1, -1);
  while (ready == -1 && errno == EINTR);
  return ready == -1 ? -errno : 0;
}
