// Reads of 4 KiB at random places of a file: from the page cache one at a time and
// 64 in flight; and past the cache (O_DIRECT), 32 in flight, where the file system can.
#include <uv.h>
#include "file.h"

enum { MOST = 64 };

struct reader {
  uv_fs_t request;
  uint64_t block;
  char* buffer;
};

static struct reader readers[MOST];
static uv_loop_t loop;
static uv_file file;
static uint64_t seed = 42;
static long to_start;
static long done;

static void on_read(uv_fs_t* request);

static void start(struct reader* reader) {
  reader->block = bench_random(&seed) % FILE_BLOCKS;
  reader->request.data = reader;
  uv_buf_t buffer = uv_buf_init(reader->buffer, FILE_BLOCK);
  bench_uv(uv_fs_read(&loop, &reader->request, file, &buffer, 1,
                      (int64_t) reader->block * FILE_BLOCK, on_read),
           "read");
}

static void on_read(uv_fs_t* request) {
  struct reader* reader = request->data;
  bench_check(request->result == FILE_BLOCK, "a whole block was read");
  file_check(reader->buffer, reader->block);
  uv_fs_req_cleanup(request);
  done++;
  if (to_start > 0) {
    to_start--;
    start(reader);
  }
}

static void run(const char* name, int in_flight, long count) {
  done = 0;
  double began = bench_seconds();
  to_start = count - in_flight;
  for (int i = 0; i < in_flight; i++) {
    start(&readers[i]);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(done == count, "every read was done");
  bench_report(name, (ended - began) / (double) count * 1e6, "us/op");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&loop), "loop");
  for (int i = 0; i < MOST; i++) {
    readers[i].buffer = aligned_alloc(FILE_BLOCK, FILE_BLOCK);
    bench_check(readers[i].buffer != NULL, "memory for the blocks");
  }

  file = open(file_path, O_RDONLY | O_CLOEXEC);
  bench_system(file, file_path);
  run("fs_read", 1, count);
  run("fs_read_64", MOST, count * 10);
  close(file);

  file = open(file_path, O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (file >= 0 && pread(file, readers[0].buffer, FILE_BLOCK, 0) == FILE_BLOCK) {
    run("fs_read_direct_32", 32, count);
  }
  if (file >= 0) {
    close(file);
  }
  for (int i = 0; i < MOST; i++) {
    free(readers[i].buffer);
  }
  bench_loop_close(&loop);
  return 0;
}
