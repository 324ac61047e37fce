/* HTTP/1 messages for http of runtime/lib: parsing, on llhttp. This room is an object of
 * its own, librondo-http.so, which js_http.c loads when a program first requires http. No
 * JavaScript in here.
 *
 * A parser reads one side of a connection: requests or responses, one after the other.
 * What it finds it reports to the functions of http_events, from within http_feed. Such a
 * function may stop, restart or free the parser. */
#ifndef RONDO_HTTP_PARSER_H
#define RONDO_HTTP_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_kind { HTTP_KIND_REQUEST = 1, HTTP_KIND_RESPONSE = 2 };

/* The answers of `head`: read the body, there is none whatever the header says, or what
 * follows is no HTTP; HTTP_FAILED ends the parser with an error. */
enum http_answer { HTTP_FAILED = -1, HTTP_GO_ON = 0, HTTP_NO_BODY = 1, HTTP_NO_MORE = 2 };

/* Fields as text in Latin-1: name, value, name, value …, then the URL or the reason, each
 * but the last followed by a line feed. */
struct http_fields {
  const char* text; /* NUL-terminated */
  size_t length;
  uint32_t count; /* of parts */
  bool is_ascii;
  bool is_ambiguous; /* a part has a line feed of its own */
};

struct http_head {
  struct http_fields fields;
  int major, minor;
  int method;                /* of a request, an index into http_library.methods */
  int status;                /* of a response */
  bool is_upgrade;           /* asks for, or answers with, another protocol */
  bool is_persistent;        /* the connection may be used again */
  bool is_bodiless;          /* `complete` follows at once */
  bool has_host, has_expect; /* fields that a server must look at */
};

struct http_events {
  enum http_answer (*head)(void* owner, const struct http_head* head);
  enum http_answer (*body)(void* owner, const char* bytes, size_t length);
  /* With the trailers, a NULL text if there are none. */
  enum http_answer (*complete)(void* owner, const struct http_fields* trailers);
  uint64_t (*now)(void); /* in ns */
};

struct http_parser;

struct http_settings {
  enum http_kind kind;
  size_t header_limit; /* bytes of a header, the request line included */
  bool is_lenient;
  bool is_timed; /* `since` counts from now on, before the first message */
};

struct http_error {
  const char* code;   /* "HPE_INVALID_METHOD", NULL if all is well */
  const char* reason; /* lives until the next call */
};

struct http_library {
  uint64_t interface; /* MODULE_INTERFACE, first (js_module.h) */
  const char* version;
  const char* const* methods; /* ends with NULL */
  struct http_parser* (*open)(const struct http_events* events);
  /* Also while the parser is being fed. */
  void (*close)(struct http_parser* parser);
  void (*start)(struct http_parser* parser, const struct http_settings* settings);
  /* Returns how many bytes were read; fewer than given after an error, an upgrade or a
   * pause. A parser that was stopped or freed meanwhile returns `length`. */
  size_t (*feed)(struct http_parser* parser, void* owner, const char* bytes,
                 size_t length, struct http_error* error);
  /* The other side has ended. */
  void (*finish)(struct http_parser* parser, void* owner, struct http_error* error);
  /* While the parser is fed it takes effect after that. */
  void (*pause)(struct http_parser* parser, bool on);
  /* Since when the present message, or the first one, is awaited, on the clock of
   * http_events; 0 between messages. */
  uint64_t (*since)(const struct http_parser* parser, bool* has_head);
};

#define HTTP_LIBRARY "rondo_http_library"

#endif
