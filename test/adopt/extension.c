/* A shared object with a whole libuv inside that it doesn't export, as an extension
 * module of a scripting language has (uvloop's, for one). plugin_run uses it: a timer,
 * the pool, and says which library it runs on. */
#include <stdio.h>
#include <uv.h>

/* Debian's archive is made for programs, and reaches for these as a program may: they
 * must be in the object itself. Nothing here depends on their values. */
__attribute__((visibility("hidden"))) char** environ;
__attribute__((visibility("hidden"))) FILE* stderr;
__attribute__((visibility("hidden"))) const struct in6_addr in6addr_any;

static void on_timer(uv_timer_t* timer) {
  puts("timer");
  uv_close((uv_handle_t*) timer, NULL);
}

static void work(uv_work_t* request) {
  request->data = request;
}

static void after_work(uv_work_t* request, int status) {
  printf("work %d %d\n", status, request->data == request);
}

__attribute__((visibility("default"))) void plugin_run(void) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_work_t job;
  printf("libuv %s\n", uv_version_string());
  uv_loop_init(&loop);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 0, 0);
  uv_queue_work(&loop, &job, work, after_work);
  uv_run(&loop, UV_RUN_DEFAULT);
  printf("close %d\n", uv_loop_close(&loop));
  fflush(stdout);
}
