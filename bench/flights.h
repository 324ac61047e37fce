/* How the file benchmarks go: so many requests in flight, each begun anew when it is
 * done, until enough were. */
#ifndef RONDO_BENCH_FLIGHTS_H
#define RONDO_BENCH_FLIGHTS_H

#include <uv.h>
#include "bench.h"

enum { FLIGHTS_MOST = 64 };

/* `start` begins one; its callback ends with flight_done. */
static struct {
  uv_fs_t requests[FLIGHTS_MOST];
  uv_loop_t loop;
  void (*start)(uv_fs_t* request);
  long to_start;
  long done;
} flights;

static inline void flight_done(uv_fs_t* request) {
  uv_fs_req_cleanup(request);
  flights.done++;
  if (flights.to_start > 0) {
    flights.to_start--;
    flights.start(request);
  }
}

static inline void flights_run(const char* name, int in_flight, long count) {
  flights.done = 0;
  flights.to_start = count - in_flight;
  double began = bench_seconds();
  for (int i = 0; i < in_flight; i++) {
    flights.start(&flights.requests[i]);
  }
  uv_run(&flights.loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(flights.done == count, "every request was done");
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

#endif
