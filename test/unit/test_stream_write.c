/* Writing to streams: order, partial writes, queue sizes, errors, and that SIGPIPE never
 * comes (contract Q1, C1, H3). */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handle/stream_send.h"

enum { REQUESTS = 64 };

static uv_write_t requests[REQUESTS];
static int statuses[REQUESTS];
static int called;
static char* big;
enum { BIG = 8 * 1024 * 1024 };

/* Callbacks come in order: the n-th one is for the n-th request. */
static void note_write(uv_write_t* req, int status) {
  assert_ptr_equal(req, &requests[called]);
  statuses[called++] = status;
}

static void reset(void) {
  called = 0;
  memset(requests, 0xab, sizeof requests);
  memset(statuses, 0x55, sizeof statuses);
}

static void read_exactly(int fd, size_t length, size_t offset) {
  static char bytes[256 * 1024];
  while (length > 0) {
    size_t want = length < sizeof bytes ? length : sizeof bytes;
    ssize_t n = read(fd, bytes, want);
    assert_true(n > 0);
    check_pattern(bytes, (size_t) n, offset);
    offset += (size_t) n;
    length -= (size_t) n;
  }
}

/* What the peer can read now without waiting. */
static size_t read_available(int fd, size_t offset) {
  static char bytes[256 * 1024];
  size_t total = 0;
  ssize_t n;
  while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
    check_pattern(bytes, (size_t) n, offset + total);
    total += (size_t) n;
  }
  return total;
}

/* Contract Q1: to the kernel at once, the callback in the pending phase. */
static void write_leaves_at_once_and_calls_back_later(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  char bytes[3];
  reset();
  for (int i = 0; i < 3; i++) {
    uv_buf_t buf = uv_buf_init((char*) "abc" + i, 1);
    assert_int_equal(uv_write(&requests[i], (uv_stream_t*) &pipe, &buf, 1, note_write),
                     0);
    assert_int_equal(uv_stream_get_write_queue_size((uv_stream_t*) &pipe), 0);
  }
  assert_int_equal(called, 0);
  assert_int_equal(recv(peer, bytes, 3, MSG_DONTWAIT), 3);
  assert_memory_equal(bytes, "abc", 3);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 3);
  for (int i = 0; i < 3; i++)
    assert_int_equal(statuses[i], 0);
  close(peer);
  close_and_wait(&pipe);
}

static void queue_size_is_exact_and_close_cancels_in_order(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  size_t total = 0;
  reset();
  for (int i = 0; i < 4; i++) {
    uv_buf_t buf = uv_buf_init(big + i * (BIG / 4), BIG / 4);
    assert_int_equal(uv_write(&requests[i], (uv_stream_t*) &pipe, &buf, 1, note_write),
                     0);
    total += buf.len;
  }
  uv_run(loop, UV_RUN_NOWAIT);
  size_t queued = pipe.write_queue_size;
  assert_true(queued > 0 && queued < total);
  assert_int_equal(read_available(peer, 0) + queued, total);
  close_handle(&pipe);
  assert_int_equal(called, 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 4);
  for (int i = 0; i < 4; i++)
    assert_int_equal(statuses[i], UV_ECANCELED);
  assert_int_equal(pipe.write_queue_size, 0);
  close(peer);
}

static void slow_reader_gets_everything(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  size_t got = 0;
  reset();
  for (int i = 0; i < 8; i++) {
    uv_buf_t buf = uv_buf_init(big + i * (BIG / 8), BIG / 8);
    assert_int_equal(uv_write(&requests[i], (uv_stream_t*) &pipe, &buf, 1, note_write),
                     0);
  }
  while (called < 8) {
    char bytes[32 * 1024];
    ssize_t n = recv(peer, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) {
      check_pattern(bytes, (size_t) n, got);
      got += (size_t) n;
    }
    uv_run(loop, UV_RUN_NOWAIT);
  }
  got += read_available(peer, got);
  assert_int_equal(got, BIG);
  assert_int_equal(pipe.write_queue_size, 0);
  close(peer);
  close_and_wait(&pipe);
}

static void vector_longer_than_the_kernel_takes(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  enum { COUNT = 5 * IOV_MAX + 7, EACH = 3 };
  uv_buf_t* bufs = calloc(COUNT, sizeof *bufs);
  assert_non_null(bufs);
  for (size_t i = 0; i < COUNT; i++)
    bufs[i] = uv_buf_init(big + i * EACH, EACH);
  reset();
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, bufs, COUNT, note_write),
                   0);
  free(bufs); /* the vector is the caller's as soon as uv_write is back */
  read_exactly(peer, IOV_MAX * EACH, 0);
  size_t got = IOV_MAX * EACH;
  while (called == 0) {
    uv_run(loop, UV_RUN_NOWAIT);
    got += read_available(peer, got);
  }
  assert_int_equal(statuses[0], 0);
  assert_int_equal(got, (size_t) COUNT * EACH);
  close(peer);
  close_and_wait(&pipe);
}

static void empty_buffers_are_written_too(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  uv_buf_t bufs[] = {{NULL, 0}, {big, 2}, {NULL, 0}, {big + 2, 3}, {NULL, 0}};
  reset();
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, bufs, 1, note_write), 0);
  assert_int_equal(uv_write(&requests[1], (uv_stream_t*) &pipe, bufs, 5, note_write), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 2);
  assert_int_equal(read_available(peer, 0), 5);

  /* And behind one that waits. */
  reset();
  uv_buf_t large = uv_buf_init(big, BIG);
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, &large, 1, note_write),
                   0);
  assert_int_equal(uv_write(&requests[1], (uv_stream_t*) &pipe, bufs, 1, note_write), 0);
  size_t got = 0;
  while (called < 2) {
    got += read_available(peer, got);
    uv_run(loop, UV_RUN_NOWAIT);
  }
  got += read_available(peer, got);
  assert_int_equal(got, BIG);
  close(peer);
  close_and_wait(&pipe);
}

static int million_done;
static void count_write(uv_write_t* req, int status) {
  assert_int_equal(status, 0);
  assert_true((int) (intptr_t) req->data == million_done); /* in order */
  million_done++;
}

static void million_small_writes(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  enum { COUNT = 1000000 };
  uv_write_t* reqs = calloc(COUNT, sizeof *reqs);
  assert_non_null(reqs);
  million_done = 0;
  for (int i = 0; i < COUNT; i++) {
    uv_buf_t buf = uv_buf_init(big + i, 1);
    reqs[i].data = (void*) (intptr_t) i;
    assert_int_equal(uv_write(&reqs[i], (uv_stream_t*) &pipe, &buf, 1, count_write), 0);
  }
  assert_true(pipe.write_queue_size > 0);
  size_t got = 0;
  while (million_done < COUNT) {
    got += read_available(peer, got);
    uv_run(loop, UV_RUN_NOWAIT);
  }
  got += read_available(peer, got);
  assert_int_equal(got, COUNT);
  free(reqs);
  close(peer);
  close_and_wait(&pipe);
}

/* SIGPIPE has its default action in this program: were it raised, we would be dead. */
static void broken_socket_gives_epipe(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  close(peer);
  uv_buf_t bufs[2] = {{big, 10}, {big, 10}};
  reset();
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, bufs, 1), UV_EPIPE);
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, bufs, 2), UV_EPIPE);
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, bufs, 1, note_write), 0);
  assert_int_equal(uv_write(&requests[1], (uv_stream_t*) &pipe, bufs, 2, note_write), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 2);
  assert_int_equal(statuses[0], UV_EPIPE);
  assert_int_equal(statuses[1], UV_EPIPE);
  close_and_wait(&pipe);
}

static void check_broken_pipe(uv_loop_t* loop) {
  uv_pipe_t pipe;
  int ends[2];
  uv_buf_t buf = uv_buf_init(big, 100);
  assert_int_equal(uv_pipe(ends, 0, 0), 0);
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_pipe_open(&pipe, ends[1]), 0);
  assert_false(uv_is_readable((uv_stream_t*) &pipe));
  assert_true(uv_is_writable((uv_stream_t*) &pipe));
  reset();
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, &buf, 1, note_write), 0);
  close(ends[0]);
  assert_int_equal(uv_write(&requests[1], (uv_stream_t*) &pipe, &buf, 1, note_write), 0);
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, &buf, 1), UV_EPIPE);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 2);
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], UV_EPIPE);
  close_and_wait(&pipe);
}

static void broken_pipe_gives_epipe(void** state) {
  check_broken_pipe(*state);
}

static void broken_pipe_gives_epipe_on_old_kernels(void** state) {
  stream_send_assume_old_kernel(true);
  check_broken_pipe(*state);
  /* A signal that somebody sent us is not ours to take away. */
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  assert_int_equal(sigprocmask(SIG_BLOCK, &broken, &before), 0);
  raise(SIGPIPE);
  check_broken_pipe(*state);
  assert_int_equal(sigpending(&pending), 0);
  assert_true(sigismember(&pending, SIGPIPE));
  assert_int_equal(sigwaitinfo(&broken, NULL), SIGPIPE);
  assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
  stream_send_assume_old_kernel(false);
}

static void peer_that_vanishes_fails_all_that_wait(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  for (int i = 0; i < 5; i++) {
    uv_buf_t buf = uv_buf_init(big, BIG);
    assert_int_equal(uv_write(&requests[i], (uv_stream_t*) &pipe, &buf, 1, note_write),
                     0);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 0);
  close(peer);
  while (called < 5)
    uv_run(loop, UV_RUN_ONCE);
  for (int i = 0; i < 5; i++)
    assert_true(statuses[i] == UV_EPIPE || statuses[i] == UV_ECONNRESET);
  assert_int_equal(pipe.write_queue_size, 0);
  close_and_wait(&pipe);
}

static void try_write_takes_what_fits(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  uv_buf_t buf = uv_buf_init(big, BIG);
  int n = uv_try_write((uv_stream_t*) &pipe, &buf, 1);
  assert_true(n > 0 && n < BIG);
  buf = uv_buf_init(big + n, 1024 * 1024);
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, &buf, 1), UV_EAGAIN);
  assert_int_equal(pipe.write_queue_size, 0);

  reset();
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, &buf, 1, note_write), 0);
  assert_int_equal(read_available(peer, 0), n);
  /* Room, but somebody was first. */
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, &buf, 1), UV_EAGAIN);
  size_t got = (size_t) n;
  while (called < 1) {
    uv_run(loop, UV_RUN_NOWAIT);
    got += read_available(peer, got);
  }
  uv_buf_t empty = uv_buf_init(NULL, 0);
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, &empty, 1), 0);
  close(peer);
  close_and_wait(&pipe);
}

static int shutdown_status = 1;
static int writes_at_shutdown;
static void note_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  shutdown_status = status;
  writes_at_shutdown = called;
}

static void shutdown_comes_after_the_writes(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_shutdown_t req;
  int peer = open_with_peer(loop, &pipe);
  reset();
  shutdown_status = 1;
  for (int i = 0; i < 2; i++) {
    uv_buf_t buf = uv_buf_init(big + i * (BIG / 2), BIG / 2);
    assert_int_equal(uv_write(&requests[i], (uv_stream_t*) &pipe, &buf, 1, note_write),
                     0);
  }
  assert_int_equal(uv_shutdown(&req, (uv_stream_t*) &pipe, note_shutdown), 0);
  assert_false(uv_is_writable((uv_stream_t*) &pipe));
  assert_true(uv_is_readable((uv_stream_t*) &pipe));
  uv_buf_t late = uv_buf_init(big, 1);
  assert_int_equal(uv_write(&requests[2], (uv_stream_t*) &pipe, &late, 1, never_write),
                   UV_EPIPE);
  uv_shutdown_t again;
  assert_int_equal(uv_shutdown(&again, (uv_stream_t*) &pipe, NULL), UV_ENOTCONN);
  size_t got = 0;
  while (shutdown_status == 1) {
    got += read_available(peer, got);
    uv_run(loop, UV_RUN_NOWAIT);
  }
  assert_int_equal(shutdown_status, 0);
  assert_int_equal(writes_at_shutdown, 2);
  got += read_available(peer, got);
  assert_int_equal(got, BIG);
  char byte;
  assert_int_equal(read(peer, &byte, 1), 0); /* the end */
  close(peer);
  close_and_wait(&pipe);
}

static void close_cancels_a_shutdown(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_shutdown_t req;
  int peer = open_with_peer(loop, &pipe);
  shutdown_status = 1;
  assert_int_equal(uv_shutdown(&req, (uv_stream_t*) &pipe, note_shutdown), 0);
  close_handle(&pipe);
  assert_int_equal(shutdown_status, 1);
  assert_int_equal(uv_shutdown(&req, (uv_stream_t*) &pipe, NULL), UV_ENOTCONN);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(shutdown_status, UV_ECANCELED);
  close(peer);
}

/* Also before there is a descriptor, and for a count that was negative once. */
static void a_write_needs_a_buffer(void** state) {
  static const unsigned int counts[] = {0, (unsigned int) -1, (unsigned int) -42};
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_tcp_t tcp;
  int peer = open_with_peer(loop, &pipe);
  uv_buf_t buf = uv_buf_init(big, 1);
  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  for (size_t i = 0; i < 3; i++) {
    uv_stream_t* streams[] = {(uv_stream_t*) &pipe, (uv_stream_t*) &tcp};
    for (size_t j = 0; j < 2; j++) {
      assert_int_equal(uv_write(&requests[0], streams[j], &buf, counts[i], never_write),
                       UV_EINVAL);
      assert_int_equal(
          uv_write2(&requests[0], streams[j], &buf, counts[i], NULL, never_write),
          UV_EINVAL);
      assert_int_equal(uv_try_write(streams[j], &buf, counts[i]), UV_EINVAL);
      assert_int_equal(uv_try_write2(streams[j], &buf, counts[i], NULL), UV_EINVAL);
    }
  }
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, NULL, 1, never_write),
                   UV_EINVAL);
  assert_int_equal(read_available(peer, 0), 0);
  close_and_wait(&tcp);
  close_and_wait(&pipe);
  close(peer);
}

static void write_without_a_descriptor(void** state) {
  uv_tcp_t tcp;
  uv_shutdown_t req;
  uv_buf_t buf = uv_buf_init(big, 1);
  assert_int_equal(uv_tcp_init(*state, &tcp), 0);
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &tcp, &buf, 1, never_write),
                   UV_EBADF);
  assert_int_equal(uv_try_write((uv_stream_t*) &tcp, &buf, 1), UV_EBADF);
  assert_int_equal(uv_shutdown(&req, (uv_stream_t*) &tcp, NULL), UV_ENOTCONN);
  assert_int_equal(uv_stream_set_blocking((uv_stream_t*) &tcp, 1), UV_EBADF);
  close_and_wait(&tcp);
}

static uv_pipe_t* to_close;
static void close_in_write(uv_write_t* req, int status) {
  assert_ptr_equal(req, &requests[called]);
  statuses[called++] = status;
  if (called == 1)
    close_handle(to_close);
}

static void close_in_a_write_callback(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  to_close = &pipe;
  reset();
  uv_buf_t small = uv_buf_init(big, 10), large = uv_buf_init(big, BIG);
  assert_int_equal(
      uv_write(&requests[0], (uv_stream_t*) &pipe, &small, 1, close_in_write), 0);
  assert_int_equal(
      uv_write(&requests[1], (uv_stream_t*) &pipe, &small, 1, close_in_write), 0);
  assert_int_equal(
      uv_write(&requests[2], (uv_stream_t*) &pipe, &large, 1, close_in_write), 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(called, 3);
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], 0);
  assert_int_equal(statuses[2], UV_ECANCELED);
  close(peer);
}

static void* drain(void* argument) {
  int fd = *(int*) argument;
  uv_sleep(50);
  read_exactly(fd, BIG, 0);
  return NULL;
}

static void blocking_stream_writes_all_at_once(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int ends[2];
  pthread_t thread;
  assert_int_equal(uv_pipe(ends, 0, UV_NONBLOCK_PIPE), 0);
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_pipe_open(&pipe, ends[1]), 0);
  assert_int_equal(uv_stream_set_blocking((uv_stream_t*) &pipe, 1), 0);
  assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
  assert_int_equal(pthread_create(&thread, NULL, drain, &ends[0]), 0);
  reset();
  uv_buf_t buf = uv_buf_init(big, BIG);
  assert_int_equal(uv_write(&requests[0], (uv_stream_t*) &pipe, &buf, 1, note_write), 0);
  assert_int_equal(pipe.write_queue_size, 0);
  assert_int_equal(called, 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 1);
  assert_int_equal(statuses[0], 0);
  assert_int_equal(uv_stream_set_blocking((uv_stream_t*) &pipe, 0), 0);
  assert_true(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
  close(ends[0]);
  close_and_wait(&pipe);
}

int main(void) {
  signal(SIGPIPE, SIG_DFL);
  big = malloc(BIG);
  fill_pattern(big, BIG, 0);
  const struct CMUnitTest tests[] = {
      loop_test(write_leaves_at_once_and_calls_back_later),
      loop_test(queue_size_is_exact_and_close_cancels_in_order),
      loop_test(slow_reader_gets_everything),
      loop_test(vector_longer_than_the_kernel_takes),
      loop_test(empty_buffers_are_written_too),
      loop_test(million_small_writes),
      loop_test(broken_socket_gives_epipe),
      loop_test(broken_pipe_gives_epipe),
      loop_test(broken_pipe_gives_epipe_on_old_kernels),
      loop_test(peer_that_vanishes_fails_all_that_wait),
      loop_test(try_write_takes_what_fits),
      loop_test(shutdown_comes_after_the_writes),
      loop_test(close_cancels_a_shutdown),
      loop_test(a_write_needs_a_buffer),
      loop_test(write_without_a_descriptor),
      loop_test(close_in_a_write_callback),
      loop_test(blocking_stream_writes_all_at_once),
  };
  int failed = cmocka_run_group_tests_name("stream: writing", tests, NULL, NULL);
  free(big);
  return failed;
}
