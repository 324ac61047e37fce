// The price of one system call that does next to nothing: what a turn costs at
// least if it asks the kernel anything. A turn that doesn't may be cheaper.
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"

int main(int argc, char** argv) {
  long count = bench_argument(argc, argv, 2000000);
  double began = bench_seconds();
  for (long i = 0; i < count; i++) {
    bench_system(syscall(SYS_getppid), "getppid");
  }
  bench_report("loop_count", (bench_seconds() - began) / (double) count * 1e9, "ns/op");
  return 0;
}
