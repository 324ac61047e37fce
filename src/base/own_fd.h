/* Descriptors of our own never have the numbers 0, 1 and 2. The kernel gives the lowest
 * number that is free, so in a program whose standard input, output or error is closed,
 * an epoll set or a socket of ours would get its number: what the program prints would go
 * into it, and a program that opens /dev/null in its place would close it. Descriptors
 * that a program asks for (uv_fs_open, sockets) keep the number that the kernel gives. */
#ifndef RONDO_BASE_OWN_FD_H
#define RONDO_BASE_OWN_FD_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { OWN_FD_FIRST = 3 };

/* Moves a new descriptor, which is closed on exec, above the standard ones. Returns its
 * number; -1, with errno set, if `fd` is -1 or there is no other number, and nothing is
 * open then. */
static inline int own_fd_raise(int fd) {
  if (fd < 0 || fd >= OWN_FD_FIRST)
    return fd;
  int higher = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FD_FIRST);
  int err = errno;
  close(fd);
  errno = err;
  return higher;
}

/* A file to be read; NULL: see errno. */
static inline FILE* own_fd_read_file(const char* path) {
  int fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC));
  FILE* file = fd < 0 ? NULL : fdopen(fd, "r");
  if (fd >= 0 && file == NULL)
    close(fd);
  return file;
}

/* For the command, which shares its descriptors with nobody: where a standard one is
 * closed, a file takes its number that can't be read or written, as a closed one can't,
 * so that nothing else gets it. Programs that the command starts don't inherit these
 * files. */
static inline void own_fd_hold_standard(void) {
  for (int fd = 0; fd < OWN_FD_FIRST; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void) !open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

/* A folder whose entries are listed; NULL: see errno. */
static inline DIR* own_fd_list_folder(const char* path) {
  int fd = own_fd_raise(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* list = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && list == NULL)
    close(fd);
  return list;
}

#endif
