/* A reader of JSON that takes a text apart from its beginning to its end, without a tree
 * of it in memory: the caller asks for what is next, and skips what it doesn't want.
 * Nesting of any depth is skipped without recursion. */
#ifndef RONDO_TOOL_JSON_READER_H
#define RONDO_TOOL_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

struct json_reader {
  const char *at, *end;
};

/* The next character that isn't white space; '\0' at the end. */
char json_next(struct json_reader* reader);
/* Takes one character; false, and nothing is taken, if another one is next. */
bool json_take(struct json_reader* reader, char character);
/* A string without its escapes, to be freed; NULL, and
 * nothing is taken: there is none, a damaged one, or no memory. Its length goes to
 * *length; it has no NUL in it. */
char* json_string(struct json_reader* reader, size_t* length);
/* A number that is a small natural one; false: there is none. */
bool json_natural(struct json_reader* reader, unsigned int* number);
/* Takes a value of whatever kind; false: there is none. */
bool json_skip(struct json_reader* reader);
/* In an object or a list, before each entry: whether there is one more. *first is true at
 * the beginning. Takes the commas, and `close` at the end. */
bool json_more(struct json_reader* reader, char close, bool* first);

#endif
