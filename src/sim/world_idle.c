/* Whether anybody works. The kernel knows: a thread that runs, waits for a processor or
 * for the disk shows as R or D in /proc, and one that was woken shows as R from that
 * moment on. All threads of all processes are looked at twice; as long as nobody ran in
 * between (the number of times a thread was given a processor is in schedstat), they all
 * slept at the moment between the two looks, and only a look-out of ours could wake one.
 */
#include "sim/world.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  /* A thread that sleeps outside the world's waits for this long isn't about to continue.
   */
  STILL_NS = 4 * 1000 * 1000,
  /* A thread that shows as asleep, and seems to be on a processor's queue, for this long
   * isn't about to continue, either. */
  UNSURE_NS = 1000 * 1000 * 1000,
  /* A child that sleeps for this long before it has joined will never join: it is a
   * stranger. A program that is being loaded waits at most for the disk, which doesn't
   * count as sleep. */
  JOIN_PATIENCE_NS = 50 * 1000 * 1000,
};

/* The layout of getdents64. */
struct idle_entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

static ssize_t idle_read(int folder, const char* name, const char* file, char* buffer,
                         size_t size) {
  char path[64];
  snprintf(path, sizeof(path), "%s/%s", name, file);
  int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t n = read(fd, buffer, size - 1);
  close(fd);
  if (n >= 0)
    buffer[n] = '\0';
  return n;
}

/* The sum of how often all threads have run; and the same for threads outside the world's
 * waits, since those inside wake now and then to check, as the caller does. */
struct idle_sum {
  uint64_t all;
  uint64_t unknown;
  bool is_unsure; /* a thread shows as asleep and may not be */
};

static bool idle_waits_with_us(struct world* world, int tid) {
  const struct world_thread* thread = world_thread_of(world, tid);
  return thread != NULL && thread->state == THREAD_WAITS;
}

/* --- who need not be looked at ------------------------------------------------------ */

/* The numbers of the threads that wait for the clock alone. Nobody but the world can wake
 * one, but by a signal: after one was sent they are looked at, too, until the next turn.
 * With the world's lock held, so one table for all threads of this process will do. */
enum { DEAF_PLACES = 2 * WORLD_THREADS };
static struct {
  int tids[DEAF_PLACES]; /* 0: a free place */
  uint32_t count;
} deaf;

static uint32_t deaf_place(int tid) {
  uint32_t at = (uint32_t) tid * 2654435761u % DEAF_PLACES;
  while (deaf.tids[at] != 0 && deaf.tids[at] != tid)
    at = (at + 1) % DEAF_PLACES;
  return at;
}

static void deaf_find(const struct world* world) {
  if (deaf.count > 0)
    memset(deaf.tids, 0, sizeof(deaf.tids));
  deaf.count = 0;
  if (__atomic_load_n(&world->signalled, __ATOMIC_ACQUIRE) == world->turns + 1)
    return;
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* thread = &world->threads[i];
    if (thread->tid == 0 || thread->state != THREAD_WAITS || !thread->is_deaf)
      continue;
    deaf.tids[deaf_place(thread->tid)] = thread->tid;
    deaf.count++;
  }
}

static bool deaf_has(int tid) {
  return deaf.count > 0 && deaf.tids[deaf_place(tid)] == tid;
}

/* Whether a thread of the caller's process sleeps because it wants the mutex that the
 * caller holds: that of a condition, for which the caller will wait right after this
 * check. */
static bool idle_wants_mutex(int folder, const char* name, uint64_t mutex) {
  char text[128];
  char* end;
  if (mutex == 0 || idle_read(folder, name, "syscall", text, sizeof(text)) <= 0)
    return false;
  long number = strtol(text, &end, 10);
  uint64_t address = strtoull(end, NULL, 16);
  return end != text && number == SYS_futex && address >= mutex &&
         address < mutex + sizeof(pthread_mutex_t);
}

/* Whether a thread that shows as S is on a processor all the same, or waits for one: in
 * wait4 a thread releases its child after it has marked itself as sleeping. For such a
 * thread the kernel gives no wait channel; for other sleeping threads it does, unless it
 * isn't allowed to, and then it never does. */
static bool idle_is_on_queue(struct world* world, int folder, const char* name) {
  char text[64];
  if (idle_read(folder, name, "wchan", text, sizeof(text)) <= 0)
    return false;
  bool has_place = strcmp(text, "0") != 0;
  world->places_known |= has_place;
  return !has_place && world->places_known;
}

/* Adds one thread to the sum; false if the thread is running. */
static bool idle_look_at(struct world* world, int folder, const char* name,
                         uint64_t mutex, struct idle_sum* sum, struct world_busy* busy) {
  char text[512];
  if (idle_read(folder, name, "stat", text, sizeof(text)) <= 0)
    return true; /* it has ended */
  const char* after = strrchr(text, ')');
  char state = after != NULL && after[1] == ' ' ? after[2] : 'S';
  /* X: a thread of an ending process that is about to be released; only then is the
   * parent notified of the end. */
  /* t: a debugger has stopped it. */
  busy->is_debugged = state == 't';
  if (state == 'R' || state == 'D' || state == 'X' || state == 't') {
    const char* comm = strchr(text, '(');
    size_t length = comm == NULL || after == NULL ? 0 : (size_t) (after - comm);
    snprintf(busy->who, sizeof(busy->who), "%.*s) %s", (int) (length > 40 ? 40 : length),
             comm, name);
    busy->tid = (int) strtol(name, NULL, 10);
    if (idle_read(folder, name, "schedstat", text, sizeof(text)) > 0)
      busy->cpu_ns = strtoull(text, NULL, 10);
    return false;
  }
  if (idle_wants_mutex(folder, name, mutex)) {
    snprintf(busy->who, sizeof(busy->who), "thread %s, which wants a lock", name);
    return false;
  }
  uint64_t runs = 0;
  if (idle_read(folder, name, "schedstat", text, sizeof(text)) > 0) {
    const char* last = strrchr(text, ' ');
    runs = last == NULL ? 0 : strtoull(last, NULL, 10);
  }
  uint64_t tid = strtoull(name, NULL, 10);
  uint64_t part =
      (tid * UINT64_C(0x9e3779b97f4a7c15)) ^ (runs * UINT64_C(0xbf58476d1ce4e5b9));
  sum->all += part;
  if (world->processes_seen > 1 && state == 'S' && idle_is_on_queue(world, folder, name))
    sum->is_unsure = true;
  if (!idle_waits_with_us(world, (int) tid))
    sum->unknown += part;
  return true;
}

/* Adds all threads of a process but the caller; false if one is running. */
static bool idle_process(struct world* world, struct world_process* process, int own_tid,
                         struct idle_sum* sum, bool* gone, struct world_busy* busy) {
  int pid = process->pid;
  bool is_quiet = true;
  char path[32];
  char buffer[4096] __attribute__((aligned(8)));
  bool idle = true;
  const struct world_thread* self = world_thread_of(world, own_tid);
  uint64_t mutex =
      self != NULL && self->pid == pid && self->state == THREAD_WAITS ? self->mutex : 0;
  snprintf(path, sizeof(path), "/proc/%d/task", pid);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *gone = folder < 0;
  long n;
  while (folder >= 0 && idle &&
         (n = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
    for (long at = 0; at < n && idle;) {
      const struct idle_entry* entry = (const struct idle_entry*) (buffer + at);
      at += entry->length;
      int tid = entry->name[0] == '.' ? 0 : (int) strtol(entry->name, NULL, 10);
      if (tid == 0 || deaf_has(tid))
        continue;
      is_quiet = false;
      if (tid != own_tid)
        idle = idle_look_at(world, folder, entry->name, mutex, sum, busy);
    }
  }
  if (folder >= 0)
    close(folder);
  process->is_quiet = folder >= 0 && is_quiet && process->state == PROCESS_JOINED;
  return idle;
}

static void idle_forget(struct world* world, struct world_process* process) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    if (world->threads[i].tid != 0 && world->threads[i].pid == process->pid)
      world->threads[i].tid = 0;
  }
  world_links_forget(world, process->pid);
  process->state = PROCESS_FREE;
}

/* A zombie has ended; its parent will be notified. */
static bool idle_has_ended(int pid) {
  char path[32];
  char text[512];
  snprintf(path, sizeof(path), "%d", pid);
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ssize_t n = proc < 0 ? -1 : idle_read(proc, path, "stat", text, sizeof(text));
  if (proc >= 0)
    close(proc);
  const char* after = n > 0 ? strrchr(text, ')') : NULL;
  return after == NULL || after[2] == 'Z' || after[2] == 'X';
}

/* One pass over all processes. */
static bool idle_pass(struct world* world, int own_tid, struct idle_sum* sum,
                      struct world_busy* busy) {
  *sum = (struct idle_sum){0};
  for (uint32_t i = 0; i < world->process_high; i++) {
    struct world_process* process = &world->processes[i];
    bool gone;
    if (process->state == PROCESS_FREE || (process->is_quiet && deaf.count > 0))
      continue;
    if (!idle_process(world, process, own_tid, sum, &gone, busy))
      return false;
    if (process->is_quiet || (!gone && !idle_has_ended(process->pid)))
      continue;
    idle_forget(world, process);
    world_note_signal(world); /* its parent gets one */
  }
  return true;
}

static bool idle_is_gone(const struct world_thread* thread) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task/%d", thread->pid, thread->tid);
  return access(path, F_OK) != 0;
}

bool world_forget_gone(struct world_thread* thread) {
  if (!idle_is_gone(thread))
    return false;
  thread->tid = 0;
  return true;
}

void world_forget_threads(struct world* world) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && idle_is_gone(thread))
      thread->tid = 0;
  }
}

/* Whether a main thread, or one that runs a loop, sleeps outside the world's waits: in a
 * lock, a join, a plain read. While it sleeps only for a moment, time must not pass
 * because an engine's helper threads wait with a time-out. */
static bool idle_has_unknown(struct world* world, int own_tid) {
  for (uint32_t i = 0; i < world->process_high; i++) {
    const struct world_process* process = &world->processes[i];
    if (process->state != PROCESS_JOINED || process->pid == own_tid)
      continue;
    const struct world_thread* main = world_thread_of(world, process->pid);
    if (main == NULL || main->state == THREAD_AWAKE)
      return true;
  }
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* thread = &world->threads[i];
    if (thread->tid != 0 && thread->tid != own_tid && thread->is_loop &&
        thread->state == THREAD_AWAKE)
      return true;
  }
  return false;
}

/* Whether a main thread sleeps outside the world's waits, in a process into which a
 * debugger can come: it waits for one (--inspect-brk), or has been stopped by it. */
static bool idle_awaits_debugger(struct world* world) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* door = &world->threads[i];
    if (door->tid == 0 || !door->is_door)
      continue;
    const struct world_thread* main = world_thread_of(world, door->pid);
    if (main == NULL || main->state == THREAD_AWAKE)
      return true;
  }
  return false;
}

bool world_sees_threads(void) {
  char path[32];
  snprintf(path, sizeof(path), "/proc/%d/task", (int) getpid());
  return access(path, R_OK | X_OK) == 0;
}

/* Whether no thread has run for a while. */
static bool idle_is_still(struct world* world, uint64_t sum, uint64_t while_ns) {
  uint64_t now = world_real_ns();
  if (sum != world->still_sum) {
    world->still_sum = sum;
    world->still_since = now;
  }
  return now - world->still_since >= while_ns;
}

/* False while a child may still join. */
static bool idle_strangers(struct world* world, uint64_t sum, struct world_busy* busy) {
  for (uint32_t i = 0; i < world->process_high; i++) {
    struct world_process* process = &world->processes[i];
    if (process->state != PROCESS_STARTING)
      continue;
    if (!idle_is_still(world, sum, JOIN_PATIENCE_NS)) {
      snprintf(busy->who, sizeof(busy->who), "process %d, which is starting",
               process->pid);
      return false;
    }
    world_say(world, "process %d does not join: it runs in real time", process->pid);
    process->state = PROCESS_STRANGER;
  }
  return true;
}

/* A thread whose turn has come works, whatever the kernel says: no look at all threads.
 */
static bool idle_has_turn(struct world* world, struct world_busy* busy) {
  for (uint32_t i = 0; i < world->thread_high; i++) {
    struct world_thread* thread = &world->threads[i];
    if (thread->tid == 0 || thread->state != THREAD_ITS_TURN || world_forget_gone(thread))
      continue;
    snprintf(busy->who, sizeof(busy->who), "thread %d, whose turn has come", thread->tid);
    return true;
  }
  return false;
}

bool world_is_idle(struct world* world, struct world_busy* busy) {
  int own_tid = (int) syscall(SYS_gettid);
  struct idle_sum first, second;
  deaf_find(world);
  if (!idle_pass(world, own_tid, &first, busy) ||
      !idle_pass(world, own_tid, &second, busy))
    return false;
  if (first.all != second.all) {
    snprintf(busy->who, sizeof(busy->who), "a thread that has just run");
    return false;
  }
  if (second.is_unsure && !idle_is_still(world, first.unknown, UNSURE_NS)) {
    snprintf(busy->who, sizeof(busy->who), "a thread that is about to sleep or go on");
    return false;
  }
  if (idle_has_turn(world, busy))
    return false;
  if (!idle_strangers(world, first.unknown, busy))
    return false;
  if (idle_has_unknown(world, own_tid) &&
      !idle_is_still(world, first.unknown, STILL_NS)) {
    snprintf(busy->who, sizeof(busy->who), "a main thread that sleeps elsewhere");
    return false;
  }
  if (idle_awaits_debugger(world)) {
    busy->is_debugged = true;
    snprintf(busy->who, sizeof(busy->who), "a main thread that waits for its debugger");
    return false;
  }
  uint64_t now = world_real_ns();
  for (uint32_t i = 0; i < world->thread_high; i++) {
    const struct world_thread* thread = &world->threads[i];
    if (thread->tid == 0)
      continue;
    if (thread->state == THREAD_AWAKE && thread->works_until > now) {
      snprintf(busy->who, sizeof(busy->who),
               "thread %d, which waits for something outside", thread->tid);
      return false;
    }
  }
  return true;
}

/* Whether what `rondo sim` preloads is among the files that a process has mapped. */
static bool idle_has_preload(int pid) {
  static const char name[] = "/librondo-sim.so";
  char path[32];
  char text[4096 + sizeof(name)];
  size_t kept = 0;
  bool has = false;
  ssize_t n;
  snprintf(path, sizeof(path), "/proc/%d/maps", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && !has && (n = read(fd, text + kept, 4096)) > 0) {
    size_t used = kept + (size_t) n;
    has = memmem(text, used, name, sizeof(name) - 1) != NULL;
    kept = used < sizeof(name) ? used : sizeof(name); /* it may be cut in two */
    memmove(text, text + used - kept, kept);
  }
  if (fd >= 0)
    close(fd);
  return has;
}

bool world_has_outsider(struct world* world) {
  bool has = false;
  if (!idle_has_preload(getpid()))
    return false;
  world_lock(world);
  for (uint32_t i = 0; i < world->process_high && !has; i++) {
    const struct world_process* process = &world->processes[i];
    has = process->state != PROCESS_FREE && !idle_has_ended(process->pid) &&
          !idle_has_preload(process->pid);
  }
  world_unlock(world);
  return has;
}
