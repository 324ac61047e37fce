// tcp_pump1 and tcp_pump100: as many bytes as possible one way, over one and over a
// hundred connections, to a reader on another thread.
#include <uv.h>
#include "bench.h"

enum { MOST = 100, CHUNK = 64 * 1024 };

struct source {
  uv_tcp_t tcp;
  uv_connect_t connect;
  uv_write_t write;
  long left; // chunks
};

static struct source sources[MOST];
static uv_tcp_t sinks[MOST];
static uv_tcp_t listener;
static int wanted;
static int accepted;
static int gone;
static long long received;
static char chunk[CHUNK];
static char drain[CHUNK];

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) handle;
  (void) suggested;
  *buffer = uv_buf_init(drain, sizeof drain);
}

static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  (void) buffer;
  if (size == UV_EOF) {
    uv_close((uv_handle_t*) stream, NULL);
    if (++gone == wanted) {
      uv_close((uv_handle_t*) &listener, NULL);
    }
    return;
  }
  bench_uv((int) size, "read");
  received += size;
}

static void on_connection(uv_stream_t* server, int status) {
  bench_uv(status, "connection");
  uv_tcp_t* sink = &sinks[accepted++];
  bench_uv(uv_tcp_init(server->loop, sink), "tcp");
  bench_uv(uv_accept(server, (uv_stream_t*) sink), "accept");
  bench_uv(uv_read_start((uv_stream_t*) sink, on_alloc, on_read), "read start");
}

static void drain_run(void* loop) {
  uv_run(loop, UV_RUN_DEFAULT);
}

static void pump(struct source* source);

static void after_write(uv_write_t* request, int status) {
  bench_uv(status, "write");
  pump(request->data);
}

static void pump(struct source* source) {
  if (source->left-- == 0) {
    uv_close((uv_handle_t*) &source->tcp, NULL);
    return;
  }
  uv_buf_t buffer = uv_buf_init(chunk, sizeof chunk);
  source->write.data = source;
  bench_uv(uv_write(&source->write, (uv_stream_t*) &source->tcp, &buffer, 1, after_write),
           "write");
}

static void on_connect(uv_connect_t* request, int status) {
  bench_uv(status, "connect");
  pump(request->data);
}

static void run(const char* name, int connections, long chunks) {
  struct sockaddr_in address;
  int length = sizeof address;
  uv_loop_t here;
  uv_loop_t there;
  uv_thread_t thread;
  wanted = connections;
  accepted = gone = 0;
  received = 0;
  bench_uv(uv_loop_init(&here), "loop");
  bench_uv(uv_loop_init(&there), "loop");
  bench_uv(uv_tcp_init(&there, &listener), "tcp");
  bench_uv(uv_ip4_addr("127.0.0.1", 0, &address), "address");
  bench_uv(uv_tcp_bind(&listener, (struct sockaddr*) &address, 0), "bind");
  bench_uv(uv_tcp_getsockname(&listener, (struct sockaddr*) &address, &length), "port");
  bench_uv(uv_listen((uv_stream_t*) &listener, 128, on_connection), "listen");
  bench_uv(uv_thread_create(&thread, drain_run, &there), "thread");

  double began = bench_seconds();
  for (int i = 0; i < connections; i++) {
    struct source* source = &sources[i];
    source->left = chunks / connections;
    source->connect.data = source;
    bench_uv(uv_tcp_init(&here, &source->tcp), "tcp");
    bench_uv(uv_tcp_connect(&source->connect, &source->tcp, (struct sockaddr*) &address,
                            on_connect),
             "connect");
  }
  uv_run(&here, UV_RUN_DEFAULT);
  bench_uv(uv_thread_join(&thread), "join");
  double ended = bench_seconds();

  long long bytes = (long long) (chunks / connections) * connections * CHUNK;
  bench_check(received == bytes, "every byte arrived");
  bench_loop_close(&here);
  bench_loop_close(&there);
  bench_report(name, (double) bytes / 1e6 / (ended - began), "MB/s");
}

int main(int argc, char** argv) {
  long chunks = bench_argument(argc, argv, 16000);
  run("tcp_pump1", 1, chunks);
  run("tcp_pump100", 100, chunks);
  return 0;
}
