/* Streams: what TCP, pipes and terminals share, as seen from inside the room.
 *
 * A stream is an endpoint for bytes in order. A stream has at most one descriptor,
 * watched by stream->io_watcher from stream_open until it is closed. Reading interest
 * stays registered while the program reads; writing interest is registered only after the
 * kernel had no room. After every callback to the program the stream may be stopped or
 * closing. The stream's memory is valid until the closing phase. */
#ifndef RONDO_STREAM_H
#define RONDO_STREAM_H

#include "uv.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include <sys/types.h>

/* Bits of handle->flags. */
enum {
  STREAM_READING = HANDLE_ROOM << 0,
  STREAM_LISTENING = HANDLE_ROOM << 1,
  STREAM_SHUT = HANDLE_ROOM << 2,   /* the writing side is shut down */
  STREAM_SOCKET = HANDLE_ROOM << 3, /* recv and send work on the descriptor */
  TCP_NODELAY_ON = HANDLE_ROOM << 4,
  TCP_KEEPALIVE_ON = HANDLE_ROOM << 5,
  STREAM_READS_SMALL = HANDLE_ROOM << 6, /* the last read was small */
  STREAM_OWN_SIZE = HANDLE_ROOM << 7,    /* buffers have the program's size, not ours */
  /* The last two keep libuv's values: uvloop sets STREAM_READABLE itself, to learn of the
   * end of a pipe that it only writes to. */
  STREAM_READABLE = 1 << 14,
  STREAM_WRITABLE = 1 << 15,
};

/* The largest and the smallest size suggested to uv_alloc_cb. */
enum { STREAM_READ_SIZE = 64 * 1024, STREAM_READ_LEAST = 512 };

/* --- Life (stream.c) --------------------------------------------------------------- */
void stream_init(uv_loop_t* loop, uv_stream_t* stream, const struct handle_kind* kind);

/* Gives the stream its descriptor, which must be in the mode that the stream is to use.
 * flags: any of STREAM_READABLE, STREAM_WRITABLE and STREAM_SOCKET. UV_EBUSY if it has
 * one already, UV_EEXIST if another watcher of the loop has it, UV_ENOMEM. On failure the
 * descriptor stays the caller's. */
int stream_open(uv_stream_t* stream, int fd, unsigned int flags);

/* STREAM_SOCKET if the descriptor is a socket, else 0. */
unsigned int stream_socket_flag(int fd);

/* Takes a connect request. With an error it fails in the next pending phase; otherwise it
 * ends when the descriptor becomes writable. */
void stream_connecting(uv_stream_t* stream, uv_connect_t* req, uv_connect_cb cb,
                       int error);

/* The parts of handle_kind that all streams share. */
void stream_close(uv_handle_t* handle);
void stream_finish(uv_handle_t* handle);

static inline int stream_fd(const uv_stream_t* stream) {
  return stream->io_watcher.fd;
}

/* --- Reading (stream_read.c) ------------------------------------------------------- */
void stream_read(uv_stream_t* stream, unsigned int events);

/* --- Writing (stream_write.c) ------------------------------------------------------ */
/* Sends queued bytes while the kernel takes them, up to a limit. */
void stream_flush(uv_stream_t* stream);
/* Ends all queued writes with this error; stream_write_callbacks calls back with it. */
void stream_fail_writes(uv_stream_t* stream, int error);
void stream_write_callbacks(uv_stream_t* stream);

/* --- Accepting (stream_accept.c) --------------------------------------------------- */
void stream_accept_ready(uv_stream_t* server);

/* uv_listen for the kinds of stream that can listen. */
int tcp_listen(uv_tcp_t* tcp, int backlog);
int pipe_listen(uv_pipe_t* pipe, int backlog);
/* Sets, on a new socket, the options that were set before there was one. */
int tcp_settle(uv_tcp_t* tcp, int fd);

/* --- Handles that travel over pipes (stream_passing.c) ----------------------------- */
/* The descriptor of a handle that can be sent over a pipe; UV_EBADF or UV_EINVAL. */
int passing_descriptor(const uv_stream_t* send_handle);
/* As a vectored send and as a read, with a descriptor beside the bytes. Received
 * descriptors are queued on the stream. Errors are negative. */
ssize_t passing_send(int fd, const uv_buf_t* bufs, unsigned int nbufs, int passed);
ssize_t passing_receive(uv_stream_t* stream, uv_buf_t* buf);
/* The next received descriptor, or -1. */
int passing_next(uv_stream_t* stream);
/* Closes all descriptors that were received and never accepted. */
void passing_discard(uv_stream_t* stream);

static inline bool stream_passes_handles(const uv_stream_t* stream) {
  return stream->type == UV_NAMED_PIPE && ((const uv_pipe_t*) stream)->ipc;
}

#endif
