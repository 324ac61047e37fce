/* More bytes than a call can move are refused where the call is made: no callback comes,
 * and the buffers, which aren't there, are never touched. As libuv's io_64_safe, and for
 * reads too. */
#include "loop_test.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { MOST = 0x7ffff000 };

/* Arrays of one or two buffers that are too large together; one is too large for a sum in
 * 64 bits. */
struct large {
  uv_buf_t bufs[3];
  unsigned int count;
};

static const struct large larges[] = {
    {{{NULL, (size_t) MOST + 1}}, 1}, {{{NULL, INT32_MAX}}, 1},
    {{{NULL, SIZE_MAX}}, 1},          {{{NULL, 0x40000001u}, {NULL, 0x40000001u}}, 2},
    {{{NULL, 1}, {NULL, MOST}}, 2},   {{{NULL, SIZE_MAX}, {NULL, 2}, {NULL, 1}}, 3},
};
enum { LARGES = sizeof(larges) / sizeof(larges[0]) };

static void never_fs(uv_fs_t* req) {
  fail_msg("called back with %zd", req->result);
}

static void never_written(uv_write_t* req, int status) {
  (void) req;
  fail_msg("called back with %d", status);
}

static void never_sent(uv_udp_send_t* req, int status) {
  (void) req;
  fail_msg("called back with %d", status);
}

static void files_refuse_them(void** state) {
  uv_loop_t* loop = *state;
  char path[] = "/tmp/rondo-large-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  for (int i = 0; i < LARGES; i++) {
    const struct large* large = &larges[i];
    uv_fs_t req;
    for (int64_t offset = -1; offset <= 0; offset++) {
      assert_int_equal(
          uv_fs_write(NULL, &req, fd, large->bufs, large->count, offset, NULL),
          UV_EINVAL);
      assert_int_equal(
          uv_fs_read(NULL, &req, fd, large->bufs, large->count, offset, NULL), UV_EINVAL);
      assert_int_equal(
          uv_fs_write(loop, &req, fd, large->bufs, large->count, offset, never_fs),
          UV_EINVAL);
      assert_int_equal(
          uv_fs_read(loop, &req, fd, large->bufs, large->count, offset, never_fs),
          UV_EINVAL);
    }
  }
  uv_fs_t req;
  assert_int_equal(uv_fs_sendfile(NULL, &req, fd, fd, 0, (size_t) MOST + 1, NULL),
                   UV_EINVAL);
  assert_int_equal(uv_fs_sendfile(loop, &req, fd, fd, 0, INT32_MAX, never_fs), UV_EINVAL);
  assert_int_equal(uv_loop_alive(loop), 0);
  /* The file is empty: what was asked for is not more than it may be. */
  uv_buf_t most = {.base = NULL, .len = MOST};
  assert_int_equal(uv_fs_read(NULL, &req, fd, &most, 1, 0, NULL), 0);
  struct stat about;
  assert_int_equal(fstat(fd, &about), 0);
  assert_int_equal(about.st_size, 0);
  close(fd);
  unlink(path);
}

static void streams_refuse_them(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t tcp; /* without a socket: the size is looked at first */
  uv_write_t req;
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  for (int i = 0; i < LARGES; i++) {
    const uv_buf_t* bufs = larges[i].bufs;
    unsigned int count = larges[i].count;
    uv_stream_t* stream = (uv_stream_t*) &tcp;
    assert_int_equal(uv_write(&req, stream, bufs, count, never_written), UV_EINVAL);
    assert_int_equal(uv_write2(&req, stream, bufs, count, NULL, never_written),
                     UV_EINVAL);
    assert_int_equal(uv_try_write(stream, bufs, count), UV_EINVAL);
    assert_int_equal(uv_try_write2(stream, bufs, count, NULL), UV_EINVAL);
  }
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

static void datagrams_refuse_them(void** state) {
  uv_loop_t* loop = *state;
  uv_udp_t udp;
  uv_udp_send_t req;
  struct sockaddr_in address;
  assert_int_equal(uv_udp_init(loop, &udp), 0);
  assert_int_equal(uv_ip4_addr("127.0.0.1", 9, &address), 0);
  struct sockaddr* to = (struct sockaddr*) &address;
  for (int i = 0; i < LARGES; i++) {
    uv_buf_t bufs[3];
    unsigned int count = larges[i].count;
    memcpy(bufs, larges[i].bufs, sizeof(bufs));
    uv_buf_t* lists[] = {bufs};
    assert_int_equal(uv_udp_send(&req, &udp, bufs, count, to, never_sent), UV_EINVAL);
    assert_int_equal(uv_udp_try_send(&udp, bufs, count, to), UV_EINVAL);
    assert_int_equal(uv_udp_try_send2(&udp, 1, lists, &count, &to, 0), UV_EINVAL);
  }
  assert_int_equal(uv_udp_get_send_queue_count(&udp), 0);
  uv_close((uv_handle_t*) &udp, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

/* --- a buffer that is too small for UV_UDP_RECVMMSG --------------------------------- */

static char memory[65535];
static size_t room;
static ssize_t got;
static int calls;

static void give_room(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  assert_int_equal(suggested, 65536);
  *buf = (uv_buf_t){.base = memory, .len = room};
}

static void take(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                 const struct sockaddr* addr, unsigned int flags) {
  assert_ptr_equal(buf->base, memory);
  assert_null(addr);
  assert_int_equal(flags, 0);
  got = nread;
  calls++;
  uv_udp_recv_stop(handle);
}

/* The datagram isn't lost: it is received when there is room. */
static void take_later(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                       const struct sockaddr* addr, unsigned int flags) {
  (void) flags;
  if (addr == NULL)
    return;
  assert_int_equal(nread, 4);
  assert_memory_equal(buf->base, "PING", 4);
  calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void give_enough(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char enough[65536];
  (void) handle;
  *buf = (uv_buf_t){.base = enough, .len = suggested};
}

static void a_small_buffer_for_many_datagrams_is_an_error(void** state) {
  uv_loop_t* loop = *state;
  static const size_t rooms[] = {1, 64, 65535};
  for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
    uv_udp_t receiver;
    uv_udp_t sender;
    struct sockaddr_in address;
    int length = sizeof(address);
    uv_buf_t ping = uv_buf_init("PING", 4);
    room = rooms[i];
    got = calls = 0;
    assert_int_equal(uv_udp_init_ex(loop, &receiver, AF_INET | UV_UDP_RECVMMSG), 0);
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
    assert_int_equal(uv_udp_bind(&receiver, (struct sockaddr*) &address, 0), 0);
    assert_int_equal(uv_udp_getsockname(&receiver, (struct sockaddr*) &address, &length),
                     0);
    assert_int_equal(uv_udp_recv_start(&receiver, give_room, take), 0);
    assert_int_equal(uv_udp_init(loop, &sender), 0);
    assert_int_equal(uv_udp_try_send(&sender, &ping, 1, (struct sockaddr*) &address), 4);
    uv_run(loop, UV_RUN_ONCE);
    assert_int_equal(got, UV_EINVAL);
    assert_int_equal(calls, 1);
    assert_int_equal(uv_udp_recv_start(&receiver, give_enough, take_later), 0);
    uv_close((uv_handle_t*) &sender, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(calls, 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(files_refuse_them),
      loop_test(streams_refuse_them),
      loop_test(datagrams_refuse_them),
      loop_test(a_small_buffer_for_many_datagrams_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
