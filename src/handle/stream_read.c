/* Reading from a stream. Each time the descriptor is ready the program gives a buffer and
 * gets it back filled. A read that did not fill its buffer has emptied the kernel's, so
 * that one system call per arrival is the rule; one that did is followed by another, but
 * only so often that a fast peer can't keep the loop to itself. Readiness is told as
 * long as something is left, so stopping early loses nothing.
 *
 * The size that the program is asked for is 64 KiB. Many programs allocate just that for
 * each read, and when messages are small this costs them more than the message: in a
 * server with many connections the heap grows and shrinks by megabytes in every turn. So
 * a connection whose last read was small is asked for what has really arrived. That
 * takes a system call, which is a good bargain only for a program that follows and that
 * has other buffers out: one that answers with a size of its own once is not served like
 * this again, and one that is done with each message before the next (as Node is, which
 * also cuts its buffers to size) leaves no writes to be told. What is delivered in one
 * callback stays the same. */
#include "handle/stream.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_ROUNDS = 32, SMALL_READ = 4096 };

int uv_read_start(uv_stream_t* stream, uv_alloc_cb alloc_cb, uv_read_cb read_cb) {
  if (stream == NULL || alloc_cb == NULL || read_cb == NULL)
    return UV_EINVAL;
  if (handle_closing((uv_handle_t*) stream))
    return UV_EINVAL;
  if (stream->flags & STREAM_READING)
    return UV_EALREADY;
  if (!(stream->flags & STREAM_READABLE) || stream_fd(stream) == -1)
    return UV_ENOTCONN;

  stream->flags |= STREAM_READING;
  stream->alloc_cb = alloc_cb;
  stream->read_cb = read_cb;
  watcher_start(stream->loop, &stream->io_watcher, WATCH_IN);
  handle_start((uv_handle_t*) stream);
  return 0;
}

int uv_read_stop(uv_stream_t* stream) {
  if (!(stream->flags & STREAM_READING))
    return 0;
  stream->flags &= ~(unsigned int) STREAM_READING;
  watcher_stop(stream->loop, &stream->io_watcher, WATCH_IN);
  handle_stop((uv_handle_t*) stream);
  return 0;
}

static ssize_t receive(uv_stream_t* stream, uv_buf_t* buf) {
  if (stream_passes_handles(stream))
    return passing_receive(stream, buf);

  int fd = stream_fd(stream);
  ssize_t n;
  do
    n = stream->flags & STREAM_SOCKET ? recv(fd, buf->base, buf->len, 0)
                                      : read(fd, buf->base, buf->len);
  while (n == -1 && errno == EINTR);
  return n == -1 ? -errno : n;
}

static void deliver(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  loop_call_back(stream->loop, subject_handle(stream), nread, stream->read_cb, stream,
                 nread, buf);
}

/* The end and errors are final: reading is over before the program hears of it, so that
 * it is told once, and may start again inside the callback if it knows better. */
static void end(uv_stream_t* stream, ssize_t error, const uv_buf_t* buf) {
  uv_read_stop(stream);
  if (error != UV_EOF)
    stream->flags &= ~(unsigned int) (STREAM_READABLE | STREAM_WRITABLE);
  deliver(stream, error, buf);
}

/* More than has arrived, so that a read that empties the kernel's buffer shows it. When
 * nothing has, it may be the end, or a message that comes now and must not be cut. */
static size_t suggested_size(uv_stream_t* stream) {
  const unsigned int looked_at = STREAM_SOCKET | STREAM_READS_SMALL | STREAM_OWN_SIZE;
  int arrived;
  if ((stream->flags & looked_at) != (STREAM_SOCKET | STREAM_READS_SMALL) ||
      queue_empty(queue_of(stream->loop->pending_queue)) ||
      stream_passes_handles(stream) ||
      ioctl(stream_fd(stream), FIONREAD, &arrived) != 0 || arrived <= 0)
    return STREAM_READ_SIZE;
  size_t size = STREAM_READ_LEAST;
  while (size < STREAM_READ_SIZE && size <= (size_t) arrived)
    size *= 2;
  return size;
}

static void remember_size(uv_stream_t* stream, ssize_t n) {
  if (n <= SMALL_READ)
    stream->flags |= STREAM_READS_SMALL;
  else
    stream->flags &= ~(unsigned int) STREAM_READS_SMALL;
}

/* One buffer's worth. True if there may be more. */
static bool read_once(uv_stream_t* stream, unsigned int events) {
  uv_buf_t buf = {.base = NULL, .len = 0};
  size_t suggested = suggested_size(stream);
  stream->alloc_cb((uv_handle_t*) stream, suggested, &buf);
  if (buf.len != suggested)
    stream->flags |= STREAM_OWN_SIZE;
  if (buf.base == NULL || buf.len == 0) {
    deliver(stream, UV_ENOBUFS, &buf);
    return false;
  }
  /* Stopped or closed by alloc_cb: the buffer must go back all the same. */
  if (!(stream->flags & STREAM_READING)) {
    deliver(stream, 0, &buf);
    return false;
  }

  ssize_t n = receive(stream, &buf);
  if (n > 0) {
    remember_size(stream, n);
    /* After a hang-up nothing is added any more, so that the end is near: going on to it
     * saves a turn. A blocking descriptor promised no more than this one read. */
    bool more = (size_t) n == buf.len || (events & WATCH_HUP);
    deliver(stream, n, &buf);
    return more && !(stream->flags & HANDLE_BLOCKING_WRITES);
  }
  if (n == UV_EAGAIN)
    deliver(stream, 0, &buf);
  else
    end(stream, n == 0 ? UV_EOF : n, &buf);
  return false;
}

void stream_read(uv_stream_t* stream, unsigned int events) {
  for (int round = 0; round < READ_ROUNDS; round++) {
    if (!read_once(stream, events) || !(stream->flags & STREAM_READING))
      return;
  }
}
