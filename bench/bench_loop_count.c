// Empty turns: an idle handle keeps the loop turning, and nothing else is there.
#include <uv.h>
#include "bench.h"

static long turns;
static long wanted;

static void on_idle(uv_idle_t* idle) {
  if (++turns == wanted) {
    uv_close((uv_handle_t*) idle, NULL);
  }
}

int main(int argc, char** argv) {
  wanted = bench_argument(argc, argv, 2000000);
  uv_loop_t loop;
  uv_idle_t idle;
  bench_uv(uv_loop_init(&loop), "loop");
  bench_uv(uv_idle_init(&loop, &idle), "idle");
  bench_uv(uv_idle_start(&idle, on_idle), "start");

  double began = bench_seconds();
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();

  bench_check(turns == wanted, "the loop turned as often as it should");
  bench_loop_close(&loop);
  bench_report("loop_count", (ended - began) / (double) wanted * 1e9, "ns/op");
  return 0;
}
