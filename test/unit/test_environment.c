/* The environment and the directories it names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uv.h"

#define NAME "RONDO_TEST_VARIABLE"

static void bad_arguments_are_refused(void** state) {
  (void) state;
  char buffer[8];
  size_t size = sizeof(buffer);
  assert_int_equal(uv_os_setenv(NULL, "x"), UV_EINVAL);
  assert_int_equal(uv_os_setenv(NAME, NULL), UV_EINVAL);
  assert_int_equal(uv_os_setenv("", "x"), UV_EINVAL);
  assert_int_equal(uv_os_setenv("a=b", "x"), UV_EINVAL);
  assert_int_equal(uv_os_unsetenv(NULL), UV_EINVAL);
  assert_int_equal(uv_os_unsetenv(""), UV_EINVAL);
  assert_int_equal(uv_os_getenv(NULL, buffer, &size), UV_EINVAL);
  assert_int_equal(uv_os_getenv(NAME, NULL, &size), UV_EINVAL);
  assert_int_equal(uv_os_getenv(NAME, buffer, NULL), UV_EINVAL);
  size = 0;
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), UV_EINVAL);
}

static void variables_are_set_read_and_removed(void** state) {
  (void) state;
  char buffer[10];
  size_t size = sizeof(buffer);
  assert_int_equal(uv_os_setenv(NAME, "old"), 0);
  assert_int_equal(uv_os_setenv(NAME, "123456789"), 0);
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), 0);
  assert_string_equal(buffer, "123456789");
  assert_int_equal(size, 9);

  buffer[0] = '?';
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), UV_ENOBUFS);
  assert_int_equal(size, 10);
  assert_int_equal(buffer[0], '?');

  assert_int_equal(uv_os_setenv(NAME, ""), 0);
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), 0);
  assert_int_equal(size, 0);
  assert_string_equal(buffer, "");

  assert_int_equal(uv_os_unsetenv(NAME), 0);
  assert_int_equal(uv_os_unsetenv(NAME), 0);
  size = sizeof(buffer);
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), UV_ENOENT);
}

static void a_large_variable_fits(void** state) {
  (void) state;
  static char value[200001];
  static char buffer[200001];
  size_t size = sizeof(buffer);
  memset(value, 'x', sizeof(value) - 1);
  assert_int_equal(uv_os_setenv(NAME, value), 0);
  assert_int_equal(uv_os_getenv(NAME, buffer, &size), 0);
  assert_int_equal(size, sizeof(value) - 1);
  assert_memory_equal(buffer, value, sizeof(value));
  assert_int_equal(uv_os_unsetenv(NAME), 0);
}

static void the_whole_environment_can_be_listed(void** state) {
  (void) state;
  uv_env_item_t* items;
  int count;
  int found = 0;
  assert_int_equal(uv_os_setenv(NAME, "a=b"), 0);
  assert_int_equal(uv_os_setenv(NAME "2", ""), 0);
  assert_int_equal(uv_os_environ(&items, &count), 0);
  for (int i = 0; i < count; i++) {
    if (strcmp(items[i].name, NAME) == 0) {
      assert_string_equal(items[i].value, "a=b");
      found++;
    } else if (strcmp(items[i].name, NAME "2") == 0) {
      assert_string_equal(items[i].value, "");
      found++;
    }
  }
  assert_int_equal(found, 2);
  uv_os_free_environ(items, count);
  assert_int_equal(uv_os_unsetenv(NAME), 0);
  assert_int_equal(uv_os_unsetenv(NAME "2"), 0);
}

static void odd_environments_can_be_listed(void** state) {
  (void) state;
  char** saved = environ;
  char* odd[] = {"no equals sign", "=starts with one", "plain=value", NULL};
  char* none[] = {NULL};
  uv_env_item_t* items;
  int count;

  environ = odd;
  int rc = uv_os_environ(&items, &count);
  environ = saved;
  assert_int_equal(rc, 0);
  assert_int_equal(count, 2);
  assert_string_equal(items[0].name, "");
  assert_string_equal(items[0].value, "starts with one");
  assert_string_equal(items[1].name, "plain");
  assert_string_equal(items[1].value, "value");
  uv_os_free_environ(items, count);

  environ = none;
  rc = uv_os_environ(&items, &count);
  environ = saved;
  assert_int_equal(rc, 0);
  assert_int_equal(count, 0);
  uv_os_free_environ(items, count);

  environ = NULL;
  rc = uv_os_environ(&items, &count);
  environ = saved;
  assert_int_equal(rc, 0);
  assert_int_equal(count, 0);
  uv_os_free_environ(items, count);
}

static void expect_directory(int (*ask)(char*, size_t*), const char* expected) {
  char buffer[4096];
  size_t needed = strlen(expected) + 1;
  size_t size = sizeof(buffer);
  assert_int_equal(ask(buffer, &size), 0);
  assert_string_equal(buffer, expected);
  assert_int_equal(size, needed - 1);

  if (needed > 1) {
    size = needed - 1;
    assert_int_equal(ask(buffer, &size), UV_ENOBUFS);
    assert_int_equal(size, needed);
    assert_int_equal(ask(buffer, &size), 0);
    assert_int_equal(size, needed - 1);
  }
}

static void refuses_bad_arguments(int (*ask)(char*, size_t*)) {
  char buffer[16];
  size_t size = sizeof(buffer);
  assert_int_equal(ask(NULL, &size), UV_EINVAL);
  assert_int_equal(ask(buffer, NULL), UV_EINVAL);
  size = 0;
  assert_int_equal(ask(buffer, &size), UV_EINVAL);
}

static void home_is_the_variable_or_the_users(void** state) {
  (void) state;
  uv_passwd_t user;
  assert_int_equal(setenv("HOME", "/home/somebody", 1), 0);
  expect_directory(uv_os_homedir, "/home/somebody");
  refuses_bad_arguments(uv_os_homedir);
  assert_int_equal(unsetenv("HOME"), 0);
  refuses_bad_arguments(uv_os_homedir);
  if (uv_os_get_passwd(&user) != 0) {
    skip(); /* this user is in no list */
  }
  expect_directory(uv_os_homedir, user.homedir);
  uv_os_free_passwd(&user);
}

static void tmp_is_the_first_variable_that_is_set(void** state) {
  (void) state;
  static const char* const variables[] = {"TEMPDIR", "TEMP", "TMP", "TMPDIR"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(unsetenv(variables[i]), 0);
  }
  expect_directory(uv_os_tmpdir, "/tmp");
  for (int i = 0; i < 4; i++) {
    char path[32];
    snprintf(path, sizeof(path), "/from/%s", variables[i]);
    assert_int_equal(setenv(variables[i], path, 1), 0);
    expect_directory(uv_os_tmpdir, path);
  }
  refuses_bad_arguments(uv_os_tmpdir);

  assert_int_equal(setenv("TMPDIR", "/with/slash/", 1), 0);
  char room[12];
  size_t size = sizeof(room);
  assert_int_equal(uv_os_tmpdir(room, &size), UV_ENOBUFS);
  assert_int_equal(size, sizeof("/with/slash/"));
  char enough[sizeof("/with/slash/")];
  assert_int_equal(uv_os_tmpdir(enough, &size), 0);
  assert_int_equal(size, strlen("/with/slash"));
  assert_string_equal(enough, "/with/slash");
  assert_int_equal(setenv("TMPDIR", "/", 1), 0);
  expect_directory(uv_os_tmpdir, "/");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(variables_are_set_read_and_removed),
      cmocka_unit_test(a_large_variable_fits),
      cmocka_unit_test(the_whole_environment_can_be_listed),
      cmocka_unit_test(odd_environments_can_be_listed),
      cmocka_unit_test(home_is_the_variable_or_the_users),
      cmocka_unit_test(tmp_is_the_first_variable_that_is_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
