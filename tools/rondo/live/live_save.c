/* Saves a ring as a recording: see live_ring.h. A file that is replaced stays as it is
 * until the new one is complete, so that a full disk costs neither: the new one is
 * written beside it, under another name. */
#include "live_ring.h"

#include "trace_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct save {
  FILE* out;
  char path[PATH_MAX]; /* of the file, */
  char
      beside[PATH_MAX + 16]; /* and what it is called until it is complete; "": so, too */
  bool is_replaced;          /* there was a file of that name, */
  mode_t mode;               /* with these rights */
};

/* --- the file -----------------------------------------------------------------------
 */

/* A new file's rights, as open gives them. */
static mode_t mode_usual(void) {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* A name in /proc or /dev stands for something that is open, and is not to be replaced.
 */
static bool is_place_of_file(const char* path, const struct stat* status) {
  return S_ISREG(status->st_mode) && strncmp(path, "/proc/", 6) != 0 &&
         strncmp(path, "/dev/", 5) != 0;
}

/* Of a symbolic link, what it leads to is replaced. False: see errno. */
static bool save_begin(struct save* save, const char* path) {
  struct stat status;
  char real[PATH_MAX];
  if (strlen(path) >= sizeof(save->path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(save->path, path, strlen(path) + 1);
  save->is_replaced = stat(path, &status) == 0;
  if (save->is_replaced && !is_place_of_file(path, &status)) {
    save->out = fopen(path, "wbe");
    return save->out != NULL;
  }
  if (save->is_replaced && access(path, W_OK) != 0)
    return false;
  if (save->is_replaced && realpath(path, real) != NULL)
    memcpy(save->path, real, sizeof(real));
  save->mode = save->is_replaced ? status.st_mode & 0777 : mode_usual();
  snprintf(save->beside, sizeof(save->beside), "%s.XXXXXX", save->path);
  int fd = mkostemp(save->beside, O_CLOEXEC);
  save->out = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd < 0)
    *save->beside = '\0';
  return save->out != NULL;
}

/* "rondo-4711.rtrace", or with a number if that file exists. */
static bool save_begin_new(struct save* save, int pid) {
  for (int i = 1; i < 10000 && save->out == NULL; i++) {
    if (i == 1)
      snprintf(save->path, sizeof(save->path), "rondo-%d.rtrace", pid);
    else
      snprintf(save->path, sizeof(save->path), "rondo-%d.%d.rtrace", pid, i);
    save->out = fopen(save->path, "wbxe");
    if (save->out == NULL && errno != EEXIST)
      return false;
  }
  snprintf(save->beside, sizeof(save->beside), "%s", save->path);
  return save->out != NULL;
}

/* Some file systems find out that they are full when the file is closed, or later; the
 * file that is replaced is gone by then unless that is asked for. */
static bool save_finish(struct save* save) {
  bool good = fflush(save->out) == 0;
  if (save->mode != 0)
    good = good && fchmod(fileno(save->out), save->mode) == 0;
  if (save->is_replaced && *save->beside != '\0')
    good = good && fsync(fileno(save->out)) == 0;
  return good;
}

/* What is incomplete is removed. */
static bool save_end(struct save* save, bool good) {
  good = good && save_finish(save);
  int err = errno;
  bool closed = fclose(save->out) == 0;
  if (good && !closed)
    err = errno;
  good = good && closed;
  if (good && save->mode != 0) {
    good = rename(save->beside, save->path) == 0;
    err = errno;
  }
  if (!good && *save->beside != '\0')
    unlink(save->beside);
  errno = err;
  return good;
}

/* --- the recording ------------------------------------------------------------------
 */

/* Uses a temporary file in memory, since adding names works on files. After a failure
 * `problem` says what is wrong with the recording; NULL: see errno. */
static bool save_write(FILE* out, const char* bytes, size_t size, const char** problem) {
  struct trace trace = {0};
  char path[48];
  int fd = memfd_create("ring", MFD_CLOEXEC);
  FILE* file = fd < 0 ? NULL : fdopen(fd, "wb+");
  if (file == NULL)
    return false;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  bool good = fwrite(bytes, 1, size, file) == size && fflush(file) == 0 &&
              (*problem = trace_read_bytes(&trace, bytes, size)) == NULL &&
              trace_copy(out, path, trace.processes[0], 0);
  fclose(file);
  trace_free(&trace);
  return good;
}

bool live_ring_dump(const struct live_ring* ring, const char* path, char* written,
                    size_t size) {
  size_t length;
  const char* problem = NULL;
  struct save save = {0};
  char* bytes = live_ring_copy(ring, &length);
  /* Beyond the file size limit the kernel would end the command. */
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  bool good =
      bytes != NULL &&
      (path == NULL ? save_begin_new(&save, ring->pid) : save_begin(&save, path)) &&
      save_end(&save, save_write(save.out, bytes, length, &problem));
  int err = errno;
  signal(SIGXFSZ, before);
  free(bytes);
  snprintf(written, size, "%s", path == NULL ? save.path : path);
  if (good)
    return true;
  if (problem != NULL)
    fprintf(stderr, "rondo: nothing of process %d can be written down: %s\n", ring->pid,
            problem);
  else
    fprintf(stderr, "rondo: %s: %s%s\n", written, strerror(err),
            save.is_replaced && *save.beside != '\0' ? "; the file stays as it was" : "");
  return false;
}
