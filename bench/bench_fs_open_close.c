// Opening and closing a file, one at a time: two requests an operation.
#include <uv.h>
#include "file.h"

static uv_loop_t loop;
static uv_fs_t request;
static long left;

static void on_close(uv_fs_t* closed);

static void on_open(uv_fs_t* opened) {
  uv_file file = (uv_file) opened->result;
  bench_uv(file, "open");
  uv_fs_req_cleanup(opened);
  bench_uv(uv_fs_close(&loop, &request, file, on_close), "close");
}

static void on_close(uv_fs_t* closed) {
  bench_uv((int) closed->result, "close");
  uv_fs_req_cleanup(closed);
  if (--left > 0) {
    bench_uv(uv_fs_open(&loop, &request, file_path, O_RDONLY, 0, on_open), "open");
  }
}

int main(int argc, char** argv) {
  long count = left = bench_argument(argc, argv, 5000);
  file_make();
  bench_uv(uv_loop_init(&loop), "loop");
  double began = bench_seconds();
  bench_uv(uv_fs_open(&loop, &request, file_path, O_RDONLY, 0, on_open), "open");
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(left == 0, "every file was opened and closed");
  bench_loop_close(&loop);
  bench_report("fs_open_close", (ended - began) / (double) count * 1e6, "us/op");
  return 0;
}
