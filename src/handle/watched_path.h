/* The path that a handle watches, for the program's request (uv_fs_event_getpath). */
#ifndef RONDO_WATCHED_PATH_H
#define RONDO_WATCHED_PATH_H

#include "base/strings.h"
#include "uv.h"

#include <string.h>

/* `path` is NULL for a handle that watches nothing. */
static inline int watched_path_give(const char* path, char* buffer, size_t* size) {
  if (buffer == NULL || size == NULL)
    return UV_EINVAL;
  if (path == NULL) {
    *size = 0;
    return UV_EINVAL;
  }
  return string_give(path, strlen(path), buffer, size);
}

#endif
