/* UTF-16 to WTF-8 and back. WTF-8 is UTF-8 that may also hold lone surrogates,
 * so every sequence of 16-bit units has a form in it and comes back unchanged,
 * as Windows file names and JavaScript strings need. */
#include "base/alloc.h"
#include "base/utf8.h"
#include "uv.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static bool is_high_surrogate(uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low_surrogate(uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* How many units there are before the end, which for a negative length is the
 * terminator. */
static size_t utf16_length(const uint16_t* utf16, ssize_t length) {
  if (length >= 0)
    return (size_t) length;
  size_t count = 0;
  while (utf16[count] != 0)
    count++;
  return count;
}

/* The character at *position; a surrogate without its partner is itself. */
static uint32_t utf16_decode(const uint16_t** position, const uint16_t* end) {
  uint32_t unit = *(*position)++;
  if (!is_high_surrogate(unit) || *position == end || !is_low_surrogate(**position))
    return unit;
  uint32_t partner = *(*position)++;
  return 0x10000 + ((unit - 0xD800) << 10) + (partner - 0xDC00);
}

size_t uv_utf16_length_as_wtf8(const uint16_t* utf16, ssize_t utf16_len) {
  const uint16_t* end = utf16 + utf16_length(utf16, utf16_len);
  char bytes[4];
  size_t length = 0;

  while (utf16 < end)
    length += utf8_encode(utf16_decode(&utf16, end), bytes);
  return length;
}

/* Fills `target`, which holds `room` bytes and one more for the terminator,
 * with whole characters; returns how many bytes were used. */
static size_t wtf8_fill(const uint16_t* utf16, size_t units, char* target, size_t room) {
  const uint16_t* end = utf16 + units;
  size_t used = 0;

  while (utf16 < end) {
    char bytes[4];
    size_t count = utf8_encode(utf16_decode(&utf16, end), bytes);
    if (count > room - used)
      break;
    memcpy(target + used, bytes, count);
    used += count;
  }
  target[used] = '\0';
  return used;
}

int uv_utf16_to_wtf8(const uint16_t* utf16, ssize_t utf16_len, char** wtf8_ptr,
                     size_t* wtf8_len_ptr) {
  size_t units = utf16_length(utf16, utf16_len);
  size_t needed = uv_utf16_length_as_wtf8(utf16, (ssize_t) units);
  size_t room = needed;

  if (wtf8_ptr != NULL && *wtf8_ptr != NULL) {
    if (wtf8_len_ptr == NULL)
      return UV_EINVAL;
    room = *wtf8_len_ptr;
  }
  if (wtf8_len_ptr != NULL)
    *wtf8_len_ptr = needed;
  if (wtf8_ptr == NULL)
    return 0;
  if (*wtf8_ptr == NULL) {
    *wtf8_ptr = mem_alloc(needed + 1);
    if (*wtf8_ptr == NULL)
      return UV_ENOMEM;
  }
  wtf8_fill(utf16, units, *wtf8_ptr, room);
  return needed > room ? UV_ENOBUFS : 0;
}

ssize_t uv_wtf8_length_as_utf16(const char* wtf8) {
  const char* end = wtf8 + strlen(wtf8);
  ssize_t units = 1;

  while (wtf8 < end) {
    uint32_t character = utf8_decode(&wtf8, end, UTF8_SURROGATES);
    if (character == UTF8_INVALID)
      return UV_EINVAL;
    units += character > 0xFFFF ? 2 : 1;
  }
  return units;
}

/* The length must be what uv_wtf8_length_as_utf16() gave for this string; with
 * less, or bad input, the result ends early but ends with a terminator. */
void uv_wtf8_to_utf16(const char* wtf8, uint16_t* utf16, size_t utf16_len) {
  const char* end = wtf8 + strlen(wtf8);
  size_t used = 0;

  if (utf16_len == 0)
    return;
  while (wtf8 < end) {
    uint32_t character = utf8_decode(&wtf8, end, UTF8_SURROGATES);
    size_t count = character > 0xFFFF ? 2 : 1;
    if (character == UTF8_INVALID || count > utf16_len - 1 - used)
      break;
    if (count == 2) {
      utf16[used++] = (uint16_t) (0xD800 + ((character - 0x10000) >> 10));
      utf16[used++] = (uint16_t) (0xDC00 + ((character - 0x10000) & 0x3FF));
    } else {
      utf16[used++] = (uint16_t) character;
    }
  }
  utf16[used] = 0;
}
