/* Streams: a server that echoes and a client that checks, over TCP and over a socket in
 * the file system. A connection carries a fixed number of bytes in writes of all sizes,
 * is shut down by the client, ended by the server, and followed by the next. */
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PER_CONNECTION = 1 << 20, MOST_PER_WRITE = 96 * 1024 };

union any_stream {
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
  uv_handle_t handle;
};

struct pair {
  struct world* world;
  enum actor_kind kind;
  union any_stream listener;
  union any_stream served;
  union any_stream client;
  uv_connect_t connect;
  uv_shutdown_t client_shutdown;
  uv_shutdown_t served_shutdown;
  struct sockaddr_in address;
  char path[100];
  uint64_t stream; /* number of the connection */
  uint64_t written;
  uint64_t received;
  int open; /* of the two ends */
};

struct block {
  uv_write_t req;
  uv_buf_t buf;
};

static void connect_next(struct pair* pair);

static void allocate(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  *buf = uv_buf_init(malloc(suggested), (unsigned int) suggested);
}

static void init_stream(struct pair* pair, union any_stream* stream) {
  if (pair->kind == ACTOR_TCP)
    soak_check(uv_tcp_init(&pair->world->loop, &stream->tcp), "uv_tcp_init");
  else
    soak_check(uv_pipe_init(&pair->world->loop, &stream->pipe, 0), "uv_pipe_init");
  stream->handle.data = pair;
}

static void end_closed(uv_handle_t* handle) {
  struct pair* pair = handle->data;
  if (--pair->open > 0)
    return;
  if (pair->received != pair->written)
    soak_fail("%s: %llu bytes written, %llu came back", actor_names[pair->kind],
              (unsigned long long) pair->written, (unsigned long long) pair->received);
  round_done(pair->world, pair->kind);
  if (!ending(pair->world))
    connect_next(pair);
}

static void block_written(uv_write_t* req, int status) {
  struct block* block = (struct block*) req;
  if (status != 0)
    soak_fail("write: %s", uv_strerror(status));
  free(block->buf.base);
  free(block);
}

/* --- the server ------------------------------------------------------------------ */

static void served_shut(uv_shutdown_t* req, int status) {
  struct pair* pair = req->handle->data;
  (void) status;
  if (!uv_is_closing(&pair->served.handle))
    uv_close(&pair->served.handle, end_closed);
}

static void served_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct pair* pair = stream->data;
  if (n > 0) {
    struct block* block = malloc(sizeof(*block));
    block->buf = uv_buf_init(buf->base, (unsigned int) n);
    soak_check(uv_write(&block->req, stream, &block->buf, 1, block_written), "echo");
    return;
  }
  free(buf->base);
  if (n == 0)
    return;
  if (n != UV_EOF)
    soak_fail("%s server: %s", actor_names[pair->kind], uv_strerror((int) n));
  /* What is queued must leave before the close. */
  soak_check(uv_shutdown(&pair->served_shutdown, stream, served_shut), "shutdown");
}

static void accept_one(uv_stream_t* listener, int status) {
  struct pair* pair = listener->data;
  soak_check(status, "listen");
  init_stream(pair, &pair->served);
  soak_check(uv_accept(listener, &pair->served.stream), "uv_accept");
  pair->open++;
  soak_check(uv_read_start(&pair->served.stream, allocate, served_read), "read_start");
}

/* --- the client ------------------------------------------------------------------ */

static void write_more(struct pair* pair);

static void client_written(uv_write_t* req, int status) {
  struct pair* pair = req->handle->data;
  block_written(req, status);
  if (status == 0)
    write_more(pair);
}

static void client_shut(uv_shutdown_t* req, int status) {
  (void) req;
  if (status != 0)
    soak_fail("shutdown: %s", uv_strerror(status));
}

static void write_more(struct pair* pair) {
  if (pair->written == PER_CONNECTION) {
    soak_check(uv_shutdown(&pair->client_shutdown, &pair->client.stream, client_shut),
               "uv_shutdown");
    return;
  }
  size_t length = 1 + soak_random(pair->world) % MOST_PER_WRITE;
  if (soak_random(pair->world) % 2 == 0)
    length = 1 + length % 300;
  if (length > PER_CONNECTION - pair->written)
    length = (size_t) (PER_CONNECTION - pair->written);
  struct block* block = malloc(sizeof(*block));
  block->buf = uv_buf_init(malloc(length), (unsigned int) length);
  bytes_fill(block->buf.base, length, pair->stream, pair->written);
  pair->written += length;
  atomic_fetch_add(&bytes_written, length);
  soak_check(uv_write(&block->req, &pair->client.stream, &block->buf, 1, client_written),
             "uv_write");
}

static void client_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct pair* pair = stream->data;
  if (n > 0) {
    bytes_check(buf->base, (size_t) n, pair->stream, pair->received,
                actor_names[pair->kind]);
    pair->received += (uint64_t) n;
  }
  free(buf->base);
  if (n >= 0)
    return;
  if (n != UV_EOF)
    soak_fail("%s client: %s", actor_names[pair->kind], uv_strerror((int) n));
  uv_close((uv_handle_t*) stream, end_closed);
}

static void connected(uv_connect_t* req, int status) {
  struct pair* pair = req->data;
  soak_check(status, "connect");
  soak_check(uv_read_start(&pair->client.stream, allocate, client_read), "read_start");
  write_more(pair);
}

static void connect_next(struct pair* pair) {
  pair->stream = soak_random(pair->world);
  pair->written = 0;
  pair->received = 0;
  pair->connect.data = pair;
  init_stream(pair, &pair->client);
  pair->open++;
  if (pair->kind == ACTOR_TCP)
    soak_check(uv_tcp_connect(&pair->connect, &pair->client.tcp,
                              (const struct sockaddr*) &pair->address, connected),
               "uv_tcp_connect");
  else
    uv_pipe_connect(&pair->connect, &pair->client.pipe, pair->path, connected);
}

static void pair_begin(struct world* world, enum actor_kind kind) {
  struct pair* pair = calloc(1, sizeof(*pair));
  world->actors[kind] = pair;
  pair->world = world;
  pair->kind = kind;
  init_stream(pair, &pair->listener);
  if (kind == ACTOR_TCP) {
    int length = sizeof(pair->address);
    uv_ip4_addr("127.0.0.1", 0, &pair->address);
    soak_check(
        uv_tcp_bind(&pair->listener.tcp, (const struct sockaddr*) &pair->address, 0),
        "uv_tcp_bind");
    soak_check(uv_tcp_getsockname(&pair->listener.tcp, (struct sockaddr*) &pair->address,
                                  &length),
               "uv_tcp_getsockname");
  } else {
    snprintf(pair->path, sizeof(pair->path), "%s/socket", world->folder);
    soak_check(uv_pipe_bind(&pair->listener.pipe, pair->path), "uv_pipe_bind");
  }
  soak_check(uv_listen(&pair->listener.stream, 8, accept_one), "uv_listen");
  connect_next(pair);
}

void streams_begin(struct world* world) {
  pair_begin(world, ACTOR_TCP);
  pair_begin(world, ACTOR_PIPE);
}

static bool pair_end(struct pair* pair) {
  if (pair->open > 0)
    return false;
  if (!uv_is_closing(&pair->listener.handle))
    uv_close(&pair->listener.handle, NULL);
  return true;
}

bool streams_end(struct world* world) {
  bool tcp = pair_end(world->actors[ACTOR_TCP]);
  return pair_end(world->actors[ACTOR_PIPE]) && tcp;
}
