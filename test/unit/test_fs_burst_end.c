/* test: threads */
/* Reads that come in numbers, when things end: the loop is closed, the process is forked,
 * there is no thread to be had. */
#include "helper_bursts.h"

#include <sys/resource.h>

#include "forked.h"
#include "sandbox.h"

#include <sys/syscall.h>

/* A loop that is closed as soon as its reads are done, while its helper may still be
 * looking for more. */
static void loop_may_close_at_once(void** state) {
  (void) state;
  int file = burst_file();
  for (int i = 0; i < BURST_ROUNDS; i++) {
    uv_loop_t* loop = malloc(sizeof *loop);
    uv_timer_t timer;
    assert_non_null(loop);
    assert_int_equal(uv_loop_init(loop), 0);
    for (unsigned int j = 0; j < BURST_READS; j++) {
      burst_readers[j].loop = loop;
      burst_readers[j].file = file;
      burst_readers[j].block = j;
      burst_readers[j].left = 2;
      burst_begin(&burst_readers[j], burst_read_on);
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
  burst_begin_all(file, burst_whole_or_cancelled);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    /* What a thread of the parent had taken is the parent's; a new read is ours. */
    uv_fs_t req;
    char bytes[BURST_BLOCK];
    uv_buf_t buf = uv_buf_init(bytes, sizeof bytes);
    files_calls = 0;
    if (uv_loop_fork(&files_loop) != 0 ||
        uv_fs_read(&files_loop, &req, file, &buf, 1, BURST_BLOCK, files_called) != 0)
      _exit(1);
    while (files_calls == 0)
      uv_run(&files_loop, UV_RUN_ONCE);
    _exit(req.result == BURST_BLOCK ? 0 : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void fork_in_the_middle(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it allows no threads in a child that was forked with threads */
  int file = burst_file();
  for (int i = 0; i < 10; i++) {
    burst_run_inside(fork_now, file);
    assert_int_equal(burst_calls, BURST_READS);
  }
  close(file);
}

static uv_fs_t close_req;
static bool inside_call;
static int cached_file;

static void nobody_can(uv_fs_t* req) {
  assert_false(inside_call);
  assert_int_equal(req->result, UV_EAGAIN);
  uv_fs_req_cleanup(req);
  burst_calls++;
}

/* A few that can be had at once, so that the others make a burst. */
static void begin_and_close_in_vain(int file) {
  for (unsigned int i = 0; i < BURST_READS; i++) {
    burst_readers[i].loop = &files_loop;
    burst_readers[i].file = i < 16 ? cached_file : file;
    burst_readers[i].block = i;
    burst_begin(&burst_readers[i], i < 16 ? burst_whole_or_cancelled : nobody_can);
  }
  inside_call = true;
  assert_int_equal(uv_fs_close(&files_loop, &close_req, file, files_called), 0);
  inside_call = false;
}

static int read_without_threads(void) {
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  uv_thread_t probe;
  cached_file = burst_file();
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (!burst_has_cache(cached_file))
    return 77;
  if (setuid(65534) != 0 || setrlimit(RLIMIT_NPROC, &none) != 0 ||
      uv_thread_create(&probe, (uv_thread_cb) (uintptr_t) getpid, NULL) == 0)
    return 77; /* privileged or not limited here: nothing to see */
  /* Without io_uring, whose workers need no leave. */
  setenv("RONDO_BACKEND", "epoll", 1);
  assert_int_equal(uv_loop_close(&files_loop), 0);
  assert_int_equal(uv_loop_init(&files_loop), 0);
  burst_run_inside(begin_and_close_in_vain, file);
  return burst_calls == BURST_READS && close_req.result == UV_EAGAIN ? 0 : 1;
}

/* Those that must wait, when there is no thread for it, and the close behind them: all
 * are called back from the poll phase only. */
static void failures_are_called_back_later(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it allows no threads in a child that was forked with threads */
  assert_in_child(read_without_threads);
}

static int read_without_descriptors(void) {
  int file = burst_file();
  struct rlimit limit;
  if (file < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 77;
  limit.rlim_cur = (rlim_t) file + 1;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || dup(file) >= 0)
    return 77;
  burst_read_for_long(&files_loop, burst_readers, file);
  return 0;
}

/* The backend would like a ring for them. */
static void no_descriptors_are_needed(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip();
  assert_in_child(read_without_descriptors);
}

/* The ring is there, and then it may not be used any more. */
static int read_with_ring_forbidden(void) {
  int file = burst_file();
  burst_read_for_long(&files_loop, burst_readers, file);
  if (forbid(SYS_io_uring_enter, EPERM) != 0)
    return 77;
  burst_read_for_long(&files_loop, burst_readers, file);
  return 0;
}

static void ring_may_be_forbidden(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip();
  assert_in_child(read_with_ring_forbidden);
}

static void nothing(uv_work_t* work) {
  (void) work;
}

static void count_work(uv_work_t* work, int status) {
  (void) work;
  burst_calls += status == 0;
}

static uv_loop_t* left_alone;

static int close_and_work(void) {
  if (uv_loop_close(left_alone) != 0)
    return 1;
  if (UNDER_THREAD_SANITIZER)
    return 0;
  uv_loop_t loop;
  uv_work_t works[4];
  burst_calls = 0;
  if (uv_loop_init(&loop) != 0)
    return 2;
  for (int i = 0; i < 4; i++) {
    if (uv_queue_work(&loop, &works[i], nothing, count_work) != 0)
      return 3;
  }
  return uv_run(&loop, UV_RUN_DEFAULT) == 0 && burst_calls == 4 ? 0 : 4;
}

static unsigned int reads_to_come;

/* The last one is over, and the helper may be on its way in or out. */
static void fork_after_last(uv_fs_t* req) {
  struct burst_reader* reader = req->data;
  left_alone = reader->loop;
  uv_fs_req_cleanup(req);
  if (--reads_to_come >= BURST_READS)
    burst_begin(reader, fork_after_last);
  if (reads_to_come == 0)
    assert_in_child(close_and_work);
}

/* A child that wants nothing of the loop but to close it, and has a pool of its own. */
static void child_may_close(void** state) {
  (void) state;
  int file = burst_file();
  for (int i = 0; i < BURST_ROUNDS / 4; i++) {
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    reads_to_come = 4 * BURST_READS;
    for (unsigned int j = 0; j < BURST_READS; j++) {
      burst_readers[j].loop = &loop;
      burst_readers[j].file = file;
      burst_readers[j].block = j;
      burst_begin(&burst_readers[j], fork_after_last);
    }
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(reads_to_come, 0);
    assert_int_equal(uv_loop_close(&loop), 0);
  }
  close(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(loop_may_close_at_once),    FILES_TEST(fork_in_the_middle),
      FILES_TEST(child_may_close),           FILES_TEST(failures_are_called_back_later),
      FILES_TEST(no_descriptors_are_needed), FILES_TEST(ring_may_be_forbidden),
  };
  return cmocka_run_group_tests_name("files: the end of bursts", tests, NULL, NULL);
}
