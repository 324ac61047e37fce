// Turns of a busy loop that also watches sockets on which nothing happens: one, and
// 1,000. A Node with an immediate pending and connections that are quiet is in this
// state.
#include <uv.h>
#include <sys/resource.h>
#include "bench.h"

enum { WATCHED_MOST = 1000 };

static uv_loop_t loop;
static uv_udp_t watched[WATCHED_MOST];
static long turns;
static long wanted;

static void give_nothing(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) handle, (void) suggested;
  buffer->base = NULL;
  buffer->len = 0;
}

static void on_datagram(uv_udp_t* handle, ssize_t n, const uv_buf_t* buffer,
                        const struct sockaddr* from, unsigned int flags) {
  (void) handle, (void) n, (void) buffer, (void) from, (void) flags;
  bench_check(0, "nothing arrives");
}

static void on_idle(uv_idle_t* idle) {
  if (++turns == wanted) {
    uv_idle_stop(idle);
    uv_stop(&loop);
  }
}

static void run(const char* name, int count, uv_idle_t* idle) {
  struct sockaddr_in address;
  bench_uv(uv_ip4_addr("127.0.0.1", 0, &address), "address");
  for (int i = 0; i < count; i++) {
    bench_uv(uv_udp_init(&loop, &watched[i]), "socket");
    bench_uv(uv_udp_bind(&watched[i], (const struct sockaddr*) &address, 0), "bind");
    bench_uv(uv_udp_recv_start(&watched[i], give_nothing, on_datagram), "watch");
  }
  turns = 0;
  bench_uv(uv_idle_start(idle, on_idle), "start");
  double began = bench_seconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_report(name, (ended - began) / (double) turns * 1e9, "ns/op");
  for (int i = 0; i < count; i++) {
    uv_close((uv_handle_t*) &watched[i], NULL);
  }
  uv_run(&loop, UV_RUN_NOWAIT);
}

int main(int argc, char** argv) {
  wanted = bench_argument(argc, argv, 1000000);
  struct rlimit files = {.rlim_cur = 2048, .rlim_max = 2048};
  struct rlimit now;
  bench_system(getrlimit(RLIMIT_NOFILE, &now), "limit of descriptors");
  if (now.rlim_cur < files.rlim_cur && now.rlim_max >= files.rlim_cur) {
    files.rlim_max = now.rlim_max;
    bench_system(setrlimit(RLIMIT_NOFILE, &files), "limit of descriptors");
  }
  uv_idle_t idle;
  bench_uv(uv_loop_init(&loop), "loop");
  bench_uv(uv_idle_init(&loop, &idle), "idle");
  run("busy_turn_1", 1, &idle);
  run("busy_turn_1000", WATCHED_MOST, &idle);
  uv_close((uv_handle_t*) &idle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  bench_loop_close(&loop);
  return 0;
}
