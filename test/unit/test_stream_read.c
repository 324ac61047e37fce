/* Reading from streams: where it may start and stop, how it ends, and that one busy
 * stream doesn't keep the others waiting (contract C1, H1, H3). */
#include "helper_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static int reads, allocs;
static ssize_t last_nread;
static size_t received;
static char small_buffer[100];

static void reset(void) {
  reads = allocs = 0;
  last_nread = 1;
  received = 0;
}

static void alloc_small(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle, (void) size;
  allocs++;
  *buf = uv_buf_init(small_buffer, sizeof small_buffer);
}

static void alloc_nothing(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle, (void) size;
  allocs++;
  *buf = uv_buf_init(NULL, 0);
}

static void note_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream;
  reads++;
  last_nread = nread;
  if (nread > 0) {
    check_pattern(buf->base, (size_t) nread, received);
    received += (size_t) nread;
  }
}

static void send_pattern(int fd, size_t length, size_t offset) {
  char bytes[64 * 1024];
  while (length > 0) {
    size_t n = length < sizeof bytes ? length : sizeof bytes;
    fill_pattern(bytes, n, offset);
    assert_int_equal(write(fd, bytes, n), n);
    offset += n;
    length -= n;
  }
}

static void bad_arguments(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  uv_tcp_t tcp;
  int peer = open_with_peer(loop, &pipe);
  uv_stream_t* stream = (uv_stream_t*) &pipe;
  assert_int_equal(uv_read_start(NULL, alloc_small, note_read), UV_EINVAL);
  assert_int_equal(uv_read_start(stream, NULL, note_read), UV_EINVAL);
  assert_int_equal(uv_read_start(stream, alloc_small, NULL), UV_EINVAL);
  assert_false(uv_is_active((uv_handle_t*) stream));
  assert_int_equal(uv_read_stop(stream), 0);
  assert_int_equal(uv_read_start(stream, alloc_small, never_read), 0);
  assert_true(uv_is_active((uv_handle_t*) stream));
  assert_int_equal(uv_read_start(stream, alloc_small, never_read), UV_EALREADY);
  assert_int_equal(uv_read_stop(stream), 0);
  assert_int_equal(uv_read_stop(stream), 0);
  assert_false(uv_is_active((uv_handle_t*) stream));

  assert_int_equal(uv_tcp_init(loop, &tcp), 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &tcp, alloc_small, never_read),
                   UV_ENOTCONN);
  close_handle(&pipe);
  assert_int_equal(uv_read_start(stream, alloc_small, never_read), UV_EINVAL);
  uv_run(loop, UV_RUN_NOWAIT);
  close(peer);
  close_and_wait(&tcp);
}

static void reads_arrive_whole_and_in_order(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  send_pattern(peer, 50, 0);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(received, 50);
  assert_int_equal(allocs, 1); /* a short read is the last one */

  send_pattern(peer, 20000, 50);
  while (received < 20050)
    uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(received, 20050);
  close(peer);
  close_and_wait(&pipe);
}

static size_t suggestion;
static char own_buffer[64 * 1024];

static void alloc_suggested(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) handle;
  allocs++;
  suggestion = size;
  assert_in_range(size, 1, sizeof own_buffer);
  *buf = uv_buf_init(own_buffer, (unsigned int) size);
}

static void alloc_own_size(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  alloc_suggested(handle, size, buf);
  buf->len = sizeof own_buffer;
}

static void exchange(uv_loop_t* loop, int peer, size_t length) {
  send_pattern(peer, length, received);
  reads = 0;
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(last_nread, length);
  assert_int_equal(reads, 1);
}

/* A connection before the tested one in the same poll, which has a write to be told:
 * its program has a buffer out. */
struct neighbour {
  uv_pipe_t pipe;
  uv_write_t request;
  int peer;
};

static void answer(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  struct neighbour* neighbour = stream->data;
  assert_int_equal(nread, 1);
  uv_buf_t byte = uv_buf_init(buf->base, 1);
  assert_int_equal(uv_write(&neighbour->request, stream, &byte, 1, NULL), 0);
}

static void neighbour_open(uv_loop_t* loop, struct neighbour* neighbour) {
  neighbour->peer = open_with_peer(loop, &neighbour->pipe);
  neighbour->pipe.data = neighbour;
  assert_int_equal(uv_read_start((uv_stream_t*) &neighbour->pipe, alloc_small, answer),
                   0);
}

static void neighbour_close(struct neighbour* neighbour) {
  close_and_wait(&neighbour->pipe);
  close(neighbour->peer);
}

static void exchange_beside(struct neighbour* neighbour, int peer, size_t length) {
  char byte;
  assert_int_equal(write(neighbour->peer, "x", 1), 1);
  exchange(neighbour->pipe.loop, peer, length);
  assert_int_equal(read(neighbour->peer, &byte, 1), 1);
}

static void suggested_size_follows_small_messages(void** state) {
  uv_loop_t* loop = *state;
  struct neighbour neighbour;
  uv_pipe_t pipe;
  neighbour_open(loop, &neighbour);
  int peer = open_with_peer(loop, &pipe);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_suggested, note_read), 0);
  exchange_beside(&neighbour, peer, 64);
  assert_int_equal(suggestion, 64 * 1024);
  for (int i = 0; i < 10; i++) {
    exchange_beside(&neighbour, peer, 64);
    assert_true(suggestion > 64 && suggestion <= 1024);
  }
  /* Larger messages still come in one piece, at any moment. */
  exchange_beside(&neighbour, peer, 3000);
  assert_true(suggestion > 3000 && suggestion < 64 * 1024);
  exchange_beside(&neighbour, peer, 40000);
  assert_int_equal(suggestion, 64 * 1024);
  exchange_beside(&neighbour, peer, 64);
  assert_int_equal(suggestion, 64 * 1024); /* the last one was large */
  exchange_beside(&neighbour, peer, 512);
  assert_int_equal(suggestion, 1024);
  neighbour_close(&neighbour);

  /* Of two at once, all that has arrived is read. */
  send_pattern(peer, 100, received);
  send_pattern(peer, 1000, received + 100);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(last_nread, 1100);
  close(peer);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(last_nread, UV_EOF);
  close_and_wait(&pipe);
}

/* Where no buffer is out, nothing is gained by asking how much has arrived. */
static void suggested_size_is_not_sought_alone(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_suggested, note_read), 0);
  for (int i = 0; i < 10; i++) {
    exchange(loop, peer, 64);
    assert_int_equal(suggestion, 64 * 1024);
  }
  close(peer);
  close_and_wait(&pipe);
}

static void suggested_size_leaves_other_sizes_alone(void** state) {
  uv_loop_t* loop = *state;
  struct neighbour neighbour;
  uv_pipe_t pipe;
  neighbour_open(loop, &neighbour);
  int peer = open_with_peer(loop, &pipe);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_own_size, note_read), 0);
  exchange_beside(&neighbour, peer, 64);
  exchange_beside(&neighbour, peer, 64); /* this once it may be tried */
  for (int i = 0; i < 10; i++) {
    exchange_beside(&neighbour, peer, 64);
    assert_int_equal(suggestion, 64 * 1024);
  }
  neighbour_close(&neighbour);
  close(peer);
  close_and_wait(&pipe);
}

static void end_is_told_once(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  send_pattern(peer, 150, 0);
  close(peer);
  /* Reading has ended by itself, so the loop ends as well. */
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(received, 150);
  assert_int_equal(last_nread, UV_EOF);
  int before = reads;
  assert_false(uv_is_active((uv_handle_t*) &pipe));
  assert_true(uv_is_readable((uv_stream_t*) &pipe));
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(reads, before);

  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(reads, before + 1);
  assert_int_equal(last_nread, UV_EOF);
  close_and_wait(&pipe);
}

static void half_closed_peer_still_reads(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  char byte;
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  assert_int_equal(shutdown(peer, SHUT_WR), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(last_nread, UV_EOF);
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  assert_int_equal(uv_try_write((uv_stream_t*) &pipe, &buf, 1), 1);
  assert_int_equal(read(peer, &byte, 1), 1);
  close(peer);
  close_and_wait(&pipe);
}

static void stop_on_enobufs(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  assert_int_equal(nread, UV_ENOBUFS);
  assert_null(buf->base);
  reads++;
  if (reads == 2)
    uv_read_stop(stream);
}

static void no_buffer_gives_enobufs(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  send_pattern(peer, 10, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_nothing, stop_on_enobufs),
                   0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(reads, 2);
  /* Nothing was lost by it. */
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  uv_run(loop, UV_RUN_ONCE);
  assert_int_equal(received, 10);
  close(peer);
  close_and_wait(&pipe);
}

static uv_tcp_t accepted;
static int accepted_one;
static void accept_it(uv_stream_t* server, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(uv_tcp_init(server->loop, &accepted), 0);
  assert_int_equal(uv_accept(server, (uv_stream_t*) &accepted), 0);
  accepted_one = 1;
}

static int check_reset;
static void note_reset(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  assert_int_equal(nread, UV_ECONNRESET);
  assert_false(uv_is_readable(stream));
  assert_false(uv_is_writable(stream));
  check_reset = 1;
}

static void reset_ends_both_directions(void** state) {
  uv_loop_t* loop = *state;
  uv_tcp_t server;
  accepted_one = check_reset = 0;
  int peer = connect_plainly(listen_locally(loop, &server, accept_it));
  run_until(loop, &accepted_one);
  assert_int_equal(uv_read_start((uv_stream_t*) &accepted, alloc_small, note_reset), 0);
  struct linger reset_on_close = {1, 0};
  assert_int_equal(
      setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset_on_close, sizeof reset_on_close), 0);
  close(peer);
  run_until(loop, &check_reset);
  assert_false(uv_is_active((uv_handle_t*) &accepted));
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  assert_int_equal(uv_try_write((uv_stream_t*) &accepted, &buf, 1), UV_EPIPE);
  close_and_wait(&accepted);
  close_and_wait(&server);
}

static void stop_in_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  note_read(stream, nread, buf);
  assert_int_equal(uv_read_stop(stream), 0);
}

static void stop_inside_the_callback(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  send_pattern(peer, 1000, 0);
  for (int i = 1; i <= 10; i++) {
    assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, stop_in_read), 0);
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(reads, i);
    assert_int_equal(received, (size_t) i * 100);
  }
  close(peer);
  close_and_wait(&pipe);
}

static void close_in_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  note_read(stream, nread, buf);
  close_handle(stream);
}

static void close_inside_the_callback(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  send_pattern(peer, 1000, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, close_in_read), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(reads, 1);
  close(peer);
}

static void close_in_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  alloc_small(handle, size, buf);
  close_handle(handle);
}

static void stop_in_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  alloc_small(handle, size, buf);
  uv_read_stop((uv_stream_t*) handle);
}

static void stop_and_close_while_allocating(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  reset();
  send_pattern(peer, 10, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, stop_in_alloc, note_read), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(reads, 1); /* the buffer came back, empty */
  assert_int_equal(last_nread, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, close_in_alloc, note_read), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(reads, 2);
  assert_int_equal(last_nread, 0);
  close(peer);
}

/* A peer that always has more must not keep a turn from ending. */
static int refill_fd;
static void refill(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) stream, (void) buf;
  assert_int_equal(nread, sizeof small_buffer);
  reads++;
  assert_int_equal(write(refill_fd, small_buffer, sizeof small_buffer),
                   sizeof small_buffer);
}

static void busy_stream_lets_others_in(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  refill_fd = open_with_peer(loop, &pipe);
  reset();
  send_pattern(refill_fd, 1000, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, refill), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_true(reads > 1 && reads < 1000);
  int before = reads;
  uv_run(loop, UV_RUN_NOWAIT); /* what is left is told again */
  assert_true(reads > before);
  close(refill_fd);
  close_and_wait(&pipe);
}

static void unread_bytes_do_not_keep_the_loop_busy(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  uv_timer_t timer;
  reset();
  send_pattern(peer, 10, 0);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, stop_in_read), 0);
  uv_run(loop, UV_RUN_DEFAULT);
  send_pattern(peer, 10, 10);
  uv_metrics_t metrics_before, metrics_after;
  assert_int_equal(uv_timer_init(loop, &timer), 0);
  assert_int_equal(uv_timer_start(&timer, wake_up, 20, 0), 0);
  assert_int_equal(uv_metrics_info(loop, &metrics_before), 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_metrics_info(loop, &metrics_after), 0);
  assert_true(metrics_after.loop_count - metrics_before.loop_count < 10);
  assert_int_equal(reads, 1);
  close(peer);
  close_and_wait(&timer);
  close_and_wait(&pipe);
}

static void pipe_without_writers_ends(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int ends[2];
  assert_int_equal(uv_pipe(ends, UV_NONBLOCK_PIPE, 0), 0);
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_pipe_open(&pipe, ends[0]), 0);
  assert_true(uv_is_readable((uv_stream_t*) &pipe));
  assert_false(uv_is_writable((uv_stream_t*) &pipe));
  reset();
  send_pattern(ends[1], 30, 0);
  close(ends[1]);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, close_in_read), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(received, 30);
}

static void regular_file_is_always_ready(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  char name[] = "/tmp/rondo-read-XXXXXX";
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  unlink(name);
  send_pattern(fd, 200000, 0);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  assert_int_equal(uv_pipe_init(loop, &pipe, 0), 0);
  assert_int_equal(uv_pipe_open(&pipe, fd), 0);
  reset();
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, note_read), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(received, 200000);
  assert_int_equal(last_nread, UV_EOF);
  close_and_wait(&pipe);
}

static void unref_lets_the_loop_go(void** state) {
  uv_loop_t* loop = *state;
  uv_pipe_t pipe;
  int peer = open_with_peer(loop, &pipe);
  assert_int_equal(uv_read_start((uv_stream_t*) &pipe, alloc_small, never_read), 0);
  uv_unref((uv_handle_t*) &pipe);
  uv_unref((uv_handle_t*) &pipe);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  uv_ref((uv_handle_t*) &pipe);
  assert_int_not_equal(uv_run(loop, UV_RUN_NOWAIT), 0);
  close(peer);
  close_and_wait(&pipe);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(bad_arguments),
      loop_test(reads_arrive_whole_and_in_order),
      loop_test(suggested_size_follows_small_messages),
      loop_test(suggested_size_is_not_sought_alone),
      loop_test(suggested_size_leaves_other_sizes_alone),
      loop_test(end_is_told_once),
      loop_test(half_closed_peer_still_reads),
      loop_test(no_buffer_gives_enobufs),
      loop_test(reset_ends_both_directions),
      loop_test(stop_inside_the_callback),
      loop_test(close_inside_the_callback),
      loop_test(stop_and_close_while_allocating),
      loop_test(busy_stream_lets_others_in),
      loop_test(unread_bytes_do_not_keep_the_loop_busy),
      loop_test(pipe_without_writers_ends),
      loop_test(regular_file_is_always_ready),
      loop_test(unref_lets_the_loop_go),
  };
  return cmocka_run_group_tests_name("stream: reading", tests, NULL, NULL);
}
