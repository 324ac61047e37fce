// ping_pongs and pipe_ping_pongs: a client sends five bytes and waits for them to
// come back from an echo server on another thread, over one connection.
#include <unistd.h>
#include <uv.h>
#include "bench.h"

static const char ping[] = "PING\n";
enum { PING_SIZE = sizeof ping - 1 };

union stream {
  uv_stream_t any;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
};

struct server {
  uv_loop_t loop;
  union stream listener;
  union stream peer;
  int is_pipe;
  // The client waits for its answer, yet a write may be reported after the next read.
  uv_write_t writes[4];
  unsigned next_write;
  char buffer[4096];
};

struct client {
  union stream stream;
  uv_connect_t connect;
  uv_write_t writes[4]; // as above
  unsigned next_write;
  long left;
  size_t received; // of the answer that is under way
  char buffer[4096];
};

static void after_write(uv_write_t* request, int status) {
  (void) request;
  bench_uv(status, "write");
}

static void stream_init(uv_loop_t* loop, union stream* stream, int is_pipe) {
  bench_uv(is_pipe ? uv_pipe_init(loop, &stream->pipe, 0)
                   : uv_tcp_init(loop, &stream->tcp),
           "init");
}

static void server_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  struct server* server = handle->data;
  (void) suggested;
  *buffer = uv_buf_init(server->buffer, sizeof server->buffer);
}

static void server_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  struct server* server = stream->data;
  if (size == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    uv_close((uv_handle_t*) &server->listener, NULL);
    return;
  }
  bench_uv((int) size, "server's read");
  uv_buf_t answer = uv_buf_init(buffer->base, (unsigned) size);
  bench_uv(uv_write(&server->writes[server->next_write++ % 4], stream, &answer, 1,
                    after_write),
           "server's write");
}

static void server_accept(uv_stream_t* listener, int status) {
  struct server* server = listener->data;
  bench_uv(status, "connection");
  stream_init(&server->loop, &server->peer, server->is_pipe);
  server->peer.any.data = server;
  bench_uv(uv_accept(listener, &server->peer.any), "accept");
  bench_uv(uv_read_start(&server->peer.any, server_alloc, server_read),
           "server's read start");
}

static void server_run(void* argument) {
  struct server* server = argument;
  uv_run(&server->loop, UV_RUN_DEFAULT);
}

static void client_send(struct client* client) {
  uv_buf_t buffer = uv_buf_init((char*) ping, PING_SIZE);
  bench_uv(uv_write(&client->writes[client->next_write++ % 4], &client->stream.any,
                    &buffer, 1, after_write),
           "write");
}

static void client_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  struct client* client = handle->data;
  (void) suggested;
  *buffer = uv_buf_init(client->buffer, sizeof client->buffer);
}

static void client_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  struct client* client = stream->data;
  bench_uv((int) size, "read");
  bench_check(client->received + (size_t) size <= PING_SIZE &&
                  memcmp(buffer->base, ping + client->received, (size_t) size) == 0,
              "what comes back is what was sent");
  client->received += (size_t) size;
  if (client->received < PING_SIZE) {
    return;
  }
  client->received = 0;
  if (--client->left == 0) {
    uv_close((uv_handle_t*) stream, NULL);
  } else {
    client_send(client);
  }
}

static void client_connected(uv_connect_t* request, int status) {
  struct client* client = request->data;
  bench_uv(status, "connect");
  bench_uv(uv_read_start(&client->stream.any, client_alloc, client_read), "read start");
  client_send(client);
}

static void run(const char* name, int is_pipe, long count) {
  static struct server server;
  static struct client client;
  char path[64];
  struct sockaddr_in address;
  uv_loop_t loop;
  uv_thread_t thread;
  memset(&server, 0, sizeof server);
  memset(&client, 0, sizeof client);
  snprintf(path, sizeof path, "/tmp/rondo-bench-%d.sock", (int) getpid());

  server.is_pipe = is_pipe;
  bench_uv(uv_loop_init(&server.loop), "loop");
  bench_uv(uv_loop_init(&loop), "loop");
  stream_init(&server.loop, &server.listener, is_pipe);
  stream_init(&loop, &client.stream, is_pipe);
  server.listener.any.data = &server;
  client.stream.any.data = client.connect.data = &client;
  client.left = count;
  if (is_pipe) {
    bench_uv(uv_pipe_bind(&server.listener.pipe, path), "bind");
  } else {
    int length = sizeof address;
    bench_uv(uv_ip4_addr("127.0.0.1", 0, &address), "address");
    bench_uv(uv_tcp_bind(&server.listener.tcp, (struct sockaddr*) &address, 0), "bind");
    bench_uv(
        uv_tcp_getsockname(&server.listener.tcp, (struct sockaddr*) &address, &length),
        "port");
  }
  bench_uv(uv_listen(&server.listener.any, 8, server_accept), "listen");
  bench_uv(uv_thread_create(&thread, server_run, &server), "thread");

  double began = bench_seconds();
  if (is_pipe) {
    uv_pipe_connect(&client.connect, &client.stream.pipe, path, client_connected);
  } else {
    bench_uv(uv_tcp_connect(&client.connect, &client.stream.tcp,
                            (struct sockaddr*) &address, client_connected),
             "connect");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();

  bench_check(client.left == 0, "every ping came back");
  bench_uv(uv_thread_join(&thread), "join");
  bench_loop_close(&server.loop);
  bench_loop_close(&loop);
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  run("ping_pongs", 0, count);
  run("pipe_ping_pongs", 1, count);
  return 0;
}
