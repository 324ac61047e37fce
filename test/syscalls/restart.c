// usage: restart WHAT TURNS
// Turns a loop that stops and starts something in every turn: a timer, reading from a
// pipe, or another event of a poll handle; or asks for a part of a file, runs the loop,
// and asks again. The system calls of it all are counted by test/syscalls/check.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

static uv_idle_t idle;
static uv_timer_t timer;
static uv_pipe_t pipe_handle;
static uv_poll_t poll_handle;
static long left;

static void never_fire(uv_timer_t* handle) {
  (void) handle;
  abort();
}

static void give_nothing(uv_handle_t* handle, size_t size, uv_buf_t* buffer) {
  (void) handle, (void) size;
  *buffer = uv_buf_init(NULL, 0);
}

static void never_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
  (void) stream, (void) count, (void) buffer;
  abort();
}

static void ignore(uv_poll_t* handle, int status, int events) {
  (void) handle, (void) status, (void) events;
}

static void count_down(uv_idle_t* handle) {
  if (--left == 0)
    uv_stop(handle->loop);
}

static void restart_timer(uv_idle_t* handle) {
  uv_timer_stop(&timer);
  uv_timer_start(&timer, never_fire, 1000000, 0);
  count_down(handle);
}

static void restart_reading(uv_idle_t* handle) {
  uv_read_stop((uv_stream_t*) &pipe_handle);
  uv_read_start((uv_stream_t*) &pipe_handle, give_nothing, never_read);
  count_down(handle);
}

static void change_events(uv_idle_t* handle) {
  uv_poll_start(&poll_handle, UV_READABLE | UV_PRIORITIZED, ignore);
  uv_poll_start(&poll_handle, UV_READABLE, ignore);
  count_down(handle);
}

static void count_read(uv_fs_t* req) {
  left -= req->result > 0;
}

static int read_again_and_again(uv_loop_t* loop) {
  uv_fs_t req;
  char byte;
  uv_buf_t buffer = uv_buf_init(&byte, 1);
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  for (long turns = left; turns > 0; turns--) {
    uv_fs_read(loop, &req, fd, &buffer, 1, 0, count_read);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  return left == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  int pair[2];
  uv_loop_t* loop = uv_default_loop();
  if (argc != 3 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return 2;
  left = atol(argv[2]);
  if (strcmp(argv[1], "files") == 0)
    return read_again_and_again(loop);
  uv_idle_init(loop, &idle);
  if (strcmp(argv[1], "timer") == 0) {
    uv_timer_init(loop, &timer);
    uv_idle_start(&idle, restart_timer);
  } else if (strcmp(argv[1], "reading") == 0) {
    uv_pipe_init(loop, &pipe_handle, 0);
    uv_pipe_open(&pipe_handle, pair[0]);
    uv_idle_start(&idle, restart_reading);
  } else {
    uv_poll_init(loop, &poll_handle, pair[0]);
    uv_idle_start(&idle, change_events);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return 0;
}
