/* Bounded copies of strings: see strings.h. */
#include "base/strings.h"

#include "uv.h"

#include <string.h>

ssize_t string_copy(char* target, const char* source, size_t size) {
  if (size == 0)
    return 0;
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

bool string_decimal(const char** position, double* value) {
  const char* next = *position;
  while (*next == ' ')
    next++;
  if (*next < '0' || *next > '9')
    return false;
  *value = 0;
  while (*next >= '0' && *next <= '9')
    *value = *value * 10 + (*next++ - '0');
  if (*next == '.') {
    double scale = 1;
    double digits = 0;
    for (next++; *next >= '0' && *next <= '9'; next++) {
      digits = digits * 10 + (*next - '0');
      scale *= 10;
    }
    *value += digits / scale;
  }
  *position = next;
  return true;
}
