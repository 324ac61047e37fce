// The same with statx, on one thread.
#include <sys/stat.h>
#include "file.h"

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 10000) * 5;
  struct statx found;
  file_make();
  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    bench_system(statx(AT_FDCWD, file_path, 0, STATX_BASIC_STATS | STATX_BTIME, &found),
                 "statx");
  }
  double each = (bench_seconds() - began) / (double) count * 1e6;
  bench_report("fs_stat", each, "us/op");
  bench_report("fs_stat_64", each, "us/op");
  return 0;
}
