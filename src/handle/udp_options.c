/* Socket options of UDP handles: hops, broadcast, and multicast groups.
 *
 * The address family is read from the socket, so that a socket that was opened elsewhere
 * (uv_udp_open) gets the option of its family. */
#include "handle/udp.h"
#include "handle/descriptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

/* An integer option that both families have under names of their own. */
static int udp_set_option(uv_udp_t* handle, int ip4_name, int ip6_name, int value) {
  int fd = handle->io_watcher.fd;
  int family;

  if (fd == -1)
    return UV_EBADF;
  int err = descriptor_get_option(fd, SOL_SOCKET, SO_DOMAIN, &family);
  if (err != 0)
    return err;
  return family == AF_INET6 ? descriptor_set_option(fd, IPPROTO_IPV6, ip6_name, value)
                            : descriptor_set_option(fd, IPPROTO_IP, ip4_name, value);
}

int uv_udp_set_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 1 || ttl > 255)
    return UV_EINVAL;
  return udp_set_option(handle, IP_TTL, IPV6_UNICAST_HOPS, ttl);
}

/* The kernel checks the range: 0 to 255, and -1 for its own default. */
int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl) {
  if (ttl < 0 || ttl > UINT8_MAX)
    return UV_EINVAL;
  return udp_set_option(handle, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, ttl);
}

int uv_udp_set_multicast_loop(uv_udp_t* handle, int on) {
  return udp_set_option(handle, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, on != 0);
}

int uv_udp_set_broadcast(uv_udp_t* handle, int on) {
  if (handle->io_watcher.fd == -1)
    return UV_EBADF;
  return descriptor_set_option(handle->io_watcher.fd, SOL_SOCKET, SO_BROADCAST, on != 0);
}

static int udp_set_raw(uv_udp_t* handle, int level, int name, const void* value,
                       size_t length) {
  if (handle->io_watcher.fd == -1)
    return UV_EBADF;
  if (setsockopt(handle->io_watcher.fd, level, name, value, (socklen_t) length) == -1)
    return -errno;
  return 0;
}

/* An interface is given by one of its addresses; an IPv6 address carries the index behind
 * the percent sign. NULL leaves the choice to the kernel. */
static int udp_interface4(const char* name, struct in_addr* address) {
  struct sockaddr_in parsed;

  address->s_addr = htonl(INADDR_ANY);
  if (name == NULL)
    return 0;
  int err = uv_ip4_addr(name, 0, &parsed);
  if (err == 0)
    *address = parsed.sin_addr;
  return err;
}

static int udp_interface6(const char* name, unsigned int* index) {
  struct sockaddr_in6 parsed;

  *index = 0;
  if (name == NULL)
    return 0;
  int err = uv_ip6_addr(name, 0, &parsed);
  if (err == 0)
    *index = parsed.sin6_scope_id;
  return err;
}

int uv_udp_set_multicast_interface(uv_udp_t* handle, const char* interface_addr) {
  struct sockaddr_in parsed4;
  struct in_addr address;
  unsigned int index;
  int family;

  if (interface_addr != NULL) {
    family = uv_ip4_addr(interface_addr, 0, &parsed4) == 0 ? AF_INET : AF_INET6;
  } else {
    if (handle->io_watcher.fd == -1)
      return UV_EBADF;
    int err =
        descriptor_get_option(handle->io_watcher.fd, SOL_SOCKET, SO_DOMAIN, &family);
    if (err != 0)
      return err;
  }

  if (family == AF_INET) {
    int err = udp_interface4(interface_addr, &address);
    return err != 0 ? err
                    : udp_set_raw(handle, IPPROTO_IP, IP_MULTICAST_IF, &address,
                                  sizeof(address));
  }
  int err = udp_interface6(interface_addr, &index);
  return err != 0 ? UV_EINVAL
                  : udp_set_raw(handle, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index,
                                sizeof(index));
}

static int udp_membership4(uv_udp_t* handle, const struct sockaddr_in* group,
                           const char* interface_addr, bool join) {
  struct ip_mreq request;

  request.imr_multiaddr = group->sin_addr;
  int err = udp_interface4(interface_addr, &request.imr_interface);
  if (err != 0)
    return err;
  return udp_set_raw(handle, IPPROTO_IP, join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP,
                     &request, sizeof(request));
}

static int udp_membership6(uv_udp_t* handle, const struct sockaddr_in6* group,
                           const char* interface_addr, bool join) {
  struct ipv6_mreq request;

  request.ipv6mr_multiaddr = group->sin6_addr;
  int err = udp_interface6(interface_addr, &request.ipv6mr_interface);
  if (err != 0)
    return err;
  return udp_set_raw(handle, IPPROTO_IPV6,
                     join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP, &request,
                     sizeof(request));
}

static int udp_source_membership4(uv_udp_t* handle, const struct sockaddr_in* group,
                                  const char* interface_addr,
                                  const struct sockaddr_in* source, bool join) {
  struct ip_mreq_source request;

  memset(&request, 0, sizeof(request));
  request.imr_multiaddr = group->sin_addr;
  request.imr_sourceaddr = source->sin_addr;
  int err = udp_interface4(interface_addr, &request.imr_interface);
  if (err != 0)
    return err;
  return udp_set_raw(handle, IPPROTO_IP,
                     join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP,
                     &request, sizeof(request));
}

static int udp_source_membership6(uv_udp_t* handle, const struct sockaddr_in6* group,
                                  const char* interface_addr,
                                  const struct sockaddr_in6* source, bool join) {
  struct group_source_req request;

  memset(&request, 0, sizeof(request));
  int err = udp_interface6(interface_addr, &request.gsr_interface);
  if (err != 0)
    return err;
  memcpy(&request.gsr_group, group, sizeof(*group));
  memcpy(&request.gsr_source, source, sizeof(*source));
  return udp_set_raw(handle, IPPROTO_IPV6,
                     join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP, &request,
                     sizeof(request));
}

static int udp_check_membership(const uv_udp_t* handle, uv_membership membership) {
  if (handle->type != UV_UDP || handle_closing((const uv_handle_t*) handle))
    return UV_EINVAL;
  return membership == UV_JOIN_GROUP || membership == UV_LEAVE_GROUP ? 0 : UV_EINVAL;
}

/* Many programs join a group on one port, so a socket made here shares its address
 * (SO_REUSEADDR). */
int uv_udp_set_membership(uv_udp_t* handle, const char* multicast_addr,
                          const char* interface_addr, uv_membership membership) {
  struct sockaddr_in group4;
  struct sockaddr_in6 group6;
  bool join = membership == UV_JOIN_GROUP;

  int err = udp_check_membership(handle, membership);
  if (err != 0)
    return err;
  if (uv_ip4_addr(multicast_addr, 0, &group4) == 0) {
    err = udp_bind_if_needed(handle, AF_INET, UV_UDP_REUSEADDR);
    return err != 0 ? err : udp_membership4(handle, &group4, interface_addr, join);
  }
  if (uv_ip6_addr(multicast_addr, 0, &group6) == 0) {
    err = udp_bind_if_needed(handle, AF_INET6, UV_UDP_REUSEADDR);
    return err != 0 ? err : udp_membership6(handle, &group6, interface_addr, join);
  }
  return UV_EINVAL;
}

int uv_udp_set_source_membership(uv_udp_t* handle, const char* multicast_addr,
                                 const char* interface_addr, const char* source_addr,
                                 uv_membership membership) {
  struct sockaddr_in group4;
  struct sockaddr_in source4;
  struct sockaddr_in6 group6;
  struct sockaddr_in6 source6;
  bool join = membership == UV_JOIN_GROUP;

  int err = udp_check_membership(handle, membership);
  if (err != 0)
    return err;
  if (uv_ip4_addr(multicast_addr, 0, &group4) == 0 &&
      uv_ip4_addr(source_addr, 0, &source4) == 0) {
    err = udp_bind_if_needed(handle, AF_INET, UV_UDP_REUSEADDR);
    return err != 0
               ? err
               : udp_source_membership4(handle, &group4, interface_addr, &source4, join);
  }
  if (uv_ip6_addr(multicast_addr, 0, &group6) == 0 &&
      uv_ip6_addr(source_addr, 0, &source6) == 0) {
    err = udp_bind_if_needed(handle, AF_INET6, UV_UDP_REUSEADDR);
    return err != 0
               ? err
               : udp_source_membership6(handle, &group6, interface_addr, &source6, join);
  }
  return UV_EINVAL;
}
