/* Timed waits for other threads: conditions and semaphores. The wait itself is real, in
 * short steps with a back-off, for only the C library can wait for these; the time-out is
 * virtual. Who moves the clock to the deadline wakes a condition at once; others notice
 * at their next step. */
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEP_LEAST_NS = 50 * 1000, STEP_MOST_NS = 10 * 1000 * 1000 };

typedef int (*condition_wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t,
                              const struct timespec*);
typedef int (*semaphore_wait)(sem_t*, clockid_t, const struct timespec*);

static condition_wait real_condition_wait;
static semaphore_wait real_semaphore_wait;
static int (*timed_condition_wait)(pthread_cond_t*, pthread_mutex_t*,
                                   const struct timespec*);
static int (*timed_semaphore_wait)(sem_t*, const struct timespec*);
static pthread_once_t locks_once = PTHREAD_ONCE_INIT;

/* glibc before 2.30, and musl, have no waits that name the clock: a condition waits by
 * its own, a semaphore by the time of day. */
static int condition_wait_by_its_clock(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       clockid_t clock, const struct timespec* until) {
  (void) clock;
  return timed_condition_wait(condition, mutex, until);
}

static int semaphore_wait_by_its_clock(sem_t* semaphore, clockid_t clock,
                                       const struct timespec* until) {
  (void) clock;
  return timed_semaphore_wait(semaphore, until);
}

static void locks_find(void) {
  void* found = NULL;
#ifdef __GLIBC__
  /* An older version, whose condition is another structure, may be what a plain look-up
   * finds. */
  found = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
#endif
  if (found == NULL)
    preload_find("pthread_cond_timedwait", &found);
  __builtin_memcpy(&timed_condition_wait, &found, sizeof(found));
  preload_find("sem_timedwait", &timed_semaphore_wait);

  found = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  real_condition_wait = condition_wait_by_its_clock;
  if (found != NULL)
    __builtin_memcpy(&real_condition_wait, &found, sizeof(found));
  found = dlsym(RTLD_NEXT, "sem_clockwait");
  real_semaphore_wait = semaphore_wait_by_its_clock;
  if (found != NULL)
    __builtin_memcpy(&real_semaphore_wait, &found, sizeof(found));
}

/* Engines look at the clock more or less often before they wait, and each look sees a
 * nanosecond more; the deadline is the same in each run if it is a whole microsecond. */
static uint64_t deadline_of_wait(clockid_t clock, const struct timespec* until) {
  uint64_t deadline = preload_deadline(clock, until);
  return deadline > WORLD_NEVER / 2 ? deadline : (deadline + 999) / 1000 * 1000;
}

static struct timespec step_end(clockid_t clock, uint64_t* step) {
  struct timespec now;
  *step = *step == 0 ? STEP_LEAST_NS : *step * 2;
  if (*step > STEP_MOST_NS)
    *step = STEP_MOST_NS;
  if (syscall(SYS_clock_gettime, clock, &now) != 0)
    return preload_time(world_real_ns() + *step);
  return preload_time(preload_ns(&now) + *step);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           clockid_t clock, const struct timespec* until) {
  pthread_once(&locks_once, locks_find);
  if (preload_world == NULL || until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
    return real_condition_wait(condition, mutex, clock, until);
  struct world_thread* self = world_self(preload_world);
  if (self == NULL)
    return real_condition_wait(condition, mutex, clock, until);
  uint64_t deadline = deadline_of_wait(clock, until);
  clockid_t by =
      real_condition_wait == condition_wait_by_its_clock ? clock : CLOCK_MONOTONIC;
  uint64_t step = 0;
  int result = ETIMEDOUT;
  world_wait_begin(preload_world, self, deadline, condition, mutex);
  while (result == ETIMEDOUT &&
         world_advance(preload_world, self, NULL, 0, NULL) != ADVANCE_TURN) {
    struct timespec end = step_end(by, &step);
    result = real_condition_wait(condition, mutex, by, &end);
  }
  /* A broadcast of ours for the deadline looks like any other. */
  bool was_woken = world_wait_end(preload_world, self);
  return result == 0 && was_woken ? ETIMEDOUT : result;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const struct timespec* until) {
  /* The condition's own clock is a bit of its first words, whose place is glibc's secret:
   * the two clocks are far apart, so the time says which it is. */
  clockid_t clock = CLOCK_REALTIME;
  if (preload_world != NULL && preload_ns(until) < preload_world->wall_start / 2)
    clock = CLOCK_MONOTONIC;
  if (preload_world == NULL) {
    pthread_once(&locks_once, locks_find);
    return timed_condition_wait(condition, mutex, until);
  }
  return pthread_cond_clockwait(condition, mutex, clock, until);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  pthread_once(&locks_once, locks_find);
  struct world_thread* self = preload_world == NULL ? NULL : world_self(preload_world);
  if (self == NULL || until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
    return real_semaphore_wait(semaphore, clock, until);
  if (sem_trywait(semaphore) == 0)
    return 0;
  uint64_t deadline = deadline_of_wait(clock, until);
  clockid_t by = real_semaphore_wait == semaphore_wait_by_its_clock ? CLOCK_REALTIME
                                                                    : CLOCK_MONOTONIC;
  uint64_t step = 0;
  int result = -1;
  errno = ETIMEDOUT;
  world_wait_begin(preload_world, self, deadline, NULL, NULL);
  while (result != 0 && errno == ETIMEDOUT &&
         world_advance(preload_world, self, NULL, 0, NULL) != ADVANCE_TURN) {
    struct timespec end = step_end(by, &step);
    result = real_semaphore_wait(semaphore, by, &end);
  }
  int saved = errno;
  (void) world_wait_end(preload_world, self);
  errno = result == 0 ? errno : saved;
  return result;
}

int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict until) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}
