/* Sending bytes, to every kind of descriptor. */
#ifndef RONDO_STREAM_SEND_H
#define RONDO_STREAM_SEND_H

#include "handle/stream.h"
#include "sim/sim.h"

#include <errno.h>
#include <sys/socket.h>

/* Whether a result of sending means that sending can be tried again later. ENOBUFS passes
 * with time, as EAGAIN does, but meanwhile the descriptor is reported as writable. */
static inline bool stream_no_room(ssize_t n) {
  return n == UV_EAGAIN || n == UV_ENOBUFS;
}

/* For every kind of descriptor and vector; retries after EINTR. */
ssize_t stream_send_any(uv_stream_t* stream, const uv_buf_t* bufs, unsigned int nbufs);

/* One system call: the number of bytes taken, or the error (see stream_no_room). Never
 * raises SIGPIPE. Takes at most IOV_MAX buffers of a longer vector. Nearly all writes are
 * one buffer to a socket with room for it: that case is handled inline. */
static inline ssize_t stream_send(uv_stream_t* stream, const uv_buf_t* bufs,
                                  unsigned int nbufs) {
  if (nbufs == 1 && (stream->flags & STREAM_SOCKET) && !simulated(stream->loop)) {
    ssize_t n = send(stream_fd(stream), bufs->base, bufs->len, MSG_NOSIGNAL);
    if (n >= 0)
      return n;
    /* Never retried except after EINTR: the kernel reports a socket's error once, and a
     * second call would give a different one. */
    if (errno != EINTR)
      return -errno;
  }
  return stream_send_any(stream, bufs, nbufs);
}

/* Waits until a blocking stream is writable. If it is starved (ENOBUFS), waits for a
 * moment at least, because it is reported as writable all the time. */
int stream_wait_writable(const uv_stream_t* stream, bool starved);

/* For tests: behave as on a kernel without RWF_NOSIGNAL. */
void stream_send_assume_old_kernel(bool old);

#endif
