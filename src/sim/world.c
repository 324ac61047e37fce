/* Making, joining and leaving a world; the tables of its processes and threads. */
#include "sim/world.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t OUTSIDE_PATIENCE_NS = 5 * WORLD_SECOND;

/* The thread's index in the table, cached. */
static _Thread_local struct {
  const struct world* world;
  int tid;
  unsigned int index;
} self_cache __attribute__((tls_model("initial-exec")));

uint64_t world_real_ns(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t) time.tv_sec * WORLD_SECOND + (uint64_t) time.tv_nsec;
}

enum {
  LOOKS_DISTINCT = 999,   /* readings of the clock that each see a nanosecond more */
  LOOKS_SPINNING = 50000, /* readings without a wait in between: the program spins */
  LOOKS_PER_STEP = 16,
  STEP_NS = 50 * 1000,
};

/* Readings of this thread since the clock last moved. */
static _Thread_local struct {
  uint64_t seen;
  unsigned int looks;
} reader __attribute__((tls_model("initial-exec")));

uint64_t world_look(struct world* world) {
  uint64_t now = world_now(world);
  if (now != reader.seen) {
    reader.seen = now;
    reader.looks = 0;
  }
  reader.looks++;
  if (reader.looks > LOOKS_SPINNING && reader.looks % LOOKS_PER_STEP == 0) {
    world_step(world, STEP_NS);
    now = world_now(world);
    reader.seen = now;
    reader.looks = LOOKS_SPINNING;
  }
  return now + (reader.looks < LOOKS_DISTINCT ? reader.looks : LOOKS_DISTINCT);
}

void world_prepare(struct world* world, uint64_t seed) {
  pthread_mutexattr_t attributes;
  memset(world, 0, sizeof(*world));
  memcpy(world->magic, WORLD_MAGIC, sizeof(world->magic));
  world->version = WORLD_VERSION;
  world->seed = seed;
  world->start = WORLD_START_NS;
  world->now = world->start;
  world_late_prepare(world);
  struct timespec wall;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &wall);
  world->wall_start = (uint64_t) wall.tv_sec * WORLD_SECOND;
  world->limit = WORLD_NEVER;
  world->outside_ns = OUTSIDE_PATIENCE_NS;
  world_times_prepare(world);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&world->lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

/* A process that dies with the lock leaves nothing inconsistent, since each change is of
 * one entry. A thread that waits for the lock yields instead of sleeping: a sleeping
 * thread counts as idle, and this one is about to act. */
void world_lock(struct world* world) {
  int err;
  while ((err = pthread_mutex_trylock(&world->lock)) == EBUSY)
    sched_yield();
  if (err == EOWNERDEAD)
    pthread_mutex_consistent(&world->lock);
}

bool world_lock_if_free(struct world* world) {
  int err = pthread_mutex_trylock(&world->lock);
  if (err == EOWNERDEAD)
    pthread_mutex_consistent(&world->lock);
  return err != EBUSY;
}

void world_unlock(struct world* world) {
  pthread_mutex_unlock(&world->lock);
}

/* --- processes ---------------------------------------------------------------------- */

struct world_process* world_find_process(struct world* world, int pid) {
  for (uint32_t i = 0; i < world->process_high; i++) {
    if (world->processes[i].state != PROCESS_FREE && world->processes[i].pid == pid)
      return &world->processes[i];
  }
  return NULL;
}

/* With the lock held. The parent numbers its children in the order it starts them, so a
 * process has the same path in each run. */
static struct world_process* process_add(struct world* world, int pid, int parent_pid) {
  struct world_process* parent = world_find_process(world, parent_pid);
  for (uint32_t i = 0; i < WORLD_PROCESSES; i++) {
    struct world_process* process = &world->processes[i];
    if (process->state != PROCESS_FREE)
      continue;
    memset(process, 0, sizeof(*process));
    process->pid = pid;
    __atomic_add_fetch(&world->processes_seen, 1, __ATOMIC_RELEASE);
    if (i >= world->process_high)
      world->process_high = i + 1;
    if (parent == NULL)
      snprintf(process->path, sizeof(process->path), "0");
    else
      snprintf(process->path, sizeof(process->path), "%.*s.%u", WORLD_PATH - 12,
               parent->path, ++parent->children);
    return process;
  }
  return NULL;
}

static void process_join(struct world* world) {
  int pid = getpid();
  world_lock(world);
  struct world_process* process = world_find_process(world, pid);
  if (process == NULL)
    process = process_add(world, pid, getppid());
  if (process != NULL)
    process->state = PROCESS_JOINED;
  world_unlock(world);
}

void world_spawned(struct world* world, int pid) {
  if (world->folder[0] == '\0')
    return;
  world_lock(world);
  if (world_find_process(world, pid) == NULL) {
    struct world_process* process = process_add(world, pid, getpid());
    if (process != NULL)
      process->state = PROCESS_STARTING;
  }
  world_unlock(world);
}

bool world_has_strangers(const struct world* world) {
  for (uint32_t i = 0; i < world->process_high; i++) {
    if (world->processes[i].state == PROCESS_STARTING ||
        world->processes[i].state == PROCESS_STRANGER)
      return true;
  }
  return false;
}

void world_own_path(struct world* world, char* path) {
  world_lock(world);
  const struct world_process* process = world_find_process(world, getpid());
  snprintf(path, WORLD_PATH, "%s", process == NULL ? "0" : process->path);
  world_unlock(world);
}

void world_forked(struct world* world) {
  bool was_loop = self_cache.world == world && world->threads[self_cache.index].is_loop;
  self_cache.world = NULL;
  process_join(world);
  if (!was_loop)
    world_yield(world);
}

/* --- the memory --------------------------------------------------------------------- */

struct world* world_create(uint64_t seed) {
  struct world* world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (world == MAP_FAILED)
    return NULL;
  world_prepare(world, seed);
  process_join(world);
  return world;
}

void world_destroy(struct world* world) {
  munmap(world, sizeof(*world));
}

struct world* world_join(const char* folder) {
  char path[WORLD_FOLDER + 16];
  if (strlen(folder) >= WORLD_FOLDER)
    return NULL;
  snprintf(path, sizeof(path), "%s/world", folder);
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return NULL;
  struct world* world =
      mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  bool whole = lseek(fd, 0, SEEK_END) == (off_t) sizeof(*world);
  close(fd);
  if (world == MAP_FAILED)
    return NULL;
  if (!whole || memcmp(world->magic, WORLD_MAGIC, sizeof(world->magic)) != 0 ||
      world->version != WORLD_VERSION) {
    munmap(world, sizeof(*world));
    return NULL;
  }
  process_join(world);
  return world;
}

/* --- threads ------------------------------------------------------------------------ */

struct world_thread* world_thread_of(struct world* world, int tid) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    if (__atomic_load_n(&world->threads[i].tid, __ATOMIC_ACQUIRE) == tid)
      return &world->threads[i];
  }
  return NULL;
}

/* A main thread has the process's name. Other threads are numbered in the order in which
 * they first wait, unless they get a name (world_name_self). */
static uint64_t thread_name(struct world* world, int tid) {
  struct world_process* process = world_find_process(world, getpid());
  uint64_t name = UINT64_C(0xcbf29ce484222325);
  if (process == NULL)
    return (uint64_t) tid;
  for (const char* at = process->path; *at != '\0'; at++)
    name = (name ^ (unsigned char) *at) * UINT64_C(0x100000001b3);
  return name + (tid == process->pid ? 0 : ++process->threads);
}

static struct world_thread* thread_add(struct world* world, int tid) {
  struct world_thread* known = world_thread_of(world, tid);
  if (known != NULL)
    return known;
  if (world->thread_high == WORLD_THREADS)
    world_forget_threads(world);
  for (uint32_t i = 0; i < WORLD_THREADS; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0)
      continue;
    memset(thread, 0, sizeof(*thread));
    thread->pid = getpid();
    thread->name = thread_name(world, tid);
    __atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
    if (i >= world->thread_high)
      __atomic_store_n(&world->thread_high, i + 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&world->threads_seen, 1, __ATOMIC_RELEASE);
    return thread;
  }
  return NULL;
}

struct world_thread* world_self(struct world* world) {
  if (self_cache.world == world) {
    struct world_thread* known = &world->threads[self_cache.index];
    if (known->tid == self_cache.tid)
      return known;
  }
  int tid = (int) syscall(SYS_gettid);
  world_lock(world);
  struct world_thread* self = thread_add(world, tid);
  world_unlock(world);
  if (self != NULL) {
    self_cache.world = world;
    self_cache.tid = tid;
    self_cache.index = (unsigned int) (self - world->threads);
  }
  return self;
}

void world_name_self(struct world* world, uint64_t name) {
  struct world_thread* self = world_self(world);
  if (self != NULL)
    self->name = name;
}

void world_leave_self(struct world* world) {
  struct world_thread* self = world_self(world);
  world_lock(world);
  if (self != NULL)
    __atomic_store_n(&self->tid, 0, __ATOMIC_RELEASE);
  world_unlock(world);
}

void world_work(struct world* world, uint64_t patience_ns) {
  struct world_thread* self = world_self(world);
  if (self == NULL)
    return;
  world_lock(world);
  self->works_until = patience_ns == 0 ? 0 : world_real_ns() + patience_ns;
  world_unlock(world);
}

bool world_thread_waits(struct world* world, int tid) {
  world_lock(world);
  const struct world_thread* thread = world_thread_of(world, tid);
  bool waits = thread != NULL && thread->state == THREAD_WAITS;
  world_unlock(world);
  return waits;
}

/* --- reports ------------------------------------------------------------------------ */

void world_say(const struct world* world, const char* format, ...) {
  char line[512];
  if (!(world->flags & WORLD_VERBOSE))
    return;
  int used = snprintf(line, sizeof(line), "rondo sim: ");
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(line + used, sizeof(line) - (size_t) used - 1, format, arguments);
  va_end(arguments);
  size_t length = (size_t) used + (size_t) (more < 0 ? 0 : more);
  length = length > sizeof(line) - 2 ? sizeof(line) - 2 : length;
  line[length++] = '\n';
  if (write(STDERR_FILENO, line, length) < 0)
    return; /* standard error can't be written to */
}

void world_set_end(struct world* world, enum world_end end) {
  char path[WORLD_FOLDER + 16];
  uint32_t none = WORLD_GOES_ON;
  if (!__atomic_compare_exchange_n(&world->end, &none, (uint32_t) end, false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
      world->folder[0] == '\0')
    return;
  snprintf(path, sizeof(path), "%s/ended", world->folder);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write(fd, "", 1) < 0)
    world_say(world, "the command can't be reached");
  close(fd);
}
