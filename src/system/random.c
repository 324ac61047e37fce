/* Random bytes from the kernel: see system.h. */
#include <errno.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "system/system.h"
#include "uv.h"

/* For kernels and sandboxes that refuse getrandom(). /dev/urandom never says
 * that it isn't seeded yet; /dev/random becomes readable once it is. */
static int wait_for_seed(void) {
  int fd = system_open("/dev/random");
  if (fd < 0) {
    return fd;
  }
  struct pollfd seeded = {.fd = fd, .events = POLLIN};
  int rc;
  do {
    rc = poll(&seeded, 1, -1);
  } while (rc < 0 && errno == EINTR);
  rc = rc < 0 ? -errno : 0;
  close(fd);
  return rc;
}

static int random_from_device(unsigned char* buffer, size_t length) {
  int rc = wait_for_seed();
  if (rc != 0) {
    return rc;
  }
  int fd = system_open("/dev/urandom");
  if (fd < 0) {
    return fd;
  }
  while (length > 0 && rc == 0) {
    ssize_t count = read(fd, buffer, length);
    if (count > 0) {
      buffer += count;
      length -= (size_t) count;
    } else if (count == 0) {
      rc = UV_EIO;
    } else if (errno != EINTR) {
      rc = -errno;
    }
  }
  close(fd);
  return rc;
}

int system_random(void* buffer, size_t length) {
  unsigned char* next = buffer;
  while (length > 0) {
    ssize_t count = getrandom(next, length, 0);
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      if (errno == ENOSYS || errno == EPERM) {
        return random_from_device(next, length);
      }
      return -errno;
    }
    next += count;
    length -= (size_t) count;
  }
  return 0;
}
