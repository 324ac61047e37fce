/* A recording's chunks in a file: see store.h.
 *
 * The file grows up to its limit, or until the disk is full. From then on the oldest
 * chunks are used again, as in a ring, except those of definitions and those that a
 * stream is writing to: what a program did last is what is asked about. */
#include "trace/store.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/own_fd.h"
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
  CHUNK_SIZE = 256 << 10, /* mapping a chunk costs as much as some hundred records */
  NAMES_TRIED = 1000,
  PATH_SIZE = 4096,
};

/* The facts known of each chunk in the file. */
struct file_chunk {
  void* memory; /* where it is mapped, while a stream writes to it */
  bool keeps;   /* it has definitions */
};

struct store_file {
  struct trace_store base;
  uint64_t size;  /* of the file: the header and whole chunks */
  uint64_t limit; /* largest size of the file, in bytes */
  uint64_t end;   /* end of the last record in the last chunk that was given back */
  uint64_t device,
      inode;   /* identify the file: a program may close our descriptor by mistake */
  void* first; /* the first chunk, mapped when the file was made, since every recording
                  has one */
  struct file_chunk* chunks;
  size_t chunk_count, chunk_capacity;
  size_t hand; /* the chunk to try next, when chunks are used again */
  bool is_reusing;
  bool full;
  int fd;
  char* path;
};

static struct store_file* store_file_of(struct trace_store* store) {
  return (struct store_file*) store;
}

static const uint64_t LIMIT_DEFAULT = (uint64_t) 256 << 20;

/* --- its name -------------------------------------------------------------------- */

/* Expands the pattern; false if the result is too long. */
static bool name_expand(char* name, const char* pattern, unsigned int loop, bool* own) {
  size_t used = 0;
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
      at++;
    } else {
      name[used++] = *at;
      at += at[0] == '%' && at[1] == '%';
    }
  }
  name[used] = '\0';
  return true;
}

static int open_file(const char* name, int flags) {
  /* O_NONBLOCK: a FIFO without a reader is refused, not waited for. */
  flags |= O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd;
  do
    fd = own_fd_raise(open(name, flags, 0600)); /* paths of requests are in there */
  while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

/* False while another recorder writes to the file. Where locks are not supported, true.
 */
static bool lock_take(int fd) {
  return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Opens a file that doesn't exist yet: `name`, or the same with a number. */
static int open_new(char* name) {
  size_t length = strlen(name);
  int fd = open_file(name, O_EXCL);
  for (int i = 2; fd == UV_EEXIST && i <= NAMES_TRIED; i++) {
    sprintf(name + length, ".%d", i);
    fd = open_file(name, O_EXCL);
  }
  if (fd >= 0)
    (void) lock_take(fd); /* rondo_trace_start could name this file too */
  return fd;
}

/* Any other name is truncated, as by a shell's `>`, but never while another recorder
 * writes to the file, which its lock shows. */
static int open_named(char* name) {
  int fd = open_file(name, 0);
  if (fd < 0)
    return fd;
  struct stat file;
  int err = 0;
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
    err = UV_EINVAL;
  else if (!lock_take(fd))
    err = UV_EBUSY;
  else if (ftruncate(fd, 0) != 0)
    err = -errno;
  if (err == 0)
    return fd;
  close(fd);
  return err;
}

/* A name that contains the process id should be new. After an exec it isn't: the program
 * before the exec has used it. */
static int open_output(char* name, bool own, bool for_many) {
  int fd = own && for_many ? open_new(name) : open_named(name);
  if (fd != UV_EBUSY || !for_many)
    return fd;
  sprintf(name + strlen(name), ".%d", (int) getpid());
  return open_new(name);
}

/* --- its memory ------------------------------------------------------------------ */

/* For file systems that can't allocate blocks: writes zeros instead. */
static int write_zeros(int fd, uint64_t from, size_t length) {
  static const char zeros[16384];
  while (length > 0) {
    ssize_t n = pwrite(fd, zeros, size_min(length, sizeof(zeros)), (off_t) from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0 ? UV_ENOSPC : -errno;
    from += (size_t) n;
    length -= (size_t) n;
  }
  return 0;
}

bool store_size_allowed(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

static int store_file_allocate(int fd, uint64_t from, size_t length) {
  if (!store_size_allowed(from + length))
    return UV_EFBIG;
  int result;
  do /* before Linux 6.10 tmpfs gives up on any signal, even an ignored one */
    result = fallocate(fd, 0, (off_t) from, (off_t) length);
  while (result != 0 && errno == EINTR);
  if (result == 0)
    return 0;
  int err = -errno;
  bool unable = err == UV_ENOTSUP || err == UV_ENOSYS || err == UV_EINVAL;
  return unable ? write_zeros(fd, from, length) : err;
}

/* A program that closes all descriptors has closed this one, and the number may mean
 * another file by now. */
static bool is_our_file(const struct store_file* file) {
  struct stat status;
  return fstat(file->fd, &status) == 0 && status.st_dev == file->device &&
         status.st_ino == file->inode;
}

/* Parts of the file begin at multiples of 4096 bytes; a page may be larger, and is mapped
 * from its own beginning. NULL, with errno set, on failure. */
static void* part_map(int fd, uint64_t from, size_t length) {
  size_t before = from % system_page_size();
  char* pages = mmap(NULL, before + length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                     (off_t) (from - before));
  return pages == MAP_FAILED ? NULL : pages + before;
}

static void chunk_unmap(void* part) {
  size_t before = (uintptr_t) part % system_page_size();
  munmap((char*) part - before, before + CHUNK_SIZE);
}

/* Extends the file by `length` bytes, with blocks allocated, and maps them. NULL, with
 * the reason, if that fails. */
static void* map_more(struct store_file* file, size_t length, int* err) {
  *err = is_our_file(file) ? store_file_allocate(file->fd, file->size, length) : UV_EBADF;
  if (*err != 0)
    return NULL;
  void* memory = part_map(file->fd, file->size, length);
  if (memory == NULL) {
    *err = -errno;
    return NULL;
  }
  file->size += length;
  return memory;
}

/* A number of bytes, or one with K, M or G. */
static uint64_t limit_wanted(void) {
  const char* text = system_setting("RONDO_TRACE_LIMIT");
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

/* Reports once that the recording can't grow, and what becomes of it. */
static void report_full(struct store_file* file, int err, bool ends) {
  double size = (double) file->size / (1 << 20);
  fprintf(stderr, "rondo: the trace %s %s %.1f MiB: %s\n", file->path,
          ends ? "ends here, at" : "keeps only the last part from here on,", size,
          err == 0 ? "its limit (RONDO_TRACE_LIMIT)" : uv_strerror(err));
  file->full = ends;
  file->is_reusing = true;
}

/* --- chunks --------------------------------------------------------------------------
 */

static bool chunks_reserve(struct store_file* file) {
  if (file->chunk_count < file->chunk_capacity)
    return true;
  size_t more = file->chunk_capacity == 0 ? 64 : file->chunk_capacity * 2;
  struct file_chunk* bigger = mem_realloc(file->chunks, more * sizeof(*bigger));
  if (bigger == NULL)
    return false;
  file->chunks = bigger;
  file->chunk_capacity = more;
  return true;
}

static uint64_t chunk_place(size_t index) {
  return TRACE_HEADER_SIZE + (uint64_t) index * CHUNK_SIZE;
}

/* A new chunk at the end of the file; NULL, with the reason, if it can't grow. */
static void* chunk_append(struct store_file* file, int* err) {
  *err = chunks_reserve(file) ? 0 : UV_ENOMEM;
  void* memory = *err == 0 ? map_more(file, CHUNK_SIZE, err) : NULL;
  if (memory != NULL)
    file->chunks[file->chunk_count++] = (struct file_chunk){.memory = memory};
  return memory;
}

static void* chunk_map(const struct store_file* file, size_t index) {
  /* Of a file that is continued, the last chunk was cut off where its records ended. */
  if (!is_our_file(file) ||
      store_file_allocate(file->fd, chunk_place(index), CHUNK_SIZE) != 0)
    return NULL;
  return part_map(file->fd, chunk_place(index), CHUNK_SIZE);
}

/* The oldest chunk that nobody writes to and that isn't needed, cleared; NULL if there is
 * none. Chunks are used again in the order of the file. */
static struct trace_chunk* chunk_reuse(struct store_file* file) {
  for (size_t i = 0; i < file->chunk_count; i++) {
    size_t index = file->hand;
    file->hand = (file->hand + 1) % file->chunk_count;
    if (file->chunks[index].memory != NULL || file->chunks[index].keeps)
      continue;
    struct trace_chunk* chunk = chunk_map(file, index);
    if (chunk == NULL)
      continue;
    if (chunk->sequence > file->base.header->overwritten)
      file->base.header->overwritten = chunk->sequence;
    __atomic_store_n(&chunk->sequence, 0, __ATOMIC_SEQ_CST);
    memset(chunk, 0, CHUNK_SIZE);
    file->chunks[index].memory = chunk;
    return chunk;
  }
  return NULL;
}

/* Whatever the limit, there is room for the first chunks: of definitions and of a loop.
 */
static struct trace_chunk* store_file_take(struct trace_store* store) {
  struct store_file* file = store_file_of(store);
  const uint64_t least = TRACE_HEADER_SIZE + 4 * CHUNK_SIZE;
  int saved = errno;
  int err = 0;
  if (file->full)
    return NULL;
  if (file->first != NULL) {
    void* first = file->first;
    file->first = NULL;
    return first;
  }
  uint64_t size = file->size + CHUNK_SIZE;
  void* chunk = file->is_reusing || (size > file->limit && size > least)
                    ? NULL
                    : chunk_append(file, &err);
  if (chunk == NULL) {
    chunk = chunk_reuse(file);
    if (!file->is_reusing || chunk == NULL)
      report_full(file, err, chunk == NULL);
  }
  errno = saved;
  return chunk;
}

static void store_file_give_back(struct trace_store* store, struct trace_chunk* chunk,
                                 const void* end) {
  struct store_file* file = store_file_of(store);
  size_t index = 0;
  while (index < file->chunk_count && file->chunks[index].memory != chunk)
    index++;
  if (index < file->chunk_count) {
    file->chunks[index].memory = NULL;
    file->chunks[index].keeps = chunk->kind == TRACE_STREAM_DEFINITIONS;
  }
  if (index + 1 == file->chunk_count) /* the last in the file */
    file->end = (uint64_t) ((const char*) end - (const char*) chunk);
  chunk_unmap(chunk);
}

static void store_file_leave(struct trace_store* store) {
  struct store_file* file = store_file_of(store);
  if (file->first != NULL)
    chunk_unmap(file->first);
  if (store->header != NULL)
    munmap(store->header, TRACE_HEADER_SIZE);
  if (is_our_file(file))
    close(file->fd);
  mem_free(file->chunks);
  mem_free(file->path);
  mem_free(file);
}

/* Cuts the unused part off the last chunk. */
static void store_file_close(struct trace_store* store) {
  struct store_file* file = store_file_of(store);
  uint64_t length = file->size;
  if (length > TRACE_HEADER_SIZE && file->end > 0)
    length = length - CHUNK_SIZE + file->end;
  store->header->length = length;
  if (is_our_file(file)) /* otherwise zeros follow, which does no harm */
    (void) !ftruncate(file->fd, (off_t) length);
  store_file_leave(store);
}

static const struct trace_store_kind store_file_kind = {
    store_file_take, store_file_give_back, store_file_close, store_file_leave};

const char* store_file_path(const struct trace_store* store) {
  return ((const struct store_file*) store)->path;
}

void trace_header_fill(struct trace_header* header, size_t chunk_size) {
  memcpy(header->magic, TRACE_MAGIC, sizeof(header->magic));
  header->version = TRACE_VERSION;
  header->record_size = sizeof(struct trace_record);
  header->chunk_size = (uint32_t) chunk_size;
  header->processors = system_processors();
  header->pid = (uint32_t) getpid();
  ssize_t length =
      readlink("/proc/self/exe", header->program, sizeof(header->program) - 1);
  header->program[length < 0 ? 0 : length] = '\0';
  system_read_file("/proc/self/cmdline", header->command, sizeof(header->command));
}

static int store_file_make(struct store_file** made, int fd, const char* name) {
  struct store_file* file = mem_calloc(1, sizeof(*file));
  char* path = mem_strdup(name);
  struct stat status;
  *made = file;
  if (file == NULL || path == NULL || fstat(fd, &status) != 0) {
    close(fd);
    mem_free(file);
    mem_free(path);
    return UV_ENOMEM;
  }
  file->base.kind = &store_file_kind;
  file->base.chunk_size = CHUNK_SIZE;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->limit = limit_wanted();
  file->fd = fd;
  file->path = path;
  return 0;
}

static int store_file_begin(struct trace_store** store, const char* pattern,
                            unsigned int loop, bool for_many) {
  char name[PATH_SIZE + 32];
  bool own;
  struct store_file* file;
  if (!name_expand(name, pattern, loop, &own))
    return UV_ENAMETOOLONG;
  int fd = open_output(name, own, for_many);
  int err = fd < 0 ? fd : store_file_make(&file, fd, name);
  if (err != 0)
    return err;
  file->base.header = map_more(file, TRACE_HEADER_SIZE, &err);
  if (err == 0)
    file->first = chunk_append(file, &err);
  if (err != 0) {
    store_file_leave(&file->base);
    unlink(name);
    return err;
  }
  trace_header_fill(file->base.header, CHUNK_SIZE);
  *store = &file->base;
  return 0;
}

/* Maps the header of the file, if this process has written and closed it. */
static struct trace_header* header_map(int fd) {
  struct trace_header* header =
      mmap(NULL, TRACE_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (header == MAP_FAILED)
    return NULL;
  if (memcmp(header->magic, TRACE_MAGIC, sizeof(header->magic)) == 0 &&
      header->version == TRACE_VERSION && header->pid == (uint32_t) getpid() &&
      header->chunk_size == CHUNK_SIZE && header->length != 0)
    return header;
  munmap(header, TRACE_HEADER_SIZE);
  return NULL;
}

/* The chunks of a file that is continued; false without memory. */
static bool chunks_read(struct store_file* file, uint64_t count) {
  struct trace_chunk head;
  for (size_t i = 0; i < count; i++) {
    if (!chunks_reserve(file))
      return false;
    bool known = pread(file->fd, &head, sizeof(head), (off_t) chunk_place(i)) ==
                 (ssize_t) sizeof(head);
    file->chunks[file->chunk_count++] =
        (struct file_chunk){.keeps = !known || head.kind == TRACE_STREAM_DEFINITIONS};
  }
  return true;
}

/* False if that file no longer exists or is another one. */
static bool store_file_continue(struct trace_store** store, const char* path) {
  struct stat status;
  struct store_file* file;
  int fd =
      own_fd_raise(open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  if (fd < 0)
    return false;
  struct trace_header* header = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                                        lock_take(fd) &&
                                        status.st_size >= TRACE_HEADER_SIZE
                                    ? header_map(fd)
                                    : NULL;
  if (header == NULL || (uint64_t) status.st_size != header->length) {
    if (header != NULL)
      munmap(header, TRACE_HEADER_SIZE);
    close(fd);
    return false;
  }
  if (store_file_make(&file, fd, path) != 0) {
    munmap(header, TRACE_HEADER_SIZE);
    return false;
  }
  const uint64_t chunks =
      (header->length - TRACE_HEADER_SIZE + CHUNK_SIZE - 1) / CHUNK_SIZE;
  header->length = 0;
  file->base.header = header;
  file->size = chunk_place(chunks);
  if (!chunks_read(file, chunks)) {
    store_file_leave(&file->base);
    return false;
  }
  *store = &file->base;
  return true;
}

int store_file_open(struct trace_store** store, const char* pattern, unsigned int loop,
                    bool for_many, const char* before) {
  if (before != NULL && store_file_continue(store, before))
    return 0;
  return store_file_begin(store, pattern, loop, for_many);
}
