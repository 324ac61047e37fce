/* Handing bytes to the kernel, whatever kind of descriptor takes them. */
#ifndef RONDO_STREAM_SEND_H
#define RONDO_STREAM_SEND_H

#include "handle/stream.h"

/* One system call: the number of bytes taken, UV_EAGAIN if there is no room now, or the
 * error. Never raises SIGPIPE. Takes at most IOV_MAX buffers of a longer vector. */
ssize_t stream_send(uv_stream_t* stream, const uv_buf_t* bufs, unsigned int nbufs);

/* Waits until a blocking stream has room. */
int stream_wait_writable(const uv_stream_t* stream);

/* For tests: behave as on a kernel without RWF_NOSIGNAL. */
void stream_send_assume_old_kernel(bool old);

#endif
