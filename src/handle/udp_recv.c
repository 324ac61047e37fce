/* Receiving with a UDP handle.
 *
 * Each datagram is read straight into memory that the program gives, at its full length
 * or cut and marked UV_UDP_PARTIAL. With UV_UDP_RECVMMSG the buffer is divided into
 * chunks of the largest size that a datagram can have, and filled by one system call; a
 * buffer without room for one chunk comes back with UV_EINVAL. The program gets it back
 * with UV_UDP_MMSG_FREE in every case, also when a callback in between stopped or closed
 * the handle. Receiving goes on until the kernel has nothing more, which the program sees
 * as a last call with 0 bytes and no address, or until the turn's share of datagrams is
 * used up.
 *
 * A handle that was bound with UV_UDP_LINUX_RECVERR also has a queue of errors, one for
 * each datagram that a peer or a router refused. Each error is called back with that
 * flag, 0 bytes and no address. Programs written before libuv 1.52, where the flag was
 * only passed to uv_udp_bind, ignore such a call, and must not get an error that they
 * never got before. The error code itself is returned by the next call on the socket,
 * receiving or sending, as without the flag. */
#include "handle/udp.h"
#include "base/base.h"
#include "loop/watcher.h"

#include <errno.h>
#include <string.h>

enum {
  UDP_DATAGRAM_MAX = 64 * 1024,
  UDP_CHUNKS_MAX = 64,
  /* Datagrams or system calls in a turn, so that other handles get theirs. */
  UDP_TURN_MAX = 32,
};

static bool udp_receiving(const uv_udp_t* handle) {
  return watcher_wants(&handle->io_watcher, WATCH_IN) && handle->recv_cb != NULL;
}

static void udp_call_back(uv_udp_t* handle, uv_udp_recv_cb recv_cb, ssize_t nread,
                          const uv_buf_t* buf, const struct sockaddr* addr,
                          unsigned int flags) {
  if (nread > 0)
    trace_arrived(handle->loop, (uv_handle_t*) handle, handle->io_watcher.fd);
  loop_call_back(handle->loop, subject_handle(handle), nread, recv_cb, handle, nread, buf,
                 addr, flags);
}

/* Called after a failed read. EAGAIN is called back as 0 bytes without an address. */
static void udp_call_back_failure(uv_udp_t* handle, int error, const uv_buf_t* buf) {
  bool nothing = error == EAGAIN || error == EWOULDBLOCK;
  udp_call_back(handle, handle->recv_cb, nothing ? 0 : -error, buf, NULL, 0);
}

static const struct sockaddr* udp_sender(const struct msghdr* header) {
  return header->msg_namelen == 0 ? NULL : (const struct sockaddr*) header->msg_name;
}

static unsigned int udp_partial(const struct msghdr* header) {
  return (header->msg_flags & MSG_TRUNC) ? (unsigned int) UV_UDP_PARTIAL : 0;
}

/* Receives one datagram with recvmsg(2), which works for every kind of datagram socket.
 */
static ssize_t udp_recvmsg(int fd, const uv_buf_t* buf, struct sockaddr_storage* peer,
                           socklen_t* length, unsigned int* flags) {
  struct iovec vector = {.iov_base = buf->base, .iov_len = buf->len};
  struct msghdr header;
  ssize_t nread;

  memset(&header, 0, sizeof(header));
  header.msg_name = peer;
  header.msg_namelen = sizeof(*peer);
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  do
    nread = recvmsg(fd, &header, 0);
  while (nread == -1 && errno == EINTR);
  *length = header.msg_namelen;
  *flags = udp_partial(&header);
  return nread;
}

/* As udp_recvmsg, with a call that costs the kernel a tenth less: for UDP, MSG_TRUNC
 * makes it return the whole length of a datagram that was cut. Other sockets give that
 * flag other meanings. */
static ssize_t udp_recvfrom(int fd, const uv_buf_t* buf, struct sockaddr_storage* peer,
                            socklen_t* length, unsigned int* flags) {
  ssize_t nread;

  do {
    *length = sizeof(*peer);
    nread = recvfrom(fd, buf->base, buf->len, MSG_TRUNC, (struct sockaddr*) peer, length);
  } while (nread == -1 && errno == EINTR);
  *flags = 0;
  if (nread > 0 && (size_t) nread > buf->len) {
    *flags = UV_UDP_PARTIAL;
    nread = (ssize_t) buf->len;
  }
  return nread;
}

/* Returns how many datagrams came, 0 if there was none or an error. */
static int udp_receive_one(uv_udp_t* handle, const uv_buf_t* buf) {
  int fd = handle->io_watcher.fd;
  struct sockaddr_storage peer;
  socklen_t length;
  unsigned int flags;
  ssize_t nread = handle->flags & UDP_INTERNET
                      ? udp_recvfrom(fd, buf, &peer, &length, &flags)
                      : udp_recvmsg(fd, buf, &peer, &length, &flags);

  if (nread == -1) {
    udp_call_back_failure(handle, errno, buf);
    return 0;
  }
  udp_call_back(handle, handle->recv_cb, nread, buf,
                length == 0 ? NULL : (const struct sockaddr*) &peer, flags);
  return 1;
}

/* As udp_receive_one, with one datagram in each chunk of the buffer. Without room for one
 * chunk nothing is received: a datagram could be cut. */
static int udp_receive_many(uv_udp_t* handle, const uv_buf_t* buf) {
  struct sockaddr_storage peers[UDP_CHUNKS_MAX];
  struct iovec vectors[UDP_CHUNKS_MAX];
  struct mmsghdr batch[UDP_CHUNKS_MAX];
  int count = (int) size_min(buf->len / UDP_DATAGRAM_MAX, UDP_CHUNKS_MAX);
  int nread;

  if (count == 0) {
    udp_call_back_failure(handle, EINVAL, buf);
    return 0;
  }
  memset(batch, 0, (size_t) count * sizeof(batch[0]));
  for (int i = 0; i < count; i++) {
    vectors[i].iov_base = buf->base + (size_t) i * UDP_DATAGRAM_MAX;
    vectors[i].iov_len = UDP_DATAGRAM_MAX;
    batch[i].msg_hdr.msg_name = &peers[i];
    batch[i].msg_hdr.msg_namelen = sizeof(peers[i]);
    batch[i].msg_hdr.msg_iov = &vectors[i];
    batch[i].msg_hdr.msg_iovlen = 1;
  }
  do
    nread = recvmmsg(handle->io_watcher.fd, batch, (unsigned int) count, 0, NULL);
  while (nread == -1 && errno == EINTR);

  if (nread < 1) {
    udp_call_back_failure(handle, nread == 0 ? EAGAIN : errno, buf);
    return 0;
  }

  uv_udp_recv_cb recv_cb = handle->recv_cb;
  for (int i = 0; i < nread && udp_receiving(handle); i++) {
    const struct msghdr* header = &batch[i].msg_hdr;
    uv_buf_t chunk = {.base = vectors[i].iov_base, .len = vectors[i].iov_len};
    recv_cb = handle->recv_cb;
    udp_call_back(handle, recv_cb, (ssize_t) batch[i].msg_len, &chunk, udp_sender(header),
                  udp_partial(header) | UV_UDP_MMSG_CHUNK);
  }
  udp_call_back(handle, recv_cb, 0, buf, NULL, UV_UDP_MMSG_FREE);
  return nread;
}

/* Gets a buffer from the program. False if the program gave none, which is called back,
 * or stopped receiving in alloc_cb. */
static bool udp_allocate(uv_udp_t* handle, uv_buf_t* buf) {
  handle->alloc_cb((uv_handle_t*) handle, UDP_DATAGRAM_MAX, buf);
  if (!udp_receiving(handle))
    return false;
  if (buf->base != NULL && buf->len > 0)
    return true;
  udp_call_back(handle, handle->recv_cb, UV_ENOBUFS, buf, NULL, 0);
  return false;
}

void udp_receive(uv_udp_t* handle) {
  int received = 1;

  for (int left = UDP_TURN_MAX; left > 0 && received > 0 && udp_receiving(handle);
       left -= received) {
    uv_buf_t buf = {.base = NULL, .len = 0};
    if (!udp_allocate(handle, &buf))
      return;
    received = handle->flags & UDP_RECVMMSG ? udp_receive_many(handle, &buf)
                                            : udp_receive_one(handle, &buf);
  }
}

/* --- The queue of errors ------------------------------------------------------------ */

/* Takes one entry off the queue of errors. Returns 0 or a system error: EAGAIN if there
 * was none. */
static int udp_take_error(const uv_udp_t* handle) {
  struct msghdr header;
  ssize_t result;

  do {
    memset(&header, 0, sizeof(header));
    result = recvmsg(handle->io_watcher.fd, &header, MSG_ERRQUEUE | MSG_DONTWAIT);
  } while (result == -1 && errno == EINTR);
  return result == -1 ? errno : 0;
}

/* True if there may be more. */
static bool udp_receive_error(uv_udp_t* handle) {
  uv_buf_t buf = {.base = NULL, .len = 0};

  if (!udp_receiving(handle))
    return udp_take_error(handle) == 0;
  if (!udp_allocate(handle, &buf))
    return false;
  int err = udp_take_error(handle);
  if (err == 0)
    udp_call_back(handle, handle->recv_cb, 0, &buf, NULL, UV_UDP_LINUX_RECVERR);
  else
    udp_call_back_failure(handle, err, &buf);
  return err == 0;
}

void udp_receive_errors(uv_udp_t* handle) {
  bool more = true;

  for (int i = 0; i < UDP_TURN_MAX && more; i++)
    more = !handle_closing((uv_handle_t*) handle) && udp_receive_error(handle);
}

int uv_udp_recv_start(uv_udp_t* handle, uv_alloc_cb alloc_cb, uv_udp_recv_cb recv_cb) {
  if (handle->type != UV_UDP || handle_closing((uv_handle_t*) handle))
    return UV_EINVAL;
  if (alloc_cb == NULL || recv_cb == NULL)
    return UV_EINVAL;
  if (watcher_wants(&handle->io_watcher, WATCH_IN))
    return UV_EALREADY;
  int err = udp_bind_if_needed(handle, AF_INET, 0);
  if (err != 0)
    return err;

  handle->alloc_cb = alloc_cb;
  handle->recv_cb = recv_cb;
  watcher_start(handle->loop, &handle->io_watcher, WATCH_IN);
  trace_udp(handle->loop, handle->io_watcher.fd);
  udp_update_active(handle);
  return 0;
}

int uv_udp_recv_stop(uv_udp_t* handle) {
  if (handle->io_watcher.fd != -1)
    watcher_stop(handle->loop, &handle->io_watcher, WATCH_IN);
  handle->alloc_cb = NULL;
  handle->recv_cb = NULL;
  udp_update_active(handle);
  return 0;
}

int uv_udp_using_recvmmsg(const uv_udp_t* handle) {
  return (handle->flags & UDP_RECVMMSG) != 0;
}

size_t uv_udp_get_send_queue_size(const uv_udp_t* handle) {
  return handle->send_queue_size;
}

size_t uv_udp_get_send_queue_count(const uv_udp_t* handle) {
  return handle->send_queue_count;
}
