// A prepare handle alone. It runs once, before the loop goes to sleep, and then
// nothing is there to wake the loop: it sleeps for ever and uses no processor
// time. Stop it with Ctrl-C.
/* example: sleeps */
#include <stdio.h>
#include <uv.h>

static void on_prepare(uv_prepare_t* prepare) {
  (void) prepare;
  printf("prepare: about to sleep\n");
  fflush(stdout);
}

int main(void) {
  uv_prepare_t prepare;
  uv_prepare_init(uv_default_loop(), &prepare);
  uv_prepare_start(&prepare, on_prepare);
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
