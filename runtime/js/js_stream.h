/* The common part of TCP sockets, pipes and terminals: reading, writing, shutting down,
 * listening. Events are reported through functions that JavaScript sets once for all
 * streams; their first argument is the handle's owner. */
#ifndef RONDO_JS_STREAM_H
#define RONDO_JS_STREAM_H

#include "js_handle.h"

/* The functions that setCallbacks sets, in this order. */
enum stream_event {
  STREAM_READ,    /* (owner, count or error, ArrayBuffer, offset) */
  STREAM_WRITTEN, /* (owner, status, request) */
  STREAM_SHUT,    /* (owner, status, request) */
  STREAM_CLIENT,  /* (owner, status): a connection waits to be accepted */
  STREAM_CONNECT, /* (owner, status, request) */
  STREAM_EVENTS
};

void js_stream_call_back(enum stream_event event, size_t argc, const JSValueRef argv[]);

/* An ArrayBuffer with a copy of these bytes, from `offset` on; NULL without memory. */
JSObjectRef js_stream_copy(const char* from, size_t count, size_t* offset);
enum { STREAM_BLOCK = 64 * 1024 };

/* A block for what is read, NULL without memory, and its return. */
char* js_stream_block_take(void);
void js_stream_block_return(char* block);
/* Gives the first `count` bytes of a block, which is taken over, or an error to whoever
 * reads from the handle: JavaScript, as this owner, or the handle's `read`. */
void js_stream_give(struct js_handle* handle, JSObjectRef owner, ssize_t count,
                    char* block);
/* uv_read_start with what a handle's reads go through. */
int js_stream_read_start(struct js_handle* handle);

/* The status of a call for JavaScript: 0 or a negative error. */
static inline JSValueRef stream_status(int status) {
  return js_number(status);
}

/* A connect request, and the function that ends it. */
struct stream_connect {
  uv_connect_t uv;
  JSValueRef request;
  JSObjectRef context; /* of the connect, or NULL */
};

struct stream_connect* js_connect_new(const struct js_handle* handle, JSValueRef request);
void js_connect_free(struct stream_connect* connect);
void js_stream_connected(uv_connect_t* uv, int status);

/* The functions of js_tcp.c and js_pipe.c, for native('stream'). */
void js_tcp_add(JSObjectRef exports);
void js_pipe_add(JSObjectRef exports);

#endif
