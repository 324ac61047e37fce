// Stat of a file whose name and inode are cached: one at a time and 64 in flight.
#include "flights.h"
#include "file.h"

static void on_stat(uv_fs_t* request) {
  bench_uv((int) request->result, "stat");
  bench_check(request->statbuf.st_size == (uint64_t) FILE_BLOCK * FILE_BLOCKS,
              "the size is right");
  flight_done(request);
}

static void start(uv_fs_t* request) {
  bench_uv(uv_fs_stat(&flights.loop, request, file_path, on_stat), "stat");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&flights.loop), "loop");
  flights.start = start;
  flights_run("fs_stat", 1, count);
  flights_run("fs_stat_64", FLIGHTS_MOST, count * 5);
  bench_loop_close(&flights.loop);
  return 0;
}
