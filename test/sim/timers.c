/* Timers of the kernel in virtual time: timerfd, alarm, setitimer, timer_create. Hours
 * pass, and each check looks at the clock. Run by `rondo sim --time-only`; what is wrong
 * is reported. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600, THREADS = 4 };

static int failed;

static void expect(const char* what, long number, long wanted) {
  if (number == wanted)
    return;
  failed++;
  fprintf(stderr, "%s: %ld instead of %ld\n", what, number, wanted);
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long) time.tv_sec;
}

static struct itimerspec seconds(long first, long every) {
  return (struct itimerspec){.it_value.tv_sec = first, .it_interval.tv_sec = every};
}

static long read_times(int fd) {
  uint64_t times;
  return read(fd, &times, sizeof(times)) == sizeof(times) ? (long) times : -errno;
}

static volatile sig_atomic_t signals;
static void* volatile signal_value;

static void count_signal(int number) {
  (void) number;
  signals++;
}

static void keep_value(int number, siginfo_t* info, void* context) {
  (void) number, (void) context;
  signal_value = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
}

/* --- timerfd ------------------------------------------------------------------------ */

static void timerfd_is_read(void) {
  long began = now();
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec spec = seconds(HOUR, 0), left;
  expect("settime", timerfd_settime(fd, 0, &spec, NULL), 0);
  expect("gettime", timerfd_gettime(fd, &left), 0);
  expect("left", left.it_value.tv_sec + (left.it_value.tv_nsec > 0), HOUR);
  expect("a blocking read", read_times(fd), 1);
  expect("it took", now() - began, HOUR);
  timerfd_gettime(fd, &left);
  expect("nothing is left", left.it_value.tv_sec + left.it_value.tv_nsec, 0);
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  int absolute = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
  spec = seconds(wall.tv_sec + 2 * HOUR, 0);
  began = now();
  timerfd_settime(absolute, TFD_TIMER_ABSTIME, &spec, NULL);
  expect("nothing to read", read_times(absolute), -EAGAIN);
  struct pollfd poller = {.fd = absolute, .events = POLLIN};
  expect("poll", poll(&poller, 1, -1), 1);
  long took = now() - began;
  expect("an absolute time came", took == 2 * HOUR || took == 2 * HOUR - 1, 1);
  spec = seconds(0, 0); /* also forgets what was not read */
  timerfd_settime(absolute, 0, &spec, NULL);
  expect("disarmed", read_times(absolute), -EAGAIN);
  spec = seconds(1, -1);
  expect("a bad time", timerfd_settime(absolute, 0, &spec, NULL) == -1 ? errno : 0,
         EINVAL);
  close(absolute);
  close(fd);
}

static void timerfd_repeats(void) {
  int fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  struct itimerspec spec = seconds(2, 2);
  long began = now();
  long times = 0;
  epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  timerfd_settime(fd, 0, &spec, NULL);
  for (int i = 0; i < 100; i++) {
    expect("epoll_wait", epoll_wait(set, &event, 1, -1), 1);
    times += read_times(fd);
  }
  expect("times", times, 100);
  expect("they took", now() - began, 200);
  sleep(101);
  expect("times while nobody looked", read_times(fd), 50);
  sleep(100 * HOUR); /* not a jump for each */
  times = read_times(fd);
  expect("a lot of times", times > 100000 && times <= 180000, 1);
  close(set);
  close(fd);
}

/* Nothing is written into the pipe that gets the number of a closed timerfd. */
static void timerfd_is_closed(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec spec = seconds(1, 1);
  int pipes[2];
  timerfd_settime(fd, 0, &spec, NULL);
  close(fd);
  if (pipe(pipes) != 0)
    abort();
  struct pollfd poller = {.fd = pipes[0], .events = POLLIN};
  expect("poll", poll(&poller, 1, HOUR * 1000), 0);
  close(pipes[0]);
  close(pipes[1]);
}

static void* thread_reads(void* data) {
  long period = (long) (intptr_t) data;
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec spec = seconds(period, period);
  long began = now();
  timerfd_settime(fd, 0, &spec, NULL);
  for (long i = 1; i <= 20; i++) {
    expect("a thread's", read_times(fd), 1);
    expect("a thread's time", now() - began, i * period);
  }
  close(fd);
  return NULL;
}

static void threads_read(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, thread_reads, (void*) (intptr_t) (100 * i + 7));
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* --- alarms ------------------------------------------------------------------------- */

static void alarms_come(void) {
  struct sigaction action = {.sa_handler = count_signal};
  sigaction(SIGALRM, &action, NULL);
  long began = now();
  signals = 0;
  expect("no alarm before", alarm(2 * HOUR), 0);
  expect("what was left", alarm(HOUR), 2 * HOUR);
  pause();
  expect("an alarm", signals, 1);
  expect("it took", now() - began, HOUR);
  alarm(600);
  expect("a sleep that it ends", sleep(HOUR), HOUR - 600);
  alarm(600);
  expect("an alarm that is taken back", alarm(0), 600);
  sleep(HOUR);
  expect("didn't come", signals, 2);
}

static void alarms_repeat(void) {
  struct itimerval value = {.it_value.tv_sec = 10, .it_interval.tv_sec = 60}, old;
  sigset_t none;
  long began = now();
  signals = 0;
  sigemptyset(&none);
  setitimer(ITIMER_REAL, &value, NULL);
  while (signals < 60)
    sigsuspend(&none);
  expect("sixty minutes", now() - began, 59 * 60 + 10);
  getitimer(ITIMER_REAL, &old);
  expect("the period", old.it_interval.tv_sec, 60);
  value = (struct itimerval){0};
  setitimer(ITIMER_REAL, &value, &old);
  expect("left", old.it_value.tv_sec >= 59, 1);
  sleep(HOUR);
  expect("none after that", signals, 60);
}

/* --- timer_create ------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static long calls;

static void count_call(union sigval value) {
  pthread_mutex_lock(&mutex);
  calls += value.sival_int;
  pthread_cond_signal(&called);
  pthread_mutex_unlock(&mutex);
}

static void created_signals(void) {
  struct sigaction action = {.sa_sigaction = keep_value, .sa_flags = SA_SIGINFO};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
  struct itimerspec spec = seconds(HOUR, 0), left;
  timer_t timer;
  event.sigev_value.sival_ptr = &event;
  sigaction(SIGRTMIN + 3, &action, NULL);
  expect("create", timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  long began = now();
  expect("settime", timer_settime(timer, 0, &spec, NULL), 0);
  timer_gettime(timer, &left);
  expect("left", left.it_value.tv_sec + (left.it_value.tv_nsec > 0), HOUR);
  pause();
  expect("its value", signal_value == &event, 1);
  expect("it took", now() - began, HOUR);

  /* Blocked, and waited for: the times that nobody took are its overrun. */
  sigset_t set;
  siginfo_t info;
  struct timespec long_time = {.tv_sec = 24 * HOUR};
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &set, NULL);
  spec = seconds(10, 10);
  timer_settime(timer, 0, &spec, NULL);
  sleep(95);
  expect("the signal", sigtimedwait(&set, &info, &long_time), SIGRTMIN + 3);
  expect("its overrun", timer_getoverrun(timer), 8);
  began = now();
  expect("the next", sigtimedwait(&set, &info, &long_time), SIGRTMIN + 3);
  expect("it took", now() - began <= 5, 1);
  expect("delete", timer_delete(timer), 0);
  began = now();
  expect("none after that", sigtimedwait(&set, &info, &long_time), -1);
  expect("the time-out", now() - began, 24 * HOUR);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void created_calls(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                           .sigev_notify_function = count_call};
  struct itimerspec spec = seconds(60, 60);
  timer_t timer;
  long began = now();
  event.sigev_value.sival_int = 3;
  expect("create", timer_create(CLOCK_REALTIME, &event, &timer), 0);
  timer_settime(timer, 0, &spec, NULL);
  pthread_mutex_lock(&mutex);
  while (calls < 30)
    pthread_cond_wait(&called, &mutex);
  pthread_mutex_unlock(&mutex);
  expect("ten minutes", now() - began, 600);
  timer_delete(timer);
}

/* --- processes ---------------------------------------------------------------------- */

/* An alarm isn't the child's, and outlives an exec. */
static void processes_and_alarms(const char* program) {
  int status = -1;
  signals = 0;
  alarm(2 * HOUR);
  pid_t child = fork();
  if (child == 0) {
    long began = now();
    long left = (long) alarm(HOUR);
    pause();
    _exit(left == 0 && now() - began == HOUR ? 0 : 1);
  }
  waitpid(child, &status, 0);
  expect("a child's own alarm", status, 0);
  pause();
  expect("the parent's", signals, 1);
  child = fork();
  if (child == 0) {
    alarm(HOUR);
    execl(program, program, "alarmed", (char*) NULL);
    _exit(2);
  }
  waitpid(child, &status, 0);
  expect("an alarm before an exec", status, 0);
}

static int alarmed(void) {
  struct sigaction action = {.sa_handler = count_signal};
  sigaction(SIGALRM, &action, NULL);
  long began = now();
  pause();
  return signals == 1 && now() - began <= HOUR && now() - began >= HOUR - 1 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1)
    return alarmed();
  timerfd_is_read();
  timerfd_repeats();
  timerfd_is_closed();
  threads_read();
  alarms_come();
  alarms_repeat();
  created_signals();
  created_calls();
  processes_and_alarms(argv[0]);
  return failed == 0 ? 0 : 1;
}
