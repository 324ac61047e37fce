/* test: serial threads */
/* The poll phase on its bad days: what must not hang, spin, oversleep or starve. */
#include "loop_test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "backend/backend.h"
#include "loop/loop.h"
#include "loop/watcher.h"

static uv_timer_t timer;
static uv_poll_t poll_handle;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_async_t async;
static int calls;

static uint64_t processor_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
         (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static uint64_t wall_ms(void) {
  return uv_hrtime() / 1000000;
}

static void open_pair(int pair[2]) {
  assert_int_equal(
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
}

static void stop_loop(uv_timer_t* handle) {
  log_word("timer");
  uv_stop(handle->loop);
}

static void log_status(uv_poll_t* handle, int status, int events) {
  (void) events;
  log_word(status < 0 ? "error" : "ready");
  uv_stop(handle->loop);
}

/* Ends the loop's busy time: by then the wait is in the ring, where there is one. */
static void busy_for_ten_turns(uv_idle_t* handle) {
  if (++calls == 10)
    uv_close((uv_handle_t*) handle, NULL);
}

static void make_busy(uv_loop_t* loop) {
  calls = 0;
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, busy_for_ten_turns);
}

/* The kernel's refusal is found while the poll is about to sleep: it must not. */
static void a_refused_descriptor_does_not_wait_for_the_next_event(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  open_pair(pair);
  uv_poll_init(loop, &poll_handle, pair[0]);
  close(pair[0]);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 5000, 0);
  uv_poll_start(&poll_handle, UV_READABLE, log_status);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("error");
  close(pair[1]);
}

/* The peer's half close is reported for ever to a handle that no longer asks for it. */
static void readiness_that_nobody_wants_does_not_spin(void** state) {
  uv_loop_t* loop = *state;
  static const char block[4096];
  int pair[2];
  open_pair(pair);
  while (write(pair[0], block, sizeof(block)) > 0)
    continue;
  uv_poll_init(loop, &poll_handle, pair[0]);
  uv_poll_start(&poll_handle, UV_WRITABLE | UV_DISCONNECT, log_status);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_poll_start(&poll_handle, UV_WRITABLE, log_status);
  shutdown(pair[1], SHUT_WR);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 200, 0);
  uint64_t before = processor_ms();
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(processor_ms() - before < 100);
  assert_log("timer");
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

static void take_long(uv_prepare_t* handle) {
  uv_sleep(300);
  uv_prepare_stop(handle);
}

/* Covers T4: the poll sleeps until the timer is due, not for as long as it was away when
 * the turn began. */
static void a_slow_turn_does_not_make_timers_late(void** state) {
  uv_loop_t* loop = *state;
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, take_long);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 400, 0);
  uint64_t before = wall_ms();
  uv_run(loop, UV_RUN_DEFAULT);
  assert_in_range(wall_ms() - before, 400, 650);
}

/* Covers T2 and T4: a timer at the end of time, on both ways to sleep. */
static void a_timer_at_the_end_of_time_lets_the_loop_sleep(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_t far;
  make_busy(loop);
  uv_timer_init(loop, &far);
  uv_timer_start(&far, stop_loop, UINT64_MAX, 0);
  uv_run(loop, UV_RUN_ONCE);
  uv_poll_t own;
  int pair[2];
  open_pair(pair);
  uv_poll_init(loop, &own, pair[0]);
  uv_poll_start(&own, UV_READABLE, log_status);
  for (int i = 0; i < 20 && calls < 10; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    usleep(200000);
    _exit(write(pair[1], "x", 1) == 1 ? 0 : 1);
  }
  uint64_t before = processor_ms();
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(processor_ms() - before < 100);
  assert_log("ready");
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

static void run_until_stopped(void* argument) {
  uv_run(argument, UV_RUN_DEFAULT);
}

/* The wait is in the ring of the thread that turned the loop first; the next one has to
 * make a ring of its own, and sleep once. */
static void a_loop_that_moved_wakes_in_time(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  make_busy(loop);
  while (uv_run(loop, UV_RUN_NOWAIT) != 0)
    continue;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 300, 0);
  uint64_t before = wall_ms();
  uv_thread_create(&thread, run_until_stopped, loop);
  uv_thread_join(&thread);
  assert_in_range(wall_ms() - before, 290, 500);
}

static void count_calls(uv_async_t* handle) {
  (void) handle;
  calls++;
}

static void just_ready(uv_poll_t* handle, int status, int events) {
  (void) handle, (void) status, (void) events;
}

/* Covers P4: what a limit leaves over has its turn, also beside a descriptor that is
 * always ready. */
static void a_limit_starves_nobody(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  open_pair(pair);
  rondo_loop_limit(loop, RONDO_PHASE_POLL, 1);
  uv_poll_init(loop, &poll_handle, pair[0]);
  uv_poll_start(&poll_handle, UV_WRITABLE, just_ready);
  uv_async_init(loop, &async, count_calls);
  calls = 0;
  uv_async_send(&async);
  for (int i = 0; i < 10; i++)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(calls, 1);
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

static void do_nothing(uv_prepare_t* handle) {
  (void) handle;
}

/* Covers P4: handles that are called in every turn are left over in every turn; once each
 * has been called the loop sleeps all the same. */
static void a_limit_lets_the_loop_sleep(void** state) {
  uv_loop_t* loop = *state;
  uv_prepare_t several[5];
  for (int i = 0; i < 5; i++) {
    uv_prepare_init(loop, &several[i]);
    uv_prepare_start(&several[i], do_nothing);
  }
  rondo_loop_limit(loop, RONDO_PHASE_PREPARE, 2);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, stop_loop, 50, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_metrics_t metrics;
  uv_metrics_info(loop, &metrics);
  assert_in_range(metrics.loop_count, 3, 10);
  assert_log("timer");
  close_all(loop);
}

/* The last turn of a loop polls as well: what is ready then is told, though the handle
 * does not keep the loop alive. */
static void the_last_turn_polls_too(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  open_pair(pair);
  uv_poll_init(loop, &poll_handle, pair[0]);
  uv_poll_start(&poll_handle, UV_WRITABLE, log_status);
  uv_unref((uv_handle_t*) &poll_handle);
  uv_timer_init(loop, &timer);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("ready");
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

/* --- idle time, asked for from another thread -------------------------------------- */

static int watching;
static int glitches;
static uint64_t watched_since; /* the loop was busy before; the thread may begin late */

static void watch_idle_time(void* argument) {
  uint64_t last = 0;
  while (__atomic_load_n(&watching, __ATOMIC_RELAXED)) {
    uint64_t idle_time = uv_metrics_idle_time(argument);
    /* Not to the nanosecond: both threads read the clock before they are done. */
    glitches +=
        idle_time + 500000 < last || idle_time > uv_hrtime() - watched_since + 50000000;
    last = idle_time;
  }
}

static void count_down(uv_timer_t* handle) {
  if (--calls == 0)
    uv_timer_stop(handle);
}

static void idle_time_never_jumps(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
  watching = 1;
  glitches = 0;
  calls = 500;
  watched_since = uv_hrtime();
  uv_thread_create(&thread, watch_idle_time, loop);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, count_down, 1, 1);
  uv_run(loop, UV_RUN_DEFAULT);
  __atomic_store_n(&watching, 0, __ATOMIC_RELAXED);
  uv_thread_join(&thread);
  /* The loop looks at the clock before it notes that it is awake. Where it loses its
   * processor in between, idle time falls back once. A half update would be seen after
   * most of the 500 sleeps. */
  assert_in_range(glitches, 0, 5);
}

/* --- file operations on the ring --------------------------------------------------- */

enum { READS = 8 };
static struct uv__work reads[READS];
static char bytes[READS];
static struct iovec vectors[READS];

static void read_done(struct uv__work* w, int result) {
  req_end(w->loop, w);
  assert_int_equal(result, 1);
  calls++;
}

/* 0, or what the backend says to a read that it can't do. */
static int submit_reads(uv_loop_t* loop, int fd, int count) {
  for (int i = 0; i < count; i++) {
    vectors[i] = (struct iovec){.iov_base = &bytes[i], .iov_len = 1};
    const struct file_operation operation = {
        .opcode = FILE_READV, .fd = fd, .address = &vectors[i], .count = 1, .offset = 0};
    reads[i].loop = loop;
    reads[i].done = read_done;
    int err = backend_submit(loop, &operation, &reads[i]);
    if (err != 0)
      return err;
    loop->active_reqs.count++;
  }
  return 0;
}

static int open_self(void) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  return fd;
}

/* Covers L10: who asks for the timeout is about to sleep in our place, and nobody else
 * would hand the operation to the kernel. */
static void an_outer_loop_sees_file_operations_end(void** state) {
  uv_loop_t* loop = *state;
  int fd = open_self();
  calls = 0;
  if (submit_reads(loop, fd, 1) != 0) {
    close(fd);
    skip();
  }
  for (int i = 0; i < 5 && calls == 0; i++) {
    struct pollfd outer = {.fd = uv_backend_fd(loop), .events = POLLIN};
    int timeout = uv_backend_timeout(loop);
    assert_int_equal(poll(&outer, 1, timeout < 0 ? 3000 : timeout), 1);
    uv_run(loop, UV_RUN_NOWAIT);
  }
  assert_int_equal(calls, 1);
  close(fd);
}

/* Covers P4. */
static void a_limit_holds_for_file_operations(void** state) {
  uv_loop_t* loop = *state;
  int fd = open_self();
  calls = 0;
  rondo_loop_limit(loop, RONDO_PHASE_POLL, 2);
  if (submit_reads(loop, fd, READS) != 0) {
    close(fd);
    skip();
  }
  for (int turns = 0; calls < READS && turns < 1000; turns++) {
    int before = calls;
    uv_run(loop, UV_RUN_NOWAIT);
    assert_true(calls - before <= 2);
  }
  assert_int_equal(calls, READS);
  close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(a_refused_descriptor_does_not_wait_for_the_next_event),
      loop_test(readiness_that_nobody_wants_does_not_spin),
      loop_test(a_slow_turn_does_not_make_timers_late),
      loop_test(a_timer_at_the_end_of_time_lets_the_loop_sleep),
      loop_test(a_loop_that_moved_wakes_in_time),
      loop_test(a_limit_starves_nobody),
      loop_test(a_limit_lets_the_loop_sleep),
      loop_test(the_last_turn_polls_too),
      loop_test(idle_time_never_jumps),
      loop_test(an_outer_loop_sees_file_operations_end),
      loop_test(a_limit_holds_for_file_operations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
