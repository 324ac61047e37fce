// An echo server and its clients in one thread, for counting instructions: of two runs
// with more and fewer rounds the difference is what the messages between took, and it is
// the same each time. Clients are bare sockets; each sends 64 bytes in every round.
//
//     messages CONNECTIONS ROUNDS
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

static void after_write(uv_write_t* request, int status) {
  bench_uv(status, "write");
  if (++answered < connections)
    return;
  answered = 0;
  receive_all();
  if (--rounds == 0)
    uv_stop(request->handle->loop);
  else
    send_all();
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
  uv_run(loop, UV_RUN_DEFAULT);
  return 0;
}
