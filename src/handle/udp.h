/* The common part of the files of the UDP handle.
 *
 * udp.c makes, binds, connects and closes; udp_send.c sends, udp_recv.c receives,
 * udp_options.c has the socket options and multicast groups. */
#ifndef RONDO_UDP_H
#define RONDO_UDP_H

#include "uv.h"
#include "loop/loop.h"

#include <sys/socket.h>

/* Bits of handle->flags. */
enum {
  UDP_CONNECTED = HANDLE_ROOM << 0,
  UDP_RECVMMSG = HANDLE_ROOM << 1, /* many datagrams in one system call, if asked to */
  UDP_RECVERR = HANDLE_ROOM << 2,  /* the kernel keeps a queue of errors for the socket */
  /* Certainly UDP, not another kind of datagram socket. */
  UDP_INTERNET = HANDLE_ROOM << 3,
};

/* The length of an address by its family; 0 for a family that we can't send to. */
socklen_t udp_address_length(const struct sockaddr* addr);

/* Gives a handle that was never bound a socket of this family, bound to any address and a
 * free port, as sending and receiving promise. Returns 0 or an error. */
int udp_bind_if_needed(uv_udp_t* handle, int family, unsigned int flags);

/* The handle is active while it receives or has something to send. */
void udp_update_active(uv_udp_t* handle);

/* Called when the socket is readable or has an error to report. */
void udp_receive(uv_udp_t* handle);

/* Calls back the errors in the kernel's queue, or discards them if the handle doesn't
 * receive. An error left there would make the socket ready for ever. */
void udp_receive_errors(uv_udp_t* handle);

/* Sends queued datagrams, as many as the kernel takes. */
void udp_flush(uv_udp_t* handle);
/* Calls back the requests that have ended. */
void udp_run_completed(uv_udp_t* handle);
/* Ends every send that is still queued with this error; udp_run_completed calls back. */
void udp_fail_queued(uv_udp_t* handle, int error);

#endif
