/* Random bytes from the kernel: see system.h. */
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

/* For kernels and sandboxes that refuse getrandom(). /dev/urandom doesn't reveal whether
 * it is seeded; /dev/random becomes readable once it is. */
static int wait_for_seed(void) {
  int fd = system_open("/dev/random");
  if (fd < 0)
    return fd;
  struct pollfd seeded = {.fd = fd, .events = POLLIN};
  int err;
  do {
    err = poll(&seeded, 1, -1);
  } while (err < 0 && errno == EINTR);
  err = err < 0 ? -errno : 0;
  close(fd);
  return err;
}

static int random_from_device(unsigned char* buffer, size_t length) {
  int err = wait_for_seed();
  if (err != 0)
    return err;
  int fd = system_open("/dev/urandom");
  if (fd < 0)
    return fd;
  while (length > 0 && err == 0) {
    ssize_t count = read(fd, buffer, length);
    if (count > 0) {
      buffer += count;
      length -= (size_t) count;
    } else if (count == 0) {
      err = UV_EIO;
    } else if (errno != EINTR) {
      err = -errno;
    }
  }
  close(fd);
  return err;
}

int system_random(void* buffer, size_t length) {
  unsigned char* next = buffer;
  while (length > 0) {
    ssize_t count = getrandom(next, length, 0);
    if (count < 0) {
      if (errno == EINTR)
        continue;
      if (errno == ENOSYS || errno == EPERM)
        return random_from_device(next, length);
      return -errno;
    }
    next += count;
    length -= (size_t) count;
  }
  return 0;
}
