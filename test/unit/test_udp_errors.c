/* UDP handles that were bound with UV_UDP_LINUX_RECVERR: what comes back from peers who
 * aren't there is told for each datagram, and read even if nobody listens, so that the
 * socket isn't ready for ever. */
#include "loop_test.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 64 };

static struct {
  ssize_t nread;
  unsigned int flags;
} told[MOST];
static int count;       /* callbacks */
static int allocations; /* each must come back with a callback */
static size_t room;
static int stop_after, close_after;
static char memory[4 * 65536];

static uv_udp_t handle;
static struct sockaddr_in6 dead; /* a port at which nobody answers: see `reserved` */
static int reserved = -1;

static void give(uv_handle_t* base, size_t suggested, uv_buf_t* buf) {
  (void) base, (void) suggested;
  allocations++;
  *buf = uv_buf_init(memory, (unsigned int) room);
}

static void note(uv_udp_t* udp, ssize_t nread, const uv_buf_t* buf,
                 const struct sockaddr* addr, unsigned int flags) {
  assert_true(count < MOST);
  assert_ptr_equal(buf->base, memory);
  assert_int_equal(buf->len, room);
  told[count].nread = nread;
  told[count].flags = flags;
  assert_null(addr);
  count++;
  if (count == stop_after)
    assert_int_equal(uv_udp_recv_stop(udp), 0);
  if (count == close_after)
    uv_close((uv_handle_t*) udp, NULL);
}

/* A handle on the machine's own address, in the given family. */
static void open_handle(uv_loop_t* loop, int family, unsigned int init) {
  socklen_t length = sizeof dead;
  struct sockaddr_in6 here;
  memset(&here, 0, sizeof here);
  if (family == AF_INET)
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*) &here), 0);
  else
    assert_int_equal(uv_ip6_addr("::1", 0, &here), 0);

  /* A free port could become another program's, or the handle's own. A socket that is
   * connected to itself keeps it, and takes nobody else's datagrams. */
  if (reserved != -1)
    close(reserved);
  reserved = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (reserved == -1 || bind(reserved, (struct sockaddr*) &here, sizeof here) == -1)
    skip(); /* no IPv6 here */
  assert_int_equal(getsockname(reserved, (struct sockaddr*) &dead, &length), 0);
  assert_int_equal(connect(reserved, (struct sockaddr*) &dead, length), 0);

  count = allocations = stop_after = close_after = 0;
  room = 65536;
  assert_int_equal(uv_udp_init_ex(loop, &handle, (unsigned int) family | init), 0);
  assert_int_equal(uv_udp_bind(&handle, (struct sockaddr*) &here, UV_UDP_LINUX_RECVERR),
                   0);
}

static int send_to_nobody(void) {
  uv_buf_t buf = uv_buf_init("PING", 4);
  return uv_udp_try_send(&handle, &buf, 1, (struct sockaddr*) &dead);
}

/* Sends until one has come back: the kernel limits how many it answers in a second, for
 * all programs together. Over the loopback an answer is there when the send returns. */
static void be_refused_once(void) {
  struct pollfd socket_of = {.fd = handle.io_watcher.fd};
  for (int tries = 0; tries < 1000; tries++) {
    assert_int_equal(send_to_nobody(), 4);
    if (poll(&socket_of, 1, 10) == 1)
      return;
  }
  fail();
}

/* The same for several. A send that finds the error of the one before fails with it, and
 * takes it off the socket but not off the queue. */
static void be_refused(int times) {
  for (int tries = 0; tries < 1000 && times > 0; tries++) {
    int result = send_to_nobody();
    assert_true(result == 4 || result == UV_ECONNREFUSED);
    if (result == UV_ECONNREFUSED)
      times--;
    else if (tries > 10)
      uv_sleep(1);
  }
  assert_int_equal(times, 0);
}

/* Turns until nothing more is told. */
static void turn(uv_loop_t* loop) {
  for (int i = 0; i < 20; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  int before = count;
  for (int i = 0; i < 20; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(count, before);
  assert_int_equal(count, allocations);
}

static void check_told(int i, ssize_t nread, unsigned int flags) {
  assert_int_equal(told[i].nread, nread);
  assert_int_equal(told[i].flags, flags);
}

/* First as on any socket, then the entry of the queue, then the buffer for which there
 * was none. */
static void an_error_is_told_with_its_flag(void** state) {
  static const int families[] = {AF_INET, AF_INET6};
  uv_loop_t* loop = *state;
  for (int i = 0; i < 2; i++) {
    open_handle(loop, families[i], 0);
    assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
    be_refused_once();
    turn(loop);
    assert_int_equal(count, 3);
    check_told(0, UV_ECONNREFUSED, 0);
    check_told(1, 0, UV_UDP_LINUX_RECVERR);
    check_told(2, 0, 0);
    uv_close((uv_handle_t*) &handle, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
  }
}

/* Older programs take any error of a receiving handle for its end, and had none when a
 * send had it already. */
static void an_error_that_a_send_had_is_not_told_again(void** state) {
  uv_loop_t* loop = *state;
  open_handle(loop, AF_INET, 0);
  assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
  be_refused(3);
  turn(loop);
  assert_true(count >= 3);
  for (int i = 0; i < count; i++)
    assert_int_equal(told[i].nread, 0);
  uv_close((uv_handle_t*) &handle, NULL);
}

static void each_datagram_has_its_error(void** state) {
  uv_loop_t* loop = *state;
  int flagged = 0;
  open_handle(loop, AF_INET, 0);
  assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
  be_refused(3);
  turn(loop);
  for (int i = 0; i < count; i++)
    flagged += told[i].flags == UV_UDP_LINUX_RECVERR;
  assert_int_equal(flagged, 3);
  uv_close((uv_handle_t*) &handle, NULL);
}

/* A buffer for many is given back as one, without the flags of a shared one. */
static void buffers_of_any_size_do(void** state) {
  uv_loop_t* loop = *state;
  open_handle(loop, AF_INET, UV_UDP_RECVMMSG);
  assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
  for (room = sizeof memory; room > 0; room = room > 2 ? 2 : 0) {
    count = allocations = 0;
    be_refused_once();
    turn(loop);
    check_told(1, 0, UV_UDP_LINUX_RECVERR);
  }
  uv_close((uv_handle_t*) &handle, NULL);
}

static void give_nothing(uv_handle_t* base, size_t suggested, uv_buf_t* buf) {
  (void) base, (void) suggested;
  *buf = uv_buf_init(memory, 0);
  room = 0;
  allocations++;
}

static void without_a_buffer_nothing_is_read(void** state) {
  uv_loop_t* loop = *state;
  open_handle(loop, AF_INET, 0);
  assert_int_equal(uv_udp_recv_start(&handle, give_nothing, note), 0);
  be_refused_once();
  uv_run(loop, UV_RUN_NOWAIT);
  assert_true(count >= 1);
  for (int i = 0; i < count; i++)
    assert_int_equal(told[i].nread, UV_ENOBUFS);
  uv_close((uv_handle_t*) &handle, NULL);
}

/* The callback may stop or close: nothing more is told, and what is left in the queue is
 * thrown away. */
static void the_callback_may_end_it(void** state) {
  uv_loop_t* loop = *state;
  for (int end = 1; end <= 3; end++) {
    open_handle(loop, AF_INET, 0);
    assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
    stop_after = end;
    be_refused(2);
    turn(loop);
    assert_int_equal(count, end);
    assert_int_equal(uv_is_active((uv_handle_t*) &handle), 0);
    assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
    turn(loop);
    for (int i = end; i < count; i++)
      assert_int_not_equal(told[i].flags, UV_UDP_LINUX_RECVERR);
    uv_close((uv_handle_t*) &handle, NULL);
    uv_run(loop, UV_RUN_DEFAULT);

    open_handle(loop, AF_INET, 0);
    assert_int_equal(uv_udp_recv_start(&handle, give, note), 0);
    close_after = end;
    be_refused(2);
    turn(loop);
    assert_int_equal(count, end);
    uv_run(loop, UV_RUN_DEFAULT);
  }
}

static int sent;
static void count_sent(uv_udp_send_t* req, int status) {
  (void) req;
  assert_true(status == 0 || status == UV_ECONNREFUSED);
  sent++;
}

static void senders_need_not_listen(void** state) {
  uv_loop_t* loop = *state;
  uv_udp_send_t requests[8];
  uv_buf_t buf = uv_buf_init("PING", 4);
  open_handle(loop, AF_INET, 0);
  sent = 0;
  for (int i = 0; i < 8; i++)
    assert_int_equal(
        uv_udp_send(&requests[i], &handle, &buf, 1, (struct sockaddr*) &dead, count_sent),
        0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(sent, 8);
  uv_close((uv_handle_t*) &handle, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(an_error_is_told_with_its_flag),
      loop_test(an_error_that_a_send_had_is_not_told_again),
      loop_test(each_datagram_has_its_error),
      loop_test(buffers_of_any_size_do),
      loop_test(without_a_buffer_nothing_is_read),
      loop_test(the_callback_may_end_it),
      loop_test(senders_need_not_listen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
