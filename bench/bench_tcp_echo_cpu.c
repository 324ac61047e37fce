// What an echo server costs: its processor time per message of 64 bytes, with 50
// and with 1,000 connections. The client is in another process and not counted.
//
// There are two servers: one has a buffer and requests for each connection; the other,
// written as most examples are, allocates what it is asked for in every alloc_cb and a
// request for every write, and frees both when the write is done.
#include <uv.h>
#include "echo_load.h"

struct peer {
  uv_tcp_t tcp;
  // The client waits for its answer, yet a write may be reported after the next read.
  uv_write_t writes[4];
  unsigned next_write;
  char buffer[4096];
};

static struct peer peers[ECHO_CONNECTIONS_MOST];
static uv_tcp_t listener;
static int wanted;
static int accepted;
static int gone;
static long echoed;
static uv_alloc_cb alloc_cb;
static uv_read_cb read_cb;

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  struct peer* peer = handle->data;
  (void) suggested;
  *buffer = uv_buf_init(peer->buffer, sizeof peer->buffer);
}

static void after_write(uv_write_t* request, int status) {
  (void) request;
  bench_uv(status, "write");
}

static void leave(uv_stream_t* stream) {
  uv_close((uv_handle_t*) stream, NULL);
  if (++gone == wanted) {
    uv_close((uv_handle_t*) &listener, NULL);
  }
}

static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  struct peer* peer = stream->data;
  if (size == UV_EOF) {
    leave(stream);
    return;
  }
  bench_uv((int) size, "read");
  uv_buf_t answer = uv_buf_init(buffer->base, (unsigned) size);
  bench_uv(
      uv_write(&peer->writes[peer->next_write++ % 4], stream, &answer, 1, after_write),
      "write");
  echoed += size;
}

static void alloc_suggested(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) handle;
  *buffer = uv_buf_init(malloc(suggested), (unsigned) suggested);
}

static void after_allocated_write(uv_write_t* request, int status) {
  bench_uv(status, "write");
  free(request->data);
  free(request);
}

static void on_allocated_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size == UV_EOF) {
    free(buffer->base);
    leave(stream);
    return;
  }
  bench_uv((int) size, "read");
  uv_buf_t answer = uv_buf_init(buffer->base, (unsigned) size);
  uv_write_t* request = malloc(sizeof *request);
  bench_check(request != NULL, "memory for a request");
  request->data = buffer->base;
  bench_uv(uv_write(request, stream, &answer, 1, after_allocated_write), "write");
  echoed += size;
}

static void on_connection(uv_stream_t* server, int status) {
  bench_uv(status, "connection");
  struct peer* peer = &peers[accepted++];
  bench_uv(uv_tcp_init(server->loop, &peer->tcp), "tcp");
  peer->tcp.data = peer;
  bench_uv(uv_accept(server, (uv_stream_t*) &peer->tcp), "accept");
  bench_uv(uv_tcp_nodelay(&peer->tcp, 1), "nodelay");
  bench_uv(uv_read_start((uv_stream_t*) &peer->tcp, alloc_cb, read_cb), "read start");
  if (accepted == wanted) {
    echo_begin();
  }
}

static long run_server(int fd, int connections) {
  uv_loop_t loop;
  wanted = connections;
  bench_uv(uv_loop_init(&loop), "loop");
  bench_uv(uv_tcp_init(&loop, &listener), "tcp");
  bench_uv(uv_tcp_open(&listener, fd), "open");
  bench_uv(uv_listen((uv_stream_t*) &listener, 1024, on_connection), "listen");
  uv_run(&loop, UV_RUN_DEFAULT);
  bench_loop_close(&loop);
  return echoed;
}

static long serve(int fd, int connections) {
  alloc_cb = on_alloc;
  read_cb = on_read;
  return run_server(fd, connections);
}

static long serve_allocating(int fd, int connections) {
  alloc_cb = alloc_suggested;
  read_cb = on_allocated_read;
  return run_server(fd, connections);
}

int main(int argc, char** argv) {
  long messages = bench_argument(argc, argv, 60000);
  echo_measure("tcp_echo_cpu_50", serve, 50, messages);
  echo_measure("tcp_echo_cpu_1000", serve, 1000, messages);
  echo_measure("tcp_echo_cpu_alloc_50", serve_allocating, 50, messages);
  echo_measure("tcp_echo_cpu_alloc_1000", serve_allocating, 1000, messages);
  return 0;
}
