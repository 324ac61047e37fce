/* Sending with a UDP handle.
 *
 * A datagram is sent at once if no other is queued. Later ones are queued and sent
 * together, with sendmmsg, in the next pending phase or after the next poll, whichever is
 * first: many datagrams in one system call and no change of the watched events. Only when
 * the kernel has no room is the socket watched for writability. Callbacks come later than
 * the call that sends, in the order of the calls.
 *
 * A flush offers the kernel the whole queue, however long. libuv sends queued datagrams
 * in its poll, as many as the kernel takes. To match that, every datagram queued before a
 * poll has been offered to the kernel by the end of the poll, so that a close in a later
 * phase cancels only the datagrams that the kernel had no room for. */
#include "handle/udp.h"
#include "base/alloc.h"
#include "base/base.h"
#include "base/buffer.h"
#include "loop/watcher.h"
#include "sim/sim.h"

#include <errno.h>
#include <string.h>

enum { UDP_BATCH = 64 }; /* datagrams in one sendmmsg */

_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
                   offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base) &&
                   offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "buffers are handed to the kernel as they are");

/* A full device queue (ENOBUFS) empties by itself, as a full socket buffer does. */
static bool udp_no_room(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

static void udp_fill_header(struct msghdr* header, const uv_buf_t* bufs,
                            unsigned int nbufs, const struct sockaddr* addr) {
  memset(header, 0, sizeof(*header));
  if (addr != NULL) {
    header->msg_name = (void*) (uintptr_t) addr;
    header->msg_namelen = udp_address_length(addr);
  }
  header->msg_iov = (struct iovec*) (uintptr_t) bufs;
  header->msg_iovlen = nbufs;
}

static const struct sockaddr* udp_request_address(const uv_udp_send_t* req) {
  return req->addr.ss_family == AF_UNSPEC ? NULL : (const struct sockaddr*) &req->addr;
}

static uv_udp_send_t* udp_first_queued(uv_udp_t* handle) {
  struct queue* link = queue_first(queue_of(handle->write_queue));
  return link == NULL ? NULL : rondo_container_of(link, uv_udp_send_t, queue);
}

static void udp_complete(uv_udp_t* handle, uv_udp_send_t* req, ssize_t status) {
  req->status = status;
  queue_remove(queue_of(req->queue));
  queue_push_back(queue_of(handle->write_completed_queue), queue_of(req->queue));
}

static unsigned int udp_fill_batch(uv_udp_t* handle, struct mmsghdr batch[UDP_BATCH]) {
  struct queue* waiting = queue_of(handle->write_queue);
  unsigned int count = 0;
  for (struct queue* link = queue_first(waiting); link != NULL && count < UDP_BATCH;
       link = queue_next(waiting, link)) {
    uv_udp_send_t* req = rondo_container_of(link, uv_udp_send_t, queue);
    udp_fill_header(&batch[count].msg_hdr, req->bufs, req->nbufs,
                    udp_request_address(req));
    batch[count].msg_len = 0;
    count++;
  }
  return count;
}

/* Sends one datagram; returns the bytes sent, or a negative error. Most datagrams have
 * one buffer, and sendto(2) saves the kernel from copying headers and vectors. */
static ssize_t udp_send_one(uv_udp_t* handle, const uv_buf_t* bufs, unsigned int nbufs,
                            const struct sockaddr* addr) {
  struct msghdr header;
  int fd = handle->io_watcher.fd;
  ssize_t sent = -1;

  udp_fill_header(&header, bufs, nbufs, addr);
  if (simulated(handle->loop))
    sent = sim_take_datagram(handle, &header);
  if (sent >= 0)
    return sent;
  do {
    if (nbufs == 1)
      sent = sendto(fd, bufs->base, bufs->len, 0, addr, header.msg_namelen);
    else
      sent = sendmsg(fd, &header, 0);
  } while (sent == -1 && errno == EINTR);
  return sent == -1 ? -errno : sent;
}

static int udp_sendmmsg(int fd, struct mmsghdr* batch, unsigned int count) {
  int sent;
  do
    sent = sendmmsg(fd, batch, count, 0);
  while (sent == -1 && errno == EINTR);
  return sent == -1 ? -errno : sent;
}

/* Sends as many as one system call can. Returns 0, or the reason why the kernel has no
 * room now. */
static int udp_flush_batch(uv_udp_t* handle) {
  struct mmsghdr batch[UDP_BATCH];
  int fd = handle->io_watcher.fd;
  uv_udp_send_t* first = udp_first_queued(handle);

  /* On a simulated loop each is decided about by itself. */
  if (queue_last(queue_of(handle->write_queue)) == queue_of(first->queue) ||
      simulated(handle->loop)) {
    ssize_t sent =
        udp_send_one(handle, first->bufs, first->nbufs, udp_request_address(first));
    if (sent < 0 && udp_no_room((int) -sent))
      return (int) sent;
    udp_complete(handle, first, sent);
    return 0;
  }

  int sent = udp_sendmmsg(fd, batch, udp_fill_batch(handle, batch));
  if (sent < 0 && udp_no_room(-sent))
    return sent;
  /* sendmmsg returns an error only if the first datagram failed; if a later one failed,
   * it returns the count of those before it. */
  if (sent < 0)
    udp_complete(handle, first, sent);
  for (int i = 0; i < sent; i++)
    udp_complete(handle, udp_first_queued(handle), (ssize_t) batch[i].msg_len);
  return 0;
}

void udp_flush(uv_udp_t* handle) {
  uv__io_t* watcher = &handle->io_watcher;
  struct queue* waiting = queue_of(handle->write_queue);

  while (!queue_empty(waiting)) { /* no callback runs here, so the queue only shrinks */
    int err = udp_flush_batch(handle);
    if (err != 0) {
      watcher_start(handle->loop, watcher, WATCH_OUT);
      if (err == UV_ENOBUFS) /* the socket itself has room and is reported as writable */
        watcher_back_off(handle->loop, watcher, WATCH_OUT);
      return;
    }
    watcher_ease(watcher);
  }
  watcher_stop(handle->loop, watcher, WATCH_OUT);
}

void udp_fail_queued(uv_udp_t* handle, int error) {
  for (uv_udp_send_t* req = udp_first_queued(handle); req != NULL;
       req = udp_first_queued(handle))
    udp_complete(handle, req, error);
}

void udp_run_completed(uv_udp_t* handle) {
  struct queue batch;

  queue_move(queue_of(handle->write_completed_queue), &batch);
  while (!queue_empty(&batch)) {
    struct queue* link = queue_first(&batch);
    uv_udp_send_t* req = rondo_container_of(link, uv_udp_send_t, queue);
    queue_remove(link);

    for (unsigned int i = 0; i < req->nbufs; i++)
      handle->send_queue_size -= req->bufs[i].len;
    handle->send_queue_count--;
    req_end(handle->loop, req);
    if (req->bufs != req->bufsml)
      mem_free(req->bufs);
    req->bufs = NULL;

    /* The byte count isn't reported: a datagram is sent as a whole or not at all. */
    int status = req->status < 0 ? (int) req->status : 0;
    if (req->send_cb != NULL)
      loop_call_back(handle->loop, subject_req(req), status, req->send_cb, req, status);
  }
  udp_update_active(handle);
}

/* The checks that all ways of sending share. */
static int udp_check_destination(const uv_udp_t* handle, const struct sockaddr* addr) {
  if (handle->type != UV_UDP || handle_closing((const uv_handle_t*) handle))
    return UV_EINVAL;
  if (handle->flags & UDP_CONNECTED)
    return addr != NULL ? UV_EISCONN : 0;
  if (addr == NULL)
    return UV_EDESTADDRREQ;
  return udp_address_length(addr) == 0 ? UV_EINVAL : 0;
}

static int udp_prepare(uv_udp_t* handle, const struct sockaddr* addr) {
  int err = udp_check_destination(handle, addr);
  if (err == 0 && addr != NULL)
    err = udp_bind_if_needed(handle, addr->sa_family, 0);
  return err;
}

static int udp_copy_buffers(uv_udp_send_t* req, const uv_buf_t bufs[],
                            unsigned int nbufs) {
  req->bufs = req->bufsml;
  if (nbufs > ARRAY_LENGTH(req->bufsml)) {
    req->bufs = mem_alloc(nbufs * sizeof(*bufs));
    if (req->bufs == NULL)
      return UV_ENOMEM;
  }
  memcpy(req->bufs, bufs, nbufs * sizeof(*bufs));
  req->nbufs = nbufs;
  return 0;
}

int uv_udp_send(uv_udp_send_t* req, uv_udp_t* handle, const uv_buf_t bufs[],
                unsigned int nbufs, const struct sockaddr* addr, uv_udp_send_cb send_cb) {
  if (!buffers_fit(bufs, nbufs))
    return UV_EINVAL;
  int err = udp_prepare(handle, addr);
  if (err != 0)
    return err;
  err = udp_copy_buffers(req, bufs, nbufs);
  if (err != 0)
    return err;

  req->addr.ss_family = AF_UNSPEC;
  if (addr != NULL)
    memcpy(&req->addr, addr, udp_address_length(addr));
  req->handle = handle;
  req->send_cb = send_cb;
  req->status = 0;

  bool alone = handle->send_queue_count == 0;
  for (unsigned int i = 0; i < nbufs; i++)
    handle->send_queue_size += bufs[i].len;
  handle->send_queue_count++;
  req_begin(handle->loop, (uv_req_t*) req, UV_UDP_SEND);
  queue_push_back(queue_of(handle->write_queue), queue_of(req->queue));
  handle_start((uv_handle_t*) handle);

  if (alone)
    udp_flush(handle);
  /* If the socket is full, the watcher reports when to continue; otherwise the next
   * pending phase calls back the requests that were sent and sends the rest. */
  if (!watcher_wants(&handle->io_watcher, WATCH_OUT))
    watcher_feed(handle->loop, &handle->io_watcher);
  return 0;
}

int uv_udp_try_send(uv_udp_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
                    const struct sockaddr* addr) {
  if (!buffers_fit(bufs, nbufs))
    return UV_EINVAL;
  int err = udp_check_destination(handle, addr);
  if (err != 0)
    return err;
  /* The datagram would overtake those that are queued. */
  if (handle->send_queue_count != 0)
    return UV_EAGAIN;
  err = udp_prepare(handle, addr);
  if (err != 0)
    return err;

  ssize_t sent = udp_send_one(handle, bufs, nbufs, addr);
  return sent < 0 && udp_no_room((int) -sent) ? UV_EAGAIN : (int) sent;
}

/* Fills as many messages as fit, from `first` on, up to one with a bad address: those
 * before it can still be sent. */
static unsigned int udp_fill_many(uv_udp_t* handle, struct mmsghdr batch[UDP_BATCH],
                                  unsigned int count, uv_buf_t* bufs[],
                                  const unsigned int nbufs[], struct sockaddr* addrs[],
                                  int* err) {
  unsigned int filled;
  for (filled = 0; filled < count && filled < UDP_BATCH; filled++) {
    const struct sockaddr* addr = addrs == NULL ? NULL : addrs[filled];
    *err = udp_prepare(handle, addr);
    if (*err != 0)
      break;
    udp_fill_header(&batch[filled].msg_hdr, bufs[filled], nbufs[filled], addr);
    batch[filled].msg_len = 0;
  }
  return filled;
}

int uv_udp_try_send2(uv_udp_t* handle, unsigned int count, uv_buf_t* bufs[],
                     unsigned int nbufs[], struct sockaddr* addrs[], unsigned int flags) {
  unsigned int done = 0;
  int err = 0;

  if (count < 1 || count > INT32_MAX || flags != 0)
    return UV_EINVAL;
  for (unsigned int i = 0; i < count; i++) {
    if (!buffers_fit(bufs[i], nbufs[i]))
      return UV_EINVAL;
  }
  if (handle->send_queue_count != 0)
    return UV_EAGAIN;

  /* On a simulated loop each is decided about by itself. */
  for (; simulated(handle->loop) && done < count && err == 0; done += err == 0) {
    const struct sockaddr* addr = addrs == NULL ? NULL : addrs[done];
    err = udp_prepare(handle, addr);
    ssize_t sent = err != 0 ? err : udp_send_one(handle, bufs[done], nbufs[done], addr);
    if (err == 0 && sent < 0)
      err = udp_no_room((int) -sent) ? UV_EAGAIN : (int) sent;
  }
  while (done < count && err == 0) {
    struct mmsghdr batch[UDP_BATCH];
    unsigned int filled =
        udp_fill_many(handle, batch, count - done, bufs + done, nbufs + done,
                      addrs == NULL ? NULL : addrs + done, &err);
    if (filled == 0)
      break;
    int sent = udp_sendmmsg(handle->io_watcher.fd, batch, filled);
    if (sent < 0)
      err = udp_no_room(-sent) ? UV_EAGAIN : sent;
    else
      done += (unsigned int) sent;
    if (sent < (int) filled)
      break;
  }
  /* An error is returned only if it is that of the first datagram. */
  return done > 0 ? (int) done : err;
}
