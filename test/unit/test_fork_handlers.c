/* uv_spawn in a program that has fork handlers: they run, as with libuv, which forks,
 * whichever way they were registered. A program that only could have some has none. */
#include "loop_test.h"
#include "sanitizers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
static char** child_environment; /* uv_process_options_t.env */
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
  uv_process_options_t options = {.file = file,
                                  .args = args,
                                  .stdio = stdio,
                                  .stdio_count = 3,
                                  .exit_cb = exited,
                                  .env = child_environment};
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

/* This program imports pthread_atfork; the C library's list decides. */
static void an_import_is_no_handler(void** state) {
  uv_loop_t* loop = *state;
  if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)
    skip(); /* a sanitizer inside the program may have handlers */
  assert_int_equal(spawn_shell(loop, "/bin/sh", "exit 0"), 0);
  assert_false(system_has_fork_handlers());
}

static int looked_up;

static void count_lookup(void) {
  looked_up++;
}

/* As a language's bindings do: no object imports the function. */
static void a_handler_that_was_looked_up_by_name_runs(void** state) {
  uv_loop_t* loop = *state;
  int (*add)(void (*)(void), void (*)(void), void (*)(void), void*);
  static char some_object;
  *(void**) &add = dlsym(RTLD_DEFAULT, "__register_atfork");
  assert_non_null(add);
  assert_int_equal(add(count_lookup, NULL, NULL, &some_object), 0);
  assert_true(system_has_fork_handlers());
  assert_int_equal(spawn_shell(loop, "/bin/sh", "exit 0"), 0);
  assert_int_equal(looked_up, 1);
}

static void do_nothing(void) {}

static void handlers_run_in_parent_and_child(void** state) {
  uv_loop_t* loop = *state;
  pthread_atfork(before, after_in_parent, after_in_child);
  assert_true(system_has_fork_handlers());
  prepared = in_parent = 0;
  assert_int_equal(spawn_shell(loop, "/bin/sh", "umask; exit 3"), 0);
  assert_string_equal(output, "0123\n");
  assert_int_equal(exit_status, 3);
  assert_int_equal(prepared, 1);
  assert_int_equal(in_parent, 1);
}

/* --- the environment ------------------------------------------------------------------
 */

static const char* child_path; /* what the fork handler makes of PATH; NULL: nothing */

static void change_environment(void) {
  if (child_path == NULL)
    return;
  setenv("FRUIT", "apple", 1);
  setenv("PATH", child_path, 1);
}

/* A script of this name and content, executable, in a new folder. */
static void make_program(char* folder, const char* name, const char* words) {
  char path[200];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", words);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0755), 0);
}

static void remove_program(const char* folder, const char* name) {
  char path[200];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  unlink(path);
  rmdir(folder);
}

/* Without an environment of the program's choice, the child has the one that the handlers
 * left, and the file is searched for in its PATH, however long that is. */
static void a_handler_may_change_the_environment(void** state) {
  uv_loop_t* loop = *state;
  char folder[] = "/tmp/rondo-fork-XXXXXX";
  char path[8192];
  make_program(folder, "only-here", "echo $FRUIT");
  pthread_atfork(NULL, NULL, change_environment);
  for (size_t i = 0; i < sizeof(path) - 100; i += 5)
    snprintf(path + i, 6, "/no/:");
  snprintf(path + strlen(path), 100, "%s:/usr/bin:/bin", folder);
  child_path = path;
  assert_int_equal(spawn_shell(loop, "/bin/sh", "echo $FRUIT"), 0);
  assert_string_equal(output, "apple\n");
  assert_int_equal(spawn_shell(loop, "only-here", "ignored"), 0);
  assert_string_equal(output, "apple\n");
  child_path = NULL;
  assert_int_equal(spawn_shell(loop, "only-here", "ignored"), UV_ENOENT);
  assert_null(getenv("FRUIT"));
  remove_program(folder, "only-here");
}

/* An environment that the program gives is not touched by the handlers. */
static void an_environment_that_is_given_stays(void** state) {
  uv_loop_t* loop = *state;
  char* environment[] = {"FRUIT=pear", "PATH=/usr/bin:/bin", NULL};
  child_path = "/no/such/folder";
  child_environment = environment;
  assert_int_equal(spawn_shell(loop, "sh", "echo $FRUIT"), 0);
  child_environment = NULL;
  child_path = NULL;
  assert_string_equal(output, "pear\n");
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

/* More than the C library's list holds at first. */
static void many_handlers_are_seen(void** state) {
  uv_loop_t* loop = *state;
  for (int i = 0; i < 100; i++)
    assert_int_equal(pthread_atfork(do_nothing, NULL, NULL), 0);
  assert_true(system_has_fork_handlers());
  prepared = 0;
  assert_int_equal(spawn_shell(loop, "/bin/sh", "exit 4"), 0);
  assert_int_equal(exit_status, 4);
  assert_int_equal(prepared, 1);
}

/* A list that is full before the library looks lies elsewhere; then the import counts. */
static int answer_with_a_full_list(void) {
  for (int i = 0; i < 100; i++)
    pthread_atfork(do_nothing, NULL, NULL);
  return system_has_fork_handlers() ? 0 : 1;
}

static void handlers_in_an_unknown_place_are_assumed(void** state) {
  (void) state;
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) {
    execl("/proc/self/exe", "self", "full", (char*) NULL);
    _exit(127);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "full") == 0)
    return answer_with_a_full_list();
  const struct CMUnitTest tests[] = {
      loop_test(an_import_is_no_handler),
      loop_test(a_handler_that_was_looked_up_by_name_runs),
      loop_test(handlers_run_in_parent_and_child),
      loop_test(a_handler_may_change_the_environment),
      loop_test(an_environment_that_is_given_stays),
      loop_test(a_file_that_is_missing_is_reported),
      loop_test(a_handler_may_end_the_child),
      loop_test(many_descriptors_don_t_hide_the_error),
      loop_test(many_handlers_are_seen),
      cmocka_unit_test(handlers_in_an_unknown_place_are_assumed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
