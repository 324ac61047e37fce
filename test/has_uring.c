// Says whether this kernel lets us have an io_uring, and why not. The test
// runner asks before it runs a test on that backend, so that a machine without
// one shows skipped tests instead of the epoll backend's results twice.
#include <liburing.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  struct io_uring ring;
  int error = io_uring_queue_init(8, &ring, 0);
  if (error < 0) {
    printf("SKIP: no io_uring here (%s): look at sysctl kernel.io_uring_disabled and the "
           "container's seccomp profile\n",
           strerror(-error));
    return 77;
  }
  io_uring_queue_exit(&ring);
  return 0;
}
