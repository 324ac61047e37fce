/* Times of files, as programs read and set them: stat and its kin show virtual times
 * (sim/world_times.h) for what was changed during the run; utimes and its kin do what
 * they always do, and what they set is shown as it was set. On 64-bit Linux the C
 * library's struct stat is the kernel's. */
#include "preload_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/* --- reading ------------------------------------------------------------------------ */

static int64_t ns_of(const struct timespec* time) {
  const int64_t most = INT64_MAX / (int64_t) WORLD_SECOND - 1;
  if (time->tv_sec > most || time->tv_sec < -most)
    return 0;
  return time->tv_sec * (int64_t) WORLD_SECOND + time->tv_nsec;
}

static void put(struct timespec* time, int64_t ns, int64_t before) {
  const int64_t second = (int64_t) WORLD_SECOND;
  if (ns == before)
    return;
  int64_t part = (ns % second + second) % second;
  *time = (struct timespec){.tv_sec = (ns - part) / second, .tv_nsec = part};
}

static struct file_times times_of(const struct stat* from) {
  struct file_times times = {.device = from->st_dev, .inode = from->st_ino};
  times.at[FILE_ACCESS] = ns_of(&from->st_atim);
  times.at[FILE_CONTENT] = ns_of(&from->st_mtim);
  times.at[FILE_STATUS] = ns_of(&from->st_ctim);
  return times;
}

static int show(int result, struct stat* status) {
  int saved = errno;
  if (result != 0 || preload_world == NULL)
    return result;
  const struct file_times before = times_of(status);
  struct file_times shown = before;
  world_times_show(preload_world, &shown);
  put(&status->st_atim, shown.at[FILE_ACCESS], before.at[FILE_ACCESS]);
  put(&status->st_mtim, shown.at[FILE_CONTENT], before.at[FILE_CONTENT]);
  put(&status->st_ctim, shown.at[FILE_STATUS], before.at[FILE_STATUS]);
  errno = saved;
  return result;
}

int fstatat(int folder, const char* restrict path, struct stat* restrict status,
            int flags) {
  return show((int) syscall(SYS_newfstatat, folder, path, status, flags), status);
}

int stat(const char* restrict path, struct stat* restrict status) {
  return fstatat(AT_FDCWD, path, status, 0);
}

int lstat(const char* restrict path, struct stat* restrict status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat* status) {
  return show((int) syscall(SYS_fstat, fd, status), status);
}

int statx(int folder, const char* restrict path, int flags, unsigned int mask,
          struct statx* restrict answer) {
  int result = (int) syscall(SYS_statx, folder, path, flags, mask, answer);
  int saved = errno;
  if (result == 0 && preload_world != NULL)
    world_times_show_statx(preload_world, answer);
  errno = saved;
  return result;
}

/* The functions that programs built for glibc before 2.33 call. */
int __xstat(int version, const char* path, struct stat* status);
int __xstat(int version, const char* path, struct stat* status) {
  (void) version;
  return stat(path, status);
}

int __lxstat(int version, const char* path, struct stat* status);
int __lxstat(int version, const char* path, struct stat* status) {
  (void) version;
  return lstat(path, status);
}

int __fxstat(int version, int fd, struct stat* status);
int __fxstat(int version, int fd, struct stat* status) {
  (void) version;
  return fstat(fd, status);
}

int __fxstatat(int version, int folder, const char* path, struct stat* status, int flags);
int __fxstatat(int version, int folder, const char* path, struct stat* status,
               int flags) {
  (void) version;
  return fstatat(folder, path, status, flags);
}

/* --- setting ------------------------------------------------------------------------ */

/* Times that are given are the program's, others are now or stay. */
static int times_given(int result, int folder, const char* path, int flags,
                       const struct timespec times[2]) {
  static const enum file_time which[2] = {FILE_ACCESS, FILE_CONTENT};
  struct statx found;
  unsigned int given = 0, now = 1 << FILE_STATUS;
  int saved = errno;
  if (result != 0 || preload_world == NULL ||
      syscall(SYS_statx, folder, path, flags, STATX_BASIC_STATS, &found) != 0)
    return result;
  for (unsigned int i = 0; i < 2; i++) {
    if (times == NULL || times[i].tv_nsec == UTIME_NOW)
      now |= 1u << which[i];
    else if (times[i].tv_nsec != UTIME_OMIT)
      given |= 1u << which[i];
  }
  struct file_times file = file_times_of(&found);
  world_times_note(preload_world, &file, now);
  world_times_set(preload_world, &file, given);
  errno = saved;
  return result;
}

static int times_set(int folder, const char* path, const struct timespec times[2],
                     int flags) {
  int result = (int) syscall(SYS_utimensat, folder, path, times, flags);
  return times_given(result, folder, path == NULL ? "" : path,
                     path == NULL ? AT_EMPTY_PATH : flags, times);
}

int utimensat(int folder, const char* path, const struct timespec times[2], int flags) {
  return times_set(folder, path, times, flags);
}

int futimens(int fd, const struct timespec times[2]) {
  return times_set(fd, NULL, times, 0);
}

static int micro_set(int folder, const char* path, const struct timeval given[2],
                     int flags) {
  struct timespec times[2];
  for (unsigned int i = 0; given != NULL && i < 2; i++) {
    if (given[i].tv_usec < 0 || given[i].tv_usec >= 1000000) {
      errno = EINVAL;
      return -1;
    }
    times[i] =
        (struct timespec){.tv_sec = given[i].tv_sec, .tv_nsec = given[i].tv_usec * 1000};
  }
  return times_set(folder, path, given == NULL ? NULL : times, flags);
}

int utimes(const char* path, const struct timeval given[2]) {
  return micro_set(AT_FDCWD, path, given, 0);
}

int lutimes(const char* path, const struct timeval given[2]) {
  return micro_set(AT_FDCWD, path, given, AT_SYMLINK_NOFOLLOW);
}

int futimes(int fd, const struct timeval given[2]) {
  return micro_set(fd, NULL, given, 0);
}

int futimesat(int folder, const char* path, const struct timeval given[2]) {
  return micro_set(folder, path, given, 0);
}

int utime(const char* path, const struct utimbuf* given) {
  struct timespec times[2];
  if (given == NULL)
    return times_set(AT_FDCWD, path, NULL, 0);
  times[0] = (struct timespec){.tv_sec = given->actime};
  times[1] = (struct timespec){.tv_sec = given->modtime};
  return times_set(AT_FDCWD, path, times, 0);
}

#ifdef __GLIBC__
/* On 64 bits the same. */
int stat64(const char* restrict path, struct stat64* restrict status)
    __attribute__((alias("stat")));
int lstat64(const char* restrict path, struct stat64* restrict status)
    __attribute__((alias("lstat")));
int fstat64(int fd, struct stat64* status) __attribute__((alias("fstat")));
int fstatat64(int folder, const char* restrict path, struct stat64* restrict status,
              int flags) __attribute__((alias("fstatat")));
int __xstat64(int version, const char* path, struct stat64* status)
    __attribute__((alias("__xstat")));
int __lxstat64(int version, const char* path, struct stat64* status)
    __attribute__((alias("__lxstat")));
int __fxstat64(int version, int fd, struct stat64* status)
    __attribute__((alias("__fxstat")));
int __fxstatat64(int version, int folder, const char* path, struct stat64* status,
                 int flags) __attribute__((alias("__fxstatat")));
#endif
