/* Reads the small files of /proc and /sys: see system.h. */
#include "base/alloc.h"
#include "base/own_fd.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int system_open(const char* path) {
  int fd;
  do {
    fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC));
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

/* Until `size` bytes or the end of the file. */
static ssize_t read_fully(int fd, char* buffer, size_t size) {
  size_t length = 0;
  while (length < size) {
    ssize_t count = read(fd, buffer + length, size - length);
    if (count == 0)
      break;
    if (count > 0)
      length += (size_t) count;
    else if (errno != EINTR)
      return -errno;
  }
  return (ssize_t) length;
}

ssize_t system_read_file(const char* path, char* buffer, size_t size) {
  int fd = system_open(path);
  if (fd < 0)
    return fd;
  ssize_t length = read_fully(fd, buffer, size - 1);
  close(fd);
  if (length >= 0)
    buffer[length] = '\0';
  return length;
}

/* Files of /proc report a size of 0, so the buffer grows until a read leaves some of it
 * empty. */
static ssize_t read_growing(int fd, char** content) {
  size_t room = 4096;
  size_t length = 0;
  char* text = NULL;

  for (;;) {
    char* grown = mem_realloc(text, room);
    if (grown == NULL) {
      mem_free(text);
      return UV_ENOMEM;
    }
    text = grown;
    ssize_t count = read_fully(fd, text + length, room - 1 - length);
    if (count < 0) {
      mem_free(text);
      return count;
    }
    length += (size_t) count;
    if (length < room - 1) {
      text[length] = '\0';
      *content = text;
      return (ssize_t) length;
    }
    room *= 2;
  }
}

ssize_t system_read_whole_file(const char* path, char** content) {
  int fd = system_open(path);
  if (fd < 0)
    return fd;
  ssize_t length = read_growing(fd, content);
  close(fd);
  return length;
}
