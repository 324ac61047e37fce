/* Which virtual time a file's stamp stands for: see world_times.h. */
#include "sim/world.h"

#include "base/table.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000 * 1000, LOCK_TRIES = 10000 };

static const int64_t NOT_KNOWN = INT64_MIN;

/* The clock by which the kernel stamps files. */
static int64_t stamp_now(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return (int64_t) time.tv_sec * (int64_t) WORLD_SECOND + time.tv_nsec;
}

/* False after many tries: a signal handler may have interrupted the holder, and the stamp
 * is then shown by when it was made. */
static bool times_lock(struct world_file_times* times) {
  for (unsigned int i = 0; i < LOCK_TRIES; i++) {
    int err = pthread_mutex_trylock(&times->lock);
    if (err == EOWNERDEAD)
      pthread_mutex_consistent(&times->lock);
    if (err == 0 || err == EOWNERDEAD)
      return true;
    sched_yield();
  }
  return false;
}

void world_times_prepare(struct world* world) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&world->file_times.lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  world->file_times.began = stamp_now(CLOCK_REALTIME_COARSE);
}

/* --- when the clock moved ----------------------------------------------------------- */

/* One entry a tick of the kernel's; if there are too many, every second is left out. */
void world_times_moved(struct world* world) {
  struct world_file_times* times = &world->file_times;
  int64_t real = stamp_now(CLOCK_REALTIME_COARSE);
  uint32_t count = times->move_count;
  if (count > 0 && times->moves[count - 1].real == real) {
    __atomic_store_n(&times->moves[count - 1].now, world->now, __ATOMIC_RELEASE);
    return;
  }
  if (count == WORLD_MOVES) {
    for (count = 0; count < WORLD_MOVES / 2; count++)
      times->moves[count] = times->moves[2 * count + 1];
  }
  times->moves[count].real = real;
  times->moves[count].now = world->now;
  __atomic_store_n(&times->move_count, count + 1, __ATOMIC_RELEASE);
}

/* Where the clock stood at that real time. */
static uint64_t moved_to(const struct world* world, int64_t real) {
  const struct world_file_times* times = &world->file_times;
  uint32_t low = 0;
  uint32_t high = __atomic_load_n(&times->move_count, __ATOMIC_ACQUIRE);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (times->moves[middle].real <= real)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? world->start : times->moves[low - 1].now;
}

/* A file's time in whole milliseconds: so it is neither before nor after what Date.now()
 * says at the same moment. */
static int64_t wall_of(const struct world* world, uint64_t now) {
  uint64_t wall = now - world->start + world->wall_start;
  return (int64_t) (wall - wall % NS_PER_MS);
}

/* --- the files ---------------------------------------------------------------------- */

static struct world_file* file_find(struct world_file_times* times,
                                    const struct file_times* file, bool make) {
  uint64_t hash = hash_number(hash_number(file->device) + file->inode);
  struct world_file* near =
      &times->files[hash % (WORLD_FILES / WORLD_FILES_NEAR) * WORLD_FILES_NEAR];
  struct world_file* oldest = near;
  for (unsigned int i = 0; i < WORLD_FILES_NEAR; i++) {
    if (near[i].inode == file->inode && near[i].device == file->device)
      return &near[i];
    if (near[i].used < oldest->used)
      oldest = &near[i];
  }
  if (!make)
    return NULL;
  oldest->device = file->device;
  oldest->inode = file->inode;
  for (unsigned int i = 0; i < FILE_TIMES; i++)
    oldest->times[i].stamp = NOT_KNOWN;
  return oldest;
}

void world_times_note(struct world* world, const struct file_times* now,
                      unsigned int changed) {
  struct world_file_times* times = &world->file_times;
  if (!times_lock(times))
    return;
  struct world_file* file = file_find(times, now, true);
  file->used = world_now(world);
  for (unsigned int i = 0; i < FILE_TIMES; i++) {
    if (changed & 1u << i) {
      file->times[i].stamp = now->at[i];
      file->times[i].shown = wall_of(world, file->used);
    }
  }
  pthread_mutex_unlock(&times->lock);
}

void world_times_set(struct world* world, const struct file_times* now,
                     unsigned int given) {
  struct world_file_times* times = &world->file_times;
  if (!times_lock(times))
    return;
  struct world_file* file = file_find(times, now, true);
  file->used = world_now(world);
  for (unsigned int i = 0; i < FILE_TIMES; i++) {
    if (given & 1u << i)
      file->times[i].stamp = file->times[i].shown = now->at[i];
  }
  pthread_mutex_unlock(&times->lock);
}

void world_times_show(struct world* world, struct file_times* times) {
  struct world_file_times* known = &world->file_times;
  bool is_known[FILE_TIMES] = {false};
  if (times_lock(known)) {
    const struct world_file* file = file_find(known, times, false);
    for (unsigned int i = 0; file != NULL && i < FILE_TIMES; i++) {
      is_known[i] = file->times[i].stamp == times->at[i];
      if (is_known[i])
        times->at[i] = file->times[i].shown;
    }
    pthread_mutex_unlock(&known->lock);
  }
  for (unsigned int i = 0; i < FILE_TIMES; i++) {
    if (!is_known[i] && times->at[i] > known->began &&
        times->at[i] <= stamp_now(CLOCK_REALTIME))
      times->at[i] = wall_of(world, moved_to(world, times->at[i]));
  }
}

/* --- statx -------------------------------------------------------------------------- */

/* A time that doesn't fit, before 1678 or after 2262, is no time of a run. */
static int64_t statx_ns(const struct statx_timestamp* time) {
  const int64_t most = INT64_MAX / (int64_t) WORLD_SECOND - 1;
  if (time->tv_sec > most || time->tv_sec < -most)
    return 0;
  return time->tv_sec * (int64_t) WORLD_SECOND + time->tv_nsec;
}

static void statx_put(struct statx_timestamp* time, int64_t ns, int64_t before) {
  const int64_t second = (int64_t) WORLD_SECOND;
  if (ns == before)
    return;
  int64_t part = (ns % second + second) % second;
  time->tv_sec = (ns - part) / second;
  time->tv_nsec = (uint32_t) part;
}

struct file_times file_times_of(const struct statx* from) {
  struct file_times times = {.device = makedev(from->stx_dev_major, from->stx_dev_minor),
                             .inode = from->stx_ino};
  times.at[FILE_ACCESS] = statx_ns(&from->stx_atime);
  times.at[FILE_CONTENT] = statx_ns(&from->stx_mtime);
  times.at[FILE_STATUS] = statx_ns(&from->stx_ctime);
  times.at[FILE_BIRTH] = statx_ns(&from->stx_btime);
  return times;
}

void world_times_show_statx(struct world* world, struct statx* answer) {
  const struct file_times before = file_times_of(answer);
  struct file_times shown = before;
  world_times_show(world, &shown);
  statx_put(&answer->stx_atime, shown.at[FILE_ACCESS], before.at[FILE_ACCESS]);
  statx_put(&answer->stx_mtime, shown.at[FILE_CONTENT], before.at[FILE_CONTENT]);
  statx_put(&answer->stx_ctime, shown.at[FILE_STATUS], before.at[FILE_STATUS]);
  statx_put(&answer->stx_btime, shown.at[FILE_BIRTH], before.at[FILE_BIRTH]);
}
