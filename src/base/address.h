/* Addresses of sockets: their lengths and their text. */
#ifndef RONDO_BASE_ADDRESS_H
#define RONDO_BASE_ADDRESS_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/* The length of an IPv4 or IPv6 address, 0 for any other. */
socklen_t inet_address_length(const struct sockaddr* address);

/* "127.0.0.1:80", "[::1]:80", the path of a local socket or its abstract name behind "@";
 * "" if there is none. */
enum { ADDRESS_TEXT_SIZE = 120 };
void address_text(char* text, size_t size, const struct sockaddr_storage* address,
                  socklen_t length);

#endif
