// The same reads from the page cache with pread, on one thread.
#include "file.h"

int main(int argc, char** argv) {
  static char buffer[FILE_BLOCK];
  long count = bench_argument(argc, argv, 10000) * 10;
  uint64_t seed = 42;
  file_make();
  int fd = open(file_path, O_RDONLY | O_CLOEXEC);
  bench_system(fd, file_path);
  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    uint64_t block = bench_random(&seed) % FILE_BLOCKS;
    bench_check(pread(fd, buffer, FILE_BLOCK, (off_t) (block * FILE_BLOCK)) == FILE_BLOCK,
                "pread");
    file_check(buffer, block);
  }
  double each = (bench_seconds() - began) / (double) count * 1e6;
  close(fd);
  bench_report("fs_read", each, "us/op");
  bench_report("fs_read_64", each, "us/op");
  return 0;
}
