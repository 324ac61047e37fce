// A prepare handle and a repeating timer. The timer wakes the loop, which runs
// the prepare callback again before each time it goes to sleep.
#include <stdio.h>
#include <uv.h>

static uv_prepare_t prepare;
static int fired;
static int prepared_since;

static void on_prepare(uv_prepare_t* handle) {
  (void) handle;
  // A loop may wake a little early and go back to sleep: say it once a timer.
  if (prepared_since++ == 0) {
    printf("prepare: going to sleep\n");
  }
}

static void on_timer(uv_timer_t* timer) {
  printf("timer %d\n", ++fired);
  prepared_since = 0;
  if (fired == 3) {
    uv_close((uv_handle_t*) timer, NULL);
    uv_close((uv_handle_t*) &prepare, NULL);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_timer, 20, 20);

  uv_run(loop, UV_RUN_DEFAULT);
  printf("both are closed, the loop ends\n");
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
