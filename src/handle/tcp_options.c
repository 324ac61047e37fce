/* Options of TCP handles. An option that is set before there is a socket is remembered
 * and set on the socket as soon as there is one: made by bind or connect, opened, or
 * accepted. */
#include "handle/stream.h"
#include "handle/descriptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

/* Values that uv_tcp_keepalive's caller doesn't give: ten probes, a second apart. */
enum { PROBE_INTERVAL = 1, PROBE_COUNT = 10 };

/* The kernel's limits, in seconds and in probes. Checked here, so that a bad value is
 * refused even before there is a socket, and changes nothing when there is one. */
enum { PROBE_TIME_MAX = 32767, PROBE_COUNT_MAX = 127 };

/* Keep-alive times are stored in reserved words of the handle until there is a socket. */
static void tcp_remember_probes(uv_tcp_t* tcp, unsigned int idle, unsigned int interval,
                                unsigned int count) {
  tcp->u.reserved[1] = (void*) (uintptr_t) idle;
  tcp->u.reserved[2] = (void*) (uintptr_t) interval;
  tcp->u.reserved[3] = (void*) (uintptr_t) count;
}

static int tcp_set_keepalive(int fd, int on, const uv_tcp_t* tcp) {
  int err = descriptor_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, on != 0);
  if (err != 0 || !on)
    return err;
  int idle = (int) (uintptr_t) tcp->u.reserved[1];
  int interval = (int) (uintptr_t) tcp->u.reserved[2];
  int count = (int) (uintptr_t) tcp->u.reserved[3];
  err = descriptor_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
  if (err == 0)
    err = descriptor_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
  if (err == 0)
    err = descriptor_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, count);
  return err;
}

int tcp_settle(uv_tcp_t* tcp, int fd) {
  int err = 0;
  if (tcp->flags & TCP_NODELAY_ON)
    err = descriptor_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (err == 0 && (tcp->flags & TCP_KEEPALIVE_ON))
    err = tcp_set_keepalive(fd, 1, tcp);
  return err;
}

int uv_tcp_nodelay(uv_tcp_t* tcp, int enable) {
  int fd = tcp->io_watcher.fd;
  if (fd != -1) {
    int err = descriptor_set_option(fd, IPPROTO_TCP, TCP_NODELAY, enable != 0);
    if (err != 0)
      return err;
  }
  if (enable)
    tcp->flags |= TCP_NODELAY_ON;
  else
    tcp->flags &= ~(unsigned int) TCP_NODELAY_ON;
  return 0;
}

int uv_tcp_keepalive_ex(uv_tcp_t* tcp, int on, unsigned int idle, unsigned int intvl,
                        unsigned int cnt) {
  if (on && (idle < 1 || intvl < 1 || cnt < 1))
    return UV_EINVAL;
  if (on && (idle > PROBE_TIME_MAX || intvl > PROBE_TIME_MAX || cnt > PROBE_COUNT_MAX))
    return UV_EINVAL;

  if (on)
    tcp_remember_probes(tcp, idle, intvl, cnt);
  if (tcp->io_watcher.fd != -1) {
    int err = tcp_set_keepalive(tcp->io_watcher.fd, on, tcp);
    if (err != 0)
      return err;
  }
  if (on)
    tcp->flags |= TCP_KEEPALIVE_ON;
  else
    tcp->flags &= ~(unsigned int) TCP_KEEPALIVE_ON;
  return 0;
}

int uv_tcp_keepalive(uv_tcp_t* tcp, int enable, unsigned int delay) {
  return uv_tcp_keepalive_ex(tcp, enable, delay, PROBE_INTERVAL, PROBE_COUNT);
}

/* Connections are always accepted in batches here; there is nothing to turn on. */
int uv_tcp_simultaneous_accepts(uv_tcp_t* tcp, int enable) {
  (void) tcp;
  (void) enable;
  return 0;
}
