/* The lines of a header, checked before llhttp reads them. llhttp 8 accepts what the one
 * inside of today's Node refuses, because another program on the way may read it
 * differently: lines that end with LF alone, values that go on in the next line, fields
 * without a name. */
#ifndef RONDO_HTTP_LINES_H
#define RONDO_HTTP_LINES_H

#include "http_parser.h"

#include <stddef.h>

struct http_lines {
  size_t column;    /* bytes of the present line so far */
  char last;        /* of them */
  bool is_response; /* the first line is a status line */
  bool in_fields;   /* past the first line */
  bool has_field;   /* a line before this one was a field */
};

struct http_fault {
  const char* reason; /* "CODE:words", NULL for none */
  size_t at;          /* what was read before it */
};

/* Before a header; `in_fields` for trailers, which have no first line. */
void http_lines_begin(struct http_lines* lines, enum http_kind kind, bool in_fields);

/* Reads on in a header. *length is reduced to what belongs to it: its empty line is the
 * end. With a fault, to what llhttp may read. */
struct http_fault http_lines_read(struct http_lines* lines, const char* bytes,
                                  size_t* length);

#endif
