/* test: serial */
/* Two gigabytes through one TCP connection, with a reader that pauses again and again:
 * the reader decides the pace, the writer's queue says so, and every byte arrives. */
#include "helper_streams.h"

#include <stdio.h>
#include <sys/socket.h>

#include "sanitizers.h"

#define TOTAL                                                                            \
  ((uint64_t) (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? 256 : 2048) << 20)

enum { BLOCK = 1 << 20, AHEAD = 4, PAUSE_EVERY = 64 << 20 };

static char* block; /* twice, so that any stretch of a block's length lies in it */
static uv_tcp_t server, sender, receiver;
static uv_connect_t connecting;
static uv_write_t writes[AHEAD];
static uv_timer_t pause_timer;
static uv_shutdown_t ending;
static uint64_t sent, got, pause_at;
static int pauses, ended;
static size_t most_queued;

static void send_block(uv_write_t* req);

static void block_written(uv_write_t* req, int status) {
  assert_int_equal(status, 0);
  if (sent < TOTAL)
    send_block(req);
}

static void send_block(uv_write_t* req) {
  uv_buf_t buf = uv_buf_init(block, BLOCK);
  assert_int_equal(uv_write(req, (uv_stream_t*) &sender, &buf, 1, block_written), 0);
  sent += BLOCK;
  if (sender.write_queue_size > most_queued)
    most_queued = sender.write_queue_size;
  if (sent == TOTAL)
    assert_int_equal(uv_shutdown(&ending, (uv_stream_t*) &sender, NULL), 0);
}

static void connected(uv_connect_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  for (int i = 0; i < AHEAD; i++)
    send_block(&writes[i]);
}

static void take(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf);

static void go_on(uv_timer_t* timer) {
  (void) timer;
  /* The writer had nothing to do but wait meanwhile. */
  assert_true(sender.write_queue_size > 0 || sent == TOTAL);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_static, take), 0);
}

static void take(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  if (nread == UV_EOF) {
    ended = 1;
    return;
  }
  assert_true(nread >= 0);
  assert_memory_equal(buf->base, block + got % BLOCK, (size_t) nread);
  got += (uint64_t) nread;
  if (got >= pause_at) {
    pause_at = got + PAUSE_EVERY;
    pauses++;
    assert_int_equal(uv_read_stop(stream), 0);
    assert_int_equal(uv_timer_start(&pause_timer, go_on, 5, 0), 0);
  }
}

static void accept_one(uv_stream_t* listener, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(uv_tcp_init(listener->loop, &receiver), 0);
  assert_int_equal(uv_accept(listener, (uv_stream_t*) &receiver), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_static, take), 0);
}

static void slow_reader_decides(void** state) {
  uv_loop_t* loop = *state;
  block = malloc(2 * BLOCK);
  assert_non_null(block);
  fill_pattern(block, BLOCK, 0);
  memcpy(block + BLOCK, block, BLOCK);
  struct sockaddr_in address = local_address(listen_locally(loop, &server, accept_one));
  assert_int_equal(uv_timer_init(loop, &pause_timer), 0);
  assert_int_equal(uv_tcp_init(loop, &sender), 0);
  assert_int_equal(
      uv_tcp_connect(&connecting, &sender, (struct sockaddr*) &address, connected), 0);
  while (!ended)
    uv_run(loop, UV_RUN_ONCE);
  assert_true(got == TOTAL);
  assert_true(pauses >= (int) (TOTAL / PAUSE_EVERY) - 1);
  /* Never more than what the program itself had under way. */
  assert_true(most_queued <= AHEAD * (size_t) BLOCK);
  close_and_wait(&sender);
  close_and_wait(&receiver);
  close_and_wait(&pause_timer);
  close_and_wait(&server);
  free(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {loop_test(slow_reader_decides)};
  return cmocka_run_group_tests_name("stream: pace", tests, NULL, NULL);
}
