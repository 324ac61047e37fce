/* UDP handles: making the socket, bind, connect and close.
 *
 * The socket is made when it is first needed, unless the caller names a family at once. A
 * call that fails leaves the handle as it was: a socket made by the call is closed again.
 */
#include "handle/udp.h"

#include "base/address.h"
#include "handle/descriptor.h"
#include "loop/watcher.h"
#include "sim/sim.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

static void udp_ready(uv_loop_t* loop, uv__io_t* watcher, unsigned int events) {
  uv_udp_t* handle = rondo_container_of(watcher, uv_udp_t, io_watcher);
  (void) loop;

  if (events & WATCH_IN)
    udp_receive(handle);
  if (handle_closing((uv_handle_t*) handle))
    return;

  /* Called after a send that had no room (WATCH_OUT), and a turn after uv_udp_send
   * (WATCH_FED), when requests that were sent at once are called back too. */
  if (events & (WATCH_OUT | WATCH_FED)) {
    udp_flush(handle);
    udp_run_completed(handle);
    if (handle_closing((uv_handle_t*) handle))
      return;
  }

  if ((events & WATCH_ERR) && (handle->flags & UDP_RECVERR))
    udp_receive_errors(handle);
}

static void udp_close(uv_handle_t* base) {
  uv_udp_t* handle = (uv_udp_t*) base;
  uv__io_t* watcher = &handle->io_watcher;

  handle_stop(base);
  if (watcher->fd != -1) {
    if (simulated(base->loop))
      sim_datagrams_end(handle);
    watcher_close(base->loop, watcher);
    descriptor_close(watcher->fd);
    watcher->fd = -1;
  }
  handle_closed(base);
}

static void udp_finish(uv_handle_t* base) {
  uv_udp_t* handle = (uv_udp_t*) base;
  udp_fail_queued(handle, UV_ECANCELED);
  udp_run_completed(handle);
  assert(handle->send_queue_count == 0 && handle->send_queue_size == 0);
}

static const struct handle_kind udp_kind = {
    .type = UV_UDP,
    .close = udp_close,
    .finish = udp_finish,
};

void udp_update_active(uv_udp_t* handle) {
  uv_handle_t* base = (uv_handle_t*) handle;
  if (handle_closing(base))
    return;
  if (handle->send_queue_count > 0 || watcher_wants(&handle->io_watcher, WATCH_IN))
    handle_start(base);
  else
    handle_stop(base);
}

socklen_t udp_address_length(const struct sockaddr* addr) {
  return addr->sa_family == AF_UNIX ? sizeof(struct sockaddr_un)
                                    : inet_address_length(addr);
}

/* Gives the handle its descriptor. On failure the descriptor stays the caller's. */
static int udp_adopt(uv_udp_t* handle, int fd) {
  uv__io_t* watcher = &handle->io_watcher;
  int err = watcher_open(handle->loop, watcher, fd);
  if (err != 0)
    watcher->fd = -1;
  return err;
}

/* A new socket for a handle that has none yet. */
static int udp_make_socket(uv_udp_t* handle, int family) {
  int fd = descriptor_socket(family, SOCK_DGRAM, 0);
  if (fd < 0)
    return fd;
  int err = udp_adopt(handle, fd);
  if (err != 0)
    descriptor_close(fd);
  else
    handle->flags |= UDP_INTERNET;
  return err;
}

static void udp_drop_socket(uv_udp_t* handle) {
  watcher_close(handle->loop, &handle->io_watcher);
  descriptor_close(handle->io_watcher.fd);
  handle->io_watcher.fd = -1;
  handle->flags &= ~(unsigned) UDP_INTERNET;
}

int uv_udp_init_ex(uv_loop_t* loop, uv_udp_t* handle, unsigned int flags) {
  const unsigned int family_mask = 0xff;
  int family = (int) (flags & family_mask);

  if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6)
    return UV_EINVAL;
  if ((flags & ~family_mask) & ~(unsigned) UV_UDP_RECVMMSG)
    return UV_EINVAL;

  handle_init(loop, (uv_handle_t*) handle, &udp_kind);
  handle->send_queue_size = 0;
  handle->send_queue_count = 0;
  handle->alloc_cb = NULL;
  handle->recv_cb = NULL;
  watcher_init(&handle->io_watcher, udp_ready);
  queue_init(queue_of(handle->write_queue));
  queue_init(queue_of(handle->write_completed_queue));
  if (flags & UV_UDP_RECVMMSG)
    handle->flags |= UDP_RECVMMSG;

  if (family == AF_UNSPEC)
    return 0;
  int err = udp_make_socket(handle, family);
  if (err != 0)
    handle_uninit((uv_handle_t*) handle);
  return err;
}

int uv_udp_init(uv_loop_t* loop, uv_udp_t* handle) {
  return uv_udp_init_ex(loop, handle, AF_UNSPEC);
}

static int udp_set_reuse(int fd, unsigned int flags) {
  int err = 0;
  if (flags & UV_UDP_REUSEADDR)
    err = descriptor_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (err == 0 && (flags & UV_UDP_REUSEPORT))
    err = descriptor_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  return err;
}

static bool udp_is_internet(int fd) {
  int family;
  int protocol;
  if (descriptor_get_option(fd, SOL_SOCKET, SO_DOMAIN, &family) != 0 ||
      descriptor_get_option(fd, SOL_SOCKET, SO_PROTOCOL, &protocol) != 0)
    return false;
  return (family == AF_INET || family == AF_INET6) && protocol == IPPROTO_UDP;
}

int uv_udp_open_ex(uv_udp_t* handle, uv_os_sock_t sock, unsigned int flags) {
  if (flags & ~(unsigned) (UV_UDP_REUSEADDR | UV_UDP_REUSEPORT))
    return UV_EINVAL;
  if (handle->io_watcher.fd != -1)
    return UV_EBUSY;
  if (watcher_exists(handle->loop, sock))
    return UV_EEXIST;

  int err = descriptor_nonblock(sock, true);
  if (err == 0)
    err = udp_set_reuse(sock, flags);
  if (err == 0)
    err = udp_adopt(handle, sock);
  if (err != 0)
    return err;

  if (udp_is_internet(sock))
    handle->flags |= UDP_INTERNET;
  struct sockaddr_storage peer;
  socklen_t length = sizeof(peer);
  if (getpeername(sock, (struct sockaddr*) &peer, &length) == 0)
    handle->flags |= UDP_CONNECTED;
  return 0;
}

/* Always sets SO_REUSEADDR: programs that open a socket of their own rely on it. */
int uv_udp_open(uv_udp_t* handle, uv_os_sock_t sock) {
  return uv_udp_open_ex(handle, sock, UV_UDP_REUSEADDR);
}

static int udp_set_bind_options(int fd, int family, unsigned int flags) {
  int err = udp_set_reuse(fd, flags);
  if (err != 0)
    return err;
  if (flags & UV_UDP_LINUX_RECVERR) {
    err = family == AF_INET6 ? descriptor_set_option(fd, IPPROTO_IPV6, IPV6_RECVERR, 1)
                             : descriptor_set_option(fd, IPPROTO_IP, IP_RECVERR, 1);
    if (err != 0)
      return err;
  }
  if (flags & UV_UDP_IPV6ONLY)
    err = descriptor_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  return err;
}

static int udp_bind(uv_udp_t* handle, const struct sockaddr* addr, unsigned int flags) {
  bool fresh = handle->io_watcher.fd == -1;
  if (fresh) {
    int err = udp_make_socket(handle, addr->sa_family);
    if (err != 0)
      return err;
  }

  int fd = handle->io_watcher.fd;
  int err = udp_set_bind_options(fd, addr->sa_family, flags);
  if (err == 0 && bind(fd, addr, udp_address_length(addr)) == -1)
    /* The address is of another family than the socket: UV_EINVAL, though not every
     * kernel and family reports it as such. */
    err = errno == EAFNOSUPPORT ? UV_EINVAL : -errno;
  if (err != 0) {
    if (fresh)
      udp_drop_socket(handle);
    return err;
  }
  if (flags & UV_UDP_LINUX_RECVERR)
    handle->flags |= UDP_RECVERR;
  return 0;
}

int uv_udp_bind(uv_udp_t* handle, const struct sockaddr* addr, unsigned int flags) {
  const unsigned int known =
      UV_UDP_IPV6ONLY | UV_UDP_REUSEADDR | UV_UDP_REUSEPORT | UV_UDP_LINUX_RECVERR;

  if (handle->type != UV_UDP || handle_closing((uv_handle_t*) handle) || addr == NULL)
    return UV_EINVAL;
  if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)
    return UV_EINVAL;
  if ((flags & ~known) || ((flags & UV_UDP_IPV6ONLY) && addr->sa_family != AF_INET6))
    return UV_EINVAL;
  return udp_bind(handle, addr, flags);
}

int udp_bind_if_needed(uv_udp_t* handle, int family, unsigned int flags) {
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
  } address;

  if (handle->io_watcher.fd != -1)
    return 0;
  memset(&address, 0, sizeof(address));
  if (family == AF_INET) {
    address.in.sin_family = AF_INET;
    address.in.sin_addr.s_addr = htonl(INADDR_ANY);
  } else if (family == AF_INET6) {
    address.in6.sin6_family = AF_INET6;
    address.in6.sin6_addr = in6addr_any;
  } else {
    return UV_EINVAL;
  }
  return udp_bind(handle, &address.any, flags);
}

static int udp_connect_socket(int fd, const struct sockaddr* addr, socklen_t length) {
  int result;
  do
    result = connect(fd, addr, length);
  while (result == -1 && errno == EINTR);
  return result == -1 ? -errno : 0;
}

static int udp_disconnect(uv_udp_t* handle) {
  struct sockaddr nobody;

  if (!(handle->flags & UDP_CONNECTED))
    return UV_ENOTCONN;
  memset(&nobody, 0, sizeof(nobody));
  nobody.sa_family = AF_UNSPEC;
  int err = udp_connect_socket(handle->io_watcher.fd, &nobody, sizeof(nobody));
  if (err == 0)
    handle->flags &= ~(unsigned) UDP_CONNECTED;
  return err;
}

int uv_udp_connect(uv_udp_t* handle, const struct sockaddr* addr) {
  if (handle->type != UV_UDP || handle_closing((uv_handle_t*) handle))
    return UV_EINVAL;
  if (addr == NULL)
    return udp_disconnect(handle);
  if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)
    return UV_EINVAL;
  if (handle->flags & UDP_CONNECTED)
    return UV_EISCONN;

  bool fresh = handle->io_watcher.fd == -1;
  int err = udp_bind_if_needed(handle, addr->sa_family, 0);
  if (err != 0)
    return err;
  err = udp_connect_socket(handle->io_watcher.fd, addr, udp_address_length(addr));
  if (err == 0)
    handle->flags |= UDP_CONNECTED;
  else if (fresh)
    udp_drop_socket(handle);
  return err;
}

typedef int (*socket_name)(int fd, struct sockaddr* name, socklen_t* length);

static int udp_name(const uv_udp_t* handle, socket_name ask, struct sockaddr* name,
                    int* namelen) {
  if (handle->io_watcher.fd == -1)
    return UV_EBADF;
  if (*namelen < 0)
    return UV_EINVAL;
  socklen_t length = (socklen_t) *namelen;
  if (ask(handle->io_watcher.fd, name, &length) == -1)
    return -errno;
  *namelen = (int) length;
  return 0;
}

static int ask_own_name(int fd, struct sockaddr* name, socklen_t* length) {
  return getsockname(fd, name, length);
}

static int ask_peer_name(int fd, struct sockaddr* name, socklen_t* length) {
  return getpeername(fd, name, length);
}

int uv_udp_getsockname(const uv_udp_t* handle, struct sockaddr* name, int* namelen) {
  return udp_name(handle, ask_own_name, name, namelen);
}

int uv_udp_getpeername(const uv_udp_t* handle, struct sockaddr* name, int* namelen) {
  return udp_name(handle, ask_peer_name, name, namelen);
}
