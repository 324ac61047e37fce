/* IP addresses as text and back, on top of the C library's converters. What is
 * added: every failure is a UV_E… code, the target is only written on success,
 * and an IPv6 address may carry a zone ("fe80::1%eth0"). */
#include "base/address.h"

#include "uv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

socklen_t inet_address_length(const struct sockaddr* address) {
  switch (address->sa_family) {
  case AF_INET:
    return sizeof(struct sockaddr_in);
  case AF_INET6:
    return sizeof(struct sockaddr_in6);
  default:
    return 0;
  }
}

int uv_inet_ntop(int af, const void* src, char* dst, size_t size) {
  char text[INET6_ADDRSTRLEN];

  if (af != AF_INET && af != AF_INET6)
    return UV_EAFNOSUPPORT;
  if (inet_ntop(af, src, text, sizeof(text)) == NULL)
    return -errno;
  size_t length = strlen(text);
  if (length >= size)
    return UV_ENOSPC;
  memcpy(dst, text, length + 1);
  return 0;
}

/* The address before the zone; the zone itself is no part of an in6_addr. */
static int inet6_parse(const char* src, void* dst) {
  char text[INET6_ADDRSTRLEN];
  size_t length = strcspn(src, "%");

  if (length >= sizeof(text))
    return UV_EINVAL;
  memcpy(text, src, length);
  text[length] = '\0';
  struct in6_addr address;
  if (inet_pton(AF_INET6, text, &address) != 1)
    return UV_EINVAL;
  memcpy(dst, &address, sizeof(address));
  return 0;
}

int uv_inet_pton(int af, const char* src, void* dst) {
  if (af != AF_INET && af != AF_INET6)
    return UV_EAFNOSUPPORT;
  if (src == NULL || dst == NULL)
    return UV_EINVAL;
  if (af == AF_INET6)
    return inet6_parse(src, dst);
  struct in_addr address; /* musl's function leaves the parts it could read */
  if (inet_pton(AF_INET, src, &address) != 1)
    return UV_EINVAL;
  memcpy(dst, &address, sizeof(address));
  return 0;
}

int uv_ip4_addr(const char* ip, int port, struct sockaddr_in* addr) {
  memset(addr, 0, sizeof(*addr));
  addr->sin_family = AF_INET;
  addr->sin_port = htons((uint16_t) port);
  return uv_inet_pton(AF_INET, ip, &addr->sin_addr);
}

int uv_ip6_addr(const char* ip, int port, struct sockaddr_in6* addr) {
  memset(addr, 0, sizeof(*addr));
  addr->sin6_family = AF_INET6;
  addr->sin6_port = htons((uint16_t) port);

  int err = uv_inet_pton(AF_INET6, ip, &addr->sin6_addr);
  if (err != 0)
    return err;
  /* An interface that doesn't exist leaves the scope at 0, "any": the address is still
   * valid, and the system reports an error if it needs a scope. */
  const char* zone = strchr(ip, '%');
  if (zone != NULL)
    addr->sin6_scope_id = if_nametoindex(zone + 1);
  return 0;
}

int uv_ip4_name(const struct sockaddr_in* src, char* dst, size_t size) {
  return uv_inet_ntop(AF_INET, &src->sin_addr, dst, size);
}

int uv_ip6_name(const struct sockaddr_in6* src, char* dst, size_t size) {
  return uv_inet_ntop(AF_INET6, &src->sin6_addr, dst, size);
}

int uv_ip_name(const struct sockaddr* src, char* dst, size_t size) {
  switch (src->sa_family) {
  case AF_INET:
    return uv_ip4_name((const struct sockaddr_in*) (const void*) src, dst, size);
  case AF_INET6:
    return uv_ip6_name((const struct sockaddr_in6*) (const void*) src, dst, size);
  default:
    return UV_EAFNOSUPPORT;
  }
}

void address_text(char* text, size_t size, const struct sockaddr_storage* address,
                  socklen_t length) {
  char name[UV_IF_NAMESIZE + INET6_ADDRSTRLEN] = "";
  const struct sockaddr_in6* six = (const void*) address;
  const struct sockaddr_in* four = (const void*) address;
  const struct sockaddr_un* local = (const void*) address;
  *text = '\0';
  if (address->ss_family == AF_INET && uv_ip4_name(four, name, sizeof(name)) == 0)
    snprintf(text, size, "%s:%u", name, ntohs(four->sin_port));
  else if (address->ss_family == AF_INET6 && uv_ip6_name(six, name, sizeof(name)) == 0)
    snprintf(text, size, "[%s]:%u", name, ntohs(six->sin6_port));
  else if (address->ss_family == AF_UNIX && length > sizeof(sa_family_t))
    snprintf(text, size, "%s%.100s", local->sun_path[0] == '\0' ? "@" : "",
             local->sun_path + (local->sun_path[0] == '\0'));
}
