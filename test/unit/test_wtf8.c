/* UTF-16 to WTF-8 and back, lone surrogates included. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "uv.h"

/* a, ü, €, U+1F4A9 as a pair */
static const uint16_t mixed16[] = {'a', 0xFC, 0x20AC, 0xD83D, 0xDCA9, 0};
static const char mixed8[] = "a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x92\xA9";

static void lengths_are_counted(void** state) {
  (void) state;
  assert_int_equal(uv_utf16_length_as_wtf8(mixed16, -1), 10);
  assert_int_equal(uv_utf16_length_as_wtf8(mixed16, 3), 6);
  assert_int_equal(uv_utf16_length_as_wtf8(mixed16, 0), 0);
  assert_int_equal(uv_wtf8_length_as_utf16(mixed8), 6);
  assert_int_equal(uv_wtf8_length_as_utf16(""), 1);
}

static void memory_is_made_when_none_is_given(void** state) {
  (void) state;
  char* text = NULL;
  size_t length = 0;
  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, &text, &length), 0);
  assert_int_equal(length, 10);
  assert_string_equal(text, mixed8);
  free(text);

  text = NULL;
  assert_int_equal(uv_utf16_to_wtf8(mixed16, 1, &text, NULL), 0);
  assert_string_equal(text, "a");
  free(text);

  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, NULL, &length), 0);
  assert_int_equal(length, 10);
}

static void a_given_buffer_is_filled_with_whole_characters(void** state) {
  (void) state;
  char buffer[11];
  char* text = buffer;
  size_t length = 10;
  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, &text, &length), 0);
  assert_int_equal(length, 10);
  assert_string_equal(buffer, mixed8);

  length = 9;
  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, &text, &length), UV_ENOBUFS);
  assert_int_equal(length, 10);
  assert_string_equal(buffer, "a\xC3\xBC\xE2\x82\xAC");

  length = 0;
  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, &text, &length), UV_ENOBUFS);
  assert_string_equal(buffer, "");
  assert_int_equal(uv_utf16_to_wtf8(mixed16, -1, &text, NULL), UV_EINVAL);
}

static void lone_surrogates_survive_the_round_trip(void** state) {
  (void) state;
  static const uint16_t units[] = {0xD800, 'x', 0xDC00, 0xDBFF, 0xD83D, 0xDCA9, 0xDBFF};
  const size_t count = sizeof(units) / sizeof(units[0]);
  char* text = NULL;
  size_t length;
  uint16_t back[8];

  assert_int_equal(uv_utf16_to_wtf8(units, (ssize_t) count, &text, &length), 0);
  assert_int_equal(length, 3 + 1 + 3 + 3 + 4 + 3);
  assert_int_equal(uv_wtf8_length_as_utf16(text), count + 1);
  uv_wtf8_to_utf16(text, back, count + 1);
  assert_memory_equal(back, units, sizeof(units));
  assert_int_equal(back[count], 0);
  free(text);
}

static void every_character_survives_the_round_trip(void** state) {
  (void) state;
  for (uint32_t character = 1; character <= 0x10FFFF; character += 97) {
    uint16_t units[3] = {(uint16_t) character, 0, 0};
    uint16_t back[3];
    char buffer[5];
    char* text = buffer;
    size_t length = 4;
    if (character > 0xFFFF) {
      units[0] = (uint16_t) (0xD800 + ((character - 0x10000) >> 10));
      units[1] = (uint16_t) (0xDC00 + (character & 0x3FF));
    }
    assert_int_equal(uv_utf16_to_wtf8(units, -1, &text, &length), 0);
    ssize_t count = uv_wtf8_length_as_utf16(buffer);
    assert_int_equal(count, character > 0xFFFF ? 3 : 2);
    uv_wtf8_to_utf16(buffer, back, (size_t) count);
    assert_memory_equal(back, units, (size_t) count * sizeof(back[0]));
  }
}

static void bad_input_has_no_length(void** state) {
  (void) state;
  static const char* const bad[] = {"\xFF", "\xC0\x80", "a\xE2\x82", "\x80",
                                    "\xF4\x90\x80\x80"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_true(uv_wtf8_length_as_utf16(bad[i]) < 0);
  }
}

static void too_small_a_target_is_not_overrun(void** state) {
  (void) state;
  uint16_t target[3] = {7, 7, 7};
  uv_wtf8_to_utf16("x\xF0\x9F\x92\xA9", target, 2);
  assert_int_equal(target[0], 'x');
  assert_int_equal(target[1], 0);
  assert_int_equal(target[2], 7);
  uv_wtf8_to_utf16("abc", target, 0);
  assert_int_equal(target[0], 'x');
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_counted),
      cmocka_unit_test(memory_is_made_when_none_is_given),
      cmocka_unit_test(a_given_buffer_is_filled_with_whole_characters),
      cmocka_unit_test(lone_surrogates_survive_the_round_trip),
      cmocka_unit_test(every_character_survives_the_round_trip),
      cmocka_unit_test(bad_input_has_no_length),
      cmocka_unit_test(too_small_a_target_is_not_overrun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
