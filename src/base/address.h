/* Addresses of the two families that the library supports. */
#ifndef RONDO_BASE_ADDRESS_H
#define RONDO_BASE_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

/* The length of an IPv4 or IPv6 address, 0 for any other. */
socklen_t inet_address_length(const struct sockaddr* address);

#endif
