/* native('http'): parsers of librondo-http.so (http/http_parser.h) for runtime/lib. The
 * object is loaded here, when it is first asked for.
 *
 * A parser is fed by JavaScript with what a socket has read, or it reads from a stream's
 * handle itself. Then the functions that JavaScript has set are called from the loop, as
 * Node calls them: ticks run after a piece of a body and after the whole read, not after
 * a header and not after a message's end. */
#include "http/http_parser.h"
#include "js_module.h"
#include "js_stream.h"

#include <stdlib.h>
#include <string.h>

static const struct http_library* library;

enum http_callback {
  ON_HEAD,     /* (owner, fields, method or status, flags) → enum http_answer */
  ON_BODY,     /* (owner, ArrayBuffer, offset, length) */
  ON_COMPLETE, /* (owner, trailers or undefined) */
  ON_READ,     /* (owner, size, done[, ArrayBuffer, offset[, code, reason]]) */
  CALLBACKS
};

static JSObjectRef callbacks[CALLBACKS];

enum {
  IS_UPGRADE = 1,
  IS_PERSISTENT = 2,
  IS_BODILESS = 4,
  HAS_HOST = 8,
  HAS_EXPECT = 16
};
enum { MAJOR_SHIFT = 8, MINOR_SHIFT = 12 };

/* The contents of a token. */
struct js_http {
  struct http_parser* parser;
  struct js_handle* handle; /* that it reads from, or NULL */
  JSObjectRef reader;   /* kept for that: the owner, first argument of the callbacks */
  JSObjectRef owner;    /* of the present feed, which its caller has on the stack */
  JSValueRef exception; /* thrown during a feed by JavaScript */
  bool from_loop;
  bool has_thrown;
  bool is_completed; /* JavaScript has, with the head */
};

static void detach(struct js_http* http) {
  if (http->handle == NULL)
    return;
  http->handle->read = NULL;
  http->handle->reader = NULL;
  http->handle = NULL;
  js_drop(http->reader);
  http->reader = NULL;
}

static void http_finalize(JSObjectRef token) {
  struct js_http* http = JSObjectGetPrivate(token);
  /* No handle is being read: a parser that reads from one is reachable from the handle's
   * protected owner. */
  library->close(http->parser);
  free(http);
}

static JSClassRef http_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "HttpParser";
    definition.finalize = http_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

static struct js_http* http_arg(size_t argc, const JSValueRef argv[]) {
  if (argc == 0 || !JSValueIsObjectOfClass(js.ctx, argv[0], http_class()))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) (uintptr_t) argv[0]);
}

/* ---- what a parser finds
 * --------------------------------------------------------------- */

static JSValueRef latin1(const char* text, size_t length) {
  JSChar* units = malloc((length + 1) * sizeof(*units));
  if (units == NULL)
    return js_string("");
  for (size_t i = 0; i < length; i++)
    units[i] = (unsigned char) text[i];
  JSStringRef string = JSStringCreateWithCharacters(units, length);
  free(units);
  JSValueRef value = JSValueMakeString(js.ctx, string);
  JSStringRelease(string);
  return value;
}

/* One text for all parts, which JavaScript splits. */
static JSValueRef fields_value(const struct http_fields* fields) {
  if (!fields->is_ascii)
    return latin1(fields->text, fields->length);
  JSStringRef string = JSStringCreateWithUTF8CString(fields->text);
  JSValueRef value = JSValueMakeString(js.ctx, string);
  JSStringRelease(string);
  return value;
}

/* Calls one of the functions; NULL if it has thrown. */
static JSValueRef http_call(struct js_http* http, enum http_callback callback,
                            size_t argc, const JSValueRef argv[]) {
  JSValueRef exception = NULL;
  if (callbacks[callback] == NULL || rondo_node_exiting(js.node)) {
    http->has_thrown = true;
    return NULL;
  }
  JSValueRef result =
      JSObjectCallAsFunction(js.ctx, callbacks[callback], NULL, argc, argv, &exception);
  if (exception == NULL)
    return result;
  http->has_thrown = true;
  if (http->from_loop)
    rondo_node_uncaught(js.node, exception);
  else
    http->exception = exception;
  return NULL;
}

static enum http_answer http_head(void* owner, const struct http_head* head) {
  struct js_http* http = owner;
  int flags = (head->is_upgrade ? IS_UPGRADE : 0) |
              (head->is_persistent ? IS_PERSISTENT : 0) |
              (head->is_bodiless ? IS_BODILESS : 0) | (head->has_host ? HAS_HOST : 0) |
              (head->has_expect ? HAS_EXPECT : 0) | head->major << MAJOR_SHIFT |
              head->minor << MINOR_SHIFT;
  JSValueRef arguments[] = {http->owner, fields_value(&head->fields),
                            js_number(head->status != 0 ? head->status : head->method),
                            js_number(flags)};
  http->is_completed = false;
  JSValueRef answer = http_call(http, ON_HEAD, 4, arguments);
  if (answer == NULL)
    return HTTP_FAILED;
  double number = JSValueToNumber(js.ctx, answer, NULL);
  http->is_completed = head->is_bodiless && number == HTTP_GO_ON;
  return number == HTTP_NO_BODY   ? HTTP_NO_BODY
         : number == HTTP_NO_MORE ? HTTP_NO_MORE
                                  : HTTP_GO_ON;
}

static enum http_answer http_body(void* owner, const char* bytes, size_t length) {
  struct js_http* http = owner;
  size_t offset;
  JSObjectRef buffer = js_stream_copy(bytes, length, &offset);
  if (buffer == NULL)
    return HTTP_FAILED;
  JSValueRef arguments[] = {http->owner, buffer, js_number((double) offset),
                            js_number((double) length)};
  bool from_loop = http->from_loop;
  if (!from_loop)
    return http_call(http, ON_BODY, 4, arguments) != NULL ? HTTP_GO_ON : HTTP_FAILED;
  /* Ticks run after it. */
  http->from_loop = false;
  rondo_node_enter(js.node);
  bool fine = http_call(http, ON_BODY, 4, arguments) != NULL;
  http->from_loop = true;
  rondo_node_leave(js.node, http->exception);
  http->exception = NULL;
  return fine ? HTTP_GO_ON : HTTP_FAILED;
}

static enum http_answer http_complete(void* owner, const struct http_fields* trailers) {
  struct js_http* http = owner;
  if (http->is_completed) {
    http->is_completed = false;
    return HTTP_GO_ON;
  }
  JSValueRef arguments[] = {http->owner, trailers->text != NULL ? fields_value(trailers)
                                                                : js_undefined()};
  return http_call(http, ON_COMPLETE, 2, arguments) != NULL ? HTTP_GO_ON : HTTP_FAILED;
}

static uint64_t http_now(void) {
  return uv_hrtime();
}

/* ---- life
 * -------------------------------------------------------------------------------
 */

static JSValueRef http_open(JS_ARGS) {
  JS_UNUSED;
  static const struct http_events events = {
      .head = http_head, .body = http_body, .complete = http_complete, .now = http_now};
  struct js_http* http = calloc(1, sizeof(*http));
  if (http != NULL)
    http->parser = library->open(&events);
  if (http == NULL || http->parser == NULL) {
    free(http);
    *exception = js_uv_error(UV_ENOMEM, "http", NULL, NULL);
    return js_undefined();
  }
  return JSObjectMake(js.ctx, http_class(), http);
}

/* start(token, kind, header limit, lenient, timed): anew, for the first message of a
 * connection */
static JSValueRef http_start(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  if (http == NULL)
    return js_undefined();
  detach(http);
  double limit = js_arg_number(argc, argv, 2, 0);
  struct http_settings settings = {
      .kind = js_arg_int(argc, argv, 1, 0) == HTTP_KIND_RESPONSE ? HTTP_KIND_RESPONSE
                                                                 : HTTP_KIND_REQUEST,
      .header_limit = limit >= 0 && limit < 1e15 ? (size_t) limit : 16 * 1024,
      .is_lenient = js_arg_bool(argc, argv, 3),
      .is_timed = js_arg_bool(argc, argv, 4),
  };
  library->start(http->parser, &settings);
  return js_undefined();
}

/* since(token): when the present message began to be awaited, in ms on the clock of
 * performance.now, negative once its header is complete; 0 between messages */
static JSValueRef http_since(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  bool has_head = false;
  uint64_t since = http != NULL ? library->since(http->parser, &has_head) : 0;
  double ms = (double) since / 1e6;
  return js_number(has_head ? -ms : ms);
}

/* now(): on the clock of since() */
static JSValueRef http_clock(JS_ARGS) {
  JS_UNUSED;
  return js_number((double) uv_hrtime() / 1e6);
}

/* pause(token, on) */
static JSValueRef http_pause(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  if (http != NULL)
    library->pause(http->parser, js_arg_bool(argc, argv, 1));
  return js_undefined();
}

/* ---- feeding
 * ---------------------------------------------------------------------------- */

static size_t http_feed(struct js_http* http, JSObjectRef owner, bool from_loop,
                        const char* bytes, size_t length, struct http_error* error) {
  JSObjectRef outer = http->owner;
  bool outer_from_loop = http->from_loop;
  size_t done = length;
  http->owner = owner;
  http->from_loop = from_loop;
  http->has_thrown = false;
  http->exception = NULL;
  if (bytes != NULL)
    done = library->feed(http->parser, http, bytes, length, error);
  else
    library->finish(http->parser, http, error);
  http->owner = outer;
  http->from_loop = outer_from_loop;
  return done;
}

/* The value that execute and finish return: how many bytes were read, or an error's code,
 * reason and place. */
static JSValueRef feed_result(struct js_http* http, size_t done,
                              const struct http_error* error, JSValueRef* exception) {
  if (http->has_thrown) {
    *exception = http->exception;
    http->exception = NULL;
    return js_undefined();
  }
  if (error->code == NULL)
    return js_number((double) done);
  JSValueRef values[] = {js_string(error->code), js_string(error->reason),
                         js_number((double) done)};
  return js_array(3, values);
}

/* execute(token, owner, view) */
static JSValueRef http_execute(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  JSObjectRef owner = js_arg_object(argc, argv, 1);
  uint8_t* bytes;
  size_t length;
  struct http_error error = {0};
  if (http == NULL || owner == NULL ||
      !js_bytes(js_arg(argc, argv, 2), &bytes, &length) || bytes == NULL)
    return js_number(0);
  size_t done = http_feed(http, owner, false, (const char*) bytes, length, &error);
  return feed_result(http, done, &error, exception);
}

/* finish(token, owner): the other side has ended */
static JSValueRef http_finish(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  JSObjectRef owner = js_arg_object(argc, argv, 1);
  struct http_error error = {0};
  if (http == NULL || owner == NULL)
    return js_number(0);
  size_t done = http_feed(http, owner, false, NULL, 0, &error);
  return feed_result(http, done, &error, exception);
}

/* Gets the bytes that the stream's handle has read. */
static void on_handle_read(struct js_handle* handle, const char* bytes, size_t count) {
  struct js_http* http = handle->reader;
  struct http_error error = {0};
  if (bytes == NULL) { /* the handle is gone */
    detach(http);
    return;
  }
  if (rondo_node_exiting(js.node))
    return;
  JSObjectRef owner = http->reader; /* on the stack: the parser lives as long */
  js_name_callback(callbacks[ON_READ], 1, (const JSValueRef[]){handle->owner});
  size_t done = http_feed(http, owner, true, bytes, count, &error);
  if (http->has_thrown)
    return;
  JSValueRef arguments[7] = {owner, js_number((double) count), js_number((double) done)};
  size_t argc = 3;
  size_t offset = 0;
  if (error.code != NULL || done < count) {
    JSObjectRef buffer = js_stream_copy(bytes, count, &offset);
    arguments[argc++] = buffer != NULL ? buffer : js_undefined();
    arguments[argc++] = js_number((double) offset);
  }
  if (error.code != NULL) {
    arguments[argc++] = js_string(error.code);
    arguments[argc++] = js_string(error.reason);
  }
  js_call_named_before(callbacks[ON_READ], argc, arguments);
}

/* consume(token, stream token, owner): the parser reads from the stream; false if
 * something else does */
static JSValueRef http_consume(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  struct js_handle* handle = argc > 1 ? js_handle_arg(argc - 1, argv + 1, 0) : NULL;
  JSObjectRef owner = js_arg_object(argc, argv, 2);
  if (http == NULL || handle == NULL || owner == NULL || http->handle != NULL ||
      handle->read != NULL)
    return js_boolean(false);
  http->handle = handle;
  http->reader = owner;
  js_keep(owner);
  handle->reader = http;
  handle->read = on_handle_read;
  return js_boolean(true);
}

static JSValueRef http_unconsume(JS_ARGS) {
  JS_UNUSED;
  struct js_http* http = http_arg(argc, argv);
  if (http != NULL)
    detach(http);
  return js_undefined();
}

static JSValueRef http_set_callbacks(JS_ARGS) {
  JS_UNUSED;
  for (size_t i = 0; i < CALLBACKS; i++) {
    callbacks[i] = js_arg_function(argc, argv, i);
    if (callbacks[i] != NULL)
      js_keep(callbacks[i]);
  }
  return js_undefined();
}

static JSObjectRef method_names(void) {
  JSValueRef names[128];
  size_t count = 0;
  while (count < sizeof(names) / sizeof(names[0]) && library->methods[count] != NULL) {
    names[count] = js_string(library->methods[count]);
    count++;
  }
  return js_array(count, names);
}

void native_http(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"setCallbacks", http_set_callbacks},
      {"open", http_open},
      {"start", http_start},
      {"since", http_since},
      {"now", http_clock},
      {"pause", http_pause},
      {"execute", http_execute},
      {"finish", http_finish},
      {"consume", http_consume},
      {"unconsume", http_unconsume},
      {NULL, NULL},
  };
  char problem[MODULE_PROBLEM];
  library = js_module_load("librondo-http.so", HTTP_LIBRARY, problem, sizeof(problem));
  if (library == NULL) {
    js_set_string(exports, "problem", problem); /* and no function that would need it */
    return;
  }
  js_methods(exports, methods);
  js_set(exports, "methods", method_names());
  js_set_string(exports, "version", library->version);
}
