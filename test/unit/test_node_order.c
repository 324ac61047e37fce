/* The Node layer with plain functions as callbacks: ticks, microtasks, scopes, timers
 * and immediates in Node's order (contract N2 to N5). Every callback appends a letter to
 * a log; a test is a log. The "engine" is a queue of pending promise jobs. */
#include "rondo_node.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <stdio.h>
#include <cmocka.h>

static rondo_node_t* node;
static uv_loop_t loop;
static char trail[512];

static void say(const char* word) {
  if (trail[0] != '\0')
    strcat(trail, " ");
  strcat(trail, word);
}

/* --- a fake engine: microtasks are words to be said, "!x" throws -------------------- */

static const char* jobs[64];
static size_t job_first, job_last;
static int caught_all;

static void microtask(const char* word) {
  jobs[job_last++] = word;
}

static void microtasks_run(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  while (job_first < job_last)
    say(jobs[job_first++]);
}

static int uncaught(rondo_node_t* n, const void* error, void* data) {
  (void) n;
  (void) data;
  say("caught");
  say(error);
  return caught_all;
}

static int setup(void** state) {
  (void) state;
  rondo_node_hooks_t hooks = {0};
  hooks.microtasks = microtasks_run;
  hooks.uncaught = uncaught;
  trail[0] = '\0';
  job_first = job_last = 0;
  caught_all = 0;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_node_new(&node, &loop, &hooks), 0);
  return 0;
}

static int teardown(void** state) {
  (void) state;
  rondo_node_free(node);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  return 0;
}

/* --- callbacks ------------------------------------------------------------------------
 */

static rondo_node_tick_t ticks[16];
static rondo_node_timer_t timers[16];
static rondo_node_immediate_t immediates[16];
static size_t ticks_used;

static const void* say_it(rondo_node_t* n, void* word) {
  (void) n;
  say(word);
  return NULL;
}

static void tick(const char* word) {
  rondo_node_next_tick(node, &ticks[ticks_used++], say_it, (void*) word);
}

static const void* say_and_tick(rondo_node_t* n, void* word) {
  say_it(n, word);
  tick("tick");
  microtask("micro");
  return NULL;
}

static const void* say_and_throw(rondo_node_t* n, void* word) {
  say_it(n, word);
  return "error";
}

static void timer(int index, const char* word, double ms, rondo_node_cb cb) {
  timers[index].data = (void*) word;
  assert_int_equal(rondo_node_timer_start(node, &timers[index], ms, 0, cb, NULL), 0);
}

static void immediate(int index, const char* word, rondo_node_cb cb) {
  immediates[index].data = (void*) word;
  rondo_node_immediate_start(node, &immediates[index], cb);
}

static const void* nothing(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  return NULL;
}

static int run(rondo_node_cb main) {
  ticks_used = 0;
  return rondo_node_run(node, main, NULL);
}

/* --- N4: ticks and microtasks
 * ----------------------------------------------------------- */

static const void* tick_makes_job(rondo_node_t* n, void* data) {
  say_it(n, data);
  microtask("m2");
  tick("t3");
  return NULL;
}

static const void* ticks_before_microtasks_main(rondo_node_t* n, void* data) {
  (void) data;
  microtask("m1");
  rondo_node_next_tick(n, &ticks[ticks_used++], tick_makes_job, "t1");
  tick("t2");
  return NULL;
}

static void ticks_before_microtasks(void** state) { /* N4 */
  (void) state;
  run(ticks_before_microtasks_main);
  assert_string_equal(trail, "t1 t2 t3 m1 m2");
}

static void only_the_outermost_scope_drains(void** state) { /* N4 */
  (void) state;
  ticks_used = 0;
  rondo_node_enter(node);
  rondo_node_enter(node);
  tick("tick");
  rondo_node_leave(node, NULL);
  say("still inside");
  rondo_node_leave(node, NULL);
  assert_string_equal(trail, "still inside tick");
}

static int rejection_rounds;

static const void* reject_once(rondo_node_t* n, int* again, void* data) {
  (void) n;
  (void) data;
  if (rejection_rounds++ > 0)
    return NULL;
  say("rejection");
  tick("after");
  *again = 1;
  return NULL;
}

static void rejections_come_after_both(void** state) { /* N4, N7 */
  (void) state;
  rondo_node_hooks_t hooks = {0};
  rondo_node_t* other;
  hooks.microtasks = microtasks_run;
  hooks.rejections = reject_once;
  assert_int_equal(rondo_node_new(&other, &loop, &hooks), 0);
  rondo_node_t* first = node;
  node = other;
  rejection_rounds = 0;
  ticks_used = 0;
  rondo_node_enter(node);
  microtask("micro");
  tick("tick");
  rondo_node_leave(node, NULL);
  assert_string_equal(trail, "tick micro rejection after");
  rondo_node_free(other);
  node = first;
}

/* --- N2: timers
 * --------------------------------------------------------------------------- */

static void delays_as_node_makes_them(void** state) { /* N2 */
  (void) state;
  assert_int_equal(rondo_node_delay(0), 1);
  assert_int_equal(rondo_node_delay(-5), 1);
  assert_int_equal(rondo_node_delay(NAN), 1);
  assert_int_equal(rondo_node_delay(1.9), 1);
  assert_int_equal(rondo_node_delay(2.9), 2);
  assert_int_equal(rondo_node_delay(2147483647), 2147483647);
  assert_int_equal(rondo_node_delay(2147483648.0), 1);
  assert_int_equal(rondo_node_delay(INFINITY), 1);
}

static const void* two_equal_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  timer(0, "a", 1, say_and_tick);
  timer(1, "b", 1, say_and_tick);
  uv_sleep(3);
  return NULL;
}

static void ticks_between_equal_timers(void** state) { /* N2, N4 */
  (void) state;
  run(two_equal_main);
  assert_string_equal(trail, "a tick micro b tick micro");
}

static void ticks_after_the_group_in_the_older_order(void** state) { /* N5 */
  (void) state;
  rondo_node_set_grouped(node, 1);
  run(two_equal_main);
  assert_string_equal(trail, "a b tick tick micro micro");
}

static const void* lists_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  timer(0, "20a", 20, say_it);
  timer(1, "5", 5, say_it);
  timer(2, "20b", 20, say_it);
  timer(3, "10", 10, say_it);
  uv_sleep(30); /* all due in the same turn: still by expiry */
  return NULL;
}

static void lists_go_by_expiry(void** state) { /* N2 */
  (void) state;
  run(lists_main);
  assert_string_equal(trail, "5 10 20a 20b");
}

static const void* restart_late(rondo_node_t* n, void* data) {
  say_it(n, data);
  uv_sleep(3); /* the clock moves on inside the callback */
  timer(1, "restarted", 30, say_it);
  immediate(0, "immediate", say_it);
  return NULL;
}

static const void* restart_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  timer(0, "first", 30, restart_late);
  return NULL;
}

static void a_timer_joining_the_running_list_waits_its_time(void** state) { /* N2 */
  (void) state;
  run(restart_main);
  assert_string_equal(trail, "first immediate restarted");
}

static const void* clear_other(rondo_node_t* n, void* data) {
  say_it(n, data);
  rondo_node_timer_clear(n, &timers[1]);
  return NULL;
}

static const void* clear_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  timer(0, "a", 1, clear_other);
  timer(1, "cleared", 1, say_it);
  timer(2, "c", 1, say_it);
  uv_sleep(3);
  return NULL;
}

static void a_timer_cleared_in_its_batch_stays_silent(void** state) { /* N2 */
  (void) state;
  run(clear_main);
  assert_string_equal(trail, "a c");
}

static int intervals_left, done_calls;

static const void* count_down(rondo_node_t* n, void* data) {
  say_it(n, data);
  if (--intervals_left == 0)
    rondo_node_timer_clear(n, &timers[0]);
  return NULL;
}

static void count_done(rondo_node_t* n, rondo_node_timer_t* which) {
  (void) n;
  (void) which;
  done_calls++;
}

static const void* interval_main(rondo_node_t* n, void* data) {
  (void) data;
  timers[0].data = "i";
  rondo_node_timer_start(n, &timers[0], 1, 1, count_down, count_done);
  return NULL;
}

static void an_interval_ends_from_its_own_callback(void** state) { /* N2 */
  (void) state;
  intervals_left = 3;
  done_calls = 0;
  run(interval_main);
  assert_string_equal(trail, "i i i");
  assert_int_equal(done_calls, 1);
}

static const void* refresh_once(rondo_node_t* n, void* data) {
  say_it(n, data);
  if (--intervals_left > 0)
    assert_int_equal(rondo_node_timer_refresh(n, &timers[0]), 0);
  return NULL;
}

static const void* refresh_main(rondo_node_t* n, void* data) {
  (void) data;
  timers[0].data = "r";
  rondo_node_timer_start(n, &timers[0], 1, 0, refresh_once, count_done);
  return NULL;
}

static void refresh_starts_a_fired_timer_again(void** state) { /* N2 */
  (void) state;
  intervals_left = 2;
  done_calls = 0;
  run(refresh_main);
  assert_string_equal(trail, "r r");
  assert_int_equal(done_calls, 1);
}

static const void* refresh_moves_main(rondo_node_t* n, void* data) {
  (void) data;
  timer(0, "first", 5, say_it);
  timer(1, "second", 5, say_it);
  uv_sleep(2);
  rondo_node_timer_refresh(n, &timers[0]);
  return NULL;
}

static void refresh_moves_a_timer_behind_its_equals(void** state) { /* N2 */
  (void) state;
  run(refresh_moves_main);
  assert_string_equal(trail, "second first");
}

static const void* unref_main(rondo_node_t* n, void* data) {
  (void) data;
  timer(0, "never", 10000, say_it);
  assert_true(rondo_node_timer_has_ref(&timers[0]));
  rondo_node_timer_unref(n, &timers[0]);
  rondo_node_timer_unref(n, &timers[0]);
  assert_false(rondo_node_timer_has_ref(&timers[0]));
  timer(1, "short", 1, say_it);
  return NULL;
}

static void an_unreferenced_timer_keeps_nothing_alive(void** state) { /* N2 */
  (void) state;
  run(unref_main);
  assert_string_equal(trail, "short");
}

static const void* throwing_timers_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  caught_all = 1;
  timer(0, "a", 1, say_and_throw);
  timer(1, "b", 1, say_and_tick);
  timer(2, "c", 2, say_it);
  uv_sleep(5);
  return NULL;
}

static void an_error_lets_the_other_timers_run(void** state) { /* N7 */
  (void) state;
  assert_int_equal(run(throwing_timers_main), 0);
  assert_string_equal(trail, "a caught error b tick micro c");
}

/* --- many at once ------------------------------------------------------------------ */

enum { MANY = 600 };
static rondo_node_timer_t many[MANY];
static size_t fired[MANY], fired_count, let_go;

static const void* record_fired(rondo_node_t* n, void* data) {
  size_t index = (size_t) ((rondo_node_timer_t*) data - many);
  fired[fired_count++] = index;
  /* Every callback clears another that is still waiting, if it is. */
  rondo_node_timer_clear(n, &many[index * 7 % MANY]);
  return NULL;
}

static void count_let_go(rondo_node_t* n, rondo_node_timer_t* which) {
  (void) n;
  (void) which;
  let_go++;
}

static const void* many_main(rondo_node_t* n, void* data) {
  unsigned seed = 1;
  (void) data;
  for (size_t i = 0; i < MANY; i++) {
    seed = seed * 1103515245 + 12345;
    many[i].data = &many[i];
    assert_int_equal(rondo_node_timer_start(n, &many[i], 1 + (seed >> 16) % 50, 0,
                                            record_fired, count_let_go),
                     0);
  }
  for (size_t i = 0; i < MANY; i += 3)
    rondo_node_timer_clear(n, &many[i]);
  return NULL;
}

static void many_durations_keep_their_order(void** state) { /* N2 */
  (void) state;
  fired_count = let_go = 0;
  run(many_main);
  assert_int_equal(let_go, MANY);
  assert_in_range(fired_count, 100, MANY * 2 / 3);
  for (size_t i = 0; i < fired_count; i++) {
    assert_int_not_equal(fired[i] % 3, 0); /* those were cleared at once */
    for (size_t j = i + 1; j < fired_count; j++)
      if (many[fired[i]].duration == many[fired[j]].duration)
        assert_true(fired[i] < fired[j]);
  }
}

/* --- N3: immediates
 * ------------------------------------------------------------------------- */

static const void* queue_another(rondo_node_t* n, void* data) {
  say_it(n, data);
  immediate(3, "next turn", say_it);
  timer(0, "timer", 1, say_it);
  uv_sleep(3);
  return NULL;
}

static const void* immediates_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  immediate(0, "a", queue_another);
  immediate(1, "b", say_and_tick);
  immediate(2, "c", say_it);
  return NULL;
}

static void immediates_queued_meanwhile_wait_a_turn(void** state) { /* N3, P2 */
  (void) state;
  run(immediates_main);
  assert_string_equal(trail, "a b tick micro c timer next turn");
}

static void immediates_in_the_older_order(void** state) { /* N5 */
  (void) state;
  rondo_node_set_grouped(node, 1);
  run(immediates_main);
  assert_string_equal(trail, "a b c tick micro timer next turn");
}

static const void* clear_next(rondo_node_t* n, void* data) {
  say_it(n, data);
  rondo_node_immediate_clear(n, &immediates[1]);
  rondo_node_immediate_clear(n, &immediates[3]);
  return NULL;
}

static const void* clear_immediates_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  immediate(0, "a", clear_next);
  immediate(1, "cleared", say_it);
  immediate(2, "c", say_it);
  immediate(3, "cleared", say_it);
  return NULL;
}

static void cleared_immediates_stay_silent(void** state) { /* N3 */
  (void) state;
  run(clear_immediates_main);
  assert_string_equal(trail, "a c");
}

static const void* unref_immediate_main(rondo_node_t* n, void* data) {
  (void) data;
  immediate(0, "never", say_it);
  rondo_node_immediate_unref(n, &immediates[0]);
  assert_false(rondo_node_immediate_has_ref(&immediates[0]));
  return NULL;
}

static void an_unreferenced_immediate_keeps_nothing_alive(void** state) { /* N3 */
  (void) state;
  run(unref_immediate_main);
  assert_string_equal(trail, "");
  rondo_node_immediate_clear(node, &immediates[0]);
}

static const void* throw_after_tick(rondo_node_t* n, void* data) {
  say_it(n, data);
  tick("tick1");
  return "error";
}

static const void* throwing_immediates_main(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  caught_all = 1;
  immediate(0, "a", throw_after_tick);
  immediate(1, "b", say_and_tick);
  immediate(2, "c", say_it);
  return NULL;
}

static void an_error_lets_the_other_immediates_run(void** state) { /* N7 */
  (void) state;
  run(throwing_immediates_main);
  assert_string_equal(trail, "a caught error b tick1 tick micro c");
}

static const void* throwing_tick_main(rondo_node_t* n, void* data) {
  (void) data;
  caught_all = 1;
  rondo_node_next_tick(n, &ticks[ticks_used++], say_and_throw, "t1");
  tick("t2");
  microtask("micro");
  immediate(0, "immediate", say_it);
  return NULL;
}

static void ticks_behind_an_error_come_before_the_immediates(void** state) { /* N7 */
  (void) state;
  run(throwing_tick_main);
  assert_string_equal(trail, "t1 caught error t2 micro immediate");
}

static const void* starve(rondo_node_t* n, void* data) {
  if (++intervals_left < 1000)
    rondo_node_next_tick(n, &ticks[0], starve, data);
  return NULL;
}

static const void* starve_main(rondo_node_t* n, void* data) {
  (void) data;
  intervals_left = 0;
  timer(0, "timer", 1, say_it);
  rondo_node_next_tick(n, &ticks[0], starve, NULL);
  return NULL;
}

static void ticks_starve_the_loop(void** state) { /* N4 */
  (void) state;
  run(starve_main);
  assert_int_equal(intervals_left, 1000);
  assert_string_equal(trail, "timer");
  assert_int_equal(run(nothing), 0);
}

int main(void) {
#define ORDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
  const struct CMUnitTest tests[] = {
      ORDER(ticks_before_microtasks),
      ORDER(only_the_outermost_scope_drains),
      ORDER(rejections_come_after_both),
      ORDER(delays_as_node_makes_them),
      ORDER(ticks_between_equal_timers),
      ORDER(ticks_after_the_group_in_the_older_order),
      ORDER(lists_go_by_expiry),
      ORDER(a_timer_joining_the_running_list_waits_its_time),
      ORDER(a_timer_cleared_in_its_batch_stays_silent),
      ORDER(an_interval_ends_from_its_own_callback),
      ORDER(refresh_starts_a_fired_timer_again),
      ORDER(refresh_moves_a_timer_behind_its_equals),
      ORDER(an_unreferenced_timer_keeps_nothing_alive),
      ORDER(an_error_lets_the_other_timers_run),
      ORDER(many_durations_keep_their_order),
      ORDER(immediates_queued_meanwhile_wait_a_turn),
      ORDER(immediates_in_the_older_order),
      ORDER(cleared_immediates_stay_silent),
      ORDER(an_unreferenced_immediate_keeps_nothing_alive),
      ORDER(an_error_lets_the_other_immediates_run),
      ORDER(ticks_behind_an_error_come_before_the_immediates),
      ORDER(ticks_starve_the_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
