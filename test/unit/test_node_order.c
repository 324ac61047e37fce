/* The Node layer with plain functions as callbacks: ticks, microtasks, scopes and
 * immediates in Node's order (contract N3 to N5, N7). A test is the trail of words that
 * its callbacks leave. */
#include "node_trail.h"

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

static int starved;

static const void* starve(rondo_node_t* n, void* data) {
  if (++starved < 1000)
    rondo_node_next_tick(n, &ticks[0], starve, data);
  return NULL;
}

static const void* starve_main(rondo_node_t* n, void* data) {
  (void) data;
  starved = 0;
  timer(0, "timer", 1, say_it);
  rondo_node_next_tick(n, &ticks[0], starve, NULL);
  return NULL;
}

static void ticks_starve_the_loop(void** state) { /* N4 */
  (void) state;
  run(starve_main);
  assert_int_equal(starved, 1000);
  assert_string_equal(trail, "timer");
  assert_int_equal(run(nothing), 0);
}

int main(void) {
#define ORDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
  const struct CMUnitTest tests[] = {
      ORDER(ticks_before_microtasks),
      ORDER(only_the_outermost_scope_drains),
      ORDER(rejections_come_after_both),
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
