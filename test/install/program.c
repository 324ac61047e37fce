/* A program that knows only libuv: timer, prepare, idle and async. It is compiled
 * as C99, C11 and C++, and its output is the same on libuv and here. */
#include <stdio.h>
#include <uv.h>

static uv_timer_t timer;
static uv_prepare_t prepare;
static uv_idle_t idle;
static uv_async_t async;
static int idles;

static void on_close(uv_handle_t* handle) {
  printf("closed %s\n", uv_handle_type_name(uv_handle_get_type(handle)));
}

static void on_async(uv_async_t* handle) {
  printf("async\n");
  uv_close((uv_handle_t*) handle, on_close);
}

static void from_thread(void* argument) {
  uv_async_send((uv_async_t*) argument);
}

static void on_prepare(uv_prepare_t* handle) {
  printf("prepare\n");
  uv_prepare_stop(handle);
}

static void on_timer(uv_timer_t* handle) {
  uv_thread_t thread;
  printf("timer\n");
  uv_close((uv_handle_t*) handle, on_close);
  uv_close((uv_handle_t*) &prepare, NULL);
  if (uv_thread_create(&thread, from_thread, &async) == 0) {
    uv_thread_join(&thread);
  }
}

static void on_idle(uv_idle_t* handle) {
  if (++idles == 1000) {
    printf("idle %d times\n", idles);
    uv_close((uv_handle_t*) handle, on_close);
    uv_timer_start(&timer, on_timer, 10, 0);
  }
}

int main(void) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0) {
    return 1;
  }
  uv_timer_init(&loop, &timer);
  uv_prepare_init(&loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle);
  uv_async_init(&loop, &async, on_async);
  uv_run(&loop, UV_RUN_DEFAULT);
  return uv_loop_close(&loop) == 0 ? 0 : 2;
}
