/* Waits with a time-out that must not expire: in virtual time the clock stands still as
 * long as anybody works, also while the worker shows as asleep. Run by `rondo sim
 * --time-only`; each wait that ends by its time-out is reported. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 40, HANDOVERS = 200, ROUNDS = 300, LONG_MS = 5000 * 1000 };

static int failed;

static void expect(const char* what, int number, bool good) {
  if (good)
    return;
  failed++;
  fprintf(stderr, "%s %d: the time-out came first\n", what, number);
}

static bool readable(int fd) {
  struct pollfd poller = {.fd = fd, .events = POLLIN};
  return poll(&poller, 1, LONG_MS) == 1;
}

/* --- a thread that reaps a child, whose threads end with it ----------------------------
 */

struct reaper {
  pid_t child;
  int fd;
};

static void* reap(void* data) {
  struct reaper* reaper = data;
  waitpid(reaper->child, NULL, 0);
  if (write(reaper->fd, "", 1) != 1)
    abort();
  return NULL;
}

static void* sleep_for_ever(void* data) {
  pause();
  return data;
}

static void child_with_threads(void) {
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
  }
  _exit(0);
}

static void children_are_reaped(void) {
  for (int i = 0; i < CHILDREN; i++) {
    int fds[2];
    pthread_t thread;
    if (pipe(fds) != 0)
      abort();
    struct reaper reaper = {.child = fork(), .fd = fds[1]};
    if (reaper.child == 0)
      child_with_threads();
    pthread_create(&thread, NULL, reap, &reaper);
    expect("child", i, readable(fds[0]));
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
  }
}

/* --- a condition whose mutex others want -------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed_over = PTHREAD_COND_INITIALIZER;
static int turn;

/* Two threads hand over to each other. */
static void* hand_over(void* data) {
  int own = *(int*) data;
  struct timespec until;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < HANDOVERS; i++) {
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONG_MS / 1000;
    int err = 0;
    while (turn != own && err == 0)
      err = pthread_cond_timedwait(&handed_over, &mutex, &until);
    expect("handover", i, err == 0);
    turn = !own;
    pthread_cond_signal(&handed_over);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void threads_hand_over(void) {
  int own[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, hand_over, &own[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

/* --- two processes that answer each other ------------------------------------------- */

static void answer(int fd) {
  char byte;
  while (readable(fd) && read(fd, &byte, 1) == 1) {
    if (write(fd, &byte, 1) != 1)
      _exit(1);
  }
  _exit(0);
}

static void processes_answer(void) {
  int fds[2];
  char byte = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
    abort();
  pid_t child = fork();
  if (child == 0) {
    close(fds[0]);
    answer(fds[1]);
  }
  close(fds[1]);
  for (int i = 0; i < ROUNDS; i++) {
    if (write(fds[0], &byte, 1) != 1)
      break;
    expect("answer", i, readable(fds[0]) && read(fds[0], &byte, 1) == 1);
  }
  close(fds[0]);
  waitpid(child, NULL, 0);
}

int main(void) {
  children_are_reaped();
  threads_hand_over();
  processes_answer();
  return failed == 0 ? 0 : 1;
}
