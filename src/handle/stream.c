/* Streams: their life, from the descriptor they are given to the last callback. Readiness
 * arrives here, and only here, and is passed on to accepting, connecting, reading and
 * writing. */
#include "handle/stream.h"

#include "handle/descriptor.h"
#include "sim/sim.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void stream_event(uv_loop_t* loop, uv__io_t* w, unsigned int events);

void stream_init(uv_loop_t* loop, uv_stream_t* stream, const struct handle_kind* kind) {
  handle_init(loop, (uv_handle_t*) stream, kind);
  stream->write_queue_size = 0;
  stream->alloc_cb = NULL;
  stream->read_cb = NULL;
  stream->connect_req = NULL;
  stream->shutdown_req = NULL;
  stream->connection_cb = NULL;
  stream->delayed_error = 0;
  stream->accepted_fd = -1;
  stream->queued_fds = NULL;
  queue_init(queue_of(stream->write_queue));
  queue_init(queue_of(stream->write_completed_queue));
  watcher_init(&stream->io_watcher, stream_event);
}

int stream_open(uv_stream_t* stream, int fd, unsigned int flags) {
  assert(fd >= 0);
  if (stream_fd(stream) != -1)
    return UV_EBUSY;
  int err = watcher_open(stream->loop, &stream->io_watcher, fd);
  if (err == 0)
    stream->flags |= flags;
  return err;
}

unsigned int stream_socket_flag(int fd) {
  int type;
  return descriptor_get_option(fd, SOL_SOCKET, SO_TYPE, &type) == 0 ? STREAM_SOCKET : 0;
}

/* --- Connecting -------------------------------------------------------------------- */

void stream_connecting(uv_stream_t* stream, uv_connect_t* req, uv_connect_cb cb,
                       int error) {
  assert(stream->connect_req == NULL);
  req_begin(stream->loop, (uv_req_t*) req, UV_CONNECT);
  req->handle = stream;
  req->cb = cb;
  stream->connect_req = req;
  stream->delayed_error = error;
  if (error != 0)
    watcher_feed(stream->loop, &stream->io_watcher);
  else
    watcher_start(stream->loop, &stream->io_watcher, WATCH_OUT);
}

/* The result of the connect, or -EINPROGRESS. */
static int connect_result(uv_stream_t* stream) {
  int err = stream->delayed_error;
  if (err != 0) {
    stream->delayed_error = 0;
    return err;
  }
  int pending;
  err = descriptor_get_option(stream_fd(stream), SOL_SOCKET, SO_ERROR, &pending);
  if (err == 0 && pending == 0 && simulated(stream->loop))
    return sim_connect_fault(stream);
  return err != 0 ? err : -pending;
}

static void shutdown_if_drained(uv_stream_t* stream);

static void connect_ready(uv_stream_t* stream) {
  int status = connect_result(stream);
  if (status == -EINPROGRESS)
    return;

  uv_connect_t* req = stream->connect_req;
  stream->connect_req = NULL;
  if (stream_fd(stream) != -1)
    watcher_stop(stream->loop, &stream->io_watcher, WATCH_OUT);
  req_end(stream->loop, req);
  if (req->cb != NULL)
    loop_call_back(stream->loop, subject_req(req), status, req->cb, req, status);
  if (handle_closing((uv_handle_t*) stream))
    return;

  /* Bytes written before the connect ended are sent now, or fail. */
  if (status == 0)
    stream_flush(stream);
  else
    stream_fail_writes(stream, UV_ECANCELED);
  stream_write_callbacks(stream);
  shutdown_if_drained(stream);
}

/* --- Ending the writing side ------------------------------------------------------- */

int uv_shutdown(uv_shutdown_t* req, uv_stream_t* stream, uv_shutdown_cb cb) {
  if (stream_fd(stream) == -1 || !(stream->flags & STREAM_WRITABLE) ||
      handle_closing((uv_handle_t*) stream))
    return UV_ENOTCONN;

  assert(stream->shutdown_req == NULL);
  req_begin(stream->loop, (uv_req_t*) req, UV_SHUTDOWN);
  req->handle = stream;
  req->cb = cb;
  stream->shutdown_req = req;
  stream->flags &= ~(unsigned int) STREAM_WRITABLE;
  if (stream->connect_req == NULL && queue_empty(queue_of(stream->write_queue)))
    watcher_feed(stream->loop, &stream->io_watcher);
  return 0;
}

/* Comes after the callbacks of the writes, so that the program sees these first. */
static void shutdown_if_drained(uv_stream_t* stream) {
  uv_shutdown_t* req = stream->shutdown_req;
  if (req == NULL || handle_closing((uv_handle_t*) stream) ||
      !queue_empty(queue_of(stream->write_queue)) ||
      !queue_empty(queue_of(stream->write_completed_queue)))
    return;

  int status = shutdown(stream_fd(stream), SHUT_WR) == 0 ? 0 : -errno;
  if (status == 0)
    stream->flags |= STREAM_SHUT;
  stream->shutdown_req = NULL;
  req_end(stream->loop, req);
  if (req->cb != NULL)
    loop_call_back(stream->loop, subject_req(req), status, req->cb, req, status);
}

/* --- Readiness --------------------------------------------------------------------- */

static void stream_event(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  uv_stream_t* stream = rondo_container_of(w, uv_stream_t, io_watcher);
  (void) loop;
  assert(!handle_closing((uv_handle_t*) stream));

  if (stream->flags & STREAM_LISTENING) {
    if (events & WATCH_IN)
      stream_accept_ready(stream);
    return;
  }
  if (stream->connect_req != NULL) {
    /* A write that has ended meanwhile waits for the connect's callback, which comes
     * first. */
    if ((events & WATCH_OUT) || stream->delayed_error != 0)
      connect_ready(stream);
    return;
  }

  if ((events & WATCH_IN) && (stream->flags & STREAM_READING)) {
    stream_read(stream, events);
    if (handle_closing((uv_handle_t*) stream))
      return;
  }
  if (events & (WATCH_OUT | WATCH_FED)) {
    if (events & WATCH_OUT)
      stream_flush(stream);
    stream_write_callbacks(stream);
    shutdown_if_drained(stream);
  }
}

/* --- Closing ----------------------------------------------------------------------- */

void stream_close(uv_handle_t* handle) {
  uv_stream_t* stream = (uv_stream_t*) handle;

  uv_read_stop(stream);
  handle_stop(handle);
  watcher_close(stream->loop, &stream->io_watcher);
  stream->flags &= ~(unsigned int) (STREAM_READABLE | STREAM_WRITABLE | STREAM_LISTENING);

  int fd = stream_fd(stream);
  stream->io_watcher.fd = -1;
  /* Standard input, output and error stay open: if they were closed, the next file that
   * the program opens could receive its error messages. */
  if (fd > STDERR_FILENO)
    descriptor_close(fd);
  passing_discard(stream);
  handle_closed(handle);
}

void stream_finish(uv_handle_t* handle) {
  uv_stream_t* stream = (uv_stream_t*) handle;

  uv_connect_t* connect_req = stream->connect_req;
  if (connect_req != NULL) {
    stream->connect_req = NULL;
    req_end(stream->loop, connect_req);
    if (connect_req->cb != NULL)
      loop_call_back(stream->loop, subject_req(connect_req), UV_ECANCELED,
                     connect_req->cb, connect_req, UV_ECANCELED);
  }

  stream_fail_writes(stream, UV_ECANCELED);
  stream_write_callbacks(stream);

  uv_shutdown_t* shutdown_req = stream->shutdown_req;
  if (shutdown_req != NULL) {
    stream->shutdown_req = NULL;
    req_end(stream->loop, shutdown_req);
    if (shutdown_req->cb != NULL)
      loop_call_back(stream->loop, subject_req(shutdown_req), UV_ECANCELED,
                     shutdown_req->cb, shutdown_req, UV_ECANCELED);
  }
  assert(stream->write_queue_size == 0);
}

/* --- Small questions --------------------------------------------------------------- */

int uv_is_readable(const uv_stream_t* stream) {
  return (stream->flags & STREAM_READABLE) != 0;
}

int uv_is_writable(const uv_stream_t* stream) {
  return (stream->flags & STREAM_WRITABLE) != 0;
}

size_t uv_stream_get_write_queue_size(const uv_stream_t* stream) {
  return stream->write_queue_size;
}

int uv_stream_set_blocking(uv_stream_t* stream, int blocking) {
  if (stream_fd(stream) == -1)
    return UV_EBADF;
  int err = descriptor_nonblock(stream_fd(stream), !blocking);
  if (err != 0)
    return err;
  if (blocking)
    stream->flags |= HANDLE_BLOCKING_WRITES;
  else
    stream->flags &= ~(unsigned int) HANDLE_BLOCKING_WRITES;
  return 0;
}
