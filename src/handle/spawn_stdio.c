/* The descriptors that a child gets: none, one of the parent's, one of a stream's, or the
 * other end of a new pipe. New pipes are socket pairs, close-on-exec from birth, so that
 * no other child of this process inherits them. */
#include "handle/spawn.h"
#include "handle/descriptor.h"
#include "handle/stream.h"
#include "loop/watcher.h"

#include <errno.h>
#include <sys/socket.h>

enum { STDIO_SOURCE = UV_CREATE_PIPE | UV_INHERIT_FD | UV_INHERIT_STREAM };

/* Directions are named from the child's side: the stream writes what the child reads. The
 * child's end blocks, whatever UV_NONBLOCK_PIPE says: programs that weren't written for a
 * loop expect that, and Node promises that "overlapped" is the same as "pipe" here. */
static int stdio_create_pipe(const uv_stdio_container_t* container,
                             struct spawn_pair* pair) {
  uv_stream_t* stream = container->data.stream;
  unsigned int flags = STREAM_SOCKET;
  int fds[2];

  if (stream == NULL || stream->type != UV_NAMED_PIPE)
    return UV_EINVAL;
  /* the program's */
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == -1)
    return -errno;

  if (container->flags & UV_READABLE_PIPE)
    flags |= STREAM_WRITABLE;
  if (container->flags & UV_WRITABLE_PIPE)
    flags |= STREAM_READABLE;
  int err = descriptor_nonblock(fds[0], true);
  if (err == 0)
    err = stream_open(stream, fds[0], flags);
  if (err != 0) {
    descriptor_close(fds[0]);
    descriptor_close(fds[1]);
    return err;
  }
  pair->parent = fds[0];
  pair->child = fds[1];
  return 0;
}

static int stdio_open_one(const uv_stdio_container_t* container,
                          struct spawn_pair* pair) {
  pair->parent = -1;
  pair->child = -1;
  switch (container->flags & STDIO_SOURCE) {
  case UV_IGNORE:
    return 0;
  case UV_CREATE_PIPE:
    return stdio_create_pipe(container, pair);
  case UV_INHERIT_FD:
    pair->child = container->data.fd;
    break;
  case UV_INHERIT_STREAM:
    if (container->data.stream == NULL)
      return UV_EINVAL;
    pair->child = stream_fd(container->data.stream);
    break;
  default:
    return UV_EINVAL;
  }
  return pair->child < 0 ? UV_EINVAL : 0;
}

static void stdio_undo_first(const uv_process_options_t* options,
                             struct spawn_pair* pairs, int count) {
  for (int i = 0; i < count; i++) {
    if (pairs[i].parent == -1)
      continue;
    uv_stream_t* stream = options->stdio[i].data.stream;
    watcher_close(stream->loop, &stream->io_watcher);
    descriptor_close(pairs[i].parent);
    stream->io_watcher.fd = -1;
    stream->flags &= ~(unsigned) (STREAM_READABLE | STREAM_WRITABLE | STREAM_SOCKET);
    pairs[i].parent = -1;
  }
}

static void stdio_close_first(const uv_process_options_t* options,
                              const struct spawn_pair* pairs, int count) {
  for (int i = 0; i < count; i++)
    if ((options->stdio[i].flags & STDIO_SOURCE) == UV_CREATE_PIPE)
      descriptor_close(pairs[i].child);
}

int spawn_stdio_open(const uv_process_options_t* options, struct spawn_pair* pairs) {
  for (int i = 0; i < options->stdio_count; i++) {
    int err = stdio_open_one(&options->stdio[i], &pairs[i]);
    if (err != 0) {
      stdio_close_first(options, pairs, i);
      stdio_undo_first(options, pairs, i);
      return err;
    }
  }
  return 0;
}

void spawn_stdio_close_child_ends(const uv_process_options_t* options,
                                  const struct spawn_pair* pairs) {
  stdio_close_first(options, pairs, options->stdio_count);
}

void spawn_stdio_undo(const uv_process_options_t* options, struct spawn_pair* pairs) {
  stdio_undo_first(options, pairs, options->stdio_count);
}
