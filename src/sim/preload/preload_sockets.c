/* Which sockets lead out of the world, and what passes over them: the C library's socket
 * functions do what they always do, and report to the world's tables (world_outside.h).
 * Reads and writes of other descriptors cost one look at an array. */
#include "preload_files.h"
#include "preload_timers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { FDS = 65536 }; /* descriptors above are not looked at */

/* The facts known of this process's descriptors. */
static struct {
  uint16_t link;  /* its index and one; 0: doesn't lead outside */
  bool is_placed; /* its address is in the world's table */
} sockets[FDS];

enum call {
  CALL_CONNECT,
  CALL_BIND,
  CALL_LISTEN,
  CALL_SHUTDOWN,
  CALL_CLOSE,
  CALL_READ,
  CALL_READV,
  CALL_RECV,
  CALL_RECVFROM,
  CALL_RECVMSG,
  CALL_RECVMMSG,
  CALL_WRITE,
  CALL_WRITEV,
  CALL_SEND,
  CALL_SENDTO,
  CALL_SENDMSG,
  CALL_SENDMMSG,
  CALL_SENDFILE,
  CALLS
};

/* The C library's own function, whose threads can be cancelled in it. */
static void real_of(enum call call, void* function) {
  static const char* const names[CALLS] = {
      "connect", "bind", "listen",   "shutdown", "close",    "read",
      "readv",   "recv", "recvfrom", "recvmsg",  "recvmmsg", "write",
      "writev",  "send", "sendto",   "sendmsg",  "sendmmsg", "sendfile"};
  static void* kept[CALLS];
  preload_find_once(&kept[call], names[call], function);
}

/* --- links -------------------------------------------------------------------------- */

static bool is_linked(int fd) {
  return fd >= 0 && fd < FDS && sockets[fd].link != 0;
}

static struct world_link* link_of(int fd) {
  struct world_link* link = world_link_of(preload_world, sockets[fd].link - 1u, fd);
  if (link == NULL)
    sockets[fd].link = 0; /* another file has the number now */
  return link;
}

static void note_sent(int fd, ssize_t result) {
  if (result < 0 || !is_linked(fd))
    return;
  int saved = errno;
  struct world_link* link = link_of(fd);
  if (link != NULL)
    world_link_sent(link);
  errno = saved;
}

/* An end and an error are answers, too. */
static void note_received(int fd, ssize_t result) {
  if (!is_linked(fd) || (result < 0 && (errno == EAGAIN || errno == EINTR)))
    return;
  int saved = errno;
  struct world_link* link = link_of(fd);
  if (link != NULL)
    world_link_heard(link);
  errno = saved;
}

static int socket_type(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : 0;
}

static bool own_place(int fd, struct world_place* place) {
  struct sockaddr_storage address = {0};
  socklen_t length = sizeof(address);
  return getsockname(fd, (struct sockaddr*) &address, &length) == 0 &&
         world_place_of((struct sockaddr*) &address, length, socket_type(fd), place);
}

/* Others of the world may send there from now on. */
static void note_place(int fd) {
  struct world_place place;
  int saved = errno;
  if (preload_world != NULL && fd >= 0 && fd < FDS && own_place(fd, &place)) {
    world_place_add(preload_world, &place);
    sockets[fd].is_placed = true;
  }
  errno = saved;
}

/* True if a socket that was connected to the address, or has sent there, leads outside.
 */
static bool note_target(int fd, const struct sockaddr* address, socklen_t length) {
  struct world_place target, own;
  int type = socket_type(fd);
  if (fd >= FDS || !world_place_of(address, length, type, &target))
    return false;
  bool is_bound = type == SOCK_STREAM && own_place(fd, &own);
  if (world_place_is_inside(preload_world, &target, is_bound ? &own : NULL)) {
    sockets[fd].link = 0;
    return false;
  }
  const struct world_link* link = world_link_open(preload_world, fd, address, length);
  sockets[fd].link = link == NULL ? 0 : (uint16_t) (link - preload_world->links + 1);
  return link != NULL;
}

/* A datagram was sent to an address; the answer comes to the socket's own. */
static void note_sent_to(int fd, ssize_t result, const struct sockaddr* address,
                         socklen_t length) {
  if (preload_world == NULL || result < 0 || fd < 0 || fd >= FDS)
    return;
  if (address != NULL) {
    int saved = errno;
    if (!sockets[fd].is_placed)
      note_place(fd);
    (void) note_target(fd, address, length);
    errno = saved;
  }
  note_sent(fd, result);
}

/* --- connections -------------------------------------------------------------------- */

/* glibc declares addresses as a union of pointers. */
int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t length) {
  int (*real)(int, const struct sockaddr*, socklen_t);
  const struct sockaddr* address = PRELOAD_ADDRESS(to);
  real_of(CALL_CONNECT, &real);
  int result = real(fd, address, length);
  int saved = errno;
  if (preload_world == NULL || fd < 0 || address == NULL ||
      (result != 0 && saved != EINPROGRESS))
    return result;
  bool is_stream = socket_type(fd) != SOCK_DGRAM;
  if (!is_stream)
    note_place(fd);
  if (note_target(fd, address, length) && is_stream)
    note_sent(fd, 0);
  errno = saved;
  return result;
}

/* A name that the program chose can be bound once at a time. */
static void note_bound(int fd, const struct sockaddr* address, socklen_t length) {
  struct world_place place;
  char name[WORLD_LINK_NAME];
  if (preload_world == NULL || !world_place_of(address, length, socket_type(fd), &place))
    return;
  if (address->sa_family == AF_UNIX) {
    char path[sizeof(struct sockaddr_un)] = "";
    size_t start = offsetof(struct sockaddr_un, sun_path);
    memcpy(path, (const char*) address + start, length - start);
    snprintf(name, sizeof(name), "'@%.40s'", path + 1);
    if (path[0] == '\0')
      world_note_fixed(preload_world, name);
    else
      world_note_written(preload_world, path);
  } else if (place.port != 0) {
    snprintf(name, sizeof(name), "port %u", ntohs(place.port));
    world_note_fixed(preload_world, name);
  }
  if (world_place_is_of_machine(&place))
    world_note_outside(preload_world, "a network of this machine");
}

int bind(int fd, __CONST_SOCKADDR_ARG to, socklen_t length) {
  int (*real)(int, const struct sockaddr*, socklen_t);
  const struct sockaddr* address = PRELOAD_ADDRESS(to);
  real_of(CALL_BIND, &real);
  int result = real(fd, address, length);
  if (result != 0)
    return result;
  note_place(fd);
  int saved = errno;
  note_bound(fd, address, length);
  errno = saved;
  return result;
}

/* Gives a socket without an address one. */
int listen(int fd, int backlog) {
  int (*real)(int, int);
  real_of(CALL_LISTEN, &real);
  int result = real(fd, backlog);
  if (result == 0)
    note_place(fd);
  return result;
}

/* The other end sees the shutdown, and may answer. */
int shutdown(int fd, int how) {
  int (*real)(int, int);
  real_of(CALL_SHUTDOWN, &real);
  int result = real(fd, how);
  if (how != SHUT_RD)
    note_sent(fd, result);
  return result;
}

int close(int fd) {
  int (*real)(int);
  real_of(CALL_CLOSE, &real);
  if (is_linked(fd)) {
    struct world_link* link = link_of(fd);
    if (link != NULL)
      world_link_close(preload_world, link);
    sockets[fd].link = 0;
  }
  if (fd >= 0 && fd < FDS)
    sockets[fd].is_placed = false;
  preload_timerfd_closed(fd);
  return real(fd);
}

/* --- reading ------------------------------------------------------------------------ */

ssize_t read(int fd, void* buffer, size_t size) {
  ssize_t (*real)(int, void*, size_t);
  real_of(CALL_READ, &real);
  if (preload_is_timerfd(fd) && !preload_timerfd_await(fd))
    return -1;
  ssize_t result = real(fd, buffer, size);
  note_received(fd, result);
  return result;
}

ssize_t readv(int fd, const struct iovec* parts, int count) {
  ssize_t (*real)(int, const struct iovec*, int);
  real_of(CALL_READV, &real);
  ssize_t result = real(fd, parts, count);
  note_received(fd, result);
  return result;
}

ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  ssize_t (*real)(int, void*, size_t, int);
  real_of(CALL_RECV, &real);
  ssize_t result = real(fd, buffer, size, flags);
  note_received(fd, result);
  return result;
}

ssize_t recvfrom(int fd, void* restrict buffer, size_t size, int flags,
                 __SOCKADDR_ARG address, socklen_t* restrict length) {
  ssize_t (*real)(int, void*, size_t, int, struct sockaddr*, socklen_t*);
  real_of(CALL_RECVFROM, &real);
  ssize_t result = real(fd, buffer, size, flags, PRELOAD_ADDRESS(address), length);
  note_received(fd, result);
  return result;
}

ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
  ssize_t (*real)(int, struct msghdr*, int);
  real_of(CALL_RECVMSG, &real);
  ssize_t result = real(fd, message, flags);
  note_received(fd, result);
  return result;
}

int recvmmsg(int fd, struct mmsghdr* messages, unsigned int count, PRELOAD_FLAGS flags,
             struct timespec* timeout) {
  int (*real)(int, struct mmsghdr*, unsigned int, PRELOAD_FLAGS, struct timespec*);
  real_of(CALL_RECVMMSG, &real);
  int result = real(fd, messages, count, flags, timeout);
  note_received(fd, result);
  return result;
}

/* The functions that a program compiled with _FORTIFY_SOURCE calls instead. */
ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room);
ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room)
    abort();
  return read(fd, buffer, size);
}

ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t room, int flags);
ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t room, int flags) {
  if (size > room)
    abort();
  return recv(fd, buffer, size, flags);
}

ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t room, int flags,
                       struct sockaddr* address, socklen_t* length);
ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t room, int flags,
                       struct sockaddr* address, socklen_t* length) {
  if (size > room)
    abort();
  return recvfrom(fd, buffer, size, flags, address, length);
}

/* --- writing ------------------------------------------------------------------------ */

ssize_t write(int fd, const void* buffer, size_t size) {
  ssize_t (*real)(int, const void*, size_t);
  real_of(CALL_WRITE, &real);
  ssize_t result = real(fd, buffer, size);
  note_sent(fd, result);
  return preload_wrote(fd, result);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  ssize_t (*real)(int, const struct iovec*, int);
  real_of(CALL_WRITEV, &real);
  ssize_t result = real(fd, parts, count);
  note_sent(fd, result);
  return preload_wrote(fd, result);
}

ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  ssize_t (*real)(int, const void*, size_t, int);
  real_of(CALL_SEND, &real);
  ssize_t result = real(fd, buffer, size, flags);
  note_sent(fd, result);
  return result;
}

ssize_t sendto(int fd, const void* buffer, size_t size, int flags,
               __CONST_SOCKADDR_ARG to, socklen_t length) {
  ssize_t (*real)(int, const void*, size_t, int, const struct sockaddr*, socklen_t);
  real_of(CALL_SENDTO, &real);
  ssize_t result = real(fd, buffer, size, flags, PRELOAD_ADDRESS(to), length);
  note_sent_to(fd, result, PRELOAD_ADDRESS(to), length);
  return result;
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  ssize_t (*real)(int, const struct msghdr*, int);
  real_of(CALL_SENDMSG, &real);
  ssize_t result = real(fd, message, flags);
  note_sent_to(fd, result, message->msg_name, message->msg_namelen);
  return result;
}

int sendmmsg(int fd, struct mmsghdr* messages, unsigned int count, PRELOAD_FLAGS flags) {
  int (*real)(int, struct mmsghdr*, unsigned int, PRELOAD_FLAGS);
  real_of(CALL_SENDMMSG, &real);
  int result = real(fd, messages, count, flags);
  for (int i = 0; i < result; i++)
    note_sent_to(fd, result, messages[i].msg_hdr.msg_name,
                 messages[i].msg_hdr.msg_namelen);
  return result;
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) {
  ssize_t (*real)(int, int, off_t*, size_t);
  real_of(CALL_SENDFILE, &real);
  ssize_t result = real(to, from, offset, size);
  note_sent(to, result);
  return preload_wrote(to, result);
}

#ifdef __GLIBC__
/* On 64 bits the same. */
ssize_t sendfile64(int to, int from, off_t* offset, size_t size)
    __attribute__((alias("sendfile")));
#endif
