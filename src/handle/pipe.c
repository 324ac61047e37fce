/* Pipes: Unix domain sockets by name, and whatever descriptor of that kind (FIFO, one end
 * of a pipe, socket) a program opens. A name that starts with a NUL byte is abstract: it
 * exists in the kernel only; for a handle that is bound to an empty name the kernel
 * chooses such a name. Any other name is a file, which is removed when the handle that
 * bound it closes. */
#include "handle/stream.h"
#include "base/alloc.h"
#include "handle/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct pipe_address {
  struct sockaddr_un name;
  socklen_t length;
};

static void pipe_close(uv_handle_t* handle) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;
  if (pipe->pipe_fname != NULL) {
    /* Before the socket closes: after that another server may have taken the name. */
    unlink(pipe->pipe_fname);
    mem_free(pipe->pipe_fname);
    pipe->pipe_fname = NULL;
  }
  stream_close(handle);
}

static const struct handle_kind pipe_kind = {
    .type = UV_NAMED_PIPE,
    .close = pipe_close,
    .finish = stream_finish,
};

int uv_pipe_init(uv_loop_t* loop, uv_pipe_t* pipe, int ipc) {
  stream_init(loop, (uv_stream_t*) pipe, &pipe_kind);
  pipe->ipc = ipc;
  pipe->pipe_fname = NULL;
  return 0;
}

int uv_pipe_open(uv_pipe_t* pipe, uv_file fd) {
  if (handle_closing((uv_handle_t*) pipe))
    return UV_EINVAL;
  if (pipe->io_watcher.fd != -1)
    return UV_EBUSY;
  if (fd >= 0 && watcher_exists(pipe->loop, fd))
    return UV_EEXIST;

  int mode = fcntl(fd, F_GETFL);
  if (mode == -1)
    return -errno;
  int err = descriptor_nonblock(fd, true);
  if (err != 0)
    return err;

  unsigned int flags = stream_socket_flag(fd);
  mode &= O_ACCMODE;
  if (mode != O_WRONLY)
    flags |= STREAM_READABLE;
  if (mode != O_RDONLY)
    flags |= STREAM_WRITABLE;
  return stream_open((uv_stream_t*) pipe, fd, flags);
}

/* --- names ----------------------------------------------------------------------- */

static int pipe_make_address(struct pipe_address* address, const char* name,
                             size_t length, unsigned int flags) {
  const size_t room = sizeof(address->name.sun_path);
  if (flags & ~(unsigned int) UV_PIPE_NO_TRUNCATE)
    return UV_EINVAL;
  if (name == NULL)
    return UV_EINVAL;
  bool abstract = length > 0 && name[0] == '\0';
  if (!abstract && memchr(name, '\0', length) != NULL)
    return UV_EINVAL;
  if (length > room) {
    if (flags & UV_PIPE_NO_TRUNCATE)
      return UV_EINVAL;
    length = room;
  }

  memset(address, 0, sizeof(*address));
  address->name.sun_family = AF_UNIX;
  memcpy(address->name.sun_path, name, length);
  address->length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + length);
  return 0;
}

static int pipe_open_socket(uv_pipe_t* pipe, unsigned int flags) {
  int fd = descriptor_socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0)
    return fd;
  int err = stream_open((uv_stream_t*) pipe, fd, STREAM_SOCKET | flags);
  if (err == 0)
    return 0;
  descriptor_close(fd);
  return err;
}

/* Binds a new socket. The path is remembered for its removal. */
static int pipe_bind_socket(uv_pipe_t* pipe, const struct pipe_address* address) {
  char* path = NULL;
  if (address->name.sun_path[0] != '\0') {
    path = mem_strndup(address->name.sun_path, sizeof(address->name.sun_path));
    if (path == NULL)
      return UV_ENOMEM;
  }

  int fd = descriptor_socket(AF_UNIX, SOCK_STREAM, 0);
  int err = fd < 0 ? fd : 0;
  if (err == 0 &&
      bind(fd, (const struct sockaddr*) &address->name, address->length) == -1) {
    /* A missing directory is UV_EACCES, as in libuv on every system. */
    err = errno == ENOENT ? UV_EACCES : -errno;
  } else if (err == 0) {
    err = stream_open((uv_stream_t*) pipe, fd, STREAM_SOCKET);
    if (err != 0 && path != NULL)
      unlink(path);
  }
  if (err == 0) {
    pipe->pipe_fname = path;
    return 0;
  }
  if (fd >= 0)
    descriptor_close(fd);
  mem_free(path);
  return err;
}

int uv_pipe_bind2(uv_pipe_t* pipe, const char* name, size_t namelen, unsigned int flags) {
  struct pipe_address address;
  int err = pipe_make_address(&address, name, namelen, flags);
  if (err != 0)
    return err;
  if (handle_closing((uv_handle_t*) pipe) || pipe->io_watcher.fd != -1)
    return UV_EINVAL;
  return pipe_bind_socket(pipe, &address);
}

int uv_pipe_bind(uv_pipe_t* pipe, const char* name) {
  return uv_pipe_bind2(pipe, name, name == NULL ? 0 : strlen(name), 0);
}

int pipe_listen(uv_pipe_t* pipe, int backlog) {
  /* Handles are passed over connections; a listening pipe has none. */
  if (pipe->io_watcher.fd == -1 || pipe->ipc)
    return UV_EINVAL;
  return listen(pipe->io_watcher.fd, backlog) == -1 ? -errno : 0;
}

/* Connects, with a new socket if there is none. */
static int pipe_connect_socket(uv_pipe_t* pipe, const struct pipe_address* address) {
  if (pipe->io_watcher.fd == -1) {
    int err = pipe_open_socket(pipe, 0);
    if (err != 0)
      return err;
  }
  int result;
  do
    result = connect(pipe->io_watcher.fd, (const struct sockaddr*) &address->name,
                     address->length);
  while (result == -1 && errno == EINTR);
  if (result == -1 && errno != EINPROGRESS)
    return -errno;
  pipe->flags |= STREAM_READABLE | STREAM_WRITABLE;
  return 0;
}

/* Local connects succeed or fail at once; the callback comes from the pending phase. */
int uv_pipe_connect2(uv_connect_t* req, uv_pipe_t* pipe, const char* name, size_t namelen,
                     unsigned int flags, uv_connect_cb cb) {
  struct pipe_address address;
  int err = namelen == 0 ? UV_EINVAL : pipe_make_address(&address, name, namelen, flags);
  if (err != 0)
    return err;
  if (handle_closing((uv_handle_t*) pipe))
    return UV_EINVAL;
  if (pipe->connect_req != NULL)
    return UV_EALREADY;
  err = pipe_connect_socket(pipe, &address);
  stream_connecting((uv_stream_t*) pipe, req, cb, err);
  return 0;
}

void uv_pipe_connect(uv_connect_t* req, uv_pipe_t* pipe, const char* name,
                     uv_connect_cb cb) {
  int err = uv_pipe_connect2(req, pipe, name, name == NULL ? 0 : strlen(name), 0, cb);
  /* This function returns nothing: the callback reports the error. */
  if (err != 0 && pipe->connect_req == NULL)
    stream_connecting((uv_stream_t*) pipe, req, cb, err);
}

/* The length of the name in an address from the kernel. The length of a file's name may
 * or may not include a NUL at its end; an abstract name is exactly as long as the kernel
 * says. */
static size_t pipe_name_length(const struct sockaddr_un* name, socklen_t length) {
  if (length <= offsetof(struct sockaddr_un, sun_path))
    return 0;
  size_t bytes = length - offsetof(struct sockaddr_un, sun_path);
  if (bytes > sizeof(name->sun_path))
    bytes = sizeof(name->sun_path);
  return name->sun_path[0] == '\0' ? bytes : strnlen(name->sun_path, bytes);
}

static int pipe_name(const uv_pipe_t* pipe, bool peer, char* buffer, size_t* size) {
  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  if (pipe->io_watcher.fd == -1)
    return UV_EBADF;
  struct sockaddr_un name;
  int length = sizeof(name);
  memset(&name, 0, sizeof(name));
  int err = descriptor_name(pipe->io_watcher.fd, peer, (struct sockaddr*) &name, &length);
  if (err != 0) {
    *size = 0;
    return err;
  }

  /* A file's name is a string; an abstract name is delimited by its length only, and gets
   * a NUL behind it only where there is room. */
  size_t bytes = pipe_name_length(&name, (socklen_t) length);
  size_t needed = bytes + (name.sun_path[0] != '\0');
  if (*size < needed) {
    *size = needed;
    return UV_ENOBUFS;
  }
  memcpy(buffer, name.sun_path, bytes);
  if (bytes < *size)
    buffer[bytes] = '\0';
  *size = bytes;
  return 0;
}

int uv_pipe_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  return pipe_name(pipe, false, buffer, size);
}

int uv_pipe_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  return pipe_name(pipe, true, buffer, size);
}

/* --- permissions ----------------------------------------------------------------- */

int uv_pipe_chmod(uv_pipe_t* pipe, int mode) {
  if (pipe == NULL || pipe->io_watcher.fd == -1)
    return UV_EBADF;
  if (mode != UV_READABLE && mode != UV_WRITABLE && mode != (UV_READABLE | UV_WRITABLE))
    return UV_EINVAL;

  char path[sizeof(struct sockaddr_un)];
  size_t size = sizeof(path);
  int err = uv_pipe_getsockname(pipe, path, &size);
  if (err != 0)
    return err;
  if (size == 0 || path[0] == '\0')
    return UV_EINVAL;

  struct stat status;
  if (stat(path, &status) == -1)
    return -errno;
  mode_t wanted = status.st_mode;
  if (mode & UV_READABLE)
    wanted |= S_IRUSR | S_IRGRP | S_IROTH;
  if (mode & UV_WRITABLE)
    wanted |= S_IWUSR | S_IWGRP | S_IWOTH;
  if (wanted == status.st_mode)
    return 0;
  return chmod(path, wanted & 07777) == -1 ? -errno : 0;
}

/* For Windows only. */
void uv_pipe_pending_instances(uv_pipe_t* pipe, int count) {
  (void) pipe;
  (void) count;
}
