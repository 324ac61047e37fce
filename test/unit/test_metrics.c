/* What uv_metrics_info counts, and when: turns from their poll on, events as they are
 * handled, and of those the ones that nobody had to wait for. */
#include "loop_test.h"

static uv_prepare_t prepare;
static uv_fs_t request;
static int finished;

static uv_metrics_t metrics_of(uv_loop_t* loop) {
  uv_metrics_t metrics;
  assert_int_equal(uv_metrics_info(loop, &metrics), 0);
  return metrics;
}

static void stat_again(uv_fs_t* req) {
  uv_metrics_t metrics = metrics_of(req->loop);
  assert_int_equal(metrics.loop_count, ++finished);
  assert_true(metrics.events >= (uint64_t) finished);
  uv_fs_req_cleanup(req);
  if (finished < 3)
    assert_int_equal(uv_fs_stat(req->loop, req, ".", stat_again), 0);
}

static void stat_from_prepare(uv_prepare_t* handle) {
  uv_metrics_t metrics = metrics_of(handle->loop);
  assert_int_equal(metrics.loop_count, 0);
  assert_int_equal(metrics.events, 0);
  uv_prepare_stop(handle);
  assert_int_equal(uv_fs_stat(handle->loop, &request, ".", stat_again), 0);
}

/* Covers N6 too: a request made in a callback of the poll is answered a turn later. */
static void turns_are_counted_from_their_poll_on(void** state) {
  uv_loop_t* loop = *state;
  finished = 0;
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, stat_from_prepare);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(finished, 3);
}

static void count_work(uv_work_t* req, int status) {
  (void) req, (void) status;
  finished++;
}

static void no_work(uv_work_t* req) {
  (void) req;
}

static void finished_work_was_waiting(void** state) {
  uv_loop_t* loop = *state;
  uv_work_t work[4];
  finished = 0;
  for (int i = 0; i < 4; i++)
    assert_int_equal(uv_queue_work(loop, &work[i], no_work, count_work), 0);
  uv_sleep(200); /* more than enough for nothing to do */
  uv_run(loop, UV_RUN_DEFAULT);
  assert_int_equal(finished, 4);
  assert_int_equal(metrics_of(loop).events, 4);
  assert_true(metrics_of(loop).events_waiting >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(turns_are_counted_from_their_poll_on),
      loop_test(finished_work_was_waiting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
