/* Command lines: times, sizes and options are read alike for every command. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "options.h"
#include "values.h"

#define SECOND UINT64_C(1000000000)

static void times_have_a_unit(void** state) {
  static const struct {
    const char* text;
    uint64_t ns;
  } good[] = {{"0", 0},
              {"0s", 0},
              {"7ns", 7},
              {"80us", 80000},
              {"80µs", 80000},
              {"50ms", 50000000},
              {"1.2s", 1200000000},
              {"0.1234567891s", 123456789},
              {"1.5 s", 1500000000},
              {"2m", 120 * SECOND},
              {"2min", 120 * SECOND},
              {"1m30s", 90 * SECOND},
              {"24h", 86400 * SECOND},
              {"1.5h", 5400 * SECOND},
              {"7d", 7 * 86400 * SECOND},
              {"1h2m3s4ms5us6ns", 3723 * SECOND + 4005006}};
  uint64_t ns;
  (void) state;
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_int_equal(value_time(good[i].text, &ns), VALUE_GOOD);
    assert_int_equal(ns, good[i].ns);
  }
}

static void numbers_without_a_unit_are_bare(void** state) {
  static const char* const bare[] = {"50", "1.5", "007", "00"};
  uint64_t value;
  (void) state;
  for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
    assert_int_equal(value_time(bare[i], &value), VALUE_BARE);
    assert_int_equal(value_size(bare[i], &value), VALUE_BARE);
  }
}

static void what_is_no_time_is_refused(void** state) {
  static const char* const bad[] = {"",
                                    "soon",
                                    "ms",
                                    "-5s",
                                    "+5s",
                                    "1e3s",
                                    "0x5s",
                                    "inf",
                                    "nan",
                                    "5x",
                                    "5sx",
                                    "1m30",
                                    ".5s",
                                    "5.s",
                                    "1..5s",
                                    " 5s",
                                    "5s ",
                                    "1s2m",
                                    "1s1s",
                                    "1m2min",
                                    "5S",
                                    "5MS",
                                    "1 000s",
                                    "--",
                                    "5s,",
                                    "5  s",
                                    "99999999999999999999s",
                                    "600000000000h",
                                    "18446744073709551616ns"};
  uint64_t ns;
  (void) state;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    assert_int_equal(value_time(bad[i], &ns), VALUE_BAD);
}

static void sizes_are_powers_of_1024(void** state) {
  static const struct {
    const char* text;
    uint64_t bytes;
  } good[] = {{"0", 0},
              {"17B", 17},
              {"4k", 4096},
              {"4K", 4096},
              {"16M", 16 << 20},
              {"16m", 16 << 20},
              {"64MiB", 64 << 20},
              {"1.5k", 1536},
              {"2G", UINT64_C(2) << 30},
              {"1T", UINT64_C(1) << 40}};
  static const char* const bad[] = {"",     "much",  "M",   "-1M",
                                    "16MB", "16 MM", "1M-", "16777216T"};
  uint64_t bytes;
  (void) state;
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_int_equal(value_size(good[i].text, &bytes), VALUE_GOOD);
    assert_int_equal(bytes, good[i].bytes);
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    assert_int_equal(value_size(bad[i], &bytes), VALUE_BAD);
}

static void texts_are_read_as_the_same_value(void** state) {
  static const uint64_t values[] = {0,    1,           999,           1000,
                                    1024, 90 * SECOND, 3600 * SECOND, UINT64_MAX};
  char text[VALUE_TEXT_SIZE];
  uint64_t value;
  (void) state;
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    assert_int_equal(value_time(value_time_text(text, values[i]), &value), VALUE_GOOD);
    assert_int_equal(value, values[i]);
    assert_int_equal(value_size(value_size_text(text, values[i]), &value), VALUE_GOOD);
    assert_int_equal(value, values[i]);
  }
  assert_string_equal(value_time_text(text, 90 * SECOND), "90s");
  assert_string_equal(value_time_text(text, 3600 * SECOND), "1h");
  assert_string_equal(value_size_text(text, 64 << 20), "64M");
}

/* --- a table --- */

struct found {
  bool loud, listed, dashes;
  int form, signal;
  uint64_t time, size, count;
  const char *text, *choice;
  int next;
};

static bool signal_take(const char* text, void* into) {
  *(int*) into = 12;
  return strcmp(text, "USR2") == 0;
}

/* Reads the arguments, which end with NULL; `gathered`: between operands, whose number is
 * found->next then. */
static int arguments_read(struct found* found, const char** argv, bool gathered) {
  const struct option table[] = {
      option_flag("--loud", &found->loud, "help"),
      option_one_of("--plain", &found->form, 1, "help"),
      option_one_of("--rich", &found->form, 2, "help"),
      option_time("--time", &found->time, 1000000, 60 * SECOND, "help"),
      option_size("--size", &found->size, "help"),
      option_count("--count", &found->count, 1, 64, "help"),
      option_choice("--choice", "uring|epoll", &found->choice, "help"),
      {.name = "--text", .letter = "-t", .value = "TEXT", .text = &found->text},
      {.name = "--list",
       .value = "SIZE",
       .optional = true,
       .size = &found->size,
       .flag = &found->listed},
      {.name = "--signal",
       .value = "SIGNAL",
       .take = signal_take,
       .into = &found->signal,
       .problem = "no such signal"},
      {0}};
  const struct command_line line = {
      .name = "test", .usage = "usage: test\n", .options = table, .refusal = 9};
  int argc = 0;
  memset(found, 0, sizeof(*found));
  while (argv[argc] != NULL)
    argc++;
  if (!gathered)
    return options_read(&line, argc, (char**) argv, &found->next, &found->dashes);
  found->next = argc;
  return options_gather(&line, &found->next, (char**) argv);
}

#define READ(found, ...) arguments_read(found, (const char*[]){__VA_ARGS__, NULL}, false)

static void values_go_where_the_table_says(void** state) {
  struct found found;
  (void) state;
  assert_int_equal(READ(&found, "--loud", "--time", "50ms", "--size=16M", "--count", "64",
                        "--choice=epoll", "-t", "-", "--signal", "USR2", "app.js",
                        "--rich"),
                   OPTIONS_GOOD);
  assert_true(found.loud && !found.listed && !found.dashes);
  assert_int_equal(found.time, 50000000);
  assert_int_equal(found.size, 16 << 20);
  assert_int_equal(found.count, 64);
  assert_string_equal(found.choice, "epoll");
  assert_string_equal(found.text, "-");
  assert_int_equal(found.signal, 12);
  assert_int_equal(found.form, 0);
  assert_int_equal(found.next, 11);
}

static void the_last_of_several_counts(void** state) {
  struct found found;
  (void) state;
  assert_int_equal(READ(&found, "--rich", "--plain"), OPTIONS_GOOD);
  assert_int_equal(found.form, 1);
}

static void an_optional_value_stands_behind_an_equals_sign(void** state) {
  struct found found;
  (void) state;
  assert_int_equal(READ(&found, "--list", "16M"), OPTIONS_GOOD);
  assert_true(found.listed && found.size == 0 && found.next == 1);
  assert_int_equal(READ(&found, "--list=16M"), OPTIONS_GOOD);
  assert_true(found.listed && found.size == 16 << 20 && found.next == 1);
}

static void two_dashes_end_the_options(void** state) {
  struct found found;
  const char* between[] = {"1", "--loud", "2", "--", "--rich", "3", NULL};
  (void) state;
  assert_int_equal(READ(&found, "--loud", "--", "--rich"), OPTIONS_GOOD);
  assert_true(found.dashes && found.next == 2 && found.form == 0);
  assert_int_equal(arguments_read(&found, between, true), OPTIONS_GOOD);
  assert_true(found.loud && found.next == 4 && found.form == 0);
  assert_string_equal(between[1], "2");
  assert_string_equal(between[2], "--rich");
  assert_string_equal(between[3], "3");
}

static void bad_command_lines_are_refused(void** state) {
  struct found found;
  (void) state;
  assert_int_equal(READ(&found, "--lod"), 9);
  assert_int_equal(READ(&found, "--loud=1"), 9);
  assert_int_equal(READ(&found, "--time"), 9);
  assert_int_equal(READ(&found, "--time", "50"), 9);
  assert_int_equal(READ(&found, "--time", "1us"), 9);
  assert_int_equal(READ(&found, "--time=61s"), 9);
  assert_int_equal(READ(&found, "--size="), 9);
  assert_int_equal(READ(&found, "--size=0"), 9);
  assert_int_equal(READ(&found, "--list=7"), 9);
  assert_int_equal(READ(&found, "--count", "65"), 9);
  assert_int_equal(READ(&found, "--count", "1x"), 9);
  assert_int_equal(READ(&found, "--choice", "uring|epoll"), 9);
  assert_int_equal(READ(&found, "--choice", "ur"), 9);
  assert_int_equal(READ(&found, "--choice", ""), 9);
  assert_int_equal(READ(&found, "--signal", "KILL"), 9);
  assert_int_equal(READ(&found, "--text="), 9);
  assert_int_equal(READ(&found, "-x"), 9);
  assert_int_equal(READ(&found, "--help", "--lod"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_have_a_unit),
      cmocka_unit_test(numbers_without_a_unit_are_bare),
      cmocka_unit_test(what_is_no_time_is_refused),
      cmocka_unit_test(sizes_are_powers_of_1024),
      cmocka_unit_test(texts_are_read_as_the_same_value),
      cmocka_unit_test(values_go_where_the_table_says),
      cmocka_unit_test(the_last_of_several_counts),
      cmocka_unit_test(an_optional_value_stands_behind_an_equals_sign),
      cmocka_unit_test(two_dashes_end_the_options),
      cmocka_unit_test(bad_command_lines_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
