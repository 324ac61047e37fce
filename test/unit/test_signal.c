/* test: threads */
/* Signals: how often handles hear of one, in which order they may come and go, and that
 * none is lost between threads, under load, or across a fork. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rondo.h"
#include "uv.h"

static uv_loop_t loop;

static int setup(void** state) {
  (void) state;
  return uv_loop_init(&loop);
}

static int teardown(void** state) {
  (void) state;
  return uv_loop_close(&loop);
}

static void close_now(uv_signal_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* What a callback does when its handle has been called `last` times. */
struct watch {
  uv_signal_t handle;
  int calls;
  int last;
  enum { NOTHING, STOP, CLOSE, AGAIN } then;
};

static void count(uv_signal_t* handle, int signum) {
  struct watch* watch = handle->data;
  assert_int_equal(signum, handle->signum);
  if (++watch->calls != watch->last)
    return;
  if (watch->then == STOP)
    uv_signal_stop(handle);
  else if (watch->then == CLOSE)
    uv_close((uv_handle_t*) handle, NULL);
  else if (watch->then == AGAIN)
    assert_int_equal(0, uv_signal_start_oneshot(handle, count, signum));
}

static void watch_open(uv_loop_t* where, struct watch* watch) {
  memset(watch, 0, sizeof *watch);
  assert_int_equal(0, uv_signal_init(where, &watch->handle));
  watch->handle.data = watch;
}

static bool is_default(int signum) {
  struct sigaction action;
  assert_int_equal(0, sigaction(signum, NULL, &action));
  return action.sa_handler == SIG_DFL;
}

static void start_refuses_what_can_not_be_caught(void** state) {
  static const int bad[] = {0, -1, SIGKILL, SIGSTOP, NSIG, 4096, 32};
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(UV_EINVAL, uv_signal_start(&watch.handle, count, bad[i]));
  assert_int_equal(UV_EINVAL, uv_signal_start(&watch.handle, NULL, SIGUSR2));
  assert_int_equal(SIGUSR1, watch.handle.signum); /* and nothing changed */
  raise(SIGUSR1);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(1, watch.calls);
  close_now(&watch.handle);
  assert_true(is_default(SIGUSR1));
}

static void each_signal_is_told_once(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_is_active((uv_handle_t*) &watch.handle));
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
  assert_int_equal(1, uv_is_active((uv_handle_t*) &watch.handle));
  for (int i = 1; i <= 10; i++) {
    raise(SIGUSR1);
    uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(i, watch.calls);
  }
  /* Several before the loop looks: each was caught. */
  for (int i = 0; i < 10; i++)
    raise(SIGUSR1);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(20, watch.calls);
  assert_int_equal(0, uv_signal_stop(&watch.handle));
  assert_int_equal(0, uv_signal_stop(&watch.handle));
  assert_int_equal(0, uv_is_active((uv_handle_t*) &watch.handle));
  assert_true(is_default(SIGUSR1));
  close_now(&watch.handle);
}

static void stop_in_the_callback_forgets_the_rest(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  for (int round = 0; round < 2; round++) {
    watch.calls = 0;
    watch.last = 3;
    watch.then = STOP;
    assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGCHLD));
    for (int i = 0; i < 10; i++)
      raise(SIGCHLD);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(3, watch.calls);
    assert_int_equal(0, watch.handle.signum);
  }
  close_now(&watch.handle);
}

static void many_handles_hear_one_signal(void** state) {
  struct watch watches[4];
  (void) state;
  for (int i = 0; i < 4; i++) {
    watch_open(&loop, &watches[i]);
    watches[i].last = 10;
    watches[i].then = CLOSE;
    assert_int_equal(
        0, uv_signal_start(&watches[i].handle, count, i < 2 ? SIGUSR1 : SIGUSR2));
  }
  for (int i = 0; i < 10; i++) {
    raise(SIGUSR1);
    raise(SIGUSR2);
    uv_run(&loop, UV_RUN_NOWAIT);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  for (int i = 0; i < 4; i++)
    assert_int_equal(10, watches[i].calls);
  assert_true(is_default(SIGUSR1));
  assert_true(is_default(SIGUSR2));
}

static void a_started_handle_can_change_its_signal(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
  raise(SIGUSR1); /* caught, but not for the new signal */
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR2));
  assert_true(is_default(SIGUSR1));
  raise(SIGUSR2);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(1, watch.calls);
  close_now(&watch.handle);
}

static void one_shot_is_one_call(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_signal_start_oneshot(&watch.handle, count, SIGCHLD));
  raise(SIGCHLD);
  assert_true(is_default(SIGCHLD)); /* reset the moment it came */
  raise(SIGCHLD);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, watch.calls);
  assert_int_equal(0, uv_is_active((uv_handle_t*) &watch.handle));

  /* Started anew in its own callback it works once more. */
  watch.calls = 0;
  watch.last = 1;
  watch.then = AGAIN;
  assert_int_equal(0, uv_signal_start_oneshot(&watch.handle, count, SIGCHLD));
  raise(SIGCHLD);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(1, watch.calls);
  assert_int_equal(1, uv_is_active((uv_handle_t*) &watch.handle));
  raise(SIGCHLD);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, watch.calls);
  close_now(&watch.handle);
}

static void one_shot_and_regular_handles_mix(void** state) {
  struct watch regular;
  struct watch once;
  (void) state;
  watch_open(&loop, &regular);
  watch_open(&loop, &once);
  assert_int_equal(0, uv_signal_start_oneshot(&once.handle, count, SIGCHLD));
  assert_int_equal(0, uv_signal_start(&regular.handle, count, SIGCHLD));
  for (int i = 0; i < 5; i++)
    raise(SIGCHLD);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(5, regular.calls);
  assert_int_equal(1, once.calls);

  /* Without the regular one, the one-shot handle's reset applies again. */
  assert_int_equal(0, uv_signal_start_oneshot(&once.handle, count, SIGCHLD));
  assert_int_equal(0, uv_signal_stop(&regular.handle));
  assert_false(is_default(SIGCHLD));
  raise(SIGCHLD);
  assert_true(is_default(SIGCHLD));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, once.calls);

  /* A one-shot handle becomes a regular one, and stays. */
  assert_int_equal(0, uv_signal_start_oneshot(&once.handle, count, SIGCHLD));
  assert_int_equal(0, uv_signal_start(&once.handle, count, SIGCHLD));
  raise(SIGCHLD);
  raise(SIGCHLD);
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(4, once.calls);
  close_now(&once.handle);
  close_now(&regular.handle);
}

/* Contract C1: closed with a signal in flight, the callback never comes. */
static void close_drops_a_signal_in_flight(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
  raise(SIGUSR1);
  uv_close((uv_handle_t*) &watch.handle, NULL);
  assert_int_equal(UV_EINVAL, uv_signal_start(&watch.handle, count, SIGUSR1));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(0, watch.calls);
}

static struct watch* victim;

static void close_the_other(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_close((uv_handle_t*) handle, NULL);
  uv_close((uv_handle_t*) &victim->handle, NULL);
}

static void a_callback_may_close_the_next_handle(void** state) {
  struct watch first;
  struct watch second;
  (void) state;
  watch_open(&loop, &first);
  watch_open(&loop, &second);
  victim = &second;
  assert_int_equal(0, uv_signal_start(&first.handle, close_the_other, SIGUSR1));
  assert_int_equal(0, uv_signal_start(&second.handle, count, SIGUSR1));
  raise(SIGUSR1);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(0, second.calls);
}

/* Contract P4: what a limit leaves over comes in the next turns, in order. */
static void a_limit_spreads_signals_over_turns(void** state) {
  struct watch first;
  struct watch second;
  (void) state;
  watch_open(&loop, &first);
  watch_open(&loop, &second);
  assert_int_equal(0, uv_signal_start(&first.handle, count, SIGUSR1));
  assert_int_equal(0, uv_signal_start(&second.handle, count, SIGUSR1));
  assert_int_equal(0, rondo_loop_limit(&loop, RONDO_PHASE_POLL, 3));
  for (int i = 0; i < 5; i++)
    raise(SIGUSR1);
  /* Being woken may count as one of the three. */
  for (int turn = 0; turn < 10 && second.calls < 5; turn++) {
    int before = first.calls + second.calls;
    uv_run(&loop, UV_RUN_ONCE);
    assert_in_range(first.calls + second.calls, before + 1, before + 3);
    assert_true(second.calls == 0 || first.calls == 5);
  }
  assert_int_equal(5, first.calls);
  assert_int_equal(5, second.calls);
  close_now(&first.handle);
  close_now(&second.handle);
}

static int steps;
static int signal_step;

static void raise_signal(uv_timer_t* timer) {
  (void) timer;
  raise(SIGUSR1);
}

static void note_readable(uv_poll_t* poll, int status, int events) {
  char byte;
  assert_int_equal(0, status);
  assert_true(events & UV_READABLE);
  uv_os_fd_t fd = *(int*) poll->data;
  assert_int_equal(1, read(fd, &byte, 1));
  steps++;
  uv_close((uv_handle_t*) poll, NULL);
}

static void note_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  signal_step = ++steps;
  uv_close((uv_handle_t*) handle, NULL);
}

/* Contract I5: in one batch, after the descriptors. */
static void signals_come_last_in_a_batch(void** state) {
  uv_signal_t signal;
  uv_timer_t timer;
  uv_poll_t poll;
  int fds[2];
  (void) state;
  steps = signal_step = 0;
  assert_int_equal(0, pipe(fds));
  assert_int_equal(0, uv_signal_init(&loop, &signal));
  assert_int_equal(0, uv_signal_start(&signal, note_signal, SIGUSR1));
  assert_int_equal(0, uv_poll_init(&loop, &poll, fds[0]));
  poll.data = &fds[0];
  assert_int_equal(0, uv_poll_start(&poll, UV_READABLE, note_readable));
  assert_int_equal(0, uv_timer_init(&loop, &timer));
  assert_int_equal(0, uv_timer_start(&timer, raise_signal, 0, 0));
  assert_int_equal(1, write(fds[1], "x", 1));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, signal_step);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
  close(fds[0]);
  close(fds[1]);
}

/* --- threads -------------------------------------------------------------------------
 */

enum { LOOPS = 4, STORM = 2000 };

static uv_sem_t ready;
static int caught_in_total[LOOPS];

struct listener {
  uv_thread_t thread;
  int number;
};

static void stop_on_hangup(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_stop(handle->loop);
}

/* Counts SIGUSR1 until SIGHUP. */
static void listen_in_thread(void* argument) {
  struct listener* listener = argument;
  struct watch storm;
  uv_signal_t end;
  uv_loop_t own;
  assert_int_equal(0, uv_loop_init(&own));
  watch_open(&own, &storm);
  assert_int_equal(0, uv_signal_start(&storm.handle, count, SIGUSR1));
  assert_int_equal(0, uv_signal_init(&own, &end));
  assert_int_equal(0, uv_signal_start(&end, stop_on_hangup, SIGHUP));
  uv_sem_post(&ready);
  uv_run(&own, UV_RUN_DEFAULT);
  /* The end may have overtaken what was caught before it. */
  uv_run(&own, UV_RUN_NOWAIT);
  caught_in_total[listener->number] = storm.calls;
  uv_close((uv_handle_t*) &storm.handle, NULL);
  uv_close((uv_handle_t*) &end, NULL);
  uv_run(&own, UV_RUN_DEFAULT);
  assert_int_equal(0, uv_loop_close(&own));
}

static int foreign_count;

/* Each thread also starts and stops while the signals come. */
static void start_and_stop(void* argument) {
  volatile bool* done = argument;
  while (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) {
    struct watch watch;
    uv_loop_t own;
    assert_int_equal(0, uv_loop_init(&own));
    watch_open(&own, &watch);
    assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
    uv_run(&own, UV_RUN_NOWAIT);
    __atomic_fetch_add(&foreign_count, 1, __ATOMIC_RELAXED);
    uv_close((uv_handle_t*) &watch.handle, NULL);
    uv_run(&own, UV_RUN_DEFAULT);
    assert_int_equal(0, uv_loop_close(&own));
  }
}

/* Raised in this thread each is caught at once, so the number is known: every loop must
 * hear of all of them. */
static void a_storm_reaches_every_loop_in_full(void** state) {
  struct listener listeners[LOOPS];
  uv_thread_t disturber;
  bool done = false;
  (void) state;
  foreign_count = 0;
  assert_int_equal(0, uv_sem_init(&ready, 0));
  for (int i = 0; i < LOOPS; i++) {
    listeners[i].number = i;
    assert_int_equal(
        0, uv_thread_create(&listeners[i].thread, listen_in_thread, &listeners[i]));
  }
  for (int i = 0; i < LOOPS; i++)
    uv_sem_wait(&ready);
  assert_int_equal(0, uv_thread_create(&disturber, start_and_stop, &done));
  for (int i = 0; i < STORM; i++)
    raise(SIGUSR1);
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  uv_thread_join(&disturber);
  raise(SIGHUP);
  for (int i = 0; i < LOOPS; i++) {
    uv_thread_join(&listeners[i].thread);
    assert_int_equal(STORM, caught_in_total[i]);
  }
  uv_sem_destroy(&ready);
  assert_true(is_default(SIGUSR1));
}

/* --- fork ----------------------------------------------------------------------------
 */

static void wait_for_success(pid_t child) {
  int status;
  pid_t result;
  do
    result = waitpid(child, &status, 0);
  while (result == -1 && errno == EINTR);
  assert_int_equal(child, result);
  assert_true(WIFEXITED(status));
  assert_int_equal(0, WEXITSTATUS(status));
}

/* Contract L9: what a child catches is the child's, what the parent caught the parent's.
 */
static void a_forked_child_hears_its_own_signals(void** state) {
  struct watch watch;
  (void) state;
  watch_open(&loop, &watch);
  assert_int_equal(0, uv_signal_start(&watch.handle, count, SIGUSR1));
  raise(SIGUSR1); /* before the fork: the parent's */
  pid_t child = fork();
  if (child == 0) {
    raise(SIGUSR1); /* before uv_loop_fork: kept */
    int err = uv_loop_fork(&loop);
    uv_run(&loop, UV_RUN_ONCE);
    int first = watch.calls;
    raise(SIGUSR1);
    uv_run(&loop, UV_RUN_ONCE);
    _exit(err == 0 && first == 1 && watch.calls == 2 ? 0 : 1);
  }
  assert_true(child > 0);
  wait_for_success(child);
  uv_run(&loop, UV_RUN_NOWAIT);
  assert_int_equal(1, watch.calls);
  close_now(&watch.handle);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(start_refuses_what_can_not_be_caught),
      TEST(each_signal_is_told_once),
      TEST(stop_in_the_callback_forgets_the_rest),
      TEST(many_handles_hear_one_signal),
      TEST(a_started_handle_can_change_its_signal),
      TEST(one_shot_is_one_call),
      TEST(one_shot_and_regular_handles_mix),
      TEST(close_drops_a_signal_in_flight),
      TEST(a_callback_may_close_the_next_handle),
      TEST(a_limit_spreads_signals_over_turns),
      TEST(signals_come_last_in_a_batch),
      TEST(a_storm_reaches_every_loop_in_full),
      TEST(a_forked_child_hears_its_own_signals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
