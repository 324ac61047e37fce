/* A terminal: a pseudo-terminal's end that is opened, measured, made raw, read from and
 * written to through a uv_tty_t, and set back. What the other end says is what a person
 * would type. */
#include "mixed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
  uv_tty_t tty;
  uv_write_t write;
  int keyboard; /* the pseudo-terminal's other end */
  int waiting;  /* for a line that is typed, and for one that is shown */
  bool opened;
} terminal;

static void terminal_end(void) {
  if (terminal.opened) {
    uv_tty_set_mode(&terminal.tty, UV_TTY_MODE_NORMAL);
    handle_close(&terminal.tty);
  }
  uv_tty_reset_mode();
  close(terminal.keyboard);
  part_over(PART_TERMINAL);
}

static void terminal_one_over(void) {
  if (--terminal.waiting == 0)
    terminal_end();
}

static void terminal_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[256];
  (void) handle, (void) size;
  *buf = uv_buf_init(room, sizeof(room));
}

static void on_typed(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  (void) buf;
  mixed_progress();
  if (count == 0)
    return;
  uv_read_stop(stream);
  terminal_one_over();
}

static void on_shown(uv_write_t* req, int status) {
  (void) req, (void) status;
  request_answered();
  terminal_one_over();
}

/* The descriptor of the end that a program uses; -1 if there is no terminal to be had. */
static int terminal_make(void) {
  char name[64];
  terminal.keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal.keyboard == -1)
    return -1;
  if (grantpt(terminal.keyboard) == 0 && unlockpt(terminal.keyboard) == 0 &&
      ptsname_r(terminal.keyboard, name, sizeof(name)) == 0) {
    int fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd != -1)
      return fd;
  }
  close(terminal.keyboard);
  return -1;
}

void terminal_begin(void) {
  static char shown[] = "shown\n";
  uv_buf_t line = uv_buf_init(shown, sizeof(shown) - 1);
  int width;
  int height;
  int fd = terminal_make();
  if (fd == -1) {
    part_over(PART_TERMINAL);
    return;
  }
  terminal.opened = uv_tty_init(&mixed_loop, &terminal.tty, fd, 0) == 0;
  if (!terminal.opened) {
    close(fd);
    terminal_end();
    return;
  }
  handle_opened();
  uv_tty_get_winsize(&terminal.tty, &width, &height);
  uv_tty_set_mode(&terminal.tty, UV_TTY_MODE_RAW);
  terminal.waiting = 2;
  if (!request_begun(
          uv_write(&terminal.write, (uv_stream_t*) &terminal.tty, &line, 1, on_shown)))
    terminal.waiting--;
  if (uv_read_start((uv_stream_t*) &terminal.tty, terminal_alloc, on_typed) != 0 ||
      write(terminal.keyboard, "typed\n", 6) != 6)
    terminal.waiting--;
  if (terminal.waiting == 0)
    terminal_end();
}
