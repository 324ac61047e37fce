/* test: threads */
/* Reads that come in numbers, which the loop's thread and one of the pool share: each
 * gets its own bytes and its own callback, whoever did it. */
#include "helper_files.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "forked.h"
#include "rondo.h"
#include "sanitizers.h"

enum {
  BLOCK = 4096,
  BLOCKS = 256,
  AT_ONCE = 64,
  ROUNDS = UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? 40 : 400
};

struct reader {
  uv_fs_t req;
  uv_loop_t* loop;
  int file;
  unsigned int block;
  unsigned int left;
  bool cancelled;
  char buffer[BLOCK];
};

static struct reader readers[AT_ONCE];
static int calls;

static int open_blocks(void) {
  static char bytes[BLOCK];
  int fd = open("blocks", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  for (unsigned int i = 0; i < BLOCKS; i++) {
    memset(bytes, (int) (i * 7 + 1), sizeof bytes);
    memcpy(bytes, &i, sizeof i);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
  }
  return fd;
}

static void check_block(const char* buffer, unsigned int block) {
  assert_memory_equal(buffer, &block, sizeof block);
  for (size_t i = sizeof block; i < BLOCK; i += 97)
    assert_int_equal((unsigned char) buffer[i], (unsigned char) (block * 7 + 1));
}

/* Every third in two parts. */
static void begin(struct reader* reader, uv_fs_cb cb) {
  size_t first = reader->block % 3 == 0 ? 100 : BLOCK;
  uv_buf_t parts[] = {
      uv_buf_init(reader->buffer, (unsigned int) first),
      uv_buf_init(reader->buffer + first, (unsigned int) (BLOCK - first))};
  memset(reader->buffer, 0, sizeof reader->buffer);
  reader->req.data = reader;
  assert_int_equal(uv_fs_read(reader->loop, &reader->req, reader->file, parts,
                              first == BLOCK ? 1 : 2, (int64_t) reader->block * BLOCK,
                              cb),
                   0);
}

static void one_read(uv_fs_t* req) {
  struct reader* reader = req->data;
  assert_int_equal(req->result, BLOCK);
  check_block(reader->buffer, reader->block);
  uv_fs_req_cleanup(req);
  if (reader->left-- > 0) {
    reader->block = (reader->block * 13 + 5) % BLOCKS;
    begin(reader, one_read);
  }
}

static void read_for_long(uv_loop_t* loop, struct reader* some, int file) {
  for (unsigned int i = 0; i < AT_ONCE; i++) {
    some[i].loop = loop;
    some[i].file = file;
    some[i].block = i;
    some[i].left = 5 * ROUNDS;
    begin(&some[i], one_read);
  }
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  for (unsigned int i = 0; i < AT_ONCE; i++)
    assert_int_equal(some[i].left, -1u);
}

static void each_gets_its_own_bytes(void** state) {
  (void) state;
  int file = open_blocks();
  read_for_long(&files_loop, readers, file);
  close(file);
}

static void read_in_thread(void* argument) {
  struct reader* some = calloc(AT_ONCE, sizeof *some);
  uv_loop_t loop;
  assert_non_null(some);
  assert_int_equal(uv_loop_init(&loop), 0);
  read_for_long(&loop, some, *(int*) argument);
  assert_int_equal(uv_loop_close(&loop), 0);
  free(some);
}

static void loops_share_the_pool(void** state) {
  (void) state;
  uv_thread_t other;
  int file = open_blocks();
  assert_int_equal(uv_thread_create(&other, read_in_thread, &file), 0);
  read_for_long(&files_loop, readers, file);
  assert_int_equal(uv_thread_join(&other), 0);
  close(file);
}

/* Runs a function from a callback, where the loop is awake and bursts begin. */
static void (*inside_function)(int file);
static int inside_file;

static void inside_called(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  inside_function(inside_file);
}

static void run_inside(void (*function)(int), int file) {
  uv_timer_t timer;
  inside_function = function;
  inside_file = file;
  calls = 0;
  assert_int_equal(uv_timer_init(&files_loop, &timer), 0);
  assert_int_equal(uv_timer_start(&timer, inside_called, 0, 0), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static void whole_or_cancelled(uv_fs_t* req) {
  struct reader* reader = req->data;
  calls++;
  if (reader->cancelled) {
    assert_int_equal(req->result, UV_ECANCELED);
  } else {
    assert_int_equal(req->result, BLOCK);
    check_block(reader->buffer, reader->block);
  }
  uv_fs_req_cleanup(req);
}

static void begin_all(int file, uv_fs_cb cb) {
  for (unsigned int i = 0; i < AT_ONCE; i++) {
    readers[i].loop = &files_loop;
    readers[i].file = file;
    readers[i].block = i;
    readers[i].cancelled = false;
    begin(&readers[i], cb);
  }
}

static int cancelled;

static void cancel_all(int file) {
  begin_all(file, whole_or_cancelled);
  for (unsigned int i = AT_ONCE; i-- > 0;) {
    int err = uv_cancel((uv_req_t*) &readers[i].req);
    assert_true(err == 0 || err == UV_EBUSY);
    readers[i].cancelled = err == 0;
    cancelled += err == 0;
    assert_true(uv_cancel((uv_req_t*) &readers[i].req) != 0);
  }
}

/* What was not begun is cancelled, what was is told; nothing is told twice. */
static void cancelling_is_exact(void** state) {
  (void) state;
  int file = open_blocks();
  cancelled = 0;
  for (int i = 0; i < ROUNDS / 4; i++) {
    run_inside(cancel_all, file);
    assert_int_equal(calls, AT_ONCE);
  }
  assert_true(cancelled > 0);
  close(file);
}

static void failed(uv_fs_t* req) {
  calls++;
  assert_int_equal(req->result, UV_EBADF);
  uv_fs_req_cleanup(req);
}

static void begin_failing(int file) {
  begin_all(file, failed);
}

static void errors_are_told(void** state) {
  (void) state;
  close(open_blocks());
  int file = open("blocks", O_WRONLY | O_CLOEXEC);
  assert_true(file >= 0);
  run_inside(begin_failing, file);
  assert_int_equal(calls, AT_ONCE);
  close(file);
}

static void at_the_end(uv_fs_t* req) {
  struct reader* reader = req->data;
  calls++;
  assert_int_equal(req->result, reader->block < BLOCKS ? BLOCK : 0);
  uv_fs_req_cleanup(req);
}

static void begin_near_the_end(int file) {
  for (unsigned int i = 0; i < AT_ONCE; i++) {
    readers[i].loop = &files_loop;
    readers[i].file = file;
    readers[i].block = BLOCKS - AT_ONCE / 2 + i;
    begin(&readers[i], at_the_end);
  }
}

static void end_of_file_is_told(void** state) {
  (void) state;
  int file = open_blocks();
  run_inside(begin_near_the_end, file);
  assert_int_equal(calls, AT_ONCE);
  close(file);
}

/* From nowhere in the page cache: the burst goes the ways that may wait. */
static void cold_files_are_read(void** state) {
  (void) state;
  int file = open_blocks();
  assert_int_equal(fsync(file), 0);
  (void) files_make_cold(file, (size_t) BLOCK * BLOCKS);
  read_for_long(&files_loop, readers, file);
  close(file);
}

static uv_fs_t close_req;

static int overtaken;

static void whole_or_overtaken(uv_fs_t* req) {
  if (req->result == UV_EBADF) {
    calls++;
    overtaken++;
    uv_fs_req_cleanup(req);
  } else {
    whole_or_cancelled(req);
  }
}

static void begin_and_close(int file) {
  begin_all(file, whole_or_overtaken);
  assert_int_equal(uv_fs_close(&files_loop, &close_req, file, files_called), 0);
}

/* Closing does not overtake the reads before it, except perhaps one: that which the
 * helper has taken and not begun when another thread of the pool closes the file. */
static void closing_comes_after(void** state) {
  (void) state;
  for (int i = 0; i < 20; i++) {
    files_calls = 0;
    overtaken = 0;
    run_inside(begin_and_close, open_blocks());
    assert_int_equal(calls, AT_ONCE);
    assert_in_range(overtaken, 0, 1);
    assert_int_equal(files_calls, 1);
    assert_int_equal(close_req.result, 0);
    uv_fs_req_cleanup(&close_req);
  }
}

/* At the file's own position, one after the other. */
static unsigned int next_block;

static void next_in_order(uv_fs_t* req) {
  struct reader* reader = req->data;
  assert_int_equal(req->result, BLOCK);
  check_block(reader->buffer, reader->block);
  calls++;
  uv_fs_req_cleanup(req);
}

static void begin_in_order(int file) {
  for (next_block = 0; next_block < AT_ONCE; next_block++) {
    struct reader* reader = &readers[next_block];
    uv_buf_t buf = uv_buf_init(reader->buffer, BLOCK);
    reader->block = next_block;
    reader->req.data = reader;
    assert_int_equal(
        uv_fs_read(&files_loop, &reader->req, file, &buf, 1, -1, next_in_order), 0);
  }
}

static void own_position_keeps_its_order(void** state) {
  (void) state;
  int file = open_blocks();
  assert_int_equal(lseek(file, 0, SEEK_SET), 0);
  run_inside(begin_in_order, file);
  assert_int_equal(calls, AT_ONCE);
  close(file);
}

static int most_in_turn;
static int calls_before;

static void count_turn(uv_check_t* check) {
  if (calls - calls_before > most_in_turn)
    most_in_turn = calls - calls_before;
  calls_before = calls;
  if (calls == AT_ONCE)
    uv_close((uv_handle_t*) check, NULL);
}

static void begin_whole(int file) {
  begin_all(file, whole_or_cancelled);
}

static void poll_limit_holds(void** state) {
  (void) state;
  int file = open_blocks();
  uv_check_t check;
  assert_int_equal(uv_check_init(&files_loop, &check), 0);
  assert_int_equal(uv_check_start(&check, count_turn), 0);
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 3), 0);
  most_in_turn = calls_before = 0;
  run_inside(begin_whole, file);
  assert_int_equal(rondo_loop_limit(&files_loop, RONDO_PHASE_POLL, 0), 0);
  assert_int_equal(calls, AT_ONCE);
  assert_in_range(most_in_turn, 1, 3);
  close(file);
}

/* A run that ends with gathered reads says that it must be run again soon. */
static void begin_in_check(uv_check_t* check) {
  uv_close((uv_handle_t*) check, NULL);
  begin_all(inside_file, whole_or_cancelled);
}

static void outer_loop_is_told(void** state) {
  (void) state;
  uv_check_t check;
  inside_file = open_blocks();
  calls = 0;
  assert_int_equal(uv_check_init(&files_loop, &check), 0);
  assert_int_equal(uv_check_start(&check, begin_in_check), 0);
  assert_int_not_equal(uv_run(&files_loop, UV_RUN_NOWAIT), 0);
  assert_int_equal(uv_backend_timeout(&files_loop), 0);
  while (uv_run(&files_loop, UV_RUN_NOWAIT) != 0)
    continue;
  assert_int_equal(calls, AT_ONCE);
  close(inside_file);
}

/* A loop that is closed as soon as its reads are done, while its helper may still be
 * looking for more. */
static void loop_may_close_at_once(void** state) {
  (void) state;
  int file = open_blocks();
  for (int i = 0; i < ROUNDS; i++) {
    uv_loop_t* loop = malloc(sizeof *loop);
    uv_timer_t timer;
    assert_non_null(loop);
    assert_int_equal(uv_loop_init(loop), 0);
    for (unsigned int j = 0; j < AT_ONCE; j++) {
      readers[j].loop = loop;
      readers[j].file = file;
      readers[j].block = j;
      readers[j].left = 2;
      begin(&readers[j], one_read);
    }
    assert_int_equal(uv_timer_init(loop, &timer), 0);
    assert_int_equal(uv_run(loop, UV_RUN_NOWAIT), 1);
    uv_close((uv_handle_t*) &timer, NULL);
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(loop), 0);
    free(loop);
  }
  close(file);
}

static void fork_now(int file) {
  begin_all(file, whole_or_cancelled);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    /* What a thread of the parent had taken is the parent's; a new read is ours. */
    uv_fs_t req;
    char bytes[BLOCK];
    uv_buf_t buf = uv_buf_init(bytes, sizeof bytes);
    files_calls = 0;
    if (uv_loop_fork(&files_loop) != 0 ||
        uv_fs_read(&files_loop, &req, file, &buf, 1, BLOCK, files_called) != 0)
      _exit(1);
    while (files_calls == 0)
      uv_run(&files_loop, UV_RUN_ONCE);
    _exit(req.result == BLOCK ? 0 : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void fork_in_the_middle(void** state) {
  (void) state;
  int file = open_blocks();
  for (int i = 0; i < 10; i++) {
    run_inside(fork_now, file);
    assert_int_equal(calls, AT_ONCE);
  }
  close(file);
}

static bool inside_call;
static int cached_file;

static void nobody_can(uv_fs_t* req) {
  assert_false(inside_call);
  assert_int_equal(req->result, UV_EAGAIN);
  uv_fs_req_cleanup(req);
  calls++;
}

/* A few that can be had at once, so that the others make a burst. */
static void begin_and_close_in_vain(int file) {
  for (unsigned int i = 0; i < AT_ONCE; i++) {
    readers[i].loop = &files_loop;
    readers[i].file = i < 16 ? cached_file : file;
    readers[i].block = i;
    begin(&readers[i], i < 16 ? whole_or_cancelled : nobody_can);
  }
  inside_call = true;
  int err = uv_fs_close(&files_loop, &close_req, file, files_called);
  inside_call = false;
  assert_int_equal(err, UV_EAGAIN);
}

static int read_without_threads(void) {
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  uv_thread_t probe;
  cached_file = open_blocks();
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (setuid(65534) != 0 || setrlimit(RLIMIT_NPROC, &none) != 0 ||
      uv_thread_create(&probe, (uv_thread_cb) (uintptr_t) getpid, NULL) == 0)
    return 77; /* privileged or not limited here: nothing to see */
  /* Without io_uring, whose workers need no leave. */
  setenv("RONDO_BACKEND", "epoll", 1);
  assert_int_equal(uv_loop_close(&files_loop), 0);
  assert_int_equal(uv_loop_init(&files_loop), 0);
  run_inside(begin_and_close_in_vain, file);
  return calls == AT_ONCE ? 0 : 1;
}

/* Those that must wait, when there is no thread for it: closing the file makes the loop
 * look at them, and they still are called back from the poll phase only. */
static void failures_are_called_back_later(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it allows no threads in a child that was forked with threads */
  assert_in_child(read_without_threads);
}

static void nothing(uv_work_t* work) {
  (void) work;
}

static void count_work(uv_work_t* work, int status) {
  (void) work;
  calls += status == 0;
}

static uv_loop_t* left_alone;

static int close_and_work(void) {
  if (uv_loop_close(left_alone) != 0)
    return 1;
  if (UNDER_THREAD_SANITIZER)
    return 0;
  uv_loop_t loop;
  uv_work_t works[4];
  calls = 0;
  if (uv_loop_init(&loop) != 0)
    return 2;
  for (int i = 0; i < 4; i++) {
    if (uv_queue_work(&loop, &works[i], nothing, count_work) != 0)
      return 3;
  }
  return uv_run(&loop, UV_RUN_DEFAULT) == 0 && calls == 4 ? 0 : 4;
}

static unsigned int reads_to_come;

/* The last one is over, and the helper may be on its way in or out. */
static void fork_after_last(uv_fs_t* req) {
  struct reader* reader = req->data;
  left_alone = reader->loop;
  uv_fs_req_cleanup(req);
  if (--reads_to_come >= AT_ONCE)
    begin(reader, fork_after_last);
  if (reads_to_come == 0)
    assert_in_child(close_and_work);
}

/* A child that wants nothing of the loop but to close it, and has a pool of its own. */
static void child_may_close(void** state) {
  (void) state;
  int file = open_blocks();
  for (int i = 0; i < ROUNDS / 4; i++) {
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    reads_to_come = 4 * AT_ONCE;
    for (unsigned int j = 0; j < AT_ONCE; j++) {
      readers[j].loop = &loop;
      readers[j].file = file;
      readers[j].block = j;
      begin(&readers[j], fork_after_last);
    }
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(reads_to_come, 0);
    assert_int_equal(uv_loop_close(&loop), 0);
  }
  close(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(each_gets_its_own_bytes), FILES_TEST(loops_share_the_pool),
      FILES_TEST(cancelling_is_exact),     FILES_TEST(errors_are_told),
      FILES_TEST(end_of_file_is_told),     FILES_TEST(cold_files_are_read),
      FILES_TEST(closing_comes_after),     FILES_TEST(own_position_keeps_its_order),
      FILES_TEST(poll_limit_holds),        FILES_TEST(outer_loop_is_told),
      FILES_TEST(loop_may_close_at_once),  FILES_TEST(fork_in_the_middle),
      FILES_TEST(child_may_close),         FILES_TEST(failures_are_called_back_later),
  };
  return cmocka_run_group_tests_name("files: bursts", tests, NULL, NULL);
}
