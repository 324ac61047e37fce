/* What must hold is checked: each of these breaks one thing from outside, in a process of
 * its own, and the library ends that process where it comes upon it. Without the damage
 * the same run ends well. */
#include "forked.h"
#include "loop_test.h"

#include "request/fs_state.h"

#include <fcntl.h>
#include <signal.h>

enum damage { NO_DAMAGE, DAMAGE };
enum { ABORTED = 100 + SIGABRT };

static enum damage damage;
static uv_loop_t loop;
static int calls;

static int in_damaged_child(int (*body)(void), enum damage with) {
  damage = with;
  return in_child(body);
}

static void assert_is_checked(int (*body)(void)) {
  assert_int_equal(in_damaged_child(body, NO_DAMAGE), 0);
  assert_int_equal(in_damaged_child(body, DAMAGE), ABORTED);
}

static void begin(void) {
  if (!freopen("/dev/null", "w", stderr))
    _exit(50);
  if (uv_loop_init(&loop) != 0)
    _exit(51);
}

static int end(void) {
  uv_run(&loop, UV_RUN_DEFAULT);
  return calls == 1 ? uv_loop_close(&loop) : 52;
}

static void count_fs(uv_fs_t* req) {
  calls++;
  uv_fs_req_cleanup(req);
}

/* A request goes from place to place on the ways of fs.h only. */
static int a_request_jumps(void) {
  static uv_fs_t req;
  begin();
  uv_fs_stat(&loop, &req, "/", count_fs);
  if (damage)
    fs_inside(&req)->place = FS_HELD; /* a stat is never held: it can't end from there */
  return end();
}

/* A read in a batch belongs to that batch. */
static int a_read_leaves_its_batch(void) {
  static uv_fs_t req;
  static char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  begin();
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  uv_fs_t first;
  uv_fs_stat(NULL, &first, "/", NULL); /* nothing waits for a thread */
  uv_fs_req_cleanup(&first);
  uv_fs_read(&loop, &req, fd, &buf, 1, 0, count_fs);
  if (fs_place(&req) != FS_BATCH)
    return 77;
  if (damage)
    fs_inside(&req)->batch = NULL;
  return end();
}

/* A batch changes hands in one direction only: what is with nobody isn't settled. */
static int a_batch_changes_hands(void) {
  static uv_fs_t req;
  static char byte;
  uv_buf_t buf = uv_buf_init(&byte, 1);
  begin();
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  uv_fs_read(&loop, &req, fd, &buf, 1, 0, count_fs);
  if (fs_place(&req) != FS_BATCH)
    return 77;
  if (damage) {
    /* Back from a helper that never had it. */
    struct uv__work* work = (struct uv__work*) (void*) fs_inside(&req)->batch;
    *work = (struct uv__work){.loop = &loop};
    fs_inside(&req)->place = FS_POOL;
  }
  return end();
}

static void work(uv_work_t* req) {
  (void) req;
}

static void count_work(uv_work_t* req, int status) {
  (void) req, (void) status;
  calls++;
}

/* The loop knows of all the work that comes back. */
static int work_comes_back_uncounted(void) {
  static uv_work_t req;
  begin();
  uv_queue_work(&loop, &req, work, count_work);
  if (damage)
    loop.work_active = 0;
  return end();
}

/* A request that ends was counted when it began. */
static int a_request_ends_uncounted(void) {
  static uv_work_t req;
  uv_timer_t timer;
  begin();
  uv_timer_init(&loop, &timer);
  uv_queue_work(&loop, &req, work, count_work);
  if (damage) {
    loop.active_reqs.count = 0;
    loop.active_handles = 1; /* so that the loop runs */
  }
  uv_close((uv_handle_t*) &timer, NULL);
  return end();
}

/* A link's neighbours know it. */
static int a_queue_is_torn(void) {
  static uv_idle_t idles[2];
  begin();
  for (int i = 0; i < 2; i++) {
    uv_idle_init(&loop, &idles[i]);
    uv_idle_start(&idles[i], (uv_idle_cb) abort);
  }
  if (damage)
    queue_of(loop.idle_handles)->next->next = queue_of(loop.idle_handles);
  for (int i = 0; i < 2; i++)
    uv_close((uv_handle_t*) &idles[i], NULL);
  calls = 1;
  return end();
}

/* A timer is where it believes to be. */
static int a_timer_is_elsewhere(void) {
  static uv_timer_t timers[2];
  begin();
  for (int i = 0; i < 2; i++) {
    uv_timer_init(&loop, &timers[i]);
    uv_timer_start(&timers[i], (uv_timer_cb) abort, 1000000, 0);
  }
  if (damage)
    timers[0].heap_index = 1;
  for (int i = 0; i < 2; i++)
    uv_close((uv_handle_t*) &timers[i], NULL);
  calls = 1;
  return end();
}

#define CHECKED(body)                                                                    \
  static void body##_is_checked(void** state) {                                          \
    (void) state;                                                                        \
    if (in_damaged_child(body, NO_DAMAGE) == 77)                                         \
      skip();                                                                            \
    assert_is_checked(body);                                                             \
  }

CHECKED(a_request_jumps)
CHECKED(a_read_leaves_its_batch)
CHECKED(a_batch_changes_hands)
CHECKED(work_comes_back_uncounted)
CHECKED(a_request_ends_uncounted)
CHECKED(a_queue_is_torn)
CHECKED(a_timer_is_elsewhere)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_jumps_is_checked),
      cmocka_unit_test(a_read_leaves_its_batch_is_checked),
      cmocka_unit_test(a_batch_changes_hands_is_checked),
      cmocka_unit_test(work_comes_back_uncounted_is_checked),
      cmocka_unit_test(a_request_ends_uncounted_is_checked),
      cmocka_unit_test(a_queue_is_torn_is_checked),
      cmocka_unit_test(a_timer_is_elsewhere_is_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
