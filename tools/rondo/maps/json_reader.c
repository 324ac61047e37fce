/* JSON, piece by piece: see json_reader.h. */
#include "json_reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char json_next(struct json_reader* reader) {
  while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL &&
         *reader->at != '\0')
    reader->at++;
  return reader->at < reader->end ? *reader->at : '\0';
}

bool json_take(struct json_reader* reader, char character) {
  if (json_next(reader) != character || reader->at == reader->end)
    return false;
  reader->at++;
  return true;
}

/* The end of the string that begins at `at`, behind its first quotation mark; NULL: it
 * has none. */
static const char* string_end(const char* at, const char* end) {
  while (at < end && *at != '"')
    at += *at == '\\' && end - at > 1 ? 2 : 1;
  return at < end ? at : NULL;
}

static bool hex_read(const char* at, const char* end, uint32_t* code) {
  *code = 0;
  if (end - at < 4)
    return false;
  for (int i = 0; i < 4; i++) {
    char digit = at[i];
    uint32_t value = digit >= '0' && digit <= '9'   ? (uint32_t) (digit - '0')
                     : digit >= 'a' && digit <= 'f' ? (uint32_t) (digit - 'a' + 10)
                     : digit >= 'A' && digit <= 'F' ? (uint32_t) (digit - 'A' + 10)
                                                    : 16;
    if (value == 16)
      return false;
    *code = *code << 4 | value;
  }
  return true;
}

static char* utf8_write(char* out, uint32_t code) {
  if (code < 0x80) {
    *out++ = (char) code;
  } else if (code < 0x800) {
    *out++ = (char) (0xc0 | code >> 6);
    *out++ = (char) (0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *out++ = (char) (0xe0 | code >> 12);
    *out++ = (char) (0x80 | (code >> 6 & 0x3f));
    *out++ = (char) (0x80 | (code & 0x3f));
  } else {
    *out++ = (char) (0xf0 | code >> 18);
    *out++ = (char) (0x80 | (code >> 12 & 0x3f));
    *out++ = (char) (0x80 | (code >> 6 & 0x3f));
    *out++ = (char) (0x80 | (code & 0x3f));
  }
  return out;
}

/* Takes "\u…" and, of a surrogate pair, the second half; a lone surrogate and a NUL
 * become U+FFFD. `at` is behind the "\u"; NULL: these are no digits. */
static const char* unicode_take(const char* at, const char* end, uint32_t* code) {
  uint32_t low;
  if (!hex_read(at, end, code))
    return NULL;
  at += 4;
  if (*code >= 0xd800 && *code < 0xdc00 && end - at >= 6 && at[0] == '\\' &&
      at[1] == 'u' && hex_read(at + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return at + 6;
  }
  if (*code == 0 || (*code >= 0xd800 && *code < 0xe000))
    *code = 0xfffd;
  return at;
}

/* Takes what follows a backslash; NULL: that is no escape. No escape is shorter than the
 * text that it stands for. */
static const char* escape_take(const char* at, const char* end, char** out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (at < end && *at == 'u') {
    uint32_t code;
    at = unicode_take(at + 1, end, &code);
    if (at != NULL)
      *out = utf8_write(*out, code);
    return at;
  }
  const char* found = at < end && *at != '\0' ? strchr(from, *at) : NULL;
  if (found == NULL)
    return NULL;
  *(*out)++ = to[found - from];
  return at + 1;
}

char* json_string(struct json_reader* reader, size_t* length) {
  const char* start = reader->at;
  if (!json_take(reader, '"'))
    return NULL;
  const char *at = reader->at, *end = string_end(at, reader->end);
  char* text = end == NULL ? NULL : malloc((size_t) (end - at) + 1);
  char* out = text;
  if (text == NULL) {
    reader->at = start;
    return NULL;
  }
  while (at != NULL && at < end) {
    if (*at != '\\')
      *out++ = *at == '\0' ? '?' : *at, at++;
    else
      at = escape_take(at + 1, end, &out);
  }
  if (at == NULL) {
    free(text);
    reader->at = start;
    return NULL;
  }
  *out = '\0';
  *length = (size_t) (out - text);
  reader->at = end + 1;
  return text;
}

bool json_natural(struct json_reader* reader, unsigned int* number) {
  const unsigned int most = 100000000;
  char next = json_next(reader);
  if (next < '0' || next > '9')
    return false;
  *number = 0;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
    *number = *number * 10 + (unsigned int) (*reader->at++ - '0');
    if (*number > most)
      return false;
  }
  return true;
}

/* A word or a number. */
static bool word_skip(struct json_reader* reader) {
  const char* start = reader->at;
  while (reader->at < reader->end && *reader->at != '\0' &&
         strchr(",:]} \t\r\n\"[{", *reader->at) == NULL)
    reader->at++;
  return reader->at > start;
}

static bool string_skip(struct json_reader* reader) {
  const char* end = string_end(reader->at + 1, reader->end);
  reader->at = end == NULL ? reader->end : end + 1;
  return end != NULL;
}

/* Text inside brackets only has to have matching ones. */
bool json_skip(struct json_reader* reader) {
  size_t depth = 0;
  do {
    char next = json_next(reader);
    if (next == '\0' && reader->at == reader->end)
      return false;
    if (next == '"') {
      if (!string_skip(reader))
        return false;
    } else if (next == '{' || next == '[') {
      depth++;
      reader->at++;
    } else if (next == '}' || next == ']' || next == ',' || next == ':') {
      if (depth == 0)
        return false;
      depth -= next == '}' || next == ']';
      reader->at++;
    } else if (!word_skip(reader)) {
      return false;
    }
  } while (depth > 0);
  return true;
}

bool json_more(struct json_reader* reader, char close, bool* first) {
  bool beginning = *first;
  *first = false;
  if (json_take(reader, close))
    return false;
  return beginning ? json_next(reader) != '\0' : json_take(reader, ',');
}
