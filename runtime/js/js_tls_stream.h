/* TLS on a stream's bytes, as a layer of its handle (js_handle.h): js_tls_stream.c moves
 * the bytes, js_tls_ask.c asks the program, js_tls_set.c has what runtime/lib calls.
 *
 * The network is the handle's own, or, for a stream that is JavaScript's alone, functions
 * of runtime/lib; the handle is then a pipe that is never opened. */
#ifndef RONDO_JS_TLS_STREAM_H
#define RONDO_JS_TLS_STREAM_H

#include "js_tls.h"

struct tls_write {
  JSValueRef request; /* NULL if there is none */
  JSValueRef kept;    /* the views being written, or NULL */
  char* text;         /* or a copy of a string */
  uv_buf_t* buffers;
  unsigned count, at;
  size_t done; /* of the buffer `at` */
  bool is_encrypted;
  JSObjectRef context; /* js_contexts.h */
};

struct tls_stream {
  struct stream_layer layer;
  struct js_handle* handle;
  JSObjectRef owner; /* protected */
  struct tls_connection* connection;
  bool is_over_script;
  bool is_started, is_stopped, is_reading, is_failed, has_ended;
  bool is_driving, drives_again;
  bool is_left_over; /* reading stopped before all was read */
  bool is_sending;   /* the network has bytes that it hasn't finished writing */
  bool sent_late;    /* this drive follows such a write */
  char* block;       /* being read into */
  size_t block_count, block_given;
  int network_status; /* UV_EOF or an error that the network has brought */
  int send_status;    /* an error of the network for writes */
  uint8_t* waiting;   /* bytes of the network that nobody has taken yet */
  size_t waiting_length;
  struct tls_write write;
  JSValueRef shut_request; /* NULL if there is none */
  bool said_goodbye;
  rondo_node_immediate_t later;
  bool is_later, later_drives, later_writes;
};

/* The stream of a token whose calls go through TLS, or NULL. */
struct tls_stream* js_tls_stream(size_t argc, const JSValueRef argv[]);

struct tls_stream* tls_stream_new(struct js_handle* handle, JSObjectRef owner,
                                  struct tls_context* context, bool is_server,
                                  bool is_over_script);
/* Whether the handle is being closed: nothing happens any more. */
/* js_tls_send.c: what goes to the network, and the program's writes. */
void tls_stream_send(struct tls_stream* stream);
void tls_stream_encrypt(struct tls_stream* stream);
/* After sending: what has come to its end. */
void tls_stream_settle(struct tls_stream* stream);
void tls_write_clear(struct tls_stream* stream);
int tls_stream_write(struct stream_layer* layer, const uv_buf_t* buffers, unsigned count,
                     JSValueRef request, JSValueRef kept, char* text);
size_t tls_stream_queued(const struct stream_layer* layer);
int tls_stream_shutdown(struct stream_layer* layer, JSValueRef request);
/* Whether to go on after a step of the connection. */
bool tls_stream_take(struct tls_stream* stream, enum tls_step step);
/* In the check phase: what `later_drives` and `later_writes` say. */
void tls_stream_come_later(struct tls_stream* stream);
bool tls_stream_is_gone(const struct tls_stream* stream);
/* Returns an error of reading from the network. */
int tls_stream_start(struct tls_stream* stream);
void tls_stream_drive(struct tls_stream* stream);
/* Bytes of the network, or an error. */
void tls_stream_receive(struct tls_stream* stream, ssize_t count, const uint8_t* bytes);
/* The network has written what it was given. */
void tls_stream_sent(struct tls_stream* stream, int status);

/* There are events, from within the connection's work. */
void tls_stream_news(void* data, bool may_write);

extern const struct tls_hooks tls_stream_hooks;

#endif
