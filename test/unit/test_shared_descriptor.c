/* One descriptor in two handles: a poll handle may watch a stream's socket as long as the
 * stream itself doesn't, and either can take its turn after the other. */
#include "loop_test.h"

#include <sys/socket.h>

/* They outlive their test: the loop closes what is open after it. */
static struct {
  uv_tcp_t stream;
  int peer;
} pair;
static uv_poll_t poll;

static void pair_open(uv_loop_t* loop) {
  int ends[2];
  assert_int_equal(uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, 0), 0);
  assert_int_equal(uv_tcp_init(loop, &pair.stream), 0);
  assert_int_equal(uv_tcp_open(&pair.stream, ends[0]), 0);
  pair.peer = ends[1];
}

static int pair_socket(void) {
  uv_os_fd_t fd;
  assert_int_equal(uv_fileno((uv_handle_t*) &pair.stream, &fd), 0);
  return fd;
}

static void give_buffer(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char room[16];
  (void) handle, (void) suggested;
  *buf = uv_buf_init(room, sizeof(room));
}

static void log_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  (void) buf;
  log_word(count > 0 ? "stream" : "stream-end");
  uv_read_stop(stream);
}

static void log_poll(uv_poll_t* handle, int status, int events) {
  char room[16];
  uv_os_fd_t fd;
  assert_int_equal(status, 0);
  assert_int_equal(events, UV_READABLE);
  assert_int_equal(uv_fileno((uv_handle_t*) handle, &fd), 0);
  assert_int_equal(read(fd, room, sizeof(room)), 1);
  log_word("poll");
  uv_poll_stop(handle);
}

/* Covers I3. */
static void poll_and_stream_take_turns_on_a_socket(void** state) {
  uv_loop_t* loop = *state;
  pair_open(loop);
  assert_int_equal(uv_poll_init(loop, &poll, pair_socket()), 0);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(uv_poll_start(&poll, UV_READABLE, log_poll), 0);
    assert_int_equal(write(pair.peer, "x", 1), 1);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_read_start((uv_stream_t*) &pair.stream, give_buffer, log_read),
                     0);
    assert_int_equal(write(pair.peer, "x", 1), 1);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  assert_log("poll stream poll stream poll stream");
  close(pair.peer);
}

static void a_reading_stream_keeps_its_socket(void** state) {
  uv_loop_t* loop = *state;
  pair_open(loop);
  uv_read_start((uv_stream_t*) &pair.stream, give_buffer, log_read);
  assert_int_equal(uv_poll_init(loop, &poll, pair_socket()), UV_EEXIST);
  close(pair.peer);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("stream-end");
}

/* Covers C1: closing the one that lost its place does not disturb the other. */
static void closing_the_stream_first_leaves_the_poll_alone(void** state) {
  uv_loop_t* loop = *state;
  pair_open(loop);
  int fd = pair_socket();
  assert_int_equal(uv_poll_init(loop, &poll, fd), 0);
  assert_int_equal(uv_poll_start(&poll, UV_READABLE, log_poll), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_poll_stop(&poll);
  uv_close((uv_handle_t*) &pair.stream, NULL);
  uv_close((uv_handle_t*) &poll, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  close(pair.peer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(poll_and_stream_take_turns_on_a_socket),
      loop_test(a_reading_stream_keeps_its_socket),
      loop_test(closing_the_stream_first_leaves_the_poll_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
