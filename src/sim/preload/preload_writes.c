/* Which files the program writes: the C library's functions that open, make or replace a
 * file do what they always do, and report its path to the world (world_shared.c). Two
 * runs that write one file can't go on side by side. What that does to the file's times
 * is reported, too (preload_files.h). */
#include "preload_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum call {
  CALL_OPEN,
  CALL_OPENAT,
  CALL_FOPEN,
  CALL_RENAME,
  CALL_RENAMEAT,
  CALL_RENAMEAT2,
  CALLS
};

static void original_of(enum call call, void* function) {
  static const char* const names[CALLS] = {"open",   "openat",   "fopen",
                                           "rename", "renameat", "renameat2"};
  static void* kept[CALLS];
  preload_find_once(&kept[call], names[call], function);
}

/* The folder that a path is relative to. */
static bool folder_of(int folder, char* path, size_t size) {
  char link[40];
  if (folder == AT_FDCWD)
    return getcwd(path, size) != NULL;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = '\0';
  return length > 0;
}

static void note(int folder, const char* path) {
  char whole[2 * PATH_MAX];
  int saved = errno;
  if (path[0] == '/') {
    world_note_written(preload_world, path);
  } else if (folder_of(folder, whole, PATH_MAX)) {
    while (strncmp(path, "./", 2) == 0)
      path += 2;
    size_t used = strlen(whole);
    snprintf(whole + used, sizeof(whole) - used, "/%s", path);
    world_note_written(preload_world, whole);
  }
  errno = saved;
}

/* FIFOs, terminals and sockets are no files that another run reads. */
static bool is_file(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void note_opened(int fd, int flags, int folder, const char* path) {
  if (preload_world == NULL || fd < 0 || path == NULL || (flags & O_ACCMODE) == O_RDONLY)
    return;
  if ((flags & O_TMPFILE) != O_TMPFILE && is_file(fd))
    note(folder, path);
}

static bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static int open_and_note(const char* path, int flags, mode_t mode) {
  int (*real)(const char*, int, ...);
  original_of(CALL_OPEN, &real);
  unsigned int changed = preload_before_open(AT_FDCWD, path, flags);
  int fd = real(path, flags, mode);
  preload_opened(fd, changed, AT_FDCWD, path);
  note_opened(fd, flags, AT_FDCWD, path);
  return fd;
}

static int openat_and_note(int folder, const char* path, int flags, mode_t mode) {
  int (*real)(int, const char*, int, ...);
  original_of(CALL_OPENAT, &real);
  unsigned int changed = preload_before_open(folder, path, flags);
  int fd = real(folder, path, flags, mode);
  preload_opened(fd, changed, folder, path);
  note_opened(fd, flags, folder, path);
  return fd;
}

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return open_and_note(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return openat_and_note(folder, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
  return open_and_note(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

static int mode_flags(const char* mode) {
  int flags = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT : 0;
  return strchr(mode, 'x') != NULL ? flags | O_EXCL : flags;
}

FILE* fopen(const char* restrict path, const char* restrict mode) {
  FILE* (*real)(const char*, const char*);
  original_of(CALL_FOPEN, &real);
  unsigned int changed = preload_before_open(AT_FDCWD, path, mode_flags(mode));
  FILE* file = real(path, mode);
  if (file == NULL)
    return NULL;
  preload_opened(fileno(file), changed, AT_FDCWD, path);
  if (strpbrk(mode, "wa+") != NULL)
    note_opened(fileno(file), O_RDWR, AT_FDCWD, path);
  return file;
}

static void note_renamed(int from_folder, const char* from, int to_folder,
                         const char* to) {
  note(to_folder, to);
  preload_renamed(from_folder, from, to_folder, to);
}

int rename(const char* from, const char* to) {
  int (*real)(const char*, const char*);
  original_of(CALL_RENAME, &real);
  int result = real(from, to);
  if (preload_world != NULL && result == 0)
    note_renamed(AT_FDCWD, from, AT_FDCWD, to);
  return result;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  int (*real)(int, const char*, int, const char*);
  original_of(CALL_RENAMEAT, &real);
  int result = real(from_folder, from, to_folder, to);
  if (preload_world != NULL && result == 0)
    note_renamed(from_folder, from, to_folder, to);
  return result;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) {
  int (*real)(int, const char*, int, const char*, unsigned int);
  original_of(CALL_RENAMEAT2, &real);
  int result = real(from_folder, from, to_folder, to, flags);
  if (preload_world != NULL && result == 0)
    note_renamed(from_folder, from, to_folder, to);
  return result;
}

#ifdef __GLIBC__
/* On 64 bits the same. */
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...)
    __attribute__((alias("openat")));
int creat64(const char* path, mode_t mode) __attribute__((alias("creat")));
FILE* fopen64(const char* restrict path, const char* restrict mode)
    __attribute__((alias("fopen")));
#endif

/* The functions that a program compiled with _FORTIFY_SOURCE calls, when no mode is
 * given. */
int __open_2(const char* path, int flags);
int __open_2(const char* path, int flags) {
  if (has_mode(flags))
    abort();
  return open_and_note(path, flags, 0);
}

int __openat_2(int folder, const char* path, int flags);
int __openat_2(int folder, const char* path, int flags) {
  if (has_mode(flags))
    abort();
  return openat_and_note(folder, path, flags, 0);
}

int __open64_2(const char* path, int flags) __attribute__((alias("__open_2")));
int __openat64_2(int folder, const char* path, int flags)
    __attribute__((alias("__openat_2")));
