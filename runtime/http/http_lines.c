#include "http_lines.h"

#include <string.h>

void http_lines_begin(struct http_lines* lines, enum http_kind kind, bool in_fields) {
  *lines = (struct http_lines){.is_response = kind == HTTP_KIND_RESPONSE,
                               .in_fields = in_fields};
}

/* A line whose first byte is this one. */
static const char* begin_fault(const struct http_lines* lines, char first) {
  if (!lines->in_fields)
    return NULL;
  if (first == ':')
    return "HPE_INVALID_HEADER_TOKEN:Invalid header token";
  if (lines->has_field && (first == ' ' || first == '\t'))
    return "HPE_INVALID_HEADER_TOKEN:Unexpected whitespace after header value";
  return NULL;
}

/* A line that ends with LF alone; *at, the place of the LF, moves behind it where the
 * error is reported there. */
static const char* end_fault(const struct http_lines* lines, size_t* at) {
  if (lines->in_fields && lines->column > 0)
    return "HPE_CR_EXPECTED:Missing expected CR after header value";
  if (!lines->in_fields && lines->is_response) {
    *at += 1;
    return "HPE_CR_EXPECTED:Missing expected CR after response line";
  }
  *at += 1;
  return lines->in_fields ? "HPE_INVALID_HEADER_TOKEN:Invalid header field char"
                          : "HPE_INVALID_VERSION:Expected CRLF after version";
}

/* After a whole line; true if it was the empty one that ends a header. */
static bool line_end(struct http_lines* lines) {
  bool is_empty = lines->column <= 1;
  lines->column = 0;
  if (lines->in_fields && is_empty)
    return true;
  if (lines->in_fields)
    lines->has_field = true;
  else if (!is_empty)
    lines->in_fields = true;
  return false;
}

struct http_fault http_lines_read(struct http_lines* lines, const char* bytes,
                                  size_t* length) {
  for (size_t i = 0; i < *length;) {
    const char* reason = lines->column == 0 ? begin_fault(lines, bytes[i]) : NULL;
    if (reason != NULL) {
      *length = i;
      return (struct http_fault){reason, i};
    }
    const char* end = memchr(bytes + i, '\n', *length - i);
    size_t stop = end != NULL ? (size_t) (end - bytes) : *length;
    if (stop > i)
      lines->last = bytes[stop - 1];
    lines->column += stop - i;
    if (end == NULL)
      break;
    bool is_bare = lines->column == 0 || lines->last != '\r';
    /* Empty lines before a first line are passed over, however they end. */
    if (is_bare && (lines->column > 0 || lines->in_fields)) {
      size_t at = stop;
      reason = end_fault(lines, &at);
      *length = stop;
      return (struct http_fault){reason, at};
    }
    i = stop + 1;
    if (line_end(lines)) {
      *length = i;
      break;
    }
  }
  return (struct http_fault){0};
}
