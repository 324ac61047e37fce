/* A program with a libuv of its own: says which one it runs on, and uses it: a timer, a
 * file, the pool, and, if asked with "child", itself as a child. With "replace" it gives
 * a file the name of another first. With MAKES_LOOP its constructor has made a loop by
 * then, with MAKES_LOOP_FIRST it was made before anything was initialised. */
#include <stdio.h>
#include <string.h>
#include <uv.h>

static uv_loop_t early;

static void make_loop(void) {
  uv_loop_init(&early);
}

#if defined(MAKES_LOOP)
__attribute__((constructor)) static void at_start(void) {
  make_loop();
  printf("constructor: %s\n", uv_version_string());
}
#elif defined(MAKES_LOOP_FIRST)
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = make_loop;
#endif

static void on_timer(uv_timer_t* timer) {
  puts("timer");
  uv_close((uv_handle_t*) timer, NULL);
}

static void on_stat(uv_fs_t* request) {
  printf("stat %zd\n", (ssize_t) request->result);
  uv_fs_req_cleanup(request);
}

static void work(uv_work_t* request) {
  request->data = request;
}

static void after_work(uv_work_t* request, int status) {
  printf("work %d %d\n", status, request->data == request);
}

static void on_exit_of_child(uv_process_t* process, int64_t status, int number) {
  printf("child %d %d\n", (int) status, number);
  uv_close((uv_handle_t*) process, NULL);
}

static void run_child(uv_loop_t* loop, char* program) {
  static uv_process_t process;
  char* arguments[] = {program, NULL};
  uv_stdio_container_t stdio[] = {{.flags = UV_IGNORE},
                                  {.flags = UV_INHERIT_FD, .data.fd = 1},
                                  {.flags = UV_INHERIT_FD, .data.fd = 2}};
  uv_process_options_t options = {.file = program,
                                  .args = arguments,
                                  .exit_cb = on_exit_of_child,
                                  .stdio_count = 3,
                                  .stdio = stdio};
  fflush(stdout);
  printf("spawn %d\n", uv_spawn(loop, &process, &options));
}

/* Pages that can be written and executed at once. */
static int open_pages(void) {
  char line[512];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "re");
  while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
    found += strstr(line, " rwx") != NULL;
  if (maps != NULL)
    fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  if (argc > 3 && strcmp(argv[1], "replace") == 0 && rename(argv[2], argv[3]) != 0)
    return 1;
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;
  uv_fs_t stat;
  uv_work_t job;
  printf("libuv %s\n", uv_version_string());
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_timer, 0, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_fs_stat(loop, &stat, "/", on_stat);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_queue_work(loop, &job, work, after_work);
  uv_run(loop, UV_RUN_DEFAULT);
  if (argc > 1 && strcmp(argv[1], "child") == 0) {
    run_child(loop, argv[0]);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  printf("close %d, open pages %d\n", uv_loop_close(loop), open_pages());
  return 7;
}
