/* The Node layer's timers with plain functions as callbacks: delays, lists by duration,
 * clearing, refreshing, references, errors (contract N2, N4, N5, N7). */
#include "node_trail.h"

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

int main(void) {
#define ORDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
  const struct CMUnitTest tests[] = {
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
