// A child whose output is read through a pipe, and whose end is reported. Shown: what a
// child gets as its standard descriptors, and that output and exit come in either order:
// a program is done with a child when both have come.
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static uv_pipe_t output;
static int steps_left = 2; // the end of the output, and the exit

static void one_step_done(void) {
  if (--steps_left == 0) {
    printf("the child is gone and all of its output is here\n");
  }
}

static void allocate(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  static char memory[256]; // one read at a time: one buffer is enough
  (void) handle, (void) suggested;
  *buffer = uv_buf_init(memory, sizeof(memory));
}

static void on_output(uv_stream_t* pipe, ssize_t length, const uv_buf_t* buffer) {
  static char text[256];
  static size_t used;
  if (length > 0) {
    used += (size_t) snprintf(text + used, sizeof(text) - used, "%.*s", (int) length,
                              buffer->base);
    return;
  }
  if (length < 0) {
    printf("the child wrote: %s", text);
    uv_close((uv_handle_t*) pipe, NULL);
    one_step_done();
  }
}

static void on_child_exit(uv_process_t* child, int64_t status, int signal) {
  if (signal != 0 || status != 3) {
    fprintf(stderr, "exit status %d, signal %d\n", (int) status, signal);
    exit(1);
  }
  uv_close((uv_handle_t*) child, NULL);
  one_step_done();
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_process_t child;
  char* arguments[] = {"sh", "-c", "echo $GREETING; exit 3", NULL};
  char* environment[] = {"GREETING=hello from the child", "PATH=/usr/bin:/bin", NULL};
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_IGNORE},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t*) &output},
      {.flags = UV_INHERIT_FD, .data.fd = 2},
  };
  uv_process_options_t options = {.file = "sh",
                                  .args = arguments,
                                  .env = environment,
                                  .exit_cb = on_child_exit,
                                  .stdio = stdio,
                                  .stdio_count = 3};

  uv_pipe_init(loop, &output, 0);
  int error = uv_spawn(loop, &child, &options);
  if (error != 0) { // no such program, no rights, no memory: known at once
    fprintf(stderr, "sh: %s\n", uv_strerror(error));
    return 1;
  }
  uv_read_start((uv_stream_t*) &output, allocate, on_output);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
