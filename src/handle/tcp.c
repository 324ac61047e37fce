/* TCP handles: bind, connect, and close with a reset. The socket is made when the address
 * family is known: by uv_tcp_init_ex, bind, connect or listen. Everything after that is
 * in the stream files; options are in tcp_options.c. */
#include "handle/stream.h"
#include "base/address.h"
#include "handle/descriptor.h"
#include "system/system.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static const struct handle_kind tcp_kind = {
    .type = UV_TCP,
    .close = stream_close,
    .finish = stream_finish,
};

/* Makes a socket of this family, unless there is one already. */
static int tcp_ensure_socket(uv_tcp_t* tcp, int family) {
  if (tcp->io_watcher.fd != -1)
    return 0;
  int fd = descriptor_socket(family, SOCK_STREAM, 0);
  if (fd < 0)
    return fd;
  int err = tcp_settle(tcp, fd);
  if (err == 0)
    err = stream_open((uv_stream_t*) tcp, fd, STREAM_SOCKET);
  if (err != 0)
    descriptor_close(fd);
  return err;
}

int uv_tcp_init_ex(uv_loop_t* loop, uv_tcp_t* tcp, unsigned int flags) {
  int family = (int) (flags & 0xff);
  if (family != AF_INET && family != AF_INET6 && family != AF_UNSPEC)
    return UV_EINVAL;
  if (flags & ~0xffu)
    return UV_EINVAL;

  stream_init(loop, (uv_stream_t*) tcp, &tcp_kind);
  int err = family == AF_UNSPEC ? 0 : tcp_ensure_socket(tcp, family);
  if (err != 0)
    handle_uninit((uv_handle_t*) tcp);
  return err;
}

int uv_tcp_init(uv_loop_t* loop, uv_tcp_t* tcp) {
  return uv_tcp_init_ex(loop, tcp, AF_UNSPEC);
}

int uv_tcp_open(uv_tcp_t* tcp, uv_os_sock_t sock) {
  if (handle_closing((uv_handle_t*) tcp))
    return UV_EINVAL;
  if (tcp->io_watcher.fd != -1)
    return UV_EBUSY;
  if (sock < 0)
    return UV_EBADF;
  if (watcher_exists(tcp->loop, sock))
    return UV_EEXIST;
  int err = descriptor_nonblock(sock, true);
  if (err == 0)
    err = tcp_settle(tcp, sock);
  if (err != 0)
    return err;
  return stream_open((uv_stream_t*) tcp, sock,
                     STREAM_READABLE | STREAM_WRITABLE | stream_socket_flag(sock));
}

static int tcp_set_bind_options(int fd, int family, unsigned int flags) {
  int err = descriptor_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (err == 0 && (flags & UV_TCP_REUSEPORT))
    err = descriptor_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  if (err == 0 && family == AF_INET6)
    err = descriptor_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY,
                                (flags & UV_TCP_IPV6ONLY) != 0);
  return err;
}

int uv_tcp_bind(uv_tcp_t* tcp, const struct sockaddr* address, unsigned int flags) {
  if (handle_closing((uv_handle_t*) tcp))
    return UV_EINVAL;
  socklen_t length = inet_address_length(address);
  if (length == 0)
    return UV_EINVAL;
  if ((flags & UV_TCP_IPV6ONLY) && address->sa_family != AF_INET6)
    return UV_EINVAL;

  int err = tcp_ensure_socket(tcp, address->sa_family);
  if (err == 0)
    err = tcp_set_bind_options(tcp->io_watcher.fd, address->sa_family, flags);
  if (err == 0 && bind(tcp->io_watcher.fd, address, length) == -1)
    err = -errno;

  /* The socket is of the other family. */
  if (err == UV_EAFNOSUPPORT || err == UV_ENOPROTOOPT)
    return UV_EINVAL;
  /* As in libuv on every system, a port in use is reported by listen or connect. */
  if (err != 0 && err != UV_EADDRINUSE)
    return err;
  tcp->delayed_error = err;
  return 0;
}

/* A link-local address can mean another peer on each link. If the program doesn't name
 * the link, the first interface that has such an address is taken; the kernel would
 * refuse. */
static const struct sockaddr* tcp_address_with_scope(const struct sockaddr* address,
                                                     struct sockaddr_in6* copy) {
  if (address->sa_family != AF_INET6)
    return address;
  memcpy(copy, address, sizeof(*copy));
  if (IN6_IS_ADDR_LINKLOCAL(&copy->sin6_addr) && copy->sin6_scope_id == 0)
    copy->sin6_scope_id = system_link_scope();
  return (const struct sockaddr*) copy;
}

int uv_tcp_connect(uv_connect_t* req, uv_tcp_t* tcp, const struct sockaddr* address,
                   uv_connect_cb cb) {
  if (handle_closing((uv_handle_t*) tcp))
    return UV_EINVAL;
  socklen_t length = inet_address_length(address);
  if (length == 0)
    return UV_EINVAL;
  if (tcp->connect_req != NULL)
    return UV_EALREADY;
  int err = tcp_ensure_socket(tcp, address->sa_family);
  if (err != 0)
    return err;

  struct sockaddr_in6 copy;
  address = tcp_address_with_scope(address, &copy);
  err = tcp->delayed_error;
  /* An interrupted connect continues by itself, like one in progress. */
  if (err == 0 && connect(tcp->io_watcher.fd, address, length) == -1 &&
      errno != EINPROGRESS && errno != EINTR) {
    err = -errno;
    /* A refusal by a peer on this machine comes at once; the callback reports it, as for
     * a remote peer. Any other error means that the call itself was wrong. */
    if (err != UV_ECONNREFUSED)
      return err;
  }

  tcp->flags |= STREAM_READABLE | STREAM_WRITABLE;
  stream_connecting((uv_stream_t*) tcp, req, cb, err);
  return 0;
}

int tcp_listen(uv_tcp_t* tcp, int backlog) {
  if (tcp->delayed_error != 0)
    return tcp->delayed_error;
  int err = tcp_ensure_socket(tcp, AF_INET);
  if (err != 0)
    return err;
  return listen(tcp->io_watcher.fd, backlog) == -1 ? -errno : 0;
}

static int tcp_name(const uv_tcp_t* tcp, bool peer, struct sockaddr* name, int* length) {
  if (tcp->delayed_error != 0)
    return tcp->delayed_error;
  if (tcp->io_watcher.fd == -1)
    return UV_EBADF;
  return descriptor_name(tcp->io_watcher.fd, peer, name, length);
}

int uv_tcp_getsockname(const uv_tcp_t* tcp, struct sockaddr* name, int* namelen) {
  return tcp_name(tcp, false, name, namelen);
}

int uv_tcp_getpeername(const uv_tcp_t* tcp, struct sockaddr* name, int* namelen) {
  return tcp_name(tcp, true, name, namelen);
}

int uv_tcp_close_reset(uv_tcp_t* tcp, uv_close_cb close_cb) {
  /* A shutdown was requested and may be under way: it can't be undone. */
  if (tcp->shutdown_req != NULL || (tcp->flags & STREAM_SHUT))
    return UV_EINVAL;
  if (tcp->io_watcher.fd == -1)
    return UV_EBADF;
  /* A linger time of 0 makes close() send a reset. */
  struct linger reset = {.l_onoff = 1, .l_linger = 0};
  if (setsockopt(tcp->io_watcher.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == -1)
    return -errno;
  uv_close((uv_handle_t*) tcp, close_cb);
  return 0;
}
