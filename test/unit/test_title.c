/* test: threads */
/* The process's title, as this library, the kernel and `ps` tell it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/system.h"
#include "uv.h"

static int original_argc;
static char** original_argv;
static char** argv_copy;

static void without_the_arguments_there_is_no_room(void** state) {
  (void) state;
  char buffer[64];
  assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), UV_ENOBUFS);
  assert_int_equal(uv_set_process_title("title"), UV_ENOBUFS);
  assert_int_equal(uv_get_process_title(NULL, 10), UV_EINVAL);
  assert_int_equal(uv_get_process_title(buffer, 0), UV_EINVAL);
}

static void nothing_to_set_up_changes_nothing(void** state) {
  (void) state;
  char* none[] = {NULL};
  assert_ptr_equal(uv_setup_args(0, none), none);
  assert_null(uv_setup_args(0, NULL));
}

static void the_copy_has_the_same_arguments(void** state) {
  (void) state;
  char name[256];
  assert_int_equal(original_argc, 3);
  strcpy(name, original_argv[0]);
  argv_copy = uv_setup_args(original_argc, original_argv);
  assert_ptr_not_equal(argv_copy, original_argv);
  for (int i = 0; i < original_argc; i++) {
    assert_string_equal(argv_copy[i], original_argv[i]);
    assert_ptr_not_equal(argv_copy[i], original_argv[i]);
  }
  assert_null(argv_copy[original_argc]);

  char buffer[256];
  assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), 0);
  assert_string_equal(buffer, name);
  /* Once is enough. */
  assert_ptr_equal(uv_setup_args(original_argc, argv_copy), argv_copy);
}

static void expect_title(const char* set, const char* expected) {
  char buffer[512];
  assert_int_equal(uv_set_process_title(set), 0);
  assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), 0);
  assert_string_equal(buffer, expected);

  /* The kernel shows the same, and nothing of the old arguments behind it. */
  ssize_t length = system_read_file("/proc/self/cmdline", buffer, sizeof(buffer));
  assert_true(length > 0);
  assert_string_equal(buffer, expected);
  for (size_t i = strlen(expected); i < (size_t) length; i++) {
    assert_int_equal(buffer[i], 0);
  }
  length = system_read_file("/proc/self/comm", buffer, sizeof(buffer));
  assert_true(length > 0);
  buffer[length - 1] = '\0';
  assert_memory_equal(buffer, expected, strlen(buffer));
}

static void a_new_title_is_seen_by_everyone(void** state) {
  (void) state;
  expect_title("new title", "new title");
  expect_title("%s%s%n", "%s%s%n");
  expect_title("", "");
  expect_title("short", "short");
  assert_string_equal(argv_copy[1], "an argument");
}

static void a_long_title_is_cut(void** state) {
  (void) state;
  char title[8192];
  char buffer[8192];
  memset(title, 'y', sizeof(title) - 1);
  title[sizeof(title) - 1] = '\0';
  assert_int_equal(uv_set_process_title(title), 0);
  assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), 0);
  size_t expected =
      strlen(argv_copy[0]) + strlen(argv_copy[1]) + strlen(argv_copy[2]) + 2;
  assert_int_equal(strlen(buffer), expected);
  assert_memory_equal(buffer, title, expected);
}

static void too_small_a_buffer_is_told(void** state) {
  (void) state;
  char buffer[6] = "?";
  assert_int_equal(uv_set_process_title("title"), 0);
  assert_int_equal(uv_get_process_title(buffer, 5), UV_ENOBUFS);
  assert_string_equal(buffer, "?");
  assert_int_equal(uv_get_process_title(buffer, 6), 0);
  assert_string_equal(buffer, "title");
}

static void set_often(void* argument) {
  for (int i = 0; i < 50; i++) {
    if (uv_set_process_title(argument) != 0) {
      abort();
    }
  }
}

static void threads_never_see_half_a_title(void** state) {
  (void) state;
  static char a[] = "aaaaaaaaaaaa";
  static char b[] = "bbbbbbbbbbbb";
  uv_thread_t threads[2];
  char buffer[64];
  assert_int_equal(uv_set_process_title(a), 0);
  assert_int_equal(uv_thread_create(&threads[0], set_often, a), 0);
  assert_int_equal(uv_thread_create(&threads[1], set_often, b), 0);
  for (int i = 0; i < 200; i++) {
    assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), 0);
    assert_true(strcmp(buffer, a) == 0 || strcmp(buffer, b) == 0);
  }
  assert_int_equal(uv_thread_join(&threads[0]), 0);
  assert_int_equal(uv_thread_join(&threads[1]), 0);
}

static void after_the_shutdown_there_is_no_title(void** state) {
  (void) state;
  char buffer[64];
  system_shutdown();
  assert_int_equal(uv_get_process_title(buffer, sizeof(buffer)), UV_ENOBUFS);
  system_shutdown();
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_the_arguments_there_is_no_room),
      cmocka_unit_test(nothing_to_set_up_changes_nothing),
      cmocka_unit_test(the_copy_has_the_same_arguments),
      cmocka_unit_test(a_new_title_is_seen_by_everyone),
      cmocka_unit_test(a_long_title_is_cut),
      cmocka_unit_test(too_small_a_buffer_is_told),
      cmocka_unit_test(threads_never_see_half_a_title),
      cmocka_unit_test(after_the_shutdown_there_is_no_title),
  };
  if (argc == 1) {
    /* Again, with arguments to write over. */
    execv(argv[0], (char*[]){argv[0], "an argument", "and another one", NULL});
    perror("execv");
    return 1;
  }
  original_argc = argc;
  original_argv = argv;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
