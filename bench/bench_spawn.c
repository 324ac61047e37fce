// Children that end at once, one after the other: from uv_spawn to the exit callback.
#include <uv.h>
#include "bench.h"

static uv_loop_t loop;
static uv_process_t process;
static long left;

static void spawn(void);

static void on_close(uv_handle_t* handle) {
  (void) handle;
  if (--left > 0) {
    spawn();
  }
}

static void on_end(uv_process_t* child, int64_t status, int signal) {
  bench_check(status == 0 && signal == 0, "the child ended well");
  uv_close((uv_handle_t*) child, on_close);
}

static void spawn(void) {
  static char* arguments[] = {(char*) "true", NULL};
  uv_process_options_t options;
  memset(&options, 0, sizeof options);
  options.file = "/bin/true";
  options.args = arguments;
  options.exit_cb = on_end;
  bench_uv(uv_spawn(&loop, &process, &options), "spawn");
}

int main(int argc, char** argv) {
  long count = left = bench_argument(argc, argv, 500);
  bench_uv(uv_loop_init(&loop), "loop");
  double began = bench_seconds();
  spawn();
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();
  bench_check(left == 0, "every child was seen to end");
  bench_loop_close(&loop);
  bench_report("spawn", (ended - began) / (double) count * 1e6, "us/op");
  return 0;
}
