// The smallest loop: nothing is active on it, so it is not alive and uv_run
// returns at once.
#include <stdio.h>
#include <uv.h>

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  if (loop == NULL) {
    fprintf(stderr, "no loop could be made\n");
    return 1;
  }
  printf("Now quitting.\n");
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
