/* Changes text. Writing to /proc/self/mem needs no writable page: the kernel gives the
 * process its own copy of a page, which stays mapped as it was. Where that is forbidden
 * (proc_mem.force_override), pages are made writable instead of executable, changed, and
 * made executable again, if a trial shows that the system allows it. */
#include "adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_by_kernel(int memory, uint8_t* at, const uint8_t* bytes,
                            size_t length) {
  ssize_t done = pwrite(memory, bytes, length, (off_t) (uintptr_t) at);
  return done == (ssize_t) length && memcmp(at, bytes, length) == 0;
}

static bool pages_protect(uint8_t* at, size_t length, int access) {
  uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t) at & ~(page - 1);
  return mprotect((void*) start, (uintptr_t) at + length - start, access) == 0;
}

static bool write_by_protection(uint8_t* at, const uint8_t* bytes, size_t length) {
  if (!pages_protect(at, length, PROT_READ | PROT_WRITE))
    return false;
  memcpy(at, bytes, length);
  return pages_protect(at, length, PROT_READ | PROT_EXEC);
}

/* A page that was written must be allowed to become executable again, or the program's
 * text would be lost. That is tried first with a page of this library's file. */
static bool protection_is_allowed(void) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof(path), "%s/libuv.so.1", adopt_directory);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  size_t size = (size_t) sysconf(_SC_PAGESIZE);
  uint8_t* page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  close(fd);
  if (page == MAP_FAILED)
    return false;
  page[0] ^= 1;
  bool allowed = mprotect(page, size, PROT_READ | PROT_EXEC) == 0;
  munmap(page, size);
  return allowed;
}

static bool write_all(struct adopt_write* writes, size_t count, int memory) {
  for (size_t i = 0; i < count; i++) {
    struct adopt_write* change = &writes[i];
    bool done = memory >= 0
                    ? write_by_kernel(memory, change->at, change->after, change->length)
                    : write_by_protection(change->at, change->after, change->length);
    if (!done) {
      text_restore(writes, i);
      return false;
    }
  }
  return true;
}

bool text_change(struct adopt_write* writes, size_t count, char* why, size_t size) {
  int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  bool done = memory >= 0 && write_all(writes, count, memory);
  int refused = done ? 0 : errno;
  if (memory >= 0)
    close(memory);
  if (done || (protection_is_allowed() && write_all(writes, count, -1)))
    return true;
  snprintf(
      why, size,
      "its text can't be changed: /proc/self/mem: %s, and memory that was written may "
      "not become executable (a seccomp filter, MemoryDenyWriteExecute, or "
      "proc_mem.force_override: allow one of the two)",
      strerror(refused));
  return false;
}

void text_restore(const struct adopt_write* writes, size_t count) {
  int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  for (size_t i = count; i-- > 0;) {
    const struct adopt_write* change = &writes[i];
    if (memory < 0 ||
        !write_by_kernel(memory, change->at, change->before, change->length))
      write_by_protection(change->at, change->before, change->length);
  }
  if (memory >= 0)
    close(memory);
}
