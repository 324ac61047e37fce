/* The load of tcp_echo_cpu: a client without any event library, which keeps one
 * message of 64 bytes under way on each of its connections. The server runs in a
 * child process of its own and reports, through a pipe, the processor time that it
 * used, so that the client's work is not counted. */
#ifndef RONDO_BENCH_ECHO_LOAD_H
#define RONDO_BENCH_ECHO_LOAD_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

enum { ECHO_MESSAGE = 64, ECHO_CONNECTIONS_MOST = 1000 };

/* A server serves `connections` connections on the listening socket until the last
 * one has gone, and returns the messages' bytes it has echoed. It calls echo_begin once
 * all of them are there. */
typedef long (*echo_server)(int listener, int connections);

static double echo_cpu_before;

static inline double echo_cpu(void) {
  struct rusage used;
  bench_system(getrusage(RUSAGE_SELF, &used), "getrusage");
  return (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static inline void echo_begin(void) {
  echo_cpu_before = echo_cpu();
}

static inline int echo_listen(struct sockaddr_in* address) {
  socklen_t length = sizeof *address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bench_system(fd, "socket");
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bench_system(bind(fd, (struct sockaddr*) address, length), "bind");
  bench_system(listen(fd, 1024), "listen");
  bench_system(getsockname(fd, (struct sockaddr*) address, &length), "getsockname");
  return fd;
}

static inline void echo_send(int fd) {
  static const char message[ECHO_MESSAGE] =
      "sixty-four bytes go out and the same sixty-four come back ......";
  bench_check(send(fd, message, sizeof message, MSG_NOSIGNAL) == ECHO_MESSAGE,
              "message sent");
}

/* Plays `messages` messages over all connections and closes them. */
static inline void echo_client(const struct sockaddr_in* address, int connections,
                               long messages) {
  static int fds[ECHO_CONNECTIONS_MOST];
  static int received[ECHO_CONNECTIONS_MOST];
  struct epoll_event events[256];
  int poller = epoll_create1(EPOLL_CLOEXEC);
  bench_system(poller, "epoll");
  memset(received, 0, sizeof received);
  for (int i = 0; i < connections; i++) {
    int one = 1;
    fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_system(fds[i], "socket");
    bench_system(connect(fds[i], (const struct sockaddr*) address, sizeof *address),
                 "connect");
    bench_system(setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one),
                 "nodelay");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t) i};
    bench_system(epoll_ctl(poller, EPOLL_CTL_ADD, fds[i], &event), "epoll_ctl");
  }
  long to_send = messages;
  long to_come = messages;
  for (int i = 0; i < connections && to_send > 0; i++, to_send--) {
    echo_send(fds[i]);
  }
  while (to_come > 0) {
    int count = epoll_wait(poller, events, 256, 10000);
    bench_check(count > 0, "an answer within ten seconds");
    for (int i = 0; i < count; i++) {
      uint32_t which = events[i].data.u32;
      char buffer[ECHO_MESSAGE];
      ssize_t size =
          recv(fds[which], buffer, sizeof buffer - (size_t) received[which], 0);
      bench_check(size > 0, "the connection lives");
      received[which] = (received[which] + (int) size) % ECHO_MESSAGE;
      if (received[which] == 0 && to_come-- > 0 && to_send > 0) {
        to_send--;
        echo_send(fds[which]);
      }
    }
  }
  for (int i = 0; i < connections; i++) {
    close(fds[i]);
  }
  close(poller);
}

/* Server in a child, client here; reports the server's processor time per message. */
static inline void echo_measure(const char* name, echo_server serve, int connections,
                                long messages) {
  struct sockaddr_in address;
  int results[2];
  int status;
  double result[2];
  int listener = echo_listen(&address);
  bench_system(pipe(results), "pipe");
  pid_t child = fork();
  bench_system(child, "fork");
  if (child == 0) {
    result[0] = (double) serve(listener, connections);
    result[1] = echo_cpu() - echo_cpu_before;
    bench_check(write(results[1], result, sizeof result) == sizeof result, "result sent");
    _exit(0);
  }
  close(listener);
  close(results[1]);
  echo_client(&address, connections, messages);
  bench_check(read(results[0], result, sizeof result) == sizeof result,
              "the server's result");
  close(results[0]);
  bench_system(waitpid(child, &status, 0), "waitpid");
  bench_check(status == 0, "the server ended well");
  bench_check((long) result[0] == messages * ECHO_MESSAGE, "every byte was echoed");
  bench_report(name, result[1] / (double) messages * 1e6, "us/msg");
}

#endif
