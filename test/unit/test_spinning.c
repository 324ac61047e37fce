/* Spinning before a sleep: two loops that answer each other come to find each other
 * awake, also after they had stopped looking; an idle loop doesn't spin. Counted, not
 * timed: loop/counters.h. */
/* test: threads */
#include "loop_test.h"

#include "loop/counters.h"
#include "rondo.h"

#include <stdbool.h>

enum { ROUNDS = 20000 };

struct player {
  uv_loop_t loop;
  uv_async_t async;
  struct player* other;
  int seen;
};

static void play(uv_async_t* async) {
  struct player* player = async->data;
  player->seen++;
  uv_async_send(&player->other->async);
  if (player->seen == ROUNDS)
    uv_close((uv_handle_t*) async, NULL);
}

static void run_loop(void* loop) {
  uv_run(loop, UV_RUN_DEFAULT);
}

static void player_open(struct player* player, struct player* other) {
  memset(player, 0, sizeof(*player));
  assert_int_equal(uv_loop_init(&player->loop), 0);
  assert_int_equal(uv_async_init(&player->loop, &player->async, play), 0);
  player->async.data = player;
  player->other = other;
}

/* A game of both, back-offs at their end on both sides and out of step, so that neither
 * loop's next long spin meets the other's. Returns whether each has won a spin. */
static bool players_have_met(struct player players[2]) {
  uv_thread_t thread;
  bool have_won = true;
  for (int i = 0; i < 2; i++) {
    player_open(&players[i], &players[1 - i]);
    players[i].loop.async_backoff.vain = 6;
    players[i].loop.async_backoff.skip = i == 0 ? 63 : 17;
  }
  uv_async_send(&players[0].async);
  assert_int_equal(uv_thread_create(&thread, run_loop, &players[1].loop), 0);
  run_loop(&players[0].loop);
  uv_thread_join(&thread);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(players[i].seen, ROUNDS);
    have_won = have_won && players[i].loop.counters[COUNTER_SPIN_ASYNC_WON] > 0;
    assert_int_equal(uv_loop_close(&players[i].loop), 0);
  }
  return have_won;
}

/* Covers the case that was two numbers by run. On a quiet machine nearly all spins are
 * won; where both loops share one processor, for a whole game perhaps, none can be. */
static void loops_that_answer_each_other_find_each_other_awake(void** state) {
  static struct player players[2];
  bool have_met = false;
  (void) state;
  if (uv_available_parallelism() < 2)
    skip();
  for (int game = 0; game < 10 && !have_met; game++)
    have_met = players_have_met(players);
  assert_true(have_met);
}

static void count_fired(uv_timer_t* timer) {
  int* fired = timer->data;
  if (++*fired == 20)
    uv_timer_stop(timer);
}

static void an_idle_loop_does_not_spin(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t timer;
  int fired = 0;
  uv_timer_init(loop, &timer);
  timer.data = &fired;
  uv_timer_start(&timer, count_fired, 1, 1);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(loop->counters[COUNTER_SPIN_ASYNC_LOST], 0);
  assert_int_equal(loop->counters[COUNTER_SPIN_WORK_LOST], 0);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

static void do_nothing(uv_work_t* work) {
  (void) work;
}

static void work_is_done(uv_work_t* work, int status) {
  assert_int_equal(status, 0);
  (*(int*) work->data)++;
}

static void work_counts_whether_a_thread_was_awake(void** state) {
  uv_loop_t* loop = *state;
  uv_work_t work;
  int done = 0;
  work.data = &done;
  /* One at a time: a thread is free for each, and either spins or has to be woken. */
  for (int i = 0; i < 20; i++) {
    assert_int_equal(uv_queue_work(loop, &work, do_nothing, work_is_done), 0);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  assert_int_equal(done, 20);
  uint64_t woken = loop->counters[COUNTER_POOL_WOKEN];
  uint64_t awake = loop->counters[COUNTER_POOL_AWAKE];
  assert_true(woken >= 1); /* the first thread was started */
  assert_true(woken + awake <= 20);
}

static void count_turns(uv_idle_t* idle) {
  int* turns = idle->data;
  if (++*turns == 100)
    uv_close((uv_handle_t*) idle, NULL);
}

static void never_ready(uv_poll_t* poll, int status, int events) {
  (void) poll;
  fail_msg("status %d, events %d", status, events);
}

/* A loop that never sleeps and watches a descriptor looks through the ring. */
static void looks_through_the_ring_are_counted(void** state) {
  uv_loop_t* loop = *state;
  uv_idle_t idle;
  uv_poll_t poll;
  int turns = 0;
  int ends[2];
  assert_int_equal(uv_pipe(ends, 0, 0), 0);
  uv_poll_init(loop, &poll, ends[0]);
  uv_poll_start(&poll, UV_READABLE, never_ready);
  uv_unref((uv_handle_t*) &poll);
  uv_idle_init(loop, &idle);
  idle.data = &turns;
  uv_idle_start(&idle, count_turns);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(turns, 100);
  int uring = strcmp(rondo_backend_name(loop), "uring") == 0;
  assert_int_equal(loop->counters[COUNTER_RING_LOOKS] > 0, uring);
  uv_close((uv_handle_t*) &poll, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_that_answer_each_other_find_each_other_awake),
      loop_test(an_idle_loop_does_not_spin),
      loop_test(work_counts_whether_a_thread_was_awake),
      loop_test(looks_through_the_ring_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
