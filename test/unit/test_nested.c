/* uv_run inside a callback of the same loop. libuv's manual forbids it; programs do it
 * all the same, to wait for one thing in the middle of another, and must not wait for
 * ever. */
#include "loop_test.h"

#include <stdbool.h>
#include <sys/socket.h>

static void do_nothing(uv_work_t* req) {
  (void) req;
}

static void log_async(uv_async_t* handle) {
  (void) handle;
  log_word("async");
}

static void run_after_work(uv_work_t* req, int status) {
  assert_int_equal(status, 0);
  log_word("work");
  uv_run(req->loop, UV_RUN_NOWAIT);
}

/* Covers L8: the callback was progress, though the run inside it brought nothing. */
static void once_ends_after_a_callback_that_ran_the_loop(void** state) {
  uv_loop_t* loop = *state;
  uv_async_t keeps_alive;
  uv_work_t work;
  uv_async_init(loop, &keeps_alive, log_async);
  assert_int_equal(uv_queue_work(loop, &work, do_nothing, run_after_work), 0);
  assert_int_equal(uv_run(loop, UV_RUN_ONCE), 1);
  assert_log("work");
  close_all(loop);
}

static int fired;

static void run_in_timer(uv_timer_t* handle) {
  fired++;
  uv_run(handle->loop, UV_RUN_NOWAIT);
}

/* Covers P3. */
static void no_timer_fires_twice_in_one_once(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t timer;
  fired = 0;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, run_in_timer, 0, 20);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(fired, 1);
  close_all(loop);
}

/* --- what the outer run has taken already ------------------------------------------ */

static uv_async_t async;
static int ends[2];
static bool done;

static void note_done(uv_async_t* handle) {
  (void) handle;
  done = true;
}

static void wait_until_done(uv_poll_t* handle, int status, int events) {
  (void) events;
  assert_int_equal(status, 0);
  uv_poll_stop(handle);
  while (!done)
    uv_run(handle->loop, UV_RUN_ONCE);
  uv_stop(handle->loop);
}

static void write_byte(void) {
  assert_int_equal(write(ends[1], "x", 1), 1);
}

static void tell_both_ways(uv_timer_t* handle) {
  (void) handle;
  uv_async_send(&async);
  write_byte();
}

/* Covers A1: the same poll finds the descriptor and the async, and serves the descriptor
 * first. */
static void async_is_not_held_back(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t timer;
  uv_poll_t poll;
  done = false;
  assert_int_equal(pipe(ends), 0);
  uv_async_init(loop, &async, note_done);
  uv_poll_init(loop, &poll, ends[0]);
  uv_poll_start(&poll, UV_READABLE, wait_until_done);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, tell_both_ways, 0, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(done);
  close_all(loop);
  close(ends[0]);
  close(ends[1]);
}

static uv_pipe_t stream;
static uv_write_t write_req;

static void written(uv_write_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  done = true;
}

static void write_before_the_poll(uv_prepare_t* handle) {
  uv_buf_t buffer = uv_buf_init((char[]){'a'}, 1);
  assert_int_equal(uv_write(&write_req, (uv_stream_t*) &stream, &buffer, 1, written), 0);
  write_byte();
  uv_prepare_stop(handle);
}

/* Covers Q1: a write that ended at once is called back, whoever turns the loop. */
static void pending_write_is_not_held_back(void** state) {
  uv_loop_t* loop = *state;
  uv_prepare_t prepare;
  uv_poll_t poll;
  int pair[2];
  done = false;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  uv_pipe_init(loop, &stream, 0);
  assert_int_equal(uv_pipe_open(&stream, pair[0]), 0);
  uv_poll_init(loop, &poll, ends[0]);
  uv_poll_start(&poll, UV_READABLE, wait_until_done);
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, write_before_the_poll);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(done);
  close_all(loop);
  close(ends[0]);
  close(ends[1]);
  close(pair[1]);
}

/* --- the clock --------------------------------------------------------------------- */

static uint64_t left_at;

static void run_and_take_time(uv_async_t* handle) {
  uv_run(handle->loop, UV_RUN_NOWAIT);
  uv_sleep(5);
  left_at = uv_hrtime() / 1000000;
}

static void expect_the_time(uv_prepare_t* handle) {
  if (left_at == 0)
    return;
  assert_true(uv_now(handle->loop) >= left_at);
  uv_stop(handle->loop);
}

/* Covers L7: the next turn begins with the time of its beginning. */
static void time_after_the_run_is_not_lost(void** state) {
  uv_loop_t* loop = *state;
  uv_prepare_t prepare;
  left_at = 0;
  uv_async_init(loop, &async, run_and_take_time);
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, expect_the_time);
  uv_async_send(&async);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(left_at != 0);
  close_all(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(once_ends_after_a_callback_that_ran_the_loop),
      loop_test(no_timer_fires_twice_in_one_once),
      loop_test(async_is_not_held_back),
      loop_test(pending_write_is_not_held_back),
      loop_test(time_after_the_run_is_not_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
