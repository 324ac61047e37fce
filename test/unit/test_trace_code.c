/* test: threads */
/* Whose code an address is: files by the loader's list, generated code by what its engine
 * announced. Clocks agree. What a thread used of the processor before its loop first
 * turned counts. */
#include "trace_test.h"

#include "rondo.h"
#include "trace/code.h"
#include "trace/ticks.h"
#include "trace_facts.h"

#include <pthread.h>
#include <time.h>

static char code[1 << 16]; /* stands for an engine's: only its addresses matter */

static const char* name_at(size_t offset) {
  static char text[64];
  return code_name_find((uintptr_t) code + offset, text, sizeof(text)) ? text : "";
}

static void generated_code_has_the_name_announced_last(void** state) {
  (void) state;
  assert_string_equal(name_at(0), "");
  rondo_trace_code(code + 1000, 100, "first");
  rondo_trace_code(code + 2000, 100, "second");
  assert_string_equal(name_at(1000), "first");
  assert_string_equal(name_at(1099), "first");
  assert_string_equal(name_at(1100), "");
  assert_string_equal(name_at(2050), "second");
  rondo_trace_code(code + 1050, 20, "over it");
  assert_string_equal(name_at(1060), "over it");
  assert_string_equal(name_at(1000), ""); /* overwritten in part: it is gone */
  rondo_trace_code_moved(code + 2000, code + 3000);
  assert_string_equal(name_at(3099), "second");
  rondo_trace_code_moved(code + 4000, code + 5000); /* never announced */
  assert_string_equal(name_at(5000), "");
}

static void wrong_announcements_change_nothing(void** state) {
  (void) state;
  rondo_trace_code(code + 6000, 0, "empty");
  rondo_trace_code(code + 6000, SIZE_MAX, "everything");
  rondo_trace_code(code + 6000, 1, NULL);
  assert_string_equal(name_at(6000), "");
}

static void* announce(void* argument) {
  size_t first = (size_t) argument;
  for (size_t i = 0; i < 10000; i++)
    rondo_trace_code(code + 8000 + 2 * (i % 4000) + first, 1,
                     first == 0 ? "even" : "odd");
  return NULL;
}

static void many_are_found_again_whoever_announced_them(void** state) {
  (void) state;
  pthread_t threads[2];
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, announce, (void*) i), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  for (size_t i = 0; i < 8000; i++)
    assert_string_equal(name_at(8000 + i), i % 2 == 0 ? "even" : "odd");
}

static void files_are_found_by_any_address_in_them(void** state) {
  (void) state;
  struct code_file file;
  assert_true(code_file_find((uintptr_t) files_are_found_by_any_address_in_them, &file));
  assert_string_equal(file.path, ""); /* the program itself */
  assert_true(code_file_find((uintptr_t) strtol, &file));
  assert_non_null(strstr(file.path, "/"));
  assert_false(code_file_find(16, &file));
}

static void use_processor(long ms) {
  struct timespec time;
  long end = 0;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    long now = (long) time.tv_sec * 1000 + time.tv_nsec / 1000000;
    end = end == 0 ? now + ms : end;
    if (now >= end)
      return;
  } while (true);
}

/* How far a clock of ticks is from the monotonic one; the test may be interrupted between
 * the two, so the best of some looks. */
static uint64_t ticks_off(const struct ticks* clock) {
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 100; i++) {
    uint64_t before = clock_now_ns(), now = ticks_now(clock), after = clock_now_ns();
    uint64_t off = now < before ? before - now : now > after ? now - after : 0;
    best = off < best ? off : best;
  }
  return best;
}

static void a_clock_of_ticks_stays_right_when_it_is_set_late(void** state) {
  (void) state;
  struct ticks clock = {0};
  struct ticks_lesson lesson = {0};
  ticks_start(&lesson);
  for (int i = 0; i < 20; i++) {
    uint64_t now = clock_now_ns();
    usleep(3000); /* the processor was somebody else's */
    ticks_set(&clock, &lesson, now);
    assert_true(ticks_off(&clock) < 20000);
  }
  usleep(50000);
  assert_true(ticks_off(&clock) < 20000);
}

static void* run_loop(void* argument) {
  uv_run(argument, UV_RUN_DEFAULT);
  return NULL;
}

static struct cpu_share share_before_first_turn(const char* name, bool elsewhere) {
  uv_loop_t loop;
  pthread_t thread;
  uv_loop_init(&loop);
  assert_int_equal(rondo_trace_start(&loop, path_of(name)), 0);
  use_processor(30);
  if (elsewhere) {
    assert_int_equal(pthread_create(&thread, NULL, run_loop, &loop), 0);
    pthread_join(thread, NULL);
  } else {
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  assert_int_equal(uv_loop_close(&loop), 0);
  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of(name));
  assert_int_equal(record->events[0].kind, EVENT_OUTSIDE);
  struct cpu_share share = cpu_between(record, 0, record->events[0].duration);
  trace_free(&trace);
  return share;
}

static void processor_time_before_the_first_turn_is_known(void** state) {
  (void) state;
  struct cpu_share share = share_before_first_turn("own", false);
  assert_true(share.known);
  assert_true(share.used >= 29000000);
}

static void that_of_a_thread_which_ran_the_loop_later_is_not(void** state) {
  (void) state;
  assert_false(share_before_first_turn("other", true).known);
}

static enum cpu_verdict verdict_of(uint64_t used_ms, uint64_t delay_ms) {
  struct cpu_share share = {
      .known = true, .used = used_ms * 1000000, .delay = delay_ms * 1000000};
  return cpu_verdict(&share, 100000000);
}

/* Of 100 ms; a virtual machine's processor may be somebody else's without a trace. */
static void a_small_part_that_is_missing_has_no_cause(void** state) {
  (void) state;
  assert_int_equal(verdict_of(95, 0), CPU_FINE);
  assert_int_equal(verdict_of(82, 0), CPU_PARTLY);
  assert_int_equal(verdict_of(82, 12), CPU_BUSY);
  assert_int_equal(verdict_of(40, 5), CPU_WAITED);
  assert_int_equal(verdict_of(7, 80), CPU_BUSY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generated_code_has_the_name_announced_last),
      cmocka_unit_test(wrong_announcements_change_nothing),
      cmocka_unit_test(many_are_found_again_whoever_announced_them),
      cmocka_unit_test(files_are_found_by_any_address_in_them),
      cmocka_unit_test(a_clock_of_ticks_stays_right_when_it_is_set_late),
      trace_test(processor_time_before_the_first_turn_is_known),
      trace_test(that_of_a_thread_which_ran_the_loop_later_is_not),
      cmocka_unit_test(a_small_part_that_is_missing_has_no_cause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
