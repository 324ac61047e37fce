/* What the tests of streams share: see helper_streams.h. */
#include "helper_streams.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rondo.h"

struct fixture {
  uv_loop_t loop;
  int descriptors;
};

int open_descriptors(void) {
  DIR* directory = opendir("/proc/self/fd");
  assert_non_null(directory);
  int count = -1; /* the directory itself */
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

int loop_begin(void** state) {
  struct fixture* fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  fixture->descriptors = open_descriptors();
  assert_int_equal(uv_loop_init(&fixture->loop), 0);
  const char* expected = getenv("RONDO_EXPECT_BACKEND");
  if (expected != NULL)
    assert_string_equal(rondo_backend_name(&fixture->loop), expected);
  *state = &fixture->loop;
  return 0;
}

int loop_end(void** state) {
  struct fixture* fixture = (struct fixture*) *state;
  assert_int_equal(uv_run(&fixture->loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(uv_loop_close(&fixture->loop), 0);
  assert_int_equal(open_descriptors(), fixture->descriptors);
  free(fixture);
  return 0;
}

void make_pair(int ends[2]) {
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

int open_with_peer(uv_loop_t* loop, uv_pipe_t* pipe) {
  int ends[2];
  make_pair(ends);
  assert_int_equal(uv_pipe_init(loop, pipe, 0), 0);
  assert_int_equal(uv_pipe_open(pipe, ends[0]), 0);
  return ends[1];
}

struct sockaddr_in local_address(int port) {
  struct sockaddr_in address;
  assert_int_equal(uv_ip4_addr("127.0.0.1", port, &address), 0);
  return address;
}

int port_of(const uv_tcp_t* tcp) {
  struct sockaddr_in address;
  int length = sizeof address;
  assert_int_equal(uv_tcp_getsockname(tcp, (struct sockaddr*) &address, &length), 0);
  return ntohs(address.sin_port);
}

int listen_locally(uv_loop_t* loop, uv_tcp_t* server, uv_connection_cb cb) {
  struct sockaddr_in address = local_address(0);
  assert_int_equal(uv_tcp_init(loop, server), 0);
  assert_int_equal(uv_tcp_bind(server, (struct sockaddr*) &address, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) server, 1024, cb), 0);
  return port_of(server);
}

int connect_plainly(int port) {
  struct sockaddr_in address = local_address(port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(connect(fd, (struct sockaddr*) &address, sizeof address), 0);
  return fd;
}

int unused_port(void) {
  struct sockaddr_in address = local_address(0);
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(bind(fd, (struct sockaddr*) &address, length), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr*) &address, &length), 0);
  close(fd);
  return ntohs(address.sin_port);
}

static void note_closed(uv_handle_t* handle) {
  *(int*) handle->data = 1;
}

void close_and_wait(void* handle) {
  uv_handle_t* closing = (uv_handle_t*) handle;
  uv_loop_t* loop = closing->loop;
  int closed = 0;
  closing->data = &closed;
  uv_close(closing, note_closed);
  while (!closed)
    uv_run(loop, UV_RUN_NOWAIT);
}

static void out_of_time(uv_timer_t* timer) {
  (void) timer;
  fail_msg("nothing happened for too long");
}

void run_until(uv_loop_t* loop, const int* flag) {
  uv_timer_t guard;
  assert_int_equal(uv_timer_init(loop, &guard), 0);
  assert_int_equal(uv_timer_start(&guard, out_of_time, 30000, 0), 0);
  while (!*flag)
    uv_run(loop, UV_RUN_ONCE);
  close_and_wait(&guard);
}

void close_handle(void* handle) {
  uv_close((uv_handle_t*) handle, NULL);
}

void never_connect(uv_connect_t* req, int status) {
  (void) req;
  fail_msg("a connect callback came: %d", status);
}

void never_write(uv_write_t* req, int status) {
  (void) req;
  fail_msg("a write callback came: %d", status);
}

void never_connection(uv_stream_t* server, int status) {
  (void) server;
  fail_msg("a connection callback came: %d", status);
}

void never_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  fail_msg("a read callback came: %d", (int) nread);
}

void wake_up(uv_timer_t* timer) {
  (void) timer;
}

void alloc_static(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char bytes[64 * 1024];
  (void) handle;
  assert_int_equal(size, sizeof bytes);
  *buf = uv_buf_init(bytes, sizeof bytes);
}

void fill_pattern(char* bytes, size_t length, size_t offset) {
  for (size_t i = 0; i < length; i++)
    bytes[i] = pattern(offset + i);
}

void check_pattern(const char* bytes, size_t length, size_t offset) {
  for (size_t i = 0; i < length; i++) {
    if (bytes[i] != pattern(offset + i))
      fail_msg("byte %zu of the stream is wrong", offset + i);
  }
}
