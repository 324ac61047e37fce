// The seven phases of a turn, printed in the order in which they run, for three
// turns. Every phase is given something to do in every turn: the closing phase, the
// last of a turn, sets up the next one.
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

enum { TURNS = 3 };

static uv_timer_t timer;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_async_t async;
static uv_connect_t connect_request;
static uv_pipe_t nowhere;
static int turn;

static void say(int number, const char* phase, const char* why) {
  printf("  %d %-8s %s\n", number, phase, why);
}

static void must(int error, const char* what) {
  if (error < 0) {
    fprintf(stderr, "%s: %s\n", what, uv_strerror(error));
    exit(1);
  }
}

static void on_timer(uv_timer_t* handle) {
  (void) handle;
  printf("turn %d\n", ++turn);
  say(1, "timers", "a timer of 0 ms is due");
}

static void on_connect(uv_connect_t* request, int status) {
  (void) request;
  say(2, "pending",
      status == UV_ENOENT ? "a connect that failed at once is reported here"
                          : "an unexpected end of the connect");
}

static void on_idle(uv_idle_t* handle) {
  (void) handle;
  say(3, "idle", "runs every turn, and keeps the poll from sleeping");
}

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  say(4, "prepare", "last words before the poll; here: wake the loop");
  must(uv_async_send(&async), "send");
}

static void on_async(uv_async_t* handle) {
  (void) handle;
  say(5, "poll", "the kernel has news: the wake-up has arrived");
}

// Connecting to a name that isn't there fails without any waiting, which is
// exactly what the pending phase is for.
static void set_up_turn(uv_loop_t* loop) {
  must(uv_timer_start(&timer, on_timer, 0, 0), "timer");
  must(uv_pipe_init(loop, &nowhere, 0), "pipe");
  uv_pipe_connect(&connect_request, &nowhere, "/nowhere/at/all", on_connect);
}

static void on_close(uv_handle_t* handle) {
  say(7, "closing", "the handle closed in this turn is gone, its memory is ours again");
  if (turn < TURNS) {
    set_up_turn(handle->loop);
  }
}

static void on_check(uv_check_t* handle) {
  say(6, "check", "right after the poll; here: close a handle");
  uv_close((uv_handle_t*) &nowhere, on_close);
  if (turn == TURNS) {
    uv_close((uv_handle_t*) &timer, NULL);
    uv_close((uv_handle_t*) &idle, NULL);
    uv_close((uv_handle_t*) &prepare, NULL);
    uv_close((uv_handle_t*) &async, NULL);
    uv_close((uv_handle_t*) handle, NULL);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  must(uv_timer_init(loop, &timer), "timer");
  must(uv_idle_init(loop, &idle), "idle");
  must(uv_idle_start(&idle, on_idle), "idle");
  must(uv_prepare_init(loop, &prepare), "prepare");
  must(uv_prepare_start(&prepare, on_prepare), "prepare");
  must(uv_check_init(loop, &check), "check");
  must(uv_check_start(&check, on_check), "check");
  must(uv_async_init(loop, &async, on_async), "async");
  set_up_turn(loop);

  uv_run(loop, UV_RUN_DEFAULT);
  printf("nothing is left, so the loop ends\n");
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
