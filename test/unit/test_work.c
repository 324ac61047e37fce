/* test: threads */
/* The pool: work goes out, comes back, is cancelled, and survives bad days (contract A2,
 * A3). The pool is one for the process, so tests that need another size or no threads
 * run in a child. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "forked.h"
#include "rondo.h"
#include "sanitizers.h"
#include "uv.h"

enum { POOL = 4 };

static uv_loop_t loop;

static int loop_open(void** state) {
  (void) state;
  return uv_loop_init(&loop);
}

static int loop_shut(void** state) {
  (void) state;
  return uv_loop_close(&loop);
}

/* --- There and back -------------------------------------------------------------- */

struct job {
  uv_work_t req;
  pthread_t worked_on;
  int worked;
  int after;
  int status;
};

static void job_work(uv_work_t* req) {
  struct job* job = req->data;
  job->worked_on = pthread_self();
  job->worked++;
}

static void job_after(uv_work_t* req, int status) {
  struct job* job = req->data;
  job->after++;
  job->status = status;
}

static void work_runs_elsewhere_and_returns_here(void** state) {
  (void) state;
  struct job job = {.req.data = &job};
  assert_int_equal(uv_queue_work(&loop, &job.req, job_work, job_after), 0);
  assert_int_equal(job.after, 0);
  assert_true(uv_loop_alive(&loop));
  assert_int_equal(uv_loop_close(&loop), UV_EBUSY);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(job.worked, 1);
  assert_int_equal(job.after, 1);
  assert_int_equal(job.status, 0);
  assert_false(pthread_equal(job.worked_on, pthread_self()));
}

static void nobody_needs_to_be_told(void** state) {
  (void) state;
  struct job job = {.req.data = &job};
  assert_int_equal(uv_queue_work(&loop, &job.req, job_work, NULL), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(job.worked, 1);
}

static void never_sent(uv_async_t* handle) {
  (void) handle;
  fail();
}

/* Covers L8: a request that ends is progress, whether or not anybody is told. */
static void once_ends_with_work_that_nobody_is_told_of(void** state) {
  (void) state;
  struct job job = {.req.data = &job};
  uv_async_t keeps_alive;
  uv_async_init(&loop, &keeps_alive, never_sent);
  assert_int_equal(uv_queue_work(&loop, &job.req, job_work, NULL), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_ONCE), 1);
  assert_int_equal(job.worked, 1);
  uv_close((uv_handle_t*) &keeps_alive, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

static void bad_arguments_are_refused(void** state) {
  (void) state;
  uv_work_t req;
  assert_int_equal(uv_queue_work(&loop, &req, NULL, job_after), UV_EINVAL);
  assert_int_equal(uv_queue_work(NULL, &req, job_work, job_after), UV_EINVAL);
  assert_int_equal(uv_queue_work(&loop, NULL, job_work, job_after), UV_EINVAL);
  assert_false(uv_loop_alive(&loop));
}

enum { MANY = 20000 };
static _Atomic int many_worked;
static int many_after;

static void many_work(uv_work_t* req) {
  (void) req;
  atomic_fetch_add(&many_worked, 1);
}

static void many_done(uv_work_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  many_after++;
}

static void much_work_all_comes_back(void** state) {
  (void) state;
  uv_work_t* reqs = calloc(MANY, sizeof(*reqs));
  atomic_store(&many_worked, 0);
  many_after = 0;
  for (int i = 0; i < MANY; i++)
    assert_int_equal(uv_queue_work(&loop, &reqs[i], many_work, many_done), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(atomic_load(&many_worked), MANY);
  assert_int_equal(many_after, MANY);
  free(reqs);
}

static uv_barrier_t all_begun;

static void wait_for_all(uv_work_t* req) {
  (void) req;
  (void) uv_barrier_wait(&all_begun);
}

static void count_done(uv_work_t* req, int status) {
  (void) req;
  many_after += status == 0;
}

/* As many pieces as there may be threads, each waiting for the others: in a new pool, in
 * one that has a few threads, in one whose threads sleep. Everyone gets a thread. */
static int bursts_with_a_fresh_pool(void) {
  enum { THREADS = 12, ROUNDS = 4 };
  uv_work_t reqs[THREADS];
  char size[8];
  snprintf(size, sizeof(size), "%d", THREADS);
  setenv("UV_THREADPOOL_SIZE", size, 1);
  alarm(30);
  for (int round = 0; round < 3 * ROUNDS; round++) {
    int count = round < ROUNDS ? 2 + round : THREADS;
    many_after = 0;
    uv_barrier_init(&all_begun, (unsigned int) count);
    for (int i = 0; i < count; i++)
      uv_queue_work(&loop, &reqs[i], wait_for_all, count_done);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_barrier_destroy(&all_begun);
    if (many_after != count)
      return 1;
  }
  return 0;
}

static int bursts(void) {
  return uv_loop_init(&loop) != 0 ? 2 : bursts_with_a_fresh_pool();
}

static void everyone_in_a_burst_gets_a_thread(void** state) {
  (void) state;
  assert_in_child(bursts);
}

/* Contract P4: what a limit leaves over comes in the next turns. */
static void a_limit_of_the_poll_holds_for_work_too(void** state) {
  (void) state;
  enum { COUNT = 100 };
  uv_work_t reqs[COUNT];
  assert_int_equal(rondo_loop_limit(&loop, RONDO_PHASE_POLL, 3), 0);
  many_after = 0;
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(uv_queue_work(&loop, &reqs[i], many_work, many_done), 0);
  while (many_after < COUNT) {
    int before = many_after;
    uv_run(&loop, UV_RUN_ONCE);
    assert_true(many_after - before <= 3);
  }
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
}

/* --- Cancelling ------------------------------------------------------------------ */

static uv_sem_t gate;
static uv_sem_t inside;
static uv_work_t blockers[POOL];
static int blockers_after;

static void blocker_work(uv_work_t* req) {
  (void) req;
  uv_sem_post(&inside);
  uv_sem_wait(&gate);
}

static void blocker_after(uv_work_t* req, int status) {
  (void) req;
  assert_int_equal(status, 0);
  blockers_after++;
}

static void pool_block(void) {
  assert_int_equal(uv_sem_init(&gate, 0), 0);
  assert_int_equal(uv_sem_init(&inside, 0), 0);
  blockers_after = 0;
  for (int i = 0; i < POOL; i++)
    assert_int_equal(uv_queue_work(&loop, &blockers[i], blocker_work, blocker_after), 0);
  for (int i = 0; i < POOL; i++)
    uv_sem_wait(&inside);
}

static void pool_unblock(void) {
  for (int i = 0; i < POOL; i++)
    uv_sem_post(&gate);
}

static void pool_forget(void) {
  uv_sem_destroy(&gate);
  uv_sem_destroy(&inside);
}

static void waiting_work_is_cancelled_and_told_so_later(void** state) {
  (void) state;
  struct job job = {.req.data = &job};
  pool_block();
  assert_int_equal(uv_queue_work(&loop, &job.req, job_work, job_after), 0);
  assert_int_equal(uv_cancel((uv_req_t*) &job.req), 0);
  assert_int_equal(job.after, 0);
  assert_int_equal(uv_cancel((uv_req_t*) &job.req), 0); /* once more is no mistake */
  uv_run(&loop, UV_RUN_NOWAIT);
  assert_int_equal(job.after, 1);
  assert_int_equal(uv_cancel((uv_req_t*) &job.req), UV_EBUSY);
  assert_int_equal(job.status, UV_ECANCELED);
  assert_int_equal(job.worked, 0);
  pool_unblock();
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(blockers_after, POOL);
  pool_forget();
}

static void running_work_is_not_cancelled(void** state) {
  (void) state;
  pool_block();
  for (int i = 0; i < POOL; i++)
    assert_int_equal(uv_cancel((uv_req_t*) &blockers[i]), UV_EBUSY);
  pool_unblock();
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(blockers_after, POOL);
  pool_forget();
}

static void other_requests_are_not_cancelled(void** state) {
  (void) state;
  const uv_req_type others[] = {UV_UNKNOWN_REQ, UV_REQ, UV_CONNECT, UV_WRITE,
                                UV_SHUTDOWN};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    uv_req_t req = {.type = others[i]};
    assert_int_equal(uv_cancel(&req), UV_EINVAL);
  }
  assert_int_equal(uv_cancel(NULL), UV_EINVAL);
}

/* At every moment of its life: whatever uv_cancel says must be what happens. */
static void cancelling_never_lies(void** state) {
  (void) state;
  enum { ROUNDS = 300, BATCH = 16 };
  struct job jobs[BATCH];
  for (int round = 0; round < ROUNDS; round++) {
    int answers[BATCH];
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < BATCH; i++) {
      jobs[i].req.data = &jobs[i];
      assert_int_equal(uv_queue_work(&loop, &jobs[i].req, job_work, job_after), 0);
    }
    for (volatile int spin = 0; spin < round * 20; spin++) {
    }
    for (int i = BATCH - 1; i >= 0; i--)
      answers[i] = uv_cancel((uv_req_t*) &jobs[i].req);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    for (int i = 0; i < BATCH; i++) {
      assert_int_equal(jobs[i].after, 1);
      assert_true(answers[i] == 0 || answers[i] == UV_EBUSY);
      assert_int_equal(jobs[i].status, answers[i] == 0 ? UV_ECANCELED : 0);
      assert_int_equal(jobs[i].worked, answers[i] == 0 ? 0 : 1);
    }
  }
}

/* --- Many loops ------------------------------------------------------------------ */

struct lane {
  uv_loop_t loop;
  uv_work_t req;
  int left;
};

static void lane_after(uv_work_t* req, int status) {
  struct lane* lane = req->data;
  assert_int_equal(status, 0);
  if (--lane->left > 0)
    assert_int_equal(uv_queue_work(&lane->loop, req, many_work, lane_after), 0);
}

/* Each round closes its loop at once: a thread that still touched it would be seen. */
static void lane_run(void* argument) {
  (void) argument;
  for (int round = 0; round < 40; round++) {
    struct lane* lane = calloc(1, sizeof(*lane));
    assert_int_equal(uv_loop_init(&lane->loop), 0);
    lane->left = 25;
    lane->req.data = lane;
    assert_int_equal(uv_queue_work(&lane->loop, &lane->req, many_work, lane_after), 0);
    assert_int_equal(uv_run(&lane->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&lane->loop), 0);
    free(lane);
  }
}

static void many_loops_share_the_pool(void** state) {
  (void) state;
  uv_thread_t lanes[3];
  for (int i = 0; i < 3; i++)
    assert_int_equal(uv_thread_create(&lanes[i], lane_run, NULL), 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(uv_thread_join(&lanes[i]), 0);
}

/* --- In a child ------------------------------------------------------------------ */

static int child_works(void) {
  if (uv_loop_fork(&loop) != 0)
    return 1;
  struct job job = {.req.data = &job};
  if (uv_queue_work(&loop, &job.req, job_work, job_after) != 0)
    return 2;
  uv_run(&loop, UV_RUN_DEFAULT);
  return job.after == 1 && job.status == 0 && job.worked == 1 ? 0 : 3;
}

static void a_forked_child_has_a_pool_of_its_own(void** state) {
  if (UNDER_THREAD_SANITIZER)
    skip(); /* it allows no threads in a child that was forked with threads */
  work_runs_elsewhere_and_returns_here(state);
  assert_int_equal(in_child(child_works), 0);
  work_runs_elsewhere_and_returns_here(state);
}

static uv_work_t together[POOL];
static int together_after;
static int is_child;

/* The child goes on where it was made, in the middle of what came back together. The
 * blocked threads are the parent's, and what they do is never told here. */
static void together_forks(uv_work_t* req, int status) {
  (void) req;
  assert_int_equal(status, UV_ECANCELED);
  if (together_after++ == 0) {
    pid_t child = fork();
    assert_true(child >= 0);
    is_child = child == 0;
    if (is_child && uv_loop_fork(&loop) != 0)
      _exit(1);
    together[0].data = (void*) (intptr_t) child;
  }
  if (is_child && together_after == POOL)
    _exit(loop.work_active == 0 ? 0 : 2);
}

static void a_child_made_in_a_callback_has_the_rest(void** state) {
  (void) state;
  pool_block();
  together_after = 0;
  for (int i = 0; i < POOL; i++) {
    assert_int_equal(uv_queue_work(&loop, &together[i], job_work, together_forks), 0);
    assert_int_equal(uv_cancel((uv_req_t*) &together[i]), 0);
  }
  uv_run(&loop, UV_RUN_NOWAIT);
  if (is_child)
    _exit(3);
  assert_int_equal(together_after, POOL);
  int status;
  pid_t child = (pid_t) (intptr_t) together[0].data;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  pool_unblock();
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  pool_forget();
}

static int child_works_without_threads(void) {
  uv_loop_t own;
  if (uv_loop_init(&own) != 0)
    return 1;
  struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  if (setuid(65534) != 0 || setrlimit(RLIMIT_NPROC, &none) != 0)
    return 77;
  pthread_t probe;
  if (pthread_create(&probe, NULL, (void* (*) (void*) )(uintptr_t) getpid, NULL) == 0)
    return 77;
  struct job job = {.req.data = &job};
  if (uv_queue_work(&own, &job.req, job_work, job_after) != UV_EAGAIN)
    return 2;
  if (uv_loop_alive(&own) || uv_run(&own, UV_RUN_DEFAULT) != 0 || job.after != 0)
    return 3;
  uv_fs_t req;
  if (uv_fs_mkdir(&own, &req, "/nowhere/at/all", 0, (uv_fs_cb) (uintptr_t) abort) !=
      UV_EAGAIN)
    return 4;
  uv_fs_req_cleanup(&req);
  return uv_loop_close(&own) == 0 ? 0 : 5;
}

static int child_works_with_one_thread(void) {
  uv_loop_t own;
  struct job jobs[10];
  if (uv_loop_init(&own) != 0)
    return 1;
  /* This process is one, so there is room for one thread more. */
  struct rlimit two = {.rlim_cur = 2, .rlim_max = 2};
  if (setuid(64321) != 0 || setrlimit(RLIMIT_NPROC, &two) != 0)
    return 77;
  memset(jobs, 0, sizeof(jobs));
  for (int i = 0; i < 10; i++) {
    jobs[i].req.data = &jobs[i];
    int err = uv_queue_work(&own, &jobs[i].req, job_work, job_after);
    if (i == 0 && err == UV_EAGAIN)
      return 77;
    if (err != 0)
      return 2;
  }
  uv_run(&own, UV_RUN_DEFAULT);
  for (int i = 0; i < 10; i++) {
    if (jobs[i].after != 1 || jobs[i].status != 0)
      return 3;
    if (!pthread_equal(jobs[i].worked_on, jobs[0].worked_on))
      return 77; /* the limit didn't hold */
  }
  return uv_loop_close(&own) == 0 ? 0 : 4;
}

static void fewer_threads_than_wanted_will_do(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip();
  int status = in_child(child_works_with_one_thread);
  if (status == 77)
    skip();
  assert_int_equal(status, 0);
}

static void without_any_thread_work_is_refused(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip();
  int status = in_child(child_works_without_threads);
  if (status == 77)
    skip(); /* not root, or a kernel that doesn't count */
  assert_int_equal(status, 0);
}

/* --- The size, and the look-ups' share ------------------------------------------- */

static _Atomic int running;
static _Atomic int most_running;

static void counted_work(uv_work_t* req) {
  (void) req;
  int now = atomic_fetch_add(&running, 1) + 1;
  int most = atomic_load(&most_running);
  while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now)) {
  }
  usleep(20000);
  atomic_fetch_sub(&running, 1);
}

static int run_with_size(const char* size, int jobs) {
  uv_loop_t own;
  setenv("UV_THREADPOOL_SIZE", size, 1);
  if (uv_loop_init(&own) != 0)
    return -1;
  uv_work_t reqs[16];
  for (int i = 0; i < jobs; i++) {
    if (uv_queue_work(&own, &reqs[i], counted_work, NULL) != 0)
      return -1;
  }
  uv_run(&own, UV_RUN_DEFAULT);
  if (uv_loop_close(&own) != 0)
    return -1;
  return atomic_load(&most_running);
}

static int child_with_one(void) {
  return run_with_size("1", 4);
}

static int child_with_zero(void) {
  return run_with_size("0", 4);
}

static int child_with_seven(void) {
  return run_with_size("7", 16);
}

static void the_environment_sets_the_size(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER)
    skip();
  assert_int_equal(in_child(child_with_one), 1);
  assert_int_equal(in_child(child_with_zero), 1);
  assert_int_equal(in_child(child_with_seven), 7);
}

static _Atomic int blocked_signals;

static void look_at_mask(uv_work_t* req) {
  (void) req;
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  atomic_store(&blocked_signals,
               sigismember(&mask, SIGINT) && sigismember(&mask, SIGUSR1));
}

static void signals_are_not_for_the_pool(void** state) {
  (void) state;
  uv_work_t req;
  assert_int_equal(uv_queue_work(&loop, &req, look_at_mask, NULL), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_true(atomic_load(&blocked_signals));
}

/* Must be the last: see uv_library_shutdown. */
static void the_pool_ends_with_the_library(void** state) {
  (void) state;
  work_runs_elsewhere_and_returns_here(state);
  uv_library_shutdown();
}

int main(void) {
  /* First, while this process has no threads yet: a child gets a pool of its own. */
  const struct CMUnitTest first[] = {
      cmocka_unit_test(the_environment_sets_the_size),
      cmocka_unit_test(without_any_thread_work_is_refused),
      cmocka_unit_test(fewer_threads_than_wanted_will_do),
      cmocka_unit_test(everyone_in_a_burst_gets_a_thread),
  };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(work_runs_elsewhere_and_returns_here, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(nobody_needs_to_be_told, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(once_ends_with_work_that_nobody_is_told_of,
                                      loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(bad_arguments_are_refused, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(much_work_all_comes_back, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(a_limit_of_the_poll_holds_for_work_too, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(waiting_work_is_cancelled_and_told_so_later,
                                      loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(running_work_is_not_cancelled, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(other_requests_are_not_cancelled, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(cancelling_never_lies, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(many_loops_share_the_pool, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(a_forked_child_has_a_pool_of_its_own, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(a_child_made_in_a_callback_has_the_rest, loop_open,
                                      loop_shut),
      cmocka_unit_test_setup_teardown(signals_are_not_for_the_pool, loop_open, loop_shut),
      cmocka_unit_test_setup_teardown(the_pool_ends_with_the_library, loop_open,
                                      loop_shut),
  };
  int failed = cmocka_run_group_tests_name("pool in a child", first, NULL, NULL);
  return failed + cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
