/* Pipes: names of every kind, opening what others made, permissions, and the file that
 * goes with the handle. */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char directory[64];
static char path[96];

static int make_directory(void** state) {
  (void) state;
  snprintf(directory, sizeof directory, "/tmp/rondo-pipe-XXXXXX");
  if (mkdtemp(directory) == NULL)
    return -1;
  snprintf(path, sizeof path, "%s/socket", directory);
  return 0;
}

static int remove_directory(void** state) {
  (void) state;
  return rmdir(directory);
}

static int connect_status, connected;
static void note_connect(uv_connect_t* req, int status) {
  (void) req;
  connect_status = status;
  connected = 1;
}

static uv_pipe_t accepted;
static int accepted_one;
static void accept_it(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(uv_pipe_init(server->loop, &accepted, 0), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) &accepted), 0);
  accepted_one = 1;
}

static void serve(uv_loop_t* loop, uv_pipe_t* server, const char* name, size_t length) {
  assert_int_equal(uv_pipe_init(loop, server, 0), 0);
  assert_int_equal(uv_pipe_bind2(server, name, length, UV_PIPE_NO_TRUNCATE), 0);
  assert_int_equal(uv_listen((uv_stream_t*) server, 8, accept_it), 0);
}

static void check_conversation(uv_loop_t* loop, const char* name, size_t length) {
  uv_pipe_t server, client;
  uv_connect_t req;
  char buffer[200], byte = 0;
  size_t size = sizeof buffer;
  connected = accepted_one = 0;
  serve(loop, &server, name, length);
  assert_int_equal(uv_pipe_getsockname(&server, buffer, &size), 0);
  assert_int_equal(size, length);
  assert_memory_equal(buffer, name, length);

  assert_int_equal(uv_pipe_init(loop, &client, 0), 0);
  assert_int_equal(uv_pipe_connect2(&req, &client, name, length, 0, note_connect), 0);
  assert_int_equal(uv_pipe_connect2(&req, &client, name, length, 0, note_connect),
                   UV_EALREADY);
  assert_int_equal(connected, 0);
  run_until(loop, &connected);
  run_until(loop, &accepted_one);
  assert_int_equal(connect_status, 0);
  size = sizeof buffer;
  assert_int_equal(uv_pipe_getpeername(&client, buffer, &size), 0);
  assert_int_equal(size, length);
  assert_memory_equal(buffer, name, length);
  size = sizeof buffer;
  assert_int_equal(uv_pipe_getsockname(&client, buffer, &size), 0);
  assert_int_equal(size, 0);

  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  int fd;
  assert_int_equal(uv_try_write((uv_stream_t*) &client, &buf, 1), 1);
  assert_int_equal(uv_fileno((uv_handle_t*) &accepted, &fd), 0);
  assert_int_equal(read(fd, &byte, 1), 1);
  assert_int_equal(byte, 'x');
  close_and_wait(&client);
  close_and_wait(&accepted);
  close_and_wait(&server);
}

static void file_names(void** state) {
  check_conversation(*state, path, strlen(path));
  assert_int_equal(access(path, F_OK), -1); /* gone with the handle */
}

static void abstract_names(void** state) {
  static const char name[] = "\0rondo\0inner nul\0";
  check_conversation(*state, name, sizeof name - 1);
}

static void longest_names(void** state) {
  char name[sizeof((struct sockaddr_un*) 0)->sun_path + 1];
  memset(name, 'x', sizeof name);
  memcpy(name, directory, strlen(directory));
  name[strlen(directory)] = '/';
  check_conversation(*state, name, sizeof name - 1);

  uv_pipe_t pipe;
  uv_connect_t req;
  assert_int_equal(uv_pipe_init(*state, &pipe, 0), 0);
  assert_int_equal(uv_pipe_bind2(&pipe, name, sizeof name, UV_PIPE_NO_TRUNCATE),
                   UV_EINVAL);
  assert_int_equal(uv_pipe_connect2(&req, &pipe, name, sizeof name, UV_PIPE_NO_TRUNCATE,
                                    never_connect),
                   UV_EINVAL);
  assert_int_equal(uv_pipe_bind2(&pipe, name, sizeof name, 0), 0); /* cut */
  close_and_wait(&pipe);
}

/* The kernel's choice is an abstract name that nobody else has, and that can be asked for
 * and connected to like any other. */
static void the_kernel_names_what_has_no_name(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t first, second, client;
  uv_connect_t req;
  char names[2][64];
  size_t sizes[] = {sizeof names[0], sizeof names[1]};
  connected = accepted_one = 0;
  serve(loop, &first, "", 0);
  assert_int_equal(uv_pipe_init(loop, &second, 0), 0);
  assert_int_equal(uv_pipe_bind(&second, ""), 0);
  assert_int_equal(uv_pipe_bind(&second, ""), UV_EINVAL);
  assert_int_equal(uv_pipe_getsockname(&first, names[0], &sizes[0]), 0);
  assert_int_equal(uv_pipe_getsockname(&second, names[1], &sizes[1]), 0);
  for (int i = 0; i < 2; i++) {
    assert_true(sizes[i] > 1);
    assert_int_equal(names[i][0], '\0');
  }
  assert_memory_not_equal(names[0] + 1, names[1] + 1, sizes[0] - 1);

  /* The name needs no room for a terminator. */
  char tight[64];
  size_t size = sizes[0] - 1;
  assert_int_equal(uv_pipe_getsockname(&first, tight, &size), UV_ENOBUFS);
  assert_int_equal(size, sizes[0]);
  tight[size] = '#';
  assert_int_equal(uv_pipe_getsockname(&first, tight, &size), 0);
  assert_int_equal(size, sizes[0]);
  assert_memory_equal(tight, names[0], size);
  assert_int_equal(tight[size], '#');

  assert_int_equal(uv_pipe_chmod(&first, UV_READABLE), UV_EINVAL); /* there is no file */

  assert_int_equal(uv_pipe_init(loop, &client, 0), 0);
  assert_int_equal(uv_pipe_connect2(&req, &client, names[0], sizes[0],
                                    UV_PIPE_NO_TRUNCATE, note_connect),
                   0);
  run_until(loop, &connected);
  run_until(loop, &accepted_one);
  assert_int_equal(connect_status, 0);
  close_and_wait(&accepted);
  close_and_wait(&client);
  close_and_wait(&second);
  close_and_wait(&first);
}

static void bad_names(void** state) {
  uv_pipe_t pipe, second;
  uv_connect_t req;
  char buffer[4];
  size_t size = sizeof buffer;
  assert_int_equal(uv_pipe_init(*state, &pipe, 0), 0);
  assert_int_equal(uv_pipe_bind2(&pipe, NULL, 3, 0), UV_EINVAL);
  assert_int_equal(uv_pipe_bind2(&pipe, "a\0b", 3, 0), UV_EINVAL);
  assert_int_equal(uv_pipe_bind2(&pipe, path, strlen(path), 2), UV_EINVAL);
  assert_int_equal(uv_pipe_connect2(&req, &pipe, "", 0, 0, never_connect), UV_EINVAL);
  assert_int_equal(uv_pipe_connect2(&req, &pipe, path, 4, 64, never_connect), UV_EINVAL);
  assert_int_equal(uv_pipe_bind(&pipe, "/no/such/directory/socket"), UV_EACCES);
  assert_int_equal(uv_pipe_getsockname(&pipe, buffer, &size), UV_EBADF);
  assert_int_equal(uv_pipe_getpeername(&pipe, buffer, &size), UV_EBADF);
  assert_int_equal(uv_pipe_bind(&pipe, path), 0);
  assert_int_equal(uv_pipe_bind(&pipe, path), UV_EINVAL);
  size = sizeof buffer;
  assert_int_equal(uv_pipe_getsockname(&pipe, buffer, &size), UV_ENOBUFS);
  assert_int_equal(size, strlen(path) + 1);
  size = 0;
  assert_int_equal(uv_pipe_getsockname(&pipe, buffer, &size), UV_EINVAL);
  size = sizeof buffer;
  assert_int_equal(uv_pipe_getpeername(&pipe, buffer, &size), UV_ENOTCONN);
  assert_int_equal(uv_pipe_init(*state, &second, 0), 0);
  assert_int_equal(uv_pipe_bind(&second, path), UV_EADDRINUSE);
  close_and_wait(&second);
  assert_int_equal(access(path, F_OK), 0); /* it belongs to the first */
  close_handle(&pipe);
  assert_int_equal(uv_pipe_bind(&pipe, path), UV_EINVAL);
  uv_run(*state, UV_RUN_DEFAULT);
}

static void failing_connects(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_connect_t req;
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  connected = 0;
  uv_pipe_connect(&req, &pipe, path, note_connect);
  assert_int_equal(connected, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connect_status, UV_ENOENT);
  connected = 0;
  uv_pipe_connect(&req, &pipe, "", note_connect);
  assert_int_equal(connected, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connect_status, UV_EINVAL);
  connected = 0;
  uv_pipe_connect(&req, &pipe, path, note_connect);
  close_handle(&pipe);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connect_status, UV_ECANCELED);
}

static void who_may_use_it(void** state) {
  uv_pipe_t pipe;
  struct stat status;
  assert_int_equal(uv_pipe_init(*state, &pipe, 0), 0);
  assert_int_equal(uv_pipe_chmod(&pipe, UV_READABLE), UV_EBADF);
  mode_t mask = umask(077);
  assert_int_equal(uv_pipe_bind(&pipe, path), 0);
  umask(mask);
  assert_int_equal(uv_pipe_chmod(&pipe, 0), UV_EINVAL);
  assert_int_equal(uv_pipe_chmod(&pipe, 0x12345678), UV_EINVAL);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 077, 0);
  assert_int_equal(uv_pipe_chmod(&pipe, UV_READABLE), 0);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0666, 0644);
  assert_int_equal(uv_pipe_chmod(&pipe, UV_WRITABLE), 0);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0666, 0666);
  assert_int_equal(uv_pipe_chmod(&pipe, UV_READABLE | UV_WRITABLE), 0);
  close_handle(&pipe);
  assert_int_equal(uv_pipe_chmod(&pipe, UV_READABLE), UV_EBADF);
  uv_run(*state, UV_RUN_DEFAULT);
}

static void ignore_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  (void) stream, (void) count, (void) buf;
}

static void descriptors_of_others(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe, again;
  int ends[2];
  make_pair(ends);
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_pipe_open(&pipe, -1), UV_EBADF);
  assert_int_equal(uv_pipe_open(&pipe, ends[0]), 0);
  assert_true(uv_is_readable((uv_stream_t*) &pipe));
  assert_true(uv_is_writable((uv_stream_t*) &pipe));
  assert_true(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
  assert_int_equal(uv_pipe_open(&pipe, ends[1]), UV_EBUSY);
  assert_int_equal(uv_pipe_init(loop, &again, 0), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_static, ignore_read), 0);
  assert_int_equal(uv_pipe_open(&again, ends[0]), UV_EEXIST);
  assert_int_equal(uv_pipe_pending_count(&pipe), 0);
  assert_int_equal(uv_pipe_pending_type(&pipe), UV_UNKNOWN_HANDLE);
  uv_pipe_pending_instances(&pipe, 3);
  close(ends[1]);
  close_and_wait(&again);
  close_and_wait(&pipe);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(file_names),     loop_test(abstract_names),
      loop_test(longest_names),  loop_test(the_kernel_names_what_has_no_name),
      loop_test(bad_names),      loop_test(failing_connects),
      loop_test(who_may_use_it), loop_test(descriptors_of_others),
  };
  return cmocka_run_group_tests_name("pipe", tests, make_directory, remove_directory);
}
