/* Clocks, sleeping, and how long the machine has been up. */
#include "base/strings.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND 1000000000

static const struct system_time* _Atomic other_time;

void system_set_time(const struct system_time* time) {
  atomic_store_explicit(&other_time, time, memory_order_release);
}

static const struct system_time* system_other_time(void) {
  return atomic_load_explicit(&other_time, memory_order_relaxed);
}

uint64_t uv_hrtime(void) {
  struct timespec now;
  const struct system_time* other = system_other_time();
  if (__builtin_expect(other != NULL, 0))
    return other->now_ns();
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    /* A kernel without this clock can't run any of this library. */
    abort();
  }
  return (uint64_t) now.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t) now.tv_nsec;
}

int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts) {
  struct timespec now;
  clockid_t clock;

  if (ts == NULL)
    return UV_EFAULT;
  switch (clock_id) {
  case UV_CLOCK_MONOTONIC:
    clock = CLOCK_MONOTONIC;
    break;
  case UV_CLOCK_REALTIME:
    clock = CLOCK_REALTIME;
    break;
  default:
    return UV_EINVAL;
  }
  const struct system_time* other = system_other_time();
  if (other != NULL) {
    uint64_t ns = clock == CLOCK_MONOTONIC ? other->now_ns() : other->wall_ns();
    now.tv_sec = (time_t) (ns / NANOSECONDS_PER_SECOND);
    now.tv_nsec = (long) (ns % NANOSECONDS_PER_SECOND);
  } else if (clock_gettime(clock, &now) != 0) {
    return -errno;
  }
  ts->tv_sec = now.tv_sec;
  ts->tv_nsec = (int32_t) now.tv_nsec;
  return 0;
}

int uv_gettimeofday(uv_timeval64_t* tv) {
  struct timeval now;

  if (tv == NULL)
    return UV_EINVAL;
  const struct system_time* other = system_other_time();
  if (other != NULL) {
    uint64_t ns = other->wall_ns();
    now.tv_sec = (time_t) (ns / NANOSECONDS_PER_SECOND);
    now.tv_usec = (suseconds_t) (ns % NANOSECONDS_PER_SECOND / 1000);
  } else if (gettimeofday(&now, NULL) != 0) {
    return -errno;
  }
  tv->tv_sec = now.tv_sec;
  tv->tv_usec = (int32_t) now.tv_usec;
  return 0;
}

void uv_sleep(unsigned int msec) {
  struct timespec until;
  const struct system_time* other = system_other_time();
  if (other != NULL) {
    other->sleep((uint64_t) msec * 1000000);
    return;
  }
  if (clock_gettime(CLOCK_MONOTONIC, &until) != 0)
    abort();
  until.tv_sec += msec / 1000;
  until.tv_nsec += (long) (msec % 1000) * 1000000;
  if (until.tv_nsec >= NANOSECONDS_PER_SECOND) {
    until.tv_nsec -= NANOSECONDS_PER_SECOND;
    until.tv_sec++;
  }
  /* Sleeps until a point in time, so that interruptions by signals can't prolong it. */
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

int uv_uptime(double* uptime) {
  char text[128];
  const char* position = text;
  struct timespec now;

  /* /proc/uptime first: container managers put the container's own uptime there. */
  if (system_read_file("/proc/uptime", text, sizeof(text)) > 0 &&
      string_decimal(&position, uptime))
    return 0;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return -errno;
  *uptime = (double) now.tv_sec + (double) now.tv_nsec / NANOSECONDS_PER_SECOND;
  return 0;
}
