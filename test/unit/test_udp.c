/* UDP handles: making, binding, connecting, sending and receiving, and closing in the
 * middle of it. Every socket gets a free port from the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "uv.h"

static uv_loop_t loop;

static int setup(void** state) {
  (void) state;
  return uv_loop_init(&loop);
}

/* Nothing may be left open: every test closes what it made. */
static int teardown(void** state) {
  (void) state;
  return uv_loop_close(&loop);
}

static struct sockaddr_in ip4(const char* host, int port) {
  struct sockaddr_in addr;
  assert_int_equal(0, uv_ip4_addr(host, port, &addr));
  return addr;
}

static const struct sockaddr* any(const struct sockaddr_in* addr) {
  return (const struct sockaddr*) addr;
}

static void close_now(uv_udp_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
  uv_run(&loop, UV_RUN_NOWAIT);
}

/* A receiver on the loopback that keeps what it got. */
struct receiver {
  uv_udp_t handle;
  struct sockaddr_in addr;
  char slab[65536];
  int datagrams;
  int empty; /* datagrams of no bytes */
  int nothing;
  int errors;
  int last_error;
  size_t bytes;
  unsigned int last_flags;
  int close_after;
};

static void take_slab(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct receiver* receiver = handle->data;
  assert_int_equal(65536, suggested);
  *buf = uv_buf_init(receiver->slab, sizeof receiver->slab);
}

static void count_datagram(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                           const struct sockaddr* addr, unsigned int flags) {
  struct receiver* receiver = handle->data;
  (void) buf;
  receiver->last_flags = flags;
  if (nread < 0) {
    receiver->errors++;
    receiver->last_error = (int) nread;
    return;
  }
  if (addr == NULL) {
    assert_int_equal(0, nread);
    receiver->nothing++;
    return;
  }
  receiver->datagrams++;
  receiver->empty += nread == 0;
  receiver->bytes += (size_t) nread;
  if (receiver->datagrams == receiver->close_after)
    uv_close((uv_handle_t*) handle, NULL);
}

static void receiver_open(struct receiver* receiver, unsigned int flags) {
  int length = sizeof receiver->addr;
  memset(receiver, 0, sizeof *receiver);
  receiver->addr = ip4("127.0.0.1", 0);
  assert_int_equal(0, uv_udp_init_ex(&loop, &receiver->handle, flags));
  receiver->handle.data = receiver;
  assert_int_equal(0, uv_udp_bind(&receiver->handle, any(&receiver->addr), 0));
  assert_int_equal(0, uv_udp_getsockname(&receiver->handle,
                                         (struct sockaddr*) &receiver->addr, &length));
  assert_int_equal(0, uv_udp_recv_start(&receiver->handle, take_slab, count_datagram));
}

static int sent;
static int send_errors;
static int last_send_status;

static void count_sent(uv_udp_send_t* req, int status) {
  assert_non_null(req->handle);
  last_send_status = status;
  if (status == 0)
    sent++;
  else
    send_errors++;
}

static void reset_counts(void) {
  sent = send_errors = last_send_status = 0;
}

/* --- life ----------------------------------------------------------------------------
 */

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

/* --- sending and receiving -----------------------------------------------------------
 */

/* Contract Q1: a send that went out at once is called back later. */
static void send_calls_back_later(void** state) {
  static struct receiver receiver;
  uv_udp_send_t req;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  (void) state;

  reset_counts();
  receiver_open(&receiver, AF_UNSPEC);
  receiver.close_after = 1;
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(0,
                   uv_udp_send(&req, &sender, &buf, 1, any(&receiver.addr), count_sent));
  assert_int_equal(0, sent);
  assert_int_equal(1, uv_udp_get_send_queue_count(&sender));
  assert_int_equal(4, uv_udp_get_send_queue_size(&sender));
  assert_int_equal(1, uv_is_active((uv_handle_t*) &sender));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, sent);
  assert_int_equal(0, uv_udp_get_send_queue_count(&sender));
  assert_int_equal(0, uv_udp_get_send_queue_size(&sender));
  assert_int_equal(0, uv_is_active((uv_handle_t*) &sender));
  assert_int_equal(1, receiver.datagrams);
  assert_int_equal(4, receiver.bytes);
  close_now(&sender);
}

static uv_udp_send_t* order[1000];
static size_t ordered;

static void note_order(uv_udp_send_t* req, int status) {
  assert_int_equal(0, status);
  order[ordered++] = req;
}

static void a_turns_sends_leave_in_order(void** state) {
  static struct receiver receiver;
  static uv_udp_send_t reqs[1000];
  uv_buf_t bufs[6];
  uv_udp_t sender;
  int size = 1 << 20;
  (void) state;

  ordered = 0;
  receiver_open(&receiver, AF_UNSPEC);
  setsockopt(receiver.handle.io_watcher.fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
             sizeof size);
  for (int i = 0; i < 6; i++)
    bufs[i] = uv_buf_init("ab", 2);
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  /* With more buffers than a request has room for, now and then. */
  for (unsigned int i = 0; i < 1000; i++)
    assert_int_equal(0, uv_udp_send(&reqs[i], &sender, bufs, i % 7 == 0 ? 6 : 1,
                                    any(&receiver.addr), note_order));
  assert_int_equal(1000, uv_udp_get_send_queue_count(&sender));
  assert_int_equal(UV_EAGAIN, uv_udp_try_send(&sender, bufs, 1, any(&receiver.addr)));
  uv_unref((uv_handle_t*) &receiver.handle);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1000, ordered);
  for (size_t i = 0; i < 1000; i++)
    assert_ptr_equal(&reqs[i], order[i]);
  assert_int_equal(0, uv_udp_get_send_queue_size(&sender));
  assert_true(receiver.datagrams > 0);
  close_now(&sender);
  close_now(&receiver.handle);
}

static int resends;

static void send_again(uv_udp_send_t* req, int status) {
  uv_buf_t buf = uv_buf_init("again", 5);
  struct receiver* receiver = req->data;
  assert_int_equal(0, status);
  if (++resends < 100)
    assert_int_equal(
        0, uv_udp_send(req, req->handle, &buf, 1, any(&receiver->addr), send_again));
  else
    uv_close((uv_handle_t*) req->handle, NULL);
}

static void a_send_callback_may_send(void** state) {
  static struct receiver receiver;
  uv_udp_send_t req;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("first", 5);
  (void) state;

  resends = 0;
  receiver_open(&receiver, AF_UNSPEC);
  receiver.close_after = 100;
  req.data = &receiver;
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(0,
                   uv_udp_send(&req, &sender, &buf, 1, any(&receiver.addr), send_again));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(100, resends);
  assert_int_equal(100, receiver.datagrams);
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

static void too_big_a_datagram_fails_alone(void** state) {
  static struct receiver receiver;
  static char big[65536];
  uv_udp_send_t reqs[3];
  uv_udp_t sender;
  uv_buf_t small = uv_buf_init("ok", 2);
  uv_buf_t large = uv_buf_init(big, sizeof big);
  (void) state;

  reset_counts();
  receiver_open(&receiver, AF_UNSPEC);
  receiver.close_after = 2;
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(UV_EMSGSIZE, uv_udp_try_send(&sender, &large, 1, any(&receiver.addr)));
  for (int i = 0; i < 3; i++)
    assert_int_equal(0, uv_udp_send(&reqs[i], &sender, i == 1 ? &large : &small, 1,
                                    any(&receiver.addr), count_sent));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, sent);
  assert_int_equal(1, send_errors);
  assert_int_equal(2, receiver.datagrams);
  close_now(&sender);
}

static void a_refusing_peer_is_told_to_the_connected(void** state) {
  struct sockaddr_in addr;
  int length = sizeof addr;
  static struct receiver receiver;
  uv_udp_send_t reqs[6];
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("TEST", 4);
  (void) state;

  /* A port that was free a moment ago. */
  reset_counts();
  receiver_open(&receiver, AF_UNSPEC);
  addr = receiver.addr;
  close_now(&receiver.handle);

  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(0, uv_udp_connect(&sender, any(&addr)));
  assert_int_equal(0, uv_udp_getsockname(&sender, (struct sockaddr*) &addr, &length));
  for (int i = 0; i < 6; i++)
    assert_int_equal(0, uv_udp_send(&reqs[i], &sender, &buf, 1, NULL, count_sent));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(6, sent + send_errors);
  if (send_errors > 0)
    assert_int_equal(UV_ECONNREFUSED,
                     last_send_status == 0 ? UV_ECONNREFUSED : last_send_status);
  close_now(&sender);
}

static void empty_datagrams_are_datagrams(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_udp_send_t req;
  uv_buf_t buf = uv_buf_init("", 0);
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  receiver.close_after = 2;
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(0, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  assert_int_equal(0,
                   uv_udp_send(&req, &sender, &buf, 1, any(&receiver.addr), count_sent));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(2, receiver.empty);
  close_now(&sender);
}

/* A datagram without bytes is an empty buffer, not none. */
static void a_send_needs_a_buffer(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_udp_send_t req;
  uv_buf_t buf = uv_buf_init("x", 1);
  uv_buf_t* bufs[] = {&buf, &buf};
  struct sockaddr* addrs[] = {(struct sockaddr*) &receiver.addr,
                              (struct sockaddr*) &receiver.addr};
  unsigned int counts[] = {1, 0};
  const unsigned int wrong[] = {0, (unsigned int) -1};
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  receiver.close_after = 1;
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  for (int i = 0; i < 2; i++) {
    const struct sockaddr* addr = any(&receiver.addr);
    counts[1] = wrong[i];
    assert_int_equal(UV_EINVAL, uv_udp_try_send(&sender, &buf, wrong[i], addr));
    assert_int_equal(UV_EINVAL,
                     uv_udp_send(&req, &sender, &buf, wrong[i], addr, count_sent));
    assert_int_equal(UV_EINVAL, uv_udp_try_send2(&sender, 2, bufs, counts, addrs, 0));
  }
  /* Not even the good one of the two has left. */
  assert_int_equal(1, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, receiver.datagrams);
  close_now(&sender);
}

static void take_two_bytes(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  struct receiver* receiver = handle->data;
  (void) suggested;
  *buf = uv_buf_init(receiver->slab, 2);
}

static void take_nothing(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(NULL, 0);
}

static void a_short_buffer_cuts_and_none_is_told(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("long", 4);
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  assert_int_equal(UV_EALREADY,
                   uv_udp_recv_start(&receiver.handle, take_two_bytes, count_datagram));
  assert_int_equal(0, uv_udp_recv_stop(&receiver.handle));
  assert_int_equal(0, uv_is_active((uv_handle_t*) &receiver.handle));
  assert_int_equal(0, uv_udp_recv_stop(&receiver.handle));
  assert_int_equal(UV_EINVAL, uv_udp_recv_start(&receiver.handle, NULL, count_datagram));
  assert_int_equal(UV_EINVAL, uv_udp_recv_start(&receiver.handle, take_slab, NULL));
  assert_int_equal(0, uv_udp_init(&loop, &sender));

  assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_nothing, count_datagram));
  assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  uv_run(&loop, UV_RUN_ONCE);
  assert_int_equal(1, receiver.errors);
  assert_int_equal(UV_ENOBUFS, receiver.last_error);

  assert_int_equal(0, uv_udp_recv_stop(&receiver.handle));
  assert_int_equal(0,
                   uv_udp_recv_start(&receiver.handle, take_two_bytes, count_datagram));
  receiver.close_after = 1;
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, receiver.datagrams);
  assert_int_equal(2, receiver.bytes);
  assert_true(receiver.last_flags & UV_UDP_PARTIAL);
  close_now(&sender);
}

static void receiving_binds_a_new_handle(void** state) {
  struct sockaddr_in name;
  int length = sizeof name;
  static struct receiver receiver;
  (void) state;
  assert_int_equal(0, uv_udp_init(&loop, &receiver.handle));
  receiver.handle.data = &receiver;
  assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_slab, count_datagram));
  assert_int_equal(
      0, uv_udp_getsockname(&receiver.handle, (struct sockaddr*) &name, &length));
  assert_int_equal(AF_INET, name.sin_family);
  assert_int_not_equal(0, name.sin_port);
  close_now(&receiver.handle);
}

/* --- many at once --------------------------------------------------------------------
 */

static int allocations;
static int frees;

static void take_many(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  allocations++;
  *buf = uv_buf_init(malloc(20 * suggested), (unsigned int) (20 * suggested));
}

static void count_chunk(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                        const struct sockaddr* addr, unsigned int flags) {
  if (flags & UV_UDP_MMSG_FREE) {
    assert_int_equal(0, nread);
    assert_null(addr);
  } else {
    count_datagram(handle, nread, buf, addr, flags);
  }
  if (!(flags & UV_UDP_MMSG_CHUNK)) {
    frees++;
    free(buf->base);
  }
}

/* Also with a handle that is closed by the callback of a chunk in the middle. */
static void many_datagrams_share_a_buffer(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  (void) state;

  for (int close_after = 30; close_after <= 40; close_after += 10) {
    allocations = frees = 0;
    receiver_open(&receiver, AF_UNSPEC | UV_UDP_RECVMMSG);
    assert_int_equal(0, uv_udp_recv_stop(&receiver.handle));
    assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_many, count_chunk));
    receiver.close_after = close_after;
    assert_int_equal(0, uv_udp_init(&loop, &sender));
    for (int i = 0; i < 40; i++)
      assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(close_after, receiver.datagrams);
    assert_int_equal(2, allocations);
    assert_int_equal(2, frees);
    close_now(&sender);
  }
}

static void try_send2_sends_many(void** state) {
  static struct receiver receiver;
  static char big[65536];
  uv_buf_t small[2] = {uv_buf_init("ab", 2), uv_buf_init("c", 1)};
  uv_buf_t large = uv_buf_init(big, sizeof big);
  uv_buf_t* bufs[100];
  unsigned int nbufs[100];
  struct sockaddr* addrs[100];
  struct sockaddr bad = {.sa_family = AF_UNSPEC};
  uv_udp_send_t req;
  uv_udp_t sender;
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  for (int i = 0; i < 100; i++) {
    bufs[i] = small;
    nbufs[i] = 2;
    addrs[i] = (struct sockaddr*) &receiver.addr;
  }
  assert_int_equal(UV_EINVAL, uv_udp_try_send2(&sender, 0, bufs, nbufs, addrs, 0));
  assert_int_equal(UV_EINVAL, uv_udp_try_send2(&sender, 1, bufs, nbufs, addrs, 42));
  assert_int_equal(UV_EDESTADDRREQ, uv_udp_try_send2(&sender, 1, bufs, nbufs, NULL, 0));
  assert_int_equal(100, uv_udp_try_send2(&sender, 100, bufs, nbufs, addrs, 0));

  /* An error counts only if nothing was sent before it. */
  bufs[2] = &large;
  nbufs[2] = 1;
  assert_int_equal(2, uv_udp_try_send2(&sender, 5, bufs, nbufs, addrs, 0));
  assert_int_equal(UV_EMSGSIZE,
                   uv_udp_try_send2(&sender, 3, bufs + 2, nbufs + 2, addrs + 2, 0));
  addrs[1] = &bad;
  assert_int_equal(1, uv_udp_try_send2(&sender, 2, bufs, nbufs, addrs, 0));
  assert_int_equal(UV_EINVAL, uv_udp_try_send2(&sender, 1, bufs, nbufs, addrs + 1, 0));

  assert_int_equal(0, uv_udp_connect(&sender, any(&receiver.addr)));
  assert_int_equal(UV_EISCONN, uv_udp_try_send2(&sender, 1, bufs, nbufs, addrs, 0));
  assert_int_equal(2, uv_udp_try_send2(&sender, 2, bufs, nbufs, NULL, 0));
  assert_int_equal(0, uv_udp_send(&req, &sender, small, 1, NULL, NULL));
  assert_int_equal(UV_EAGAIN, uv_udp_try_send2(&sender, 1, bufs, nbufs, NULL, 0));
  receiver.close_after = 106;
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(106, receiver.datagrams);
  assert_int_equal(105 * 3 + 2, receiver.bytes);
  close_now(&sender);
}

/* --- bad days ------------------------------------------------------------------------
 */

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

/* A unix socket whose reader sleeps fills up: the rest waits for room and arrives. */
static void a_full_socket_is_waited_for(void** state) {
  enum { COUNT = 2000 };
  static uv_udp_send_t reqs[COUNT];
  static char data[512];
  struct sockaddr_un addr = {.sun_family = AF_UNIX};
  uv_buf_t buf = uv_buf_init(data, sizeof data);
  uv_udp_t sender;
  int received = 0;
  (void) state;

  reset_counts();
  snprintf(addr.sun_path, sizeof addr.sun_path, "udp-full-%d.sock", (int) getpid());
  unlink(addr.sun_path);
  int reader = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  assert_int_equal(0, bind(reader, (struct sockaddr*) &addr, sizeof addr));
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  assert_int_equal(0, uv_udp_open(&sender, fd));
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(0, uv_udp_send(&reqs[i], &sender, &buf, 1,
                                    (const struct sockaddr*) &addr, count_sent));
  for (int i = 0; i < 100000 && received < COUNT; i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    while (recv(reader, data, sizeof data, 0) == (ssize_t) sizeof data)
      received++;
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(COUNT, received);
  assert_int_equal(COUNT, sent);
  close_now(&sender);
  close(reader);
  unlink(addr.sun_path);
}

static void stop_in_callback(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                             const struct sockaddr* addr, unsigned int flags) {
  count_datagram(handle, nread, buf, addr, flags);
  assert_int_equal(0, uv_udp_recv_stop(handle));
}

static void stop_in_the_callback_stops_at_once(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  (void) state;

  receiver_open(&receiver, AF_UNSPEC);
  uv_udp_recv_stop(&receiver.handle);
  assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_slab, stop_in_callback));
  assert_int_equal(0, uv_udp_init(&loop, &sender));
  for (int i = 0; i < 5; i++)
    assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, receiver.datagrams);
  /* The others are still there. */
  receiver.close_after = 5;
  assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_slab, count_datagram));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(5, receiver.datagrams);
  close_now(&sender);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(init_takes_known_families_and_flags),
      TEST(a_handle_without_socket_has_no_name),
      TEST(bind_refuses_what_it_does_not_know),
      TEST(a_socket_of_another_family_can_not_be_bound),
      TEST(addresses_are_shared_only_if_asked),
      TEST(open_takes_a_socket_once),
      TEST(open_shares_what_it_is_asked_to),
      TEST(send_calls_back_later),
      TEST(a_turns_sends_leave_in_order),
      TEST(a_send_callback_may_send),
      TEST(destinations_follow_the_connection),
      TEST(too_big_a_datagram_fails_alone),
      TEST(a_refusing_peer_is_told_to_the_connected),
      TEST(empty_datagrams_are_datagrams),
      TEST(a_send_needs_a_buffer),
      TEST(a_short_buffer_cuts_and_none_is_told),
      TEST(receiving_binds_a_new_handle),
      TEST(many_datagrams_share_a_buffer),
      TEST(try_send2_sends_many),
      TEST(close_cancels_what_is_queued),
      TEST(a_full_socket_is_waited_for),
      TEST(stop_in_the_callback_stops_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
