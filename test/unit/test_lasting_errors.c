/* Errors that pass with time while the descriptor seems ready: no room for a send
 * (ENOBUFS), connections that were given up before they were accepted (ECONNABORTED), no
 * memory to accept one (ENOBUFS). The loop must not turn without end meanwhile, and
 * afterwards every byte, datagram and connection arrives. The system calls of this
 * program fail as long as the test wants. */
#include "loop_test.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* A loop that spins makes some hundred thousand turns in the time that errors last here;
 * one that backs off makes some ten, and each other event one more. */
enum { LASTS_MS = 400, TURNS_MAX = 100, BYTES = 300000, DATAGRAMS = 20 };

static int send_error;
static int accept_error;
static int failed_calls;
static int failed_calls_most = INT_MAX;

static bool call_fails(int error) {
  if (error == 0 || failed_calls == failed_calls_most)
    return false;
  failed_calls++;
  errno = error;
  return true;
}

/* The C library declares addresses as a union of pointers. */
#pragma GCC diagnostic ignored "-Wpedantic"

ssize_t send(int fd, const void* bytes, size_t length, int flags) {
  return sendto(fd, bytes, length, flags, NULL, 0);
}

ssize_t sendto(int fd, const void* bytes, size_t length, int flags,
               const struct sockaddr* address, socklen_t size) {
  return call_fails(send_error)
             ? -1
             : (ssize_t) syscall(SYS_sendto, fd, bytes, length, flags, address, size);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  return call_fails(send_error) ? -1 : (ssize_t) syscall(SYS_sendmsg, fd, message, flags);
}

/* The C libraries disagree on the type of the flags. */
#ifdef __GLIBC__
typedef int mmsg_flags;
#else
typedef unsigned int mmsg_flags;
#endif

int sendmmsg(int fd, struct mmsghdr* messages, unsigned int count, mmsg_flags flags) {
  return call_fails(send_error) ? -1
                                : (int) syscall(SYS_sendmmsg, fd, messages, count, flags);
}

int accept4(int fd, struct sockaddr* address, socklen_t* size, int flags) {
  return call_fails(accept_error) ? -1
                                  : (int) syscall(SYS_accept4, fd, address, size, flags);
}

/* --- how busy the loop is ------------------------------------------------------------
 */

static int turns;

static void count_turn(uv_prepare_t* prepare) {
  (void) prepare;
  turns++;
}

static void let_calls_succeed(uv_timer_t* timer) {
  send_error = accept_error = 0;
  uv_close((uv_handle_t*) timer, NULL);
}

/* From now on calls fail, until the time is over. */
static void begin(uv_loop_t* loop) {
  static uv_prepare_t prepare;
  static uv_timer_t timer;
  failed_calls = 0;
  failed_calls_most = INT_MAX;
  turns = 0;
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, count_turn);
  uv_unref((uv_handle_t*) &prepare);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, let_calls_succeed, LASTS_MS, 0);
}

static void assert_calm(void) {
  print_message("%d turns, %d calls failed\n", turns, failed_calls);
  assert_true(failed_calls >= 3); /* it was tried again and again, */
  assert_true(turns < TURNS_MAX); /* but not all the time */
}

static void give_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char room[65536];
  (void) handle, (void) suggested;
  *buf = uv_buf_init(room, sizeof(room));
}

/* --- a stream -------------------------------------------------------------------------
 */

static uv_tcp_t ends[2];
static size_t received[2];
static bool in_order;
static bool early; /* the other way was open meanwhile */

static void take(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  size_t which = stream == (uv_stream_t*) &ends[1];
  assert_true(n >= 0);
  for (ssize_t i = 0; i < n; i++)
    in_order = in_order && buf->base[i] == (char) ((received[which] + (size_t) i) % 251);
  received[which] += (size_t) n;
  if (which == 0 && send_error != 0)
    early = true;
  if (received[1] == BYTES) {
    uv_close((uv_handle_t*) &ends[0], NULL);
    uv_close((uv_handle_t*) &ends[1], NULL);
  }
}

static int written;

static void count_write(uv_write_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  written++;
}

static void bytes_arrive_when_there_is_room_again(void** state) {
  uv_loop_t* loop = *state;
  static char bytes[BYTES];
  uv_write_t requests[3];
  uv_os_sock_t pair[2];
  for (size_t i = 0; i < BYTES; i++)
    bytes[i] = (char) (i % 251);
  received[0] = received[1] = 0;
  in_order = true;
  early = false;
  written = 0;
  assert_int_equal(
      uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), 0);
  for (int i = 0; i < 2; i++) {
    uv_tcp_init(loop, &ends[i]);
    assert_int_equal(uv_tcp_open(&ends[i], pair[i]), 0);
    uv_read_start((uv_stream_t*) &ends[i], give_room, take);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  begin(loop);
  send_error = ENOBUFS;
  for (size_t i = 0; i < 3; i++) {
    uv_buf_t buf = uv_buf_init(bytes + i * (BYTES / 3), BYTES / 3);
    assert_int_equal(
        uv_write(&requests[i], (uv_stream_t*) &ends[0], &buf, 1, count_write), 0);
  }
  /* What comes in is read while nothing can go out. */
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(write(pair[1], bytes, 1), 1);
  uv_buf_t one = uv_buf_init(bytes, 1);
  assert_int_equal(uv_try_write((uv_stream_t*) &ends[1], &one, 1), UV_EAGAIN);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_calm();
  assert_true(in_order);
  assert_true(early);
  assert_int_equal(received[1], BYTES);
  assert_int_equal(written, 3);
}

/* A blocking stream waits, and doesn't ask again all the time. */
static void a_blocking_write_waits_for_room(void** state) {
  uv_loop_t* loop = *state;
  uv_os_sock_t pair[2];
  uv_write_t req;
  uv_buf_t buf = uv_buf_init("x", 1);
  written = 0;
  assert_int_equal(uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, 0), 0);
  uv_tcp_init(loop, &ends[0]);
  assert_int_equal(uv_tcp_open(&ends[0], pair[0]), 0);
  uv_stream_set_blocking((uv_stream_t*) &ends[0], 1);
  send_error = ENOBUFS;
  failed_calls = 0;
  failed_calls_most = 10;
  uint64_t start = uv_hrtime();
  assert_int_equal(uv_write(&req, (uv_stream_t*) &ends[0], &buf, 1, count_write), 0);
  assert_true(uv_hrtime() - start > 9 * 1000000);
  assert_int_equal(failed_calls, 10);
  failed_calls_most = INT_MAX;
  send_error = 0;
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(written, 1);
  uv_close((uv_handle_t*) &ends[0], NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  close(pair[1]);
}

/* --- datagrams
 * -------------------------------------------------------------------------- */

static uv_udp_t sender;
static uv_udp_t receiver;
static int datagrams;

static void take_datagram(uv_udp_t* handle, ssize_t n, const uv_buf_t* buf,
                          const struct sockaddr* from, unsigned int flags) {
  (void) handle, (void) flags;
  if (from == NULL)
    return;
  assert_int_equal(n, 1);
  assert_int_equal(buf->base[0], datagrams);
  if (++datagrams == DATAGRAMS) {
    uv_close((uv_handle_t*) &sender, NULL);
    uv_close((uv_handle_t*) &receiver, NULL);
  }
}

static void count_send(uv_udp_send_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  written++;
}

static void datagrams_arrive_when_there_is_room_again(void** state) {
  uv_loop_t* loop = *state;
  uv_udp_send_t requests[DATAGRAMS];
  char numbers[DATAGRAMS];
  struct sockaddr_in any, bound;
  int length = sizeof(bound);
  datagrams = written = 0;
  uv_ip4_addr("127.0.0.1", 0, &any);
  uv_udp_init(loop, &receiver);
  uv_udp_init(loop, &sender);
  assert_int_equal(uv_udp_bind(&receiver, (struct sockaddr*) &any, 0), 0);
  assert_int_equal(uv_udp_getsockname(&receiver, (struct sockaddr*) &bound, &length), 0);
  uv_udp_recv_start(&receiver, give_room, take_datagram);
  begin(loop);
  send_error = ENOBUFS;
  for (int i = 0; i < DATAGRAMS; i++) {
    numbers[i] = (char) i;
    uv_buf_t buf = uv_buf_init(&numbers[i], 1);
    assert_int_equal(uv_udp_send(&requests[i], &sender, &buf, 1,
                                 (struct sockaddr*) &bound, count_send),
                     0);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  assert_calm();
  assert_int_equal(datagrams, DATAGRAMS);
  assert_int_equal(written, DATAGRAMS);
}

/* --- connections
 * ------------------------------------------------------------------------ */

static uv_tcp_t server;
static uv_tcp_t client;
static uv_tcp_t accepted;
static int connections;
static int refused;

static void on_connect(uv_connect_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
}

static void on_connection(uv_stream_t* stream, int status) {
  if (status != 0) {
    assert_int_equal(status, UV_ENOBUFS);
    refused++;
    return;
  }
  connections++;
  uv_tcp_init(stream->loop, &accepted);
  assert_int_equal(uv_accept(stream, (uv_stream_t*) &accepted), 0);
  uv_close((uv_handle_t*) &accepted, NULL);
  uv_close((uv_handle_t*) &client, NULL);
  uv_close((uv_handle_t*) &server, NULL);
}

static void connect_while_accepting_fails(uv_loop_t* loop, int error) {
  struct sockaddr_in any, bound;
  int length = sizeof(bound);
  uv_connect_t req;
  connections = refused = 0;
  uv_ip4_addr("127.0.0.1", 0, &any);
  uv_tcp_init(loop, &server);
  assert_int_equal(uv_tcp_bind(&server, (struct sockaddr*) &any, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &server, 10, on_connection), 0);
  assert_int_equal(uv_tcp_getsockname(&server, (struct sockaddr*) &bound, &length), 0);
  begin(loop);
  accept_error = error;
  uv_tcp_init(loop, &client);
  assert_int_equal(uv_tcp_connect(&req, &client, (struct sockaddr*) &bound, on_connect),
                   0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_calm();
  assert_int_equal(connections, 1);
}

static void a_connection_comes_after_those_that_were_given_up(void** state) {
  connect_while_accepting_fails(*state, ECONNABORTED);
  assert_int_equal(refused, 0);
}

static void a_connection_comes_when_there_is_memory_again(void** state) {
  connect_while_accepting_fails(*state, ENOBUFS);
  assert_in_range(refused, 3, TURNS_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(bytes_arrive_when_there_is_room_again),
      loop_test(a_blocking_write_waits_for_room),
      loop_test(datagrams_arrive_when_there_is_room_again),
      loop_test(a_connection_comes_after_those_that_were_given_up),
      loop_test(a_connection_comes_when_there_is_memory_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
