/* Strings that end where their buffer does: see strings.h. */
#include "base/strings.h"

#include <string.h>

#include "uv.h"

ssize_t string_copy(char* target, const char* source, size_t size) {
  if (size == 0) {
    return 0;
  }
  size_t length = strnlen(source, size);
  if (length == size) {
    memcpy(target, source, size - 1);
    target[size - 1] = '\0';
    return UV_E2BIG;
  }
  memcpy(target, source, length + 1);
  return (ssize_t) length;
}

int string_give(const char* string, size_t length, char* buffer, size_t* size) {
  if (length >= *size) {
    *size = length + 1;
    return UV_ENOBUFS;
  }
  memcpy(buffer, string, length);
  buffer[length] = '\0';
  *size = length;
  return 0;
}
