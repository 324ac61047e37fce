/* Timers that send a signal, in virtual time: alarm and setitimer(ITIMER_REAL), of which
 * a process has one that outlives an exec, and those of timer_create. */
#include "preload_timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* A signal to the process that no thread has taken yet: the thread of the timers, which
 * blocks all of them, sees it. */
static bool signal_is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

/* --- the one alarm of a process ----------------------------------------------------- */

static struct preload_timer* alarm_timer;

static bool alarm_expire(struct preload_timer* timer, uint64_t times) {
  (void) timer, (void) times;
  bool was_noticed = !signal_is_pending(SIGALRM);
  if (was_noticed)
    kill(getpid(), SIGALRM); /* preload_signals.c's */
  return was_noticed;
}

/* In the world's table, for the program of an exec. */
static void alarm_keep(const struct preload_timer* timer) {
  world_lock(preload_world);
  struct world_process* process = world_find_process(preload_world, getpid());
  if (process != NULL) {
    process->alarm_due = timer->due;
    process->alarm_every = timer->every;
  }
  world_unlock(preload_world);
}

/* EINVAL, ENOMEM or 0. */
static int alarm_set(const struct itimerspec* spec, struct itimerspec* old) {
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&making);
  if (alarm_timer == NULL && (alarm_timer = preload_timer_take(CLOCK_REALTIME)) != NULL)
    alarm_timer->expire = alarm_expire;
  pthread_mutex_unlock(&making);
  if (alarm_timer == NULL)
    return ENOMEM;
  preload_timers_lock();
  int err = preload_timer_set(alarm_timer, false, spec, old);
  if (err == 0 && spec != NULL)
    alarm_keep(alarm_timer);
  preload_timers_unlock();
  return err;
}

void preload_alarm_forked(void) {
  alarm_timer = NULL;
}

void preload_alarm_resume(void) {
  world_lock(preload_world);
  const struct world_process* process = world_find_process(preload_world, getpid());
  uint64_t due = process == NULL ? 0 : process->alarm_due;
  uint64_t every = process == NULL ? 0 : process->alarm_every;
  world_unlock(preload_world);
  if (due == 0 || due == WORLD_NEVER)
    return;
  uint64_t now = world_now(preload_world);
  struct itimerspec spec = {.it_value = preload_time(due > now ? due - now : 1),
                            .it_interval = preload_time(every)};
  (void) alarm_set(&spec, NULL);
}

static struct itimerspec spec_of(const struct itimerval* value) {
  return (struct itimerspec){
      .it_value = {value->it_value.tv_sec, value->it_value.tv_usec * 1000},
      .it_interval = {value->it_interval.tv_sec, value->it_interval.tv_usec * 1000}};
}

/* Rounded up: what is left of an armed timer is never 0. */
static struct timeval timeval_of(const struct timespec* time) {
  long us = (time->tv_nsec + 999) / 1000;
  return (struct timeval){.tv_sec = time->tv_sec + us / 1000000, .tv_usec = us % 1000000};
}

int setitimer(__itimer_which_t which, const struct itimerval* restrict value,
              struct itimerval* restrict old) {
  struct itimerspec spec = {0}, left = {0};
  if (preload_world == NULL || which != ITIMER_REAL)
    return (int) syscall(SYS_setitimer, which, value, old);
  if (value != NULL)
    spec = spec_of(value);
  int err = alarm_set(&spec, &left);
  if (err != 0) {
    errno = err;
    return -1;
  }
  if (old != NULL)
    *old = (struct itimerval){.it_value = timeval_of(&left.it_value),
                              .it_interval = timeval_of(&left.it_interval)};
  return 0;
}

int getitimer(__itimer_which_t which, struct itimerval* value) {
  struct itimerspec left = {0};
  if (preload_world == NULL || which != ITIMER_REAL)
    return (int) syscall(SYS_getitimer, which, value);
  (void) alarm_set(NULL, &left);
  *value = (struct itimerval){.it_value = timeval_of(&left.it_value),
                              .it_interval = timeval_of(&left.it_interval)};
  return 0;
}

unsigned int alarm(unsigned int seconds) {
  struct itimerval value = {.it_value.tv_sec = (time_t) seconds}, old = {0};
  if (setitimer(ITIMER_REAL, &value, &old) != 0)
    return 0;
  /* To the nearest second, but an armed one has at least one left. */
  time_t left = old.it_value.tv_sec + (old.it_value.tv_usec >= 500000);
  return (unsigned int) (left == 0 && old.it_value.tv_usec > 0 ? 1 : left);
}

useconds_t ualarm(useconds_t first, useconds_t every) {
  struct itimerval value = {
      .it_value = {.tv_sec = first / 1000000, .tv_usec = first % 1000000},
      .it_interval = {.tv_sec = every / 1000000, .tv_usec = every % 1000000}};
  struct itimerval old = {0};
  if (setitimer(ITIMER_REAL, &value, &old) != 0)
    return (useconds_t) -1;
  return (useconds_t) (old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

/* --- timer_create ------------------------------------------------------------------- */

static bool created_signal(struct preload_timer* timer, uint64_t times) {
  siginfo_t info;
  if (timer->tid == 0 && signal_is_pending(timer->signal)) {
    timer->overrun += (int) times;
    return false;
  }
  memset(&info, 0, sizeof(info));
  timer->overrun = (int) times - 1;
  info.si_signo = timer->signal;
  info.si_code = SI_TIMER;
  info.si_overrun = timer->overrun;
  info.si_value = timer->value;
  world_note_signal(preload_world);
  if (timer->tid == 0)
    syscall(SYS_rt_sigqueueinfo, getpid(), timer->signal, &info);
  else
    syscall(SYS_rt_tgsigqueueinfo, getpid(), timer->tid, timer->signal, &info);
  return true;
}

struct created_call {
  void (*call)(union sigval);
  union sigval value;
};

static void* created_thread(void* argument) {
  struct created_call call = *(struct created_call*) argument;
  free(argument);
  call.call(call.value);
  return NULL;
}

static bool created_call(struct preload_timer* timer, uint64_t times) {
  struct created_call* call = malloc(sizeof(*call));
  pthread_attr_t usual;
  pthread_t thread;
  timer->overrun = (int) times - 1;
  if (call == NULL || pthread_attr_init(&usual) != 0) {
    free(call);
    return true;
  }
  pthread_attr_setdetachstate(&usual, PTHREAD_CREATE_DETACHED);
  *call = (struct created_call){timer->call, timer->value};
  if (pthread_create(&thread, timer->attributes == NULL ? &usual : timer->attributes,
                     created_thread, call) != 0)
    free(call);
  pthread_attr_destroy(&usual);
  return true;
}

static bool created_nothing(struct preload_timer* timer, uint64_t times) {
  (void) timer, (void) times;
  return false;
}

/* False for what the kernel wouldn't take. */
static bool created_plan(struct preload_timer* timer, const struct sigevent* event) {
  struct sigevent usual = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  usual.sigev_value.sival_ptr = timer;
  if (event == NULL)
    event = &usual;
  timer->value = event->sigev_value;
  timer->signal = event->sigev_signo;
  timer->expire = created_signal;
  if (event->sigev_notify == SIGEV_NONE)
    timer->expire = created_nothing;
  else if (event->sigev_notify == SIGEV_THREAD) {
    timer->expire = created_call;
    timer->call = event->sigev_notify_function;
    timer->attributes = event->sigev_notify_attributes;
  } else if (event->sigev_notify == SIGEV_THREAD_ID) {
#ifdef sigev_notify_thread_id
    timer->tid = event->sigev_notify_thread_id;
#else
    timer->tid = event->_sigev_un._tid;
#endif
  } else if (event->sigev_notify != SIGEV_SIGNAL) {
    return false;
  }
  return timer->expire != created_signal ||
         (timer->signal > 0 && timer->signal <= SIGRTMAX);
}

int timer_create(clockid_t clock, struct sigevent* restrict event,
                 timer_t* restrict result) {
  if (preload_world == NULL || !preload_timer_clock_is_virtual(clock)) {
    int (*real)(clockid_t, struct sigevent*, timer_t*);
    preload_find("timer_create", &real);
    return real(clock, event, result);
  }
  struct preload_timer* timer = preload_timer_take(clock);
  if (timer == NULL) {
    errno = EAGAIN;
    return -1;
  }
  if (!created_plan(timer, event)) {
    preload_timer_give_back(timer);
    errno = EINVAL;
    return -1;
  }
  *result = timer;
  return 0;
}

int timer_settime(timer_t id, int flags, const struct itimerspec* restrict spec,
                  struct itimerspec* restrict old) {
  if (!preload_timer_is_ours(id)) {
    int (*real)(timer_t, int, const struct itimerspec*, struct itimerspec*);
    preload_find("timer_settime", &real);
    return real(id, flags, spec, old);
  }
  if (spec == NULL) {
    errno = EINVAL;
    return -1;
  }
  preload_timers_lock();
  int err = preload_timer_set(id, (flags & TIMER_ABSTIME) != 0, spec, old);
  preload_timers_unlock();
  errno = err == 0 ? errno : err;
  return err == 0 ? 0 : -1;
}

int timer_gettime(timer_t id, struct itimerspec* left) {
  if (!preload_timer_is_ours(id)) {
    int (*real)(timer_t, struct itimerspec*);
    preload_find("timer_gettime", &real);
    return real(id, left);
  }
  preload_timers_lock();
  (void) preload_timer_set(id, false, NULL, left);
  preload_timers_unlock();
  return 0;
}

int timer_getoverrun(timer_t id) {
  if (!preload_timer_is_ours(id)) {
    int (*real)(timer_t);
    preload_find("timer_getoverrun", &real);
    return real(id);
  }
  return ((const struct preload_timer*) id)->overrun;
}

int timer_delete(timer_t id) {
  if (!preload_timer_is_ours(id)) {
    int (*real)(timer_t);
    preload_find("timer_delete", &real);
    return real(id);
  }
  preload_timer_give_back(id);
  return 0;
}
