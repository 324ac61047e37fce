/* The common part of the files of native('tls'): the loaded object, the function of
 * runtime/lib that gets its events, and values. */
#ifndef RONDO_JS_TLS_H
#define RONDO_JS_TLS_H

#include "js_handle.h"
#include "js_stream.h"
#include "tls/tls_library.h"

/* NULL where it can't be loaded; then native('tls') has no function that needs it. */
extern const struct tls_library* js_tls;

/* The first argument of the function that setCallback sets; the second is the owner. */
enum tls_call {
  TLS_CALL_START,
  TLS_CALL_DONE,
  TLS_CALL_SESSION,      /* (id, session) */
  TLS_CALL_KEYLOG,       /* (line) */
  TLS_CALL_OCSP,         /* (answer, or null) */
  TLS_CALL_ERROR,        /* (message, library, reason, code) */
  TLS_CALL_WRITE_FAILED, /* (request, message) */
  TLS_CALL_HELLO,        /* (id, name, has a ticket, wants OCSP) → whether to go on */
  TLS_CALL_CERTIFICATE,  /* (name, wants OCSP) → whether to go on */
  TLS_CALL_ALPN,         /* (protocols offered) → an offset, or negative */
  TLS_CALL_PSK_SERVER,   /* (identity, most) → key, or nothing */
  TLS_CALL_PSK_CLIENT, /* (hint, most of identity, of key) → [identity, key], or nothing
                        */
  /* for streams that aren't the kernel's */
  TLS_CALL_SEND, /* (bytes): to be answered by sent() */
  TLS_CALL_SHUT, /* (request) */
  TLS_CALL_FLOW  /* (whether bytes are wanted) */
};

/* Calls that function in a scope of its own, in the handle's asynchronous context, */
void js_tls_call(enum tls_call call, struct js_handle* handle, JSObjectRef owner,
                 size_t argc, const JSValueRef argv[]);
/* or for an answer, and without a context; NULL if it threw, which has been reported. */
JSValueRef js_tls_ask(enum tls_call call, JSObjectRef owner, size_t argc,
                      const JSValueRef argv[]);

/* The Error of what OpenSSL reported; `otherwise` is its message if that is nothing. */
JSValueRef js_tls_error(const struct crypto_failure* failure, const char* otherwise);
/* 0, the number of an outcome, or an Error. */
JSValueRef js_tls_outcome(enum tls_outcome outcome, const struct crypto_failure* failure);

struct crypto_bytes js_tls_bytes(JSValueRef value);
/* A Uint8Array of a copy. */
JSValueRef js_tls_copy(struct crypto_bytes bytes);
/* A Uint8Array over malloc'ed bytes, undefined for NULL. */
JSValueRef js_tls_take(uint8_t* bytes, size_t length);

/* An object or array under construction. */
struct tls_build {
  struct tls_sink sink;
  JSObjectRef target;
  bool is_array;
  unsigned count;
};
void js_tls_build(struct tls_build* build, bool is_array);

struct tls_context* js_tls_context(JSValueRef token);

/* js_tls_stream.c: the connection of a token, or NULL. */
struct tls_connection* js_tls_connection(size_t argc, const JSValueRef argv[]);

extern const struct js_method js_tls_context_methods[];
extern const struct js_method js_tls_stream_methods[];
extern const struct js_method js_tls_fact_methods[];

#endif
