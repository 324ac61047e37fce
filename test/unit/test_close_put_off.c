/* What a close costs: of the work that a phase before the poll puts off, nothing that the
 * kernel would take. The work is begun in a prepare callback; the handle is closed by a
 * timer of the next turn, one poll later. libuv 1.52 has done all of it by then. */
#include "loop_test.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/un.h>

static uv_prepare_t prepare;
static uv_timer_t timer;
static uv_idle_t idle;
static void (*begin)(uv_loop_t* loop);
static uv_handle_t* victim;
static int succeeded;
static int failed;

static void do_nothing(uv_idle_t* handle) {
  (void) handle;
}

static void close_victim(uv_timer_t* handle) {
  uv_close(victim, NULL);
  uv_close((uv_handle_t*) handle, NULL);
  uv_close((uv_handle_t*) &idle, NULL);
}

static void begin_once(uv_prepare_t* handle) {
  begin(handle->loop);
  uv_timer_start(&timer, close_victim, 0, 0);
  uv_close((uv_handle_t*) handle, NULL);
}

static void count(int status) {
  if (status == 0)
    succeeded++;
  else
    failed++;
}

/* The idle handle keeps the poll from sleeping, so that the timer's turn is the next. */
static void run_and_close(uv_loop_t* loop, uv_handle_t* handle,
                          void (*begin_work)(uv_loop_t*)) {
  succeeded = failed = 0;
  begin = begin_work;
  victim = handle;
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, begin_once);
  uv_timer_init(loop, &timer);
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, do_nothing);
  uv_run(loop, UV_RUN_DEFAULT);
}

/* --- datagrams ------------------------------------------------------------------- */

enum { DATAGRAMS = 12000 };
static uv_udp_t udp;
static uv_udp_send_t sends[DATAGRAMS];
static struct sockaddr_in address;

static void on_sent(uv_udp_send_t* req, int status) {
  (void) req;
  count(status);
}

static void send_datagrams(uv_loop_t* loop) {
  (void) loop;
  uv_buf_t buf = uv_buf_init("x", 1);
  for (int i = 0; i < DATAGRAMS; i++)
    assert_int_equal(
        uv_udp_send(&sends[i], &udp, &buf, 1, (const struct sockaddr*) &address, on_sent),
        0);
}

/* A full receive buffer drops datagrams without the sender's knowledge, so the callbacks
 * are counted and not the arrivals. */
static void queued_datagrams_are_sent(void** state) {
  uv_loop_t* loop = *state;
  socklen_t length = sizeof(address);
  int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  uv_ip4_addr("127.0.0.1", 0, &address);
  assert_int_equal(bind(receiver, (struct sockaddr*) &address, sizeof(address)), 0);
  assert_int_equal(getsockname(receiver, (struct sockaddr*) &address, &length), 0);
  uv_udp_init(loop, &udp);
  run_and_close(loop, (uv_handle_t*) &udp, send_datagrams);
  assert_int_equal(failed, 0);
  assert_int_equal(succeeded, DATAGRAMS);
  close(receiver);
}

/* --- streams --------------------------------------------------------------------- */

enum { WRITES = 40, BUFFERS = 2 * IOV_MAX + 5 };
static uv_pipe_t stream;
static uv_write_t writes[WRITES];
static uv_shutdown_t shutdown_req;
static uv_connect_t connect_req;
static char socket_path[sizeof(((struct sockaddr_un*) 0)->sun_path)];

static void on_written(uv_write_t* req, int status) {
  (void) req;
  count(status);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  count(status);
}

static void on_connected(uv_connect_t* req, int status) {
  (void) req;
  count(status);
}

static void write_and_shut_down(uv_loop_t* loop) {
  static uv_buf_t many[BUFFERS];
  (void) loop;
  for (int i = 0; i < BUFFERS; i++)
    many[i] = uv_buf_init("y", 1);
  for (int i = 0; i < WRITES; i++)
    assert_int_equal(uv_write(&writes[i], (uv_stream_t*) &stream, many,
                              i == 0 ? BUFFERS : 1, on_written),
                     0);
  assert_int_equal(uv_shutdown(&shutdown_req, (uv_stream_t*) &stream, on_shutdown), 0);
}

static size_t bytes_until_end(int fd) {
  char buf[4096];
  size_t total = 0;
  ssize_t n;
  while ((n = read(fd, buf, sizeof(buf))) > 0)
    total += (size_t) n;
  assert_int_equal(n, 0);
  return total;
}

static void queued_writes_and_a_shutdown_are_made(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  int size = 1 << 20; /* one-byte buffers cost the kernel more than a byte */
  setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  int also = dup(pair[0]); /* so that the end is the shutdown's and not the close's */
  uv_pipe_init(loop, &stream, 0);
  assert_int_equal(uv_pipe_open(&stream, pair[0]), 0);
  run_and_close(loop, (uv_handle_t*) &stream, write_and_shut_down);
  assert_int_equal(failed, 0);
  assert_int_equal(succeeded, WRITES + 1);
  assert_int_equal(bytes_until_end(pair[1]), BUFFERS + WRITES - 1);
  close(also);
  close(pair[1]);
}

/* A connect to a socket of this machine is over at once, and what was written before its
 * callback follows it. */
static void connect_write_and_shut_down(uv_loop_t* loop) {
  uv_pipe_connect(&connect_req, &stream, socket_path, on_connected);
  write_and_shut_down(loop);
}

static void a_connect_and_its_writes_are_made(void** state) {
  uv_loop_t* loop = *state;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  char directory[] = "/tmp/rondo-put-off-XXXXXX";
  assert_non_null(mkdtemp(directory));
  snprintf(socket_path, sizeof(socket_path), "%s/s", directory);
  memcpy(name.sun_path, socket_path, sizeof(name.sun_path));
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(listener, (struct sockaddr*) &name, sizeof(name)), 0);
  assert_int_equal(listen(listener, 1), 0);
  uv_pipe_init(loop, &stream, 0);
  run_and_close(loop, (uv_handle_t*) &stream, connect_write_and_shut_down);
  assert_int_equal(failed, 0);
  assert_int_equal(succeeded, 1 + WRITES + 1);
  int peer = accept(listener, NULL, NULL);
  assert_int_equal(bytes_until_end(peer), BUFFERS + WRITES - 1);
  close(peer);
  close(listener);
  unlink(socket_path);
  rmdir(directory);
}

/* --- errors that were found outside the poll ------------------------------------- */

static void connect_to_nobody(uv_loop_t* loop) {
  (void) loop;
  uv_pipe_connect(&connect_req, &stream, "/nowhere/at/all", on_connected);
}

static int refused_with;

static void note_refusal(uv_connect_t* req, int status) {
  (void) req;
  refused_with = status;
}

static void connect_and_note(uv_loop_t* loop) {
  connect_to_nobody(loop);
  connect_req.cb = note_refusal;
}

/* The refusal is what the program sees, not the cancelling by its own close. */
static void a_refused_connect_says_why(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_init(loop, &stream, 0);
  run_and_close(loop, (uv_handle_t*) &stream, connect_and_note);
  assert_int_equal(refused_with, UV_ENOENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(queued_datagrams_are_sent),
      loop_test(queued_writes_and_a_shutdown_are_made),
      loop_test(a_connect_and_its_writes_are_made),
      loop_test(a_refused_connect_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
