/* What the tests of UDP share: a loop that must close clean, a receiver on the loopback
 * that counts, and counters for sends. Every socket gets a free port from the kernel. */
#ifndef RONDO_UDP_TEST_H
#define RONDO_UDP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uv.h"

static uv_loop_t loop;

static inline int setup(void** state) {
  (void) state;
  return uv_loop_init(&loop);
}

/* Nothing may be left open: every test closes what it made. */
static inline int teardown(void** state) {
  (void) state;
  return uv_loop_close(&loop);
}

static inline struct sockaddr_in ip4(const char* host, int port) {
  struct sockaddr_in addr;
  assert_int_equal(0, uv_ip4_addr(host, port, &addr));
  return addr;
}

static inline const struct sockaddr* any(const struct sockaddr_in* addr) {
  return (const struct sockaddr*) addr;
}

static inline void close_now(uv_udp_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* A receiver on the loopback that keeps what it got. */
struct receiver {
  uv_udp_t handle;
  struct sockaddr_in addr;
  char slab[65536];
  int datagrams;
  int empty; /* datagrams of no bytes */
  int nothing;
  int errors;
  int last_error;
  size_t bytes;
  unsigned int last_flags;
  int close_after;
};

static inline void take_slab(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct receiver* receiver = handle->data;
  assert_int_equal(65536, suggested);
  *buf = uv_buf_init(receiver->slab, sizeof receiver->slab);
}

static inline void count_datagram(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                                  const struct sockaddr* addr, unsigned int flags) {
  struct receiver* receiver = handle->data;
  (void) buf;
  receiver->last_flags = flags;
  if (nread < 0) {
    receiver->errors++;
    receiver->last_error = (int) nread;
    return;
  }
  if (addr == NULL) {
    assert_int_equal(0, nread);
    receiver->nothing++;
    return;
  }
  receiver->datagrams++;
  receiver->empty += nread == 0;
  receiver->bytes += (size_t) nread;
  if (receiver->datagrams == receiver->close_after)
    uv_close((uv_handle_t*) handle, NULL);
}

static inline void receiver_open(struct receiver* receiver, unsigned int flags) {
  int length = sizeof receiver->addr;
  memset(receiver, 0, sizeof *receiver);
  receiver->addr = ip4("127.0.0.1", 0);
  assert_int_equal(0, uv_udp_init_ex(&loop, &receiver->handle, flags));
  receiver->handle.data = receiver;
  assert_int_equal(0, uv_udp_bind(&receiver->handle, any(&receiver->addr), 0));
  assert_int_equal(0, uv_udp_getsockname(&receiver->handle,
                                         (struct sockaddr*) &receiver->addr, &length));
  assert_int_equal(0, uv_udp_recv_start(&receiver->handle, take_slab, count_datagram));
}

static int sent;
static int send_errors;
static int last_send_status;

static inline void count_sent(uv_udp_send_t* req, int status) {
  assert_non_null(req->handle);
  last_send_status = status;
  if (status == 0)
    sent++;
  else
    send_errors++;
}

static inline void reset_counts(void) {
  sent = send_errors = last_send_status = 0;
}

#define udp_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
