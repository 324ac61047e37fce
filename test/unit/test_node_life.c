/* The Node layer's outer loop: main, loop, engine tasks, beforeExit, exit, and where
 * errors go (contract N1, N6, N7). */
#include "rondo_node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <stdio.h>
#include <fcntl.h>
#include <cmocka.h>

static rondo_node_t* node;
static uv_loop_t loop;
static char trail[512];
static rondo_node_timer_t timer, exit_timer;
static rondo_node_immediate_t immediate;
static rondo_node_tick_t ticks[4];
static int rounds, handled;

static void say(const char* word) {
  if (trail[0] != '\0')
    strcat(trail, " ");
  strcat(trail, word);
}

static const void* say_it(rondo_node_t* n, void* word) {
  (void) n;
  say(word);
  return NULL;
}

static void start_timer(const char* word) {
  timer.data = (void*) word;
  assert_int_equal(rondo_node_timer_start(node, &timer, 1, 0, say_it, NULL), 0);
}

static void drain(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  say("drain");
}

static const void* before_exit(rondo_node_t* n, void* data) {
  (void) data;
  say("beforeExit");
  if (rounds-- > 0) {
    start_timer("timer");
    rondo_node_next_tick(n, &ticks[0], say_it, "tick");
  }
  return NULL;
}

static int on_exit_hook(rondo_node_t* n, int code, void* data) {
  (void) data;
  char word[32];
  snprintf(word, sizeof word, "exit(%d)", code);
  say(word);
  exit_timer.data = "never";
  assert_int_equal(rondo_node_timer_start(n, &exit_timer, 1, 0, say_it, NULL), 0);
  assert_int_equal(rondo_node_next_tick(n, &ticks[1], say_it, "never"), UV_ECANCELED);
  return code;
}

static int uncaught(rondo_node_t* n, const void* error, void* data) {
  (void) n;
  (void) error;
  (void) data;
  say("uncaught");
  return handled;
}

static void fatal(rondo_node_t* n, const void* error, void* data) {
  (void) n;
  (void) data;
  say("fatal");
  say(error);
}

static int setup(void** state) {
  (void) state;
  rondo_node_hooks_t hooks = {0};
  hooks.drain = drain;
  hooks.before_exit = before_exit;
  hooks.exit = on_exit_hook;
  hooks.uncaught = uncaught;
  hooks.fatal = fatal;
  trail[0] = '\0';
  rounds = handled = 0;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_node_new(&node, &loop, &hooks), 0);
  assert_ptr_equal(rondo_node_loop(node), &loop);
  return 0;
}

static int teardown(void** state) {
  (void) state;
  rondo_node_free(node);
  while (uv_run(&loop, UV_RUN_DEFAULT) != 0)
    ; /* the first may only take back the stop that exit asked for */
  assert_int_equal(uv_loop_close(&loop), 0);
  return 0;
}

static const void* main_with_tick(rondo_node_t* n, void* data) {
  (void) data;
  say("main");
  rondo_node_next_tick(n, &ticks[2], say_it, "tick");
  start_timer("timer");
  return NULL;
}

static void the_phases_of_a_life(void** state) { /* N1 */
  (void) state;
  assert_int_equal(rondo_node_run(node, main_with_tick, NULL), 0);
  assert_string_equal(trail, "main tick timer drain beforeExit exit(0)");
}

static void before_exit_can_prolong_it(void** state) { /* N1 */
  (void) state;
  rounds = 2;
  assert_int_equal(rondo_node_run(node, say_it, "main"), 0);
  assert_string_equal(trail,
                      "main drain beforeExit tick timer drain beforeExit tick timer "
                      "drain beforeExit exit(0)");
}

static const void* exit_now(rondo_node_t* n, void* data) {
  say_it(n, data);
  rondo_node_next_tick(n, &ticks[2], say_it, "never");
  start_timer("never");
  assert_int_equal(rondo_node_exit(n, 3), 3);
  assert_true(rondo_node_exiting(n));
  return NULL;
}

static void exit_leaves_at_once(void** state) { /* N1 */
  (void) state;
  assert_int_equal(rondo_node_run(node, exit_now, "main"), 3);
  assert_string_equal(trail, "main exit(3)");
}

static const void* exit_later(rondo_node_t* n, void* data) {
  (void) data;
  say("main");
  immediate.data = "immediate";
  rondo_node_immediate_start(n, &immediate, exit_now);
  return NULL;
}

static void exit_from_a_callback_ends_the_loop(void** state) { /* N1 */
  (void) state;
  assert_int_equal(rondo_node_run(node, exit_later, NULL), 3);
  assert_string_equal(trail, "main immediate exit(3)");
}

static const void* throw_it(rondo_node_t* n, void* data) {
  say_it(n, data);
  return "error";
}

static void an_uncaught_error_exits_with_one(void** state) { /* N7 */
  (void) state;
  assert_int_equal(rondo_node_run(node, throw_it, "main"), 1);
  assert_string_equal(trail, "main uncaught exit(1) fatal error");
}

static const void* tick_and_throw(rondo_node_t* n, void* data) {
  (void) data;
  rondo_node_next_tick(n, &ticks[2], say_it, "tick");
  return "error";
}

static void a_caught_error_of_main_goes_on_with_its_ticks(void** state) { /* N7 */
  (void) state;
  handled = 1;
  assert_int_equal(rondo_node_run(node, tick_and_throw, NULL), 0);
  assert_string_equal(trail, "uncaught tick drain beforeExit exit(0)");
}

/* N6: inside an I/O callback the immediate always comes before a due timer. */

static uv_fs_t stat_req;

static const void* from_io(rondo_node_t* n, void* data) {
  (void) data;
  start_timer("timer");
  immediate.data = "immediate";
  rondo_node_immediate_start(n, &immediate, say_it);
  uv_sleep(5);
  return NULL;
}

static void stat_done(uv_fs_t* req) {
  uv_fs_req_cleanup(req);
  rondo_node_call(node, from_io, NULL);
}

static const void* stat_main(rondo_node_t* n, void* data) {
  (void) data;
  assert_int_equal(uv_fs_stat(rondo_node_loop(n), &stat_req, "/", stat_done), 0);
  return NULL;
}

static void immediate_before_timer_inside_io(void** state) { /* N6 */
  (void) state;
  assert_int_equal(rondo_node_run(node, stat_main, NULL), 0);
  assert_string_equal(trail, "immediate timer drain beforeExit exit(0)");
}

int main(void) {
#define LIFE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
  const struct CMUnitTest tests[] = {
      LIFE(the_phases_of_a_life),
      LIFE(before_exit_can_prolong_it),
      LIFE(exit_leaves_at_once),
      LIFE(exit_from_a_callback_ends_the_loop),
      LIFE(an_uncaught_error_exits_with_one),
      LIFE(a_caught_error_of_main_goes_on_with_its_ticks),
      LIFE(immediate_before_timer_inside_io),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
