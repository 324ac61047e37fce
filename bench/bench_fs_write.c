// Writes of 4 KiB at random places of a file, into the page cache: one at a time and 64
// in flight.
#include "flights.h"
#include "file.h"

static uv_file file;
static uint64_t seed = 42;
static char block[FILE_BLOCK];

static void on_write(uv_fs_t* request) {
  bench_check(request->result == FILE_BLOCK, "a whole block was written");
  flight_done(request);
}

static void start(uv_fs_t* request) {
  uint64_t place = bench_random(&seed) % FILE_BLOCKS;
  uv_buf_t buffer = uv_buf_init(block, sizeof block);
  bench_uv(uv_fs_write(&flights.loop, request, file, &buffer, 1,
                       (int64_t) place * FILE_BLOCK, on_write),
           "write");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&flights.loop), "loop");
  file = open(file_path, O_WRONLY | O_CLOEXEC);
  bench_system(file, file_path);
  flights.start = start;
  flights_run("fs_write", 1, count);
  flights_run("fs_write_64", FLIGHTS_MOST, count * 5);
  close(file);
  bench_loop_close(&flights.loop);
  return 0;
}
