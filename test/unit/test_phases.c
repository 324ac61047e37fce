/* The seven phases: contract P, Q, W and the run's part of L. */
#include "loop_test.h"

#include <sys/socket.h>
#include <time.h>

#include "loop/loop.h"
#include "loop/watcher.h"
#include "request/work.h"

static uv_timer_t timer;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_poll_t poll_handle;
static uv_async_t async;
static uv__io_t pending;
static int turns;

static void on_close(uv_handle_t* handle) {
  (void) handle;
  log_word("closing");
}

static void on_timer(uv_timer_t* handle) {
  log_word("timers");
  uv_close((uv_handle_t*) handle, on_close);
}

static void on_pending(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  (void) loop, (void) w;
  assert_int_equal(events, WATCH_FED);
  log_word("pending");
}

static void on_idle(uv_idle_t* handle) {
  log_word("idle");
  uv_idle_stop(handle);
}

static void on_prepare(uv_prepare_t* handle) {
  log_word("prepare");
  uv_prepare_stop(handle);
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  assert_int_equal(status, 0);
  assert_int_equal(events, UV_READABLE);
  log_word("poll");
  uv_poll_stop(handle);
}

static void on_check(uv_check_t* handle) {
  log_word("check");
  uv_check_stop(handle);
}

/* Covers P1. */
static void phases_run_in_their_order(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  assert_int_equal(write(pair[1], "x", 1), 1);
  uv_check_init(loop, &check);
  uv_check_start(&check, on_check);
  uv_poll_init(loop, &poll_handle, pair[0]);
  uv_poll_start(&poll_handle, UV_READABLE, on_poll);
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, on_idle);
  watcher_init(&pending, on_pending);
  watcher_feed(loop, &pending);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_timer, 0, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("timers pending idle prepare poll check closing");
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

static void count_turn(uv_check_t* handle) {
  (void) handle;
  turns++;
}

static void chain_close(uv_handle_t* handle) {
  (void) handle;
  log_word("closed");
}

/* Covers P1: check and closing run although the poll found nothing. */
static void check_and_closing_run_in_every_turn(void** state) {
  uv_loop_t* loop = *state;
  turns = 0;
  uv_check_init(loop, &check);
  uv_check_start(&check, count_turn);
  uv_timer_init(loop, &timer);
  for (int i = 0; i < 5; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(turns, 5);
  uv_close((uv_handle_t*) &timer, chain_close);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("closed");
}

static uv_idle_t idles[5];
static uv_prepare_t prepares[5];
static uv_check_t checks[5];

static void log_idle(uv_idle_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "i%td", handle - idles);
  log_word(word);
}

static void log_prepare(uv_prepare_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "p%td", handle - prepares);
  log_word(word);
}

static void log_check(uv_check_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "c%td", handle - checks);
  log_word(word);
}

static void init_turn_handles(uv_loop_t* loop) {
  for (int i = 0; i < 5; i++) {
    uv_idle_init(loop, &idles[i]);
    uv_prepare_init(loop, &prepares[i]);
    uv_check_init(loop, &checks[i]);
  }
}

/* Covers W1: once a turn, started last first. */
static void started_last_runs_first(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  for (int i = 0; i < 3; i++) {
    uv_idle_start(&idles[i], log_idle);
    uv_prepare_start(&prepares[i], log_prepare);
    uv_check_start(&checks[i], log_check);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i2 i1 i0 p2 p1 p0 c2 c1 c0");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i2 i1 i0 p2 p1 p0 c2 c1 c0");
}

/* Covers W1. */
static void start_is_idempotent_and_needs_a_callback(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  assert_int_equal(uv_idle_start(&idles[0], NULL), UV_EINVAL);
  assert_int_equal(uv_prepare_start(&prepares[0], NULL), UV_EINVAL);
  assert_int_equal(uv_check_start(&checks[0], NULL), UV_EINVAL);
  assert_false(uv_is_active((uv_handle_t*) &idles[0]));
  assert_int_equal(uv_idle_start(&idles[0], log_idle), 0);
  assert_int_equal(uv_idle_start(&idles[0], log_idle), 0);
  assert_int_equal(uv_idle_start(&idles[0], NULL), 0); /* already started: no change */
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i0");
  assert_int_equal(uv_idle_stop(&idles[0]), 0);
  assert_int_equal(uv_idle_stop(&idles[0]), 0);
  uv_close((uv_handle_t*) &idles[0], NULL);
  assert_int_equal(uv_idle_start(&idles[0], log_idle), UV_EINVAL);
}

static void idle_starts_and_stops_others(uv_idle_t* handle) {
  log_idle(handle);
  uv_idle_start(&idles[4], log_idle);
  uv_idle_stop(&idles[1]);
  uv_close((uv_handle_t*) &idles[2], NULL);
}

/* Covers P2 and W1: what a phase's own callbacks start waits; what they stop is over. */
static void a_phase_runs_what_was_in_it_when_entered(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_idle_start(&idles[0], log_idle);
  uv_idle_start(&idles[1], log_idle);
  uv_idle_start(&idles[2], log_idle);
  uv_idle_start(&idles[3], idle_starts_and_stops_others);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i3 i0");
  uv_idle_stop(&idles[3]);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i4 i0");
}

static void feed_again(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  (void) events;
  log_word("fed");
  if (++turns < 12)
    watcher_feed(loop, w);
}

/* Covers P2 and Q1: one round in the pending phase, eight after the poll, and the rest in
 * the next turn. */
static void pending_fed_by_pending_has_nine_rounds_a_turn(void** state) {
  uv_loop_t* loop = *state;
  turns = 0;
  watcher_init(&pending, feed_again);
  watcher_feed(loop, &pending);
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  uv_check_init(loop, &check);
  uv_check_start(&check, on_check);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_true(uv_loop_alive(loop));
  assert_log("fed prepare fed fed fed fed fed fed fed fed check");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("fed fed fed");
  assert_false(uv_loop_alive(loop));
}

static void feed_from_prepare(uv_prepare_t* handle) {
  log_word("prepare");
  watcher_feed(handle->loop, &pending);
}

/* Covers Q1: whoever put the callback off, not the poll alone. */
static void pending_fed_before_the_poll_comes_before_check(void** state) {
  uv_loop_t* loop = *state;
  watcher_init(&pending, on_pending);
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, feed_from_prepare);
  uv_check_init(loop, &check);
  uv_check_start(&check, on_check);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("prepare pending check");
}

static void feed_from_async(uv_async_t* handle) {
  log_word("poll");
  watcher_feed(handle->loop, &pending);
}

/* A write or shutdown that ends at once inside an I/O callback is heard of before the
 * immediates that the callback set. */
static void pending_fed_by_the_poll_comes_before_check(void** state) {
  uv_loop_t* loop = *state;
  watcher_init(&pending, on_pending);
  uv_async_init(loop, &async, feed_from_async);
  uv_async_send(&async);
  uv_check_init(loop, &check);
  uv_check_start(&check, on_check);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("poll pending check");
  close_all(loop);
}

static uv_timer_t closers[4];

static void close_next(uv_handle_t* handle) {
  ptrdiff_t i = (uv_timer_t*) handle - closers;
  log_word("closed");
  if (i < 3)
    uv_close((uv_handle_t*) &closers[i + 1], close_next);
}

/* Covers P2: a close callback that closes. */
static void closing_from_closing_waits_for_the_next_turn(void** state) {
  uv_loop_t* loop = *state;
  for (int i = 0; i < 4; i++)
    uv_timer_init(loop, &closers[i]);
  uv_close((uv_handle_t*) &closers[0], close_next);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("closed");
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("closed closed closed");
}

static uint64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static void stop_loop(uv_timer_t* handle) {
  uv_stop(handle->loop);
}

/* Covers W2: prepare and check alone let the loop sleep. */
static void a_loop_with_only_prepare_and_check_sleeps(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_prepare_start(&prepares[0], log_prepare);
  uv_check_start(&checks[0], log_check);
  assert_int_equal(uv_backend_timeout(loop), -1);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 150, 0);
  uint64_t cpu = cpu_ns();
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(cpu_ns() - cpu < 75000000);
  assert_log("p0 c0 p0 c0");
}

/* Covers W2 and I1. */
static void an_idle_handle_keeps_the_poll_from_blocking(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 100000, 0);
  assert_true(uv_backend_timeout(loop) > 99000);
  uv_idle_start(&idles[0], log_idle);
  assert_int_equal(uv_backend_timeout(loop), 0);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("i0");
}

/* Covers I1. */
static void the_timeout_follows_what_is_there(void** state) {
  uv_loop_t* loop = *state;
  assert_int_equal(uv_backend_timeout(loop), 0); /* nothing is active */
  init_turn_handles(loop);
  uv_check_start(&checks[0], log_check);
  assert_int_equal(uv_backend_timeout(loop), -1);
  uv_stop(loop);
  assert_int_equal(uv_backend_timeout(loop), 0);
  uv_run(loop, UV_RUN_DEFAULT); /* takes the stop */
  assert_int_equal(uv_backend_timeout(loop), -1);
  watcher_init(&pending, on_pending);
  watcher_feed(loop, &pending);
  assert_int_equal(uv_backend_timeout(loop), 0);
  watcher_close(loop, &pending);
  uv_close((uv_handle_t*) &idles[0], NULL);
  assert_int_equal(uv_backend_timeout(loop), 0);
}

/* Covers P4, in phase after phase: the rest runs in the next turns, in order. */
static void a_limit_puts_off_the_rest_in_order(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  assert_int_equal(rondo_loop_limit(loop, RONDO_PHASE_IDLE, 2), 0);
  assert_int_equal(rondo_loop_limit(loop, RONDO_PHASE_PREPARE, 2), 0);
  assert_int_equal(rondo_loop_limit(loop, RONDO_PHASE_CHECK, 2), 0);
  assert_int_equal(rondo_loop_limit(loop, (enum rondo_phase) 7, 2), UV_EINVAL);
  assert_int_equal(rondo_loop_limit(loop, (enum rondo_phase) - 1, 2), UV_EINVAL);
  for (int i = 0; i < 5; i++)
    uv_prepare_start(&prepares[i], log_prepare);
  uv_run(loop, UV_RUN_ONCE); /* must not block: a limit left callbacks behind */
  assert_log("p4 p3");
  uv_run(loop, UV_RUN_ONCE);
  assert_log("p2 p1");
  uv_run(loop, UV_RUN_NOWAIT); /* each has been called now, so it might sleep */
  assert_log("p0 p4");
  for (int i = 0; i < 5; i++)
    uv_prepare_stop(&prepares[i]);
  for (int i = 0; i < 3; i++)
    uv_check_start(&checks[i], log_check);
  for (int i = 0; i < 3; i++)
    uv_idle_start(&idles[i], log_idle);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i2 i1 c2 c1 i0 i2 c0 c2");
  rondo_loop_limit(loop, RONDO_PHASE_IDLE, 0);
  rondo_loop_limit(loop, RONDO_PHASE_CHECK, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("i1 i0 i2 c1 c0 c2");
}

static void log_timer(uv_timer_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "t%td", handle - closers);
  log_word(word);
}

/* Covers P4 for timers, pending and closing. */
static void a_limit_holds_for_timers_pending_and_closing(void** state) {
  uv_loop_t* loop = *state;
  uv__io_t fed[3];
  rondo_loop_limit(loop, RONDO_PHASE_TIMERS, 1);
  rondo_loop_limit(loop, RONDO_PHASE_PENDING, 2);
  rondo_loop_limit(loop, RONDO_PHASE_CLOSING, 1);
  for (int i = 0; i < 3; i++) {
    uv_timer_init(loop, &closers[i]);
    uv_timer_start(&closers[i], log_timer, 0, 0);
    watcher_init(&fed[i], on_pending);
    watcher_feed(loop, &fed[i]);
  }
  uv_run(loop, UV_RUN_ONCE);
  assert_log("t0 pending pending");
  uv_run(loop, UV_RUN_ONCE);
  assert_log("t1 pending");
  uv_run(loop, UV_RUN_ONCE);
  assert_log("t2");
  for (int i = 0; i < 3; i++)
    uv_close((uv_handle_t*) &closers[i], chain_close);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("closed");
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("closed closed");
}

static uv_async_t asyncs[5];

static void log_async(uv_async_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "a%td", handle - asyncs);
  log_word(word);
}

/* Covers P4 for the poll. */
static void a_limit_holds_for_the_poll(void** state) {
  uv_loop_t* loop = *state;
  rondo_loop_limit(loop, RONDO_PHASE_POLL, 2);
  for (int i = 0; i < 5; i++) {
    uv_async_init(loop, &asyncs[i], log_async);
    uv_async_send(&asyncs[i]);
  }
  int turns_needed = 0;
  while (strlen(log_text) < 14 && turns_needed++ < 10)
    uv_run(loop, UV_RUN_ONCE);
  assert_true(turns_needed >= 3);
  assert_log("a0 a1 a2 a3 a4");
}

enum { READY = 1500 };

static void count_ready(uv_poll_t* handle, int status, int events) {
  (void) events;
  assert_int_equal(status, 0);
  turns++;
  uv_poll_stop(handle);
}

/* Covers P5: more than one batch of 1,024 is dispatched in one poll. */
static void full_batches_follow_each_other_in_one_poll(void** state) {
  uv_loop_t* loop = *state;
  uv_poll_t* handles = calloc(READY, sizeof(*handles));
  int(*pairs)[2] = calloc(READY, sizeof(*pairs));
  turns = 0;
  for (int i = 0; i < READY; i++) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[i]) != 0) {
      fail_msg("this test needs %d descriptors: raise ulimit -n", 2 * READY);
    }
    assert_int_equal(write(pairs[i][1], "x", 1), 1);
    uv_poll_init(loop, &handles[i], pairs[i][0]);
    uv_poll_start(&handles[i], UV_READABLE, count_ready);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(turns, READY);
  close_all(loop);
  for (int i = 0; i < READY; i++) {
    close(pairs[i][0]);
    close(pairs[i][1]);
  }
  free(pairs);
  free(handles);
}

static void log_async_and_stop(uv_async_t* handle) {
  log_word("async");
  uv_stop(handle->loop);
}

/* Covers L6. */
static void stop_before_run_returns_without_a_turn(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_prepare_start(&prepares[0], log_prepare);
  uv_async_init(loop, &async, log_async_and_stop);
  uv_stop(loop);
  assert_int_not_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_log("");
  uv_async_send(&async); /* the flag was cleared: this run works */
  assert_int_not_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_log("p0 async");
}

static void stop_from_idle(uv_idle_t* handle) {
  log_idle(handle);
  uv_stop(handle->loop);
}

/* Covers L6: the turn that stops is finished. */
static void stop_lets_the_turn_end(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_idle_start(&idles[0], stop_from_idle);
  uv_prepare_start(&prepares[0], log_prepare);
  uv_check_start(&checks[0], log_check);
  assert_int_not_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_log("i0 p0 c0");
}

/* Covers L5. */
static void run_of_a_dead_loop_only_updates_the_time(void** state) {
  uv_loop_t* loop = *state;
  uint64_t before = uv_now(loop);
  uv_sleep(3);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_true(uv_now(loop) >= before + 3);
  assert_int_equal(uv_run(loop, UV_RUN_ONCE), 0);
  assert_int_equal(uv_run(loop, UV_RUN_NOWAIT), 0);
}

static uint64_t time_in_prepare;

static void sleep_in_prepare(uv_prepare_t* handle) {
  uint64_t before = uv_now(handle->loop);
  uv_sleep(5);
  assert_int_equal(uv_now(handle->loop), before);
  time_in_prepare = before;
  uv_prepare_stop(handle);
}

static void later_than_prepare(uv_check_t* handle) {
  assert_true(uv_now(handle->loop) >= time_in_prepare + 5);
  log_word("later");
  uv_check_stop(handle);
}

/* Covers L7. */
static void time_is_cached_and_renewed_after_the_poll(void** state) {
  uv_loop_t* loop = *state;
  init_turn_handles(loop);
  uv_prepare_start(&prepares[0], sleep_in_prepare);
  uv_check_start(&checks[0], later_than_prepare);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("later");
}

static void nothing_to_do(struct uv__work* w) {
  (void) w;
}

static void on_over(struct uv__work* w, int status) {
  assert_int_equal(status, 0);
  log_word("over");
  w->loop->active_reqs.count--;
}

static void go_on(struct uv__work* w, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(work_submit(w->loop, w, nothing_to_do, on_over), 0);
}

/* Work of the loop's own goes on to the pool, as a read does that the ring refuses: the
 * turn isn't over before the request is. Covers L8. */
static void work_that_goes_on_elsewhere_is_no_progress(void** state) {
  uv_loop_t* loop = *state;
  struct uv__work work = {.done = go_on};
  for (unsigned int limit = 0; limit <= 1; limit++) {
    assert_int_equal(rondo_loop_limit(loop, RONDO_PHASE_POLL, limit), 0);
    loop->active_reqs.count++;
    work.done = go_on;
    loop_complete(loop, &work, 0);
    assert_int_equal(uv_run(loop, UV_RUN_ONCE), 0);
  }
  assert_log("over over");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(phases_run_in_their_order),
      loop_test(check_and_closing_run_in_every_turn),
      loop_test(started_last_runs_first),
      loop_test(start_is_idempotent_and_needs_a_callback),
      loop_test(a_phase_runs_what_was_in_it_when_entered),
      loop_test(pending_fed_by_pending_has_nine_rounds_a_turn),
      loop_test(pending_fed_before_the_poll_comes_before_check),
      loop_test(pending_fed_by_the_poll_comes_before_check),
      loop_test(closing_from_closing_waits_for_the_next_turn),
      loop_test(a_loop_with_only_prepare_and_check_sleeps),
      loop_test(an_idle_handle_keeps_the_poll_from_blocking),
      loop_test(the_timeout_follows_what_is_there),
      loop_test(a_limit_puts_off_the_rest_in_order),
      loop_test(a_limit_holds_for_timers_pending_and_closing),
      loop_test(a_limit_holds_for_the_poll),
      loop_test(full_batches_follow_each_other_in_one_poll),
      loop_test(stop_before_run_returns_without_a_turn),
      loop_test(stop_lets_the_turn_end),
      loop_test(run_of_a_dead_loop_only_updates_the_time),
      loop_test(time_is_cached_and_renewed_after_the_poll),
      loop_test(work_that_goes_on_elsewhere_is_no_progress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
