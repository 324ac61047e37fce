// Ten look-ups in flight of a host given as numbers, which needs no name server.
#include <uv.h>
#include "bench.h"

enum { IN_FLIGHT = 10 };

static uv_getaddrinfo_t requests[IN_FLIGHT];
static uv_loop_t loop;
static long to_start;
static long done;

static void on_found(uv_getaddrinfo_t* request, int status, struct addrinfo* found);

static void start(uv_getaddrinfo_t* request) {
  bench_uv(uv_getaddrinfo(&loop, request, on_found, "127.0.0.1", NULL, NULL),
           "getaddrinfo");
}

static void on_found(uv_getaddrinfo_t* request, int status, struct addrinfo* found) {
  bench_uv(status, "look-up");
  bench_check(found != NULL && found->ai_family == AF_INET, "an address was found");
  uv_freeaddrinfo(found);
  done++;
  if (to_start > 0) {
    to_start--;
    start(request);
  }
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 20000);
  bench_uv(uv_loop_init(&loop), "loop");
  double began = bench_seconds();
  to_start = count - IN_FLIGHT;
  for (int i = 0; i < IN_FLIGHT; i++) {
    start(&requests[i]);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(done == count, "every look-up came back");
  bench_loop_close(&loop);
  bench_report("getaddrinfo", (ended - began) / (double) count * 1e6, "us/op");
  return 0;
}
