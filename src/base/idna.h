/* Host names outside ASCII. */
#ifndef RONDO_BASE_IDNA_H
#define RONDO_BASE_IDNA_H

#include <stddef.h>
#include <sys/types.h>

/* Turns a UTF-8 host name into the form that resolvers understand: a label
 * with a character beyond ASCII becomes "xn--" and its Punycode (RFC 3492), the
 * ideographic full stops become ".", everything else stays as it is, letter
 * case included. No mapping or normalisation is applied.
 *
 * Returns the number of bytes written to `ascii`, with the terminator. UV_EINVAL
 * for an empty name, a NUL byte or bad UTF-8 in it, and for a name that doesn't
 * fit: it is never cut. */
ssize_t idna_to_ascii(const char* name, size_t length, char* ascii, size_t size);

#endif
