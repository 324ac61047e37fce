/* Random bytes: with and without a loop. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "uv.h"

static char bytes[256];
static const char zeros[256];
static int calls;
static int last_status;
static size_t last_length;

static void note(uv_random_t* req, int status, void* buffer, size_t length) {
  (void) req;
  assert_ptr_equal(buffer, bytes);
  calls++;
  last_status = status;
  last_length = length;
}

static void without_a_callback_they_are_there_on_return(void** state) {
  (void) state;
  memset(bytes, 0, sizeof(bytes));
  assert_int_equal(uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL), 0);
  assert_memory_not_equal(bytes, zeros, sizeof(bytes));
  assert_int_equal(uv_random(NULL, NULL, NULL, 0, 0, NULL), 0);
}

static void bad_arguments_are_refused(void** state) {
  (void) state;
  uv_random_t req;
  uv_loop_t loop;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(uv_random(NULL, NULL, bytes, sizeof(bytes), 1, NULL), UV_EINVAL);
  assert_int_equal(uv_random(NULL, NULL, bytes, (size_t) 0x80000000, 0, NULL), UV_E2BIG);
  assert_int_equal(uv_random(NULL, NULL, bytes, SIZE_MAX, ~0u, NULL), UV_E2BIG);
  assert_int_equal(uv_random(NULL, NULL, NULL, 1, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_random(&loop, &req, bytes, sizeof(bytes), ~0u, note), UV_EINVAL);
  assert_int_equal(uv_random(NULL, &req, bytes, sizeof(bytes), 0, note), UV_EINVAL);
  assert_int_equal(uv_random(&loop, NULL, bytes, sizeof(bytes), 0, note), UV_EINVAL);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(uv_loop_close(&loop), 0);
}

static void with_a_callback_they_come_from_the_pool(void** state) {
  (void) state;
  uv_random_t req;
  uv_loop_t loop;
  assert_int_equal(uv_loop_init(&loop), 0);
  memset(bytes, 0, sizeof(bytes));
  calls = 0;

  assert_int_equal(uv_random(&loop, &req, bytes, 0, 0, note), 0);
  assert_int_equal(calls, 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(calls, 1);
  assert_int_equal(last_status, 0);
  assert_int_equal(last_length, 0);
  assert_memory_equal(bytes, zeros, sizeof(bytes));

  assert_int_equal(uv_random(&loop, &req, bytes, sizeof(bytes), 0, note), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(calls, 2);
  assert_int_equal(last_status, 0);
  assert_int_equal(last_length, sizeof(bytes));
  assert_memory_not_equal(bytes, zeros, sizeof(bytes));
  assert_int_equal(uv_loop_close(&loop), 0);
}

/* With one thread, and that one busy, it is still waiting and can be taken back. */
static uv_sem_t gate;

static void wait_at_gate(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&gate);
}

static void waiting_for_a_thread_it_can_be_cancelled(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_work_t blockers[4];
  uv_random_t req;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(uv_sem_init(&gate, 0), 0);
  for (int i = 0; i < 4; i++)
    assert_int_equal(uv_queue_work(&loop, &blockers[i], wait_at_gate, NULL), 0);
  memset(bytes, 0, sizeof(bytes));
  calls = 0;
  assert_int_equal(uv_random(&loop, &req, bytes, sizeof(bytes), 0, note), 0);
  assert_int_equal(uv_cancel((uv_req_t*) &req), 0);
  assert_int_equal(calls, 0);
  for (int i = 0; i < 4; i++)
    uv_sem_post(&gate);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(calls, 1);
  assert_int_equal(last_status, UV_ECANCELED);
  assert_int_equal(last_length, sizeof(bytes));
  assert_memory_equal(bytes, zeros, sizeof(bytes));
  uv_sem_destroy(&gate);
  assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void) {
  setenv("UV_THREADPOOL_SIZE", "4", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_callback_they_are_there_on_return),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(with_a_callback_they_come_from_the_pool),
      cmocka_unit_test(waiting_for_a_thread_it_can_be_cancelled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
