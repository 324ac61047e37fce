/* The parser of http_parser.h. llhttp reports pieces of names and values as they come; a
 * message's fields are gathered in one block of text, which goes to JavaScript as one
 * string.
 *
 * What the functions of http_events do to the parser while it is being fed takes effect
 * when llhttp returns: its memory stays until then. */
#include "http_parser.h"
#include "http_lines.h"

#include <llhttp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CHUNK_EXTENSIONS_MOST = 16 * 1024, TEXT_KEPT = 4 * 1024 };

struct http_text {
  char* bytes;
  size_t length, room;
  uint32_t parts;
  bool is_ambiguous;
};

struct http_parser {
  llhttp_t llhttp;
  struct http_settings given;
  const struct http_events* events;
  void* owner; /* while being fed */
  struct http_text fields, line;
  struct http_lines lines;
  size_t header_size, extensions_size;
  size_t name_start, value_start;
  uint64_t since;
  unsigned depth; /* of calls of feed and finish */
  unsigned restarts;
  bool has_head, has_to_pause, is_closed;
  bool has_host, has_expect;
  bool in_lines;     /* of a header or of trailers, which are checked */
  bool is_held;      /* llhttp was stopped where such lines begin */
  const char* fault; /* "CODE:words" of an error found here, or NULL */
};

/* ---- text -------------------------------------------------------------------------- */

static bool text_add(struct http_text* text, const char* bytes, size_t length) {
  if (text->room - text->length <= length) { /* one more for a terminator */
    size_t room = text->room != 0 ? text->room : 512;
    while (room - text->length <= length)
      room *= 2;
    char* larger = realloc(text->bytes, room);
    if (larger == NULL)
      return false;
    text->bytes = larger;
    text->room = room;
  }
  if (length > 0)
    memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  return true;
}

static bool text_end_part(struct http_text* text) {
  text->parts++;
  return text_add(text, "\n", 1);
}

static void text_empty(struct http_text* text) {
  if (text->room > TEXT_KEPT) {
    free(text->bytes);
    *text = (struct http_text){0};
  }
  text->length = 0;
  text->parts = 0;
  text->is_ambiguous = false;
}

static struct http_fields text_fields(struct http_text* text) {
  struct http_fields fields = {.text = text->bytes,
                               .length = text->length,
                               .count = text->parts,
                               .is_ascii = true,
                               .is_ambiguous = text->is_ambiguous};
  text->bytes[text->length] = '\0';
  for (size_t i = 0; i < text->length; i++)
    if ((unsigned char) text->bytes[i] >= 0x80 || text->bytes[i] == '\0')
      fields.is_ascii = false;
  return fields;
}

/* ---- what llhttp reports -------------------------------------------------------------
 */

static struct http_parser* parser_of(llhttp_t* llhttp) {
  return llhttp->data;
}

static int user_error(llhttp_t* llhttp, const char* reason) {
  parser_of(llhttp)->fault = reason; /* llhttp may replace its own */
  return HPE_USER;
}

static int no_memory(llhttp_t* llhttp) {
  return user_error(llhttp, "HPE_INTERNAL:Out of memory");
}

static int count_header(struct http_parser* parser, size_t length) {
  parser->header_size += length;
  return parser->header_size >= parser->given.header_limit
             ? user_error(&parser->llhttp, "HPE_HEADER_OVERFLOW:Header overflow")
             : 0;
}

static int on_begin(llhttp_t* llhttp) {
  struct http_parser* parser = parser_of(llhttp);
  text_empty(&parser->fields);
  text_empty(&parser->line);
  parser->has_head = parser->has_host = parser->has_expect = false;
  parser->name_start = parser->extensions_size = 0;
  parser->since = parser->events->now();
  return 0;
}

/* The URL of a request, the reason of a response. */
static int on_line(llhttp_t* llhttp, const char* at, size_t length) {
  struct http_parser* parser = parser_of(llhttp);
  int err = count_header(parser, length);
  if (err == 0 && !text_add(&parser->line, at, length))
    err = no_memory(llhttp);
  return err;
}

static int on_field(llhttp_t* llhttp, const char* at, size_t length) {
  struct http_parser* parser = parser_of(llhttp);
  int err = count_header(parser, length);
  if (err == 0 && !text_add(&parser->fields, at, length))
    err = no_memory(llhttp);
  return err;
}

/* A message with both lengths, or with one in its trailers, has two ends. */
static const char* name_fault(const struct http_parser* parser) {
  const char* name = parser->fields.bytes + parser->name_start;
  size_t length = parser->fields.length - parser->name_start;
  bool is_length = length == 14 && strncasecmp(name, "content-length", 14) == 0;
  bool is_encoding = length == 17 && strncasecmp(name, "transfer-encoding", 17) == 0;
  if (is_length && (parser->llhttp.flags & F_TRANSFER_ENCODING) != 0)
    return "HPE_INVALID_CONTENT_LENGTH:Content-Length can't be present with "
           "Transfer-Encoding";
  if (is_encoding && (parser->llhttp.flags & F_CONTENT_LENGTH) != 0)
    return "HPE_INVALID_TRANSFER_ENCODING:Transfer-Encoding can't be present with "
           "Content-Length";
  return NULL;
}

static void note_field(struct http_parser* parser) {
  const char* name = parser->fields.bytes + parser->name_start;
  size_t length = parser->fields.length - parser->name_start;
  if (length == 4 && strncasecmp(name, "host", 4) == 0)
    parser->has_host = true;
  else if (length == 6 && strncasecmp(name, "expect", 6) == 0)
    parser->has_expect = true;
}

static int on_field_complete(llhttp_t* llhttp) {
  struct http_parser* parser = parser_of(llhttp);
  note_field(parser);
  const char* fault = parser->given.is_lenient ? NULL : name_fault(parser);
  if (fault != NULL)
    return user_error(llhttp, fault);
  if (!text_end_part(&parser->fields))
    return no_memory(llhttp);
  parser->value_start = parser->fields.length;
  return 0;
}

static int on_value(llhttp_t* llhttp, const char* at, size_t length) {
  struct http_parser* parser = parser_of(llhttp);
  if (length > 0 && memchr(at, '\n', length) != NULL)
    parser->fields.is_ambiguous = true;
  return on_field(llhttp, at, length);
}

static int on_value_complete(llhttp_t* llhttp) {
  struct http_text* text = &parser_of(llhttp)->fields;
  size_t start = parser_of(llhttp)->value_start;
  while (text->length > start &&
         (text->bytes[text->length - 1] == ' ' || text->bytes[text->length - 1] == '\t'))
    text->length--;
  bool has_memory = text_end_part(text);
  parser_of(llhttp)->name_start = text->length;
  return has_memory ? 0 : no_memory(llhttp);
}

/* A response to HEAD has no body either: JavaScript knows, and answers so. */
static bool has_no_body(const llhttp_t* llhttp) {
  return llhttp->type == HTTP_REQUEST && !llhttp->upgrade &&
         llhttp->method != HTTP_CONNECT && (llhttp->flags & F_TRANSFER_ENCODING) == 0 &&
         llhttp->content_length == 0;
}

static int on_headers_complete(llhttp_t* llhttp) {
  struct http_parser* parser = parser_of(llhttp);
  parser->header_size = 0;
  parser->has_head = true;
  parser->in_lines = false;
  if (llhttp->type == HTTP_RESPONSE && llhttp->status_code < 100)
    return user_error(llhttp, "HPE_INVALID_STATUS:Invalid status code");
  if (!text_add(&parser->fields, parser->line.bytes, parser->line.length))
    return no_memory(llhttp);
  struct http_head head = {
      .fields = text_fields(&parser->fields),
      .major = llhttp_get_http_major(llhttp),
      .minor = llhttp_get_http_minor(llhttp),
      .method = llhttp->type == HTTP_REQUEST ? llhttp_get_method(llhttp) : 0,
      .status = llhttp_get_status_code(llhttp),
      .is_upgrade = llhttp_get_upgrade(llhttp) != 0,
      .is_persistent = llhttp_should_keep_alive(llhttp) != 0,
      .is_bodiless = has_no_body(llhttp),
      .has_host = parser->has_host,
      .has_expect = parser->has_expect,
  };
  unsigned restarts = parser->restarts;
  enum http_answer answer = parser->events->head(parser->owner, &head);
  if (parser->restarts != restarts)
    return HPE_USER; /* llhttp's state is another's now */
  text_empty(&parser->fields);
  parser->name_start = 0;
  if (answer == HTTP_GO_ON && llhttp->type == HTTP_RESPONSE && llhttp->status_code == 204)
    answer = HTTP_NO_BODY; /* whatever length it speaks of */
  return (int) answer;
}

static int on_body(llhttp_t* llhttp, const char* at, size_t length) {
  struct http_parser* parser = parser_of(llhttp);
  unsigned restarts = parser->restarts;
  if (length == 0)
    return 0;
  enum http_answer answer = parser->events->body(parser->owner, at, length);
  if (answer == HTTP_FAILED && parser->restarts == restarts)
    return user_error(llhttp, "HPE_JS_EXCEPTION:JS Exception");
  return answer == HTTP_FAILED || parser->restarts != restarts ? HPE_USER : 0;
}

/* Stops llhttp: the lines that come next are checked first. */
static int hold(struct http_parser* parser, bool is_trailer) {
  if (parser->given.is_lenient)
    return 0;
  http_lines_begin(&parser->lines, parser->given.kind, is_trailer);
  parser->in_lines = parser->is_held = true;
  return HPE_PAUSED;
}

static int on_complete(llhttp_t* llhttp) {
  struct http_parser* parser = parser_of(llhttp);
  struct http_fields trailers = {0};
  unsigned restarts = parser->restarts;
  if (parser->fields.length > 0)
    trailers = text_fields(&parser->fields);
  parser->since = 0;
  enum http_answer answer = parser->events->complete(parser->owner, &trailers);
  if (parser->restarts != restarts)
    return HPE_USER;
  text_empty(&parser->fields);
  if (answer != HTTP_GO_ON || llhttp->upgrade)
    return (int) answer;
  return hold(parser, false);
}

static int on_chunk_extension(llhttp_t* llhttp, const char* at, size_t length) {
  struct http_parser* parser = parser_of(llhttp);
  (void) at;
  parser->extensions_size += length;
  return parser->extensions_size > CHUNK_EXTENSIONS_MOST
             ? user_error(llhttp,
                          "HPE_CHUNK_EXTENSIONS_OVERFLOW:Chunk extensions overflow")
             : 0;
}

static int on_chunk(llhttp_t* llhttp) {
  parser_of(llhttp)->header_size = 0;
  return 0;
}

static int on_chunk_header(llhttp_t* llhttp) {
  parser_of(llhttp)->extensions_size = 0;
  on_chunk(llhttp);
  return llhttp->content_length == 0 ? hold(parser_of(llhttp), true) : 0;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_begin,
    .on_url = on_line,
    .on_status = on_line,
    .on_header_field = on_field,
    .on_header_field_complete = on_field_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_complete,
    .on_chunk_extension_name = on_chunk_extension,
    .on_chunk_extension_value = on_chunk_extension,
    .on_chunk_header = on_chunk_header,
    .on_chunk_complete = on_chunk,
};

/* ---- the parser
 * ------------------------------------------------------------------------
 */

static struct http_parser* parser_open(const struct http_events* events) {
  struct http_parser* parser = calloc(1, sizeof(*parser));
  if (parser != NULL)
    parser->events = events;
  return parser;
}

static void parser_free(struct http_parser* parser) {
  free(parser->fields.bytes);
  free(parser->line.bytes);
  free(parser);
}

static void parser_close(struct http_parser* parser) {
  parser->is_closed = true;
  parser->restarts++;
  if (parser->depth == 0)
    parser_free(parser);
}

static void llhttp_begin(struct http_parser* parser) {
  bool is_request = parser->given.kind == HTTP_KIND_REQUEST;
  llhttp_init(&parser->llhttp, is_request ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
  parser->llhttp.data = parser;
  if (parser->given.is_lenient) {
    llhttp_set_lenient_headers(&parser->llhttp, 1);
    llhttp_set_lenient_chunked_length(&parser->llhttp, 1);
    llhttp_set_lenient_keep_alive(&parser->llhttp, 1);
    llhttp_set_lenient_transfer_encoding(&parser->llhttp, 1);
  }
}

static void parser_start(struct http_parser* parser, const struct http_settings* given) {
  parser->restarts++;
  parser->given = *given;
  llhttp_begin(parser);
  text_empty(&parser->fields);
  text_empty(&parser->line);
  parser->header_size = parser->extensions_size = 0;
  parser->has_head = parser->has_to_pause = parser->is_held = false;
  parser->fault = NULL;
  parser->in_lines = !given->is_lenient;
  http_lines_begin(&parser->lines, given->kind, false);
  /* A connection that never says anything is a slow one too. */
  parser->since = given->is_timed ? parser->events->now() : 0;
}

/* Errors for which the llhttp inside of Node has other words. */
static const struct {
  const char *reason, *words;
} renamed[] = {
    {"Expected HTTP/", "Expected HTTP/, RTSP/ or ICE/"},
    {"Response overflow", "Invalid response status"},
    {"Expected CRLF after chunk", "Expected LF after chunk data"},
};

/* Of an LF alone in a chunk's frame, or of a space. `back`: where llhttp reports it, from
 * its place; `moved`: where Node does, from where llhttp does. */
static const struct {
  const char* reason;
  char byte;
  int back, moved;
  const char* fault; /* NULL: only the place differs */
} frames[] = {
    {"Invalid character in chunk size", '\n', 0, 1,
     "HPE_CR_EXPECTED:Missing expected CR after chunk size"},
    {"Invalid character in chunk size", ' ', 0, 1, NULL},
    {"Expected CRLF after chunk", '\n', 0, 1,
     "HPE_CR_EXPECTED:Missing expected CR after chunk data"},
    {"Invalid character in chunk extensions name", '\n', 1, -1,
     "HPE_CR_EXPECTED:Missing expected CR after chunk extension name"},
};

static void frame_error(struct http_parser* parser, const char* bytes, size_t length,
                        size_t* at) {
  const char* reason = llhttp_get_error_reason(&parser->llhttp);
  for (size_t i = 0; reason != NULL && i < sizeof(frames) / sizeof(frames[0]); i++) {
    size_t place = *at - (size_t) frames[i].back;
    if (strcmp(reason, frames[i].reason) != 0 || place >= length || place == 0 ||
        bytes[place] != frames[i].byte || bytes[place - 1] == '\n')
      continue;
    *at += (size_t) frames[i].moved;
    if (frames[i].fault != NULL)
      parser->fault = frames[i].fault;
    return;
  }
}

static void error_read(struct http_parser* parser, llhttp_errno_t err,
                       struct http_error* error) {
  static char code[64];
  const char* reason = llhttp_get_error_reason(&parser->llhttp);
  const char* colon = parser->fault != NULL ? strchr(parser->fault, ':') : NULL;
  error->code = llhttp_errno_name(err);
  error->reason = reason != NULL ? reason : "";
  for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
    if (strcmp(error->reason, renamed[i].reason) == 0)
      error->reason = renamed[i].words;
  if (colon == NULL || (size_t) (colon - parser->fault) >= sizeof(code))
    return;
  memcpy(code, parser->fault, (size_t) (colon - parser->fault));
  code[colon - parser->fault] = '\0';
  error->code = code;
  error->reason = colon + 1;
}

/* After llhttp has returned; true if the parser is still the one that was fed. */
static bool parser_left(struct http_parser* parser, unsigned restarts) {
  parser->depth--;
  if (!parser->is_closed && parser->restarts == restarts)
    return true;
  if (parser->depth > 0)
    return false;
  if (parser->is_closed)
    parser_free(parser);
  else
    llhttp_begin(parser); /* on its way out llhttp has noted an error */
  return false;
}

/* Feeds llhttp up to the next place where lines are to be checked, and then moves *at. */
static llhttp_errno_t feed_part(struct http_parser* parser, const char* bytes,
                                size_t length, size_t* at) {
  unsigned restarts = parser->restarts;
  size_t part = length - *at;
  struct http_fault fault = {0};
  llhttp_errno_t err = HPE_OK;
  if (parser->in_lines)
    fault = http_lines_read(&parser->lines, bytes + *at, &part);
  if (part > 0)
    err = llhttp_execute(&parser->llhttp, bytes + *at, part);
  if (parser->restarts != restarts)
    return err;
  if (err != HPE_OK) {
    const char* place = llhttp_get_error_pos(&parser->llhttp);
    *at = place >= bytes && place <= bytes + length ? (size_t) (place - bytes) : 0;
    frame_error(parser, bytes, length, at);
  } else if (fault.reason != NULL) {
    *at += fault.at;
    parser->fault = fault.reason;
    err = HPE_USER;
    parser->llhttp.error = (int32_t) err; /* for good */
  } else {
    *at += part;
  }
  if (err == HPE_PAUSED && parser->is_held) {
    llhttp_resume(&parser->llhttp);
    err = llhttp_execute(&parser->llhttp, bytes + *at, 0); /* what needs no byte */
  }
  parser->is_held = false;
  return err;
}

static size_t parser_feed(struct http_parser* parser, void* owner, const char* bytes,
                          size_t length, struct http_error* error) {
  unsigned restarts = parser->restarts;
  size_t done = 0;
  llhttp_errno_t err = HPE_OK;
  *error = (struct http_error){0};
  parser->depth++;
  parser->owner = owner;
  while (done < length && err == HPE_OK && parser->restarts == restarts)
    err = feed_part(parser, bytes, length, &done);
  if (!parser_left(parser, restarts))
    return length;
  if (err == HPE_PAUSED_UPGRADE) {
    err = HPE_OK;
    llhttp_resume_after_upgrade(&parser->llhttp);
  }
  if (parser->has_to_pause) {
    parser->has_to_pause = false;
    llhttp_pause(&parser->llhttp);
  }
  if (err != HPE_OK && !parser->llhttp.upgrade)
    error_read(parser, err, error);
  return done;
}

static void parser_finish(struct http_parser* parser, void* owner,
                          struct http_error* error) {
  unsigned restarts = parser->restarts;
  *error = (struct http_error){0};
  parser->depth++;
  parser->owner = owner;
  llhttp_errno_t err = llhttp_finish(&parser->llhttp);
  if (parser_left(parser, restarts) && err != HPE_OK && !parser->llhttp.upgrade)
    error_read(parser, err, error);
}

static void parser_pause(struct http_parser* parser, bool on) {
  if (parser->depth > 0)
    parser->has_to_pause = on;
  else if (on)
    llhttp_pause(&parser->llhttp);
  else
    llhttp_resume(&parser->llhttp);
}

static uint64_t parser_since(const struct http_parser* parser, bool* has_head) {
  *has_head = parser->has_head;
  return parser->since;
}

/* ---- the library
 * ------------------------------------------------------------------------
 */

#define HTTP_TEXT(number)                      #number
#define HTTP_VALUE(macro)                      HTTP_TEXT(macro)
#define HTTP_METHOD_NAME(number, name, string) [number] = #string,

static const char* const methods[] = {HTTP_METHOD_MAP(HTTP_METHOD_NAME) NULL};

extern const struct http_library rondo_http_library;
__attribute__((visibility("default"))) const struct http_library rondo_http_library = {
    .interface = MODULE_INTERFACE,
    .version = HTTP_VALUE(LLHTTP_VERSION_MAJOR) "." HTTP_VALUE(
        LLHTTP_VERSION_MINOR) "." HTTP_VALUE(LLHTTP_VERSION_PATCH),
    .methods = methods,
    .open = parser_open,
    .close = parser_close,
    .start = parser_start,
    .feed = parser_feed,
    .finish = parser_finish,
    .pause = parser_pause,
    .since = parser_since,
};
