// A server that sends back what it receives, and a client that checks it, on one loop.
// Shown: listen, accept, read until the end of the stream, write, shutdown, close.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static const char greeting[] = "hello over TCP";

// A write keeps its buffer until its callback.
struct write {
  uv_write_t request;
  uv_buf_t buffer;
};

static void check(int error, const char* what) {
  if (error < 0) {
    fprintf(stderr, "%s: %s\n", what, uv_strerror(error));
    exit(1);
  }
}

static void allocate(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) handle;
  buffer->base = malloc(suggested);
  buffer->len = buffer->base == NULL ? 0 : suggested; // 0: the read reports UV_ENOBUFS
}

static void on_written(uv_write_t* request, int status) {
  struct write* write = (struct write*) request;
  check(status, "write");
  free(write->buffer.base);
  free(write);
}

// Takes the memory over.
static void send_bytes(uv_stream_t* stream, char* bytes, size_t length) {
  struct write* write = malloc(sizeof(*write));
  if (write == NULL) {
    abort();
  }
  write->buffer = uv_buf_init(bytes, (unsigned int) length);
  check(uv_write(&write->request, stream, &write->buffer, 1, on_written), "write");
}

// --- the server --------------------------------------------------------------------

static void free_client(uv_handle_t* client) {
  free(client);
}

static void echo(uv_stream_t* client, ssize_t length, const uv_buf_t* buffer) {
  if (length > 0) {
    send_bytes(client, buffer->base, (size_t) length);
    return;
  }
  free(buffer->base);
  if (length < 0) { // UV_EOF, or the connection is lost
    printf("server: the client has gone (%s)\n", uv_err_name((int) length));
    uv_close((uv_handle_t*) client, free_client);
  }
}

static void on_connection(uv_stream_t* server, int status) {
  check(status, "listen");
  uv_tcp_t* client = malloc(sizeof(*client));
  if (client == NULL) {
    abort();
  }
  check(uv_tcp_init(server->loop, client), "init");
  check(uv_accept(server, (uv_stream_t*) client), "accept");
  check(uv_read_start((uv_stream_t*) client, allocate, echo), "read");
  printf("server: a client has come\n");
  uv_close((uv_handle_t*) server, NULL); // this example serves one
}

// --- the client --------------------------------------------------------------------

static char received[64];

static void on_shutdown(uv_shutdown_t* request, int status) {
  check(status, "shutdown");
  uv_close((uv_handle_t*) request->handle, NULL);
}

// A stream has no messages: what was sent in one piece may come in several.
static void on_answer(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  static uv_shutdown_t shutdown;
  check((int) length, "read");
  strncat(received, buffer->base, (size_t) length);
  free(buffer->base);
  if (strlen(received) == strlen(greeting)) {
    printf("client: the answer is \"%s\"\n", received);
    uv_read_stop(stream);
    check(uv_shutdown(&shutdown, stream, on_shutdown), "shutdown");
  }
}

static void on_connected(uv_connect_t* request, int status) {
  check(status, "connect");
  check(uv_read_start(request->handle, allocate, on_answer), "read");
  send_bytes(request->handle, strdup(greeting), strlen(greeting));
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t server;
  uv_tcp_t client;
  uv_connect_t connect;
  struct sockaddr_in address;
  int size = sizeof(address);

  check(uv_ip4_addr("127.0.0.1", 0, &address), "address"); // any free port
  check(uv_tcp_init(loop, &server), "init");
  check(uv_tcp_bind(&server, (const struct sockaddr*) &address, 0), "bind");
  check(uv_listen((uv_stream_t*) &server, 128, on_connection), "listen");
  check(uv_tcp_getsockname(&server, (struct sockaddr*) &address, &size), "port");

  check(uv_tcp_init(loop, &client), "init");
  check(
      uv_tcp_connect(&connect, &client, (const struct sockaddr*) &address, on_connected),
      "connect");

  uv_run(loop, UV_RUN_DEFAULT);
  printf("both are closed, the loop ends\n");
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
