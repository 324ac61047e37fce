// Reads of 4 KiB from the page cache by a program that asks for some, runs the loop until
// it has them, and asks again: one at a time, 64, and 64 from as many open files.
#include <uv.h>
#include "bench.h"
#include "file.h"

enum { WAVE_MOST = 64 };

static uv_loop_t loop;
static uv_fs_t requests[WAVE_MOST];
static char* buffers[WAVE_MOST];
static uint64_t blocks[WAVE_MOST];
static uv_file files[WAVE_MOST];
static uint64_t seed = 42;
static long done;

static void on_read(uv_fs_t* request) {
  long i = request - requests;
  bench_check(request->result == FILE_BLOCK, "a whole block was read");
  file_check(buffers[i], blocks[i]);
  uv_fs_req_cleanup(request);
  done++;
}

static void wave(int size, int of_files) {
  for (int i = 0; i < size; i++) {
    uv_buf_t buffer = uv_buf_init(buffers[i], FILE_BLOCK);
    blocks[i] = bench_random(&seed) % FILE_BLOCKS;
    bench_uv(uv_fs_read(&loop, &requests[i], files[i % of_files], &buffer, 1,
                        (int64_t) (blocks[i] * FILE_BLOCK), on_read),
             "read");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
}

static void waves(const char* name, int size, int of_files, long count) {
  done = 0;
  double began = bench_seconds();
  while (done < count) {
    wave(size, of_files);
  }
  bench_report(name, (bench_seconds() - began) / (double) done * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&loop), "loop");
  for (int i = 0; i < WAVE_MOST; i++) {
    buffers[i] = malloc(FILE_BLOCK);
    bench_check(buffers[i] != NULL, "memory for the blocks");
    files[i] = open(file_path, O_RDONLY | O_CLOEXEC);
    bench_system(files[i], file_path);
  }
  waves("fs_read_wave", 1, 1, count);
  waves("fs_read_wave_64", WAVE_MOST, 1, count * 10);
  waves("fs_read_wave_64_files", WAVE_MOST, WAVE_MOST, count * 10);
  for (int i = 0; i < WAVE_MOST; i++) {
    close(files[i]);
    free(buffers[i]);
  }
  bench_loop_close(&loop);
  return 0;
}
