/* A mixed soak: for as long as it is given, loops on threads of their own do everything
 * at once, and their process is watched. Two worlds live as long as the soak, a third is
 * ended and made anew every few seconds. Fails at the first byte that is wrong or
 * missing, at an actor that stands still for a minute, at a loop that can't be closed,
 * and at memory, descriptors or threads that grow. */
#include "soak.h"

#include "../unit/sanitizers.h"

#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WORLDS = 3,
  PACE_MS = 5,
  WORLD_SECONDS = 4,
  STILL_SECONDS = 60,
  SAMPLES_MOST = 100000
};

const char* const actor_names[ACTOR_KINDS] = {
    "tcp", "pipe", "udp", "files", "children", "pool", "async", "signals", "watch",
};
_Atomic uint64_t rounds_total[ACTOR_KINDS];
_Atomic uint64_t bytes_written;
_Atomic uint64_t bytes_checked;
static const char* base_folder;
static _Atomic uint64_t worlds_made;

_Noreturn void soak_fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "soak: FAILED: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  _exit(1);
}

void soak_check(int result, const char* what) {
  if (result < 0)
    soak_fail("%s: %s", what, uv_strerror(result));
}

void round_done(struct world* world, enum actor_kind kind) {
  atomic_fetch_add_explicit(&world->rounds[kind], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&rounds_total[kind], 1, memory_order_relaxed);
}

uint64_t soak_random(struct world* world) {
  world->seed ^= world->seed << 13;
  world->seed ^= world->seed >> 7;
  world->seed ^= world->seed << 17;
  return world->seed;
}

void bytes_fill(char* base, size_t length, uint64_t stream, uint64_t offset) {
  for (size_t i = 0; i < length; i++)
    base[i] = (char) byte_at(stream, offset + i);
}

void bytes_check(const char* base, size_t length, uint64_t stream, uint64_t offset,
                 const char* who) {
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char) base[i] != byte_at(stream, offset + i))
      soak_fail("%s: byte %llu is wrong", who, (unsigned long long) (offset + i));
  }
  atomic_fetch_add_explicit(&bytes_checked, length, memory_order_relaxed);
}

/* --- a world --------------------------------------------------------------------- */

static bool (*const actor_end[ACTOR_KINDS])(struct world*) = {
    [ACTOR_TCP] = streams_end,       [ACTOR_UDP] = udp_end,     [ACTOR_FILES] = files_end,
    [ACTOR_CHILDREN] = children_end, [ACTOR_POOL] = pool_end,   [ACTOR_ASYNC] = async_end,
    [ACTOR_SIGNAL] = signal_end,     [ACTOR_WATCH] = watch_end,
};

static void world_end_step(struct world* world) {
  bool all = true;
  for (int i = 0; i < ACTOR_KINDS; i++) {
    if (actor_end[i] != NULL && !world->ended[i])
      world->ended[i] = actor_end[i](world);
    all = all && (actor_end[i] == NULL || world->ended[i]);
  }
  if (all) {
    uv_close((uv_handle_t*) &world->pace, NULL);
    uv_close((uv_handle_t*) &world->end_async, NULL);
  }
}

static void on_pace(uv_timer_t* timer) {
  struct world* world = world_of(timer->loop);
  if (ending(world)) {
    world_end_step(world);
    return;
  }
  children_tick(world);
  watch_tick(world);
  udp_tick(world);
}

static void on_end(uv_async_t* async) {
  atomic_store(&world_of(async->loop)->ending, true);
}

static void world_run(void* argument) {
  struct world* world = argument;
  soak_check(uv_run(&world->loop, UV_RUN_DEFAULT), "uv_run");
  int err = uv_loop_close(&world->loop);
  if (err != 0)
    soak_fail("uv_loop_close: %s", uv_strerror(err));
  for (int i = 0; i < ACTOR_KINDS; i++)
    free(world->actors[i]);
  char path[100];
  snprintf(path, sizeof(path), "%s/socket", world->folder);
  unlink(path);
  rmdir(world->folder);
}

static struct world* world_make(void) {
  struct world* world = calloc(1, sizeof(*world));
  uint64_t number = atomic_fetch_add(&worlds_made, 1);
  world->seed = (number + 1) * 0x9e3779b97f4a7c15u;
  snprintf(world->folder, sizeof(world->folder), "%s/%llu", base_folder,
           (unsigned long long) number);
  if (mkdir(world->folder, 0700) != 0)
    soak_fail("mkdir %s", world->folder);
  soak_check(uv_loop_init(&world->loop), "uv_loop_init");
  world->loop.data = world;
  soak_check(uv_async_init(&world->loop, &world->end_async, on_end), "uv_async_init");
  soak_check(uv_timer_init(&world->loop, &world->pace), "uv_timer_init");
  soak_check(uv_timer_start(&world->pace, on_pace, PACE_MS, PACE_MS), "uv_timer_start");
  async_begin(world);
  signal_begin(world);
  watch_begin(world);
  children_begin(world);
  udp_begin(world);
  pool_begin(world);
  files_begin(world);
  streams_begin(world);
  soak_check(uv_thread_create(&world->thread, world_run, world), "uv_thread_create");
  return world;
}

static void world_destroy(struct world* world) {
  uv_async_send(&world->end_async);
  uv_thread_join(&world->thread);
  free(world);
}

/* --- watching the process -------------------------------------------------------- */

struct sample {
  long resident_kb;
  long heap_kb;
  int descriptors;
  int threads;
};

static int entries(const char* path) {
  int count = 0;
  DIR* directory = opendir(path);
  if (directory == NULL)
    soak_fail("can't list %s", path);
  while (readdir(directory) != NULL)
    count++;
  closedir(directory);
  return count - 3; /* ".", ".." and the listing itself; for tasks one too few */
}

static struct sample sample_take(void) {
  struct sample sample;
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
    soak_fail("/proc/self/statm");
  fclose(file);
  sample.resident_kb = pages * (sysconf(_SC_PAGESIZE) / 1024);
#ifdef __GLIBC__
  sample.heap_kb = (long) (mallinfo2().uordblks / 1024);
#else
  sample.heap_kb = 0; /* only glibc counts */
#endif
  sample.descriptors = entries("/proc/self/fd");
  sample.threads = entries("/proc/self/task") + 1;
  return sample;
}

static int compare_longs(const void* a, const void* b) {
  long x = *(const long*) a, y = *(const long*) b;
  return (x > y) - (x < y);
}

static long sample_field(const struct sample* sample, int field) {
  const long fields[] = {sample->resident_kb, sample->heap_kb, sample->descriptors,
                         sample->threads};
  return fields[field];
}

static long median(const struct sample* samples, size_t from, size_t to, int field) {
  size_t count = to - from;
  long* values = malloc(count * sizeof(*values));
  for (size_t i = 0; i < count; i++)
    values[i] = sample_field(&samples[from + i], field);
  qsort(values, count, sizeof(*values), compare_longs);
  long result = values[count / 2];
  free(values);
  return result;
}

/* The second quarter against the last: the first is warming up. Memory that a heap keeps
 * in reserve swings by some megabytes; a leak of 100 bytes a round is many more. */
static void judge_growth(const struct sample* samples, size_t count) {
  static const char* const names[] = {"resident KiB", "heap KiB", "descriptors",
                                      "threads"};
  static const long slack[] = {6144, 3072, 6, 2};
  bool grown = false;
  for (int field = 0; field < 4; field++) {
    long early = median(samples, count / 4, count / 2, field);
    long late = median(samples, count * 3 / 4, count, field);
    bool bad = late > early + early / 20 + slack[field];
    printf("%-13s second quarter %ld, last quarter %ld%s\n", names[field], early, late,
           bad ? "  GROWN" : "");
    grown = grown || bad;
  }
  if (grown)
    soak_fail("the process has grown");
}

/* --- the soak -------------------------------------------------------------------- */

static void judge_progress(uint64_t* before) {
  for (int i = 0; i < ACTOR_KINDS; i++) {
    uint64_t now = atomic_load(&rounds_total[i]);
    if (now == before[i])
      soak_fail("%s: nothing for %d seconds", actor_names[i], STILL_SECONDS);
    before[i] = now;
  }
}

static void report(long seconds) {
  for (int i = 0; i < ACTOR_KINDS; i++)
    printf("%-13s %llu rounds\n", actor_names[i],
           (unsigned long long) atomic_load(&rounds_total[i]));
  printf("%-13s %llu made and closed\n", "loops",
         (unsigned long long) atomic_load(&worlds_made));
  printf("%-13s %llu MiB written, %llu MiB checked, in %ld s\n", "bytes",
         (unsigned long long) (atomic_load(&bytes_written) >> 20),
         (unsigned long long) (atomic_load(&bytes_checked) >> 20), seconds);
}

static size_t soak_for(long seconds, struct sample* samples) {
  struct world* worlds[WORLDS];
  uint64_t before[ACTOR_KINDS] = {0};
  size_t count = 0;
  for (int i = 0; i < WORLDS; i++)
    worlds[i] = world_make();
  uint64_t start = uv_hrtime();
  uint64_t next_world = WORLD_SECONDS;
  uint64_t next_progress = STILL_SECONDS;
  for (uint64_t passed = 0; passed < (uint64_t) seconds;
       passed = (uv_hrtime() - start) / 1000000000) {
    for (int step = 0; step < 50; step++) {
      uv_sleep(20);
      for (int i = 0; i < WORLDS; i++)
        async_send_from_outside(worlds[i]);
      kill(getpid(), SIGUSR1);
    }
    if (count < SAMPLES_MOST)
      samples[count++] = sample_take();
    if (passed >= next_world) {
      world_destroy(worlds[WORLDS - 1]);
      worlds[WORLDS - 1] = world_make();
      next_world = passed + WORLD_SECONDS;
    }
    if (passed >= next_progress) {
      judge_progress(before);
      next_progress = passed + STILL_SECONDS;
    }
  }
  for (int i = 0; i < WORLDS; i++)
    world_destroy(worlds[i]);
  return count;
}

int main(int argc, char** argv) {
  long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  if (argc != 3 || seconds < 1) {
    fprintf(stderr, "usage: soak SECONDS FOLDER\n");
    return 2;
  }
  base_folder = argv[2];
  signal(SIGUSR1, SIG_IGN); /* between two worlds nobody handles it */
  signal(SIGPIPE, SIG_IGN);
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 2);
#endif
  struct sample* samples = calloc(SAMPLES_MOST, sizeof(*samples));
  struct sample first = sample_take();
  size_t count = soak_for(seconds, samples);
  uv_library_shutdown();
  struct sample last = sample_take();
  report(seconds);
  if (atomic_load(&bytes_written) != atomic_load(&bytes_checked))
    soak_fail("bytes were written and never checked");
  if (count >= 16)
    judge_growth(samples, count);
  free(samples);
  printf("%-13s %d descriptors before, %d after; %d threads before, %d after\n", "end",
         first.descriptors, last.descriptors, first.threads, last.threads);
  /* The thread sanitizer starts a thread of its own. */
  int own_threads = UNDER_THREAD_SANITIZER;
  if (last.descriptors != first.descriptors || last.threads > first.threads + own_threads)
    soak_fail("something was left open at the end");
  return 0;
}
