/* Random numbers that are the same in each run with one seed. Each thread has a row of
 * its own, in the order in which threads first ask. */
#include "preload.h"

#include "base/table.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned int threads_seen;
static _Thread_local struct {
  uint64_t state;
  unsigned int number;
} row __attribute__((tls_model("initial-exec")));

uint64_t preload_process_word(void) {
  char path[WORLD_PATH] = "";
  uint64_t word = preload_world->seed * UINT64_C(0x9e3779b97f4a7c15);
  world_own_path(preload_world, path);
  for (const char* at = path; *at != '\0'; at++)
    word = hash_number(word + (unsigned char) *at);
  return word;
}

static void row_begin(void) {
  row.number = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed) + 1;
  row.state = hash_number(preload_process_word() + row.number);
}

static void fill(unsigned char* bytes, size_t length) {
  if (row.number == 0)
    row_begin();
  while (length > 0) {
    row.state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = hash_number(row.state);
    size_t part = length < sizeof(word) ? length : sizeof(word);
    memcpy(bytes, &word, part);
    bytes += part;
    length -= part;
  }
}

ssize_t getrandom(void* buffer, size_t length, unsigned int flags) {
  if (preload_world == NULL)
    return syscall(SYS_getrandom, buffer, length, flags);
  fill(buffer, length);
  return (ssize_t) length;
}

int getentropy(void* buffer, size_t length) {
  if (length > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(buffer, length, 0) == (ssize_t) length ? 0 : -1;
}
