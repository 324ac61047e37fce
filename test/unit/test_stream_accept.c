/* Listening and accepting: batches, back-pressure, a full descriptor table, and closing
 * with clients still waiting. */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 300 };

static uv_tcp_t clients[CLIENTS];
static int connections;
static int enough;
static int wanted;

static void accept_each(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  assert_true(connections < CLIENTS);
  uv_tcp_t* client = &clients[connections++];
  assert_int_equal(uv_tcp_init(server->loop, client), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) client), 0);
  assert_true(uv_is_readable((uv_stream_t*) client));
  assert_true(uv_is_writable((uv_stream_t*) client));
  int fd;
  assert_int_equal(uv_fileno((uv_handle_t*) client, &fd), 0);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
  enough = connections == wanted;
}

static void many_clients_at_once(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  int peers[CLIENTS];
  connections = enough = 0;
  wanted = CLIENTS;
  int port = listen_locally(loop, &server, accept_each);
  for (int i = 0; i < CLIENTS; i++)
    peers[i] = connect_plainly(port);
  run_until(loop, &enough);
  assert_int_equal(connections, CLIENTS);
  /* Nobody is left. */
  uv_tcp_t extra;
  assert_int_equal(uv_tcp_init(loop, &extra), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &extra), UV_EAGAIN);
  for (int i = 0; i < CLIENTS; i++) {
    close(peers[i]);
    close_handle(&clients[i]);
  }
  close_and_wait(&extra);
  close_and_wait(&server);
}

static void note_connection(uv_stream_t* server, int status) {
  (void) server;
  assert_int_equal(status, 0);
  connections++;
}

/* Not taken: told once, and the others wait in the kernel. */
static void one_not_taken_pauses_listening(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, client;
  int peers[3];
  connections = 0;
  int port = listen_locally(loop, &server, note_connection);
  for (int i = 0; i < 3; i++)
    peers[i] = connect_plainly(port);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(connections, 1);
  for (int i = 0; i < 5; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connections, 1);
  assert_true(uv_is_active((uv_handle_t*) &server));

  for (int taken = 1; taken <= 3; taken++) {
    assert_int_equal(uv_tcp_init(loop, &client), 0);
    assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &client), 0);
    assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &client),
                     UV_EAGAIN);
    close_and_wait(&client);
    if (taken < 3) {
      while (connections == taken)
        uv_run(loop, UV_RUN_ONCE);
    }
    assert_int_equal(connections, taken < 3 ? taken + 1 : 3);
  }
  for (int i = 0; i < 3; i++)
    close(peers[i]);
  close_and_wait(&server);
}

static void a_used_handle_is_refused(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, used, fresh;
  uv_timer_t timer;
  connections = 0;
  int peer = connect_plainly(listen_locally(loop, &server, note_connection));
  while (connections == 0)
    uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(uv_tcp_init_ex(loop, &used, AF_INET), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &used), UV_EBUSY);
  assert_int_equal(uv_timer_init(loop, &timer), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &timer), UV_EINVAL);
  /* The client still waits for the right one. */
  assert_int_equal(uv_tcp_init(loop, &fresh), 0);
  assert_int_equal(uv_accept((uv_stream_t*) &server, (uv_stream_t*) &fresh), 0);
  close(peer);
  close_and_wait(&used);
  close_and_wait(&timer);
  close_and_wait(&fresh);
  close_and_wait(&server);
}

static void close_with_waiting_clients(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  int peers[5];
  char byte;
  connections = 0;
  int port = listen_locally(loop, &server, note_connection);
  for (int i = 0; i < 5; i++)
    peers[i] = connect_plainly(port);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(connections, 1);
  close_and_wait(&server);
  for (int i = 0; i < 5; i++) {
    ssize_t n = read(peers[i], &byte, 1);
    assert_true(n == 0 || (n == -1 && errno == ECONNRESET));
    close(peers[i]);
  }
}

static void close_server_in_callback(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  connections++;
  close_handle(server);
}

static void close_inside_the_connection_callback(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  connections = 0;
  int port = listen_locally(loop, &server, close_server_in_callback);
  int peers[3];
  for (int i = 0; i < 3; i++)
    peers[i] = connect_plainly(port);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(connections, 1);
  for (int i = 0; i < 3; i++)
    close(peers[i]);
}

static struct {
  struct rlimit before;
  int fds[64];
  int count;
} hoard;

/* Takes every descriptor there is, with a limit that is soon reached. */
static void hoard_descriptors(int highest) {
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &hoard.before), 0);
  struct rlimit tight = hoard.before;
  tight.rlim_cur = (rlim_t) highest + 20;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
  hoard.count = 0;
  while (hoard.count < 64) {
    int fd = fcntl(highest, F_DUPFD_CLOEXEC, 0);
    if (fd == -1)
      return;
    hoard.fds[hoard.count++] = fd;
  }
  fail_msg("there is no end of descriptors");
}

static void hoard_free(void) {
  while (hoard.count > 0)
    close(hoard.fds[--hoard.count]);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &hoard.before), 0);
}

static void sockets_make(int* sockets, int count) {
  for (int i = 0; i < count; i++) {
    sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(sockets[i] >= 0);
  }
}

static void sockets_connect(const int* sockets, int count, int port) {
  struct sockaddr_in address = local_address(port);
  for (int i = 0; i < count; i++)
    assert_int_equal(connect(sockets[i], (struct sockaddr*) &address, sizeof address), 0);
}

/* The server has closed them. */
static void sockets_are_shed(const int* sockets, int count) {
  char byte;
  for (int i = 0; i < count; i++) {
    ssize_t n = read(sockets[i], &byte, 1);
    assert_true(n == 0 || (n == -1 && errno == ECONNRESET));
  }
}

/* With no descriptor left the client is closed, the program isn't bothered and the loop
 * does not spin; with descriptors again, all is as before. */
static void full_descriptor_table(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  int peers[3];
  connections = enough = 0;
  wanted = 1;
  int port = listen_locally(loop, &server, accept_each);
  sockets_make(peers, 3);
  uv_run(loop, UV_RUN_NOWAIT); /* so that the backend has what it needs */
  hoard_descriptors(peers[2]);
  sockets_connect(peers, 3, port);
  uv_run(loop, UV_RUN_ONCE);
  sockets_are_shed(peers, 3);
  assert_int_equal(connections, 0);

  uv_timer_t timer;
  uv_metrics_t quiet, later;
  assert_int_equal(uv_timer_init(loop, &timer), 0);
  assert_int_equal(uv_metrics_info(loop, &quiet), 0);
  assert_int_equal(uv_timer_start(&timer, wake_up, 30, 0), 0);
  while (uv_is_active((uv_handle_t*) &timer))
    uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(uv_metrics_info(loop, &later), 0);
  assert_true(later.loop_count - quiet.loop_count < 10);

  hoard_free();
  for (int i = 0; i < 3; i++)
    close(peers[i]);
  int peer = connect_plainly(port);
  run_until(loop, &enough);
  assert_int_equal(connections, 1);
  close(peer);
  close_and_wait(&timer);
  close_and_wait(&clients[0]);
  close_and_wait(&server);
}

/* The reserved descriptor may be lost, to another thread for one. The next that is free
 * takes its place: a client that took it could be served, but no other sent away. */
static void the_reserve_is_taken_anew(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  int peers[2];
  connections = 0;
  struct sockaddr_in address = local_address(0);
  assert_int_equal(uv_tcp_init(loop, &server), 0);
  assert_int_equal(uv_tcp_bind(&server, (struct sockaddr*) &address, 0), 0);
  sockets_make(peers, 2);
  uv_run(loop, UV_RUN_NOWAIT);
  hoard_descriptors(peers[1]);
  assert_int_equal(uv_listen((uv_stream_t*) &server, 8, accept_each), 0);
  sockets_connect(peers, 2, port_of(&server));
  close(hoard.fds[--hoard.count]);
  uv_run(loop, UV_RUN_ONCE);
  sockets_are_shed(peers, 2);
  assert_int_equal(connections, 0);

  hoard_free();
  for (int i = 0; i < 2; i++)
    close(peers[i]);
  close_and_wait(&server);
}

static int refusals;

static void accept_or_count(uv_stream_t* server, int status) {
  if (status != 0) {
    assert_int_equal(status, UV_EMFILE);
    refusals++;
    hoard_free();
  } else {
    accept_each(server, status);
  }
}

/* Covers H3: without a reserve the program is told, once for a while, so that it is not
 * busy with nothing else; the client waits, and is served when there is a descriptor. */
static void without_a_reserve_listening_pauses(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  int peer;
  connections = enough = refusals = 0;
  wanted = 1;
  struct sockaddr_in address = local_address(0);
  assert_int_equal(uv_tcp_init(loop, &server), 0);
  assert_int_equal(uv_tcp_bind(&server, (struct sockaddr*) &address, 0), 0);
  sockets_make(&peer, 1);
  uv_run(loop, UV_RUN_NOWAIT);
  hoard_descriptors(peer);
  assert_int_equal(uv_listen((uv_stream_t*) &server, 8, accept_or_count), 0);
  sockets_connect(&peer, 1, port_of(&server));
  uint64_t before = uv_hrtime();
  run_until(loop, &enough);
  assert_int_equal(refusals, 1);
  assert_true(uv_hrtime() - before > 50 * 1000000);
  close(peer);
  close_and_wait(&clients[0]);
  close_and_wait(&server);
}

static void what_cannot_listen(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe, ipc;
  uv_tcp_t tcp;
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &pipe, 1, never_connection), UV_EINVAL);
  assert_int_equal(uv_pipe_init(loop, &ipc, 1), 0);
  assert_int_equal(uv_pipe_bind2(&ipc, "\0rondo-ipc", 10, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &ipc, 1, never_connection), UV_EINVAL);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &tcp, 1, never_connection), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &tcp, 2, never_connection), 0);
  assert_true(port_of(&tcp) > 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &tcp, alloc_static, never_read),
                   UV_ENOTCONN);
  uv_write_t req;
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  assert_int_equal(uv_write(&req, (uv_stream_t*) &tcp, &buf, 1, never_write), UV_EPIPE);
  close_handle(&pipe);
  close_handle(&ipc);
  close_handle(&tcp);
  assert_int_equal(uv_listen((uv_stream_t*) &tcp, 1, never_connection), UV_EINVAL);
  assert_int_equal(uv_listen((uv_stream_t*) &pipe, 1, never_connection), UV_EINVAL);
  uv_run(loop, UV_RUN_DEFAULT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(many_clients_at_once),
      loop_test(one_not_taken_pauses_listening),
      loop_test(a_used_handle_is_refused),
      loop_test(close_with_waiting_clients),
      loop_test(close_inside_the_connection_callback),
      loop_test(full_descriptor_table),
      loop_test(the_reserve_is_taken_anew),
      loop_test(without_a_reserve_listening_pauses),
      loop_test(what_cannot_listen),
  };
  return cmocka_run_group_tests_name("stream: accepting", tests, NULL, NULL);
}
