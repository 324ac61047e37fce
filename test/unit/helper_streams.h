/* What the tests of streams share: a loop that must be left clean, raw peers, addresses
 * on this machine, and counting descriptors. */
#ifndef RONDO_HELPER_STREAMS_H
#define RONDO_HELPER_STREAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uv.h"

/* Group fixtures of one test: *state is a loop. The one that ends it runs it until all is
 * closed, and fails if anything is left, an open descriptor included. */
int loop_begin(void** state);
int loop_end(void** state);

#define loop_test(f) cmocka_unit_test_setup_teardown(f, loop_begin, loop_end)

int open_descriptors(void);

/* A connected pair: the first end for a handle, the second for plain system calls. */
void make_pair(int ends[2]);
/* A pipe handle on one end of a pair; returns the other end. */
int open_with_peer(uv_loop_t* loop, uv_pipe_t* pipe);

struct sockaddr_in local_address(int port);
int port_of(const uv_tcp_t* tcp);
/* Bound to a free port of this machine and listening. Returns the port. */
int listen_locally(uv_loop_t* loop, uv_tcp_t* server, uv_connection_cb cb);
/* A plain, blocking socket that is connected to the port. */
int connect_plainly(int port);
/* A port where nobody listens. */
int unused_port(void);

/* Runs turns until *flag is set; fails when that takes too long. */
void run_until(uv_loop_t* loop, const int* flag);

/* Inside callbacks, and where the loop runs afterwards anyhow. */
void close_handle(void* handle);
/* Turns the loop until the handle is closed: its memory is about to go. */
void close_and_wait(void* handle);
/* For callbacks that must not be called. */
void never_connect(uv_connect_t* req, int status);
void never_write(uv_write_t* req, int status);
void never_connection(uv_stream_t* server, int status);
void never_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);
/* A timer callback that does nothing: it only ends a sleep. */
void wake_up(uv_timer_t* timer);
/* A buffer of the suggested size, the same every time. */
void alloc_static(uv_handle_t* handle, size_t size, uv_buf_t* buf);

/* The byte that belongs at a place in a stream, for telling lost and doubled ones. */
static inline char pattern(size_t offset) {
  return (char) (offset * 131 + (offset >> 8) * 17 + 7);
}
void fill_pattern(char* bytes, size_t length, size_t offset);
void check_pattern(const char* bytes, size_t length, size_t offset);

#endif
