/* The tables of places and links: see world_outside.h. */
#include "sim/world.h"

#include "base/table.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* After something has come: a pause of this length ends an answer. */
static const uint64_t PARTS_NS = 50 * 1000 * 1000;

enum world_place_kind { PLACE_FREE, PLACE_INET, PLACE_FILE, PLACE_ABSTRACT };

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* --- places ------------------------------------------------------------------------- */

static bool place_of_path(const struct sockaddr_un* name, socklen_t length,
                          struct world_place* place) {
  size_t used = length - offsetof(struct sockaddr_un, sun_path);
  if (used == 0)
    return false; /* has no name */
  if (used > sizeof(name->sun_path))
    used = sizeof(name->sun_path);
  uint64_t words[2] = {0, 0};
  place->kind = PLACE_ABSTRACT;
  if (name->sun_path[0] != '\0') {
    char path[sizeof(name->sun_path) + 1] = "";
    struct stat status;
    memcpy(path, name->sun_path, used);
    if (stat(path, &status) != 0)
      return false;
    place->kind = PLACE_FILE;
    words[0] = (uint64_t) status.st_dev;
    words[1] = (uint64_t) status.st_ino;
  } else {
    for (size_t i = 0; i < used; i++)
      words[0] = hash_number(words[0] + (unsigned char) name->sun_path[i] + 1);
    words[1] = used;
  }
  memcpy(place->address, words, sizeof(words));
  return true;
}

bool world_place_of(const struct sockaddr* address, socklen_t length, int type,
                    struct world_place* place) {
  *place = (struct world_place){.type = (uint32_t) type};
  if (address == NULL || length < sizeof(address->sa_family))
    return false;
  if (address->sa_family == AF_UNIX) {
    struct sockaddr_un name = {0};
    memcpy(&name, address, length < sizeof(name) ? length : sizeof(name));
    return place_of_path(&name, length, place);
  }
  place->kind = PLACE_INET;
  if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in name;
    memcpy(&name, address, sizeof(name));
    place->port = name.sin_port;
    memcpy(place->address, mapped, sizeof(mapped));
    memcpy(place->address + 12, &name.sin_addr, 4);
    return true;
  }
  if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 name;
    memcpy(&name, address, sizeof(name));
    place->port = name.sin6_port;
    memcpy(place->address, &name.sin6_addr, 16);
    return true;
  }
  return false;
}

static bool place_is_ipv4(const struct world_place* place) {
  return memcmp(place->address, mapped, sizeof(mapped)) == 0;
}

static bool place_is_any(const struct world_place* place) {
  static const uint8_t zeros[16];
  return memcmp(place->address, zeros, 16) == 0 ||
         (place_is_ipv4(place) && memcmp(place->address + 12, zeros, 4) == 0);
}

static bool place_is_loopback(const struct world_place* place) {
  static const uint8_t one[16] = {[15] = 1};
  return memcmp(place->address, one, 16) == 0 ||
         (place_is_ipv4(place) && place->address[12] == 127);
}

/* An address of many: a group, or everybody on a network. */
static bool place_is_many(const struct world_place* place) {
  return place_is_ipv4(place) ? place->address[12] >= 224 || place->address[15] == 255
                              : place->address[0] == 0xff;
}

/* A socket bound to any address is reached by each of this machine's. */
static bool place_reaches(const struct world_place* bound,
                          const struct world_place* place) {
  if (bound->kind != place->kind || bound->type != place->type)
    return false;
  if (place->kind != PLACE_INET)
    return memcmp(bound->address, place->address, 16) == 0;
  return bound->port == place->port &&
         (place_is_any(bound) || place_is_any(place) || place_is_many(place) ||
          memcmp(bound->address, place->address, 16) == 0);
}

bool world_place_is_of_machine(const struct world_place* place) {
  return place->kind == PLACE_INET && !place_is_any(place) && !place_is_loopback(place);
}

void world_place_add(struct world* world, const struct world_place* place) {
  world_lock(world);
  bool is_known = false;
  for (uint32_t i = 0; i < WORLD_PLACES && world->places[i].kind != PLACE_FREE; i++)
    is_known |= memcmp(&world->places[i], place, sizeof(*place)) == 0;
  if (!is_known)
    world->places[world->place_next++ % WORLD_PLACES] = *place;
  world_unlock(world);
}

bool world_place_is_inside(struct world* world, const struct world_place* place,
                           const struct world_place* own) {
  bool is_here = place->kind != PLACE_INET || own == NULL || place_is_any(place) ||
                 place_is_loopback(place) || place_is_many(place) ||
                 memcmp(own->address, place->address, 16) == 0;
  bool is_inside = false;
  if (!is_here)
    return false;
  if (place->kind == PLACE_INET && place_is_many(place))
    world_note_outside(world, "a group address");
  world_lock(world);
  for (uint32_t i = 0; i < WORLD_PLACES && world->places[i].kind != PLACE_FREE; i++)
    is_inside |= place_reaches(&world->places[i], place);
  world_unlock(world);
  return is_inside;
}

/* --- links -------------------------------------------------------------------------- */

static uint64_t link_cookie(int fd) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0)
    return 0;
  return cookie;
}

static void link_name(struct world_link* link, const struct sockaddr* address,
                      socklen_t length) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (address->sa_family == AF_UNIX) {
    const char* path = ((const struct sockaddr_un*) address)->sun_path;
    size_t most = length - offsetof(struct sockaddr_un, sun_path);
    bool has_name = most > 0 && path[0] == '\0';
    snprintf(link->name, sizeof(link->name), "%s%.*s", has_name ? "@" : "",
             (int) (has_name ? most - 1 : most), has_name ? path + 1 : path);
  } else if (address->sa_family == AF_INET) {
    const struct sockaddr_in* name = (const struct sockaddr_in*) address;
    inet_ntop(AF_INET, &name->sin_addr, text, sizeof(text));
    snprintf(link->name, sizeof(link->name), "%s:%u", text, ntohs(name->sin_port));
  } else {
    const struct sockaddr_in6* name = (const struct sockaddr_in6*) address;
    inet_ntop(AF_INET6, &name->sin6_addr, text, sizeof(text));
    snprintf(link->name, sizeof(link->name), "[%s]:%u", text, ntohs(name->sin6_port));
  }
}

struct world_link* world_link_open(struct world* world, int fd,
                                   const struct sockaddr* address, socklen_t length) {
  uint64_t cookie = link_cookie(fd);
  struct world_link* found = NULL;
  if (cookie == 0)
    return NULL;
  world_lock(world);
  for (uint32_t i = 0; i < WORLD_LINKS; i++) {
    struct world_link* link = &world->links[i];
    if (link->cookie == cookie) {
      found = link;
      break;
    }
    if (found == NULL && link->cookie == 0)
      found = link;
  }
  if (found != NULL && found->cookie != cookie) {
    memset(found, 0, sizeof(*found));
    found->pid = getpid();
    found->fd = fd;
    found->cookie = cookie;
    uint32_t index = (uint32_t) (found - world->links);
    if (index >= world->link_high)
      __atomic_store_n(&world->link_high, index + 1, __ATOMIC_RELEASE);
  }
  if (found != NULL)
    link_name(found, address, length);
  world_unlock(world);
  if (found != NULL)
    world_note_outside(world, found->name);
  return found;
}

struct world_link* world_link_of(struct world* world, uint32_t index, int fd) {
  struct world_link* link = &world->links[index];
  return link->cookie != 0 && link->cookie == link_cookie(fd) ? link : NULL;
}

void world_link_close(struct world* world, struct world_link* link) {
  world_lock(world);
  if (link->pid == getpid())
    link->cookie = 0;
  world_unlock(world);
}

void world_link_sent(struct world_link* link) {
  __atomic_store_n(&link->is_reported, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&link->acted, world_real_ns(), __ATOMIC_RELEASE);
}

void world_link_heard(struct world_link* link) {
  __atomic_store_n(&link->gave_up, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&link->heard, world_real_ns(), __ATOMIC_RELEASE);
}

void world_link_held(struct world* world, int fd) {
  uint32_t high = __atomic_load_n(&world->link_high, __ATOMIC_ACQUIRE);
  uint64_t cookie = high == 0 ? 0 : link_cookie(fd);
  for (uint32_t i = 0; i < high && cookie != 0; i++) {
    if (world->links[i].cookie == cookie)
      world_link_heard(&world->links[i]);
  }
}

void world_links_forget(struct world* world, int pid) {
  for (uint32_t i = 0; i < world->link_high; i++) {
    if (world->links[i].pid == pid)
      world->links[i].cookie = 0;
  }
}

/* --- waiting ------------------------------------------------------------------------ */

/* An answer that has come and isn't read, because the program has other things to do, is
 * here. Only its own process can ask about a descriptor; each
 * process that waits does so every few milliseconds. */
static void link_look(struct world_link* link) {
  struct timespec at_once = {0}; /* written to: what is left of it */
  struct pollfd fds = {.fd = link->fd, .events = POLLIN | POLLRDHUP};
  if (link->pid != getpid())
    return;
  if (link_cookie(link->fd) != link->cookie)
    link->cookie = 0; /* closed, in a way that nobody saw */
  else if (syscall(SYS_ppoll, &fds, 1, &at_once, NULL, 0) > 0)
    world_link_heard(link);
}

static bool link_is_due(const struct world_link* link) {
  return link->acted != 0 && link->acted >= link->heard && !link->gave_up;
}

/* Whether the clock must wait for this one. */
static bool link_holds(struct world* world, struct world_link* link, uint64_t now) {
  if (link_is_due(link))
    link_look(link);
  if (link->cookie == 0)
    return false;
  if (!link_is_due(link))
    return link->heard != 0 && now < link->heard + PARTS_NS;
  if (now < link->acted + world->outside_ns) {
    if (!link->is_reported)
      world_say(world, "the clock waits for %s, outside (process %d, descriptor %d)",
                link->name, link->pid, link->fd);
    link->is_reported = 1;
    return true;
  }
  link->gave_up = 1;
  world_say(world, "nothing came from %s in %.1f s: the clock goes on", link->name,
            (double) world->outside_ns / 1e9);
  return false;
}

bool world_awaits_answer(struct world* world) {
  uint32_t high = __atomic_load_n(&world->link_high, __ATOMIC_ACQUIRE);
  bool holds = false;
  if (high == 0 || world->outside_ns == 0)
    return false;
  uint64_t now = world_real_ns();
  for (uint32_t i = 0; i < high && !holds; i++)
    holds = world->links[i].cookie != 0 && link_holds(world, &world->links[i], now);
  return holds;
}

bool world_may_hear(const struct world* world) {
  uint64_t now = world_real_ns();
  for (uint32_t i = 0; i < world->link_high; i++) {
    const struct world_link* link = &world->links[i];
    uint64_t last = link->acted > link->heard ? link->acted : link->heard;
    if (link->cookie != 0 && now < last + world->outside_ns)
      return true;
  }
  return false;
}
