// Work for the pool that does nothing: there and back, one at a time and 64 in flight.
#include <uv.h>
#include "bench.h"

enum { MOST = 64 };

static uv_work_t requests[MOST];
static uv_loop_t loop;
static long to_start;
static long done;

static void work(uv_work_t* request) {
  (void) request;
}

static void after_work(uv_work_t* request, int status) {
  bench_uv(status, "work");
  done++;
  if (to_start > 0) {
    to_start--;
    bench_uv(uv_queue_work(&loop, request, work, after_work), "queue");
  }
}

static void run(const char* name, int in_flight, long count) {
  done = 0;
  double began = bench_seconds();
  to_start = count - in_flight;
  for (int i = 0; i < in_flight; i++) {
    bench_uv(uv_queue_work(&loop, &requests[i], work, after_work), "queue");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(done == count, "all work came back");
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  bench_uv(uv_loop_init(&loop), "loop");
  run("queue_work", 1, count);
  run("queue_work_64", MOST, count * 10);
  bench_loop_close(&loop);
  return 0;
}
