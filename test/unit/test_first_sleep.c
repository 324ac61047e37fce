/* What a loop's first sleep does on the loop's thread: it opens no file. A thread of the
 * pool may read what the process's group is allowed, after its first work. */
/* test: threads */
#include "loop_test.h"

#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>

static _Thread_local int opened;

/* Takes the place of the C library's in this program. */
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = va_arg(arguments, int);
  va_end(arguments);
  opened++;
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void count_call(uv_timer_t* timer) {
  (*(int*) timer->data)++;
  uv_close((uv_handle_t*) timer, NULL);
}

static void a_timer_s_sleep_opens_no_file(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t timer;
  int calls = 0;
  uv_timer_init(loop, &timer);
  timer.data = &calls;
  uv_timer_start(&timer, count_call, 1, 0);
  opened = 0;
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(calls, 1);
  assert_int_equal(opened, 0);
}

static uv_async_t async;
static int answers;

static void send_again(uv_async_t* handle) {
  if (__atomic_add_fetch(&answers, 1, __ATOMIC_RELAXED) == 200)
    uv_close((uv_handle_t*) handle, NULL);
}

static void send_all(void* unused) {
  (void) unused;
  for (int i = 0; i < 200; i++) {
    int seen = __atomic_load_n(&answers, __ATOMIC_RELAXED);
    uv_async_send(&async);
    while (__atomic_load_n(&answers, __ATOMIC_RELAXED) == seen)
      uv_sleep(0);
  }
}

/* Here the loop has reasons to spin, so it asks for the number of processors. */
static void a_sleep_that_another_thread_ends_opens_none(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  uv_async_init(loop, &async, send_again);
  opened = 0;
  assert_int_equal(uv_thread_create(&thread, send_all, NULL), 0);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  assert_int_equal(answers, 200);
  assert_int_equal(opened, 0);
}

static void nothing(uv_work_t* work) {
  (void) work;
}

static void work_ended(uv_work_t* work, int status) {
  assert_int_equal(status, 0);
  (*(int*) work->data)++;
}

static void a_sleep_for_the_pool_opens_none(void** state) {
  uv_loop_t* loop = *state;
  uv_work_t work;
  int ended = 0;
  work.data = &ended;
  opened = 0;
  for (int i = 0; i < 20; i++) {
    assert_int_equal(uv_queue_work(loop, &work, nothing, work_ended), 0);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  assert_int_equal(ended, 20);
  assert_int_equal(opened, 0);
}

/* A quota counts as soon as a thread has looked. */
static void the_quota_is_learnt_elsewhere(void** state) {
  (void) state;
  system_processors_learn();
  assert_int_equal(system_processors(), uv_available_parallelism());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(a_timer_s_sleep_opens_no_file),
      loop_test(a_sleep_that_another_thread_ends_opens_none),
      loop_test(a_sleep_for_the_pool_opens_none),
      loop_test(the_quota_is_learnt_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
