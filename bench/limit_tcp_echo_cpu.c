// The same echo server with nothing between it and the kernel: epoll, recv, send.
#include "echo_load.h"

static void accept_all(int poller, int listener, int connections) {
  for (int i = 0; i < connections;) {
    int one = 1;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EAGAIN || errno == EINTR)) {
      usleep(1000);
      continue;
    }
    bench_system(fd, "accept");
    bench_system(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "nodelay");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    bench_system(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    i++;
  }
}

static long serve(int listener, int connections) {
  struct epoll_event events[1024];
  static char buffer[4096];
  long echoed = 0;
  int poller = epoll_create1(EPOLL_CLOEXEC);
  bench_system(poller, "epoll");
  accept_all(poller, listener, connections);
  echo_begin();
  for (int left = connections; left > 0;) {
    int count = epoll_wait(poller, events, 1024, -1);
    for (int i = 0; i < count; i++) {
      ssize_t size = recv(events[i].data.fd, buffer, sizeof buffer, 0);
      bench_system(size, "recv");
      if (size == 0) {
        close(events[i].data.fd);
        left--;
        continue;
      }
      bench_check(send(events[i].data.fd, buffer, (size_t) size, MSG_NOSIGNAL) == size,
                  "send");
      echoed += size;
    }
  }
  close(poller);
  return echoed;
}

int main(int argc, char** argv) {
  long messages = bench_argument(argc, argv, 60000);
  echo_measure("tcp_echo_cpu_50", serve, 50, messages);
  echo_measure("tcp_echo_cpu_1000", serve, 1000, messages);
  return 0;
}
