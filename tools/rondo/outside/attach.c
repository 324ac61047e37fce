/* Looks at a process for a while: see attach.h. */
#include "attach.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t attach_is_over;

static void attach_signal(int number) {
  (void) number;
  attach_is_over = 1;
}

uint64_t attach_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/* --- loops ----------------------------------------------------------------------------
 */

static struct attach_loop* loop_of(const struct attach* attach, uint64_t address) {
  for (size_t i = 0; i < attach->loop_count; i++) {
    if (attach->loops[i].address == address)
      return &attach->loops[i];
  }
  return NULL;
}

/* A thread that runs a loop in a callback of another one counts for the outer. */
static void loop_take(struct attach* attach, const struct seen_loop* loop) {
  struct attach_loop* known = loop_of(attach, loop->address);
  bool has_other = false;
  for (size_t i = 0; i < attach->seen.loop_count; i++) {
    const struct seen_loop* other = &attach->seen.loops[i];
    has_other = has_other || (other->tid == loop->tid && other->depth > loop->depth);
  }
  int tid = loop->is_default && loop->tid == 0 ? attach->target.pid
            : has_other                        ? 0
                                               : loop->tid;
  if (known == NULL) {
    attach->loops = array_grow(attach->loops, attach->loop_count, &attach->loop_capacity,
                               sizeof(*attach->loops));
    known = &attach->loops[attach->loop_count++];
    *known = (struct attach_loop){.address = loop->address};
  }
  known->fd = loop->backend_fd;
  if (known->tid == 0)
    known->tid = tid;
}

static void loops_find(struct attach* attach) {
  seen_free(&attach->seen);
  target_threads_read(&attach->target);
  seen_look(&attach->seen, &attach->target);
  for (size_t i = 0; i < attach->seen.loop_count; i++)
    loop_take(attach, &attach->seen.loops[i]);
  for (size_t i = 0; i < attach->thread_count; i++) {
    struct attach_thread* thread = &attach->threads[i];
    for (size_t j = 0; j < attach->loop_count && thread->loop == 0; j++)
      thread->loop = attach->loops[j].tid == thread->tid ? j + 1 : 0;
  }
}

/* --- threads --------------------------------------------------------------------------
 */

static bool thread_is_known(const struct attach* attach, int tid) {
  for (size_t i = 0; i < attach->thread_count; i++) {
    if (attach->threads[i].tid == tid && !attach->threads[i].is_gone)
      return true;
  }
  return false;
}

/* Returns how many are new; -1: the process has ended. */
static int threads_find(struct attach* attach) {
  enum { THREADS_MOST = 1024 };
  char path[48];
  const struct dirent* entry;
  int found = 0, listed = 0;
  snprintf(path, sizeof(path), "/proc/%d/task", attach->target.pid);
  DIR* list = opendir(path);
  while (list != NULL && (entry = readdir(list)) != NULL) {
    int tid = (int) strtol(entry->d_name, NULL, 10);
    if (tid <= 0)
      continue;
    listed++;
    if (thread_is_known(attach, tid) || attach->thread_count == THREADS_MOST)
      continue;
    attach->threads = array_grow(attach->threads, attach->thread_count,
                                 &attach->thread_capacity, sizeof(*attach->threads));
    bool good = attach_thread_open(attach, &attach->threads[attach->thread_count], tid);
    attach->thread_count += good;
    found += good;
  }
  if (list != NULL)
    closedir(list);
  return listed == 0 ? -1 : found;
}

/* --- the looks ------------------------------------------------------------------------
 */

/* Generated code and libraries come and go, threads and their loops, too. */
static bool attach_renew(struct attach* attach, uint64_t now, uint64_t* renewed) {
  const uint64_t often_ns = 100000000, seldom_ns = 1000000000, settled_ns = 2500000000;
  if (now - *renewed < often_ns && *renewed != 0)
    return true;
  int found = threads_find(attach);
  if (found < 0)
    return false;
  bool seldom = *renewed == 0 || now / seldom_ns != *renewed / seldom_ns;
  if (seldom)
    target_maps_read(&attach->target);
  if (found > 0)
    attach->found_ns = now;
  /* A thread makes its loop some time after it has begun. */
  if (found > 0 || (seldom && now - attach->found_ns < settled_ns))
    loops_find(attach);
  *renewed = now;
  return true;
}

static bool attach_round(struct attach* attach) {
  size_t alive = 0;
  for (size_t i = 0; i < attach->thread_count; i++) {
    if (!attach->threads[i].is_gone)
      attach_thread_look(attach, &attach->threads[i]);
  }
  attach_threads_await(attach);
  for (size_t i = 0; i < attach->thread_count; i++) {
    struct attach_thread* thread = &attach->threads[i];
    if (thread->is_gone)
      attach_thread_close(thread);
    alive += !thread->is_gone;
  }
  attach->looks++;
  return alive > 0;
}

static void attach_run(struct attach* attach) {
  uint64_t renewed = 0, before = 0, every = attach->options->every_ns;
  uint64_t next = attach->start_ns;
  while (!attach_is_over) {
    uint64_t now = attach_clock_ns();
    if (now - attach->start_ns >= attach->options->for_ns ||
        !attach_renew(attach, now, &renewed))
      break;
    now = attach_clock_ns();
    if (before != 0 && now - before > attach->late_ns)
      attach->late_ns = now - before;
    before = now;
    if (!attach_round(attach))
      break;
    while (next <= attach_clock_ns()) /* rounds that are missed stay out */
      next += every;
    const struct timespec time = {(time_t) (next / 1000000000),
                                  (long) (next % 1000000000)};
    (void) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
  }
  attach->end_ns = attach_clock_ns();
}

/* --- all of it ------------------------------------------------------------------------
 */

static void attach_free(struct attach* attach) {
  for (size_t i = 0; i < attach->thread_count; i++) {
    if (!attach->threads[i].is_gone)
      attach_thread_close(&attach->threads[i]);
    free(attach->threads[i].samples);
    free(attach->threads[i].stop.copy);
  }
  free(attach->threads);
  free(attach->loops);
  free(attach->frames);
  free(attach->stacks);
  seen_free(&attach->seen);
  namer_close(&attach->namer);
  target_close(&attach->target);
}

static bool attach_begin(struct attach* attach) {
  const struct sigaction action = {.sa_handler = attach_signal};
  if (!target_open(&attach->target, attach->options->pid))
    return false;
  if (attach->target.tracer != 0)
    fprintf(stderr,
            "rondo: process %d debugs process %d: threads that run aren't stopped here, "
            "and have no stack\n",
            attach->target.tracer, attach->target.pid);
  attach->target.is_brief = true;
  namer_open(&attach->namer, &attach->target);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  attach->start_ns = attach_clock_ns();
  return true;
}

bool outside_attach(struct trace* trace, const struct attach_options* options) {
  struct attach* attach = calloc(1, sizeof(*attach));
  if (attach == NULL)
    out_of_memory();
  attach->options = options;
  bool good = attach_begin(attach);
  if (good) {
    attach_run(attach);
    attach_model(trace, attach);
    if (trace->count == 0)
      fprintf(stderr, "rondo: process %d ended before it was seen\n", options->pid);
    good = trace->count > 0;
    attach_free(attach);
  }
  free(attach);
  return good;
}
