/* The descriptors of child processes: what they are given, where it lands, and that they
 * get nothing else. */
#include "spawning.h"

static struct child child;

static char file_name[] = "stdio-XXXXXX";

static int temporary_file(void) {
  strcpy(file_name, "stdio-XXXXXX");
  int fd = mkostemp(file_name, O_CLOEXEC);
  assert_true(fd >= 0);
  unlink(file_name);
  return fd;
}

static void expect_file(int fd, const char* content) {
  char buffer[256] = "";
  assert_true(pread(fd, buffer, sizeof buffer - 1, 0) >= 0);
  assert_string_equal(content, buffer);
  close(fd);
}

static void nothing_is_dev_null(void** state) {
  (void) state;
  child_prepare(&child, "names=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2);"
                        "echo $names >&3");
  child_capture(&child, 3);
  expect_output(&child, "/dev/null /dev/null /dev/null\n");
}

static uv_pipe_t in;
static int writes;

static void count_write(uv_write_t* req, int status) {
  assert_int_equal(0, status);
  writes++;
  uv_close((uv_handle_t*) req->handle, NULL);
}

static void pipes_carry_both_ways(void** state) {
  uv_buf_t buf = uv_buf_init("through the child", 17);
  uv_write_t req;
  (void) state;
  writes = 0;
  child_prepare(&child, "exec cat");
  child_capture(&child, 1);
  assert_int_equal(0, uv_pipe_init(&loop, &in, 0));
  child.stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  child.stdio[0].data.stream = (uv_stream_t*) &in;
  assert_int_equal(0, child_spawn(&child));
  assert_int_equal(1, uv_is_writable((uv_stream_t*) &in));
  assert_int_equal(0, uv_is_readable((uv_stream_t*) &in));
  assert_int_equal(1, uv_is_readable((uv_stream_t*) &child.out));
  assert_int_equal(0, uv_is_writable((uv_stream_t*) &child.out));
  assert_int_equal(0, uv_write(&req, (uv_stream_t*) &in, &buf, 1, count_write));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, writes);
  assert_string_equal("through the child", child.output);
  assert_int_equal(0, child.status);
  child_close(&child);
}

/* The child's end of a pipe blocks, whatever the flags, as every program expects. */
static void the_childs_end_blocks(void** state) {
  (void) state;
  child_prepare(&child, "grep flags /proc/self/fdinfo/1");
  child_capture(&child, 1);
  child.stdio[1].flags |= UV_NONBLOCK_PIPE | UV_READABLE_PIPE;
  expect_output(&child, "flags:\t02\n");
}

static void an_inherited_descriptor_is_a_copy(void** state) {
  (void) state;
  int fd = temporary_file();
  child_prepare(&child, "echo out; echo err >&2");
  child.options.stdio_count = 3;
  child_inherit(&child, 1, fd);
  child_inherit(&child, 2, fd);
  expect_output(&child, "");
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC); /* ours is as it was */
  expect_file(fd, "out\nerr\n");
}

static void a_streams_descriptor_is_inherited(void** state) {
  uv_file fds[2];
  uv_pipe_t writer;
  (void) state;
  assert_int_equal(0, uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
  assert_int_equal(0, uv_pipe_init(&loop, &writer, 0));
  assert_int_equal(0, uv_pipe_open(&writer, fds[1]));
  child_prepare(&child, "echo stream");
  child.options.stdio_count = 2;
  child.stdio[1].flags = UV_INHERIT_STREAM;
  child.stdio[1].data.stream = (uv_stream_t*) &writer;
  assert_int_equal(0, uv_pipe_init(&loop, &child.out, 0));
  child.out.data = &child;
  assert_int_equal(0, uv_pipe_open(&child.out, fds[0]));
  assert_int_equal(0, child_spawn(&child));
  uv_close((uv_handle_t*) &writer, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_string_equal("stream\n", child.output);
  child_close(&child);
}

static void bad_containers_are_refused(void** state) {
  uv_tcp_t tcp;
  uv_pipe_t unopened;
  uv_pipe_t good;
  (void) state;
  assert_int_equal(0, uv_tcp_init(&loop, &tcp));
  assert_int_equal(0, uv_pipe_init(&loop, &unopened, 0));
  assert_int_equal(0, uv_pipe_init(&loop, &good, 0));
  int before = open_descriptors();
  for (int i = 0; i < 7; i++) {
    child_prepare(&child, "exit 0");
    child.options.stdio_count = 3;
    /* One that is fine comes before, and must be undone. */
    child.stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    child.stdio[1].data.stream = (uv_stream_t*) &good;
    uv_stdio_container_t* bad = &child.stdio[2];
    if (i == 0) {
      bad->flags = UV_INHERIT_FD;
      bad->data.fd = -1;
    } else if (i == 1) {
      bad->flags = UV_INHERIT_STREAM;
      bad->data.stream = (uv_stream_t*) &unopened;
    } else if (i == 2) {
      bad->flags = UV_CREATE_PIPE;
      bad->data.stream = (uv_stream_t*) &tcp;
    } else if (i == 3) {
      bad->flags = UV_CREATE_PIPE;
      bad->data.stream = NULL;
    } else if (i == 4) {
      bad->flags = (uv_stdio_flags) (UV_INHERIT_FD | UV_INHERIT_STREAM);
    } else if (i == 5) {
      child.options.stdio_count = -1;
    } else {
      child.options.stdio = NULL;
    }
    assert_int_equal(UV_EINVAL, uv_spawn(&loop, &child.process, &child.options));
    assert_int_equal(before, open_descriptors());
    child_close(&child);
  }

  /* A number that is no descriptor is found out in the child. */
  child_prepare(&child, "exit 0");
  child.options.stdio_count = 1;
  child_inherit(&child, 0, 999);
  assert_int_equal(UV_EBADF, child_spawn(&child));
  child_close(&child);
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_close((uv_handle_t*) &unopened, NULL);
  uv_close((uv_handle_t*) &good, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* The child wants at 3 what we have at 4, and the other way round, and the same thing
 * twice, and one where it is already. */
static void collisions_are_sorted_out(void** state) {
  enum { COUNT = 4 };
  int files[COUNT];
  int fds[COUNT];
  (void) state;
  for (int i = 0; i < COUNT; i++)
    files[i] = temporary_file();
  /* Numbers in the range of the child's descriptors: 4, 3, 5, 6. */
  static const int numbers[COUNT] = {4, 3, 5, 6};
  int saved[8];
  for (int i = 3; i < 8; i++)
    saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 64);
  for (int i = 0; i < COUNT; i++)
    files[i] = fcntl(files[i], F_DUPFD_CLOEXEC, 64);
  /* The loop's own descriptors are in the way: a loop made now has higher ones. */
  uv_loop_t own;
  for (int i = 0; i < COUNT; i++)
    fds[i] = dup3(files[i], numbers[i], O_CLOEXEC);
  assert_int_equal(0, uv_loop_init(&own));

  child_prepare(&child, "echo three >&3; echo four >&4; echo five >&5; echo six >&6;"
                        "echo seven >&7");
  child.options.stdio_count = 8;
  child_inherit(&child, 3, fds[0]); /* 4 */
  child_inherit(&child, 4, fds[1]); /* 3 */
  child_inherit(&child, 5, fds[2]); /* 5 */
  child_inherit(&child, 6, fds[2]); /* 5 again */
  child_inherit(&child, 7, fds[3]); /* 6 */
  assert_int_equal(0, uv_spawn(&own, &child.process, &child.options));
  uv_run(&own, UV_RUN_DEFAULT);
  assert_int_equal(1, child.exits);
  assert_int_equal(0, child.status);
  uv_close((uv_handle_t*) &child.process, NULL);
  uv_run(&own, UV_RUN_DEFAULT);
  assert_int_equal(0, uv_loop_close(&own));

  for (int i = 3; i < 8; i++) {
    if (saved[i] == -1) {
      close(i);
      continue;
    }
    assert_int_equal(i, dup3(saved[i], i, O_CLOEXEC));
    close(saved[i]);
  }
  expect_file(files[0], "three\n");
  expect_file(files[1], "four\n");
  expect_file(files[2], "five\nsix\n");
  expect_file(files[3], "seven\n");
}

/* stdout to our stderr and stderr to our stdout. */
static void standard_descriptors_can_be_swapped(void** state) {
  (void) state;
  int out = temporary_file();
  int err = temporary_file();
  int saved_out = fcntl(1, F_DUPFD_CLOEXEC, 64);
  int saved_err = fcntl(2, F_DUPFD_CLOEXEC, 64);
  child_prepare(&child, "echo out; echo err >&2");
  child.options.stdio_count = 3;
  child_inherit(&child, 1, 2);
  child_inherit(&child, 2, 1);
  fflush(stdout);
  fflush(stderr);
  dup2(out, 1);
  dup2(err, 2);
  int result = child_spawn(&child);
  dup2(saved_out, 1);
  dup2(saved_err, 2);
  close(saved_out);
  close(saved_err);
  assert_int_equal(0, result);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(0, child.status);
  child_close(&child);
  expect_file(out, "err\n");
  expect_file(err, "out\n");
}

/* With our own standard descriptors closed, the numbers that new pipes get are those that
 * the child wants something else at. */
static void closed_standard_descriptors_do_no_harm(void** state) {
  (void) state;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    uv_loop_t own;
    for (int fd = 0; fd < 3; fd++)
      close(fd);
    int failures = uv_loop_init(&own);
    child_prepare(&child,
                  "read line && test \"$line\" = word && echo out && echo err >&2");
    uv_pipe_t pipes[3];
    for (int i = 0; i < 3; i++) {
      failures += uv_pipe_init(&own, &pipes[i], 0);
      child.stdio[i].flags =
          UV_CREATE_PIPE |
          (uv_stdio_flags) (i == 0 ? UV_READABLE_PIPE : UV_WRITABLE_PIPE);
      child.stdio[i].data.stream = (uv_stream_t*) &pipes[i];
    }
    child.options.stdio_count = 3;
    failures += uv_spawn(&own, &child.process, &child.options) != 0;
    uv_buf_t buf = uv_buf_init("word\n", 5);
    failures += uv_try_write((uv_stream_t*) &pipes[0], &buf, 1) != 5;
    uv_run(&own, UV_RUN_DEFAULT);
    _exit(failures + (child.status == 0 && child.exits == 1 ? 0 : 1));
  }
  wait_for_success(pid);
}

/* Open descriptors of ours, of every kind, without and with a place in the child. */
static void descriptors_never_leak(void** state) {
  uv_udp_t udp;
  uv_pipe_t pipe;
  uv_tcp_t tcp;
  uv_file fds[2];
  (void) state;
  assert_int_equal(0, uv_udp_init_ex(&loop, &udp, AF_INET));
  assert_int_equal(0, uv_tcp_init_ex(&loop, &tcp, AF_INET));
  assert_int_equal(0, uv_pipe(fds, 0, 0));
  assert_int_equal(0, uv_pipe_init(&loop, &pipe, 0));
  assert_int_equal(0, uv_pipe_open(&pipe, fds[0]));

  /* ls itself opens the directory, as the lowest free number: 4. What the test program
   * was started with, without close-on-exec, is not ours to hide. */
  for (int fd = 3; fd < 256; fd++)
    if (fcntl(fd, F_GETFD) != -1)
      fcntl(fd, F_SETFD, FD_CLOEXEC);
  child_prepare(&child, NULL);
  child.options.file = "ls";
  child.args[0] = (char*) "ls";
  child.args[1] = (char*) "/proc/self/fd";
  child.args[2] = NULL;
  child_capture(&child, 1);
  child.options.stdio_count = 5;
  child_inherit(&child, 3, fds[1]);
  child.stdio[4].flags = UV_IGNORE;
  expect_output(&child, "0\n1\n2\n3\n4\n");
  uv_close((uv_handle_t*) &udp, NULL);
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_close((uv_handle_t*) &pipe, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  close(fds[1]);
}

/* UV_IGNORE gives no descriptor, also where an inheritable one of ours lies. */
static void an_ignored_place_is_empty(void** state) {
  (void) state;
  int fd = fcntl(0, F_DUPFD, 3); /* not close-on-exec */
  assert_true(fd >= 3 && fd < 64);
  uv_stdio_container_t stdio[64];
  memset(stdio, 0, sizeof stdio);
  child_prepare(&child, "test ! -e /proc/$$/fd/$0");
  char number[16];
  snprintf(number, sizeof number, "%d", fd);
  child.args[3] = NULL;
  char* args[] = {(char*) "sh", (char*) "-c", child.args[2], number, NULL};
  child.options.args = args;
  child.options.stdio = stdio;
  child.options.stdio_count = fd + 1;
  assert_int_equal(0, child_spawn(&child));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(0, child.status);
  child_close(&child);
  close(fd);
}

static uv_timer_t timer;
static bool ended_before_exit;

static void kill_child(uv_timer_t* handle) {
  ended_before_exit = child.ended && child.exits == 0;
  assert_int_equal(0, uv_process_kill(&child.process, SIGTERM));
  uv_close((uv_handle_t*) handle, NULL);
}

/* Its pipes end, it doesn't: the loop stays alive for its exit. */
static void a_child_may_close_its_pipes_and_live_on(void** state) {
  (void) state;
  child_prepare(&child, "exec 0<&- 1>&- 2>&-; exec sleep 60");
  child_capture(&child, 1);
  assert_int_equal(0, child_spawn(&child));
  assert_int_equal(0, uv_timer_init(&loop, &timer));
  assert_int_equal(0, uv_timer_start(&timer, kill_child, 300, 0));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_true(ended_before_exit);
  assert_int_equal(SIGTERM, child.signal);
  child_close(&child);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_setup, loop_teardown)
  const struct CMUnitTest tests[] = {
      TEST(nothing_is_dev_null),
      TEST(pipes_carry_both_ways),
      TEST(the_childs_end_blocks),
      TEST(an_inherited_descriptor_is_a_copy),
      TEST(a_streams_descriptor_is_inherited),
      TEST(bad_containers_are_refused),
      TEST(collisions_are_sorted_out),
      TEST(standard_descriptors_can_be_swapped),
      TEST(closed_standard_descriptors_do_no_harm),
      TEST(descriptors_never_leak),
      TEST(an_ignored_place_is_empty),
      TEST(a_child_may_close_its_pipes_and_live_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
