/* UTF-8, one character at a time. */
#ifndef RONDO_BASE_UTF8_H
#define RONDO_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

enum utf8_kind {
  UTF8_STRICT,    /* as Unicode defines it */
  UTF8_SURROGATES /* WTF-8: lone surrogates are characters too */
};

/* Decodes the character at *position, which must be before `end`, and moves
 * past it. Overlong forms, characters beyond U+10FFFF, cut sequences and stray
 * bytes give UTF8_INVALID; *position then stands behind the bytes that belong
 * to the bad sequence, at least one. */
uint32_t utf8_decode(const char** position, const char* end, enum utf8_kind kind);

/* Writes 1 to 4 bytes and returns how many. Surrogates are written as they
 * are. */
size_t utf8_encode(uint32_t character, char bytes[4]);

#endif
