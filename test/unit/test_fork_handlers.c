/* uv_spawn in a program that has fork handlers: they run, as with libuv, which forks.
 * This file calls pthread_atfork, and so its program imports the function. */
#include "loop_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "system/system.h"

static int prepared;
static int in_parent;
static bool child_gives_up;

static void before(void) {
  prepared++;
}

static void after_in_parent(void) {
  in_parent++;
}

static void after_in_child(void) {
  if (child_gives_up)
    _exit(9);
  umask(0123);
}

static int64_t exit_status;
static char output[100];
static size_t output_length;

static void exited(uv_process_t* process, int64_t status, int signum) {
  assert_int_equal(signum, 0);
  exit_status = status;
  uv_close((uv_handle_t*) process, NULL);
}

static void take_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle, (void) suggested;
  *buf = uv_buf_init(output + output_length,
                     (unsigned int) (sizeof(output) - 1 - output_length));
}

static void take_output(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n > 0)
    output_length += (size_t) n;
  if (n < 0)
    uv_close((uv_handle_t*) stream, NULL);
}

static int spawn_shell(uv_loop_t* loop, const char* file, char* script) {
  static uv_process_t process;
  static uv_pipe_t pipe;
  char* args[] = {"sh", "-c", script, NULL};
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_IGNORE},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t*) &pipe},
      {.flags = UV_INHERIT_FD, .data.fd = 2},
  };
  uv_process_options_t options = {
      .file = file, .args = args, .stdio = stdio, .stdio_count = 3, .exit_cb = exited};
  memset(output, 0, sizeof(output));
  output_length = 0;
  exit_status = -1;
  uv_pipe_init(loop, &pipe, 0);
  int err = uv_spawn(loop, &process, &options);
  if (err == 0)
    uv_read_start((uv_stream_t*) &pipe, take_room, take_output);
  else
    close_all(loop);
  uv_run(loop, UV_RUN_DEFAULT);
  return err;
}

static void handlers_run_in_parent_and_child(void** state) {
  uv_loop_t* loop = *state;
  assert_true(system_has_fork_handlers());
  prepared = in_parent = 0;
  assert_int_equal(spawn_shell(loop, "/bin/sh", "umask; exit 3"), 0);
  assert_string_equal(output, "0123\n");
  assert_int_equal(exit_status, 3);
  assert_int_equal(prepared, 1);
  assert_int_equal(in_parent, 1);
}

static void a_file_that_is_missing_is_reported(void** state) {
  uv_loop_t* loop = *state;
  int before_spawn = open_descriptors();
  assert_int_equal(spawn_shell(loop, "/no/such/file", "true"), UV_ENOENT);
  assert_int_equal(open_descriptors(), before_spawn);
}

/* As uvloop does when the program's function fails: the child never comes to its exec. */
static void a_handler_may_end_the_child(void** state) {
  uv_loop_t* loop = *state;
  child_gives_up = true;
  assert_int_equal(spawn_shell(loop, "/bin/sh", "echo never"), 0);
  child_gives_up = false;
  assert_int_equal(exit_status, 9);
  assert_string_equal(output, "");
}

/* The first descriptor that lies beyond the child's is the one that reports errors. */
static void many_descriptors_don_t_hide_the_error(void** state) {
  uv_loop_t* loop = *state;
  uv_stdio_container_t stdio[40];
  static uv_process_t process; /* closed by the teardown */
  char* args[] = {"none", NULL};
  for (int i = 0; i < 40; i++)
    stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = 2};
  uv_process_options_t options = {
      .file = "/no/such/file", .args = args, .stdio = stdio, .stdio_count = 40};
  assert_int_equal(uv_spawn(loop, &process, &options), UV_ENOENT);
}

int main(void) {
  pthread_atfork(before, after_in_parent, after_in_child);
  const struct CMUnitTest tests[] = {
      loop_test(handlers_run_in_parent_and_child),
      loop_test(a_file_that_is_missing_is_reported),
      loop_test(a_handler_may_end_the_child),
      loop_test(many_descriptors_don_t_hide_the_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
