/* Functions that change files, and by that the files' times: they do what they always do,
 * and report it (preload_files.h). What changes files in another way (mapped memory,
 * stdio's own writes, splice, extended attributes) is known by the kernel's stamp. */
#include "preload_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool look(int folder, const char* path, int flags, struct statx* found) {
  return syscall(SYS_statx, folder, path, flags | AT_STATX_DONT_SYNC,
                 STATX_BASIC_STATS | STATX_BTIME, found) == 0;
}

static void report(const struct statx* found, unsigned int changed) {
  struct file_times times = file_times_of(found);
  world_times_note(preload_world, &times, changed);
}

/* --- reports ------------------------------------------------------------------------ */

void preload_changed(int fd, unsigned int changed) {
  struct statx found;
  int saved = errno;
  if (preload_world == NULL || changed == 0)
    return;
  if (look(fd, "", AT_EMPTY_PATH, &found) &&
      (S_ISREG(found.stx_mode) || S_ISDIR(found.stx_mode)))
    report(&found, changed);
  errno = saved;
}

ssize_t preload_wrote(int fd, ssize_t result) {
  if (result > 0)
    preload_changed(fd, FILE_WRITTEN);
  return result;
}

void preload_changed_at(int folder, const char* path, int flags, unsigned int changed) {
  struct statx found;
  int saved = errno;
  if (preload_world != NULL && look(folder, path, flags, &found))
    report(&found, changed);
  errno = saved;
}

void preload_changed_around(int folder, const char* path) {
  char around[PATH_MAX];
  size_t length = strnlen(path, sizeof(around));
  if (preload_world == NULL || length == sizeof(around))
    return;
  while (length > 1 && path[length - 1] == '/')
    length--;
  while (length > 0 && path[length - 1] != '/')
    length--;
  memcpy(around, length == 0 ? "." : path, length == 0 ? 1 : length);
  around[length == 0 ? 1 : length] = '\0';
  preload_changed_at(folder, around, 0, FILE_WRITTEN);
}

unsigned int preload_before_open(int folder, const char* path, int flags) {
  struct statx found;
  int saved = errno;
  if (preload_world == NULL || path == NULL)
    return 0;
  if ((flags & O_TMPFILE) == O_TMPFILE)
    return FILE_MADE;
  bool is_new =
      (flags & O_CREAT) != 0 && ((flags & O_EXCL) != 0 || !look(folder, path, 0, &found));
  errno = saved;
  return is_new ? FILE_MADE : (flags & O_TRUNC) != 0 ? FILE_WRITTEN : 0;
}

void preload_opened(int fd, unsigned int changed, int folder, const char* path) {
  if (fd < 0)
    return;
  preload_changed(fd, changed);
  if (changed == FILE_MADE)
    preload_changed_around(folder, path);
}

void preload_renamed(int from_folder, const char* from, int to_folder, const char* to) {
  preload_changed_at(to_folder, to, AT_SYMLINK_NOFOLLOW, 1 << FILE_STATUS);
  preload_changed_around(from_folder, from);
  preload_changed_around(to_folder, to);
}

/* --- content ------------------------------------------------------------------------ */

ssize_t pwrite(int fd, const void* buffer, size_t size, off_t at) {
  return preload_wrote(fd, syscall(SYS_pwrite64, fd, buffer, size, at));
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  return preload_wrote(fd, syscall(SYS_pwritev, fd, parts, count, at, 0));
}

ssize_t pwritev2(int fd, const struct iovec* parts, int count, off_t at, int flags) {
  return preload_wrote(fd, syscall(SYS_pwritev2, fd, parts, count, at, 0, flags));
}

ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size,
                        unsigned int flags) {
  return preload_wrote(
      to, syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags));
}

int ftruncate(int fd, off_t size) {
  int result = (int) syscall(SYS_ftruncate, fd, size);
  if (result == 0)
    preload_changed(fd, FILE_WRITTEN);
  return result;
}

int truncate(const char* path, off_t size) {
  int result = (int) syscall(SYS_truncate, path, size);
  if (result == 0)
    preload_changed_at(AT_FDCWD, path, 0, FILE_WRITTEN);
  return result;
}

int fallocate(int fd, int mode, off_t at, off_t length) {
  int result = (int) syscall(SYS_fallocate, fd, mode, at, length);
  if (result == 0)
    preload_changed(fd, FILE_WRITTEN);
  return result;
}

/* --- entries of folders ------------------------------------------------------------- */

static int made(int result, int folder, const char* path) {
  if (result == 0) {
    preload_changed_at(folder, path, AT_SYMLINK_NOFOLLOW, FILE_MADE);
    preload_changed_around(folder, path);
  }
  return result;
}

static int removed(int result, int folder, const char* path) {
  if (result == 0)
    preload_changed_around(folder, path);
  return result;
}

int mkdirat(int folder, const char* path, mode_t mode) {
  return made((int) syscall(SYS_mkdirat, folder, path, mode), folder, path);
}

int mkdir(const char* path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}

int mknodat(int folder, const char* path, mode_t mode, dev_t device) {
  return made((int) syscall(SYS_mknodat, folder, path, mode, (unsigned int) device),
              folder, path);
}

int mknod(const char* path, mode_t mode, dev_t device) {
  return mknodat(AT_FDCWD, path, mode, device);
}

int mkfifo(const char* path, mode_t mode) {
  return mknodat(AT_FDCWD, path, mode | S_IFIFO, 0);
}

int symlinkat(const char* to, int folder, const char* path) {
  return made((int) syscall(SYS_symlinkat, to, folder, path), folder, path);
}

int symlink(const char* to, const char* path) {
  return symlinkat(to, AT_FDCWD, path);
}

int linkat(int from_folder, const char* from, int folder, const char* path, int flags) {
  int result = (int) syscall(SYS_linkat, from_folder, from, folder, path, flags);
  if (result == 0) {
    preload_changed_at(folder, path, AT_SYMLINK_NOFOLLOW, 1 << FILE_STATUS);
    preload_changed_around(folder, path);
  }
  return result;
}

int link(const char* from, const char* path) {
  return linkat(AT_FDCWD, from, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char* path, int flags) {
  return removed((int) syscall(SYS_unlinkat, folder, path, flags), folder, path);
}

int unlink(const char* path) {
  return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char* path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char* path) {
  if (unlink(path) == 0)
    return 0;
  return errno == EISDIR || errno == EPERM ? rmdir(path) : -1;
}

/* --- status ------------------------------------------------------------------------- */

static int status_changed(int result, int folder, const char* path, int flags) {
  if (result == 0)
    preload_changed_at(folder, path, flags, 1 << FILE_STATUS);
  return result;
}

int fchmod(int fd, mode_t mode) {
  int result = (int) syscall(SYS_fchmod, fd, mode);
  if (result == 0)
    preload_changed(fd, 1 << FILE_STATUS);
  return result;
}

/* The C library's has flags that the system call doesn't have. */
int fchmodat(int folder, const char* path, mode_t mode, int flags) {
  static void* kept;
  int (*real)(int, const char*, mode_t, int);
  preload_find_once(&kept, "fchmodat", &real);
  return status_changed(real(folder, path, mode, flags), folder, path, flags);
}

int chmod(const char* path, mode_t mode) {
  return status_changed((int) syscall(SYS_fchmodat, AT_FDCWD, path, mode), AT_FDCWD, path,
                        0);
}

int fchown(int fd, uid_t user, gid_t group) {
  int result = (int) syscall(SYS_fchown, fd, user, group);
  if (result == 0)
    preload_changed(fd, 1 << FILE_STATUS);
  return result;
}

int fchownat(int folder, const char* path, uid_t user, gid_t group, int flags) {
  int result = (int) syscall(SYS_fchownat, folder, path, user, group, flags);
  return status_changed(result, folder, path,
                        flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH));
}

int chown(const char* path, uid_t user, gid_t group) {
  return fchownat(AT_FDCWD, path, user, group, 0);
}

int lchown(const char* path, uid_t user, gid_t group) {
  return fchownat(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW);
}

#ifdef __GLIBC__
/* On 64 bits the same. */
ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t at)
    __attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at)
    __attribute__((alias("pwritev")));
ssize_t pwritev64v2(int fd, const struct iovec* parts, int count, off64_t at, int flags)
    __attribute__((alias("pwritev2")));
int ftruncate64(int fd, off64_t size) __attribute__((alias("ftruncate")));
int truncate64(const char* path, off64_t size) __attribute__((alias("truncate")));
int fallocate64(int fd, int mode, off64_t at, off64_t length)
    __attribute__((alias("fallocate")));
#endif
