// Writes of 4 KiB at random places of a file, into the page cache: one at a time and 64
// in flight.
#include <uv.h>
#include "file.h"

enum { MOST = 64 };

static uv_fs_t requests[MOST];
static uv_loop_t loop;
static uv_file file;
static uint64_t seed = 42;
static char block[FILE_BLOCK];
static long to_start;
static long done;

static void on_write(uv_fs_t* request);

static void start(uv_fs_t* request) {
  uint64_t place = bench_random(&seed) % FILE_BLOCKS;
  uv_buf_t buffer = uv_buf_init(block, sizeof block);
  bench_uv(uv_fs_write(&loop, request, file, &buffer, 1, (int64_t) place * FILE_BLOCK,
                       on_write),
           "write");
}

static void on_write(uv_fs_t* request) {
  bench_check(request->result == FILE_BLOCK, "a whole block was written");
  uv_fs_req_cleanup(request);
  done++;
  if (to_start > 0) {
    to_start--;
    start(request);
  }
}

static void run(const char* name, int in_flight, long count) {
  done = 0;
  double began = bench_seconds();
  to_start = count - in_flight;
  for (int i = 0; i < in_flight; i++) {
    start(&requests[i]);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(done == count, "every write was done");
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&loop), "loop");
  file = open(file_path, O_WRONLY | O_CLOEXEC);
  bench_system(file, file_path);
  run("fs_write", 1, count);
  run("fs_write_64", MOST, count * 5);
  close(file);
  bench_loop_close(&loop);
  return 0;
}
