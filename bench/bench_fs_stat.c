// Stat of a file whose name and inode are cached: one at a time and 64 in flight.
#include <uv.h>
#include "file.h"

enum { MOST = 64 };

static uv_fs_t requests[MOST];
static uv_loop_t loop;
static long to_start;
static long done;

static void on_stat(uv_fs_t* request) {
  bench_uv((int) request->result, "stat");
  bench_check(request->statbuf.st_size == (uint64_t) FILE_BLOCK * FILE_BLOCKS,
              "the size is right");
  uv_fs_req_cleanup(request);
  done++;
  if (to_start > 0) {
    to_start--;
    bench_uv(uv_fs_stat(&loop, request, file_path, on_stat), "stat");
  }
}

static void run(const char* name, int in_flight, long count) {
  done = 0;
  double began = bench_seconds();
  to_start = count - in_flight;
  for (int i = 0; i < in_flight; i++) {
    bench_uv(uv_fs_stat(&loop, &requests[i], file_path, on_stat), "stat");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(done == count, "every stat was done");
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&loop), "loop");
  run("fs_stat", 1, count);
  run("fs_stat_64", MOST, count * 5);
  bench_loop_close(&loop);
  return 0;
}
