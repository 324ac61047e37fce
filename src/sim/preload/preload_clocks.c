/* The C library's clocks. Clocks that count processor time are left alone. */
#include "preload.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

uint64_t preload_now(void) {
  return world_look(preload_world);
}

uint64_t preload_wall(void) {
  return preload_now() - preload_world->start + preload_world->wall_start;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  if (preload_world == NULL || !preload_is_virtual(clock))
    return (int) syscall(SYS_clock_gettime, clock, time);
  *time = preload_time(preload_is_wall(clock) ? preload_wall() : preload_now());
  return 0;
}

int gettimeofday(struct timeval* restrict tv, void* restrict zone) {
  struct timespec time;
  if (preload_world == NULL)
    return (int) syscall(SYS_gettimeofday, tv, zone);
  time = preload_time(preload_wall());
  *tv = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* result) {
  struct timespec now;
  if (preload_world == NULL)
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  else
    now = preload_time(preload_wall());
  if (result != NULL)
    *result = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec* time, int base) {
  if (base != TIME_UTC)
    return 0;
  return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}
