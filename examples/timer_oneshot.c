// One timer, fired once. The loop sleeps until it is due, and ends after it,
// because a timer without a repeat stops by itself.
#include <stdint.h>
#include <stdio.h>
#include <uv.h>

static uint64_t started;

static void on_timer(uv_timer_t* timer) {
  uint64_t waited = uv_now(timer->loop) - started;
  printf("the timer fired, %s\n", waited >= 100 ? "not early" : "EARLY");
  printf("active after firing: %s\n", uv_is_active((uv_handle_t*) timer) ? "yes" : "no");
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_timer, 100, 0);
  started = uv_now(loop);

  printf("waiting for 100 ms\n");
  uv_run(loop, UV_RUN_DEFAULT);
  printf("the loop has nothing left to do\n");

  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
