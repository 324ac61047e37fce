/* UTF-8, one character at a time: see utf8.h. */
#include "base/utf8.h"

#include <assert.h>

/* How many bytes follow this first byte; -1 if it can't be one. */
static int utf8_followers(unsigned char first) {
  if (first < 0x80)
    return 0;
  if (first < 0xC0)
    return -1;
  if (first < 0xE0)
    return 1;
  if (first < 0xF0)
    return 2;
  return first < 0xF8 ? 3 : -1;
}

uint32_t utf8_decode(const char** position, const char* end, enum utf8_kind kind) {
  static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  static const unsigned char first_mask[] = {0x7F, 0x1F, 0x0F, 0x07};

  assert(*position < end);
  unsigned char first = (unsigned char) *(*position)++;
  int followers = utf8_followers(first);
  if (followers < 0)
    return UTF8_INVALID;

  uint32_t character = first & first_mask[followers];
  for (int i = 0; i < followers; i++) {
    if (*position == end || ((unsigned char) **position & 0xC0) != 0x80)
      return UTF8_INVALID;
    character = character << 6 | ((unsigned char) *(*position)++ & 0x3F);
  }

  bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < smallest[followers] || character > 0x10FFFF ||
      (surrogate && kind == UTF8_STRICT))
    return UTF8_INVALID;
  return character;
}

size_t utf8_encode(uint32_t character, char bytes[4]) {
  if (character < 0x80) {
    bytes[0] = (char) character;
    return 1;
  }
  if (character < 0x800) {
    bytes[0] = (char) (0xC0 | character >> 6);
    bytes[1] = (char) (0x80 | (character & 0x3F));
    return 2;
  }
  if (character < 0x10000) {
    bytes[0] = (char) (0xE0 | character >> 12);
    bytes[1] = (char) (0x80 | (character >> 6 & 0x3F));
    bytes[2] = (char) (0x80 | (character & 0x3F));
    return 3;
  }
  bytes[0] = (char) (0xF0 | character >> 18);
  bytes[1] = (char) (0x80 | (character >> 12 & 0x3F));
  bytes[2] = (char) (0x80 | (character >> 6 & 0x3F));
  bytes[3] = (char) (0x80 | (character & 0x3F));
  return 4;
}
