/* Writing to a stream. If no other write is queued, a write is sent at once, straight
 * from the caller's vector; only the bytes that the kernel had no room for are queued.
 * Queued writes are sent in order, many of them in one system call, when the descriptor
 * is writable again. The callback comes later, in order, never from inside uv_write.
 *
 * write_queue_size counts exactly the bytes that the kernel has not taken yet. */
#include "handle/stream.h"
#include "base/alloc.h"
#include "base/base.h"
#include "base/buffer.h"
#include "handle/descriptor.h"
#include "handle/stream_send.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

/* How many buffers of queued writes are sent together, and how many such batches before
 * other streams get their turn. */
enum { GATHER = 256, FLUSH_ROUNDS = 32 };

static size_t stream_total_bytes(const uv_buf_t* bufs, unsigned int nbufs) {
  if (nbufs == 1)
    return bufs[0].len;
  size_t total = 0;
  for (unsigned int i = 0; i < nbufs; i++)
    total += bufs[i].len;
  return total;
}

/* --- the descriptor that travels with a queued write ----------------------------- */
/* A handle may be closed and freed while the write that carries it is queued, so a queued
 * write has its own copy of the descriptor, stored as number + 1 so that 0 means none. */

static int write_carried_fd(const uv_write_t* req) {
  return (int) (intptr_t) req->reserved[0] - 1;
}

static void write_set_carried_fd(uv_write_t* req, int fd) {
  req->reserved[0] = (void*) (intptr_t) (fd + 1);
}

static void write_drop_carried_fd(uv_write_t* req) {
  if (write_carried_fd(req) == -1)
    return;
  descriptor_close(write_carried_fd(req));
  write_set_carried_fd(req, -1);
}

/* --- requests -------------------------------------------------------------------- */

static uv_write_t* write_request_of(struct queue* link) {
  return rondo_container_of(link, uv_write_t, queue);
}

static void write_release_buffers(uv_write_t* req) {
  if (req->bufs != req->bufsml)
    mem_free(req->bufs);
  req->bufs = req->bufsml;
  req->nbufs = 0;
  req->write_index = 0;
}

/* Takes a request off the queue with its result; stream_write_callbacks calls it back. */
static void write_end_queued(uv_write_t* req, int err) {
  uv_stream_t* stream = req->handle;
  stream->write_queue_size -=
      stream_total_bytes(req->bufs + req->write_index, req->nbufs - req->write_index);
  req->error = err;
  write_release_buffers(req);
  write_drop_carried_fd(req);
  queue_remove(queue_of(req->queue));
  queue_push_back(queue_of(stream->write_completed_queue), queue_of(req->queue));
}

void stream_fail_writes(uv_stream_t* stream, int err) {
  struct queue* link;
  while ((link = queue_first(queue_of(stream->write_queue))) != NULL)
    write_end_queued(write_request_of(link), err);
}

static void write_call_back(uv_loop_t* loop, uv_write_t* req) {
  req_end(loop, req);
  if (req->cb != NULL)
    loop_call_back(loop, subject_req(req), req->error, req->cb, req, req->error);
}

/* Writes that the callbacks complete themselves wait for the next round. */
void stream_write_callbacks(uv_stream_t* stream) {
  struct queue* completed = queue_of(stream->write_completed_queue);
  struct queue* link = queue_first(completed);
  if (link == NULL)
    return;
  if (link == queue_last(completed)) { /* nearly always */
    queue_init(completed);
    queue_init(link);
    write_call_back(stream->loop, write_request_of(link));
    return;
  }
  struct queue batch;
  queue_move(completed, &batch);
  while ((link = queue_first(&batch)) != NULL) {
    queue_remove(link);
    write_call_back(stream->loop, write_request_of(link));
  }
}

/* Advances a request by up to n bytes and returns the rest of n. Empty buffers are
 * skipped. */
static size_t write_advance(uv_write_t* req, size_t n) {
  while (req->write_index < req->nbufs) {
    uv_buf_t* buf = &req->bufs[req->write_index];
    size_t step = size_min(n, buf->len);
    buf->base += step;
    buf->len -= step;
    n -= step;
    if (buf->len > 0)
      break;
    req->write_index++;
  }
  return n;
}

/* --- flushing the queue ---------------------------------------------------------- */

/* The unwritten buffers of as many requests as fit, up to one that carries a handle,
 * which needs a message of its own. */
static unsigned int stream_gather(uv_stream_t* stream, uv_buf_t* out) {
  struct queue* queue = queue_of(stream->write_queue);
  unsigned int count = 0;
  for (struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link)) {
    const uv_write_t* req = write_request_of(link);
    if (write_carried_fd(req) != -1)
      break;
    for (unsigned int i = req->write_index; i < req->nbufs; i++) {
      if (count == GATHER)
        return count;
      out[count++] = req->bufs[i];
    }
  }
  return count;
}

/* Sends from the front of the queue. Returns the bytes taken; *asked says how many were
 * offered. */
static ssize_t stream_send_front(uv_stream_t* stream, size_t* asked) {
  uv_write_t* front = write_request_of(queue_first(queue_of(stream->write_queue)));
  if (write_carried_fd(front) != -1) {
    uv_buf_t* bufs = front->bufs + front->write_index;
    unsigned int nbufs = front->nbufs - front->write_index;
    *asked = stream_total_bytes(bufs, nbufs < IOV_MAX ? nbufs : IOV_MAX);
    ssize_t n = passing_send(stream_fd(stream), bufs, nbufs, write_carried_fd(front));
    if (n >= 0)
      write_drop_carried_fd(front);
    return n;
  }

  uv_buf_t bufs[GATHER];
  bufs[0] = uv_buf_init(NULL, 0); /* remains if all queued writes are empty */
  unsigned int nbufs = stream_gather(stream, bufs);
  *asked = stream_total_bytes(bufs, nbufs);
  return stream_send(stream, bufs, nbufs);
}

static void stream_take_off(uv_stream_t* stream, size_t n) {
  struct queue* link;
  stream->write_queue_size -= n;
  while ((link = queue_first(queue_of(stream->write_queue))) != NULL) {
    uv_write_t* req = write_request_of(link);
    if (write_carried_fd(req) != -1)
      break;
    n = write_advance(req, n);
    if (req->write_index < req->nbufs)
      break;
    write_end_queued(req, 0);
  }
  assert(n == 0);
}

void stream_flush(uv_stream_t* stream) {
  struct queue* queue = queue_of(stream->write_queue);
  bool starved = false;
  for (int round = 0; round < FLUSH_ROUNDS && !queue_empty(queue); round++) {
    size_t asked;
    ssize_t n = stream_send_front(stream, &asked);
    if (stream_no_room(n)) {
      starved = n == UV_ENOBUFS;
      break;
    }
    if (n < 0) {
      /* Bytes behind a gap in the stream must not be sent. */
      stream_fail_writes(stream, (int) n);
      break;
    }
    stream_take_off(stream, (size_t) n);
    watcher_ease(&stream->io_watcher);
    if ((size_t) n < asked)
      break;
  }
  if (queue_empty(queue))
    watcher_stop(stream->loop, &stream->io_watcher, WATCH_OUT);
  else
    watcher_start(stream->loop, &stream->io_watcher, WATCH_OUT);
  if (starved)
    watcher_back_off(stream->loop, &stream->io_watcher, WATCH_OUT);
}

/* --- new writes ------------------------------------------------------------------ */

static inline int stream_check_write(const uv_stream_t* stream, const uv_buf_t* bufs,
                                     unsigned int nbufs, const uv_stream_t* send_handle) {
  if (!buffers_fit(bufs, nbufs))
    return UV_EINVAL;
  if (stream_fd(stream) == -1)
    return UV_EBADF;
  if (!(stream->flags & STREAM_WRITABLE))
    return UV_EPIPE;
  if (send_handle == NULL)
    return 0;
  if (!stream_passes_handles(stream))
    return UV_EINVAL;
  int fd = passing_descriptor(send_handle);
  return fd < 0 ? fd : 0;
}

/* Sends as much as the kernel takes now. On a blocking stream, waits until it takes
 * something. */
static ssize_t stream_send_now(uv_stream_t* stream, const uv_buf_t* bufs,
                               unsigned int nbufs, int passed) {
  for (;;) {
    ssize_t n = passed != -1 ? passing_send(stream_fd(stream), bufs, nbufs, passed)
                             : stream_send(stream, bufs, nbufs);
    if (!stream_no_room(n) || !(stream->flags & HANDLE_BLOCKING_WRITES))
      return n;
    int err = stream_wait_writable(stream, n == UV_ENOBUFS);
    if (err != 0)
      return err;
  }
}

/* Copies the part of a vector beyond its first `sent` bytes into the request. */
static int write_keep_rest(uv_write_t* req, const uv_buf_t* bufs, unsigned int nbufs,
                           size_t sent) {
  unsigned int first = 0;
  while (first < nbufs && sent >= bufs[first].len)
    sent -= bufs[first++].len;

  unsigned int count = nbufs - first;
  req->bufs = req->bufsml;
  if (count > ARRAY_LENGTH(req->bufsml)) {
    req->bufs = mem_alloc(count * sizeof(*bufs));
    if (req->bufs == NULL) {
      req->bufs = req->bufsml;
      return UV_ENOMEM;
    }
  }
  if (count > 0) {
    memcpy(req->bufs, bufs + first, count * sizeof(*bufs));
    req->bufs[0].base += sent;
    req->bufs[0].len -= sent;
  }
  req->nbufs = count;
  req->write_index = 0;
  return 0;
}

static void write_complete(uv_write_t* req, int err) {
  uv_stream_t* stream = req->handle;
  req->error = err;
  queue_push_back(queue_of(stream->write_completed_queue), queue_of(req->queue));
  watcher_feed(stream->loop, &stream->io_watcher);
}

/* Queues the rest of a write. `passed` is a handle's descriptor that is still to be sent.
 */
static int write_enqueue(uv_write_t* req, const uv_buf_t* bufs, unsigned int nbufs,
                         size_t sent, size_t total, int passed) {
  uv_stream_t* stream = req->handle;
  int err = write_keep_rest(req, bufs, nbufs, sent);
  if (err == 0 && passed != -1) {
    int copy = fcntl(passed, F_DUPFD_CLOEXEC, 3);
    if (copy == -1) {
      err = -errno;
      write_release_buffers(req);
    } else {
      write_set_carried_fd(req, copy);
    }
  }
  if (err != 0)
    return err;
  stream->write_queue_size += total - sent;
  queue_push_back(queue_of(stream->write_queue), queue_of(req->queue));
  return 0;
}

/* A blocking stream: sends the whole queue before it returns. */
static void stream_flush_blocking(uv_stream_t* stream) {
  while (!queue_empty(queue_of(stream->write_queue))) {
    stream_flush(stream);
    if (queue_empty(queue_of(stream->write_queue)))
      break;
    int err = stream_wait_writable(stream, watcher_is_held(&stream->io_watcher));
    if (err != 0)
      stream_fail_writes(stream, err);
  }
  watcher_stop(stream->loop, &stream->io_watcher, WATCH_OUT);
  watcher_feed(stream->loop, &stream->io_watcher);
}

/* For a write that the kernel did not take completely, or that has others queued before
 * it. */
static int stream_write_rest(uv_write_t* req, const uv_buf_t* bufs, unsigned int nbufs,
                             ssize_t sent, size_t total, int passed) {
  uv_stream_t* stream = req->handle;
  size_t taken = sent > 0 ? (size_t) sent : 0;
  if (sent >= 0)
    passed = -1;

  int err = write_enqueue(req, bufs, nbufs, taken, total, passed);
  if (err != 0) {
    /* Some bytes were sent: the error is reported by the callback, not by the return
     * value. */
    if (sent >= 0) {
      write_complete(req, err);
      return 0;
    }
    req_end(stream->loop, req);
    return err;
  }

  if (stream->connect_req != NULL)
    return 0;
  if (stream->flags & HANDLE_BLOCKING_WRITES)
    stream_flush_blocking(stream);
  else if (nbufs > IOV_MAX && sent > 0) {
    /* The vector was cut at IOV_MAX; the kernel may have room for the rest. */
    stream_flush(stream);
    watcher_feed(stream->loop, &stream->io_watcher);
  } else
    watcher_start(stream->loop, &stream->io_watcher, WATCH_OUT);
  return 0;
}

int uv_write2(uv_write_t* req, uv_stream_t* stream, const uv_buf_t bufs[],
              unsigned int nbufs, uv_stream_t* send_handle, uv_write_cb cb) {
  int err = stream_check_write(stream, bufs, nbufs, send_handle);
  if (err != 0)
    return err;
  /* A descriptor travels beside at least one byte; without one it would be lost. */
  size_t total = stream_total_bytes(bufs, nbufs);
  if (total == 0 && send_handle != NULL)
    return UV_EINVAL;

  req_begin(stream->loop, (uv_req_t*) req, UV_WRITE);
  req->cb = cb;
  req->handle = stream;
  req->send_handle = send_handle;
  req->error = 0;
  write_set_carried_fd(req, -1);
  queue_init(queue_of(req->queue));

  int passed = send_handle != NULL ? passing_descriptor(send_handle) : -1;
  ssize_t sent = UV_EAGAIN;
  if (queue_empty(queue_of(stream->write_queue)) && stream->connect_req == NULL) {
    sent = stream_send_now(stream, bufs, nbufs, passed);
    if (sent == (ssize_t) total || (sent < 0 && !stream_no_room(sent))) {
      write_complete(req, sent < 0 ? (int) sent : 0);
      return 0;
    }
  }
  return stream_write_rest(req, bufs, nbufs, sent, total, passed);
}

int uv_write(uv_write_t* req, uv_stream_t* stream, const uv_buf_t bufs[],
             unsigned int nbufs, uv_write_cb cb) {
  return uv_write2(req, stream, bufs, nbufs, NULL, cb);
}

int uv_try_write2(uv_stream_t* stream, const uv_buf_t bufs[], unsigned int nbufs,
                  uv_stream_t* send_handle) {
  int err = stream_check_write(stream, bufs, nbufs, send_handle);
  if (err != 0)
    return err;
  if (stream->connect_req != NULL || !queue_empty(queue_of(stream->write_queue)))
    return UV_EAGAIN;
  int passed = send_handle != NULL ? passing_descriptor(send_handle) : -1;
  ssize_t sent = stream_send_now(stream, bufs, nbufs, passed);
  return stream_no_room(sent) ? UV_EAGAIN : (int) sent;
}

int uv_try_write(uv_stream_t* stream, const uv_buf_t bufs[], unsigned int nbufs) {
  return uv_try_write2(stream, bufs, nbufs, NULL);
}
