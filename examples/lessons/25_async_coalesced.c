// Sends to an async handle are coalesced (A1)
//
// Three sends before the loop turns. How often is the handle called back?
#include <stdio.h>
#include <uv.h>

static void on_async(uv_async_t* async) {
  printf("called back\n");
  uv_close((uv_handle_t*) async, NULL);
}

int main(void) {
  uv_async_t async;
  uv_loop_t* loop = uv_default_loop();
  uv_async_init(loop, &async, on_async);
  for (int i = 0; i < 3; i++)
    uv_async_send(&async);
  return uv_run(loop, UV_RUN_DEFAULT);
}

// Answer: Once. A send says "look", not what happened: none is lost, and those that come
// before the callback are one.
