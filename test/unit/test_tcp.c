/* TCP handles: binding, connecting and the ways that fails, names, options, reset
 * (contract Q1, C1, H3). */
#include "helper_streams.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_status, connected;
static int close_called;
static int write_status;

static void note_connect(uv_connect_t* req, int status) {
  (void) req;
  connect_status = status;
  connected = 1;
}

static void note_write(uv_write_t* req, int status) {
  (void) req;
  write_status = status;
}

static void count_close(uv_handle_t* handle) {
  (void) handle;
  close_called++;
}

static uv_tcp_t accepted;
static int accepted_one;
static void accept_it(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(uv_tcp_init(server->loop, &accepted), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) &accepted), 0);
  accepted_one = 1;
}

static int option_of(const uv_tcp_t* tcp, int level, int name) {
  int fd, value;
  socklen_t length = sizeof value;
  assert_int_equal(uv_fileno((const uv_handle_t*) tcp, &fd), 0);
  assert_int_equal(getsockopt(fd, level, name, &value, &length), 0);
  return value;
}

static int connect_to(uv_connect_t* req, uv_tcp_t* tcp, int port) {
  struct sockaddr_in address = local_address(port);
  connected = 0;
  connect_status = 1;
  return uv_tcp_connect(req, tcp, (struct sockaddr*) &address, note_connect);
}

static void sockets_made_early(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  int fd;
  assert_int_equal(uv_tcp_init_ex(loop, &tcp, 47), UV_EINVAL);
  assert_int_equal(uv_tcp_init_ex(loop, &tcp, 1024), UV_EINVAL);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_fileno((uv_handle_t*) &tcp, &fd), UV_EBADF);
  close_and_wait(&tcp);
  assert_int_equal(uv_tcp_init_ex(loop, &tcp, AF_INET), 0);
  assert_int_equal(uv_fileno((uv_handle_t*) &tcp, &fd), 0);
  struct sockaddr_in6 other;
  assert_int_equal(uv_ip6_addr("::1", 0, &other), 0);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &other, 0), UV_EINVAL);
  close_and_wait(&tcp);
}

static void taken_port_is_told_late(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, second, third;
  uv_connect_t req;
  int port = listen_locally(loop, &server, never_connection);
  struct sockaddr_in address = local_address(port);
  int length = sizeof address;
  assert_int_equal(uv_tcp_init(loop, &second), 0);
  assert_int_equal(uv_tcp_bind(&second, (struct sockaddr*) &address, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &second, 1, never_connection), UV_EADDRINUSE);
  assert_int_equal(uv_tcp_init(loop, &third), 0);
  assert_int_equal(uv_tcp_bind(&third, (struct sockaddr*) &address, 0), 0);
  assert_int_equal(connect_to(&req, &third, port), 0);
  assert_int_equal(uv_tcp_getsockname(&third, (struct sockaddr*) &address, &length),
                   UV_EADDRINUSE);
  assert_int_equal(connected, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connect_status, UV_EADDRINUSE);
  close_and_wait(&third);
  close_and_wait(&second);
  close_and_wait(&server);
}

static void bad_addresses(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  uv_connect_t req;
  struct sockaddr_in address = local_address(0);
  struct sockaddr strange = {.sa_family = 12345};
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_tcp_bind(&tcp, &strange, 0), UV_EINVAL);
  assert_int_equal(uv_tcp_connect(&req, &tcp, &strange, never_connect), UV_EINVAL);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, UV_TCP_IPV6ONLY),
                   UV_EINVAL);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, 0), 0);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, 0), UV_EINVAL);
  close_handle(&tcp);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, 0), UV_EINVAL);
  assert_int_equal(uv_tcp_connect(&req, &tcp, (struct sockaddr*) &address, NULL),
                   UV_EINVAL);
  assert_int_equal(uv_tcp_open(&tcp, 0), UV_EINVAL);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_ip4_addr("4.4.4.4", 0, &address), 0);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, 0), UV_EADDRNOTAVAIL);
  close_and_wait(&tcp);
}

static void names_of_both_ends(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, client;
  uv_connect_t req;
  struct sockaddr_in name;
  int length = sizeof name;
  int port = listen_locally(loop, &server, accept_it);
  accepted_one = 0;
  assert_int_equal(uv_tcp_init(loop, &client), 0);
  assert_int_equal(uv_tcp_getsockname(&client, (struct sockaddr*) &name, &length),
                   UV_EBADF);
  assert_int_equal(connect_to(&req, &client, port), 0);
  assert_int_equal(connect_to(&req, &client, port), UV_EALREADY);
  assert_true(port_of(&client) > 0);
  run_until(loop, &connected);
  run_until(loop, &accepted_one);
  assert_int_equal(connect_status, 0);
  assert_int_equal(uv_tcp_getpeername(&client, (struct sockaddr*) &name, &length), 0);
  assert_int_equal(length, sizeof name);
  assert_int_equal(ntohs(name.sin_port), port);
  assert_int_equal(uv_tcp_getpeername(&accepted, (struct sockaddr*) &name, &length), 0);
  assert_int_equal(ntohs(name.sin_port), port_of(&client));
  length = 0;
  assert_int_equal(uv_tcp_getsockname(&client, (struct sockaddr*) &name, &length),
                   UV_EINVAL);
  length = sizeof name;
  assert_int_equal(uv_tcp_getpeername(&server, (struct sockaddr*) &name, &length),
                   UV_ENOTCONN);
  close_and_wait(&client);
  close_and_wait(&accepted);
  close_and_wait(&server);
}

/* Contract Q1. */
static void refused_connect(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  uv_connect_t req;
  uv_write_t write;
  uv_buf_t buf = uv_buf_init((char*) "lost", 4);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(connect_to(&req, &tcp, unused_port()), 0);
  write_status = 1;
  assert_int_equal(uv_write(&write, (uv_stream_t*) &tcp, &buf, 1, note_write), 0);
  assert_int_equal(tcp.write_queue_size, 4);
  assert_int_equal(uv_try_write((uv_stream_t*) &tcp, &buf, 1), UV_EAGAIN);
  assert_int_equal(connected, 0);
  run_until(loop, &connected);
  assert_int_equal(connect_status, UV_ECONNREFUSED);
  assert_int_equal(write_status, UV_ECANCELED);
  assert_int_equal(tcp.write_queue_size, 0);
  close_and_wait(&tcp);
}

static void written_while_connecting(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, client;
  uv_connect_t req;
  uv_write_t writes[2];
  uv_shutdown_t end;
  char bytes[100], got[200];
  fill_pattern(bytes, sizeof bytes, 0);
  uv_buf_t buf = uv_buf_init(bytes, 50), rest = uv_buf_init(bytes + 50, 50);
  int port = listen_locally(loop, &server, accept_it);
  accepted_one = 0;
  assert_int_equal(uv_tcp_init(loop, &client), 0);
  assert_int_equal(connect_to(&req, &client, port), 0);
  assert_int_equal(uv_write(&writes[0], (uv_stream_t*) &client, &buf, 1, NULL), 0);
  assert_int_equal(uv_write(&writes[1], (uv_stream_t*) &client, &rest, 1, note_write), 0);
  assert_int_equal(uv_shutdown(&end, (uv_stream_t*) &client, NULL), 0);
  assert_int_equal(client.write_queue_size, 100);
  run_until(loop, &accepted_one);
  run_until(loop, &connected);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  int fd;
  assert_int_equal(uv_fileno((uv_handle_t*) &accepted, &fd), 0);
  assert_int_equal(read(fd, got, sizeof got), 100);
  check_pattern(got, 100, 0);
  assert_int_equal(read(fd, got, sizeof got), 0);
  close_and_wait(&client);
  close_and_wait(&accepted);
  close_and_wait(&server);
}

static void close_while_connecting(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, tcp;
  uv_connect_t req;
  uv_write_t write;
  uv_buf_t buf = uv_buf_init((char*) "lost", 4);
  int port = listen_locally(loop, &server, accept_it);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(connect_to(&req, &tcp, port), 0);
  assert_int_equal(uv_write(&write, (uv_stream_t*) &tcp, &buf, 1, note_write), 0);
  close_handle(&server);
  uv_close((uv_handle_t*) &tcp, NULL);
  assert_int_equal(connected, 0);
  write_status = 1;
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(connect_status, UV_ECANCELED);
  assert_int_equal(write_status, UV_ECANCELED);
}

static void close_in_connect(uv_connect_t* req, int status) {
  note_connect(req, status);
  uv_close((uv_handle_t*) req->handle, count_close);
}

static void close_in_shutdown(uv_shutdown_t* req, int status) {
  assert_int_equal(status, 0);
  uv_close((uv_handle_t*) req->handle, count_close);
}

/* Connected or refused, with a write and a shutdown behind it. */
static void close_inside_callbacks(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, tcp;
  uv_connect_t req;
  uv_write_t write;
  uv_shutdown_t end;
  uv_buf_t buf = uv_buf_init((char*) "lost", 4);
  int ports[2] = {listen_locally(loop, &server, never_connection), unused_port()};
  server.connection_cb = NULL; /* nobody cares for those who come */
  for (int i = 0; i < 2; i++) {
    struct sockaddr_in address = local_address(ports[i]);
    close_called = 0;
    write_status = 1;
    assert_int_equal(uv_tcp_init(loop, &tcp), 0);
    assert_int_equal(
        uv_tcp_connect(&req, &tcp, (struct sockaddr*) &address, close_in_connect), 0);
    assert_int_equal(uv_write(&write, (uv_stream_t*) &tcp, &buf, 1, note_write), 0);
    assert_int_equal(uv_shutdown(&end, (uv_stream_t*) &tcp, NULL), 0);
    run_until(loop, &close_called);
    assert_int_equal(connect_status, i == 0 ? 0 : UV_ECONNREFUSED);
    assert_int_equal(write_status, UV_ECANCELED);
  }
  int ends[2];
  make_pair(ends);
  close_called = 0;
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_tcp_open(&tcp, ends[0]), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &tcp, alloc_static, never_read), 0);
  assert_int_equal(uv_shutdown(&end, (uv_stream_t*) &tcp, close_in_shutdown), 0);
  run_until(loop, &close_called);
  close(ends[1]);
  close_and_wait(&server);
}

static void options_before_and_after(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  struct sockaddr_in address = local_address(0);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_tcp_nodelay(&tcp, 1), 0);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 0, 1, 1), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 1, 0, 1), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 1, 1, 0), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive(&tcp, 1, 0), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 77, 5, 3), 0);
  assert_int_equal(uv_tcp_keepalive(&tcp, 1, 100000), UV_EINVAL);
  assert_int_equal(uv_tcp_simultaneous_accepts(&tcp, 0), 0);
  assert_int_equal(uv_tcp_bind(&tcp, (struct sockaddr*) &address, 0), 0);
  assert_true(option_of(&tcp, IPPROTO_TCP, TCP_NODELAY));
  assert_true(option_of(&tcp, SOL_SOCKET, SO_KEEPALIVE));
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPIDLE), 77);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPINTVL), 5);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPCNT), 3);
  assert_int_equal(uv_tcp_keepalive(&tcp, 1, 60), 0);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPINTVL), 1);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPCNT), 10);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 0, 5, 3), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 32768, 5, 3), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 77, 32768, 3), UV_EINVAL);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 77, 5, 128), UV_EINVAL);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPINTVL), 1);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 32767, 32767, 127), 0);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPCNT), 127);
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 0, 0, 0, 0), 0);
  assert_false(option_of(&tcp, SOL_SOCKET, SO_KEEPALIVE));
  assert_int_equal(uv_tcp_keepalive_ex(&tcp, 1, 9, 8, 7), 0);
  assert_int_equal(option_of(&tcp, IPPROTO_TCP, TCP_KEEPIDLE), 9);
  assert_int_equal(uv_tcp_keepalive(&tcp, 0, 0), 0);
  assert_int_equal(uv_tcp_nodelay(&tcp, 0), 0);
  assert_false(option_of(&tcp, SOL_SOCKET, SO_KEEPALIVE));
  assert_false(option_of(&tcp, IPPROTO_TCP, TCP_NODELAY));
  close_and_wait(&tcp);
}

static uv_tcp_t eager;
static void accept_eagerly(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(uv_tcp_init(server->loop, &eager), 0);
  assert_int_equal(uv_tcp_nodelay(&eager, 1), 0);
  assert_int_equal(uv_tcp_keepalive(&eager, 1, 33), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) &eager), 0);
  accepted_one = 1;
}

static void options_of_an_accepted_socket(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  accepted_one = 0;
  int peer = connect_plainly(listen_locally(loop, &server, accept_eagerly));
  run_until(loop, &accepted_one);
  assert_true(option_of(&eager, IPPROTO_TCP, TCP_NODELAY));
  assert_int_equal(option_of(&eager, IPPROTO_TCP, TCP_KEEPIDLE), 33);
  close(peer);
  close_and_wait(&eager);
  close_and_wait(&server);
}

static void one_port_for_two(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t first, second;
  struct sockaddr_in address = local_address(0);
  assert_int_equal(uv_tcp_init(loop, &first), 0);
  assert_int_equal(uv_tcp_bind(&first, (struct sockaddr*) &address, UV_TCP_REUSEPORT), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &first, 1, never_connection), 0);
  address = local_address(port_of(&first));
  assert_int_equal(uv_tcp_init(loop, &second), 0);
  assert_int_equal(uv_tcp_bind(&second, (struct sockaddr*) &address, UV_TCP_REUSEPORT),
                   0);
  assert_int_equal(uv_listen((uv_stream_t*) &second, 1, never_connection), 0);
  close_and_wait(&first);
  close_and_wait(&second);
}

static void six_only(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp;
  struct sockaddr_in6 address;
  for (int only = 0; only <= 1; only++) {
    assert_int_equal(uv_ip6_addr("::", 0, &address), 0);
    assert_int_equal(uv_tcp_init(loop, &tcp), 0);
    int error =
        uv_tcp_bind(&tcp, (struct sockaddr*) &address, only ? UV_TCP_IPV6ONLY : 0);
    if (error == 0)
      assert_int_equal(option_of(&tcp, IPPROTO_IPV6, IPV6_V6ONLY), only);
    close_and_wait(&tcp);
    if (error != 0)
      skip(); /* no IPv6 here */
  }
}

/* The first link-local address of this machine, without its scope. */
static int own_link_address(struct sockaddr_in6* own) {
  uv_interface_address_t* addresses;
  int count, found = 0;
  assert_int_equal(uv_interface_addresses(&addresses, &count), 0);
  for (int i = 0; i < count && !found; i++) {
    *own = addresses[i].address.address6;
    found = own->sin6_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&own->sin6_addr);
  }
  uv_free_interface_addresses(addresses, count);
  own->sin6_scope_id = 0;
  return found;
}

static void a_link_is_found_for_link_local_peers(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server, client;
  uv_connect_t req;
  struct sockaddr_in6 anywhere, own, name;
  int length = sizeof name;
  if (!own_link_address(&own))
    skip(); /* no interface with IPv6 here */
  assert_int_equal(uv_ip6_addr("::", 0, &anywhere), 0);
  assert_int_equal(uv_tcp_init(loop, &server), 0);
  assert_int_equal(uv_tcp_bind(&server, (struct sockaddr*) &anywhere, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &server, 1, accept_it), 0);
  own.sin6_port = htons((uint16_t) port_of(&server));

  connected = accepted_one = 0;
  assert_int_equal(uv_tcp_init(loop, &client), 0);
  assert_int_equal(uv_tcp_connect(&req, &client, (struct sockaddr*) &own, note_connect),
                   0);
  assert_int_equal(own.sin6_scope_id, 0); /* the caller's own is left alone */
  run_until(loop, &connected);
  run_until(loop, &accepted_one);
  assert_int_equal(connect_status, 0);
  assert_int_equal(uv_tcp_getpeername(&client, (struct sockaddr*) &name, &length), 0);
  assert_int_not_equal(name.sin6_scope_id, 0);
  close_and_wait(&client);
  close_and_wait(&accepted);
  close_and_wait(&server);
}

static void ignore_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  (void) stream, (void) count, (void) buf;
}

static void descriptors_of_others(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp, again;
  int ends[2];
  make_pair(ends);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_tcp_open(&tcp, -1), UV_EBADF);
  assert_int_equal(uv_tcp_open(&tcp, ends[0]), 0);
  assert_int_equal(uv_tcp_open(&tcp, ends[1]), UV_EBUSY);
  assert_int_equal(uv_tcp_init(loop, &again), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &tcp, alloc_static, ignore_read), 0);
  assert_int_equal(uv_tcp_open(&again, ends[0]), UV_EEXIST);
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  assert_int_equal(uv_try_write((uv_stream_t*) &tcp, &buf, 1), 1);
  close(ends[1]);
  close_and_wait(&again);
  close_and_wait(&tcp);
}

static void reset_reaches_the_peer(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  uv_shutdown_t end;
  char byte;
  accepted_one = close_called = 0;
  int port = listen_locally(loop, &server, accept_it);
  int peer = connect_plainly(port);
  run_until(loop, &accepted_one);
  assert_int_equal(uv_tcp_close_reset(&accepted, count_close), 0);
  assert_int_equal(uv_shutdown(&end, (uv_stream_t*) &accepted, NULL), UV_ENOTCONN);
  while (close_called == 0)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(read(peer, &byte, 1), -1);
  assert_int_equal(errno, ECONNRESET);
  close(peer);

  accepted_one = 0;
  peer = connect_plainly(port);
  run_until(loop, &accepted_one);
  assert_int_equal(uv_shutdown(&end, (uv_stream_t*) &accepted, NULL), 0);
  assert_int_equal(uv_tcp_close_reset(&accepted, count_close), UV_EINVAL);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(uv_tcp_close_reset(&accepted, count_close), UV_EINVAL);
  assert_int_equal(read(peer, &byte, 1), 0);
  close(peer);
  close_and_wait(&accepted);
  close_and_wait(&server);
  assert_int_equal(uv_tcp_init(loop, &server), 0);
  assert_int_equal(uv_tcp_close_reset(&server, NULL), UV_EBADF);
  close_and_wait(&server);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(sockets_made_early),
      loop_test(taken_port_is_told_late),
      loop_test(bad_addresses),
      loop_test(names_of_both_ends),
      loop_test(refused_connect),
      loop_test(written_while_connecting),
      loop_test(close_while_connecting),
      loop_test(close_inside_callbacks),
      loop_test(options_before_and_after),
      loop_test(options_of_an_accepted_socket),
      loop_test(one_port_for_two),
      loop_test(six_only),
      loop_test(a_link_is_found_for_link_local_peers),
      loop_test(descriptors_of_others),
      loop_test(reset_reaches_the_peer),
  };
  return cmocka_run_group_tests_name("tcp", tests, NULL, NULL);
}
