/* Descriptors that the kernel doesn't take into the interest set, because they are files,
 * because memory or watches are short, or because a sandbox forbids it: their events come
 * all the same. Covers I1, I4. */
#include "forked.h"
#include "loop_test.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static int refusal;

static uv_loop_t child_loop;
static int steps;

/* What would have been a hang ends the child. */
static int begin(void) {
  alarm(30);
  return uv_loop_init(&child_loop) != 0 ? 1 : forbid(SYS_epoll_ctl, refusal) ? 77 : 0;
}

static double seconds_of_work(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char bytes[64];
  (void) handle, (void) size;
  *buf = uv_buf_init(bytes, sizeof(bytes));
}

/* --- a socket's whole life -------------------------------------------------------- */

static uv_tcp_t server;
static uv_tcp_t accepted;
static uv_tcp_t client;
static uv_connect_t connect_req;
static uv_write_t write_req;

static void on_end(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread == 0)
    return;
  steps += nread == UV_EOF;
  uv_close((uv_handle_t*) stream, NULL);
}

static void on_bytes(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread == 0)
    return;
  steps += nread == 2;
  uv_close((uv_handle_t*) stream, NULL);
  uv_close((uv_handle_t*) &server, NULL);
}

static void on_client(uv_stream_t* stream, int status) {
  steps += status == 0;
  uv_tcp_init(stream->loop, &accepted);
  steps += uv_accept(stream, (uv_stream_t*) &accepted) == 0;
  uv_read_start((uv_stream_t*) &accepted, alloc, on_bytes);
}

static void on_connect(uv_connect_t* req, int status) {
  uv_buf_t buf = uv_buf_init((char*) (uintptr_t) "hi", 2);
  steps += status == 0;
  uv_write(&write_req, req->handle, &buf, 1, NULL);
  uv_read_start(req->handle, alloc, on_end);
}

static int tcp_lives(void) {
  int err = begin();
  struct sockaddr_in address;
  int size = sizeof(address);
  if (err != 0)
    return err;
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(&child_loop, &server);
  uv_tcp_bind(&server, (struct sockaddr*) &address, 0);
  uv_listen((uv_stream_t*) &server, 1, on_client);
  uv_tcp_getsockname(&server, (struct sockaddr*) &address, &size);
  uv_tcp_init(&child_loop, &client);
  uv_tcp_connect(&connect_req, &client, (struct sockaddr*) &address, on_connect);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  return steps == 5 && uv_loop_close(&child_loop) == 0 ? 0 : 10 + steps;
}

/* --- another thread's work, a file's, a poll handle ------------------------------- */

static void work(uv_work_t* req) {
  (void) req;
}

static void on_worked(uv_work_t* req, int status) {
  (void) req;
  steps += status == 0;
}

static void on_synced(uv_fs_t* req) {
  steps += req->result == 0;
}

static void on_async(uv_async_t* async) {
  steps++;
  uv_close((uv_handle_t*) async, NULL);
}

static void send_async(void* async) {
  uv_async_send(async);
}

static void on_readable(uv_poll_t* poll, int status, int events) {
  steps += status == 0 && events == UV_READABLE;
  uv_close((uv_handle_t*) poll, NULL);
}

static int others_live(void) {
  uv_work_t work_req;
  uv_fs_t sync_req;
  uv_async_t async;
  uv_poll_t poll;
  uv_thread_t thread;
  uv_file ends[2];
  int fd = open(".", O_RDONLY | O_CLOEXEC);
  if (uv_loop_init(&child_loop) != 0 || uv_pipe(ends, 0, 0) != 0 ||
      uv_poll_init(&child_loop, &poll, ends[0]) != 0)
    return 1;
  alarm(30);
  if (forbid(SYS_epoll_ctl, refusal) != 0)
    return 77;
  uv_async_init(&child_loop, &async, on_async);
  uv_poll_start(&poll, UV_READABLE, on_readable);
  uv_queue_work(&child_loop, &work_req, work, on_worked);
  uv_fs_fsync(&child_loop, &sync_req, fd, on_synced);
  uv_thread_create(&thread, send_async, &async);
  if (write(ends[1], "x", 1) != 1)
    return 2;
  uv_run(&child_loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  return steps == 4 && uv_loop_close(&child_loop) == 0 ? 0 : 10 + steps;
}

/* --- idleness --------------------------------------------------------------------- */

static void never(uv_poll_t* poll, int status, int events) {
  (void) poll, (void) status, (void) events;
  steps = 100;
}

static void stop(uv_timer_t* timer) {
  uv_stop(timer->loop);
}

/* Nothing is ready for a while; the processor must have been idle for most of it. */
static int waiting_costs_little(void) {
  uv_poll_t poll;
  uv_timer_t timer;
  uv_file ends[2];
  if (uv_loop_init(&child_loop) != 0 || uv_pipe(ends, 0, 0) != 0 ||
      uv_poll_init(&child_loop, &poll, ends[0]) != 0)
    return 1;
  if (forbid(SYS_epoll_ctl, refusal) != 0)
    return 77;
  uv_poll_start(&poll, UV_READABLE, never);
  uv_timer_init(&child_loop, &timer);
  uv_timer_start(&timer, stop, 300, 0);
  double before = seconds_of_work();
  uv_run(&child_loop, UV_RUN_DEFAULT);
  return steps == 0 && seconds_of_work() - before < 0.15 ? 0 : 1;
}

static void with_every_refusal(int (*body)(void)) {
  static const int refusals[] = {ENOSPC, ENOMEM, EPERM, EACCES, EBADF, EINVAL, ELOOP};
  for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
    refusal = refusals[i];
    assert_in_child(body);
  }
}

static void sockets_work_without_watches(void** state) {
  (void) state;
  with_every_refusal(tcp_lives);
}

static void wakeups_arrive_without_watches(void** state) {
  (void) state;
  with_every_refusal(others_live);
}

static void waiting_without_watches_is_idle(void** state) {
  (void) state;
  with_every_refusal(waiting_costs_little);
}

/* --- files as streams ------------------------------------------------------------- */

enum { SIZE = 200000 };

static size_t bytes_read;
static int writes_ended;

static void on_written(uv_write_t* req, int status) {
  (void) req;
  writes_ended += status == 0;
}

/* Each read is answered with a write, so that the end of a write and the file's readiness
 * always wait together. */
static void on_file_bytes(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  static uv_write_t reqs[SIZE];
  static int count;
  if (nread < 0) {
    assert_int_equal(nread, UV_EOF);
    uv_close((uv_handle_t*) stream, NULL);
    return;
  }
  bytes_read += (size_t) nread;
  uv_buf_t nothing = uv_buf_init(buf->base, 0);
  assert_int_equal(uv_write(&reqs[count++], stream, &nothing, 1, on_written), 0);
}

static void file_is_read_and_written_without_a_stall(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_write_t first;
  char name[] = "/tmp/rondo-unwatched-XXXXXX";
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  unlink(name);
  assert_int_equal(ftruncate(fd, SIZE), 0);
  uv_pipe_init(loop, &pipe, 0);
  assert_int_equal(uv_pipe_open(&pipe, fd), 0);
  uv_buf_t buf = uv_buf_init((char*) (uintptr_t) "x", 1);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc, on_file_bytes), 0);
  assert_int_equal(uv_write(&first, (uv_stream_t*) &pipe, &buf, 1, on_written), 0);
  alarm(30);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  alarm(0);
  assert_int_equal(bytes_read, SIZE - 1);
  assert_int_equal(writes_ended, 1 + (SIZE - 1 + 63) / 64);
}

/* With a limit of one event a turn, a file that is always ready and a socket take turns.
 */
static int file_events;
static int pipe_events;

static void count_file(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  file_events += nread > 0;
}

static void count_pipe(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  pipe_events += nread > 0;
}

static void alloc_one(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char byte;
  (void) handle, (void) size;
  *buf = uv_buf_init(&byte, 1);
}

static void a_limit_lets_files_and_sockets_take_turns(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t file;
  uv_pipe_t pipe;
  uv_file ends[2];
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  uv_pipe_init(loop, &file, 0);
  uv_pipe_init(loop, &pipe, 0);
  assert_int_equal(uv_pipe(ends, 0, 0), 0);
  assert_int_equal(uv_pipe_open(&file, fd), 0);
  assert_int_equal(uv_pipe_open(&pipe, ends[0]), 0);
  char many[4096] = {0};
  assert_int_equal(write(ends[1], many, sizeof(many)), sizeof(many));
  rondo_loop_limit(loop, RONDO_PHASE_POLL, 1);
  uv_read_start((uv_stream_t*) &file, alloc_one, count_file);
  uv_read_start((uv_stream_t*) &pipe, alloc_one, count_pipe);
  for (int turn = 0; turn < 20; turn++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_true(file_events > 0);
  assert_true(pipe_events > 0);
  rondo_loop_limit(loop, RONDO_PHASE_POLL, 0);
  uv_close((uv_handle_t*) &file, NULL);
  uv_close((uv_handle_t*) &pipe, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sockets_work_without_watches),
      cmocka_unit_test(wakeups_arrive_without_watches),
      cmocka_unit_test(waiting_without_watches_is_idle),
      loop_test(file_is_read_and_written_without_a_stall),
      loop_test(a_limit_lets_files_and_sockets_take_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
