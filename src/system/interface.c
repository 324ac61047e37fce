/* Network interfaces: their addresses and their names. */
#include "base/alloc.h"
#include "base/strings.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdbool.h>
#include <string.h>

/* Interfaces that are up, have a carrier, and an IPv4 or IPv6 address. */
static bool is_wanted(const struct ifaddrs* entry) {
  const unsigned running = IFF_UP | IFF_RUNNING;
  return (entry->ifa_flags & running) == running && entry->ifa_addr != NULL &&
         (entry->ifa_addr->sa_family == AF_INET ||
          entry->ifa_addr->sa_family == AF_INET6);
}

static size_t address_size(const struct sockaddr* address) {
  return address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                       : sizeof(struct sockaddr_in6);
}

/* The list has one entry for an interface's hardware address and others for its IP
 * addresses. "eth0:1" is an old-style second name of eth0. */
static void copy_hardware_address(const struct ifaddrs* list, const char* name,
                                  char physical[6]) {
  size_t length = strcspn(name, ":");
  for (; list != NULL; list = list->ifa_next) {
    if (list->ifa_addr != NULL && list->ifa_addr->sa_family == AF_PACKET &&
        strncmp(list->ifa_name, name, length) == 0 && list->ifa_name[length] == '\0') {
      struct sockaddr_ll hardware;
      memcpy(&hardware, list->ifa_addr, sizeof(hardware));
      memcpy(physical, hardware.sll_addr, 6);
      return;
    }
  }
}

static void fill_address(uv_interface_address_t* address, const struct ifaddrs* list,
                         const struct ifaddrs* entry) {
  memcpy(&address->address, entry->ifa_addr, address_size(entry->ifa_addr));
  if (entry->ifa_netmask != NULL)
    memcpy(&address->netmask, entry->ifa_netmask, address_size(entry->ifa_addr));
  copy_hardware_address(list, entry->ifa_name, address->phys_addr);
  address->is_internal = (entry->ifa_flags & IFF_LOOPBACK) != 0;
}

/* The array and behind it all names, in one block. */
static int copy_addresses(const struct ifaddrs* list, uv_interface_address_t** addresses,
                          int* count) {
  size_t total = 0;
  size_t names = 0;
  for (const struct ifaddrs* entry = list; entry != NULL; entry = entry->ifa_next) {
    if (is_wanted(entry)) {
      total++;
      names += strlen(entry->ifa_name) + 1;
    }
  }
  if (total == 0)
    return 0;

  uv_interface_address_t* block = mem_calloc(1, total * sizeof(*block) + names);
  if (block == NULL)
    return UV_ENOMEM;
  uv_interface_address_t* address = block;
  char* name = (char*) (block + total);
  for (const struct ifaddrs* entry = list; entry != NULL; entry = entry->ifa_next) {
    if (is_wanted(entry)) {
      size_t size = strlen(entry->ifa_name) + 1;
      address->name = memcpy(name, entry->ifa_name, size);
      name += size;
      fill_address(address++, list, entry);
    }
  }
  *addresses = block;
  *count = (int) total;
  return 0;
}

int uv_interface_addresses(uv_interface_address_t** addresses, int* count) {
  struct ifaddrs* list;

  *addresses = NULL;
  *count = 0;
  if (getifaddrs(&list) != 0)
    return -errno;
  int err = copy_addresses(list, addresses, count);
  freeifaddrs(list);
  return err;
}

void uv_free_interface_addresses(uv_interface_address_t* addresses, int count) {
  (void) count;
  mem_free(addresses);
}

uint32_t system_link_scope(void) {
  struct ifaddrs* list;
  uint32_t scope = 0;

  if (getifaddrs(&list) != 0)
    return 0;
  for (const struct ifaddrs* entry = list; entry != NULL && scope == 0;
       entry = entry->ifa_next) {
    struct sockaddr_in6 address;
    if (is_wanted(entry) && entry->ifa_addr->sa_family == AF_INET6) {
      memcpy(&address, entry->ifa_addr, sizeof(address));
      if (IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr))
        scope = address.sin6_scope_id;
    }
  }
  freeifaddrs(list);
  return scope;
}

int uv_if_indextoname(unsigned int ifindex, char* buffer, size_t* size) {
  char name[IF_NAMESIZE];

  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  if (if_indextoname(ifindex, name) == NULL)
    return -errno;
  return string_give(name, strnlen(name, sizeof(name)), buffer, size);
}

int uv_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size) {
  return uv_if_indextoname(ifindex, buffer, size);
}
