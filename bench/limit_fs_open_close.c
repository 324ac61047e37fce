// The same with open and close, on one thread.
#include "file.h"

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 5000) * 5;
  file_make();
  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    int fd = open(file_path, O_RDONLY | O_CLOEXEC);
    bench_system(fd, "open");
    bench_system(close(fd), "close");
  }
  bench_report("fs_open_close", (bench_seconds() - began) / (double) count * 1e6,
               "us/op");
  return 0;
}
