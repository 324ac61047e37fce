/* The table of timers, and the thread that serves them: see preload_timers.h. */
#include "preload_timers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
  TIMERS = 255,
  /* Times that nobody has taken notice of, until those of a periodic timer are counted
   * in larger and larger steps. */
  IGNORED_MOST = 64,
  WAKE_FD_LEAST = 400, /* out of the way of the program's numbers */
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t armed;
  struct preload_timer all[TIMERS];
  bool has_thread;
  int wake_fd; /* the first deadline has changed */
} timers = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .armed = PTHREAD_COND_INITIALIZER, .wake_fd = -1};

void preload_timers_lock(void) {
  pthread_mutex_lock(&timers.lock);
}

void preload_timers_unlock(void) {
  pthread_mutex_unlock(&timers.lock);
}

struct preload_timer* preload_timer_take(clockid_t clock) {
  struct preload_timer* timer = NULL;
  preload_timers_lock();
  for (size_t i = 0; i < TIMERS && timer == NULL; i++) {
    if (!timers.all[i].is_used)
      timer = &timers.all[i];
  }
  if (timer != NULL)
    *timer = (struct preload_timer){
        .is_used = true, .clock = clock, .due = WORLD_NEVER, .fd = -1};
  preload_timers_unlock();
  return timer;
}

void preload_timer_give_back(struct preload_timer* timer) {
  preload_timers_lock();
  timer->is_used = false;
  timer->due = WORLD_NEVER;
  preload_timers_unlock();
}

bool preload_timer_is_ours(const void* timer) {
  uintptr_t at = (uintptr_t) timer, first = (uintptr_t) timers.all;
  return at >= first && at < first + sizeof(timers.all);
}

bool preload_timer_clock_is_virtual(clockid_t clock) {
  return preload_is_virtual(clock) || clock == CLOCK_REALTIME_ALARM ||
         clock == CLOCK_BOOTTIME_ALARM;
}

/* --- the thread --------------------------------------------------------------------- */

static uint64_t timers_first(void) {
  uint64_t first = WORLD_NEVER;
  for (size_t i = 0; i < TIMERS; i++) {
    const struct preload_timer* timer = &timers.all[i];
    if (timer->is_used && !timer->is_parents && timer->due < first)
      first = timer->due;
  }
  return first;
}

static void timer_expire(struct preload_timer* timer, uint64_t now) {
  uint64_t times = timer->every == 0 ? 1 : (now - timer->counted) / timer->every;
  bool was_noticed = timer->expire(timer, times);
  timer->ignored = was_noticed ? 0 : timer->ignored + 1;
  if (timer->every == 0) {
    timer->due = WORLD_NEVER;
    return;
  }
  uint64_t skipped = timer->ignored > IGNORED_MOST ? timer->ignored - IGNORED_MOST : 0;
  timer->counted += times * timer->every;
  timer->due = timer->counted + timer->every * (1 + skipped);
}

static void timers_expire(void) {
  uint64_t now = world_now(preload_world);
  for (size_t i = 0; i < TIMERS; i++) {
    struct preload_timer* timer = &timers.all[i];
    if (timer->is_used && !timer->is_parents && timer->due <= now)
      timer_expire(timer, now);
  }
}

static void* preload_timers_run(void* nothing) {
  uint64_t word = 0;
  world_name_self(preload_world, preload_process_word() ^ UINT64_C(0x74696d657273));
  preload_timers_lock();
  for (;;) {
    struct pollfd fds[2] = {{.fd = timers.wake_fd, .events = POLLIN}};
    uint64_t first = timers_first();
    if (first == WORLD_NEVER) {
      pthread_cond_wait(&timers.armed, &timers.lock);
      continue;
    }
    preload_timers_unlock();
    (void) world_wait(preload_world, fds, 1, first, NULL);
    preload_timers_lock();
    while (read(timers.wake_fd, &word, sizeof(word)) > 0) {
    }
    timers_expire();
  }
  return nothing;
}

/* With the lock held. The thread gets no signals: those are for the program's threads. */
static int timers_begin(void) {
  sigset_t all, before;
  pthread_t thread;
  pthread_attr_t attributes;
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*) (void*), void*);
  if (timers.has_thread)
    return 0;
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  timers.wake_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, WAKE_FD_LEAST);
  if (fd >= 0)
    close(fd);
  if (timers.wake_fd < 0 || pthread_attr_init(&attributes) != 0)
    return ENOMEM;
  preload_find("pthread_create", &create);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int err = create(&thread, &attributes, preload_timers_run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  timers.has_thread = err == 0;
  return err == 0 ? 0 : ENOMEM;
}

static void timers_wake(void) {
  static const uint64_t one = 1;
  pthread_cond_signal(&timers.armed);
  if (write(timers.wake_fd, &one, sizeof(one)) < 0)
    return; /* the thread is awake already */
}

/* --- arming ------------------------------------------------------------------------- */

static void timer_left(const struct preload_timer* timer, struct itimerspec* left) {
  uint64_t now = world_now(preload_world);
  *left = (struct itimerspec){.it_interval = preload_time(timer->every)};
  if (timer->due == WORLD_NEVER)
    return;
  uint64_t until = timer->due;
  if (timer->every != 0) /* the next, though it may be counted later */
    until = timer->counted + ((now - timer->counted) / timer->every + 1) * timer->every;
  if (timer->every != 0 && timer->counted > now)
    until = timer->due;
  left->it_value = preload_time(until > now ? until - now : 1);
}

static bool is_time(const struct timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

int preload_timer_set(struct preload_timer* timer, bool is_absolute,
                      const struct itimerspec* spec, struct itimerspec* old) {
  if (spec != NULL && (!is_time(&spec->it_value) || !is_time(&spec->it_interval)))
    return EINVAL;
  if (old != NULL)
    timer_left(timer, old);
  if (spec == NULL)
    return 0;
  timer->is_parents = false;
  timer->ignored = 0;
  timer->overrun = 0;
  timer->every = preload_ns(&spec->it_interval);
  timer->due = WORLD_NEVER;
  uint64_t ns = preload_ns(&spec->it_value);
  if (ns != 0) {
    uint64_t now = world_now(preload_world);
    bool is_wall = preload_is_wall(timer->clock) || timer->clock == CLOCK_REALTIME_ALARM;
    uint64_t due = is_absolute ? preload_deadline(is_wall ? CLOCK_REALTIME : timer->clock,
                                                  &spec->it_value)
                   : ns > WORLD_NEVER / 2 ? WORLD_NEVER / 2
                                          : now + ns;
    int err = timers_begin();
    if (err != 0)
      return err;
    timer->due = due;
    timer->counted = due - timer->every;
  }
  if (timers.has_thread)
    timers_wake();
  return 0;
}

/* Signals are not sent to the child of a fork; descriptors are inherited. */
void preload_timers_forked(void) {
  timers.lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
  timers.armed = (pthread_cond_t) PTHREAD_COND_INITIALIZER;
  if (timers.has_thread)
    close(timers.wake_fd);
  timers.has_thread = false;
  timers.wake_fd = -1;
  for (size_t i = 0; i < TIMERS; i++) {
    struct preload_timer* timer = &timers.all[i];
    timer->is_parents = timer->is_used && timer->fd >= 0;
    if (timer->fd < 0)
      timer->is_used = false;
  }
  preload_alarm_forked();
}
