// Reads of 4 KiB at random places of a file: from the page cache one at a time and
// 64 in flight; and past the cache (O_DIRECT), 32 in flight, where the file system can.
#include "flights.h"
#include "file.h"

struct target {
  uint64_t block;
  char* buffer;
};

static struct target targets[FLIGHTS_MOST];
static uv_file file;
static uint64_t seed = 42;

static void on_read(uv_fs_t* request) {
  struct target* target = request->data;
  bench_check(request->result == FILE_BLOCK, "a whole block was read");
  file_check(target->buffer, target->block);
  flight_done(request);
}

static void start(uv_fs_t* request) {
  struct target* target = &targets[request - flights.requests];
  target->block = bench_random(&seed) % FILE_BLOCKS;
  request->data = target;
  uv_buf_t buffer = uv_buf_init(target->buffer, FILE_BLOCK);
  bench_uv(uv_fs_read(&flights.loop, request, file, &buffer, 1,
                      (int64_t) target->block * FILE_BLOCK, on_read),
           "read");
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000);
  file_make();
  bench_uv(uv_loop_init(&flights.loop), "loop");
  flights.start = start;
  for (int i = 0; i < FLIGHTS_MOST; i++) {
    targets[i].buffer = aligned_alloc(FILE_BLOCK, FILE_BLOCK);
    bench_check(targets[i].buffer != NULL, "memory for the blocks");
  }

  file = open(file_path, O_RDONLY | O_CLOEXEC);
  bench_system(file, file_path);
  flights_run("fs_read", 1, count);
  flights_run("fs_read_64", FLIGHTS_MOST, count * 10);
  close(file);

  file = open(file_path, O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (file >= 0 && pread(file, targets[0].buffer, FILE_BLOCK, 0) == FILE_BLOCK) {
    flights_run("fs_read_direct_32", 32, count);
  }
  if (file >= 0) {
    close(file);
  }
  for (int i = 0; i < FLIGHTS_MOST; i++) {
    free(targets[i].buffer);
  }
  bench_loop_close(&flights.loop);
  return 0;
}
