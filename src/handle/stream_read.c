/* Reading from a stream. Each time the descriptor is ready the program gives a buffer and
 * gets it back filled. A read that did not fill its buffer has emptied the kernel's, so
 * usually there is one system call per arrival. A read that filled its buffer is followed
 * by another, up to a limit, so that a fast peer can't monopolise the loop. The watcher
 * is level-triggered, so stopping early loses nothing.
 *
 * alloc_cb is asked for 64 KiB. Many programs allocate just that for each read, and when
 * messages are small the allocation costs more than the message: in a server with many
 * connections the heap grows and shrinks by megabytes in every turn. So alloc_cb of a
 * connection whose last read was small is asked for as much as has arrived (FIONREAD).
 * The extra system call pays only if the program allocates the suggested size and has
 * other buffers in use at the same time. Two signs of the opposite switch it off: a
 * buffer of another size than suggested, and a loop without finished writes whose
 * callbacks are still to come (Node ends each message before it reads the next). The data
 * delivered in one callback is the same either way. */
#include "handle/stream.h"
#include "loop/counters.h"
#include "sim/sim.h"
#include "system/tune.h"

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

static ssize_t stream_receive(uv_stream_t* stream, uv_buf_t* buf) {
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

static void stream_read_call_back(uv_stream_t* stream, ssize_t nread,
                                  const uv_buf_t* buf) {
  loop_call_back(stream->loop, subject_handle(stream), nread, stream->read_cb, stream,
                 nread, buf);
}

/* The end and errors are final: reading stops before the callback, so that each is called
 * back once, and the program may start again inside the callback. */
static void stream_read_end(uv_stream_t* stream, ssize_t err, const uv_buf_t* buf) {
  uv_read_stop(stream);
  if (err != UV_EOF)
    stream->flags &= ~(unsigned int) (STREAM_READABLE | STREAM_WRITABLE);
  stream_read_call_back(stream, err, buf);
}

/* The suggestion is larger than what has arrived, so that a read that empties the
 * kernel's buffer doesn't fill its own. If nothing has arrived, 64 KiB: the end of the
 * stream, or a message that arrives just now and must not be split. */
static size_t stream_suggested_size(uv_stream_t* stream) {
  const unsigned int looked_at = STREAM_SOCKET | STREAM_READS_SMALL | STREAM_OWN_SIZE;
  int arrived;
  if ((stream->flags & looked_at) != (STREAM_SOCKET | STREAM_READS_SMALL) ||
      !tune_is_on(TUNE_SIZED_READS) ||
      queue_empty(queue_of(stream->loop->pending_queue)) ||
      stream_passes_handles(stream) ||
      ioctl(stream_fd(stream), FIONREAD, &arrived) != 0 || arrived <= 0)
    return STREAM_READ_SIZE;
  size_t size = STREAM_READ_LEAST;
  while (size < STREAM_READ_SIZE && size <= (size_t) arrived)
    size *= 2;
  loop_count(stream->loop, COUNTER_READS_SIZED);
  return size;
}

static void stream_remember_size(uv_stream_t* stream, ssize_t n) {
  if (n <= SMALL_READ)
    stream->flags |= STREAM_READS_SMALL;
  else
    stream->flags &= ~(unsigned int) STREAM_READS_SMALL;
}

/* Reads once. True if there may be more. */
static bool stream_read_once(uv_stream_t* stream, unsigned int events) {
  uv_buf_t buf = {.base = NULL, .len = 0};
  size_t suggested = stream_suggested_size(stream);
  stream->alloc_cb((uv_handle_t*) stream, suggested, &buf);
  if (buf.len != suggested)
    stream->flags |= STREAM_OWN_SIZE;
  if (buf.base == NULL || buf.len == 0) {
    stream_read_call_back(stream, UV_ENOBUFS, &buf);
    return false;
  }
  /* alloc_cb may have stopped or closed the stream: the buffer still goes back to the
   * program. */
  if (!(stream->flags & STREAM_READING)) {
    stream_read_call_back(stream, 0, &buf);
    return false;
  }

  size_t size = buf.len;
  if (simulated(stream->loop) && !stream_passes_handles(stream))
    buf.len = sim_read_size(stream->loop, stream_fd(stream), size);
  bool is_cut = buf.len < size;
  ssize_t n =
      simulated(stream->loop) ? sim_read_fault(stream->loop, stream_fd(stream)) : 0;
  if (n == 0)
    n = stream_receive(stream, &buf);
  buf.len = size;
  if (n > 0) {
    stream_remember_size(stream, n);
    /* After a hang-up nothing more arrives: reading on to the end saves a turn. On a
     * blocking descriptor a second read could block. */
    bool more = (size_t) n == buf.len || (events & WATCH_HUP);
    trace_arrived(stream->loop, (uv_handle_t*) stream, stream_fd(stream));
    stream_read_call_back(stream, n, &buf);
    return more && !is_cut && !(stream->flags & HANDLE_BLOCKING_WRITES);
  }
  if (n == UV_EAGAIN)
    stream_read_call_back(stream, 0, &buf);
  else
    stream_read_end(stream, n == 0 ? UV_EOF : n, &buf);
  return false;
}

void stream_read(uv_stream_t* stream, unsigned int events) {
  for (int round = 0; round < READ_ROUNDS; round++) {
    if (!stream_read_once(stream, events) || !(stream->flags & STREAM_READING))
      return;
  }
}
