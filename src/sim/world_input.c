/* The standard input that `rondo sim` handed on: a pipe, a socket or a terminal, whose
 * other end is outside the world. Nobody knows when something comes from there, so it
 * doesn't hold the clock; but a world in which somebody waits for it doesn't hang. */
#include "sim/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SETS_DEEP = 2 }; /* an epoll set may be in another */

void world_set_input(struct world* world, int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 ||
      !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(fd)))
    return;
  world->input_device = (uint64_t) status.st_dev;
  world->input_file = (uint64_t) status.st_ino;
}

static bool input_is_in_set(const struct world* world, int set, int deep);

/* A terminal that is opened again is the same file. */
static bool input_is(const struct world* world, int fd, int deep) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0)
    return false;
  return ((uint64_t) status.st_ino == world->input_file &&
          (uint64_t) status.st_dev == world->input_device) ||
         (deep > 0 && input_is_in_set(world, fd, deep - 1));
}

/* The kernel lists an epoll set's descriptors, a line each. */
static bool input_is_in_set(const struct world* world, int set, int deep) {
  char path[48];
  char text[8192];
  snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", set);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
  if (fd >= 0)
    close(fd);
  text[n < 0 ? 0 : n] = '\0';
  for (const char* at = text; (at = strstr(at, "tfd:")) != NULL; at += 4) {
    if (input_is(world, (int) strtol(at + 4, NULL, 10), deep))
      return true;
  }
  return false;
}

bool world_is_input_among(const struct world* world, const struct pollfd* fds,
                          nfds_t count) {
  for (nfds_t i = 0; i < count && world->input_file != 0; i++) {
    if (input_is(world, fds[i].fd, SETS_DEEP))
      return true;
  }
  return false;
}
