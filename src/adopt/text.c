/* Changes text. Writing to /proc/self/mem needs no writable page: the kernel gives the
 * process its own copy of a page, which stays mapped as it was. Where that is forbidden
 * (proc_mem.force_override), pages are made writable instead of executable, changed, and
 * made executable again, if a trial shows that the system allows it. */
#include "adopt.h"
#include "base/own_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_PIECE = 4096 }; /* bytes that are written at once, at most */

/* Consecutive changes that lie close together, and the bytes from the first to the last
 * of them: a page is changed by one system call. */
struct text_piece {
  uint8_t* at;
  size_t length;
  size_t count; /* of changes */
  uint8_t bytes[TEXT_PIECE];
};

static void piece_take(struct text_piece* piece, const struct adopt_write* writes,
                       size_t count, bool back) {
  piece->at = writes[0].at;
  piece->length = writes[0].length;
  piece->count = 1;
  for (size_t i = 1; i < count; i++, piece->count++) {
    uintptr_t end = (uintptr_t) writes[i].at + writes[i].length;
    if (writes[i].at < piece->at + piece->length ||
        end - (uintptr_t) piece->at > TEXT_PIECE)
      break;
    piece->length = end - (uintptr_t) piece->at;
  }
  memcpy(piece->bytes, piece->at, piece->length);
  for (size_t i = 0; i < piece->count; i++)
    memcpy(piece->bytes + (writes[i].at - piece->at),
           back ? writes[i].before : writes[i].after, writes[i].length);
}

static bool write_by_kernel(const struct text_piece* piece, int memory) {
  ssize_t done =
      pwrite(memory, piece->bytes, piece->length, (off_t) (uintptr_t) piece->at);
  processor_text_changed(piece->at, piece->length);
  return done == (ssize_t) piece->length &&
         memcmp(piece->at, piece->bytes, piece->length) == 0;
}

static bool pages_protect(const struct text_piece* piece, int access) {
  uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t) piece->at & ~(page - 1);
  return mprotect((void*) start, (uintptr_t) piece->at + piece->length - start, access) ==
         0;
}

static bool write_by_protection(const struct text_piece* piece) {
  if (!pages_protect(piece, PROT_READ | PROT_WRITE))
    return false;
  memcpy(piece->at, piece->bytes, piece->length);
  processor_text_changed(piece->at, piece->length);
  return pages_protect(piece, PROT_READ | PROT_EXEC);
}

/* A page that was written must be allowed to become executable again, or the program's
 * text would be lost. Whether the kernel allows this is tried first with a page of this
 * library's file. */
static bool protection_is_allowed(void) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof(path), "%s/libuv.so.1", adopt_directory);
  int fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC));
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

static bool write_all(const struct adopt_write* writes, size_t count, int memory) {
  static struct text_piece piece; /* the loader's lock is held */
  for (size_t i = 0; i < count; i += piece.count) {
    piece_take(&piece, writes + i, count - i, false);
    if (memory >= 0 ? !write_by_kernel(&piece, memory) : !write_by_protection(&piece)) {
      text_restore(writes, i);
      return false;
    }
  }
  return true;
}

bool text_change(struct adopt_write* writes, size_t count, char* why, size_t size) {
  int memory = own_fd_raise(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
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

/* Not only under the loader's lock: the piece is on the stack. A change may lie inside
 * what another one has changed, so they are undone from the last to the first. */
void text_restore(const struct adopt_write* writes, size_t count) {
  int memory = own_fd_raise(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
  for (size_t i = count; i-- > 0;) {
    struct text_piece piece;
    piece_take(&piece, writes + i, 1, true);
    if (memory < 0 || !write_by_kernel(&piece, memory))
      write_by_protection(&piece);
  }
  if (memory >= 0)
    close(memory);
}
