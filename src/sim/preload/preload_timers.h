/* Timers of the kernel in virtual time: timerfd, setitimer, alarm, timer_create.
 *
 * A process that arms one gets a thread of ours, which waits in the world until the first
 * is due, like any thread that sleeps, and then does what the kernel would: it writes
 * into a descriptor, or sends a signal. While none is armed the thread sleeps and nobody
 * waits for it. */
#ifndef RONDO_SIM_PRELOAD_TIMERS_H
#define RONDO_SIM_PRELOAD_TIMERS_H

#include "preload.h"

struct itimerspec;

struct preload_timer {
  bool is_used;
  bool is_parents; /* a descriptor that was armed before the fork: the parent serves it */
  clockid_t clock;
  uint64_t due;     /* WORLD_NEVER: isn't armed */
  uint64_t every;   /* 0: once */
  uint64_t counted; /* of a periodic one: the time of the last that was counted */
  uint64_t ignored; /* so many in a row that nobody took notice of */
  /* Does what is due, for so many times at once; false if the last time has not been
   * noticed yet. Called with the lock held, by the thread of the timers. */
  bool (*expire)(struct preload_timer* timer, uint64_t times);
  int fd;
  int signal;
  int tid; /* that gets the signal; 0: the process */
  int overrun;
  union sigval value;
  void (*call)(union sigval); /* in a thread of its own; NULL: not so */
  const pthread_attr_t* attributes;
};

/* NULL if all are in use. */
struct preload_timer* preload_timer_take(clockid_t clock);
void preload_timer_give_back(struct preload_timer* timer);
/* Whether a timer_t is one of these. */
bool preload_timer_is_ours(const void* timer);

/* With the lock held: sets it, and gives what was left; either may be NULL. EINVAL,
 * ENOMEM or 0. */
int preload_timer_set(struct preload_timer* timer, bool is_absolute,
                      const struct itimerspec* spec, struct itimerspec* old);
void preload_timers_lock(void);
void preload_timers_unlock(void);

bool preload_timer_clock_is_virtual(clockid_t clock);

/* In a forked child, and before the program of an exec begins. */
void preload_timers_forked(void);
void preload_alarm_resume(void);
void preload_alarm_forked(void);

/* preload_timerfd.c: for read and close. */
bool preload_is_timerfd(int fd);
/* Waits until there is something to read, if the descriptor blocks; false: EINTR. */
bool preload_timerfd_await(int fd);
void preload_timerfd_closed(int fd);

#endif
