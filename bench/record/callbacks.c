// What a callback costs: two million of an idle handle, which does nothing.
#include <stdio.h>
#include <uv.h>

static long left = 2000000;

static void on_idle(uv_idle_t* idle) {
  if (--left == 0) {
    uv_idle_stop(idle);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_idle_t idle;
  uv_rusage_t used;
  long count = left;
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, on_idle);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_getrusage(&used);
  double cpu = (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
               (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
  printf("callbacks %g ns/callback\n", cpu / (double) count);
  return 0;
}
