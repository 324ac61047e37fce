/* A tree of 1,000 directories changed at random, watched as a whole: what is done is
 * known, and each change must be told by its exact name before the next is made.
 *
 * RONDO_LONG=60 makes it take a minute, RONDO_SEED another course. */
/* test: serial */
#include "helper_changes.h"

struct expected {
  char path[8192];
  int events;
};

enum { BATCH = 8192 };
static struct expected* expected;
static int expected_count;
static struct recorder recorder;
static unsigned long overflows;

static void note_expected(const char* path, int events) {
  assert_true(expected_count < BATCH);
  snprintf(expected[expected_count].path, sizeof(expected[0].path), "%s", path);
  expected[expected_count++].events = events;
}

static bool was_overflow(void) {
  for (size_t i = 0; i < recorder.count; i++) {
    assert_int_equal(recorder.told[i].status, 0);
    if (recorder.told[i].filename == NULL)
      return true;
  }
  return false;
}

static void await_expected(void) {
  uint64_t patience = uv_hrtime() + 5000000000u;
  for (int i = 0; i < expected_count; i++) {
    while (recorder_count(&recorder, expected[i].path, expected[i].events) == 0) {
      if (was_overflow()) {
        overflows++;
        return;
      }
      if (uv_hrtime() > patience)
        fail_msg("change %lu: %s (%d) was not told", changes, expected[i].path,
                 expected[i].events);
      uv_run(&files_loop, UV_RUN_ONCE);
    }
  }
}

static void look_at_the_clock(uv_timer_t* timer) {
  (void) timer;
}

/* Directories one at a time, files many at once: every directory they are in is known. */
static void every_change_is_told(void** state) {
  (void) state;
  uv_timer_t timer;
  tree_begin();
  expected = calloc(BATCH, sizeof(*expected));
  assert_non_null(expected);
  uv_timer_init(&files_loop, &timer);
  uv_timer_start(&timer, look_at_the_clock, 1000, 1000);
  assert_int_equal(recorder_start(&recorder, "top", UV_FS_EVENT_RECURSIVE), 0);
  changes_expect = note_expected;
  overflows = 0;
  changes = 0;
  uint64_t end = uv_hrtime() + (uint64_t) (changes_seconds(1.5) * 1e9);
  while (uv_hrtime() < end) {
    unsigned int batch = 1 + random_below(20);
    expected_count = 0;
    if (random_below(2) == 0)
      change_a_directory();
    else
      while (batch-- > 0)
        change_a_file();
    await_expected();
    recorder_forget(&recorder);
  }
  print_message("%lu changes, each told; %lu overflows\n", changes, overflows);
  uv_close((uv_handle_t*) &timer, NULL);
  recorder_close(&recorder);
  free(expected);
}

int main(void) {
  if (access("/dev/shm", W_OK) == 0)
    setenv("TMPDIR", "/dev/shm", 0); /* many more changes in the same time */
  const struct CMUnitTest tests[] = {
      FILES_TEST(every_change_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
