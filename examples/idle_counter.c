// An idle handle runs once in every turn and keeps the loop from sleeping, so
// this loop turns a million times as fast as it can.
#include <stdint.h>
#include <stdio.h>
#include <uv.h>

static int64_t turns;

static void on_idle(uv_idle_t* idle) {
  if (++turns == 1000000) {
    uv_idle_stop(idle);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_idle_t idle;
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, on_idle);

  printf("idling\n");
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%lld turns\n", (long long) turns);

  uv_close((uv_handle_t*) &idle, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
