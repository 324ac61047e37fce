/* Preloaded: makes this machine's pages look like those of 64 KiB that some kernels for
 * arm64 have. The C library says so, mappings begin at multiples of 64 KiB, and whoever
 * passes an address or an offset for smaller ones is refused, as there. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 65536 };

static int is_off(uintptr_t place) {
  return place % PAGE != 0;
}

static void* refuse(void) {
  errno = EINVAL;
  return MAP_FAILED;
}

static void* map(void* at, size_t length, int access, int flags, int fd, off_t from) {
  return (void*) syscall(SYS_mmap, at, length, access, flags, fd, from);
}

void* mmap(void* at, size_t length, int access, int flags, int fd, off_t from) {
  const int fixed = MAP_FIXED | 0x100000; /* MAP_FIXED_NOREPLACE */
  if (length == 0 || is_off((uintptr_t) from) ||
      (flags & fixed && is_off((uintptr_t) at)))
    return refuse();
  if (flags & fixed || flags & MAP_GROWSDOWN)
    return map(at, length, access, flags, fd, from);
  char* room = map(NULL, length + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return MAP_FAILED;
  size_t before = (PAGE - (uintptr_t) room % PAGE) % PAGE;
  size_t whole = (length + 4095) / 4096 * 4096, behind = PAGE - before;
  char* place = map(room + before, length, access, flags | MAP_FIXED, fd, from);
  int problem = errno;
  if (place == MAP_FAILED) {
    syscall(SYS_munmap, room, length + PAGE);
    errno = problem;
    return MAP_FAILED;
  }
  if (before > 0)
    syscall(SYS_munmap, room, before);
  if (behind > 0)
    syscall(SYS_munmap, place + whole, behind);
  return place;
}

void* mmap64(void* at, size_t length, int access, int flags, int fd, off_t from) {
  return mmap(at, length, access, flags, fd, from);
}

int munmap(void* at, size_t length) {
  return is_off((uintptr_t) at) ? (errno = EINVAL, -1)
                                : (int) syscall(SYS_munmap, at, length);
}

int mprotect(void* at, size_t length, int access) {
  return is_off((uintptr_t) at) ? (errno = EINVAL, -1)
                                : (int) syscall(SYS_mprotect, at, length, access);
}

int madvise(void* at, size_t length, int advice) {
  return is_off((uintptr_t) at) ? (errno = EINVAL, -1)
                                : (int) syscall(SYS_madvise, at, length, advice);
}

int getpagesize(void) {
  return PAGE;
}

long sysconf(int name) {
  static long (*real)(int);
  if (name == _SC_PAGESIZE)
    return PAGE;
  if (real == NULL)
    *(void**) &real = dlsym(RTLD_NEXT, "sysconf");
  return real(name);
}

unsigned long getauxval(unsigned long type) {
  static unsigned long (*real)(unsigned long);
  if (type == AT_PAGESZ)
    return PAGE;
  if (real == NULL)
    *(void**) &real = dlsym(RTLD_NEXT, "getauxval");
  return real(type);
}
