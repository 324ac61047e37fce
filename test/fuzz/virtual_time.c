/* A clock that only moves when told to: see virtual_time.h. */
#include "virtual_time.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* More than any turn asks without a callback or a wait in between. */
enum { ASKED_IN_VAIN = 12 };

static uint64_t now = 1000000;
static int asked;

uint64_t virtual_now(void) {
  return now;
}

void virtual_advance(uint64_t ms) {
  now += ms;
}

void virtual_activity(void) {
  asked = 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  (void) clock;
  if (++asked > ASKED_IN_VAIN) {
    uint64_t due = virtual_next_due();
    asked = 0;
    if (due != UINT64_MAX && due > now)
      now = due;
  }
  time->tv_sec = (time_t) (now / 1000);
  time->tv_nsec = (long) (now % 1000) * 1000000;
  return 0;
}

/* Nobody but the loop's own thread makes anything ready: what isn't now never will be. */
static int wait_virtually(int set, struct epoll_event* events, int max, int64_t ms) {
  virtual_activity();
  long count = syscall(SYS_epoll_pwait, set, events, max, 0, NULL, 8);
  if (count != 0)
    return (int) count;
  if (ms < 0) {
    fprintf(stderr, "the loop sleeps for ever\n");
    fflush(NULL);
    _exit(4);
  }
  now += (uint64_t) ms;
  return 0;
}

int epoll_wait(int set, struct epoll_event* events, int max, int ms) {
  return wait_virtually(set, events, max, ms);
}

int epoll_pwait(int set, struct epoll_event* events, int max, int ms,
                const sigset_t* mask) {
  (void) mask;
  return wait_virtually(set, events, max, ms);
}

int epoll_pwait2(int set, struct epoll_event* events, int max,
                 const struct timespec* timeout, const sigset_t* mask) {
  (void) mask;
  int64_t ms = -1;
  if (timeout != NULL)
    ms = (int64_t) timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000;
  return wait_virtually(set, events, max, ms);
}
