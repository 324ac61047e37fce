/* Host names outside ASCII. The names and their encodings are those of RFC 3492,
 * section 7.1, and of Unicode's technical standard 46. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/idna.h"
#include "base/utf8.h"
#include "uv.h"

static void expect(const char* name, const char* ascii) {
  char once[256];
  char twice[256];
  ssize_t length = idna_to_ascii(name, strlen(name), once, sizeof(once));
  assert_int_equal(length, strlen(ascii) + 1);
  assert_string_equal(once, ascii);
  /* What is ASCII already stays as it is. */
  assert_int_equal(idna_to_ascii(once, strlen(once), twice, sizeof(twice)), length);
  assert_string_equal(twice, ascii);
}

static void ascii_names_are_left_alone(void** state) {
  (void) state;
  static const char* const names[] = {".",           ".com",        "example",
                                      "example-",    "foo.bar",     "example.com.",
                                      "-> $1.00 <-", "EXAMPLE.com", "xn--bcher-kva.de"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    expect(names[i], names[i]);
  }
}

static void labels_beyond_ascii_are_encoded(void** state) {
  (void) state;
  expect("bücher.com", "xn--bcher-kva.com");
  expect("mañana.com", "xn--maana-pta.com");
  expect("straße.de", "xn--strae-oqa.de");
  expect("faß.de", "xn--fa-hia.de");
  expect("βόλος.com", "xn--nxasmm1c.com");
  expect("ü.ü.", "xn--tda.xn--tda.");
  expect(".ü", ".xn--tda");
  expect("☃-⌘.com", "xn----dqo34k.com");
  expect("💩.la", "xn--ls8h.la");
  expect("3年B組金八先生", "xn--3B-ww4c5e180e575a65lsy2b");
  expect("MajiでKoiする5秒前", "xn--MajiKoi5-783gue6qz075azm5e");
  expect("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye");
  expect("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l");
  expect("Pročprostěnemluvíčesky", "xn--Proprostnemluvesky-uyb24dma41a");
}

static void every_full_stop_separates(void** state) {
  (void) state;
  expect("mañana\u3002com", "xn--maana-pta.com");
  expect("mañana\uFF0Ecom", "xn--maana-pta.com");
  expect("mañana\uFF61com", "xn--maana-pta.com");
}

static void bad_names_are_refused(void** state) {
  (void) state;
  char ascii[256];
  assert_int_equal(idna_to_ascii("", 0, ascii, sizeof(ascii)), UV_EINVAL);
  assert_int_equal(idna_to_ascii("a\0b", 3, ascii, sizeof(ascii)), UV_EINVAL);
  assert_int_equal(idna_to_ascii("\xC0\x80\xC1\x80", 4, ascii, sizeof(ascii)), UV_EINVAL);
  assert_int_equal(idna_to_ascii("a.\xC0\x80.com", 8, ascii, sizeof(ascii)), UV_EINVAL);
  assert_int_equal(idna_to_ascii("b\xC3", 2, ascii, sizeof(ascii)), UV_EINVAL);
  assert_int_equal(idna_to_ascii("\xED\xA0\x80", 3, ascii, sizeof(ascii)), UV_EINVAL);
}

static void names_that_do_not_fit_are_refused_and_never_cut(void** state) {
  (void) state;
  static const char name[] = "bücher.com";
  char ascii[32];
  for (size_t size = 0; size < sizeof("xn--bcher-kva.com"); size++) {
    assert_int_equal(idna_to_ascii(name, sizeof(name) - 1, ascii, size), UV_EINVAL);
  }
  assert_int_equal(idna_to_ascii(name, sizeof(name) - 1, ascii, 18), 18);

  static char long_name[100000];
  memset(long_name, 'x', sizeof(long_name));
  assert_int_equal(idna_to_ascii(long_name, sizeof(long_name), ascii, sizeof(ascii)),
                   UV_EINVAL);
  for (size_t i = 0; i + 1 < sizeof(long_name); i += 2) {
    memcpy(long_name + i, "ü", 2);
  }
  assert_int_equal(idna_to_ascii(long_name, sizeof(long_name), ascii, sizeof(ascii)),
                   UV_EINVAL);
}

static void decoding_is_strict(void** state) {
  (void) state;
  static const struct {
    const char* bytes;
    size_t length;
    uint32_t character;
    size_t used;
  } cases[] = {
      {"\x7F", 1, 0x7F, 1},
      {"\xC2\x80", 2, 0x80, 2},
      {"\xDF\xBF", 2, 0x7FF, 2},
      {"\xE0\xA0\x80", 3, 0x800, 3},
      {"\xEF\xBF\xBF", 3, 0xFFFF, 3},
      {"\xF0\x90\x80\x80", 4, 0x10000, 4},
      {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF, 4},
      {"\xF4\x90\x80\x80", 4, UTF8_INVALID, 4},
      {"\xC0\x80", 2, UTF8_INVALID, 2},
      {"\xE0\x80\x80", 3, UTF8_INVALID, 3},
      {"\xED\xA0\x80", 3, UTF8_INVALID, 3},
      {"\x80", 1, UTF8_INVALID, 1},
      {"\xFF", 1, UTF8_INVALID, 1},
      {"\xE2\x82", 2, UTF8_INVALID, 2},
      {"\xE2x\x80", 3, UTF8_INVALID, 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char* position = cases[i].bytes;
    assert_int_equal(utf8_decode(&position, position + cases[i].length, UTF8_STRICT),
                     cases[i].character);
    assert_int_equal(position - cases[i].bytes, cases[i].used);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ascii_names_are_left_alone),
      cmocka_unit_test(labels_beyond_ascii_are_encoded),
      cmocka_unit_test(every_full_stop_separates),
      cmocka_unit_test(bad_names_are_refused),
      cmocka_unit_test(names_that_do_not_fit_are_refused_and_never_cut),
      cmocka_unit_test(decoding_is_strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
