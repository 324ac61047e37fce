/* Descriptors for handles: close-on-exec from birth, non-blocking, and closed exactly
 * once even if the close is interrupted.
 *
 * Functions return 0 (or the new descriptor) or a negative UV_E... code; none of them
 * leaves a descriptor behind when it fails. */
#ifndef RONDO_DESCRIPTOR_H
#define RONDO_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

int descriptor_nonblock(int fd, bool on);

/* SOCK_NONBLOCK and SOCK_CLOEXEC are added to the type. */
int descriptor_socket(int domain, int type, int protocol);

/* The next waiting connection, close-on-exec and non-blocking. UV_EAGAIN if none is. */
int descriptor_accept(int fd);

/* Never retried after EINTR: by then Linux has released the number, and another thread
 * may have it. Doesn't change errno. */
void descriptor_close(int fd);

/* Integer socket options. */
int descriptor_set_option(int fd, int level, int name, int value);
int descriptor_get_option(int fd, int level, int name, int* value);

/* The address of this end or, with `peer`, of the other end. *length is the room in
 * `address` before and the address's own length after. */
struct sockaddr;
int descriptor_name(int fd, bool peer, struct sockaddr* address, int* length);

#endif
