/* test: threads */
/* The ways of file requests: the loop's thread never waits, whatever is asked about;
 * cancelling at every moment; requests that outlive what was expected of them. */
#include "forked.h"
#include "helper_files.h"
#include "helper_stalled.h"

#include "rondo.h"
#include "sanitizers.h"

/* TURNING and PATIENCE in ticks of 2 ms. */
enum { LOCAL_WORK = 4, TURNING = 20, PATIENCE = 5000 };

static bool may_mount;

static bool on_uring(void) {
  return strcmp(rondo_backend_name(&files_loop), "uring") == 0;
}

/* --- The loop's thread never waits ------------------------------------------------ */

/* A timer that makes the stalled thing go on once the loop has turned for a while and the
 * work on local files is done. Were the loop's thread to wait for it even once, the ticks
 * would never come; were local work to wait for it, the patience would end. */
static int ticks;
static int local_calls;
static bool released;
static void (*let_go)(void);

static void tick(uv_timer_t* timer) {
  ticks++;
  if ((ticks < TURNING || local_calls < LOCAL_WORK) && ticks < PATIENCE)
    return;
  released = true;
  let_go();
  uv_close((uv_handle_t*) timer, NULL);
}

static uv_timer_t ticker;

static void start_ticking(void (*release)(void)) {
  ticks = 0;
  released = false;
  let_go = release;
  assert_int_equal(uv_timer_init(&files_loop, &ticker), 0);
  assert_int_equal(uv_timer_start(&ticker, tick, 2, 2), 0);
}

/* Called back while the other thing is still stalled? */
static void local_called(uv_fs_t* req) {
  assert_true(req->result >= 0);
  assert_false(released);
  local_calls++;
  uv_fs_req_cleanup(req);
}

struct stalled {
  uv_fs_t req;
  bool called;
};

static void stalled_called(uv_fs_t* req) {
  struct stalled* stalled = req->data;
  assert_true(released);
  stalled->called = true;
}

/* Files of this machine go on as if nothing were: read, stat, open, mkdir. */
static void start_local_work(uv_fs_t req[LOCAL_WORK], int file, uv_buf_t* into) {
  uv_loop_t* loop = &files_loop;
  local_calls = 0;
  assert_int_equal(uv_fs_read(loop, &req[0], file, into, 1, 0, local_called), 0);
  assert_int_equal(uv_fs_stat(loop, &req[1], "local", local_called), 0);
  assert_int_equal(uv_fs_access(loop, &req[2], "local", R_OK, local_called), 0);
  assert_int_equal(uv_fs_mkdir(loop, &req[3], "made", 0755, local_called), 0);
}

static void stalled_file_system(bool known_before) {
  uv_loop_t* loop = &files_loop;
  struct stat about;
  uv_fs_t req;
  assert_int_equal(mkdir("far", 0755), 0);
  assert_true(stalled_mount("far"));
  files_make("local", "here", 4);
  int here = open("local", O_RDONLY | O_CLOEXEC);
  int there = open("far/file", O_RDONLY | O_CLOEXEC);
  int to_close = open("far/file", O_RDONLY | O_CLOEXEC);
  assert_true(there >= 0 && to_close >= 0);
  assert_int_equal(stat("far/file", &about), 0); /* the kernel knows the name now */
  assert_int_equal(ASYNC(req, uv_fs_stat, "local"), 0);
  uv_fs_req_cleanup(&req);
  if (known_before) {
    assert_int_equal(ASYNC(req, uv_fs_stat, "far/file"), 0);
    assert_int_equal(req.statbuf.st_size, 5);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_stat, "far/file"), 0);
    uv_fs_req_cleanup(&req);
  }

  char far_bytes[8];
  char here_bytes[8];
  uv_buf_t into_far = uv_buf_init(far_bytes, sizeof(far_bytes));
  uv_buf_t into_here = uv_buf_init(here_bytes, sizeof(here_bytes));
  struct stalled far[6] = {{.called = false}};
  for (int i = 0; i < 6; i++)
    far[i].req.data = &far[i];
  stalled_stop_answering();
  assert_int_equal(uv_fs_stat(loop, &far[0].req, "far/file", stalled_called), 0);
  assert_int_equal(uv_fs_fstat(loop, &far[1].req, there, stalled_called), 0);
  assert_int_equal(uv_fs_read(loop, &far[2].req, there, &into_far, 1, 0, stalled_called),
                   0);
  assert_int_equal(uv_fs_open(loop, &far[3].req, "far/file", O_RDONLY, 0, stalled_called),
                   0);
  assert_int_equal(uv_fs_access(loop, &far[4].req, "far/file", R_OK, stalled_called), 0);
  assert_int_equal(uv_fs_close(loop, &far[5].req, to_close, stalled_called), 0);

  uv_fs_t local[LOCAL_WORK];
  start_ticking(stalled_answer_again);
  start_local_work(local, here, &into_here);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);

  assert_int_equal(local_calls, LOCAL_WORK);
  for (int i = 0; i < 6; i++)
    assert_true(far[i].called);
  assert_int_equal(far[0].req.statbuf.st_size, 5);
  assert_int_equal(far[1].req.statbuf.st_size, 5);
  assert_int_equal(far[2].req.result, 5);
  assert_memory_equal(far_bytes, "hello", 5);
  assert_true(far[3].req.result >= 0);
  assert_int_equal(far[4].req.result, 0);
  assert_int_equal(far[5].req.result, 0);
  close((int) far[3].req.result);
  for (int i = 0; i < 6; i++)
    uv_fs_req_cleanup(&far[i].req);
  close(there);
  close(here);
  stalled_unmount("far");
}

static void a_stalled_file_system_leaves_the_loop_turning(void** state) {
  (void) state;
  if (!may_mount)
    skip();
  stalled_file_system(true);
}

static void a_stalled_file_system_that_nobody_knew_too(void** state) {
  (void) state;
  if (!may_mount)
    skip();
  stalled_file_system(false);
}

static int fifo_writer;

static void write_to_fifo(void) {
  fifo_writer = open("fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(fifo_writer >= 0);
  assert_int_equal(write(fifo_writer, "late", 4), 4);
}

/* Opening it waits for a writer, reading it for data. */
static void a_fifo_that_nobody_writes_stops_nothing(void** state) {
  (void) state;
  uv_loop_t* loop = &files_loop;
  uv_fs_t req;
  files_make("local", "here", 4);
  assert_int_equal(ASYNC(req, uv_fs_stat, "local"), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(mkfifo("fifo", 0644), 0);
  int here = open("local", O_RDONLY | O_CLOEXEC);
  int reader = open("fifo", O_RDWR | O_CLOEXEC); /* doesn't wait, by Linux's grace */
  assert_true(reader >= 0);

  char bytes[8];
  char here_bytes[8];
  uv_buf_t into = uv_buf_init(bytes, sizeof(bytes));
  uv_buf_t into_here = uv_buf_init(here_bytes, sizeof(here_bytes));
  struct stalled reading = {.req.data = &reading};
  start_ticking(write_to_fifo);
  assert_int_equal(uv_fs_read(loop, &reading.req, reader, &into, 1, -1, stalled_called),
                   0);
  uv_fs_t local[LOCAL_WORK];
  start_local_work(local, here, &into_here);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(local_calls, LOCAL_WORK);
  assert_true(reading.called);
  assert_int_equal(reading.req.result, 4);
  assert_memory_equal(bytes, "late", 4);
  close(fifo_writer);
  close(reader);

  struct stalled opening = {.req.data = &opening};
  assert_int_equal(rmdir("made"), 0);
  start_ticking(write_to_fifo);
  assert_int_equal(uv_fs_open(loop, &opening.req, "fifo", O_RDONLY, 0, stalled_called),
                   0);
  start_local_work(local, here, &into_here);
  /* The writer's own open works only once the reader is there. */
  usleep(20000);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(local_calls, LOCAL_WORK);
  assert_true(opening.called);
  assert_true(opening.req.result >= 0);
  close((int) opening.req.result);
  uv_fs_req_cleanup(&opening.req);
  close(fifo_writer);
  close(here);
}

/* --- Cancelling ------------------------------------------------------------------ */

/* Whatever uv_cancel says must be what happened on the disk. */
static void cancelling_never_lies(void** state) {
  (void) state;
  enum { ROUNDS = 100, BATCH = 24 };
  uv_fs_t reqs[BATCH];
  char names[BATCH][16];
  int answers[BATCH];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < BATCH; i++) {
      snprintf(names[i], sizeof(names[i]), "%d", i);
      assert_int_equal(uv_fs_mkdir(&files_loop, &reqs[i], names[i], 0755, files_called),
                       0);
    }
    for (volatile int spin = 0; spin < round * 50; spin++) {
    }
    for (int i = BATCH - 1; i >= 0; i--)
      answers[i] = uv_cancel((uv_req_t*) &reqs[i]);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    for (int i = 0; i < BATCH; i++) {
      assert_true(answers[i] == 0 || answers[i] == UV_EBUSY);
      assert_int_equal(reqs[i].result, answers[i] == 0 ? UV_ECANCELED : 0);
      assert_int_equal(rmdir(names[i]) == 0, answers[i] != 0);
      assert_int_equal(uv_cancel((uv_req_t*) &reqs[i]), UV_EBUSY);
      uv_fs_req_cleanup(&reqs[i]);
    }
    assert_int_equal(files_calls, BATCH);
    files_calls = 0;
  }
}

static void what_is_done_cannot_be_cancelled(void** state) {
  (void) state;
  uv_fs_t req;
  char bytes[8] = "";
  uv_buf_t into = uv_buf_init(bytes, sizeof(bytes));
  files_make("file", "cached", 6);
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, 0), 6);
  assert_int_equal(uv_fs_read(&files_loop, &req, fd, &into, 1, -1, files_called), 0);
  int answer = uv_cancel((uv_req_t*) &req);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, 1);
  files_calls = 0;
  /* The file's position tells the truth. */
  assert_int_equal(lseek(fd, 0, SEEK_CUR), answer == 0 ? 0 : 6);
  assert_int_equal(req.result, answer == 0 ? UV_ECANCELED : 6);
  close(fd);
}

/* UV_EBUSY once it waits, whether in a thread or in the ring. Before that, either answer
 * is right, and must be what happens. */
static void a_read_that_waits_cannot_be_cancelled(void** state) {
  (void) state;
  uv_fs_t req;
  int ends[2];
  char bytes[8];
  uv_buf_t into = uv_buf_init(bytes, sizeof(bytes));
  assert_int_equal(pipe(ends), 0);
  for (int turns = 0; turns < 3; turns++) {
    assert_int_equal(uv_fs_read(&files_loop, &req, ends[0], &into, 1, -1, files_called),
                     0);
    for (int i = 0; i < turns; i++)
      uv_run(&files_loop, UV_RUN_NOWAIT);
    assert_int_equal(files_calls, 0);
    int answer = uv_cancel((uv_req_t*) &req);
    if (on_uring() && turns > 0)
      assert_int_equal(answer, UV_EBUSY);
    assert_int_equal(uv_cancel((uv_req_t*) &req), answer);
    if (answer != 0)
      assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, 1);
    assert_int_equal(req.result, answer == 0 ? UV_ECANCELED : 1);
    files_calls = 0;
  }
  close(ends[0]);
  close(ends[1]);
}

enum { SYNCS = 8 };

static struct {
  uv_fs_t reqs[SYNCS];
  int answers[SYNCS];
  int file;
} taken;

static void sync_and_cancel_every_other(uv_timer_t* timer) {
  for (int i = 0; i < SYNCS; i++)
    assert_int_equal(uv_fs_fsync(timer->loop, &taken.reqs[i], taken.file, files_called),
                     0);
  for (int i = 0; i < SYNCS; i++)
    taken.answers[i] = i % 2 == 0 ? uv_cancel((uv_req_t*) &taken.reqs[i]) : UV_EBUSY;
  uv_close((uv_handle_t*) timer, NULL);
}

/* What is asked for in a callback reaches the ring in the poll phase: until then it is
 * nobody's, and the entries beside it are not touched. */
static void a_sync_not_handed_over_is_cancelled(void** state) {
  (void) state;
  uv_timer_t timer;
  files_make("file", "synced", 6);
  taken.file = open("file", O_RDWR | O_CLOEXEC);
  assert_int_equal(uv_timer_init(&files_loop, &timer), 0);
  assert_int_equal(uv_timer_start(&timer, sync_and_cancel_every_other, 0, 0), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, SYNCS);
  files_calls = 0;
  for (int i = 0; i < SYNCS; i++) {
    if (on_uring() && i % 2 == 0)
      assert_int_equal(taken.answers[i], 0);
    assert_int_equal(taken.reqs[i].result, taken.answers[i] == 0 ? UV_ECANCELED : 0);
    uv_fs_req_cleanup(&taken.reqs[i]);
  }
  close(taken.file);
}

/* --- Lives that cross ------------------------------------------------------------- */

static void a_request_under_way_is_not_cleaned_up(void** state) {
  (void) state;
  uv_fs_t req;
  enum { COUNT = 10 };
  char bytes[COUNT];
  uv_buf_t into[COUNT];
  for (int i = 0; i < COUNT; i++)
    into[i] = uv_buf_init(&bytes[i], 1);
  files_make("file", "0123456789", COUNT);
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  (void) files_make_cold(fd, COUNT);
  assert_int_equal(uv_fs_read(&files_loop, &req, fd, into, COUNT, 0, files_called), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(uv_loop_close(&files_loop), UV_EBUSY);
  assert_int_equal(files_await(&req, 0), COUNT);
  assert_memory_equal(bytes, "0123456789", COUNT);
  uv_fs_req_cleanup(&req);

  assert_int_equal(uv_fs_mkdir(&files_loop, &req, "made", 0755, files_called), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(files_await(&req, 0), 0);
  assert_string_equal(req.path, "made");
  uv_fs_req_cleanup(&req);
  uv_fs_req_cleanup(&req);
  close(fd);
}

static int chain_left;

static void chain(uv_fs_t* req) {
  assert_true(req->result >= 0);
  uv_fs_req_cleanup(req);
  files_calls++;
  if (--chain_left > 0)
    assert_int_equal(uv_fs_stat(&files_loop, req, ".", chain), 0);
}

static bool fired;

static void fire(uv_timer_t* timer) {
  (void) timer;
  fired = true;
}

/* A request that each callback makes anew must not keep the others waiting (P2). */
static void a_chain_of_requests_starves_nobody(void** state) {
  (void) state;
  uv_fs_t req;
  assert_int_equal(ASYNC(req, uv_fs_stat, "."), 0);
  uv_fs_req_cleanup(&req);
  chain_left = 1000000;
  fired = false;
  assert_int_equal(uv_timer_init(&files_loop, &ticker), 0);
  assert_int_equal(uv_timer_start(&ticker, fire, 1, 0), 0);
  assert_int_equal(uv_fs_stat(&files_loop, &req, ".", chain), 0);
  while (!fired && chain_left > 0)
    uv_run(&files_loop, UV_RUN_ONCE);
  assert_true(chain_left > 0);
  chain_left = 1;
  uv_close((uv_handle_t*) &ticker, NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static uv_fs_t read_req;
static uv_fs_t close_req;
static int cold_file;

static void read_and_close(uv_timer_t* timer) {
  static char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  assert_int_equal(
      uv_fs_read(&files_loop, &read_req, cold_file, &buf, 1, 0, files_called), 0);
  assert_int_equal(uv_fs_close(&files_loop, &close_req, cold_file, files_called), 0);
  uv_close((uv_handle_t*) timer, NULL);
}

static void closing_does_not_overtake_a_cold_read(void** state) {
  (void) state;
  uv_timer_t timer;
  files_make("file", "x", 1);
  cold_file = open("file", O_RDWR | O_CLOEXEC);
  assert_true(cold_file >= 0);
  if (!files_make_cold(cold_file, 1)) {
    close(cold_file);
    skip();
  }
  files_calls = 0;
  assert_int_equal(uv_timer_init(&files_loop, &timer), 0);
  assert_int_equal(uv_timer_start(&timer, read_and_close, 0, 0), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, 2);
  assert_int_equal(read_req.result, 1);
  assert_int_equal(close_req.result, 0);
}

/* Two syncs and a close behind them, which nobody waits for; every other close is taken
 * back, if it still can be. */
static void closing_comes_after_syncs(void** state) {
  (void) state;
  uv_fs_t syncs[2];
  for (int round = 0; round < 40; round++) {
    int file = open("synced", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "x", 1), 1);
    files_calls = 0;
    assert_int_equal(uv_fs_fsync(&files_loop, &syncs[0], file, files_called), 0);
    assert_int_equal(uv_fs_fdatasync(&files_loop, &syncs[1], file, files_called), 0);
    assert_int_equal(uv_fs_close(&files_loop, &close_req, file, files_called), 0);
    bool cancelled = round % 2 != 0 && uv_cancel((uv_req_t*) &close_req) == 0;
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, 3);
    assert_int_equal(syncs[0].result, 0);
    assert_int_equal(syncs[1].result, 0);
    assert_int_equal(close_req.result, cancelled ? UV_ECANCELED : 0);
    assert_int_equal(close(file), cancelled ? 0 : -1);
  }
}

static int child_uses_files(void) {
  uv_fs_t req;
  if (uv_loop_fork(&files_loop) != 0)
    return 1;
  if (uv_fs_mkdir(&files_loop, &req, "child", 0755, files_called) != 0)
    return 2;
  uv_run(&files_loop, UV_RUN_DEFAULT);
  if (files_calls != 1 || req.result != 0)
    return 3;
  if (uv_fs_stat(&files_loop, &req, "child", files_called) != 0)
    return 4;
  uv_run(&files_loop, UV_RUN_DEFAULT);
  return files_calls == 2 && req.result == 0 ? 0 : 5;
}

static void a_forked_child_has_files_of_its_own(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it allows no threads in a child that was forked with threads */
  uv_fs_t req;
  assert_int_equal(ASYNC(req, uv_fs_mkdir, "parent", 0755), 0);
  uv_fs_req_cleanup(&req);
  assert_in_child(child_uses_files);
  assert_true(files_exist("child"));
  assert_int_equal(ASYNC(req, uv_fs_stat, "child"), 0);
  uv_fs_req_cleanup(&req);
}

int main(void) {
  setenv("UV_THREADPOOL_SIZE", "8", 1);
  may_mount = stalled_allowed();
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_stalled_file_system_leaves_the_loop_turning),
      FILES_TEST(a_stalled_file_system_that_nobody_knew_too),
      FILES_TEST(a_fifo_that_nobody_writes_stops_nothing),
      FILES_TEST(cancelling_never_lies),
      FILES_TEST(what_is_done_cannot_be_cancelled),
      FILES_TEST(a_read_that_waits_cannot_be_cancelled),
      FILES_TEST(a_sync_not_handed_over_is_cancelled),
      FILES_TEST(a_request_under_way_is_not_cleaned_up),
      FILES_TEST(a_chain_of_requests_starves_nobody),
      FILES_TEST(closing_does_not_overtake_a_cold_read),
      FILES_TEST(closing_comes_after_syncs),
      FILES_TEST(a_forked_child_has_files_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
