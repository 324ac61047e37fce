/* Descriptors as programs see them: fileno, guess_handle, sizes of buffers, pairs. */
#include "helper_streams.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

static void descriptor_of_a_handle(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  uv_idle_t idle;
  int fd;
  assert_int_equal(uv_idle_init(loop, &idle), 0);
  assert_int_equal(uv_fileno((uv_handle_t*) &idle, &fd), UV_EINVAL);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_fileno((uv_handle_t*) &tcp, &fd), UV_EBADF);
  close_and_wait(&tcp);
  listen_locally(loop, &tcp, never_connection);
  assert_int_equal(uv_fileno((uv_handle_t*) &tcp, &fd), 0);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  close_handle(&tcp);
  assert_int_equal(uv_fileno((uv_handle_t*) &tcp, &fd), UV_EBADF);
  close_and_wait(&idle);
}

static void check_guess(int fd, uv_handle_type expected) {
  assert_true(fd >= 0);
  assert_int_equal(uv_guess_handle(fd), expected);
  close(fd);
}

static void guessing(void** state) {
  (void) state;
  int ends[2];
  assert_int_equal(uv_guess_handle(-1), UV_UNKNOWN_HANDLE);
  assert_int_equal(uv_guess_handle(99999), UV_UNKNOWN_HANDLE);
  check_guess(socket(AF_INET, SOCK_STREAM, 0), UV_TCP);
  check_guess(socket(AF_INET, SOCK_DGRAM, 0), UV_UDP);
  check_guess(socket(AF_UNIX, SOCK_STREAM, 0), UV_NAMED_PIPE);
  check_guess(socket(AF_UNIX, SOCK_DGRAM, 0), UV_UNKNOWN_HANDLE);
  check_guess(socket(AF_UNIX, SOCK_SEQPACKET, 0), UV_UNKNOWN_HANDLE);
  check_guess(open("/dev/null", O_RDWR), UV_FILE);
  check_guess(open("/proc/self/exe", O_RDONLY), UV_FILE);
  check_guess(open("/", O_RDONLY), UV_UNKNOWN_HANDLE);
  assert_int_equal(uv_pipe(ends, 0, 0), 0);
  check_guess(ends[0], UV_NAMED_PIPE);
  check_guess(ends[1], UV_NAMED_PIPE);
  if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) == 0) {
    check_guess(ends[1], UV_TTY);
    check_guess(ends[0], UV_TTY);
  }
}

static void sizes_of_buffers(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  uv_timer_t timer;
  int value = 0;
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_send_buffer_size((uv_handle_t*) &tcp, &value), UV_EBADF);
  assert_int_equal(uv_send_buffer_size((uv_handle_t*) &tcp, NULL), UV_EINVAL);
  assert_int_equal(uv_recv_buffer_size(NULL, &value), UV_EINVAL);
  close_and_wait(&tcp);
  listen_locally(loop, &tcp, never_connection);
  assert_int_equal(uv_send_buffer_size((uv_handle_t*) &tcp, &value), 0);
  assert_true(value > 0);
  value = 10000;
  assert_int_equal(uv_send_buffer_size((uv_handle_t*) &tcp, &value), 0);
  assert_int_equal(uv_recv_buffer_size((uv_handle_t*) &tcp, &value), 0);
  value = 0;
  assert_int_equal(uv_send_buffer_size((uv_handle_t*) &tcp, &value), 0);
  assert_int_equal(value, 20000);
  value = 0;
  assert_int_equal(uv_recv_buffer_size((uv_handle_t*) &tcp, &value), 0);
  assert_int_equal(value, 20000);
  assert_int_equal(uv_timer_init(loop, &timer), 0);
  assert_int_equal(uv_recv_buffer_size((uv_handle_t*) &timer, &value), UV_ENOTSUP);
  close_and_wait(&timer);
  close_and_wait(&tcp);
}

static void check_modes(const int* ends, int flags0, int flags1) {
  assert_true(fcntl(ends[0], F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(ends[1], F_GETFD) & FD_CLOEXEC);
  assert_int_equal((fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0, flags0 != 0);
  assert_int_equal((fcntl(ends[1], F_GETFL) & O_NONBLOCK) != 0, flags1 != 0);
}

static void pairs_in_every_mode(void** state) {
  (void) state;
  static const int modes[4][2] = {{0, 0},
                                  {UV_NONBLOCK_PIPE, 0},
                                  {0, UV_NONBLOCK_PIPE},
                                  {UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE}};
  for (int i = 0; i < 4; i++) {
    int ends[2];
    char byte;
    assert_int_equal(uv_socketpair(SOCK_STREAM, 0, ends, modes[i][0], modes[i][1]), 0);
    check_modes(ends, modes[i][0], modes[i][1]);
    assert_int_equal(write(ends[0], "x", 1), 1);
    assert_int_equal(read(ends[1], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(uv_pipe(ends, modes[i][0], modes[i][1]), 0);
    check_modes(ends, modes[i][0], modes[i][1]);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  int none[2] = {7, 7};
  assert_true(uv_socketpair(12345, 0, none, 0, 0) < 0);
  assert_int_equal(none[0], 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(descriptor_of_a_handle),
      loop_test(guessing),
      loop_test(sizes_of_buffers),
      loop_test(pairs_in_every_mode),
  };
  return cmocka_run_group_tests_name("endpoints", tests, NULL, NULL);
}
