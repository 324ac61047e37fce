/* UDP handles: making, binding, opening, connecting and closing. */
#include "udp_test.h"

static void init_takes_known_families_and_flags(void** state) {
  uv_udp_t handle;
  uv_os_fd_t fd;
  (void) state;
  assert_int_equal(UV_EINVAL, uv_udp_init_ex(&loop, &handle, 47));
  assert_int_equal(UV_EINVAL, uv_udp_init_ex(&loop, &handle, 1024));
  assert_int_equal(0, uv_udp_init_ex(&loop, &handle, AF_INET | UV_UDP_RECVMMSG));
  assert_int_equal(1, uv_udp_using_recvmmsg(&handle));
  fd = handle.io_watcher.fd;
  assert_true(fd >= 0);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
  assert_int_equal(0, uv_is_active((uv_handle_t*) &handle));
  close_now(&handle);
  assert_int_equal(-1, fcntl(fd, F_GETFD));

  assert_int_equal(0, uv_udp_init(&loop, &handle));
  assert_int_equal(0, uv_udp_using_recvmmsg(&handle));
  assert_int_equal(-1, handle.io_watcher.fd);
  assert_int_equal(UV_UDP, uv_handle_get_type((uv_handle_t*) &handle));
  close_now(&handle);
}

static void a_handle_without_socket_has_no_name(void** state) {
  struct sockaddr_storage name;
  int length = sizeof name;
  uv_udp_t handle;
  (void) state;
  assert_int_equal(0, uv_udp_init(&loop, &handle));
  assert_int_equal(UV_EBADF,
                   uv_udp_getsockname(&handle, (struct sockaddr*) &name, &length));
  assert_int_equal(UV_EBADF,
                   uv_udp_getpeername(&handle, (struct sockaddr*) &name, &length));
  close_now(&handle);
}

static void bind_refuses_what_it_does_not_know(void** state) {
  struct sockaddr_in addr = ip4("127.0.0.1", 0);
  struct sockaddr bad = {.sa_family = AF_UNSPEC};
  uv_udp_t handle;
  (void) state;
  assert_int_equal(0, uv_udp_init(&loop, &handle));
  assert_int_equal(UV_EINVAL, uv_udp_bind(&handle, any(&addr), UV_UDP_IPV6ONLY));
  assert_int_equal(UV_EINVAL, uv_udp_bind(&handle, any(&addr), 1u << 20));
  assert_int_equal(UV_EINVAL, uv_udp_bind(&handle, &bad, 0));
  addr = ip4("203.0.113.1", 0); /* nobody's, so not ours */
  assert_int_equal(UV_EADDRNOTAVAIL, uv_udp_bind(&handle, any(&addr), 0));
  assert_int_equal(-1, handle.io_watcher.fd); /* and no socket was kept */
  addr = ip4("127.0.0.1", 0);
  assert_int_equal(0, uv_udp_bind(&handle, any(&addr), 0));
  assert_int_equal(UV_EINVAL, uv_udp_bind(&handle, any(&addr), 0)); /* bound already */
  close_now(&handle);
}

static void a_socket_of_another_family_can_not_be_bound(void** state) {
  struct sockaddr_in addr = ip4("127.0.0.1", 0);
  uv_udp_t handle;
  (void) state;
  if (uv_udp_init_ex(&loop, &handle, AF_INET6) != 0)
    skip();
  assert_int_equal(UV_EINVAL, uv_udp_bind(&handle, any(&addr), 0));
  close_now(&handle);
}

static void addresses_are_shared_only_if_asked(void** state) {
  static const struct {
    unsigned int first, second;
    int result;
  } cases[] = {
      {0, 0, UV_EADDRINUSE},
      {UV_UDP_REUSEADDR, UV_UDP_REUSEADDR, 0},
      {UV_UDP_REUSEPORT, UV_UDP_REUSEPORT, 0},
      {UV_UDP_REUSEPORT, 0, UV_EADDRINUSE},
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct sockaddr_in addr = ip4("127.0.0.1", 0);
    int length = sizeof addr;
    uv_udp_t first;
    uv_udp_t second;
    assert_int_equal(0, uv_udp_init(&loop, &first));
    assert_int_equal(0, uv_udp_init(&loop, &second));
    assert_int_equal(0, uv_udp_bind(&first, any(&addr), cases[i].first));
    assert_int_equal(0, uv_udp_getsockname(&first, (struct sockaddr*) &addr, &length));
    assert_int_equal(cases[i].result, uv_udp_bind(&second, any(&addr), cases[i].second));
    close_now(&first);
    close_now(&second);
  }
}

static void open_takes_a_socket_once(void** state) {
  struct sockaddr_in peer = ip4("127.0.0.1", 9);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int other = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  uv_buf_t buf = uv_buf_init("x", 1);
  uv_udp_t first;
  uv_udp_t second;
  (void) state;

  assert_true(fd >= 0 && other >= 0);
  assert_int_equal(0, connect(fd, any(&peer), sizeof peer));
  assert_int_equal(0, uv_udp_init(&loop, &first));
  assert_int_equal(0, uv_udp_init(&loop, &second));
  assert_int_equal(UV_EINVAL, uv_udp_open_ex(&first, fd, UV_UDP_IPV6ONLY));
  assert_int_equal(0, uv_udp_open(&first, fd));
  assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
  assert_int_equal(UV_EBUSY, uv_udp_open(&first, other));
  assert_int_equal(0, uv_udp_recv_start(&first, take_slab, count_datagram));
  assert_int_equal(UV_EEXIST, uv_udp_open(&second, fd));
  assert_int_equal(0, uv_udp_recv_stop(&first));
  /* It came connected. */
  assert_int_equal(UV_EISCONN, uv_udp_try_send(&first, &buf, 1, any(&peer)));
  assert_int_equal(UV_EISCONN, uv_udp_connect(&first, any(&peer)));
  assert_int_equal(0, uv_udp_open_ex(&second, other, UV_UDP_REUSEPORT));
  close_now(&first);
  close_now(&second);

  assert_int_equal(0, uv_udp_init(&loop, &first));
  assert_int_equal(UV_EBADF, uv_udp_open(&first, 999));
  close_now(&first);
}

static int socket_option(int fd, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  assert_int_equal(0, getsockopt(fd, SOL_SOCKET, name, &value, &length));
  return value;
}

static void open_shares_what_it_is_asked_to(void** state) {
  static const struct {
    unsigned int flags;
    int address, port;
  } cases[] = {
      {0, 0, 0},
      {UV_UDP_REUSEADDR, 1, 0},
      {UV_UDP_REUSEPORT, 0, 1},
      {UV_UDP_REUSEADDR | UV_UDP_REUSEPORT, 1, 1},
  };
  static const unsigned int wrong[] = {UV_UDP_IPV6ONLY, UV_UDP_LINUX_RECVERR,
                                       UV_UDP_RECVMMSG, 1u << 20};
  uv_udp_t handle;
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(0, uv_udp_init(&loop, &handle));
    for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++)
      assert_int_equal(UV_EINVAL, uv_udp_open_ex(&handle, fd, cases[i].flags | wrong[j]));
    assert_int_equal(0,
                     socket_option(fd, SO_REUSEADDR) + socket_option(fd, SO_REUSEPORT));
    assert_int_equal(0, uv_udp_open_ex(&handle, fd, cases[i].flags));
    assert_int_equal(cases[i].address, socket_option(fd, SO_REUSEADDR));
    assert_int_equal(cases[i].port, socket_option(fd, SO_REUSEPORT));
    close_now(&handle);
  }
}

static void destinations_follow_the_connection(void** state) {
  static struct receiver receiver;
  struct sockaddr_storage name;
  int length = sizeof name;
  uv_udp_send_t req;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(UV_ENOTCONN, uv_udp_connect(&sender, NULL));
  assert_int_equal(UV_EDESTADDRREQ, uv_udp_try_send(&sender, &buf, 1, NULL));
  assert_int_equal(0, uv_udp_connect(&sender, any(&receiver.addr)));
  assert_int_equal(UV_EISCONN, uv_udp_connect(&sender, any(&receiver.addr)));
  assert_int_equal(UV_EISCONN, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  assert_int_equal(UV_EISCONN,
                   uv_udp_send(&req, &sender, &buf, 1, any(&receiver.addr), count_sent));
  assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, NULL));
  assert_int_equal(0, uv_udp_getpeername(&sender, (struct sockaddr*) &name, &length));
  assert_memory_equal(&name, &receiver.addr, sizeof receiver.addr);
  assert_int_equal(0, uv_udp_connect(&sender, NULL));
  assert_int_equal(UV_ENOTCONN, uv_udp_connect(&sender, NULL));
  length = sizeof name;
  assert_int_equal(UV_ENOTCONN,
                   uv_udp_getpeername(&sender, (struct sockaddr*) &name, &length));
  assert_int_equal(UV_EDESTADDRREQ, uv_udp_try_send(&sender, &buf, 1, NULL));
  assert_int_equal(UV_EDESTADDRREQ,
                   uv_udp_send(&req, &sender, &buf, 1, NULL, count_sent));
  assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  receiver.close_after = 2;
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, receiver.datagrams);
  close_now(&sender);
}

/* Contract C1: what is still queued is called back with UV_ECANCELED, before the close
 * callback; what went out already has its own result. */
static void close_cancels_what_is_queued(void** state) {
  static struct receiver receiver;
  uv_udp_send_t reqs[10];
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  (void) state;

  reset_counts();
  receiver_open(&receiver, AF_UNSPEC);
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  for (int i = 0; i < 10; i++)
    assert_int_equal(
        0, uv_udp_send(&reqs[i], &sender, &buf, 1, any(&receiver.addr), count_sent));
  uv_close((uv_handle_t*) &sender, NULL);
  assert_int_equal(0, sent + send_errors);
  assert_int_equal(UV_EINVAL, uv_udp_send(&reqs[0], &sender, &buf, 1, any(&receiver.addr),
                                          count_sent));
  uv_run(&loop, UV_RUN_NOWAIT);
  assert_int_equal(1, sent);
  assert_int_equal(9, send_errors);
  assert_int_equal(UV_ECANCELED, last_send_status);
  close_now(&receiver.handle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      udp_test(init_takes_known_families_and_flags),
      udp_test(a_handle_without_socket_has_no_name),
      udp_test(bind_refuses_what_it_does_not_know),
      udp_test(a_socket_of_another_family_can_not_be_bound),
      udp_test(addresses_are_shared_only_if_asked),
      udp_test(open_takes_a_socket_once),
      udp_test(open_shares_what_it_is_asked_to),
      udp_test(destinations_follow_the_connection),
      udp_test(close_cancels_what_is_queued),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
