// Reads of 4 KiB at random places of a file that the page cache doesn't have: one at a
// time and 32 in flight. Each block is read once, and nothing is read ahead.
#include <sys/uio.h>
#include "flights.h"
#include "file.h"

static uint64_t order[FILE_BLOCKS];
static char* buffers[FLIGHTS_MOST];
static uv_file file;
static long next;

static void shuffle(void) {
  uint64_t seed = 42;
  for (uint64_t i = 0; i < FILE_BLOCKS; i++) {
    order[i] = i;
  }
  for (uint64_t i = FILE_BLOCKS - 1; i > 0; i--) {
    uint64_t other = bench_random(&seed) % (i + 1);
    uint64_t block = order[i];
    order[i] = order[other];
    order[other] = block;
  }
}

static void on_read(uv_fs_t* request) {
  bench_check(request->result == FILE_BLOCK, "a whole block was read");
  file_check(buffers[request - flights.requests], *(uint64_t*) request->data);
  flight_done(request);
}

static void start(uv_fs_t* request) {
  uint64_t* block = &order[next++];
  request->data = block;
  uv_buf_t buffer = uv_buf_init(buffers[request - flights.requests], FILE_BLOCK);
  bench_uv(uv_fs_read(&flights.loop, request, file, &buffer, 1,
                      (int64_t) (*block * FILE_BLOCK), on_read),
           "read");
}

// What lives in memory only, as on tmpfs, is never cold.
static int is_cold(void) {
  struct iovec block = {.iov_base = buffers[0], .iov_len = FILE_BLOCK};
  return preadv2(file, &block, 1, 0, RWF_NOWAIT) < 0;
}

static void run(const char* name, int in_flight, long count) {
  bench_check(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0,
              "the cache is emptied");
  if (!is_cold()) {
    bench_skip("this file system keeps the file in memory");
  }
  next = 0;
  flights_run(name, in_flight, count);
}

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, FILE_BLOCKS);
  bench_check(count <= FILE_BLOCKS, "no more reads than blocks");
  file_make();
  shuffle();
  bench_uv(uv_loop_init(&flights.loop), "loop");
  flights.start = start;
  file = open(file_path, O_RDONLY | O_CLOEXEC);
  bench_system(file, file_path);
  bench_check(posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM) == 0, "nothing is read ahead");
  for (int i = 0; i < FLIGHTS_MOST; i++) {
    buffers[i] = malloc(FILE_BLOCK);
    bench_check(buffers[i] != NULL, "memory for the blocks");
  }
  run("fs_read_cold", 1, count / 4);
  run("fs_read_cold_32", 32, count);
  for (int i = 0; i < FLIGHTS_MOST; i++) {
    free(buffers[i]);
  }
  close(file);
  bench_loop_close(&flights.loop);
  return 0;
}
