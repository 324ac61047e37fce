// Says whether this kernel lets us have an io_uring, and why not. The test
// runner asks before it runs a test on that backend, so that a machine without
// one shows skipped tests instead of the epoll backend's results twice.
#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  struct io_uring ring;
  // As the library makes one: kernels before 6.1 have rings, but not of this kind.
  int error = io_uring_queue_init(
      8, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
  if (error == -EINVAL) {
    printf("SKIP: this kernel's io_uring is older than Linux 6.1\n");
    return 77;
  }
  if (error < 0) {
    printf("SKIP: no io_uring here (%s): look at sysctl kernel.io_uring_disabled and the "
           "container's seccomp profile\n",
           strerror(-error));
    return 77;
  }
  io_uring_queue_exit(&ring);
  return 0;
}
