/* When reads are shared with a helper: not while signs show that no processor is free for
 * it. */
#include "loop_test.h"

#include "request/fs_sharing.h"

enum { MS = 1000000, ENOUGH = 8000 };

static uint64_t now; /* a clock of the test's own */

static bool after_ms(struct fs_sharing* sharing, uint64_t ms) {
  /* A machine that does other work takes this thread's processor now and then. */
  sharing->switches = fs_sharing_switches();
  return fs_sharing_take_chance(sharing, now + ms * MS);
}

static void the_first_milliseconds_are_not_shared(void** state) {
  (void) state;
  struct fs_sharing sharing = {0};
  now = 1000 * (uint64_t) MS;
  fs_sharing_begin(&sharing, now);
  assert_false(after_ms(&sharing, 0));
  assert_false(after_ms(&sharing, 19));
  assert_true(after_ms(&sharing, 20));
  fs_sharing_begin(&sharing, now);
  sharing.switches = fs_sharing_switches() - 100; /* the processor was taken meanwhile */
  assert_false(fs_sharing_take_chance(&sharing, now + 20 * MS));
  assert_false(after_ms(&sharing, 69));
  assert_true(after_ms(&sharing, 70));
}

static void a_sign_stops_it_for_a_while(void** state) {
  (void) state;
  struct fs_sharing sharing = {0};
  now = 1000 * (uint64_t) MS;
  assert_true(fs_sharing_take_chance(&sharing, now));
  fs_sharing_pause(&sharing, now);
  assert_false(after_ms(&sharing, 0));
  fs_sharing_pause(&sharing, now + 10 * MS); /* more signs of the same don't count */
  assert_false(after_ms(&sharing, 49));
  assert_true(after_ms(&sharing, 50));
}

static void the_pause_doubles_while_signs_come_soon(void** state) {
  (void) state;
  struct fs_sharing sharing = {0};
  now = 1000 * (uint64_t) MS;
  for (uint64_t pause = 50; pause < 5000; pause *= 2) {
    uint64_t ms = pause < 1000 ? pause : 1000; /* and has a limit */
    for (int i = 0; i < ENOUGH / 2; i++)
      fs_sharing_won(&sharing);
    fs_sharing_pause(&sharing, now);
    assert_false(after_ms(&sharing, ms - 1));
    assert_true(after_ms(&sharing, ms));
    now += ms * MS;
  }
  for (int i = 0; i < ENOUGH; i++)
    fs_sharing_won(&sharing);
  fs_sharing_pause(&sharing, now);
  assert_true(after_ms(&sharing, 50)); /* short again */
}

static void a_pause_goes_on_while_the_loop_loses_its_processor(void** state) {
  (void) state;
  struct fs_sharing sharing = {0};
  now = 1000 * (uint64_t) MS;
  fs_sharing_pause(&sharing, now);
  sharing.switches = fs_sharing_switches() - 100;
  assert_false(fs_sharing_take_chance(&sharing, now + 50 * MS));
  assert_false(after_ms(&sharing, 149));
  assert_true(after_ms(&sharing, 150));
}

static void helpers_that_come_too_late_are_called_less(void** state) {
  (void) state;
  struct fs_sharing sharing = {0};
  fs_sharing_lost(&sharing);
  assert_false(fs_sharing_take_chance(&sharing, 1));
  assert_true(fs_sharing_take_chance(&sharing, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_milliseconds_are_not_shared),
      cmocka_unit_test(a_sign_stops_it_for_a_while),
      cmocka_unit_test(the_pause_doubles_while_signs_come_soon),
      cmocka_unit_test(a_pause_goes_on_while_the_loop_loses_its_processor),
      cmocka_unit_test(helpers_that_come_too_late_are_called_less),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
