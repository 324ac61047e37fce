/* Handles that travel over pipes: sent at once and from the queue, received one by one
 * and in bundles, and never leaked when nobody takes them. */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static uv_pipe_t sender, receiver;
static int reads;
static size_t received;
static int write_statuses[8], writes;

static void open_channel(uv_loop_t* loop) {
  int ends[2];
  make_pair(ends);
  reads = writes = 0;
  received = 0;
  assert_int_equal(uv_pipe_init(loop, &sender, 1), 0);
  assert_int_equal(uv_pipe_open(&sender, ends[0]), 0);
  assert_int_equal(uv_pipe_init(loop, &receiver, 1), 0);
  assert_int_equal(uv_pipe_open(&receiver, ends[1]), 0);
}

static void note_write(uv_write_t* req, int status) {
  (void) req;
  write_statuses[writes++] = status;
}

static void note_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  if (nread == UV_EOF) /* the sender has closed */
    return;
  assert_true(nread >= 0);
  reads++;
  received += (size_t) nread;
}

static void alloc_one(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char byte;
  (void) handle, (void) size;
  *buf = uv_buf_init(&byte, 1);
}

static void send_handle(uv_write_t* req, void* handle) {
  uv_buf_t buf = uv_buf_init((char*) "h", 1);
  assert_int_equal(
      uv_write2(req, (uv_stream_t*) &sender, &buf, 1, (uv_stream_t*) handle, note_write),
      0);
}

static void receive_until(uv_loop_t* loop, size_t bytes) {
  while (received < bytes)
    uv_run(loop, UV_RUN_ONCE);
}

static void listening_socket_travels(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, copy;
  uv_write_t req;
  open_channel(loop);
  int port = listen_locally(loop, &server, never_connection);
  send_handle(&req, &server);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_one, note_read), 0);
  receive_until(loop, 1);
  assert_int_equal(uv_pipe_pending_count(&receiver), 1);
  assert_int_equal(uv_pipe_pending_type(&receiver), UV_TCP);
  assert_int_equal(uv_tcp_init(loop, &copy), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &copy), 0);
  assert_int_equal(uv_pipe_pending_count(&receiver), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &copy), UV_EAGAIN);
  assert_int_equal(port_of(&copy), port);
  int fd;
  assert_int_equal(uv_fileno((uv_handle_t*) &copy, &fd), 0);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  assert_int_equal(uv_listen((uv_stream_t*) &copy, 8, never_connection), 0);
  assert_int_equal(writes, 1);
  assert_int_equal(write_statuses[0], 0);
  close_and_wait(&copy);
  close_and_wait(&server);
  close_and_wait(&sender);
  close_and_wait(&receiver);
}

static void pipes_and_datagram_sockets_travel(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe, pipe_copy;
  uv_udp_t udp, udp_copy;
  uv_write_t reqs[2];
  struct sockaddr_in address = local_address(0);
  open_channel(loop);
  int peer = open_with_peer(loop, &pipe);
  assert_int_equal(uv_udp_init(loop, &udp), 0);
  assert_int_equal(uv_udp_bind(&udp, (struct sockaddr*) &address, 0), 0);
  send_handle(&reqs[0], &pipe);
  send_handle(&reqs[1], &udp);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_one, note_read), 0);
  receive_until(loop, 2);
  assert_int_equal(uv_pipe_pending_count(&receiver), 2);
  assert_int_equal(uv_pipe_pending_type(&receiver), UV_NAMED_PIPE);
  assert_int_equal(uv_pipe_init(loop, &pipe_copy, 0), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &pipe_copy), 0);
  assert_int_equal(uv_pipe_pending_type(&receiver), UV_UDP);
  assert_int_equal(uv_udp_init(loop, &udp_copy), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &udp_copy), 0);
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  char byte;
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe_copy, &buf, 1), 1);
  assert_int_equal(read(peer, &byte, 1), 1);
  close(peer);
  close_and_wait(&pipe);
  close_and_wait(&pipe_copy);
  close_and_wait(&udp);
  close_and_wait(&udp_copy);
  close_and_wait(&sender);
  close_and_wait(&receiver);
}

/* The handle is closed, and its memory reused, before its write has left. */
static void queued_handle_outlives_its_owner(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, copy;
  uv_write_t big_req, reqs[2];
  enum { BIG = 4 * 1024 * 1024 };
  char* big = calloc(1, BIG);
  uv_buf_t buf = uv_buf_init(big, BIG);
  open_channel(loop);
  int port = listen_locally(loop, &server, never_connection);
  assert_int_equal(uv_write(&big_req, (uv_stream_t*) &sender, &buf, 1, note_write), 0);
  send_handle(&reqs[0], &server);
  assert_int_equal(sender.write_queue_size > 1, 1);
  close_and_wait(&server);
  memset(&server, 0xee, sizeof server);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_static, note_read), 0);
  receive_until(loop, BIG + 1);
  assert_int_equal(uv_pipe_pending_count(&receiver), 1);
  assert_int_equal(uv_tcp_init(loop, &copy), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &copy), 0);
  assert_int_equal(port_of(&copy), port);

  /* And one that is never sent. */
  assert_int_equal(uv_read_stop((uv_stream_t*) &receiver), 0);
  assert_int_equal(uv_write(&big_req, (uv_stream_t*) &sender, &buf, 1, note_write), 0);
  send_handle(&reqs[1], &copy);
  close_and_wait(&copy);
  close_and_wait(&sender);
  assert_int_equal(writes, 4);
  assert_int_equal(write_statuses[3], UV_ECANCELED);
  close_and_wait(&receiver);
  free(big);
}

static void send_raw(int fd, const int* fds, size_t count) {
  static char control[CMSG_SPACE(253 * sizeof(int))];
  struct iovec byte = {(char*) "b", 1};
  struct msghdr message = {.msg_iov = &byte,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  memset(control, 0, sizeof control);
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  memcpy(CMSG_DATA(header), fds, count * sizeof(int));
  assert_int_equal(sendmsg(fd, &message, 0), 1);
}

static void bundles_are_kept_in_order(void** state) {
  uv_loop_t* loop = *state;
  enum { BUNDLE = 253 };
  int fds[BUNDLE];
  uv_tcp_t servers[3];
  open_channel(loop);
  for (int i = 0; i < 3; i++)
    listen_locally(loop, &servers[i], never_connection);
  for (int i = 0; i < BUNDLE; i++)
    assert_int_equal(uv_fileno((uv_handle_t*) &servers[i % 3], &fds[i]), 0);
  int raw;
  assert_int_equal(uv_fileno((uv_handle_t*) &sender, &raw), 0);
  send_raw(raw, fds, BUNDLE);
  send_raw(raw, fds, 2);
  assert_int_equal(uv_read_start((uv_stream_t*) &receiver, alloc_one, note_read), 0);
  receive_until(loop, 2);
  assert_int_equal(uv_pipe_pending_count(&receiver), BUNDLE + 2);
  for (int i = 0; i < 200; i++) {
    uv_tcp_t copy;
    assert_int_equal(uv_tcp_init(loop, &copy), 0);
    assert_int_equal(uv_accept((uv_stream_t*) &receiver, (uv_stream_t*) &copy), 0);
    assert_int_equal(port_of(&copy), port_of(&servers[i % 3]));
    close_and_wait(&copy);
  }
  assert_int_equal(uv_pipe_pending_count(&receiver), BUNDLE + 2 - 200);
  /* More arrive while some wait. */
  send_raw(raw, fds, BUNDLE);
  receive_until(loop, 3);
  assert_int_equal(uv_pipe_pending_count(&receiver), 2 * BUNDLE + 2 - 200);
  for (int i = 0; i < 3; i++)
    close_and_wait(&servers[i]);
  close_and_wait(&sender);
  close_and_wait(&receiver); /* the rest is closed with it: see loop_end */
}

static void surplus_to_a_plain_pipe_is_dropped(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t plain;
  int peer = open_with_peer(loop, &plain);
  int fds[2] = {peer, peer};
  reads = 0;
  received = 0;
  send_raw(peer, fds, 2);
  assert_int_equal(uv_read_start((uv_stream_t*) &plain, alloc_one, note_read), 0);
  receive_until(loop, 1);
  assert_int_equal(uv_pipe_pending_count(&plain), 0);
  close(peer);
  close_and_wait(&plain);
}

static void what_cannot_be_sent(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t plain;
  uv_tcp_t tcp, server;
  uv_timer_t timer;
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1), empty = uv_buf_init(NULL, 0);
  open_channel(loop);
  int peer = open_with_peer(loop, &plain);
  listen_locally(loop, &server, never_connection);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_timer_init(loop, &timer), 0);
  assert_int_equal(uv_write2(&req, (uv_stream_t*) &plain, &buf, 1, (uv_stream_t*) &server,
                             never_write),
                   UV_EINVAL);
  assert_int_equal(uv_try_write2((uv_stream_t*) &plain, &buf, 1, (uv_stream_t*) &server),
                   UV_EINVAL);
  assert_int_equal(
      uv_write2(&req, (uv_stream_t*) &sender, &buf, 1, (uv_stream_t*) &tcp, never_write),
      UV_EBADF);
  assert_int_equal(uv_write2(&req, (uv_stream_t*) &sender, &buf, 1, (uv_stream_t*) &timer,
                             never_write),
                   UV_EINVAL);
  assert_int_equal(uv_write2(&req, (uv_stream_t*) &sender, &empty, 1,
                             (uv_stream_t*) &server, never_write),
                   UV_EINVAL);
  assert_int_equal(uv_try_write2((uv_stream_t*) &sender, &buf, 1, (uv_stream_t*) &server),
                   1);
  close(peer);
  close_and_wait(&plain);
  close_and_wait(&tcp);
  close_and_wait(&timer);
  close_and_wait(&server);
  close_and_wait(&sender);
  close_and_wait(&receiver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(listening_socket_travels),
      loop_test(pipes_and_datagram_sockets_travel),
      loop_test(queued_handle_outlives_its_owner),
      loop_test(bundles_are_kept_in_order),
      loop_test(surplus_to_a_plain_pipe_is_dropped),
      loop_test(what_cannot_be_sent),
  };
  return cmocka_run_group_tests_name("handles over pipes", tests, NULL, NULL);
}
