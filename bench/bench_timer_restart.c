// A server's timeouts: ten thousand timers that are started again and again, in
// random order, because their connections are busy, and that never fire.
#include <uv.h>
#include "bench.h"

enum { TIMERS = 10000 };

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  bench_fail("a timer of ten minutes", "it fired");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 2000000);
  uv_timer_t* timers = bench_alloc(TIMERS, sizeof *timers);
  uint64_t seed = 42;
  uv_loop_t loop;
  bench_uv(uv_loop_init(&loop), "loop");
  for (int i = 0; i < TIMERS; i++) {
    bench_uv(uv_timer_init(&loop, &timers[i]), "timer");
    bench_uv(uv_timer_start(&timers[i], on_timer, 600000, 0), "start");
  }

  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    uint64_t random = bench_random(&seed);
    uint64_t timeout = 600000 + (random >> 32) % 1000;
    bench_uv(uv_timer_start(&timers[random % TIMERS], on_timer, timeout, 0), "restart");
  }
  double ended = bench_seconds();

  for (int i = 0; i < TIMERS; i++) {
    uv_close((uv_handle_t*) &timers[i], NULL);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  bench_loop_close(&loop);
  free(timers);
  bench_report("timer_restart", (ended - began) / (double) count * 1e9, "ns/op");
  return 0;
}
