/* Compressed core files: see core_unpack.h. No library for a format is linked in: whoever
 * has such files has the command that made them. */
#include "core_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAGIC_MOST = 6, NOT_FOUND = 127 };

static const struct format {
  unsigned char magic[MAGIC_MOST];
  size_t length;
  const char* command; /* which takes -d and -c */
} formats[] = {{{0x28, 0xb5, 0x2f, 0xfd}, 4, "zstd"},
               {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "xz"},
               {{0x04, 0x22, 0x4d, 0x18}, 4, "lz4"},
               {{0x1f, 0x8b}, 2, "gzip"}};

static const struct format* format_of(int fd) {
  unsigned char start[MAGIC_MOST] = {0};
  ssize_t n = pread(fd, start, sizeof(start), 0);
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
    if (n >= (ssize_t) formats[i].length &&
        memcmp(start, formats[i].magic, formats[i].length) == 0)
      return &formats[i];
  }
  return NULL;
}

/* Core files are large, and /tmp is in memory on many machines. */
static int nameless_file(const char** folder) {
  const char* asked = getenv("TMPDIR");
  *folder = asked != NULL && *asked != '\0' ? asked : "/var/tmp";
  char path[4096];
  int length = snprintf(path, sizeof(path), "%s/rondo-core-XXXXXX", *folder);
  if (length < 0 || (size_t) length >= sizeof(path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0)
    unlink(path);
  return fd;
}

/* How the command ended, as by waitpid; -1 if it couldn't be started. */
static int command_run(const char* command, int from, int to) {
  pid_t pid = fork();
  if (pid == 0) {
    if (dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0)
      _exit(NOT_FOUND - 1);
    execlp(command, command, "-d", "-c", (char*) NULL);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
  }
  int status = -1;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

/* Whether there is something to read; if not all could be unpacked, a line says so. */
static bool is_usable(const char* path, const char* command, int status, int fd) {
  struct stat unpacked;
  if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
    fprintf(
        stderr,
        "rondo: %s is compressed, and there is no %s here: unpack it with %s -d where "
        "there is one\n",
        path, command, command);
    return false;
  }
  if (status == 0)
    return true;
  bool has_part = fstat(fd, &unpacked) == 0 && unpacked.st_size > 0;
  fprintf(stderr, "rondo: %s could not be unpacked%s\n", path,
          has_part ? " to its end: what follows is from its beginning" : "");
  return has_part;
}

bool core_unpack(int* fd, const char* path) {
  const struct format* format = format_of(*fd);
  if (format == NULL)
    return true;
  const char* folder;
  int to = nameless_file(&folder);
  if (to < 0) {
    fprintf(stderr,
            "rondo: %s is compressed, and no file can be made in %s (%s): TMPDIR names "
            "another place\n",
            path, folder, strerror(errno));
    close(*fd);
    return false;
  }
  bool good = is_usable(path, format->command, command_run(format->command, *fd, to), to);
  close(*fd);
  if (!good)
    close(to);
  *fd = to;
  return good;
}
