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

/* A recording has paths of requests and addresses in it. */
enum { MODE_NEW = 0600 };

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
  save->mode = save->is_replaced ? status.st_mode & 0777 : MODE_NEW;
  snprintf(save->beside, sizeof(save->beside), "%s.XXXXXX", save->path);
  int fd = mkostemp(save->beside, O_CLOEXEC);
  save->out = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd < 0)
    *save->beside = '\0';
  return save->out != NULL;
}

/* "rondo-4711.rtrace", then "rondo-4711.2.rtrace", and so on; numbers that are taken, or
 * have been, are left out. */
static bool save_begin_new(struct save* save, struct live_ring* ring,
                           const char* folder) {
  int fd = -1, last = ring->saved;
  while (fd < 0 && ring->saved < last + 100000) {
    char number[16] = "";
    if (++ring->saved > 1)
      snprintf(number, sizeof(number), ".%d", ring->saved);
    int length = snprintf(save->path, sizeof(save->path), "%s%srondo-%d%s.rtrace",
                          folder == NULL ? "" : folder, folder == NULL ? "" : "/",
                          ring->pid, number);
    if (length >= (int) sizeof(save->path)) {
      errno = ENAMETOOLONG;
      return false;
    }
    fd = open(save->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE_NEW);
    if (fd < 0 && errno != EEXIST) {
      ring->saved = last;
      return false;
    }
  }
  save->out = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd >= 0)
    snprintf(save->beside, sizeof(save->beside), "%s", save->path);
  if (fd >= 0 && save->out == NULL)
    close(fd);
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

/* An incomplete file is removed. */
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

/* The names that are defined in a recording, and its threads: a trace with a process and
 * no loops. Everything else would take long to read. False without memory. */
static bool names_read(struct trace* trace, const char* bytes, size_t size) {
  struct trace_header header;
  memcpy(&header, bytes, sizeof(header));
  size_t used = TRACE_HEADER_SIZE;
  char* names = malloc(size);
  if (names == NULL)
    return false;
  memcpy(names, bytes, used);
  for (size_t at = used; at + header.chunk_size <= size; at += header.chunk_size) {
    const struct trace_chunk* chunk = (const void*) (bytes + at);
    if (chunk->kind != TRACE_STREAM_DEFINITIONS)
      continue;
    memcpy(names + used, chunk, header.chunk_size);
    used += header.chunk_size;
  }
  ((struct trace_header*) (void*) names)->length = used;
  (void) trace_read_bytes(trace, names, used); /* without loops it is "empty" */
  free(names);
  return trace->process_count > 0;
}

/* After a failure `problem` says what is wrong with the recording; NULL: see errno. */
static bool save_write(FILE* out, char* bytes, size_t size, const char** problem) {
  struct trace trace = {0};
  errno = ENOMEM;
  if (size <= TRACE_HEADER_SIZE)
    *problem = "empty";
  FILE* file = *problem == NULL ? fmemopen(bytes, size, "rb") : NULL;
  bool good = file != NULL && names_read(&trace, bytes, size) &&
              trace_copy_from(out, file, trace.processes[0], 0);
  if (file != NULL)
    fclose(file);
  trace_free(&trace);
  return good;
}

bool live_ring_dump(struct live_ring* ring, const char* path, const char* folder,
                    char* written, size_t size) {
  size_t length;
  const char* problem = NULL;
  struct save save = {0};
  char* bytes = live_ring_copy(ring, &length);
  /* Beyond the file size limit the kernel would end the command. */
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  bool good =
      bytes != NULL &&
      (path == NULL ? save_begin_new(&save, ring, folder) : save_begin(&save, path)) &&
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
