/* test: threads */
/* The order of closes: a close that is asked for behind other requests on its descriptor
 * takes it from none of them, whichever way they go; and a close that is meant to be rid
 * of a reader is not kept waiting by it. */
#include "helper_bursts.h"

#include <signal.h>

enum { ROUNDS = UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? 20 : 200 };

static uv_fs_t close_reqs[2];

static void start_close(int which, int file) {
  assert_int_equal(uv_fs_close(&files_loop, &close_reqs[which], file, files_called), 0);
}

static void expect_closed(int which, int file) {
  assert_int_equal(close_reqs[which].result, 0);
  assert_int_equal(fcntl(file, F_GETFD), -1);
  uv_fs_req_cleanup(&close_reqs[which]);
}

/* Each of them goes to the pool. */
static void close_comes_after_the_pool(void** state) {
  (void) state;
  enum { WRITES = 8, ALL = WRITES + 4 };
  uv_fs_t reqs[ALL];
  uv_buf_t bytes = uv_buf_init("12345678", 8);
  for (int round = 0; round < ROUNDS; round++) {
    int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    files_calls = 0;
    for (int i = 0; i < WRITES; i++)
      assert_int_equal(
          uv_fs_write(&files_loop, &reqs[i], file, &bytes, 1, 8 * i, files_called), 0);
    assert_int_equal(uv_fs_fchmod(&files_loop, &reqs[8], file, 0640, files_called), 0);
    assert_int_equal(uv_fs_fstat(&files_loop, &reqs[9], file, files_called), 0);
    assert_int_equal(uv_fs_futime(&files_loop, &reqs[10], file, 1, 1, files_called), 0);
    assert_int_equal(uv_fs_ftruncate(&files_loop, &reqs[11], file, 64, files_called), 0);
    start_close(0, file);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, ALL + 1);
    for (int i = 0; i < ALL; i++) {
      assert_int_equal(reqs[i].result, i < WRITES ? 8 : 0);
      uv_fs_req_cleanup(&reqs[i]);
    }
    expect_closed(0, file);
  }
}

/* Cold pages: reads that no way has done yet. */
static void close_comes_after_cold_reads(void** state) {
  (void) state;
  for (int round = 0; round < ROUNDS / 10; round++) {
    int file = burst_file();
    (void) files_make_cold(file, (size_t) BURST_BLOCK * BURST_BLOCKS);
    burst_calls = files_calls = 0;
    burst_begin_all(file, burst_whole_or_cancelled);
    start_close(0, file);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(burst_calls, BURST_READS);
    assert_int_equal(files_calls, 1);
    expect_closed(0, file);
  }
}

static void closes_come_after_sendfile(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("from", "0123456789", 10);
  for (int round = 0; round < ROUNDS; round++) {
    int from = open("from", O_RDONLY | O_CLOEXEC);
    int to = open("to", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    files_calls = 0;
    assert_int_equal(uv_fs_sendfile(&files_loop, &req, to, from, 0, 10, files_called), 0);
    start_close(0, from);
    start_close(1, to);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, 3);
    assert_int_equal(req.result, 10);
    uv_fs_req_cleanup(&req);
    expect_closed(0, from);
    expect_closed(1, to);
  }
  files_expect("to", "0123456789", 10);
}

/* More files than there are queues for them. */
static void files_may_be_many(void** state) {
  (void) state;
  enum { FILES = 200 };
  static uv_fs_t writes[FILES];
  static uv_fs_t closes[FILES];
  int files[FILES];
  uv_buf_t bytes = uv_buf_init("x", 1);
  files_calls = 0;
  for (int i = 0; i < FILES; i++) {
    files[i] = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(files[i] >= 0);
    assert_int_equal(
        uv_fs_write(&files_loop, &writes[i], files[i], &bytes, 1, i, files_called), 0);
  }
  for (int i = FILES - 1; i >= 0; i--)
    assert_int_equal(uv_fs_close(&files_loop, &closes[i], files[i], files_called), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, 2 * FILES);
  for (int i = 0; i < FILES; i++) {
    assert_int_equal(writes[i].result, 1);
    assert_int_equal(closes[i].result, 0);
    uv_fs_req_cleanup(&writes[i]);
    uv_fs_req_cleanup(&closes[i]);
  }
}

/* The second close waits for the first and finds nothing to close. */
static void the_second_close_fails(void** state) {
  (void) state;
  uv_fs_t req;
  uv_buf_t bytes = uv_buf_init("x", 1);
  int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  files_calls = 0;
  assert_int_equal(uv_fs_write(&files_loop, &req, file, &bytes, 1, 0, files_called), 0);
  start_close(0, file);
  start_close(1, file);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, 3);
  assert_int_equal(req.result, 1);
  assert_int_equal(close_reqs[0].result, 0);
  assert_int_equal(close_reqs[1].result, UV_EBADF);
}

/* What waits behind a cancelled close goes on. */
static void a_held_close_can_be_cancelled(void** state) {
  (void) state;
  enum { WRITES = 8 };
  uv_fs_t reqs[WRITES];
  uv_buf_t bytes = uv_buf_init("x", 1);
  int cancelled = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    files_calls = 0;
    for (int i = 0; i < WRITES; i++)
      assert_int_equal(
          uv_fs_write(&files_loop, &reqs[i], file, &bytes, 1, i, files_called), 0);
    start_close(0, file);
    start_close(1, file);
    int err = uv_cancel((uv_req_t*) &close_reqs[0]);
    assert_true(err == 0 || err == UV_EBUSY);
    assert_int_equal(uv_cancel((uv_req_t*) &close_reqs[0]), err);
    assert_int_equal(files_calls, 0);
    cancelled += err == 0;
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, WRITES + 2);
    assert_int_equal(close_reqs[0].result, err == 0 ? UV_ECANCELED : 0);
    assert_int_equal(close_reqs[1].result, err == 0 ? 0 : UV_EBADF);
  }
  assert_true(cancelled > 0);
}

static int writer;

static void write_when_closed(uv_fs_t* req) {
  assert_int_equal(req->result, 0);
  (void) !write(writer, "x", 1); /* now the read may end, if it has begun */
}

/* A reader that waits for data keeps nobody from closing its pipe. */
static void a_waiting_reader_holds_no_close(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* to close what is being read is a race, and meant */
  uv_fs_t req;
  int ends[2];
  char byte;
  uv_buf_t into = uv_buf_init(&byte, 1);
  for (int turns = 0; turns < 3; turns++) {
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    writer = ends[1];
    files_calls = 0;
    assert_int_equal(uv_fs_read(&files_loop, &req, ends[0], &into, 1, -1, files_called),
                     0);
    for (int i = 0; i < turns; i++)
      uv_run(&files_loop, UV_RUN_NOWAIT);
    usleep((unsigned int) turns * 20000); /* time for a thread to be inside the read */
    assert_int_equal(uv_fs_close(&files_loop, &close_reqs[0], ends[0], write_when_closed),
                     0);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, 1);
    assert_true(req.result == 1 || req.result == UV_EBADF);
    close(ends[1]);
  }
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      FILES_TEST(close_comes_after_the_pool),
      FILES_TEST(close_comes_after_cold_reads),
      FILES_TEST(closes_come_after_sendfile),
      FILES_TEST(files_may_be_many),
      FILES_TEST(the_second_close_fails),
      FILES_TEST(a_held_close_can_be_cancelled),
      FILES_TEST(a_waiting_reader_holds_no_close),
  };
  return cmocka_run_group_tests_name("files: the order of closes", tests, NULL, NULL);
}
