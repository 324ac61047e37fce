/* Lines, columns and names in a script: see script_text.h. */
#include "script_text.h"

#include <stdlib.h>
#include <string.h>

void script_lines_make(struct script_lines* lines, const char* text, size_t size) {
  size_t count = 1;
  for (const char* at = text; (at = memchr(at, '\n', size - (size_t) (at - text)));)
    count++, at++;
  *lines = (struct script_lines){.text = text, .size = size};
  lines->starts = malloc((count + 1) * sizeof(*lines->starts));
  if (lines->starts == NULL)
    return;
  const char* at = text;
  for (size_t i = 0; i < count; i++) {
    const char* next = memchr(at, '\n', size - (size_t) (at - text));
    lines->starts[i] = (size_t) (at - text);
    at = next == NULL ? at : next + 1;
  }
  lines->starts[count] = size;
  lines->count = count;
}

/* --- columns
 * ----------------------------------------------------------------------------
 */

static bool is_continued(char byte) {
  return ((unsigned char) byte & 0xc0) == 0x80; /* in the middle of a character */
}

static uint32_t units_of(char byte) {
  return is_continued(byte) ? 0 : (unsigned char) byte >= 0xf0 ? 2 : 1;
}

static uint32_t column_of(const char* line, const char* at) {
  uint32_t column = 0;
  for (const char* byte = line; byte < at; byte++)
    column += units_of(*byte);
  return column;
}

static const char* column_find(const char* line, const char* end, uint32_t column) {
  uint32_t passed = 0;
  const char* at = line;
  while (at < end && passed < column)
    passed += units_of(*at++);
  while (at < end && is_continued(*at))
    at++;
  return passed == column ? at : NULL;
}

/* --- names
 * ------------------------------------------------------------------------------
 */

static bool is_of_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte == '#' ||
         (unsigned char) byte >= 0x80;
}

static const char* space_before(const char* line, const char* at) {
  while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
    at--;
  return at;
}

static const char* name_before(const char* line, const char* at) {
  while (at > line && is_of_name(at[-1]))
    at--;
  return at;
}

static bool is_word(const char* start, const char* end, const char* word) {
  size_t length = strlen(word);
  return (size_t) (end - start) == length && memcmp(start, word, length) == 0;
}

/* The name before "(": "name(", "function name(", "name=function(", "name:async(", and
 * "name" behind "class". NULL: there is none. */
static const char* name_find(const char* line, const char* end, const char* at,
                             size_t* length) {
  if (end - at > 6 && memcmp(at, "class ", 6) == 0 && is_of_name(at[6])) {
    const char* name = at + 6;
    for (*length = 0; name + *length < end && is_of_name(name[*length]);)
      ++*length;
    return name;
  }
  for (int words = 0; words < 5; words++) {
    const char* stop = space_before(line, at);
    while (stop > line && (stop[-1] == '*' || stop[-1] == '"' || stop[-1] == '\''))
      stop = space_before(line, stop - 1);
    const char* start = name_before(line, stop);
    if (start == stop) {
      if (stop == line || (stop[-1] != '=' && stop[-1] != ':'))
        return NULL;
      at = stop - 1;
      continue;
    }
    if (!is_word(start, stop, "function") && !is_word(start, stop, "async")) {
      *length = (size_t) (stop - start);
      return start;
    }
    at = start;
  }
  return NULL;
}

/* Whether a function is defined by the name that ends at `at`. */
static bool is_definition(const char* line, const char* start, const char* at,
                          const char* end) {
  const char* before = space_before(line, start);
  const char* word = name_before(line, before);
  if (is_word(word, before, "function") || is_word(word, before, "class"))
    return true;
  if (before > line && before[-1] == '*')
    return true;
  if (at < end && *at == '(') { /* "name(…){": a method */
    const char* close =
        memmem(at, (size_t) (end - at) < 200 ? (size_t) (end - at) : 200, "){", 2);
    return close != NULL && memchr(at, ';', (size_t) (close - at)) == NULL &&
           memchr(at + 1, '(', (size_t) (close - at - 1)) == NULL;
  }
  while (at < end && (*at == ' ' || *at == '='))
    at++;
  static const char* const begins[] = {"function", "async ", "async("};
  for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
    size_t length = strlen(begins[i]);
    if (at > start && at[-1] == '=' && (size_t) (end - at) >= length &&
        memcmp(at, begins[i], length) == 0)
      return true;
  }
  /* "name=(…)=>" and "name=x=>", but not "name=(a+b)". */
  if (at > start && at[-1] == '=') {
    const char* arrow =
        memmem(at, (size_t) (end - at) < 200 ? (size_t) (end - at) : 200, "=>", 2);
    return arrow != NULL && memchr(at, ';', (size_t) (arrow - at)) == NULL &&
           memchr(at, '{', (size_t) (arrow - at)) == NULL;
  }
  return false;
}

/* The only definition of that name in the line; NULL: there is none, or more. */
static const char* definition_find(const char* line, const char* end,
                                   const struct script_function* function) {
  const char* found = NULL;
  size_t length = function->name_length;
  if (length == 0 || !is_of_name(function->name[0]))
    return NULL;
  for (const char* at = line;
       (size_t) (end - at) > length &&
       (at = memmem(at, (size_t) (end - at), function->name, length)) != NULL;
       at++) {
    if ((at > line && (is_of_name(at[-1]) || at[-1] == '.')) ||
        (at + length < end && is_of_name(at[length])) ||
        !is_definition(line, at, at + length, end))
      continue;
    if (found != NULL)
      return NULL;
    found = at;
  }
  return found;
}

bool script_spot_find(const struct script_lines* lines,
                      const struct script_function* function, struct script_spot* spot) {
  *spot = (struct script_spot){0};
  if (lines->starts == NULL || function->line == 0 || function->line > lines->count)
    return false;
  const char* line = lines->text + lines->starts[function->line - 1];
  const char* end = lines->text + lines->starts[function->line];
  size_t length = 0;
  if (function->column == 0) {
    const char* name = definition_find(line, end, function);
    if (name == NULL)
      return false;
    spot->column = spot->name_column = column_of(line, name);
    spot->is_named = true;
    return true;
  }
  const char* at = column_find(line, end, function->column - 1);
  if (at == NULL)
    return false;
  spot->column = function->column - 1;
  const char* name = name_find(line, end, at, &length);
  const char* dot = memrchr(function->name, '.', function->name_length);
  const char* own = dot == NULL ? function->name : dot + 1;
  size_t own_length = function->name_length - (size_t) (own - function->name);
  spot->is_named =
      name != NULL && length == own_length && memcmp(name, own, own_length) == 0;
  if (spot->is_named)
    spot->name_column = column_of(line, name);
  return true;
}

/* --- base64
 * -----------------------------------------------------------------------------
 */

size_t script_base64(char* out, const char* text, size_t length) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t bits = 0;
  unsigned int have = 0;
  size_t used = 0;
  for (size_t i = 0; i < length && text[i] != '\0'; i++) {
    const char* found = strchr(digits, text[i]);
    if (found == NULL)
      break;
    bits = bits << 6 | (uint32_t) (found - digits);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[used++] = (char) (bits >> have);
    }
  }
  return used;
}
