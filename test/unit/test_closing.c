/* Closing: contract C. */
#include "loop_test.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

static uv_timer_t timers[7];

static void log_close(uv_handle_t* handle) {
  char word[32];
  snprintf(word, sizeof(word), "%td", (uv_timer_t*) handle - timers);
  log_word(word);
}

/* Covers C1: later, in the closing phase, last closed first. */
static void close_callbacks_come_later_last_closed_first(void** state) {
  uv_loop_t* loop = *state;
  for (int i = 0; i < 4; i++) {
    uv_timer_init(loop, &timers[i]);
    uv_close((uv_handle_t*) &timers[i], log_close);
  }
  assert_log("");
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("3 2 1 0");
}

static void never(uv_timer_t* handle) {
  (void) handle;
  log_word("never");
}

/* Covers C1: stopped at once. */
static void a_closed_timer_does_not_fire(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timers[0]);
  uv_timer_start(&timers[0], never, 0, 0);
  uv_close((uv_handle_t*) &timers[0], log_close);
  assert_false(uv_is_active((uv_handle_t*) &timers[0]));
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("0");
}

/* Covers C1: twice is a programming error. */
static void closing_twice_stops_the_program(void** state) {
  (void) state;
  pid_t child = fork();
  if (child == 0) {
    uv_loop_t loop;
    freopen("/dev/null", "w", stderr);
    signal(SIGABRT, SIG_DFL);
    uv_loop_init(&loop);
    uv_timer_init(&loop, &timers[0]);
    uv_close((uv_handle_t*) &timers[0], NULL);
    uv_close((uv_handle_t*) &timers[0], NULL);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

static void free_handle(uv_handle_t* handle) {
  memset(handle, 0x5a, uv_handle_size(handle->type));
  free(handle);
  log_word("freed");
}

static void ready(uv_poll_t* handle, int status, int events) {
  (void) status, (void) events;
  uv_close((uv_handle_t*) handle, free_handle);
}

/* Covers C2: the memory is the caller's in the close callback, events in flight or not.
 * (The sanitizers and valgrind see a touch.) */
static void memory_belongs_to_the_caller_after_the_callback(void** state) {
  uv_loop_t* loop = *state;
  for (int round = 0; round < 50; round++) {
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    uv_poll_t* handle = malloc(sizeof(*handle));
    uv_poll_init(loop, handle, pair[0]);
    uv_poll_start(handle, UV_READABLE | UV_WRITABLE, ready);
    assert_int_equal(write(pair[1], "x", 1), 1);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_log("freed");
    uv_timer_t* timer = malloc(sizeof(*timer));
    uv_timer_init(loop, timer);
    uv_timer_start(timer, never, 0, 1);
    uv_close((uv_handle_t*) timer, free_handle);
    uv_async_t* async = malloc(sizeof(*async));
    uv_async_init(loop, async, NULL);
    uv_async_send(async);
    uv_close((uv_handle_t*) async, free_handle);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_log("freed freed");
    close(pair[0]);
    close(pair[1]);
  }
}

/* A null callback is fine, and an unreferenced handle still gets its callback. */
static void a_closing_handle_keeps_the_loop_alive(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timers[0]);
  uv_timer_init(loop, &timers[1]);
  uv_unref((uv_handle_t*) &timers[0]);
  uv_close((uv_handle_t*) &timers[0], log_close);
  uv_close((uv_handle_t*) &timers[1], NULL);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_log("0");
}

static void close_timers(uv_loop_t* loop, int first, int last) {
  for (int i = first; i <= last; i++) {
    uv_timer_init(loop, &timers[i]);
    uv_close((uv_handle_t*) &timers[i], log_close);
  }
}

/* Covers P4 and P2: what the limit left over goes first, and what it then has room for
 * isn't put off by another turn. */
static void closed_since_runs_behind_what_a_limit_left(void** state) {
  uv_loop_t* loop = *state;
  assert_int_equal(rondo_loop_limit(loop, RONDO_PHASE_CLOSING, 2), 0);
  close_timers(loop, 0, 2);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("2 1");
  close_timers(loop, 3, 4);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0 4");
  close_timers(loop, 5, 6);
  rondo_loop_limit(loop, RONDO_PHASE_CLOSING, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("3 6 5");
  close_timers(loop, 0, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(close_callbacks_come_later_last_closed_first),
      loop_test(a_closed_timer_does_not_fire),
      cmocka_unit_test(closing_twice_stops_the_program),
      loop_test(memory_belongs_to_the_caller_after_the_callback),
      loop_test(a_closing_handle_keeps_the_loop_alive),
      loop_test(closed_since_runs_behind_what_a_limit_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
