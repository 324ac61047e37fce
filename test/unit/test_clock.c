/* Clocks, sleeping, uptime and random bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "system/system.h"
#include "uv.h"

static void hrtime_never_goes_back(void** state) {
  (void) state;
  uint64_t last = uv_hrtime();
  for (int i = 0; i < 1000; i++) {
    uint64_t now = uv_hrtime();
    assert_true(now >= last);
    last = now;
  }
}

static void clocks_agree_with_the_systems(void** state) {
  (void) state;
  uv_timespec64_t monotonic;
  uv_timespec64_t real;
  uv_timeval64_t day;
  assert_int_equal(uv_clock_gettime(UV_CLOCK_MONOTONIC, &monotonic), 0);
  assert_true((uint64_t) monotonic.tv_sec <= uv_hrtime() / 1000000000);
  assert_int_equal(uv_clock_gettime(UV_CLOCK_REALTIME, &real), 0);
  assert_int_equal(uv_gettimeofday(&day), 0);
  assert_in_range(day.tv_sec - real.tv_sec, 0, 60);
  assert_in_range(time(NULL) - real.tv_sec, 0, 60);
  assert_in_range(real.tv_nsec, 0, 999999999);
  assert_in_range(day.tv_usec, 0, 999999);
}

static void bad_clocks_are_refused(void** state) {
  (void) state;
  uv_timespec64_t time;
  assert_int_equal(uv_clock_gettime(UV_CLOCK_MONOTONIC, NULL), UV_EFAULT);
  assert_int_equal(uv_clock_gettime((uv_clock_id) 1337, &time), UV_EINVAL);
  assert_int_equal(uv_clock_gettime((uv_clock_id) 1337, NULL), UV_EFAULT);
  assert_int_equal(uv_gettimeofday(NULL), UV_EINVAL);
}

static void on_alarm(int signal_number) {
  (void) signal_number;
}

static void signals_do_not_shorten_a_sleep(void** state) {
  (void) state;
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval often = {.it_interval = {0, 5000}, .it_value = {0, 5000}};
  struct itimerval never = {0};
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  uint64_t before = uv_hrtime();
  uv_sleep(50);
  uint64_t slept = uv_hrtime() - before;
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
  assert_true(slept >= 50 * 1000000);
  uv_sleep(0);
}

static void uptime_is_that_of_the_machine(void** state) {
  (void) state;
  struct timespec boot;
  double uptime = 0;
  assert_int_equal(uv_uptime(&uptime), 0);
  assert_true(uptime > 0);
  assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &boot), 0);
  assert_true(uptime <= (double) boot.tv_sec + 2);
}

static void random_bytes_fill_the_whole_buffer(void** state) {
  (void) state;
  unsigned char bytes[4096] = {0};
  unsigned char others[64] = {0};
  assert_int_equal(system_random(bytes, sizeof(bytes)), 0);
  assert_int_equal(system_random(others, sizeof(others)), 0);
  assert_memory_not_equal(bytes, others, sizeof(others));
  for (size_t i = 0; i < sizeof(bytes); i += 64) {
    assert_memory_not_equal(bytes + i, (unsigned char[64]){0}, 64);
  }
  assert_int_equal(system_random(NULL, 0), 0);
}

static void small_files_are_read_whole_or_cut(void** state) {
  (void) state;
  char buffer[8];
  char* whole;
  assert_int_equal(system_read_file("/proc/version", buffer, sizeof(buffer)), 7);
  assert_string_equal(buffer, "Linux v");
  assert_int_equal(system_read_file("/no/such/file", buffer, sizeof(buffer)), UV_ENOENT);
  assert_int_equal(system_read_file("/", buffer, sizeof(buffer)), UV_EISDIR);
  ssize_t length = system_read_whole_file("/proc/self/maps", &whole);
  assert_true(length > 0);
  assert_int_equal(strlen(whole), length);
  free(whole);
  assert_int_equal(system_read_whole_file("/no/such/file", &whole), UV_ENOENT);
  assert_int_equal(system_read_whole_file("/", &whole), UV_EISDIR);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hrtime_never_goes_back),
      cmocka_unit_test(clocks_agree_with_the_systems),
      cmocka_unit_test(bad_clocks_are_refused),
      cmocka_unit_test(signals_do_not_shorten_a_sleep),
      cmocka_unit_test(uptime_is_that_of_the_machine),
      cmocka_unit_test(random_bytes_fill_the_whole_buffer),
      cmocka_unit_test(small_files_are_read_whole_or_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
