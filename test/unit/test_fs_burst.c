/* test: threads */
/* Reads that come in numbers, which the loop's thread and one of the pool share: each
 * gets its own bytes and its own callback, whoever did it. */
#include "helper_bursts.h"

#include "rondo.h"

#include <poll.h>

static void each_gets_its_own_bytes(void** state) {
  (void) state;
  int file = burst_file();
  burst_read_for_long(&files_loop, burst_readers, file);
  close(file);
}

static void read_in_thread(void* argument) {
  struct burst_reader* some = aligned_alloc(BURST_BLOCK, BURST_READS * sizeof *some);
  uv_loop_t loop;
  assert_non_null(some);
  assert_int_equal(uv_loop_init(&loop), 0);
  burst_read_for_long(&loop, some, *(int*) argument);
  assert_int_equal(uv_loop_close(&loop), 0);
  free(some);
}

static void loops_share_the_pool(void** state) {
  (void) state;
  uv_thread_t other;
  int file = burst_file();
  assert_int_equal(uv_thread_create(&other, read_in_thread, &file), 0);
  burst_read_for_long(&files_loop, burst_readers, file);
  assert_int_equal(uv_thread_join(&other), 0);
  close(file);
}

static int cancelled;

static void cancel_all(int file) {
  burst_begin_all(file, burst_whole_or_cancelled);
  for (unsigned int i = BURST_READS; i-- > 0;) {
    int err = uv_cancel((uv_req_t*) &burst_readers[i].req);
    assert_true(err == 0 || err == UV_EBUSY);
    burst_readers[i].cancelled = err == 0;
    cancelled += err == 0;
    assert_int_equal(uv_cancel((uv_req_t*) &burst_readers[i].req), err);
  }
}

/* What was not begun is cancelled, what was calls back with its result; each calls back
 * once. On a busy machine a thread may have begun all of a round before the first cancel,
 * so there are more rounds until one was in time. */
static void cancelling_is_exact(void** state) {
  (void) state;
  int file = burst_file();
  cancelled = 0;
  for (int i = 0; i < BURST_ROUNDS / 4 || (cancelled == 0 && i < 1000); i++) {
    burst_run_inside(cancel_all, file);
    assert_int_equal(burst_calls, BURST_READS);
  }
  assert_true(cancelled > 0);
  close(file);
}

static void failed(uv_fs_t* req) {
  burst_calls++;
  assert_int_equal(req->result, UV_EBADF);
  uv_fs_req_cleanup(req);
}

static void begin_failing(int file) {
  burst_begin_all(file, failed);
}

static void errors_are_told(void** state) {
  (void) state;
  close(burst_file());
  int file = open("blocks", O_WRONLY | O_CLOEXEC);
  assert_true(file >= 0);
  burst_run_inside(begin_failing, file);
  assert_int_equal(burst_calls, BURST_READS);
  close(file);
}

static void has_no_offsets(uv_fs_t* req) {
  burst_calls++;
  assert_int_equal(req->result, UV_ESPIPE);
  uv_fs_req_cleanup(req);
}

static void begin_at_offsets(int file) {
  burst_begin_all(file, has_no_offsets);
}

/* However many reads were done before, and in whatever way: what has no offsets is not
 * read at one. */
static void pipes_keep_their_data(void** state) {
  (void) state;
  int file = burst_file();
  int ends[2];
  char data[100] = "something";
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(write(ends[1], data, sizeof data), sizeof data);
  burst_read_for_long(&files_loop, burst_readers, file);
  burst_run_inside(begin_at_offsets, ends[0]);
  assert_int_equal(burst_calls, BURST_READS);
  assert_int_equal(read(ends[0], data, sizeof data), sizeof data);
  close(ends[0]);
  close(ends[1]);
  close(file);
}

static void at_the_end(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  burst_calls++;
  assert_int_equal(req->result, reader->block < BURST_BLOCKS ? BURST_BLOCK : 0);
  uv_fs_req_cleanup(req);
}

static void begin_near_the_end(int file) {
  for (unsigned int i = 0; i < BURST_READS; i++) {
    burst_readers[i].loop = &files_loop;
    burst_readers[i].file = file;
    burst_readers[i].block = BURST_BLOCKS - BURST_READS / 2 + i;
    burst_begin(&burst_readers[i], at_the_end);
  }
}

static void end_of_file_is_told(void** state) {
  (void) state;
  int file = burst_file();
  burst_run_inside(begin_near_the_end, file);
  assert_int_equal(burst_calls, BURST_READS);
  close(file);
}

/* From nowhere in the page cache: the burst goes the ways that may wait. */
static void cold_files_are_read(void** state) {
  (void) state;
  int file = burst_file();
  assert_int_equal(fsync(file), 0);
  (void) files_make_cold(file, (size_t) BURST_BLOCK * BURST_BLOCKS);
  burst_read_for_long(&files_loop, burst_readers, file);
  close(file);
}

static uv_fs_t close_req;

static void begin_and_close(int file) {
  burst_begin_all(file, burst_whole_or_cancelled);
  assert_int_equal(uv_fs_close(&files_loop, &close_req, file, files_called), 0);
}

/* Closing does not overtake the reads before it, whoever has taken them. */
static void closing_comes_after(void** state) {
  (void) state;
  for (int i = 0; i < BURST_ROUNDS / 10; i++) {
    files_calls = 0;
    burst_run_inside(begin_and_close, burst_file());
    assert_int_equal(burst_calls, BURST_READS);
    assert_int_equal(files_calls, 1);
    assert_int_equal(close_req.result, 0);
    uv_fs_req_cleanup(&close_req);
  }
}

/* Nor those that must wait and go on another way. */
static void closing_comes_after_waiting(void** state) {
  (void) state;
  for (int i = 0; i < BURST_ROUNDS / 10; i++) {
    int file = burst_file();
    (void) files_make_cold(file, (size_t) BURST_BLOCK * BURST_BLOCKS);
    files_calls = 0;
    burst_run_inside(begin_and_close, file);
    assert_int_equal(burst_calls, BURST_READS);
    assert_int_equal(files_calls, 1);
    assert_int_equal(close_req.result, 0);
    uv_fs_req_cleanup(&close_req);
  }
}

static void close_at_first(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  int file = reader->file;
  burst_whole_or_cancelled(req);
  if (burst_calls == 1)
    assert_int_equal(uv_fs_close(&files_loop, &close_req, file, files_called), 0);
}

static void begin_and_close_at_first(int file) {
  burst_begin_all(file, close_at_first);
}

/* Nor those that are back from the helper, and have not been looked at yet. */
static void closing_comes_after_the_backlog(void** state) {
  (void) state;
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 1), 0);
  for (int i = 0; i < BURST_ROUNDS / 10; i++) {
    int file = burst_file();
    (void) files_make_cold(file, (size_t) BURST_BLOCK * BURST_BLOCKS);
    files_calls = 0;
    burst_run_inside(begin_and_close_at_first, file);
    assert_int_equal(burst_calls, BURST_READS);
    assert_int_equal(files_calls, 1);
    assert_int_equal(close_req.result, 0);
    uv_fs_req_cleanup(&close_req);
  }
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 0), 0);
}

/* At the file's own position, one after the other. */
static unsigned int next_block;

static void next_in_order(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  assert_int_equal(req->result, BURST_BLOCK);
  burst_check(reader->buffer, reader->block);
  burst_calls++;
  uv_fs_req_cleanup(req);
}

static void begin_in_order(int file) {
  for (next_block = 0; next_block < BURST_READS; next_block++) {
    struct burst_reader* reader = &burst_readers[next_block];
    uv_buf_t buf = uv_buf_init(reader->buffer, BURST_BLOCK);
    reader->block = next_block;
    reader->req.data = reader;
    assert_int_equal(
        uv_fs_read(&files_loop, &reader->req, file, &buf, 1, -1, next_in_order), 0);
  }
}

static void own_position_keeps_its_order(void** state) {
  (void) state;
  int file = burst_file();
  if (!burst_has_cache(file)) {
    close(file);
    skip();
  }
  assert_int_equal(lseek(file, 0, SEEK_SET), 0);
  burst_run_inside(begin_in_order, file);
  assert_int_equal(burst_calls, BURST_READS);
  close(file);
}

static int most_in_turn;
static int calls_before;

static void count_turn(uv_check_t* check) {
  if (burst_calls - calls_before > most_in_turn)
    most_in_turn = burst_calls - calls_before;
  calls_before = burst_calls;
  if (burst_calls == BURST_READS)
    uv_close((uv_handle_t*) check, NULL);
}

static void begin_whole(int file) {
  burst_begin_all(file, burst_whole_or_cancelled);
}

static void poll_limit_holds(void** state) {
  (void) state;
  int file = burst_file();
  uv_check_t check;
  assert_int_equal(uv_check_init(&files_loop, &check), 0);
  assert_int_equal(uv_check_start(&check, count_turn), 0);
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 3), 0);
  most_in_turn = calls_before = 0;
  burst_run_inside(begin_whole, file);
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 0), 0);
  assert_int_equal(burst_calls, BURST_READS);
  assert_in_range(most_in_turn, 1, 3);
  close(file);
}

static int check_file;

/* A run that ends with gathered reads says that it must be run again soon. */
static void begin_in_check(uv_check_t* check) {
  uv_close((uv_handle_t*) check, NULL);
  burst_begin_all(check_file, burst_whole_or_cancelled);
}

static void outer_loop_is_told(void** state) {
  (void) state;
  uv_check_t check;
  check_file = burst_file();
  burst_calls = 0;
  assert_int_equal(uv_check_init(&files_loop, &check), 0);
  assert_int_equal(uv_check_start(&check, begin_in_check), 0);
  assert_int_not_equal(uv_run(&files_loop, UV_RUN_NOWAIT), 0);
  assert_int_equal(uv_backend_timeout(&files_loop), 0);
  while (uv_run(&files_loop, UV_RUN_NOWAIT) != 0)
    continue;
  assert_int_equal(burst_calls, BURST_READS);
  close(check_file);
}

/* Covers L8: also while reads come back from their first way and go on another. */
static void once_calls_back(void** state) {
  (void) state;
  check_file = burst_file();
  assert_int_equal(fsync(check_file), 0);
  for (int round = 0; round < BURST_ROUNDS / 10; round++) {
    uv_check_t check;
    (void) files_make_cold(check_file, (size_t) BURST_BLOCK * BURST_BLOCKS);
    burst_calls = 0;
    assert_int_equal(uv_check_init(&files_loop, &check), 0);
    assert_int_equal(uv_check_start(&check, begin_in_check), 0);
    assert_int_not_equal(uv_run(&files_loop, UV_RUN_NOWAIT), 0);
    for (int before = 0; burst_calls < BURST_READS; before = burst_calls) {
      uv_run(&files_loop, UV_RUN_ONCE);
      assert_true(burst_calls > before);
    }
  }
  close(check_file);
}

/* Asked for while the loop isn't running: an outer loop sees that there is something to
 * do, and the callbacks come from the run. */
static void may_begin_before_the_run(void** state) {
  (void) state;
  int file = burst_file();
  for (int round = 0; round < BURST_ROUNDS / 10; round++) {
    bool cold = round % 2 != 0;
    if (cold)
      (void) files_make_cold(file, (size_t) BURST_BLOCK * BURST_BLOCKS);
    burst_calls = 0;
    burst_begin_all(file, burst_whole_or_cancelled);
    assert_int_equal(burst_calls, 0);
    if (!cold) {
      struct pollfd backend = {.fd = uv_backend_fd(&files_loop), .events = POLLIN};
      assert_int_equal(uv_backend_timeout(&files_loop), 0);
      assert_int_equal(poll(&backend, 1, 0), 1);
    }
    for (int before = 0; burst_calls < BURST_READS; before = burst_calls) {
      uv_run(&files_loop, UV_RUN_ONCE);
      assert_true(burst_calls > before);
    }
    assert_int_equal(uv_run(&files_loop, UV_RUN_NOWAIT), 0);
  }
  close(file);
}

/* More files than a loop remembers, some of them to be read past the cache. */
static void files_may_be_many(void** state) {
  (void) state;
  enum { FILES = 100 };
  int files[FILES];
  files[0] = burst_file();
  assert_int_equal(fsync(files[0]), 0);
  for (int i = 1; i < FILES; i++) {
    files[i] = open("blocks", O_RDONLY | O_CLOEXEC | (i % 5 == 0 ? O_DIRECT : 0));
    if (files[i] < 0 && errno == EINVAL)
      files[i] = open("blocks", O_RDONLY | O_CLOEXEC); /* a file system without it */
    assert_true(files[i] >= 0);
  }
  for (int round = 0; round < BURST_ROUNDS / 10; round++) {
    burst_calls = 0;
    for (unsigned int i = 0; i < BURST_READS; i++) {
      struct burst_reader* reader = &burst_readers[i];
      uv_buf_t buf = uv_buf_init(reader->buffer, BURST_BLOCK);
      reader->cancelled = false;
      reader->block = i;
      reader->req.data = reader;
      assert_int_equal(uv_fs_read(&files_loop, &reader->req,
                                  files[(i * 7 + (unsigned int) round) % FILES], &buf, 1,
                                  (int64_t) i * BURST_BLOCK, burst_whole_or_cancelled),
                       0);
    }
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(burst_calls, BURST_READS);
  }
  for (int i = 0; i < FILES; i++)
    close(files[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(each_gets_its_own_bytes),
      FILES_TEST(loops_share_the_pool),
      FILES_TEST(cancelling_is_exact),
      FILES_TEST(errors_are_told),
      FILES_TEST(end_of_file_is_told),
      FILES_TEST(cold_files_are_read),
      FILES_TEST(closing_comes_after),
      FILES_TEST(own_position_keeps_its_order),
      FILES_TEST(poll_limit_holds),
      FILES_TEST(outer_loop_is_told),
      FILES_TEST(once_calls_back),
      FILES_TEST(pipes_keep_their_data),
      FILES_TEST(closing_comes_after_waiting),
      FILES_TEST(closing_comes_after_the_backlog),
      FILES_TEST(may_begin_before_the_run),
      FILES_TEST(files_may_be_many),
  };
  return cmocka_run_group_tests_name("files: bursts", tests, NULL, NULL);
}
