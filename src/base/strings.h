/* Bounded copies of strings, and numbers read from them. */
#ifndef RONDO_BASE_STRINGS_H
#define RONDO_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Copies as much of `source` as `size` bytes can hold and always terminates
 * it. Returns the length copied, or UV_E2BIG when it was cut. A size of 0
 * writes nothing and returns 0. */
ssize_t string_copy(char* target, const char* source, size_t size);

/* The library's protocol for returning a string to the caller. On entry *size is the room
 * in `buffer`. On success *size becomes the string's length. If the room is too small,
 * *size becomes the size needed, terminator included, `buffer` stays untouched, and the
 * result is UV_ENOBUFS. */
int string_give(const char* string, size_t length, char* buffer, size_t* size);

/* Reads a number like "12" or "0.75" at *position and moves past it; false if
 * there is none. For files of the kernel: strtod() would look for the decimal
 * point of the program's locale. */
bool string_decimal(const char** position, double* value);

#endif
