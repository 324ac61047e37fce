/* Terminals: a private description, modes and their way back, sizes. The test makes a
 * pseudo terminal; without one there is nothing to test. */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "loop/loop.h"

static int master, slave;

static void open_terminal(void) {
  struct winsize size = {.ws_row = 33, .ws_col = 101};
  if (openpty(&master, &slave, NULL, NULL, &size) != 0)
    skip();
}

static struct termios state_of(int fd) {
  struct termios found;
  assert_int_equal(tcgetattr(fd, &found), 0);
  return found;
}

static void what_is_no_terminal(void** state) {
  uv_tty_t tty;
  int fds[2];
  assert_int_equal(uv_tty_init(*state, &tty, -1, 0), UV_EINVAL);
  int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  assert_int_equal(uv_tty_init(*state, &tty, file, 0), UV_EINVAL);
  assert_int_equal(close(file), 0);
  assert_int_equal(uv_tty_init(*state, &tty, file, 0), UV_EINVAL);
  make_pair(fds);
  assert_int_equal(uv_tty_init(*state, &tty, fds[0], 0), UV_EINVAL);
  close(fds[0]);
  close(fds[1]);
}

static void others_are_not_disturbed(void** state) {
  uv_tty_t tty;
  open_terminal();
  int shared = dup(slave); /* what another process would have */
  assert_int_equal(uv_tty_init(*state, &tty, slave, 0), 0);
  assert_false(fcntl(shared, F_GETFL) & O_NONBLOCK);
  assert_false(tty.flags & HANDLE_BLOCKING_WRITES);
  assert_true(uv_is_readable((uv_stream_t*) &tty));
  assert_true(uv_is_writable((uv_stream_t*) &tty));
  int fd;
  assert_int_equal(uv_fileno((uv_handle_t*) &tty, &fd), 0);
  assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  close(shared);
  close(master);
  close_and_wait(&tty); /* it owns the descriptor it was given: see loop_end */
}

static void directions_are_the_descriptors(void** state) {
  uv_tty_t in, out;
  open_terminal();
  char name[64];
  assert_int_equal(ttyname_r(slave, name, sizeof name), 0);
  int reading = open(name, O_RDONLY | O_NOCTTY),
      writing = open(name, O_WRONLY | O_NOCTTY);
  assert_int_equal(uv_tty_init(*state, &in, reading, 0), 0);
  assert_int_equal(uv_tty_init(*state, &out, writing, 1), 0);
  assert_true(uv_is_readable((uv_stream_t*) &in));
  assert_false(uv_is_writable((uv_stream_t*) &in));
  assert_false(uv_is_readable((uv_stream_t*) &out));
  assert_true(uv_is_writable((uv_stream_t*) &out));
  close(master);
  close(slave);
  close_and_wait(&in);
  close_and_wait(&out);
}

static void master_side_is_left_alone(void** state) {
  uv_tty_t tty;
  uv_buf_t buf = uv_buf_init((char*) "hello\n", 6);
  char bytes[16];
  open_terminal();
  assert_int_equal(uv_tty_init(*state, &tty, master, 0), 0);
  assert_true(tty.flags & HANDLE_BLOCKING_WRITES);
  assert_false(fcntl(master, F_GETFL) & O_NONBLOCK);
  assert_int_equal(uv_try_write((uv_stream_t*) &tty, &buf, 1), 6);
  assert_int_equal(read(slave, bytes, sizeof bytes), 6);
  close(slave);
  close_and_wait(&tty);
}

static char got[64];
static int got_length, ended;
static void note_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  if (nread < 0) {
    ended = 1;
    return;
  }
  assert_true(got_length + nread <= (int) sizeof got);
  memcpy(got + got_length, buf->base, (size_t) nread);
  got_length += (int) nread;
}

static void bytes_both_ways(void** state) {
  uv_loop_t* loop = *state;
  uv_tty_t tty;
  char bytes[16];
  open_terminal();
  got_length = ended = 0;
  assert_int_equal(uv_tty_init(loop, &tty, slave, 0), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &tty, alloc_static, note_read), 0);
  assert_int_equal(write(master, "line\n", 5), 5);
  while (got_length < 5)
    uv_run(loop, UV_RUN_ONCE);
  assert_memory_equal(got, "line\n", 5);
  assert_int_equal(read(master, bytes, sizeof bytes), 6); /* the echo */
  uv_buf_t buf = uv_buf_init((char*) "out\n", 4);
  assert_int_equal(uv_try_write((uv_stream_t*) &tty, &buf, 1), 4);
  assert_int_equal(read(master, bytes, sizeof bytes), 5);
  assert_memory_equal(bytes, "out\r\n", 5);
  close(master); /* hung up */
  run_until(loop, &ended);
  close_and_wait(&tty);
}

/* As Node does with one descriptor of /dev/tty for both directions. */
static void two_handles_on_one_terminal(void** state) {
  uv_loop_t* loop = *state;
  uv_tty_t in, out;
  char bytes[16];
  open_terminal();
  got_length = ended = 0;
  assert_int_equal(uv_tty_init(loop, &in, slave, 1), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &in, alloc_static, note_read), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(uv_tty_init(loop, &out, slave, 0), 0);
  uv_buf_t buf = uv_buf_init((char*) "out", 3);
  assert_int_equal(uv_try_write((uv_stream_t*) &out, &buf, 1), 3);
  assert_int_equal(read(master, bytes, sizeof bytes), 3);
  assert_int_equal(write(master, "in\n", 3), 3);
  while (got_length < 3)
    uv_run(loop, UV_RUN_ONCE);
  close_and_wait(&out);
  assert_int_equal(write(master, "on\n", 3), 3);
  while (got_length < 6)
    uv_run(loop, UV_RUN_ONCE);
  close_and_wait(&in);
  close(master);
}

static void modes_and_the_way_back(void** state) {
  uv_tty_t tty;
  open_terminal();
  struct termios before = state_of(slave);
  assert_int_equal(uv_tty_init(*state, &tty, slave, 0), 0);
  assert_int_equal(uv_tty_set_mode(&tty, (uv_tty_mode_t) 17), UV_EINVAL);
  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW), 0);
  struct termios raw = state_of(slave);
  assert_false(raw.c_lflag & (ICANON | ECHO | ISIG | IEXTEN));
  assert_false(raw.c_iflag & ICRNL);
  assert_true(raw.c_oflag & ONLCR);
  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT), 0);
  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_IO), 0);
  struct termios io = state_of(slave);
  assert_false(io.c_oflag & OPOST);
  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL), 0);
  struct termios normal = state_of(slave);
  assert_int_equal(normal.c_lflag, before.c_lflag);
  assert_int_equal(normal.c_iflag, before.c_iflag);
  assert_int_equal(normal.c_oflag, before.c_oflag);

  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW), 0);
  errno = 0;
  assert_int_equal(uv_tty_reset_mode(), 0);
  assert_int_equal(uv_tty_reset_mode(), 0);
  assert_int_equal(errno, 0);
  normal = state_of(slave);
  assert_int_equal(normal.c_lflag, before.c_lflag);
  close(master);
  close_handle(&tty);
  assert_int_equal(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW), UV_EBADF);
  /* Its descriptor is gone: there is nothing to go back to, and nothing to break. */
  assert_int_equal(uv_tty_reset_mode(), 0);
  uv_run(*state, UV_RUN_DEFAULT);
}

static void reset_in_handler(int number) {
  (void) number;
  _exit(uv_tty_reset_mode() == 0 ? 0 : 1);
}

/* As a program does that is interrupted in raw mode, on its standard input. */
static void reset_from_a_signal_handler(void** state) {
  (void) state;
  open_terminal();
  struct termios before = state_of(slave);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    uv_loop_t loop;
    uv_tty_t tty;
    alarm(20);
    dup2(slave, 0);
    if (uv_loop_init(&loop) != 0 || uv_tty_init(&loop, &tty, 0, 1) != 0 ||
        uv_tty_set_mode(&tty, UV_TTY_MODE_RAW) != 0)
      _exit(2);
    if (fcntl(0, F_GETFL) & O_NONBLOCK)
      _exit(3);
    uv_close((uv_handle_t*) &tty, NULL); /* the terminal is still raw */
    uv_run(&loop, UV_RUN_DEFAULT);
    signal(SIGTERM, reset_in_handler);
    raise(SIGTERM);
    _exit(4);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  struct termios after = state_of(slave);
  assert_int_equal(after.c_lflag, before.c_lflag);
  close(master);
  close(slave);
}

static void size_of_the_window(void** state) {
  uv_tty_t tty;
  int width = 0, height = 0;
  open_terminal();
  assert_int_equal(uv_tty_init(*state, &tty, slave, 0), 0);
  assert_int_equal(uv_tty_get_winsize(&tty, &width, &height), 0);
  assert_int_equal(width, 101);
  assert_int_equal(height, 33);
  struct winsize changed = {.ws_row = 50, .ws_col = 60};
  assert_int_equal(ioctl(master, TIOCSWINSZ, &changed), 0);
  assert_int_equal(uv_tty_get_winsize(&tty, &width, &height), 0);
  assert_int_equal(width, 60);
  assert_int_equal(height, 50);
  close(master);
  close_handle(&tty);
  assert_int_equal(uv_tty_get_winsize(&tty, &width, &height), UV_EBADF);
  uv_run(*state, UV_RUN_DEFAULT);
}

static void control_sequences_are_not_ours(void** state) {
  (void) state;
  uv_tty_vtermstate_t vterm;
  uv_tty_set_vterm_state(UV_TTY_SUPPORTED);
  assert_int_equal(uv_tty_get_vterm_state(&vterm), UV_ENOTSUP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(what_is_no_terminal),
      loop_test(others_are_not_disturbed),
      loop_test(directions_are_the_descriptors),
      loop_test(master_side_is_left_alone),
      loop_test(bytes_both_ways),
      loop_test(two_handles_on_one_terminal),
      loop_test(modes_and_the_way_back),
      loop_test(reset_from_a_signal_handler),
      loop_test(size_of_the_window),
      loop_test(control_sequences_are_not_ours),
  };
  return cmocka_run_group_tests_name("tty", tests, NULL, NULL);
}
