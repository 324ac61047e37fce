/* An echo over TCP and over a named pipe, a handle passed, datagrams to oneself, and a
 * child that copies its input to its output. Any error ends a part at once: its handles
 * are closed. */
#include "mixed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WRITES = 3, BLOCK = 20000 };

struct echo {
  enum part part;
  union uv_any_handle server, client, peer;
  bool has_peer;
  uv_connect_t connect;
  uv_write_t writes[WRITES];
  uv_write_t answer;
  uv_shutdown_t shutdown, peer_shutdown;
  char room[65536];
  char peer_room[65536];
};

static struct echo echoes[2];
static char block[BLOCK];

static void echo_end(struct echo* echo) {
  if (part_is_over(echo->part))
    return;
  handle_close(&echo->server);
  handle_close(&echo->client);
  if (echo->has_peer)
    handle_close(&echo->peer);
  part_over(echo->part);
}

static struct echo* echo_of(void* handle) {
  return ((uv_handle_t*) handle)->data;
}

static void echo_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct echo* echo = echo_of(handle);
  char* room = handle == &echo->peer.handle ? echo->peer_room : echo->room;
  (void) suggested;
  *buf = uv_buf_init(room, sizeof(echo->room));
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  request_answered();
  if (status != 0 && !uv_is_closing((uv_handle_t*) req->handle))
    echo_end(echo_of(req->handle));
}

static void on_written(uv_write_t* req, int status) {
  request_answered();
  if (status != 0 && !uv_is_closing((uv_handle_t*) req->handle))
    echo_end(echo_of(req->handle));
}

static void on_echo(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  mixed_progress();
  if (n < 0)
    echo_end(echo_of(stream));
}

/* One answer is in flight at a time: reading pauses until it was sent. */
static void on_question(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf);

static void on_answered(uv_write_t* req, int status) {
  uv_stream_t* stream = req->handle;
  on_written(req, status);
  if (!uv_is_closing((uv_handle_t*) stream) &&
      uv_read_start(stream, echo_room, on_question) != 0)
    echo_end(echo_of(stream));
}

static void on_question(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  struct echo* echo = echo_of(stream);
  mixed_progress();
  if (n == UV_EOF) {
    if (!request_begun(uv_shutdown(&echo->peer_shutdown, stream, on_shutdown)))
      echo_end(echo);
  } else if (n < 0) {
    echo_end(echo);
  } else if (n > 0) {
    uv_buf_t answer = uv_buf_init(buf->base, (unsigned int) n);
    uv_read_stop(stream);
    if (!request_begun(uv_write(&echo->answer, stream, &answer, 1, on_answered)))
      echo_end(echo);
  }
}

static int echo_init(struct echo* echo, union uv_any_handle* handle) {
  int err = echo->part == PART_TCP ? uv_tcp_init(&mixed_loop, &handle->tcp)
                                   : uv_pipe_init(&mixed_loop, &handle->pipe, 0);
  if (err != 0)
    return err;
  handle_opened();
  handle->handle.data = echo;
  return 0;
}

static void on_connection(uv_stream_t* server, int status) {
  struct echo* echo = echo_of(server);
  mixed_progress();
  if (echo->has_peer)
    return;
  if (status != 0 || echo_init(echo, &echo->peer) != 0) {
    echo_end(echo);
    return;
  }
  echo->has_peer = true;
  if (uv_accept(server, &echo->peer.stream) != 0 ||
      uv_read_start(&echo->peer.stream, echo_room, on_question) != 0)
    echo_end(echo);
}

static void on_connected(uv_connect_t* req, int status) {
  struct echo* echo = echo_of(req->handle);
  request_answered();
  if (uv_is_closing((uv_handle_t*) req->handle))
    return;
  for (int i = 0; i < WRITES && status == 0; i++) {
    uv_buf_t buf = uv_buf_init(block, BLOCK);
    int err = uv_write(&echo->writes[i], req->handle, &buf, 1, on_written);
    if (!request_begun(err))
      status = err;
  }
  if (status == 0)
    status = uv_read_start(req->handle, echo_room, on_echo);
  if (status != 0 ||
      !request_begun(uv_shutdown(&echo->shutdown, req->handle, on_shutdown)))
    echo_end(echo);
}

static int tcp_connect(struct echo* echo) {
  struct sockaddr_in address;
  int length = sizeof(address);
  uv_ip4_addr("127.0.0.1", 0, &address);
  int err = uv_tcp_bind(&echo->server.tcp, (const struct sockaddr*) &address, 0);
  if (err == 0)
    err = uv_listen(&echo->server.stream, 8, on_connection);
  if (err == 0)
    err = uv_tcp_getsockname(&echo->server.tcp, (struct sockaddr*) &address, &length);
  if (err == 0) {
    err = uv_tcp_connect(&echo->connect, &echo->client.tcp,
                         (const struct sockaddr*) &address, on_connected);
    request_begun(err);
    uv_tcp_nodelay(&echo->client.tcp, 1);
  }
  return err;
}

static int pipe_connect(struct echo* echo) {
  int err = uv_pipe_bind(&echo->server.pipe, "socket");
  if (err == 0)
    err = uv_listen(&echo->server.stream, 8, on_connection);
  if (err == 0) {
    uv_pipe_connect(&echo->connect, &echo->client.pipe, "socket", on_connected);
    request_begun(0);
  }
  return err;
}

void streams_begin(enum part part) {
  struct echo* echo = &echoes[part == PART_TCP];
  echo->part = part;
  if (echo_init(echo, &echo->server) != 0) {
    part_over(part);
    return;
  }
  if (echo_init(echo, &echo->client) != 0) {
    handle_close(&echo->server);
    part_over(part);
    return;
  }
  if ((part == PART_TCP ? tcp_connect(echo) : pipe_connect(echo)) != 0)
    echo_end(echo);
}

/* --- a handle passed through a pipe ---------------------------------------------- */

static struct {
  uv_pipe_t sender, receiver;
  uv_tcp_t passed, arrived;
  uv_write_t write;
  char room[64];
} passing;

static void passing_end(void) {
  if (part_is_over(PART_PASSING))
    return;
  handle_close(&passing.sender);
  handle_close(&passing.receiver);
  handle_close(&passing.passed);
  handle_close(&passing.arrived);
  part_over(PART_PASSING);
}

static void passing_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle, (void) suggested;
  *buf = uv_buf_init(passing.room, sizeof(passing.room));
}

static void on_passed(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  mixed_progress();
  if (n > 0 && uv_pipe_pending_count(&passing.receiver) > 0)
    uv_accept(stream, (uv_stream_t*) &passing.arrived);
  if (n != 0)
    passing_end();
}

static void on_passing_written(uv_write_t* req, int status) {
  (void) req;
  request_answered();
  if (status != 0)
    passing_end();
}

static int passing_open(void) {
  uv_os_sock_t ends[2];
  int err = uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  if (err != 0)
    return err;
  err = uv_pipe_open(&passing.sender, ends[0]);
  if (err != 0)
    close(ends[0]);
  int other = uv_pipe_open(&passing.receiver, ends[1]);
  if (other != 0)
    close(ends[1]);
  return err != 0 ? err : other;
}

void passing_begin(void) {
  struct sockaddr_in address;
  uv_buf_t buf = uv_buf_init(block, 1);
  for (int i = 0; i < 4; i++)
    handle_opened();
  uv_pipe_init(&mixed_loop, &passing.sender, 1);
  uv_pipe_init(&mixed_loop, &passing.receiver, 1);
  uv_tcp_init(&mixed_loop, &passing.passed);
  uv_tcp_init(&mixed_loop, &passing.arrived);
  uv_ip4_addr("127.0.0.1", 0, &address);
  int err = uv_tcp_bind(&passing.passed, (const struct sockaddr*) &address, 0);
  if (err == 0)
    err = passing_open();
  if (err == 0)
    err = uv_read_start((uv_stream_t*) &passing.receiver, passing_room, on_passed);
  if (err != 0 ||
      !request_begun(uv_write2(&passing.write, (uv_stream_t*) &passing.sender, &buf, 1,
                               (uv_stream_t*) &passing.passed, on_passing_written)))
    passing_end();
}

/* --- datagrams ------------------------------------------------------------------- */

enum { DATAGRAMS = 4 };

/* One handle takes datagrams one by one, the other many at once. */
static struct udp {
  enum part part;
  uv_udp_t handle;
  uv_udp_send_t sends[DATAGRAMS];
  int sent;
  int received;
  char room[4 * 65536];
} udps[2];

static void udp_end(struct udp* udp) {
  if (part_is_over(udp->part))
    return;
  handle_close(&udp->handle);
  part_over(udp->part);
}

static void on_sent(uv_udp_send_t* req, int status) {
  request_answered();
  if (status != 0)
    udp_end(req->handle->data);
}

static void udp_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct udp* udp = handle->data;
  (void) suggested;
  *buf = uv_buf_init(udp->room, sizeof(udp->room));
}

static void on_received(uv_udp_t* handle, ssize_t n, const uv_buf_t* buf,
                        const struct sockaddr* from, unsigned int flags) {
  struct udp* udp = handle->data;
  (void) buf, (void) flags;
  mixed_progress();
  if (n < 0)
    udp_end(udp);
  else if (from != NULL && ++udp->received == udp->sent)
    udp_end(udp);
}

void udp_begin(enum part part) {
  struct udp* udp = &udps[part == PART_UDP];
  struct sockaddr_in address;
  int length = sizeof(address);
  udp->part = part;
  int err = uv_udp_init_ex(&mixed_loop, &udp->handle,
                           AF_INET | (part == PART_UDP ? 0 : UV_UDP_RECVMMSG));
  if (err != 0) {
    part_over(part);
    return;
  }
  handle_opened();
  udp->handle.data = udp;
  uv_ip4_addr("127.0.0.1", 0, &address);
  err = uv_udp_bind(&udp->handle, (const struct sockaddr*) &address, 0);
  if (err == 0)
    err = uv_udp_getsockname(&udp->handle, (struct sockaddr*) &address, &length);
  if (err == 0)
    err = uv_udp_recv_start(&udp->handle, udp_room, on_received);
  const struct sockaddr* to = (const struct sockaddr*) &address;
  uv_buf_t buf = uv_buf_init(block, 1000);
  udp->sent = err == 0 && uv_udp_try_send(&udp->handle, &buf, 1, to) == 1000;
  for (int i = 0; i < DATAGRAMS && err == 0; i++) {
    err = uv_udp_send(&udp->sends[i], &udp->handle, &buf, 1, to, on_sent);
    udp->sent += request_begun(err);
  }
  if (err != 0)
    udp_end(udp);
}

/* --- a child --------------------------------------------------------------------- */

static struct {
  uv_process_t process;
  uv_pipe_t in, out;
  uv_write_t write;
  uv_shutdown_t shutdown;
  bool exited;
  bool output_over;
  char room[65536];
} child;

static void child_check_end(void) {
  if (child.exited && child.output_over && !part_is_over(PART_CHILD)) {
    handle_close(&child.in);
    part_over(PART_CHILD);
  }
}

static void on_exit(uv_process_t* process, int64_t status, int signum) {
  (void) status, (void) signum;
  mixed_progress();
  child.exited = true;
  handle_close(process);
  child_check_end();
}

static void child_output_over(void) {
  child.output_over = true;
  handle_close(&child.out);
  child_check_end();
}

static void child_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle, (void) suggested;
  *buf = uv_buf_init(child.room, sizeof(child.room));
}

static void on_output(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  mixed_progress();
  if (n < 0) {
    handle_close(&child.in); /* the child ends when it has no more input */
    child_output_over();
  }
}

static void on_input_over(uv_shutdown_t* req, int status) {
  (void) req, (void) status;
  request_answered();
  handle_close(&child.in);
}

static void on_input(uv_write_t* req, int status) {
  (void) req, (void) status;
  request_answered();
  if (!uv_is_closing((uv_handle_t*) &child.in) &&
      !request_begun(
          uv_shutdown(&child.shutdown, (uv_stream_t*) &child.in, on_input_over)))
    handle_close(&child.in);
}

void child_begin(void) {
  char* args[] = {"cat", NULL};
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
       .data.stream = (uv_stream_t*) &child.in},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
       .data.stream = (uv_stream_t*) &child.out},
      {.flags = UV_INHERIT_FD, .data.fd = 2},
  };
  uv_process_options_t options = {
      .file = "cat", .args = args, .stdio = stdio, .stdio_count = 3, .exit_cb = on_exit};
  uv_pipe_init(&mixed_loop, &child.in, 0);
  uv_pipe_init(&mixed_loop, &child.out, 0);
  handle_opened();
  handle_opened();
  handle_opened();
  if (uv_spawn(&mixed_loop, &child.process, &options) != 0) {
    child.exited = true;
    handle_close(&child.process);
    child_output_over();
    return;
  }
  uv_buf_t buf = uv_buf_init(block, BLOCK);
  if (uv_read_start((uv_stream_t*) &child.out, child_room, on_output) != 0)
    child_output_over();
  if (!request_begun(uv_write(&child.write, (uv_stream_t*) &child.in, &buf, 1, on_input)))
    handle_close(&child.in);
}

static uv_process_t no_child;

static void on_no_child_exit(uv_process_t* process, int64_t status, int signum) {
  (void) status, (void) signum;
  mixed_progress();
  handle_close(process);
  part_over(PART_NO_CHILD);
}

/* A program that isn't there: an error, whatever else fails. */
void no_child_begin(void) {
  char* args[] = {"./missing", NULL};
  uv_process_options_t options = {
      .file = args[0], .args = args, .exit_cb = on_no_child_exit};
  handle_opened();
  if (uv_spawn(&mixed_loop, &no_child, &options) != 0) {
    handle_close(&no_child);
    part_over(PART_NO_CHILD);
  }
}
