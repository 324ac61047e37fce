/* Terminals. A terminal's descriptor is nearly always shared with other processes (the
 * shell, a pager, a child), and non-blocking mode is part of the shared file description.
 * So the terminal is opened once more, for a private file description whose mode affects
 * nobody else. Where that can't be done (the master side of a pseudo terminal, no /proc,
 * no permission) the descriptor is left as it is and writes block.
 *
 * The first uv_tty_set_mode saves the terminal's state for uv_tty_reset_mode, which may
 * be called from signal handlers. */
#include "base/own_fd.h"
#include "handle/stream.h"
#include "handle/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* The state that uv_tty_reset_mode restores. The flag is a try-lock: a signal handler
 * that waited for the thread it has interrupted would wait for ever. */
static atomic_flag saved_busy = ATOMIC_FLAG_INIT;
static int saved_fd = -1;
static struct termios saved_state;

static bool tty_try_lock_saved(void) {
  return !atomic_flag_test_and_set_explicit(&saved_busy, memory_order_acquire);
}

static void tty_unlock_saved(void) {
  atomic_flag_clear_explicit(&saved_busy, memory_order_release);
}

/* --- life ------------------------------------------------------------------------ */

/* The descriptor through which the terminal's mode can be restored: the standard
 * descriptor that the program passed, which outlives the handle, or the handle's own. */
static int tty_lasting_fd(const uv_tty_t* tty) {
  return (int) (intptr_t) tty->u.reserved[1];
}

static void tty_close(uv_handle_t* handle) {
  uv_tty_t* tty = (uv_tty_t*) handle;
  /* The number of a closed descriptor soon means another file, which must not be touched.
   * The standard descriptors stay open, so the mode can be restored later. */
  if (tty_lasting_fd(tty) > STDERR_FILENO) {
    while (!tty_try_lock_saved())
      continue;
    if (saved_fd == tty_lasting_fd(tty))
      saved_fd = -1;
    tty_unlock_saved();
  }
  stream_close(handle);
}

static const struct handle_kind tty_kind = {
    .type = UV_TTY,
    .close = tty_close,
    .finish = stream_finish,
};

/* Opening the master of a pseudo terminal by name would make a new terminal. TIOCGPTN
 * succeeds on masters only. */
static bool tty_is_master(int fd) {
  unsigned int number;
  return ioctl(fd, TIOCGPTN, &number) == 0;
}

enum { DUP_TRIES = 100 };

/* A private, non-blocking description of the same terminal, or -1. */
static int tty_reopen(uv_loop_t* loop, int fd, int mode) {
  if (tty_is_master(fd))
    return -1;
  char path[32];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int fresh;
  do
    fresh = own_fd_raise(open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  while (fresh == -1 && errno == EINTR);
  /* The standard descriptors are shared by the whole process, and a watched descriptor
   * belongs to another handle: the private description gets a number of its own. Any
   * other descriptor belongs to the handle from now on, and the private description takes
   * over its number. */
  if (fresh == -1 || fd <= STDERR_FILENO || watcher_exists(loop, fd))
    return fresh;
  /* EBUSY: another thread is between opening and installing this very number. */
  int placed = dup3(fresh, fd, O_CLOEXEC);
  for (int i = 0; i < DUP_TRIES && placed == -1 && (errno == EINTR || errno == EBUSY);
       i++)
    placed = dup3(fresh, fd, O_CLOEXEC);
  descriptor_close(fresh);
  return placed;
}

int uv_tty_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd, int unused) {
  (void) unused;
  if (uv_guess_handle(fd) != UV_TTY)
    return UV_EINVAL;
  int mode = fcntl(fd, F_GETFL);
  if (mode == -1)
    return -errno;
  mode &= O_ACCMODE;

  unsigned int flags = 0;
  if (mode != O_WRONLY)
    flags |= STREAM_READABLE;
  if (mode != O_RDONLY)
    flags |= STREAM_WRITABLE;

  int own = tty_reopen(loop, fd, mode);
  if (own == -1) {
    own = fd;
    flags |= HANDLE_BLOCKING_WRITES;
  }

  stream_init(loop, (uv_stream_t*) tty, &tty_kind);
  tty->u.reserved[1] = (void*) (intptr_t) (fd <= STDERR_FILENO ? fd : own);
  tty->mode = UV_TTY_MODE_NORMAL;
  int err = stream_open((uv_stream_t*) tty, own, flags);
  if (err != 0) {
    if (own != fd)
      descriptor_close(own);
    handle_uninit((uv_handle_t*) tty);
  }
  return err;
}

/* --- modes ----------------------------------------------------------------------- */

/* Characters come one by one and unchanged, but output is processed as before: a new line
 * still starts at the left. */
static void tty_make_raw(struct termios* state) {
  state->c_iflag &= ~(tcflag_t) (BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  state->c_oflag |= ONLCR;
  state->c_cflag |= CS8;
  state->c_lflag &= ~(tcflag_t) (ECHO | ICANON | IEXTEN | ISIG);
  state->c_cc[VMIN] = 1;
  state->c_cc[VTIME] = 0;
}

static int tty_set_state(int fd, const struct termios* state) {
  int result;
  do
    result = tcsetattr(fd, TCSADRAIN, state);
  while (result == -1 && errno == EINTR);
  return result == -1 ? -errno : 0;
}

/* Called when the normal mode is left: a reset restores the present state. */
static int tty_save_state(uv_tty_t* tty) {
  if (tcgetattr(tty->io_watcher.fd, &tty->orig_termios) == -1)
    return -errno;
  while (!tty_try_lock_saved())
    continue;
  if (saved_fd == -1) {
    saved_state = tty->orig_termios;
    saved_fd = tty_lasting_fd(tty);
  }
  tty_unlock_saved();
  return 0;
}

int uv_tty_set_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
  if (tty->io_watcher.fd == -1)
    return UV_EBADF;
  if ((int) mode < UV_TTY_MODE_NORMAL || mode > UV_TTY_MODE_RAW_VT)
    return UV_EINVAL;
  if (mode == UV_TTY_MODE_RAW_VT)
    mode = UV_TTY_MODE_RAW;
  if (tty->mode == (int) mode)
    return 0;

  if (tty->mode == UV_TTY_MODE_NORMAL) {
    int err = tty_save_state(tty);
    if (err != 0)
      return err;
  }
  struct termios state = tty->orig_termios;
  if (mode == UV_TTY_MODE_RAW)
    tty_make_raw(&state);
  else if (mode == UV_TTY_MODE_IO)
    cfmakeraw(&state);

  int err = tty_set_state(tty->io_watcher.fd, &state);
  if (err == 0)
    tty->mode = (int) mode;
  return err;
}

int uv_tty_reset_mode(void) {
  int saved_errno = errno;
  if (!tty_try_lock_saved())
    return UV_EBUSY;
  int err = saved_fd == -1 ? 0 : tty_set_state(saved_fd, &saved_state);
  tty_unlock_saved();
  errno = saved_errno;
  return err;
}

int uv_tty_get_winsize(uv_tty_t* tty, int* width, int* height) {
  struct winsize size;
  int result;
  if (tty->io_watcher.fd == -1)
    return UV_EBADF;
  do
    result = ioctl(tty->io_watcher.fd, TIOCGWINSZ, &size);
  while (result == -1 && errno == EINTR);
  if (result == -1)
    return -errno;
  *width = size.ws_col;
  *height = size.ws_row;
  return 0;
}

/* Terminals on Linux always understand control sequences; nothing translates them. */
void uv_tty_set_vterm_state(uv_tty_vtermstate_t state) {
  (void) state;
}

int uv_tty_get_vterm_state(uv_tty_vtermstate_t* state) {
  (void) state;
  return UV_ENOTSUP;
}
