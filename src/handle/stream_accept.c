/* Listening and accepting. Connections are taken from the kernel in batches, one
 * connection callback each. A connection that the program does not accept waits in
 * accepted_fd, and listening pauses until uv_accept takes it; the kernel's backlog holds
 * the others.
 *
 * When the process has no descriptor left, a reserved one is closed for a moment, to
 * accept and close the waiting connections. Their peers learn at once that they can't be
 * served, and the loop sleeps instead of waking for the same connection for ever. When
 * the reserved descriptor is gone too, the error is called back and listening pauses for
 * a moment, as after any other error of the listening socket and after a whole batch of
 * connections that their peers had aborted. */
#include "base/own_fd.h"
#include "handle/stream.h"
#include "handle/descriptor.h"

#include <errno.h>
#include <fcntl.h>

enum { ACCEPT_BATCH = 128 };

/* --- the reserved descriptor ----------------------------------------------------- */

/* Any file will do. The root directory always exists, and opening it with O_PATH has no
 * effect. A failure is ignored: the descriptor is needed only when descriptors run out.
 */
static void accept_reserve_descriptor(uv_loop_t* loop) {
  if (loop->emfile_fd == -1)
    loop->emfile_fd = own_fd_raise(open("/", O_PATH | O_CLOEXEC));
}

/* Closes the clients that can't be served. Returns UV_EAGAIN when none is waiting any
 * more. */
static int accept_shed_clients(uv_stream_t* server) {
  uv_loop_t* loop = server->loop;
  if (loop->emfile_fd == -1)
    return UV_EMFILE;
  descriptor_close(loop->emfile_fd);
  loop->emfile_fd = -1;

  int fd = 0;
  for (int i = 0; i < ACCEPT_BATCH && fd >= 0; i++) {
    fd = descriptor_accept(stream_fd(server));
    if (fd >= 0)
      descriptor_close(fd);
  }
  accept_reserve_descriptor(loop);
  return fd >= 0 ? UV_EAGAIN : fd;
}

/* --- accepting ------------------------------------------------------------------- */

/* The error belongs to the connection that was next, not to the listening socket:
 * accept(2) says that Linux passes on the pending errors of the new connection. */
static bool accept_error_is_of_one_client(int err) {
  switch (err) {
  case UV_ECONNABORTED:
  case UV_EPROTO:
  case UV_ENOPROTOOPT:
  case UV_ENETDOWN:
  case UV_ENETUNREACH:
  case UV_EHOSTDOWN:
  case UV_EHOSTUNREACH:
  case UV_ENONET:
    return true;
  default:
    return false;
  }
}

static void accept_call_back(uv_stream_t* server, int status) {
  if (server->connection_cb == NULL)
    return;
  loop_call_back(server->loop, subject_handle(server), status, server->connection_cb,
                 server, status);
}

/* Without descriptors (EMFILE, ENFILE) accepting pauses, because some have to be closed
 * elsewhere first; after other errors, which may pass sooner, it backs off. */
static void accept_pause(uv_stream_t* server, int err) {
  if (err == UV_EMFILE || err == UV_ENFILE)
    watcher_pause(server->loop, &server->io_watcher);
  else
    watcher_back_off(server->loop, &server->io_watcher, WATCH_IN);
}

void stream_accept_ready(uv_stream_t* server) {
  /* Another thread may have taken the number of the reserved descriptor when it was last
   * closed. EMFILE can't be handled without a reserved one, so it is reserved again
   * before accepting. */
  accept_reserve_descriptor(server->loop);
  bool got_one = false;
  for (int i = 0; i < ACCEPT_BATCH; i++) {
    int fd = descriptor_accept(stream_fd(server));
    if (fd == UV_EMFILE || fd == UV_ENFILE)
      fd = accept_shed_clients(server);
    if (fd == UV_EAGAIN)
      return;
    if (fd < 0) {
      if (accept_error_is_of_one_client(fd))
        continue;
      accept_call_back(server, fd);
      if (watcher_wants(&server->io_watcher, WATCH_IN))
        accept_pause(server, fd);
      return;
    }

    got_one = true;
    watcher_ease(&server->io_watcher);
    assert(server->accepted_fd == -1);
    server->accepted_fd = fd;
    accept_call_back(server, 0);
    if (handle_closing((uv_handle_t*) server))
      return;
    if (server->accepted_fd != -1) {
      watcher_stop(server->loop, &server->io_watcher, WATCH_IN);
      return;
    }
  }
  if (!got_one)
    watcher_back_off(server->loop, &server->io_watcher, WATCH_IN);
}

int uv_listen(uv_stream_t* server, int backlog, uv_connection_cb cb) {
  if (handle_closing((uv_handle_t*) server))
    return UV_EINVAL;
  int err = UV_EINVAL;
  if (server->type == UV_TCP)
    err = tcp_listen((uv_tcp_t*) server, backlog);
  else if (server->type == UV_NAMED_PIPE)
    err = pipe_listen((uv_pipe_t*) server, backlog);
  if (err != 0)
    return err;

  accept_reserve_descriptor(server->loop);
  server->connection_cb = cb;
  server->flags |= STREAM_LISTENING;
  server->flags &= ~(unsigned int) (STREAM_READABLE | STREAM_WRITABLE);
  if (server->accepted_fd == -1)
    watcher_start(server->loop, &server->io_watcher, WATCH_IN);
  handle_start((uv_handle_t*) server);
  return 0;
}

/* --- handing over ---------------------------------------------------------------- */

/* Gives the accepted descriptor to the client's handle. */
static int accept_hand_over(const uv_stream_t* server, uv_stream_t* client) {
  int fd = server->accepted_fd;
  unsigned int flags = STREAM_READABLE | STREAM_WRITABLE | STREAM_SOCKET;
  int err = 0;

  if (client->type == UV_UDP)
    return uv_udp_open((uv_udp_t*) client, fd);
  if (client->type != UV_TCP && client->type != UV_NAMED_PIPE)
    return UV_EINVAL;

  if (stream_fd(client) != -1)
    return UV_EBUSY;
  /* accept set the right mode; a descriptor that came over a pipe has the sender's mode.
   */
  if (!(server->flags & STREAM_LISTENING)) {
    err = descriptor_nonblock(fd, true);
    flags = STREAM_READABLE | STREAM_WRITABLE | stream_socket_flag(fd);
  }
  if (err == 0 && client->type == UV_TCP)
    err = tcp_settle((uv_tcp_t*) client, fd);
  return err != 0 ? err : stream_open(client, fd, flags);
}

int uv_accept(uv_stream_t* server, uv_stream_t* client) {
  assert(server->loop == client->loop);
  if (server->accepted_fd == -1)
    return UV_EAGAIN;
  int err = accept_hand_over(server, client);
  if (err != 0)
    return err;

  server->accepted_fd = passing_next(server);
  if (server->accepted_fd == -1 && (server->flags & STREAM_LISTENING))
    watcher_start(server->loop, &server->io_watcher, WATCH_IN);
  return 0;
}
