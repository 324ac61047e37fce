// Idle, prepare and check handles (W1)
//
// Two of each are started. In which order does one turn call them?
#include <stdio.h>
#include <uv.h>

static uv_idle_t idle[2];
static uv_prepare_t prepare[2];
static uv_check_t check[2];

static void on_idle(uv_idle_t* handle) {
  printf("idle %d\n", handle == &idle[0] ? 1 : 2);
}

static void on_prepare(uv_prepare_t* handle) {
  printf("prepare %d\n", handle == &prepare[0] ? 1 : 2);
}

static void on_check(uv_check_t* handle) {
  printf("check %d\n", handle == &check[0] ? 1 : 2);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  for (int i = 0; i < 2; i++) {
    uv_check_init(loop, &check[i]);
    uv_check_start(&check[i], on_check);
    uv_prepare_init(loop, &prepare[i]);
    uv_prepare_start(&prepare[i], on_prepare);
    uv_idle_init(loop, &idle[i]);
    uv_idle_start(&idle[i], on_idle);
  }
  return uv_run(loop, UV_RUN_NOWAIT) == 0;
}

// Answer: Idle, then prepare, then (behind the poll) check; within each the handle that
// was started last comes first.
