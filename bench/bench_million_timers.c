// A million timers (or as many as the argument says), started in random order of
// due time, fired, and closed. The wait until the last one is due is not counted.
#include <uv.h>
#include "bench.h"

enum { SPREAD_MS = 500 };

static long fired;
static long closed;

static void on_timer(uv_timer_t* timer) {
  (void) timer;
  fired++;
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
  closed++;
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 1000000);
  uv_timer_t* timers = bench_alloc((size_t) count, sizeof *timers);
  uint64_t seed = 42;
  uv_loop_t loop;
  bench_uv(uv_loop_init(&loop), "loop");
  for (long i = 0; i < count; i++) {
    bench_uv(uv_timer_init(&loop, &timers[i]), "timer");
  }

  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    uint64_t timeout = bench_random(&seed) % SPREAD_MS;
    bench_uv(uv_timer_start(&timers[i], on_timer, timeout, 0), "start");
  }
  double started = bench_seconds();
  while (bench_seconds() < began + (SPREAD_MS + 5) / 1000.0) {
    uv_sleep(1);
  }
  double due = bench_seconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  double ran = bench_seconds();
  for (long i = 0; i < count; i++) {
    uv_close((uv_handle_t*) &timers[i], on_close);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();

  bench_check(fired == count, "every timer fired once");
  bench_check(closed == count, "every timer was closed");
  bench_loop_close(&loop);
  free(timers);
  bench_report("million_timers", (started - began) + (ended - due), "s");
  bench_report("million_timers_start", (started - began) / (double) count * 1e9, "ns/op");
  bench_report("million_timers_fire", (ran - due) / (double) count * 1e9, "ns/op");
  return 0;
}
