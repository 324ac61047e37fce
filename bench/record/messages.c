// An echo server and its clients in one thread, for counting instructions: of two runs
// with more and fewer rounds the difference is what the messages between took, and it is
// the same each time. Clients are bare sockets; each sends 64 bytes in every round.
//
//     messages CONNECTIONS ROUNDS [slices]
//
// With "slices", the rounds are run once for each byte that is read from standard input,
// and the processor time of a message is printed, in nanoseconds.
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>
#include "bench.h"

enum { CONNECTIONS_MOST = 100, MESSAGE = 64 };

struct peer {
  uv_tcp_t tcp;
  uv_write_t write;
  char buffer[4096];
};

static struct peer peers[CONNECTIONS_MOST];
static int clients[CONNECTIONS_MOST];
static int connections;
static int accepted;
static long rounds;
static int answered;
static long slice_rounds; /* 0: there are no slices */
static double slice_begin;

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  struct peer* peer = (struct peer*) handle;
  (void) suggested;
  *buffer = uv_buf_init(peer->buffer, sizeof(peer->buffer));
}

// syscall(2), for write(2) takes more instructions in a process that has threads.
static void send_all(void) {
  char message[MESSAGE] = "";
  for (int i = 0; i < connections; i++)
    bench_check(syscall(SYS_write, clients[i], message, MESSAGE) == MESSAGE, "a message");
}

static void receive_all(void) {
  char message[MESSAGE];
  for (int i = 0; i < connections; i++)
    bench_check(syscall(SYS_read, clients[i], message, MESSAGE) == MESSAGE, "an answer");
}

static double cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double) used.tv_sec * 1e9 + (double) used.tv_nsec;
}

static void slice_end(void) {
  double count = (double) slice_rounds * connections;
  printf("%.2f\n", (cpu_ns() - slice_begin) / count);
  fflush(stdout);
}

// The loop sleeps between slices: what waits elsewhere is a stall to the recorder.
static void on_input(uv_poll_t* poll, int status, int events) {
  char byte;
  (void) events;
  bench_uv(status, "poll");
  if (read(STDIN_FILENO, &byte, 1) != 1) {
    uv_stop(poll->loop);
    return;
  }
  rounds = slice_rounds;
  slice_begin = cpu_ns();
  send_all();
}

static void after_write(uv_write_t* request, int status) {
  bench_uv(status, "write");
  if (++answered < connections)
    return;
  answered = 0;
  receive_all();
  if (--rounds > 0)
    send_all();
  else if (slice_rounds > 0 && slice_begin > 0)
    slice_end();
  else
    uv_stop(request->handle->loop);
}

static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  bench_check(size == MESSAGE, "a message received");
  uv_buf_t answer = uv_buf_init(buffer->base, (unsigned int) size);
  bench_uv(uv_write(&((struct peer*) stream)->write, stream, &answer, 1, after_write),
           "write");
}

static void on_connection(uv_stream_t* listener, int status) {
  struct peer* peer = &peers[accepted];
  bench_uv(status, "connection");
  bench_uv(uv_tcp_init(listener->loop, &peer->tcp), "init");
  bench_uv(uv_accept(listener, (uv_stream_t*) &peer->tcp), "accept");
  bench_uv(uv_read_start((uv_stream_t*) &peer->tcp, on_alloc, on_read), "read");
  if (++accepted == connections)
    send_all();
}

int main(int argc, char** argv) {
  connections = argc > 1 ? atoi(argv[1]) : 50;
  rounds = argc > 2 ? atol(argv[2]) : 1000;
  bench_check(connections > 0 && connections <= CONNECTIONS_MOST && rounds > 0, "sizes");
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t listener;
  struct sockaddr_in address;
  struct sockaddr_storage bound;
  int length = sizeof(bound);
  uv_tcp_init(loop, &listener);
  uv_ip4_addr("127.0.0.1", 0, &address);
  bench_uv(uv_tcp_bind(&listener, (struct sockaddr*) &address, 0), "bind");
  bench_uv(uv_listen((uv_stream_t*) &listener, 128, on_connection), "listen");
  bench_uv(uv_tcp_getsockname(&listener, (struct sockaddr*) &bound, &length), "name");
  for (int i = 0; i < connections; i++) {
    clients[i] = socket(AF_INET, SOCK_STREAM, 0);
    bench_system(connect(clients[i], (struct sockaddr*) &bound, (socklen_t) length),
                 "connect");
  }
  uv_poll_t input;
  slice_rounds = argc > 3 ? rounds : 0;
  uv_run(loop, UV_RUN_DEFAULT); // once at least, for what is only done the first time
  if (slice_rounds > 0) {
    bench_uv(uv_poll_init(loop, &input, STDIN_FILENO), "poll");
    bench_uv(uv_poll_start(&input, UV_READABLE, on_input), "poll");
    uv_run(loop, UV_RUN_DEFAULT);
  }
  return 0;
}
