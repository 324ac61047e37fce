/* A recording's chunks in a ring: the last of them, in a shared mapping of a file in
 * memory. The pages are the file's, so they outlive a process that is killed.
 *
 * The file is mapped once and its descriptor closed, so that a program that closes
 * unknown descriptors can't break the ring. Memory is allocated a chunk at a time while
 * the ring fills for the first time; if the memory runs out, the ring stays as large as
 * it is then. Chunks are reused in the order in which they were taken, except those of
 * definitions and those that a stream is writing to.
 *
 * There is one ring in a process, and it stays until the process ends: loops come and go.
 * An exit removes the ring's file; any other end leaves it there for `rondo dump`, or for
 * the watcher of `rondo exec`, which saves it after a crash. */
#include "trace/store.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/own_fd.h"
#include "system/system.h"
#include "trace/alarm.h"
#include "trace/board.h"
#include "trace/ring.h"
#include "uv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

enum {
  RING_CHUNK = 64 << 10,
  RING_LEAST = 1 << 20,
  RING_FIRST = 3, /* chunks that a ring needs: definitions, a loop, the pool */
  /* Rings kept of processes that have ended; older ones are removed. */
  RING_DEAD_KEPT = 3,
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct store_ring {
  struct trace_store base;
  char* memory;
  size_t size;
  size_t chunks; /* capacity of the ring */
  size_t filled; /* chunks that have memory */
  size_t hand;   /* the chunk to try next */
  bool* held;    /* for each chunk: a stream is writing to it */
  bool full;     /* no more memory is available */
  bool whole;    /* all memory was allocated at the beginning */
  pid_t process;
  char* path;
};

static struct store_ring* process_ring;

static struct store_ring* store_ring_of(struct trace_store* store) {
  return (struct store_ring*) store;
}

/* --- memory --------------------------------------------------------------------------
 */

/* Allocates the chunk's memory; false if there is none, since touching it would raise
 * SIGBUS. */
static bool ring_populate(const struct store_ring* ring, const void* from,
                          size_t length) {
  if (ring->whole)
    return true;
  uintptr_t start = (uintptr_t) from / system_page_size() * system_page_size();
  size_t size = (uintptr_t) from + length - start;
  int result;
  do
    result = madvise((void*) start, size, MADV_POPULATE_WRITE);
  while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result == 0;
}

static struct trace_chunk* ring_chunk(const struct store_ring* ring, size_t index) {
  return (struct trace_chunk*) (void*) (ring->memory + TRACE_HEADER_SIZE + BOARD_SIZE +
                                        index * RING_CHUNK);
}

static struct board* ring_board(const struct store_ring* ring) {
  return (struct board*) (void*) (ring->memory + TRACE_HEADER_SIZE);
}

/* While the ring fills for the first time. */
static struct trace_chunk* ring_take_new(struct store_ring* ring) {
  if (ring->full || ring->filled == ring->chunks)
    return NULL;
  struct trace_chunk* chunk = ring_chunk(ring, ring->filled);
  if (!ring_populate(ring, chunk, RING_CHUNK)) {
    ring->full = true;
    return NULL;
  }
  assert(!ring->held[ring->filled]); /* chunks without memory are nobody's */
  ring->held[ring->filled++] = true;
  __atomic_store_n(&ring_board(ring)->filled,
                   TRACE_HEADER_SIZE + BOARD_SIZE + ring->filled * RING_CHUNK,
                   __ATOMIC_RELEASE);
  return chunk;
}

/* A reader that copies a chunk compares its sequence before and after. */
static struct trace_chunk* ring_take_old(struct store_ring* ring) {
  for (size_t i = 0; i < ring->filled; i++) {
    size_t index = ring->hand;
    assert(index < ring->filled);
    struct trace_chunk* chunk = ring_chunk(ring, index);
    ring->hand = (ring->hand + 1) % ring->filled;
    if (ring->held[index] || chunk->kind == TRACE_STREAM_DEFINITIONS)
      continue;
    ring->held[index] = true;
    ring->base.header->overwritten = chunk->sequence;
    __atomic_store_n(&chunk->sequence, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* with the fence of copy_chunk */
    memset(chunk, 0, RING_CHUNK);
    return chunk;
  }
  return NULL;
}

static struct trace_chunk* store_ring_take(struct trace_store* store) {
  struct store_ring* ring = store_ring_of(store);
  int saved = errno;
  struct trace_chunk* chunk = ring_take_new(ring);
  if (chunk == NULL && ring->filled > 0)
    chunk = ring_take_old(ring);
  errno = saved;
  return chunk;
}

static void store_ring_give_back(struct trace_store* store, struct trace_chunk* chunk,
                                 const void* end) {
  struct store_ring* ring = store_ring_of(store);
  (void) end;
  size_t index = (size_t) ((char*) chunk - (char*) ring_chunk(ring, 0)) / RING_CHUNK;
  assert(index < ring->filled && ring->held[index]);
  ring->held[index] = false;
}

static void store_ring_close(struct trace_store* store) {
  (void) store; /* the ring stays until the process ends */
}

static void ring_free(struct store_ring* ring) {
  if (ring->memory != NULL)
    munmap(ring->memory, ring->size);
  mem_free(ring->held);
  mem_free(ring->path);
  mem_free(ring);
}

static void store_ring_leave(struct trace_store* store) {
  struct store_ring* ring = store_ring_of(store);
  if (process_ring == ring)
    process_ring = NULL;
  ring_free(ring);
}

static const struct trace_store_kind store_ring_kind = {
    store_ring_take, store_ring_give_back, store_ring_close, store_ring_leave};

struct board* store_ring_board(struct trace_store* store) {
  return store->kind == &store_ring_kind ? ring_board(store_ring_of(store)) : NULL;
}

struct board_loop* store_ring_place(struct trace_store* store, uint32_t number) {
  const struct store_ring* ring = store_ring_of(store);
  struct board* board = ring_board(ring);
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    struct board_loop* place = &board->loops[i];
    if (!ring_populate(ring, place, sizeof(*place)))
      return NULL;
    if (place->number != 0)
      continue;
    memset(place, 0, sizeof(*place));
    __atomic_store_n(&place->number, number, __ATOMIC_RELEASE);
    if (board->places <= i)
      __atomic_store_n(&board->places, (uint32_t) i + 1, __ATOMIC_RELEASE);
    return place;
  }
  return NULL;
}

/* --- the folder ----------------------------------------------------------------------
 */

static int folder_make(char* folder) {
  if (mkdir(folder, 0700) != 0 && errno != EEXIST)
    return -errno;
  return ring_folder_is_safe(folder) ? 0 : UV_EPERM;
}

struct ring_owner {
  int pid;
  uint64_t process_start, pid_namespace;
  uint64_t changed_ns;
};

/* False if the file isn't a ring. The file is read, not mapped: a ring that is being made
 * may have no memory yet, and touching such a page of a mapping raises SIGBUS if the file
 * system is full. */
static bool ring_read_owner(const char* path, struct ring_owner* owner) {
  struct {
    char magic[sizeof(TRACE_MAGIC) - 1];
    uint32_t pid;
  } header;
  struct stat status;
  uint64_t identity[2]; /* the board's first two fields */
  int fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd < 0)
    return false;
  bool good = fstat(fd, &status) == 0 &&
              pread(fd, header.magic, sizeof(header.magic), 0) ==
                  (ssize_t) sizeof(header.magic) &&
              pread(fd, &header.pid, sizeof(header.pid),
                    offsetof(struct trace_header, pid)) == (ssize_t) sizeof(header.pid) &&
              pread(fd, identity, sizeof(identity), TRACE_HEADER_SIZE) ==
                  (ssize_t) sizeof(identity) &&
              memcmp(header.magic, TRACE_MAGIC, sizeof(header.magic)) == 0;
  close(fd);
  if (good)
    *owner = (struct ring_owner){(int) header.pid, identity[0], identity[1],
                                 (uint64_t) status.st_ctim.tv_sec * 1000000000 +
                                     (uint64_t) status.st_ctim.tv_nsec};
  return good;
}

_Static_assert(offsetof(struct board, process_start) == 0 &&
                   offsetof(struct board, pid_namespace) == sizeof(uint64_t),
               "ring_read_owner reads them");

/* 0 while the ring's process lives; otherwise when the file was last changed. Processes
 * of other pid namespaces count as alive. */
static uint64_t ring_dead_since(const char* path) {
  struct ring_owner owner;
  if (!ring_read_owner(path, &owner) || owner.pid_namespace != ring_pid_namespace() ||
      ring_process_start(owner.pid) == owner.process_start)
    return 0;
  return owner.changed_ns;
}

/* A program that is killed again and again must not fill the memory with its rings: the
 * oldest are removed. */
static void folder_clean(const char* folder) {
  for (int round = 0; round < 64; round++) {
    char oldest[RING_PATH_SIZE + 320] = "";
    uint64_t oldest_since = UINT64_MAX;
    int dead = 0;
    DIR* list = own_fd_list_folder(folder);
    const struct dirent* entry;
    while (list != NULL && (entry = readdir(list)) != NULL) {
      char path[RING_PATH_SIZE + 320];
      if (entry->d_name[0] == '.' || strstr(entry->d_name, ".ring") == NULL)
        continue;
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      uint64_t since = ring_dead_since(path);
      dead += since != 0;
      if (since != 0 && since < oldest_since) {
        oldest_since = since;
        memcpy(oldest, path, sizeof(oldest));
      }
    }
    if (list != NULL)
      closedir(list);
    if (dead <= RING_DEAD_KEPT)
      return;
    unlink(oldest);
  }
}

static int ring_create_file(const char* path) {
  return own_fd_raise(
      open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

/* A file of this name may be the ring of an earlier process with the same number, of this
 * process before an exec, or of a process in another namespace, whose file is left alone.
 */
enum { RING_NAME_SIZE = RING_PATH_SIZE + 64 };

static int ring_create(char* path, const char* folder) {
  for (int i = 1; i < 100; i++) {
    if (i == 1)
      snprintf(path, RING_NAME_SIZE, "%s/%d.ring", folder, (int) getpid());
    else
      snprintf(path, RING_NAME_SIZE, "%s/%d.%d.ring", folder, (int) getpid(), i);
    int fd = ring_create_file(path);
    if (fd < 0 && errno == EEXIST) {
      struct ring_owner owner;
      if (!ring_read_owner(path, &owner) || owner.pid_namespace == ring_pid_namespace())
        unlink(path);
      fd = ring_create_file(path);
    }
    if (fd >= 0 || errno != EEXIST)
      return fd >= 0 ? fd : -errno;
  }
  return UV_EEXIST;
}

/* --- life ----------------------------------------------------------------------------
 */

/* A number of bytes, or one with K, M or G; "" and "1" mean the default. */
static size_t ring_size_wanted(const char* text) {
  const uint64_t most = (uint64_t) 1 << 40;
  char* unit;
  uint64_t number = strtoull(text, &unit, 10);
  int name = toupper((unsigned char) *unit);
  int shift = name == 'K' ? 10 : name == 'M' ? 20 : name == 'G' ? 30 : 0;
  uint64_t size = number > most >> shift ? most : number << shift;
  return (size_t) (size <= 1 ? 16 << 20 : u64_max(size, RING_LEAST));
}

static void ring_begin(struct store_ring* ring) {
  struct board* board = ring_board(ring);
  struct trace_header* header = ring->base.header;
  trace_header_fill(header, RING_CHUNK);
  header->board_size = (uint32_t) BOARD_SIZE;
  board->process_start = ring_process_start((int) ring->process);
  board->pid_namespace = ring_pid_namespace();
  board->ring_size = ring->size;
  board->filled = TRACE_HEADER_SIZE + BOARD_SIZE;
  board->layout = BOARD_LAYOUT;
}

/* Old kernels can't report whether there is memory before it is touched, so all of it is
 * allocated at once there. */
static int ring_map(struct store_ring* ring, int fd) {
  if (!store_size_allowed(ring->size))
    return UV_EFBIG;
  if (ftruncate(fd, (off_t) ring->size) != 0)
    return -errno;
  ring->memory = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (ring->memory == MAP_FAILED) {
    ring->memory = NULL;
    return -errno;
  }
  /* Less than what one loop needs is of no use: another folder may have more. */
  const size_t first = TRACE_HEADER_SIZE + offsetof(struct board, loops[1]);
  if (ring_populate(ring, ring->memory, first) &&
      ring_populate(ring, ring_chunk(ring, 0), (size_t) RING_FIRST * RING_CHUNK))
    return 0;
  if (errno != EINVAL)
    return UV_ENOSPC;
  ring->whole = fallocate(fd, 0, 0, (off_t) ring->size) == 0;
  return ring->whole ? 0 : -errno;
}

/* Returns a descriptor of the ring's file, or a UV_E… code. */
static int ring_make(struct store_ring** made, const char* folder, size_t size) {
  char path[RING_NAME_SIZE];
  int fd = ring_create(path, folder);
  if (fd < 0)
    return fd;
  struct store_ring* ring = mem_calloc(1, sizeof(*ring));
  int err = ring == NULL ? UV_ENOMEM : 0;
  if (ring != NULL) {
    ring->base.kind = &store_ring_kind;
    ring->base.chunk_size = RING_CHUNK;
    ring->chunks = size / RING_CHUNK;
    ring->size = TRACE_HEADER_SIZE + BOARD_SIZE + ring->chunks * RING_CHUNK;
    ring->process = getpid();
    ring->held = mem_calloc(ring->chunks, sizeof(*ring->held));
    ring->path = mem_strdup(path);
    err = ring->held == NULL || ring->path == NULL ? UV_ENOMEM : ring_map(ring, fd);
  }
  if (err != 0) {
    close(fd);
    unlink(path);
    if (ring != NULL)
      ring_free(ring);
    return err;
  }
  ring->base.header = (struct trace_header*) (void*) ring->memory;
  ring_begin(ring);
  *made = ring;
  return fd;
}

/* After a normal exit, by exit() or quick_exit(), the recording isn't needed. */
__attribute__((destructor)) static void ring_remove(void) {
  if (process_ring == NULL || process_ring->process != getpid())
    return;
  alarm_part(ring_board(process_ring));
  unlink(process_ring->path);
}

/* Makes the process's ring in that folder. Returns 0 or a UV_E… code. */
static int ring_open_in(char* folder, const char* size) {
  struct store_ring* ring;
  int err = folder_make(folder);
  if (err != 0)
    return err;
  folder_clean(folder);
  int fd = ring_make(&ring, folder, ring_size_wanted(size));
  if (fd < 0)
    return fd;
  process_ring = ring;
  alarm_prepare(fd);
  close(fd);
  (void) at_quick_exit(ring_remove);
  return 0;
}

/* Folders of the usual names that another user has made: the way out is reported once, by
 * the process that makes it. */
static int ring_open_spare(const char* size, const char* taken) {
  char folder[RING_PATH_SIZE];
  if (!ring_folder_make_spare(folder))
    return -errno;
  int err = ring_open_in(folder, size);
  if (err == 0)
    fprintf(stderr, "rondo: %s is not this user's alone: rings are in %s\n", taken,
            folder);
  else
    (void) rmdir(folder);
  return err;
}

int store_ring_open(struct trace_store** store, const char* size) {
  char folder[RING_PATH_SIZE], taken[RING_PATH_SIZE] = "";
  int err = UV_ENOENT;
  if (process_ring != NULL && process_ring->process == getpid()) {
    *store = &process_ring->base;
    return 0;
  }
  /* The parent's; freed with the last of its loops in this process. */
  process_ring = NULL;
  for (int turn = 0; turn < RING_FOLDERS && err != 0; turn++) {
    if (!ring_folder(folder, turn, system_setting("XDG_RUNTIME_DIR")))
      continue;
    int failed = ring_open_in(folder, size);
    if (failed == UV_EPERM)
      memcpy(taken, folder, sizeof(taken));
    err = failed == UV_ENOENT ? err : failed;
  }
  if (err != 0 && *taken != '\0')
    err = ring_open_spare(size, taken);
  if (err == 0)
    *store = &process_ring->base;
  return err;
}
