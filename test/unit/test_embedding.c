/* A loop driven from outside, by ONCE and NOWAIT turns and by the descriptor that an
 * outer loop polls: contract L8 and L10. */
/* test: threads */
#include "loop_test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop_idle(uv_idle_t* handle) {
  log_word("idle");
  uv_idle_stop(handle);
}

static void log_check(uv_check_t* handle) {
  (void) handle;
  log_word("check");
}

static void log_timer(uv_timer_t* handle) {
  (void) handle;
  log_word("timer");
}

/* Covers L8: the idle callback is the progress that was promised. Nothing else would
 * ever wake this loop. */
static void once_does_not_sleep_after_an_idle_callback(void** state) {
  uv_loop_t* loop = *state;
  uv_idle_t idle;
  uv_check_t check;
  uv_idle_init(loop, &idle);
  uv_check_init(loop, &check);
  uv_idle_start(&idle, stop_idle);
  uv_check_start(&check, log_check);
  assert_int_equal(uv_run(loop, UV_RUN_ONCE), 1);
  assert_log("idle check");
  close_all(loop);
}

/* Covers I1, L10: whole milliseconds stay what they were. */
static void backend_timeout_of_a_fresh_timer_is_its_timeout(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t timer;
  uv_timer_init(loop, &timer);
  uv_run(loop, UV_RUN_NOWAIT);
  for (int i = 0; i < 100; i++) {
    uv_update_time(loop);
    uv_timer_start(&timer, log_timer, 1000, 0);
    uv_run(loop, UV_RUN_NOWAIT);
    uv_update_time(loop);
    uv_timer_start(&timer, log_timer, 1000, 0);
    assert_int_equal(uv_backend_timeout(loop), 1000);
  }
  close_all(loop);
}

static void close_async(uv_async_t* handle) {
  log_word("async");
  uv_close((uv_handle_t*) handle, NULL);
}

static void send_later(void* async) {
  uv_sleep(20);
  uv_async_send(async);
}

/* Covers L10: the very first poll of the outer loop already sees an async. */
static void outer_loop_sees_an_async_before_the_first_turn(void** state) {
  uv_loop_t* loop = *state;
  uv_async_t async;
  uv_thread_t thread;
  uv_async_init(loop, &async, close_async);
  uv_thread_create(&thread, send_later, &async);
  while (uv_loop_alive(loop)) {
    struct pollfd outer = {.fd = uv_backend_fd(loop), .events = POLLIN};
    int timeout = uv_backend_timeout(loop);
    assert_true(poll(&outer, 1, timeout < 0 ? 10000 : timeout) >= 0);
    uv_run(loop, UV_RUN_NOWAIT);
  }
  uv_thread_join(&thread);
  assert_log("async");
}

static void note_async(uv_async_t* async) {
  (void) async;
  log_word("async");
}

/* Nothing else is watched. */
static void expect_wake_up_goes(uv_loop_t* loop, int (*descriptor)(const uv_loop_t*)) {
  uv_async_t async;
  uv_async_init(loop, &async, note_async);
  uv_run(loop, UV_RUN_NOWAIT);
  for (int round = 0; round < 3; round++) {
    struct pollfd outer = {.fd = descriptor(loop), .events = POLLIN};
    assert_int_equal(poll(&outer, 1, 0), 0);
    uv_async_send(&async);
    assert_int_equal(poll(&outer, 1, 0), 1);
    uv_run(loop, UV_RUN_NOWAIT);
    assert_int_equal(poll(&outer, 1, 0), 0);
  }
  assert_log("async async async");
  close_all(loop);
}

/* Covers L10: what woke the outer loop is gone when it was taken care of. */
static void wake_up_does_not_stay_in_the_set(void** state) {
  expect_wake_up_goes(*state, uv_backend_fd);
}

static int field(const uv_loop_t* loop) {
  return loop->backend_fd;
}

/* Covers L10: also for a program that reads the field instead of asking for it. */
static void wake_up_does_not_stay_in_the_set_of_the_field(void** state) {
  expect_wake_up_goes(*state, field);
}

static int files_done;

static void file_done(uv_fs_t* req) {
  assert_true(req->result >= 0);
  uv_fs_req_cleanup(req);
  files_done++;
}

/* How the outer loop finds the descriptor, and how it runs ours. */
static int (*descriptor_of)(const uv_loop_t*) = uv_backend_fd;
static uv_run_mode outer_mode = UV_RUN_NOWAIT;

/* Nobody asks for the timeout again after the request was made: the descriptor must show
 * it, and be quiet when all is done. */
static void expect_told(uv_loop_t* loop, int before) {
  struct pollfd outer = {.fd = descriptor_of(loop), .events = POLLIN};
  while (files_done == before) {
    assert_int_equal(poll(&outer, 1, 10000), 1);
    uv_run(loop, outer_mode);
  }
  /* A wake-up in vain is allowed in the modes that may wait. */
  if (outer_mode != UV_RUN_NOWAIT && poll(&outer, 1, 0) == 1)
    uv_run(loop, outer_mode);
  assert_int_equal(poll(&outer, 1, 0), 0);
}

/* Covers L10: also if nobody had asked for the descriptor by then, or run the loop. */
static void outer_loop_sees_files_asked_for_before_it_was_there(void** state) {
  uv_loop_t* loop = *state;
  uv_fs_t req;
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  char bytes[64];
  uv_buf_t buffer = uv_buf_init(bytes, sizeof(bytes));
  assert_true(fd >= 0);
  assert_int_equal(uv_fs_read(loop, &req, fd, &buffer, 1, 0, file_done), 0);
  expect_told(loop, files_done);
  close(fd);
}

/* Covers L10: a file request made between two runs, whichever way it takes. */
static void outer_loop_sees_files_asked_for_between_turns(void** state) {
  uv_loop_t* loop = *state;
  uv_fs_t req;
  char name[] = "/tmp/rondo-embedding-XXXXXX";
  char* block = aligned_alloc(4096, 4096);
  memset(block, 'x', 4096);
  uv_buf_t buffer = uv_buf_init(block, 4096);
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  unlink(name);
  uv_run(loop, UV_RUN_NOWAIT);
  for (int round = 0; round < 3; round++) {
    assert_int_equal(uv_fs_write(loop, &req, fd, &buffer, 1, 0, file_done), 0);
    expect_told(loop, files_done);
    assert_int_equal(uv_fs_fsync(loop, &req, fd, file_done), 0);
    expect_told(loop, files_done);
    assert_int_equal(uv_fs_read(loop, &req, fd, &buffer, 1, 0, file_done), 0);
    expect_told(loop, files_done);
    assert_int_equal(uv_fs_stat(loop, &req, ".", file_done), 0);
    expect_told(loop, files_done);
    assert_int_equal(uv_fs_realpath(loop, &req, ".", file_done), 0);
    expect_told(loop, files_done);
  }
  close(fd);
  free(block);
}

/* Covers L10: a program that only reads the field, whichever way it runs the loop. */
static void outer_loop_that_reads_the_field_sees_files(void** state) {
  static const uv_run_mode modes[] = {UV_RUN_NOWAIT, UV_RUN_ONCE, UV_RUN_DEFAULT};
  descriptor_of = field;
  for (size_t i = 0; i < 3; i++) {
    outer_mode = modes[i];
    outer_loop_sees_files_asked_for_before_it_was_there(state);
    outer_loop_sees_files_asked_for_between_turns(state);
  }
  descriptor_of = uv_backend_fd;
  outer_mode = UV_RUN_NOWAIT;
}

static void ask_for_descriptor(void* loop) {
  assert_true(uv_backend_fd(loop) >= 0);
}

/* Covers L10: any thread may ask for the descriptor, also while the loop is in use. */
static void another_thread_asks_for_the_descriptor(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  assert_int_equal(uv_thread_create(&thread, ask_for_descriptor, loop), 0);
  outer_loop_sees_files_asked_for_between_turns(state);
  uv_thread_join(&thread);
}

/* Covers L10: one made inside a run that ends before it could be called back. */
static uv_fs_t asked_inside;

static void ask_for_a_file(uv_async_t* async) {
  assert_int_equal(uv_fs_stat(async->loop, &asked_inside, ".", file_done), 0);
}

static void outer_loop_sees_files_asked_for_in_callbacks(void** state) {
  uv_loop_t* loop = *state;
  uv_async_t async;
  uv_async_init(loop, &async, ask_for_a_file);
  uv_run(loop, UV_RUN_NOWAIT);
  for (int round = 0; round < 3; round++) {
    uv_async_send(&async);
    expect_told(loop, files_done);
    struct pollfd outer = {.fd = uv_backend_fd(loop), .events = POLLIN};
    assert_int_equal(poll(&outer, 1, 0), 0);
  }
  close_all(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(once_does_not_sleep_after_an_idle_callback),
      loop_test(backend_timeout_of_a_fresh_timer_is_its_timeout),
      loop_test(outer_loop_sees_an_async_before_the_first_turn),
      loop_test(wake_up_does_not_stay_in_the_set),
      loop_test(wake_up_does_not_stay_in_the_set_of_the_field),
      loop_test(outer_loop_sees_files_asked_for_before_it_was_there),
      loop_test(outer_loop_sees_files_asked_for_between_turns),
      loop_test(outer_loop_sees_files_asked_for_in_callbacks),
      loop_test(outer_loop_that_reads_the_field_sees_files),
      loop_test(another_thread_asks_for_the_descriptor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
