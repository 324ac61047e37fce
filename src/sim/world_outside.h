/* Sockets that lead out of a world, to processes which live in real time.
 *
 * A world knows the addresses of its own sockets (places); a connection, or a datagram,
 * to any other address leads outside and is a link. The clock doesn't jump while the
 * world has connected or sent something over a link and has heard nothing since, for at
 * most world->outside_ns in real time; nor just after something has come, for an answer
 * may come in parts. A link that has let that time pass is not waited for again until
 * something comes over it.
 *
 * The functions of the C library that open, use and close sockets report to this table
 * (preload/preload_sockets.c). */
#ifndef RONDO_SIM_WORLD_OUTSIDE_H
#define RONDO_SIM_WORLD_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct world;

enum { WORLD_PLACES = 1024, WORLD_LINKS = 256, WORLD_LINK_NAME = 64 };

/* An address of a socket, so that two can be compared: IPv4 is written as IPv6, a path
 * as the file's device and number, an abstract name as its hash. */
struct world_place {
  uint16_t kind; /* enum world_place_kind; 0: free */
  uint16_t port;
  uint32_t type; /* SOCK_STREAM, SOCK_DGRAM */
  uint8_t address[16];
};

struct world_link {
  uint64_t cookie; /* SO_COOKIE; 0: free */
  int pid;
  int fd;
  uint64_t acted; /* the world connected or sent: real time; 0: not yet */
  uint64_t heard; /* something came, at last; 0: not yet */
  uint32_t gave_up;
  uint32_t is_reported;
  char name[WORLD_LINK_NAME]; /* the address, for --verbose */
};

/* False if the address is of a family whose sockets can't lead outside. */
bool world_place_of(const struct sockaddr* address, socklen_t length, int type,
                    struct world_place* place);
/* An address of the world's own. */
void world_place_add(struct world* world, const struct world_place* place);
/* Whether a socket of the world has the address; `own` is that of the asking socket, or
 * NULL: an address of another machine is outside whatever its port. */
bool world_place_is_inside(struct world* world, const struct world_place* place,
                           const struct world_place* own);

/* Whether it is an address of this machine that a network gave it. */
bool world_place_is_of_machine(const struct world_place* place);

/* The link of a socket, made if need be; NULL if the table is full. */
struct world_link* world_link_open(struct world* world, int fd,
                                   const struct sockaddr* address, socklen_t length);
/* The link at `index` if it is still this descriptor's, or NULL. */
struct world_link* world_link_of(struct world* world, uint32_t index, int fd);
void world_link_close(struct world* world, struct world_link* link);
void world_link_sent(struct world_link* link);
void world_link_heard(struct world_link* link);
/* A descriptor is ready, and a decision keeps the program from noticing it: if the
 * descriptor is a link, the next move isn't that of the other end. */
void world_link_held(struct world* world, int fd);
/* With the lock held: of a process that has ended. */
void world_links_forget(struct world* world, int pid);

/* Whether an answer from outside is due: the clock must not jump. With the lock held. */
bool world_awaits_answer(struct world* world);
/* Whether something may still come over a link, though nobody asked for it. */
bool world_may_hear(const struct world* world);

#endif
