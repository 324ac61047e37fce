/* test: threads */
/* Names and messages of errors (contract H3), the version, and strings that
 * end where their buffer does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strings.h"
#include "uv.h"

static void every_error_has_its_name_and_message(void** state) {
  (void) state;
  char buffer[128];

#define CHECK(error, text)                                                               \
  assert_string_equal(uv_err_name(UV_##error), #error);                                  \
  assert_string_equal(uv_strerror(UV_##error), text);                                    \
  assert_ptr_equal(uv_err_name_r(UV_##error, buffer, sizeof(buffer)), buffer);           \
  assert_string_equal(buffer, #error);                                                   \
  assert_ptr_equal(uv_strerror_r(UV_##error, buffer, sizeof(buffer)), buffer);           \
  assert_string_equal(buffer, text);                                                     \
  assert_true(UV_##error < 0);
  UV_ERRNO_MAP(CHECK)
#undef CHECK
}

static void an_unknown_number_is_named_in_the_text(void** state) {
  (void) state;
  char buffer[64];
  assert_string_equal(uv_strerror(1337), "Unknown system error 1337");
  assert_string_equal(uv_err_name(-1337), "Unknown system error -1337");
  assert_string_equal(uv_strerror(0), "Unknown system error 0");
  assert_string_equal(uv_strerror(INT32_MIN), "Unknown system error -2147483648");
  assert_string_equal(uv_strerror_r(1337, buffer, sizeof(buffer)),
                      "Unknown system error 1337");
  assert_string_equal(uv_err_name_r(-1337, buffer, sizeof(buffer)),
                      "Unknown system error -1337");
}

static void texts_are_cut_to_the_buffer(void** state) {
  (void) state;
  char buffer[5];
  assert_string_equal(uv_err_name_r(UV_EINVAL, buffer, sizeof(buffer)), "EINV");
  assert_string_equal(uv_strerror_r(-1337, buffer, sizeof(buffer)), "Unkn");
  buffer[0] = 'x';
  uv_strerror_r(UV_EINVAL, buffer, 0);
  assert_int_equal(buffer[0], 'x');
}

static void ask_for_unknown_errors(void* argument) {
  (void) argument;
  for (int i = 0; i < 20; i++) {
    char expected[64];
    snprintf(expected, sizeof(expected), "Unknown system error %d", 5000 + i);
    assert_string_equal(uv_strerror(5000 + i), expected);
  }
}

static void unknown_numbers_may_be_asked_for_by_many_threads(void** state) {
  (void) state;
  uv_thread_t threads[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(uv_thread_create(&threads[i], ask_for_unknown_errors, NULL), 0);
  }
  for (int i = 0; i < 2; i++) {
    assert_int_equal(uv_thread_join(&threads[i]), 0);
  }
}

/* Last, because it uses up the slots. */
static void unknown_numbers_never_grow_memory(void** state) {
  (void) state;
  const char* first = uv_strerror(100001);
  for (int i = 0; i < 1000; i++) {
    assert_non_null(strstr(uv_strerror(200000 + i), "Unknown system error"));
  }
  assert_ptr_equal(uv_strerror(100001), first);
  assert_string_equal(first, "Unknown system error 100001");
  assert_string_equal(uv_strerror(300000), "Unknown system error");
}

static void system_errors_are_negated(void** state) {
  (void) state;
  assert_int_equal(uv_translate_sys_error(EPERM), UV_EPERM);
  assert_int_equal(uv_translate_sys_error(EPIPE), UV_EPIPE);
  assert_int_equal(uv_translate_sys_error(UV_EINVAL), UV_EINVAL);
  assert_int_equal(uv_translate_sys_error(UV_EOF), UV_EOF);
  assert_int_equal(uv_translate_sys_error(0), 0);
}

static void the_version_is_the_headers(void** state) {
  (void) state;
  char text[32];
  snprintf(text, sizeof(text), "%d.%d.%d", UV_VERSION_MAJOR, UV_VERSION_MINOR,
           UV_VERSION_PATCH);
  assert_int_equal(uv_version(), UV_VERSION_HEX);
  assert_int_equal(strncmp(uv_version_string(), text, strlen(text)), 0);
  assert_true(uv_version() >= 0x013400);
}

static void a_buffer_is_a_pointer_and_a_length(void** state) {
  (void) state;
  char memory[4];
  uv_buf_t buffer = uv_buf_init(memory, sizeof(memory));
  assert_ptr_equal(buffer.base, memory);
  assert_int_equal(buffer.len, sizeof(memory));
}

static void copies_are_cut_and_terminated(void** state) {
  (void) state;
  char target[4] = "???";
  assert_int_equal(string_copy(target, "x", 0), 0);
  assert_string_equal(target, "???");
  assert_int_equal(string_copy(target, "", sizeof(target)), 0);
  assert_string_equal(target, "");
  assert_int_equal(string_copy(target, "abc", sizeof(target)), 3);
  assert_string_equal(target, "abc");
  assert_int_equal(string_copy(target, "wxyz", sizeof(target)), UV_E2BIG);
  assert_string_equal(target, "wxy");
}

static void a_string_is_given_whole_or_not_at_all(void** state) {
  (void) state;
  char target[6] = "?";
  size_t size = 5;
  assert_int_equal(string_give("hello", 5, target, &size), UV_ENOBUFS);
  assert_int_equal(size, 6);
  assert_string_equal(target, "?");
  assert_int_equal(string_give("hello", 5, target, &size), 0);
  assert_int_equal(size, 5);
  assert_string_equal(target, "hello");
}

static void decimals_are_read_whatever_the_locale(void** state) {
  (void) state;
  const char* position = "12345.67 0.08 3\n";
  double value;
  assert_true(string_decimal(&position, &value));
  assert_true(value > 12345.66999 && value < 12345.67001);
  assert_true(string_decimal(&position, &value));
  assert_true(value > 0.07999 && value < 0.08001);
  assert_true(string_decimal(&position, &value));
  assert_true(value == 3);
  assert_false(string_decimal(&position, &value));
  assert_int_equal(*position, '\n');
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_error_has_its_name_and_message),
      cmocka_unit_test(an_unknown_number_is_named_in_the_text),
      cmocka_unit_test(texts_are_cut_to_the_buffer),
      cmocka_unit_test(unknown_numbers_may_be_asked_for_by_many_threads),
      cmocka_unit_test(unknown_numbers_never_grow_memory),
      cmocka_unit_test(system_errors_are_negated),
      cmocka_unit_test(the_version_is_the_headers),
      cmocka_unit_test(a_buffer_is_a_pointer_and_a_length),
      cmocka_unit_test(copies_are_cut_and_terminated),
      cmocka_unit_test(a_string_is_given_whole_or_not_at_all),
      cmocka_unit_test(decimals_are_read_whatever_the_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
