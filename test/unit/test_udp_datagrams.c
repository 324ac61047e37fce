/* Datagrams over UDP: sending, receiving, many at once, and what can go wrong. */
#include "udp_test.h"

#include <sys/un.h>

/* --- sending and receiving --------------------------------------------------------- */

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

/* --- many at once ------------------------------------------------------------------ */

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
    /* 20 datagrams to a buffer, and the turn ends before a third is asked for. */
    for (int i = 0; i < 40; i++)
      assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(close_after, receiver.datagrams);
    assert_int_equal(2, allocations);
    assert_int_equal(2, frees);
    close_now(&sender);
  }
}

static unsigned int chunks_taken; /* datagrams of 64 KiB that take_chunks has room for */
static char word[256];

static void take_chunks(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  size_t size = suggested * chunks_taken;
  *buf = uv_buf_init(malloc(size), (unsigned int) size);
  strcat(word, "alloc ");
}

static void note_call(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                      const struct sockaddr* addr, unsigned int flags) {
  (void) handle;
  assert_true(nread >= 0);
  if (flags & UV_UDP_MMSG_CHUNK)
    assert_int_equal(65536, buf->len);
  else
    free(buf->base);
  strcat(word, flags & UV_UDP_MMSG_CHUNK  ? "chunk "
               : flags & UV_UDP_MMSG_FREE ? "free "
               : addr == NULL             ? "nothing "
                                          : "datagram ");
}

/* With room for one datagram as with room for many: chunks, their end, and a last call
 * that says there is nothing more. */
static void receiving_many_ends_with_nothing(void** state) {
  static struct receiver receiver;
  uv_udp_t sender;
  uv_buf_t buf = uv_buf_init("PING", 4);
  const char* expected[] = {
      "alloc chunk free alloc chunk free alloc nothing ",
      "alloc chunk chunk free alloc nothing ",
      "alloc chunk chunk free alloc nothing ",
  };
  (void) state;

  for (chunks_taken = 1; chunks_taken <= 3; chunks_taken++) {
    receiver_open(&receiver, AF_UNSPEC | UV_UDP_RECVMMSG);
    assert_int_equal(0, uv_udp_recv_stop(&receiver.handle));
    assert_int_equal(0, uv_udp_recv_start(&receiver.handle, take_chunks, note_call));
    assert_int_equal(0, uv_udp_init(&loop, &sender));
    for (int i = 0; i < 2; i++)
      assert_int_equal(4, uv_udp_try_send(&sender, &buf, 1, any(&receiver.addr)));
    word[0] = '\0';
    uv_run(&loop, UV_RUN_ONCE);
    assert_string_equal(expected[chunks_taken - 1], word);
    close_now(&sender);
    close_now(&receiver.handle);
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

/* --- bad days ---------------------------------------------------------------------- */

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
  const struct CMUnitTest tests[] = {
      udp_test(send_calls_back_later),
      udp_test(a_turns_sends_leave_in_order),
      udp_test(a_send_callback_may_send),
      udp_test(too_big_a_datagram_fails_alone),
      udp_test(a_refusing_peer_is_told_to_the_connected),
      udp_test(empty_datagrams_are_datagrams),
      udp_test(a_send_needs_a_buffer),
      udp_test(a_short_buffer_cuts_and_none_is_told),
      udp_test(receiving_binds_a_new_handle),
      udp_test(many_datagrams_share_a_buffer),
      udp_test(receiving_many_ends_with_nothing),
      udp_test(try_send2_sends_many),
      udp_test(a_full_socket_is_waited_for),
      udp_test(stop_in_the_callback_stops_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
