/* What the tests of child processes share: a child with a shell command in it, its
 * output, and how it ended. */
#ifndef RONDO_TEST_SPAWNING_H
#define RONDO_TEST_SPAWNING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uv.h"

struct child {
  uv_process_t process;
  uv_process_options_t options;
  uv_stdio_container_t stdio[8];
  char* args[4];
  int exits;
  int64_t status;
  int signal;

  uv_pipe_t out;
  char output[65536];
  size_t length;
  bool ended; /* the output */
};

static uv_loop_t loop;

static inline void warm_up(uv_idle_t* idle) {
  (void) idle;
}

/* A loop opens some of its descriptors only when it turns. That is to have happened when
 * a test counts them. */
static inline int loop_setup(void** state) {
  uv_idle_t idle;
  (void) state;
  int err = uv_loop_init(&loop);
  if (err != 0)
    return err;
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, warm_up);
  for (int i = 0; i < 4; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  uv_close((uv_handle_t*) &idle, NULL);
  return uv_run(&loop, UV_RUN_DEFAULT);
}

/* Every test closes what it made, and waits for every child it started. */
static inline int loop_teardown(void** state) {
  (void) state;
  int err = uv_loop_close(&loop);
  return err != 0 || waitpid(-1, NULL, WNOHANG) != -1 ? 1 : 0;
}

static inline void child_exited(uv_process_t* process, int64_t status, int signal) {
  struct child* child = process->data;
  assert_int_equal(0, uv_is_active((uv_handle_t*) process));
  child->exits++;
  child->status = status;
  child->signal = signal;
}

static inline void child_prepare(struct child* child, const char* command) {
  memset(child, 0, sizeof *child);
  child->args[0] = (char*) "sh";
  child->args[1] = (char*) "-c";
  child->args[2] = (char*) (uintptr_t) command;
  child->options.file = "/bin/sh";
  child->options.args = child->args;
  child->options.exit_cb = child_exited;
  child->options.stdio = child->stdio;
  child->process.data = child;
}

static inline void child_inherit(struct child* child, int i, int fd) {
  child->stdio[i].flags = UV_INHERIT_FD;
  child->stdio[i].data.fd = fd;
}

static inline void child_take(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct child* child = handle->data;
  (void) suggested;
  *buf = uv_buf_init(child->output + child->length,
                     (unsigned int) (sizeof child->output - 1 - child->length));
}

static inline void child_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct child* child = stream->data;
  (void) buf;
  if (nread > 0) {
    child->length += (size_t) nread;
  } else if (nread < 0) {
    assert_int_equal(UV_EOF, nread);
    child->ended = true;
    uv_close((uv_handle_t*) stream, NULL);
  }
}

/* The child's descriptor `i` is a pipe that is read into child->output. */
static inline void child_capture(struct child* child, int i) {
  assert_int_equal(0, uv_pipe_init(&loop, &child->out, 0));
  child->out.data = child;
  child->stdio[i].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  child->stdio[i].data.stream = (uv_stream_t*) &child->out;
  if (child->options.stdio_count <= i)
    child->options.stdio_count = i + 1;
}

static inline int child_spawn(struct child* child) {
  int err = uv_spawn(&loop, &child->process, &child->options);
  if (err == 0 && child->out.loop != NULL)
    assert_int_equal(0,
                     uv_read_start((uv_stream_t*) &child->out, child_take, child_read));
  return err;
}

static inline void child_close(struct child* child) {
  uv_close((uv_handle_t*) &child->process, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

/* Runs a command to its end and checks what it printed and how it ended. */
static inline void expect_output(struct child* child, const char* output) {
  assert_int_equal(0, child_spawn(child));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, child->exits);
  assert_string_equal(output, child->output);
  assert_int_equal(0, child->status);
  assert_int_equal(0, child->signal);
  child_close(child);
}

static inline int open_descriptors(void) {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  assert_non_null(directory);
  while (readdir(directory) != NULL)
    count++;
  closedir(directory);
  return count;
}

static inline void wait_for_success(pid_t pid) {
  int status;
  pid_t result;
  do
    result = waitpid(pid, &status, 0);
  while (result == -1 && errno == EINTR);
  assert_int_equal(pid, result);
  assert_true(WIFEXITED(status));
  assert_int_equal(0, WEXITSTATUS(status));
}

#endif
