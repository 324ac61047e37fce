/* Descriptors as programs see them: which one a handle has, what kind of handle would
 * suit one, the sizes of a socket's buffers, and pairs of connected ends. */
#include "uv.h"
#include "handle/descriptor.h"
#include "handle/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int endpoint_descriptor(const uv_handle_t* handle) {
  switch (handle->type) {
  case UV_TCP:
  case UV_NAMED_PIPE:
  case UV_TTY:
    return stream_fd((const uv_stream_t*) handle);
  case UV_UDP:
    return ((const uv_udp_t*) handle)->io_watcher.fd;
  case UV_POLL:
    return ((const uv_poll_t*) handle)->io_watcher.fd;
  default:
    return UV_EINVAL;
  }
}

int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  int found = endpoint_descriptor(handle);
  if (found == UV_EINVAL)
    return UV_EINVAL;
  if (found < 0 || handle_closing(handle))
    return UV_EBADF;
  *fd = found;
  return 0;
}

/* --- guessing -------------------------------------------------------------------- */

static uv_handle_type endpoint_guess_socket(int fd) {
  int type, family;
  if (descriptor_get_option(fd, SOL_SOCKET, SO_TYPE, &type) != 0 ||
      descriptor_get_option(fd, SOL_SOCKET, SO_DOMAIN, &family) != 0)
    return UV_UNKNOWN_HANDLE;
  bool internet = family == AF_INET || family == AF_INET6;
  if (type == SOCK_STREAM && internet)
    return UV_TCP;
  if (type == SOCK_STREAM && family == AF_UNIX)
    return UV_NAMED_PIPE;
  if (type == SOCK_DGRAM && internet)
    return UV_UDP;
  return UV_UNKNOWN_HANDLE;
}

uv_handle_type uv_guess_handle(uv_file fd) {
  if (fd < 0)
    return UV_UNKNOWN_HANDLE;
  if (isatty(fd))
    return UV_TTY;
  struct stat status;
  if (fstat(fd, &status) == -1)
    return UV_UNKNOWN_HANDLE;
  switch (status.st_mode & S_IFMT) {
  case S_IFREG:
  case S_IFCHR:
    return UV_FILE;
  case S_IFIFO:
    return UV_NAMED_PIPE;
  case S_IFSOCK:
    return endpoint_guess_socket(fd);
  default:
    return UV_UNKNOWN_HANDLE;
  }
}

/* --- sizes of buffers ------------------------------------------------------------ */

/* Gets the size if *value is 0, sets it otherwise. Linux doubles what it is given, for
 * its own book-keeping, and reports the double. */
static int endpoint_buffer_size(uv_handle_t* handle, int option, int* value) {
  if (handle == NULL || value == NULL)
    return UV_EINVAL;
  if (handle->type != UV_TCP && handle->type != UV_NAMED_PIPE && handle->type != UV_UDP)
    return UV_ENOTSUP;
  int fd;
  int err = uv_fileno(handle, &fd);
  if (err != 0)
    return err;
  if (*value == 0)
    return descriptor_get_option(fd, SOL_SOCKET, option, value);
  return descriptor_set_option(fd, SOL_SOCKET, option, *value);
}

int uv_send_buffer_size(uv_handle_t* handle, int* value) {
  return endpoint_buffer_size(handle, SO_SNDBUF, value);
}

int uv_recv_buffer_size(uv_handle_t* handle, int* value) {
  return endpoint_buffer_size(handle, SO_RCVBUF, value);
}

/* --- pairs ----------------------------------------------------------------------- */

/* Sets the mode of each end; closes both on failure. */
static int endpoint_set_modes(int ends[2], int flags0, int flags1) {
  int err = 0;
  if (flags0 & UV_NONBLOCK_PIPE)
    err = descriptor_nonblock(ends[0], true);
  if (err == 0 && (flags1 & UV_NONBLOCK_PIPE))
    err = descriptor_nonblock(ends[1], true);
  if (err != 0) {
    descriptor_close(ends[0]);
    descriptor_close(ends[1]);
  }
  return err;
}

int uv_socketpair(int type, int protocol, uv_os_sock_t fds[2], int flags0, int flags1) {
  int ends[2]; /* the program's */
  bool both = (flags0 & UV_NONBLOCK_PIPE) && (flags1 & UV_NONBLOCK_PIPE);
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | (both ? SOCK_NONBLOCK : 0), protocol,
                 ends) == -1)
    return -errno;
  int err = both ? 0 : endpoint_set_modes(ends, flags0, flags1);
  if (err != 0)
    return err;
  fds[0] = ends[0];
  fds[1] = ends[1];
  return 0;
}

int uv_pipe(uv_file fds[2], int read_flags, int write_flags) {
  int ends[2]; /* the program's */
  bool both = (read_flags & UV_NONBLOCK_PIPE) && (write_flags & UV_NONBLOCK_PIPE);
  if (pipe2(ends, O_CLOEXEC | (both ? O_NONBLOCK : 0)) == -1)
    return -errno;
  int err = both ? 0 : endpoint_set_modes(ends, read_flags, write_flags);
  if (err != 0)
    return err;
  fds[0] = ends[0];
  fds[1] = ends[1];
  return 0;
}
