/* Timers: contract T, and the timer's part of P2, P3, L8. */
#include "loop_test.h"

#include <limits.h>
#include <time.h>

static uv_timer_t timers[8];

static void log_index(uv_timer_t* timer) {
  char word[32];
  snprintf(word, sizeof(word), "%td", timer - timers);
  log_word(word);
}

static void init_timers(uv_loop_t* loop) {
  for (int i = 0; i < 8; i++)
    assert_int_equal(uv_timer_init(loop, &timers[i]), 0);
}

/* Covers T1. */
static void fire_by_due_time_then_by_start_order(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[3], log_index, 2, 0);
  uv_timer_start(&timers[1], log_index, 1, 0);
  uv_timer_start(&timers[0], log_index, 2, 0);
  uv_timer_start(&timers[2], log_index, 1, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("1 2 3 0");
}

/* Covers T1: a restart is a new start. */
static void restart_moves_a_timer_behind_its_equals(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  for (int i = 0; i < 3; i++)
    uv_timer_start(&timers[i], log_index, 1, 0);
  uv_timer_start(&timers[0], log_index, 1, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("1 2 0");
}

/* Covers T2: the timeout counts from the cached time, not from now. */
static void timeout_counts_from_the_cached_time(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_update_time(loop);
  uint64_t before = uv_now(loop);
  uv_sleep(20);
  assert_int_equal(uv_now(loop), before);
  uv_timer_start(&timers[0], log_index, 15, 0);
  assert_int_equal(uv_timer_get_due_in(&timers[0]), 15);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0");
}

/* Covers T2: a timer without a timeout is due at once, however soon the run begins. */
static void zero_timeout_fires_in_a_run_of_the_same_microsecond(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  for (int i = 0; i < 10000; i++) {
    uv_timer_start(&timers[0], log_index, 0, 0);
    uv_run(loop, UV_RUN_NOWAIT);
    assert_log("0");
  }
}

/* The poll behind a timer that is due already doesn't sleep then. */
static void log_index_and_stop(uv_timer_t* timer) {
  log_index(timer);
  uv_stop(timer->loop);
}

/* Covers T2 and T4: the end of time is far away, and is not wrapped around. */
static void timeouts_at_the_end_of_time_are_clamped(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  static const uint64_t huge[] = {
      UINT64_MAX,     UINT64_MAX - 1, UINT64_MAX / 1000,     (uint64_t) INT_MAX,
      UINT64_MAX / 2, 0xffffffffffff, (uint64_t) INT_MAX + 1};
  for (int i = 0; i < 7; i++)
    assert_int_equal(uv_timer_start(&timers[i], log_index, huge[i], 0), 0);
  uv_timer_start(&timers[7], log_index_and_stop, 1, 0);
  assert_int_equal(uv_timer_get_due_in(&timers[5]), 0xffffffffffff);
  assert_true(uv_timer_get_due_in(&timers[0]) > (uint64_t) INT_MAX);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("7");
  uv_timer_stop(&timers[3]);
  uv_timer_stop(&timers[6]);
  assert_int_equal(uv_backend_timeout(loop), INT_MAX);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("");
}

static void log_and_start_again(uv_timer_t* timer) {
  log_index(timer);
  uv_timer_start(timer, log_index, 0, 0);
}

/* Covers P2: a timer due at once, started by a timer, waits for the next turn. */
static void zero_timeout_from_a_timer_waits_for_the_next_turn(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_and_start_again, 0, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("");
}

static void log_state(uv_timer_t* timer) {
  log_word(uv_is_active((uv_handle_t*) timer) ? "active" : "inactive");
  if (strlen(log_text) > 12)
    uv_timer_stop(timer);
}

/* Covers T3: re-armed before its callback. */
static void repeating_timer_is_armed_inside_its_callback(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_state, 1, 1);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("active active");
  uv_timer_start(&timers[0], log_state, 1, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("inactive");
}

/* Covers T3. */
static void again_needs_a_start_and_uses_the_repeat(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  assert_int_equal(uv_timer_again(&timers[0]), UV_EINVAL);
  uv_timer_start(&timers[0], log_index, 1000, 0);
  assert_int_equal(uv_timer_again(&timers[0]), 0); /* no repeat: nothing changes */
  assert_int_equal(uv_timer_get_due_in(&timers[0]), 1000);
  uv_timer_set_repeat(&timers[0], 30);
  assert_int_equal(uv_timer_get_repeat(&timers[0]), 30);
  assert_int_equal(uv_timer_again(&timers[0]), 0);
  assert_int_equal(uv_timer_get_due_in(&timers[0]), 30);
}

static void log_and_stop_others(uv_timer_t* timer) {
  log_index(timer);
  uv_timer_stop(&timers[1]);
  uv_close((uv_handle_t*) &timers[2], NULL);
  uv_timer_start(&timers[3], log_index, 0, 0);
}

/* Covers T3: stop, close and start of others of the same batch. */
static void callbacks_may_stop_their_neighbours(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_and_stop_others, 0, 0);
  for (int i = 1; i < 5; i++)
    uv_timer_start(&timers[i], log_index, 0, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0 4");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("3");
}

enum { MANY = 5000 };
static uv_timer_t many[MANY];
static int fired;
static uint64_t last_due;
static uint64_t last_id;

static void check_order(uv_timer_t* timer) {
  uint64_t due = (uint64_t) (uintptr_t) timer->data;
  assert_true(due > last_due || (due == last_due && timer->start_id > last_id));
  last_due = due;
  last_id = timer->start_id;
  fired++;
  /* Now and then do something to a neighbour that is due in the same batch. */
  uv_timer_t* neighbour = &many[(timer - many) ^ 1];
  if (fired % 7 == 0 && uv_is_active((uv_handle_t*) neighbour)) {
    uv_timer_stop(neighbour);
    fired++;
  }
}

/* Covers T1 and T3 when so many are due that they leave the heap in bulk, and when only a
 * small part is. */
static void thousands_fire_in_order(void** state) {
  uv_loop_t* loop = *state;
  unsigned int seed = 1;
  fired = 0;
  last_due = last_id = 0;
  for (int i = 0; i < MANY; i++) {
    seed = seed * 1103515245 + 12345;
    uint64_t timeout = (seed >> 16) % 40;
    uv_timer_init(loop, &many[i]);
    many[i].data = (void*) (uintptr_t) timeout;
    uv_timer_start(&many[i], check_order, timeout, 0);
  }
  for (int i = 0; i < MANY; i += 5) /* holes in the heap */
    fired += uv_is_active((uv_handle_t*) &many[i]) && uv_timer_stop(&many[i]) == 0;
  uv_run(loop, UV_RUN_NOWAIT);
  uv_sleep(25); /* more than half are due now, in one turn */
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(fired, MANY);
}

static void* no_memory(size_t size) {
  (void) size;
  return NULL;
}

static void* no_array(size_t count, size_t size) {
  (void) count, (void) size;
  return NULL;
}

static void* no_more(void* block, size_t size) {
  (void) block, (void) size;
  return NULL;
}

enum { REPEATING = 256 };

static void count_fired(uv_timer_t* timer) {
  (void) timer;
  fired++;
}

/* Takes all the room that those which are due left behind. */
static void start_while_there_is_room(uv_timer_t* timer) {
  fired++;
  if (timer != &many[0])
    return;
  uv_replace_allocator(no_memory, no_more, no_array, free);
  for (int i = REPEATING; i < MANY; i++) {
    uv_timer_init(timer->loop, &many[i]);
    if (uv_timer_start(&many[i], count_fired, 100000, 0) != 0)
      return;
  }
}

/* Covers T3 and H3: a repeating timer needs no memory to go on, whatever the others that
 * are due with it start. */
static void repeating_timers_go_on_without_memory(void** state) {
  uv_loop_t* loop = *state;
  fired = 0;
  memset(many, 0, sizeof(many));
  for (int i = 0; i < REPEATING; i++) {
    uv_timer_init(loop, &many[i]);
    uv_timer_start(&many[i], start_while_there_is_room, 0, 1);
  }
  uv_update_time(loop);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_replace_allocator(malloc, realloc, calloc, free);
  assert_int_equal(fired, REPEATING);
  for (int i = 0; i < REPEATING; i++)
    assert_true(uv_is_active((uv_handle_t*) &many[i]));
}

static void run_inside(uv_timer_t* timer) {
  fired++;
  if (timer != &many[0])
    return;
  uv_sleep(5); /* so that the second half is due for the inner run */
  uv_run(timer->loop, UV_RUN_NOWAIT);
}

/* Not what the manual allows, but programs do it: a run inside a timer's callback, while
 * others that left the heap in bulk wait for theirs. */
static void a_run_inside_a_callback_does_no_harm(void** state) {
  uv_loop_t* loop = *state;
  fired = 0;
  for (int i = 0; i < 400; i++) {
    uv_timer_init(loop, &many[i]);
    uv_timer_start(&many[i], run_inside, i < 200 ? 0 : 4, 0);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(fired, 400);
}

static uint64_t fired_at;

static void note_time(uv_timer_t* timer) {
  (void) timer;
  fired_at = uv_hrtime();
}

/* Covers T4: never early, not by a fraction of a millisecond. */
static void timers_never_fire_early(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  for (uint64_t timeout = 1; timeout <= 12; timeout++) {
    uv_update_time(loop);
    uint64_t started = uv_hrtime();
    uint64_t cached_late = uv_hrtime();
    uv_update_time(loop);
    uv_timer_start(&timers[0], note_time, timeout, 0);
    uv_run(loop, UV_RUN_DEFAULT);
    (void) cached_late;
    assert_true(fired_at - started >= timeout * 1000000);
  }
}

/* Covers H3, T3. */
static void bad_arguments_change_nothing(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_index, 50, 7);
  assert_int_equal(uv_timer_start(&timers[0], NULL, 1, 1), UV_EINVAL);
  assert_int_equal(uv_timer_get_due_in(&timers[0]), 50);
  assert_int_equal(uv_timer_get_repeat(&timers[0]), 7);
  uv_close((uv_handle_t*) &timers[0], NULL);
  assert_int_equal(uv_timer_start(&timers[0], log_index, 1, 1), UV_EINVAL);
  assert_int_equal(uv_timer_stop(&timers[0]), 0);
}

/* Covers P3 and L8. */
static void once_waits_for_a_timer_and_fires_it(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_index, 10, 0);
  uv_timer_start(&timers[1], log_index, 10, 0);
  assert_int_equal(uv_run(loop, UV_RUN_ONCE), 0);
  assert_log("0 1");
}

/* Covers P3: no timer fires twice in one call. */
static void a_repeating_timer_fires_once_in_a_call(void** state) {
  uv_loop_t* loop = *state;
  init_timers(loop);
  uv_timer_start(&timers[0], log_index, 0, 1);
  uv_sleep(3);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("0");
  uv_sleep(3);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(fire_by_due_time_then_by_start_order),
      loop_test(restart_moves_a_timer_behind_its_equals),
      loop_test(timeout_counts_from_the_cached_time),
      loop_test(zero_timeout_fires_in_a_run_of_the_same_microsecond),
      loop_test(timeouts_at_the_end_of_time_are_clamped),
      loop_test(zero_timeout_from_a_timer_waits_for_the_next_turn),
      loop_test(repeating_timer_is_armed_inside_its_callback),
      loop_test(again_needs_a_start_and_uses_the_repeat),
      loop_test(callbacks_may_stop_their_neighbours),
      loop_test(thousands_fire_in_order),
      loop_test(repeating_timers_go_on_without_memory),
      loop_test(a_run_inside_a_callback_does_no_harm),
      loop_test(timers_never_fire_early),
      loop_test(bad_arguments_change_nothing),
      loop_test(once_waits_for_a_timer_and_fires_it),
      loop_test(a_repeating_timer_fires_once_in_a_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
