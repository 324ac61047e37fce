/* The file that the file benchmarks use: 16 MiB in the working directory, which
 * bench/run makes for it; each 4 KiB block starts with its own number. */
#ifndef RONDO_BENCH_FILE_H
#define RONDO_BENCH_FILE_H

#include <fcntl.h>
#include <unistd.h>
#include "bench.h"

enum { FILE_BLOCK = 4096, FILE_BLOCKS = 4096 };

static char file_path[64];

static inline void file_remove(void) {
  unlink(file_path);
}

static inline void file_make(void) {
  static char block[FILE_BLOCK];
  snprintf(file_path, sizeof file_path, "bench-%d.tmp", (int) getpid());
  int fd = open(file_path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  bench_system(fd, file_path);
  atexit(file_remove);
  for (uint64_t i = 0; i < FILE_BLOCKS; i++) {
    memcpy(block, &i, sizeof i);
    bench_check(write(fd, block, sizeof block) == FILE_BLOCK, "the file was written");
  }
  bench_system(fsync(fd), "fsync");
  close(fd);
}

static inline void file_check(const void* block, uint64_t number) {
  bench_check(memcmp(block, &number, sizeof number) == 0,
              "the block that was asked for was read");
}

#endif
