/* A small program of the kind people write, valid as C and as C++. It is built with
 * either header and run on either library; what it prints must always be the same. It
 * only prints what the interface promises: nothing that depends on speed or on the
 * machine. The library's version goes to stderr, so that the test knows which one it
 * really ran on. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define TURNS 3
#define SENDS 5

static uv_timer_t timers[4];
static uv_prepare_t prepare;
static uv_idle_t idle;
static uv_check_t check;
static uv_async_t async;
static int turns;
static int repeats;

static void must(int status, const char* what) {
  if (status < 0) {
    printf("%s: %s\n", what, uv_strerror(status));
    exit(1);
  }
}

static void on_close(uv_handle_t* handle) {
  printf("closed %s\n", uv_handle_type_name(uv_handle_get_type(handle)));
}

/* Equal times fire in the order of their start, whatever the order of their init. */
static void on_timer(uv_timer_t* timer) {
  printf("timer %d\n", *(int*) timer->data);
  if (timer == &timers[1])
    must(uv_timer_stop(&timers[3]), "stop a timer that is due in the same turn");
}

static void on_repeat(uv_timer_t* timer) {
  printf("repeat %d of %d ms\n", ++repeats, (int) uv_timer_get_repeat(timer));
  if (repeats == TURNS)
    uv_close((uv_handle_t*) timer, on_close);
}

static void run_timers(uv_loop_t* loop) {
  static int numbers[4] = {0, 1, 2, 3};
  int i;
  for (i = 0; i < 4; i++) {
    must(uv_timer_init(loop, &timers[i]), "timer");
    timers[i].data = &numbers[i];
  }
  printf("again without repeat: %s\n", uv_err_name(uv_timer_again(&timers[0])));
  must(uv_timer_start(&timers[2], on_timer, 2, 0), "timer 2");
  must(uv_timer_start(&timers[1], on_timer, 2, 0), "timer 1");
  must(uv_timer_start(&timers[0], on_timer, 1, 0), "timer 0");
  must(uv_timer_start(&timers[3], on_timer, 2, 0), "timer 3");
  printf("alive %d\n", uv_loop_alive(loop));
  uv_run(loop, UV_RUN_DEFAULT);
  must(uv_timer_start(&timers[0], on_repeat, 1, 1), "repeating timer");
  uv_run(loop, UV_RUN_DEFAULT);
}

/* One turn after the other: idle, prepare, check, in this order. The idle handle keeps
 * the poll between them from waiting, so it is stopped last. */
static void on_idle(uv_idle_t* handle) {
  printf("turn %d: %s", ++turns, uv_is_active((uv_handle_t*) handle) ? "idle" : "?");
}

static void on_prepare(uv_prepare_t* handle) {
  printf(" prepare");
  if (turns == TURNS)
    must(uv_prepare_stop(handle), "prepare stop");
}

static void on_check(uv_check_t* handle) {
  printf(" check\n");
  if (turns == TURNS) {
    must(uv_check_stop(handle), "check stop");
    must(uv_idle_stop(&idle), "idle stop");
  }
}

static void run_phases(uv_loop_t* loop) {
  must(uv_check_init(loop, &check), "check");
  must(uv_prepare_init(loop, &prepare), "prepare");
  must(uv_idle_init(loop, &idle), "idle");
  printf("no callback: %s\n", uv_err_name(uv_idle_start(&idle, NULL)));
  must(uv_check_start(&check, on_check), "check start");
  must(uv_prepare_start(&prepare, on_prepare), "prepare start");
  must(uv_idle_start(&idle, on_idle), "idle start");
  uv_run(loop, UV_RUN_DEFAULT);
}

/* Sends before the callback are one; a send from a thread wakes the sleeping loop. */
static void send_from_thread(void* arg) {
  must(uv_async_send((uv_async_t*) arg), "send");
}

static void on_async(uv_async_t* handle) {
  static int calls;
  static uv_thread_t thread;
  printf("async %d\n", ++calls);
  if (calls == 1) {
    must(uv_thread_create(&thread, send_from_thread, handle), "thread");
    return;
  }
  must(uv_thread_join(&thread), "join");
  uv_unref((uv_handle_t*) handle);
}

static void run_async(uv_loop_t* loop) {
  int i;
  must(uv_async_init(loop, &async, on_async), "async");
  for (i = 0; i < SENDS; i++)
    must(uv_async_send(&async), "send");
  uv_run(loop, UV_RUN_DEFAULT);
}

static void count(uv_handle_t* handle, void* arg) {
  if (!uv_is_closing(handle))
    ++*(int*) arg;
}

/* Of the handles closed in one turn, the last closed calls back first. */
static void close_all(uv_loop_t* loop) {
  int i, open_handles = 0;
  uv_walk(loop, count, &open_handles);
  printf("%d handles left\n", open_handles);
  for (i = 1; i < 4; i++)
    uv_close((uv_handle_t*) &timers[i], on_close);
  uv_close((uv_handle_t*) &check, on_close);
  uv_close((uv_handle_t*) &prepare, on_close);
  uv_close((uv_handle_t*) &idle, on_close);
  uv_close((uv_handle_t*) &async, on_close);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("alive %d\n", uv_loop_alive(loop));
}

int main(void) {
  uv_loop_t loop;
  setvbuf(stdout, NULL, _IOLBF, 0);
  fprintf(stderr, "%s\n", uv_version_string());
  must(uv_loop_init(&loop), "loop");
  printf("loop of %d bytes, handles of", (int) uv_loop_size());
  printf(" %d and %d\n", (int) uv_handle_size(UV_TIMER), (int) uv_handle_size(UV_ASYNC));
  run_timers(&loop);
  run_phases(&loop);
  run_async(&loop);
  printf("close with open handles: %s\n", uv_err_name(uv_loop_close(&loop)));
  close_all(&loop);
  printf("closed: %d\n", uv_loop_close(&loop));
  return 0;
}
