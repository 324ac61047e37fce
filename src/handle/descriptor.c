/* Descriptors: the few system calls with which every kind of handle makes a descriptor,
 * sets its mode and closes it. */
#include "handle/descriptor.h"

#include "uv.h"

#include <assert.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ioctl sets the mode in one call, where fcntl needs a read first. This ioctl, FIONBIO,
 * works on every file, because the kernel handles it before the driver is called. */
int descriptor_nonblock(int fd, bool on) {
  int value = on ? 1 : 0;
  int result;
  do
    result = ioctl(fd, FIONBIO, &value);
  while (result == -1 && errno == EINTR);
  return result == -1 ? -errno : 0;
}

int descriptor_socket(int domain, int type, int protocol) {
  /* the program's */
  int fd = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  return fd == -1 ? -errno : fd;
}

int descriptor_accept(int fd) {
  int peer; /* the program's */
  do
    peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  while (peer == -1 && errno == EINTR);
  return peer == -1 ? -errno : peer;
}

void descriptor_close(int fd) {
  assert(fd >= 0);
  int saved = errno;
  close(fd);
  errno = saved;
}

int descriptor_set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof(value)) == -1 ? -errno : 0;
}

int descriptor_get_option(int fd, int level, int name, int* value) {
  socklen_t length = sizeof(*value);
  return getsockopt(fd, level, name, value, &length) == -1 ? -errno : 0;
}

int descriptor_name(int fd, bool peer, struct sockaddr* address, int* length) {
  if (*length <= 0)
    return UV_EINVAL;
  socklen_t size = (socklen_t) *length;
  int result = peer ? getpeername(fd, address, &size) : getsockname(fd, address, &size);
  if (result == -1)
    return -errno;
  *length = (int) size;
  return 0;
}
