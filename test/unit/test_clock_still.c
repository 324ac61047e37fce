/* A clock that stands still, as libfaketime can make it: nothing that waits awake for a
 * moment may wait for the clock's sake for ever. */
#include "loop_test.h"

#include <time.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
  (void) clock;
  *time = (struct timespec){.tv_sec = 1000};
  return 0;
}

static uv_sem_t may_end;
static int ends[2];
static int calls;

static void wait_for_leave(uv_work_t* work) {
  (void) work;
  uv_sem_wait(&may_end);
}

static void ended(uv_work_t* work, int status) {
  (void) work;
  assert_int_equal(status, 0);
  calls++;
}

static void readable(uv_poll_t* poll, int status, int events) {
  (void) events;
  assert_int_equal(status, 0);
  calls++;
  uv_close((uv_handle_t*) poll, NULL);
  uv_sem_post(&may_end);
}

/* Work that ends only when the loop has seen to something else. */
static void work_under_way_does_not_keep_the_loop(void** state) {
  uv_loop_t* loop = *state;
  uv_work_t work;
  uv_poll_t poll;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(uv_sem_init(&may_end, 0), 0);
  assert_int_equal(uv_poll_init(loop, &poll, ends[0]), 0);
  assert_int_equal(uv_poll_start(&poll, UV_READABLE, readable), 0);
  for (int i = 0; i < 3; i++) {
    calls = 0;
    assert_int_equal(uv_queue_work(loop, &work, wait_for_leave, ended), 0);
    if (i == 0)
      assert_int_equal(write(ends[1], "x", 1), 1);
    else
      uv_sem_post(&may_end);
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(calls, i == 0 ? 2 : 1);
  }
  uv_sem_destroy(&may_end);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(work_under_way_does_not_keep_the_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
