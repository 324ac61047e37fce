/* Handles between JavaScript and the library. JavaScript holds a token, an opaque object,
 * and passes it to the native functions; C holds the library's handle and the token's
 * owner, a JavaScript object whose methods are called back.
 *
 * A handle lives from its creation to its close callback, even if JavaScript has no
 * reference to it: until then the token and the owner are protected, as in Node. After
 * that the token is empty, and functions that get it return UV_EBADF. */
#ifndef RONDO_JS_HANDLE_H
#define RONDO_JS_HANDLE_H

#include "js.h"

struct js_handle;

/* A layer between a program and a stream's bytes, as TLS: calls with the layer's own
 * token go through the layer, calls with another token of the handle lead past it. A
 * layer ends with its handle. */
struct stream_layer {
  JSObjectRef token;
  int (*read_start)(struct stream_layer* layer);
  int (*read_stop)(struct stream_layer* layer);
  /* Gets what the network brought, or an error; the bytes are valid during the call. */
  void (*receive)(struct stream_layer* layer, ssize_t count, uint8_t* bytes);
  /* As write_start of js_stream.c: takes `text` over, `kept` has the buffers' memory. */
  int (*write)(struct stream_layer* layer, const uv_buf_t* buffers, unsigned count,
               JSValueRef request, JSValueRef kept, char* text);
  int (*shutdown)(struct stream_layer* layer, JSValueRef request);
  size_t (*queued)(const struct stream_layer* layer);
  void (*release)(struct stream_layer* layer);
};

struct js_handle {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
    uv_tty_t tty;
    uv_udp_t udp;
    uv_process_t process;
    uv_fs_event_t fs_event;
    uv_fs_poll_t fs_poll;
  } uv;
  JSObjectRef token;
  JSObjectRef owner;
  JSObjectRef context; /* of what made it, or NULL: js_contexts.h */
  JSObjectRef closed;  /* called when the handle is closed, or NULL */
  void (*release)(struct js_handle* handle);
  void* extra; /* for the handle's kind, freed by `release` */
  /* Bytes that are read go to this reader instead of to JavaScript; NULL for most
   * streams. `read` is called with NULL and 0 when the handle is gone. */
  void (*read)(struct js_handle* handle, const char* bytes, size_t count);
  void* reader;
  struct stream_layer* layer; /* or NULL */
};

/* Memory for a handle of this owner; NULL without memory. The caller initialises the uv
 * part, then calls js_handle_made, or js_handle_discard if that failed. */
struct js_handle* js_handle_new(JSObjectRef owner);
JSValueRef js_handle_made(struct js_handle* handle);
void js_handle_discard(struct js_handle* handle);
/* js_handle_made or js_handle_discard, for functions that make a handle: returns the
 * token, or throws if err isn't 0. The handle may be NULL. */
JSValueRef js_handle_answer(struct js_handle* handle, int err, const char* syscall,
                            JSValueRef* exception);
/* Closes a handle that is on the loop and that JavaScript has never seen. */
void js_handle_abandon(struct js_handle* handle);

/* A second token of a handle. The token is empty once the handle is closed. */
JSObjectRef js_handle_second_token(struct js_handle* handle);
/* The handle of a token, NULL if it is closed or the argument is no token. */
struct js_handle* js_handle_arg(size_t argc, const JSValueRef argv[], size_t index);

/* A native function whose first argument is a token, and which returns a number: 0, a
 * negative error, or a result; UV_EBADF for a token without a handle. For functions that
 * are called often a struct js_method is faster. */
struct handle_method {
  const char* name;
  int (*call)(struct js_handle* handle, size_t argc, const JSValueRef argv[]);
};

/* Ends with an entry whose name is NULL. */
void js_handle_methods(JSObjectRef exports, const struct handle_method* methods);

/* The close callback of every handle, and the JavaScript function that it will call. */
void js_handle_closed(uv_handle_t* uv);
void js_handle_on_closed(struct js_handle* handle, JSObjectRef callback);

#endif
