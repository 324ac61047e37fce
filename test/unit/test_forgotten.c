/* Handles that a program has freed without closing them. It must not, but programs do,
 * and on libuv they get away with it as long as the handle is stopped: nothing looks at
 * its memory again. Here the memory is only overwritten, and put back before the end. */
#include "loop_test.h"

#include <sys/socket.h>

static uv_tcp_t forgotten;
static uv_tcp_t memory;

static void forget(void) {
  memcpy(&memory, &forgotten, sizeof(memory));
  memset(&forgotten, 0, sizeof(forgotten));
}

static void remember(void) {
  memcpy(&forgotten, &memory, sizeof(memory));
}

static int open_pair(uv_loop_t* loop) {
  int ends[2];
  assert_int_equal(uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, 0), 0);
  assert_int_equal(uv_tcp_init(loop, &forgotten), 0);
  assert_int_equal(uv_tcp_open(&forgotten, ends[0]), 0);
  return ends[1];
}

static void give_buffer(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char room[16];
  (void) handle, (void) suggested;
  *buf = uv_buf_init(room, sizeof(room));
}

static void log_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  log_word(count > 0 ? "read" : "end");
}

static void turn(uv_loop_t* loop) {
  for (int i = 0; i < 3; i++)
    uv_run(loop, UV_RUN_NOWAIT);
}

/* A loop that watches nothing need not ask the kernel: this one does. */
static int companion(uv_loop_t* loop, uv_poll_t* poll) {
  int ends[2];
  assert_int_equal(uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, 0), 0);
  assert_int_equal(uv_poll_init(loop, poll, ends[0]), 0);
  return ends[1];
}

static void log_poll(uv_poll_t* poll, int status, int events) {
  (void) status, (void) events;
  log_word("companion");
  uv_poll_stop(poll);
}

/* Covers I3: the kernel still has the interest when the event comes. */
static void an_event_for_a_stopped_handle_does_not_touch_it(void** state) {
  uv_loop_t* loop = *state;
  static uv_poll_t poll;
  int peer = open_pair(loop);
  int other = companion(loop, &poll);
  uv_read_start((uv_stream_t*) &forgotten, give_buffer, log_read);
  assert_int_equal(uv_poll_start(&poll, UV_READABLE, log_poll), 0);
  turn(loop);
  uv_read_stop((uv_stream_t*) &forgotten);
  forget();
  assert_int_equal(write(peer, "x", 1), 1);
  turn(loop);
  assert_int_equal(write(other, "x", 1), 1);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("companion");
  remember();
  uv_read_start((uv_stream_t*) &forgotten, give_buffer, log_read);
  uv_run(loop, UV_RUN_ONCE);
  assert_log("read");
  uv_os_fd_t fd;
  assert_int_equal(uv_fileno((uv_handle_t*) &poll, &fd), 0);
  uv_close((uv_handle_t*) &poll, NULL);
  close(fd);
  close(other);
  close(peer);
}

/* Covers I2: interest that was never handed over is forgotten when it is taken back. */
static void a_handle_stopped_before_the_poll_is_not_touched(void** state) {
  uv_loop_t* loop = *state;
  int peer = open_pair(loop);
  uv_read_start((uv_stream_t*) &forgotten, give_buffer, log_read);
  uv_read_stop((uv_stream_t*) &forgotten);
  forget();
  turn(loop);
  remember();
  close(peer);
}

/* Covers C1: closing what was made before and after it. */
static void neighbours_can_be_closed(void** state) {
  uv_loop_t* loop = *state;
  static uv_timer_t before, after;
  uv_timer_init(loop, &before);
  uv_tcp_init(loop, &forgotten);
  uv_timer_init(loop, &after);
  forget();
  uv_close((uv_handle_t*) &before, NULL);
  uv_close((uv_handle_t*) &after, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  remember(); /* with neighbours that are gone: now it is alone on the loop's ring */
  forgotten.handle_queue[0] = forgotten.handle_queue[1] = loop->handle_queue;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(an_event_for_a_stopped_handle_does_not_touch_it),
      loop_test(a_handle_stopped_before_the_poll_is_not_touched),
      loop_test(neighbours_can_be_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
