/* test: threads */
/* A loop that moves from thread to thread, busy and asleep by turns, while others send to
 * it; and one that is forked in the middle of that. Nothing may be lost on the way: not a
 * byte, not a send, not a timer. */
#include "forked.h"
#include "loop_test.h"

#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>

#include "sanitizers.h"

enum { RUNNERS = 3, ROUNDS = UNDER_THREAD_SANITIZER ? 60 : 300, BYTES = 20000 };

static uv_loop_t* loop;
static uv_async_t async;
static uv_poll_t reader;
static uv_idle_t idle;
static uv_timer_t timer;
static int pair[2];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int rounds; /* under the mutex */
static int received;
static int sent; /* atomically, before each send */
static int seen;
static int fired;
static int finished;

static void take_bytes(uv_poll_t* handle, int status, int events) {
  (void) handle, (void) events;
  char bytes[64];
  assert_int_equal(status, 0);
  ssize_t count = read(pair[0], bytes, sizeof(bytes));
  assert_true(count > 0);
  received += (int) count;
}

static void note_seen(uv_async_t* handle) {
  (void) handle;
  seen = __atomic_load_n(&sent, __ATOMIC_RELAXED);
}

static void count_fired(uv_timer_t* handle) {
  (void) handle;
  fired++;
}

static void stay_awake(uv_idle_t* handle) {
  (void) handle;
}

static void send_until_finished(void* argument) {
  (void) argument;
  while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {
    __atomic_fetch_add(&sent, 1, __ATOMIC_RELAXED);
    uv_async_send(&async);
    usleep(50);
  }
}

static void write_bytes(void* argument) {
  (void) argument;
  for (int i = 0; i < BYTES; i++) {
    while (write(pair[1], "x", 1) != 1)
      sched_yield();
    if (i % 16 == 0)
      usleep(20);
  }
}

/* A few turns: busy ones, so that the wait gets into the ring, then one asleep. */
static void run_a_little(int round) {
  if (round % 3 != 0)
    uv_idle_start(&idle, stay_awake);
  for (int i = 0; i < 5; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  uv_idle_stop(&idle);
  if (round % 2 == 0)
    uv_run(loop, UV_RUN_ONCE);
}

static void run_by_turns(void* argument) {
  (void) argument;
  for (;;) {
    pthread_mutex_lock(&turn);
    int round = rounds++;
    if (round < ROUNDS)
      run_a_little(round);
    pthread_mutex_unlock(&turn);
    if (round >= ROUNDS)
      return;
    sched_yield();
  }
}

static void set_up(uv_loop_t* own) {
  loop = own;
  received = sent = seen = fired = finished = rounds = 0;
  assert_int_equal(
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
  uv_async_init(loop, &async, note_seen);
  uv_poll_init(loop, &reader, pair[0]);
  uv_poll_start(&reader, UV_READABLE, take_bytes);
  uv_idle_init(loop, &idle);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, count_fired, 2, 2);
}

static void tear_down(void) {
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

/* Covers A1, T4 and I3 on a ring that has to change hands. */
static void a_loop_moves_while_others_send(void** state) {
  uv_thread_t runners[RUNNERS];
  uv_thread_t sender;
  uv_thread_t writer;
  set_up(*state);
  uv_thread_create(&sender, send_until_finished, NULL);
  uv_thread_create(&writer, write_bytes, NULL);
  for (int i = 0; i < RUNNERS; i++)
    uv_thread_create(&runners[i], run_by_turns, NULL);
  for (int i = 0; i < RUNNERS; i++)
    uv_thread_join(&runners[i]);
  while (received < BYTES) /* hangs if readiness is lost */
    uv_run(loop, UV_RUN_ONCE);
  uv_thread_join(&writer);
  __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
  uv_thread_join(&sender);
  for (int i = 0; i < 100 && seen != sent; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(seen, sent);
  assert_int_equal(received, BYTES);
  assert_true(fired > 0);
  tear_down();
}

/* In the child: 0 if the loop works. */
static int goes_on_after_fork(void) {
  if (uv_loop_fork(loop) != 0)
    return 1;
  int before = fired;
  while (fired < before + 3)
    uv_run(loop, UV_RUN_ONCE);
  seen = -1;
  uv_async_send(&async);
  for (int i = 0; i < 100 && seen == -1; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  if (seen == -1)
    return 2;
  close_all(loop);
  return uv_loop_close(loop) == 0 ? 0 : 3;
}

/* Covers L9, with the wait in the ring and a sender in the middle of things. */
static void a_busy_loop_is_forked(void** state) {
  uv_thread_t sender;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it can't follow a fork of several threads */
  set_up(*state);
  uv_thread_create(&sender, send_until_finished, NULL);
  for (int i = 0; i < 20; i++) {
    run_a_little(i);
    assert_in_child(goes_on_after_fork);
    int before = fired; /* and the parent's goes on as if nothing had been */
    while (fired < before + 2)
      uv_run(loop, UV_RUN_ONCE);
  }
  __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
  uv_thread_join(&sender);
  tear_down();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(a_loop_moves_while_others_send),
      loop_test(a_busy_loop_is_forked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
