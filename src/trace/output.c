#include "trace/output.h"

#include "base/alloc.h"
#include "base/base.h"
#include "system/system.h"
#include "uv.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  PIECE_RECORDS = 43520, /* whole records in whole pages: 255 of them, about a MiB */
  PIECE_SIZE = PIECE_RECORDS * (int) sizeof(struct trace_record),
  NAMES_TRIED = 1000,
  PATH_SIZE = 4096,
};
_Static_assert(PIECE_SIZE % 4096 == 0, "a piece can be mapped");

static const uint64_t LIMIT_DEFAULT = (uint64_t) 256 << 20;

/* --- its name -------------------------------------------------------------------- */

/* False if it is too long. */
static bool name_expand(char* name, const char* pattern, unsigned int loop, bool for_many,
                        bool* own) {
  size_t used = 0;
  bool has_loop = false;
  *own = false;
  for (const char* at = pattern; *at != '\0'; at++) {
    if (used + 24 >= PATH_SIZE)
      return false;
    if (at[0] == '%' && at[1] == 'p') {
      used += (size_t) sprintf(name + used, "%d", (int) getpid());
      *own = true;
      at++;
    } else if (at[0] == '%' && at[1] == 'l') {
      used += (size_t) sprintf(name + used, "%u", loop);
      has_loop = true;
      at++;
    } else {
      name[used++] = *at;
      at += at[0] == '%' && at[1] == '%';
    }
  }
  name[used] = '\0';
  if (for_many && !has_loop && loop > 1)
    sprintf(name + used, ".%u", loop);
  return true;
}

/* In a program without standard output or error, its number could be theirs: what is
 * printed would go into the file. */
static int above_standard(int fd) {
  if (fd > 2)
    return fd;
  int higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  int err = higher < 0 ? uv_translate_sys_error(errno) : higher;
  close(fd);
  return err;
}

static int open_file(const char* name, int flags) {
  /* O_NONBLOCK: a FIFO without a reader is refused, not waited for. */
  flags |= O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd;
  do
    fd = open(name, flags, 0666);
  while (fd < 0 && errno == EINTR);
  return fd < 0 ? uv_translate_sys_error(errno) : above_standard(fd);
}

/* False while another recorder writes to it. Where there are no locks, nobody is asked.
 */
static bool lock_taken(int fd) {
  return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* A file that nobody has yet: `name`, or the same with a number. */
static int open_new(char* name) {
  size_t length = strlen(name);
  int fd = open_file(name, O_EXCL);
  for (int i = 2; fd == UV_EEXIST && i <= NAMES_TRIED; i++) {
    sprintf(name + length, ".%d", i);
    fd = open_file(name, O_EXCL);
  }
  if (fd >= 0)
    (void) lock_taken(fd); /* rondo_trace_start can name this file too */
  return fd;
}

/* Any other name is written anew, as a shell's `>` does, but never while another recorder
 * writes to it, which its lock tells. */
static int open_named(char* name) {
  int fd = open_file(name, 0);
  if (fd < 0)
    return fd;
  struct stat file;
  int err = 0;
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
    err = UV_EINVAL;
  else if (!lock_taken(fd))
    err = UV_EBUSY;
  else if (ftruncate(fd, 0) != 0)
    err = uv_translate_sys_error(errno);
  if (err == 0)
    return fd;
  close(fd);
  return err;
}

/* A name with the process in it is meant to be new, and wasn't after an exec: the program
 * before has used it already. */
static int open_output(char* name, bool own, bool for_many) {
  int fd = own && for_many ? open_new(name) : open_named(name);
  if (fd != UV_EBUSY || !for_many)
    return fd;
  sprintf(name + strlen(name), ".%d", (int) getpid());
  return open_new(name);
}

/* --- its memory ------------------------------------------------------------------ */

/* File systems that can't allocate blocks are made to by writing. */
static int write_zeros(int fd, uint64_t from, size_t length) {
  static const char zeros[16384];
  while (length > 0) {
    ssize_t n = pwrite(fd, zeros, size_min(length, sizeof(zeros)), (off_t) from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0 ? UV_ENOSPC : uv_translate_sys_error(errno);
    from += (size_t) n;
    length -= (size_t) n;
  }
  return 0;
}

/* Beyond the process's limit for files the kernel sends SIGXFSZ, which ends programs. */
static bool size_allowed(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

static int allocate(int fd, uint64_t from, size_t length) {
  if (!size_allowed(from + length))
    return UV_EFBIG;
  int result;
  do /* a tmpfs before Linux 6.10 gives up when a signal comes, even an ignored one */
    result = fallocate(fd, 0, (off_t) from, (off_t) length);
  while (result != 0 && errno == EINTR);
  if (result == 0)
    return 0;
  int err = uv_translate_sys_error(errno);
  bool unable = err == UV_ENOTSUP || err == UV_ENOSYS || err == UV_EINVAL;
  return unable ? write_zeros(fd, from, length) : err;
}

/* A program that closes all descriptors has closed this one, and the number may be that
 * of a file of its own by now. */
static bool is_our_file(const struct trace_output* output) {
  struct stat file;
  return fstat(output->fd, &file) == 0 && file.st_dev == output->device &&
         file.st_ino == output->inode;
}

/* Makes the file longer by `length` bytes that are really there, and maps them. NULL, and
 * why, if that can't be done. */
static void* map_more(struct trace_output* output, size_t length, int* err) {
  *err = is_our_file(output) ? allocate(output->fd, output->size, length) : UV_EBADF;
  if (*err != 0)
    return NULL;
  void* memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, output->fd,
                      (off_t) output->size);
  if (memory == MAP_FAILED) {
    *err = uv_translate_sys_error(errno);
    return NULL;
  }
  output->size += length;
  return memory;
}

/* Bytes, or with a K, M or G. */
static uint64_t limit_wanted(void) {
  const char* text = secure_getenv("RONDO_TRACE_LIMIT");
  if (text == NULL || *text < '0' || *text > '9')
    return LIMIT_DEFAULT;
  char* unit;
  errno = 0;
  uint64_t number = strtoull(text, &unit, 10);
  int name = toupper((unsigned char) *unit);
  int shift = name == 'K' ? 10 : name == 'M' ? 20 : name == 'G' ? 30 : 0;
  if (errno != 0 || number > UINT64_MAX >> shift)
    return LIMIT_DEFAULT;
  return number << shift;
}

static void header_fill(struct trace_header* header) {
  memcpy(header->magic, TRACE_MAGIC, sizeof(header->magic));
  header->version = TRACE_VERSION;
  header->record_size = sizeof(struct trace_record);
  header->pid = (uint32_t) getpid();
  ssize_t length =
      readlink("/proc/self/exe", header->program, sizeof(header->program) - 1);
  header->program[length < 0 ? 0 : length] = '\0';
  system_read_file("/proc/self/cmdline", header->command, sizeof(header->command));
}

static void piece_set(struct trace_output* output, void* memory) {
  output->piece = memory;
  output->next = output->piece;
  output->end = output->piece + PIECE_RECORDS;
}

/* The header's page, and one piece at least, whatever the limit. */
static int map_first(struct trace_output* output) {
  int err;
  output->header = map_more(output, TRACE_HEADER_SIZE, &err);
  if (output->header == NULL)
    return err;
  header_fill(output->header);
  void* piece = map_more(output, PIECE_SIZE, &err);
  if (piece != NULL)
    piece_set(output, piece);
  return err;
}

int output_open(struct trace_output* output, const char* pattern, unsigned int loop,
                bool for_many) {
  char name[PATH_SIZE + 32];
  bool own;
  memset(output, 0, sizeof(*output));
  if (!name_expand(name, pattern, loop, for_many, &own))
    return UV_ENAMETOOLONG;
  output->fd = open_output(name, own, for_many);
  if (output->fd < 0)
    return output->fd;
  struct stat file;
  if (fstat(output->fd, &file) == 0) {
    output->device = file.st_dev;
    output->inode = file.st_ino;
  }
  output->limit = limit_wanted();
  output->path = mem_strdup(name);
  int err = output->path == NULL ? UV_ENOMEM : map_first(output);
  if (err != 0) {
    output_leave(output);
    unlink(name);
  }
  return err;
}

static void piece_unmap(struct trace_output* output) {
  if (output->piece != NULL)
    munmap(output->piece, PIECE_SIZE);
  output->piece = NULL;
}

/* Says once why the trace ends before the program does. */
static void full(struct trace_output* output, int err) {
  output->full = true;
  output->next = output->end;
  double size = (double) output->size / (1 << 20);
  if (err == 0)
    fprintf(stderr,
            "rondo: the trace %s ends here: %.0f MiB are its limit "
            "(RONDO_TRACE_LIMIT)\n",
            output->path, size);
  else
    fprintf(stderr, "rondo: the trace %s ends here, at %.0f MiB: %s\n", output->path,
            size, uv_strerror(err));
}

bool output_grow(struct trace_output* output, size_t count) {
  assert(count <= PIECE_RECORDS);
  if (output->full)
    return false;
  int saved = errno;
  int err = 0;
  bool limited = output->size + PIECE_SIZE > output->limit;
  void* memory = limited ? NULL : map_more(output, PIECE_SIZE, &err);
  if (memory == NULL)
    full(output, err);
  errno = saved;
  if (memory == NULL)
    return false;
  while (output->next < output->end) /* readers must not take zeros for the end */
    (output->next++)->when = TRACE_FILLER;
  piece_unmap(output);
  piece_set(output, memory);
  return true;
}

void output_close(struct trace_output* output) {
  uint64_t length = output->size;
  if (output->piece != NULL)
    length -= (size_t) (output->end - output->next) * sizeof(struct trace_record);
  output->header->length = length;
  piece_unmap(output);
  if (is_our_file(output)) /* else zeros follow, which is as good */
    (void) !ftruncate(output->fd, (off_t) length);
  output_leave(output);
}

void output_leave(struct trace_output* output) {
  piece_unmap(output);
  if (output->header != NULL)
    munmap(output->header, TRACE_HEADER_SIZE);
  if (is_our_file(output))
    close(output->fd);
  mem_free(output->path);
}
