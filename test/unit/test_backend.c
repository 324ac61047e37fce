/* The choice of a backend, and both backends on bad days. */
#include "forked.h"
#include "loop_test.h"
#include "sandbox.h"
#include "system/tune.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int works(uv_loop_t* loop);
static int fired;

static void fire(uv_timer_t* timer) {
  fired++;
  uv_close((uv_handle_t*) timer, NULL);
}

static void spin(uv_idle_t* idle) {
  if (++*(int*) idle->data == 100)
    uv_close((uv_handle_t*) idle, NULL);
}

static void wake(uv_async_t* async) {
  fired++;
  uv_close((uv_handle_t*) async, NULL);
}

/* A short life with sleeping and with busy turns; 0 if all went well. */
static int works(uv_loop_t* loop) {
  uv_timer_t timer;
  uv_idle_t idle;
  uv_async_t async;
  int turns = 0;
  fired = 0;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, fire, 2, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_idle_init(loop, &idle);
  idle.data = &turns;
  uv_idle_start(&idle, spin);
  uv_async_init(loop, &async, wake);
  uv_async_send(&async);
  uv_run(loop, UV_RUN_DEFAULT);
  return fired == 2 && turns == 100 ? uv_loop_close(loop) : -1;
}

static int expect_backend(const char* name) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0)
    return 1;
  if (strcmp(rondo_backend_name(&loop), name) != 0)
    return 2;
  return works(&loop) == 0 ? 0 : 3;
}

static int asked_for_epoll(void) {
  setenv("RONDO_BACKEND", "epoll", 1);
  return expect_backend("epoll");
}

static int libuvs_variable(void) {
  unsetenv("RONDO_BACKEND");
  setenv("UV_USE_IO_URING", "0", 1);
  return expect_backend("epoll");
}

static int own_variable_wins(void) {
  const char* asked = getenv("RONDO_BACKEND");
  setenv("UV_USE_IO_URING", "0", 1);
  return expect_backend(asked == NULL ? "epoll" : asked);
}

static void the_environment_chooses(void** state) {
  (void) state;
  assert_in_child(asked_for_epoll);
  assert_in_child(libuvs_variable);
  assert_in_child(own_variable_wins);
}

/* What a child that sets a variable reports when it makes two loops; the backend's name
 * comes with it. */
static const char* reported_with(const char* name, const char* value) {
  static char report[2000];
  char path[] = "/tmp/rondo-report-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  pid_t child = fork();
  if (child == 0) {
    uv_loop_t loops[2];
    setenv("RONDO_DEBUG_OUTPUT", path, 1);
    unsetenv("RONDO_DEBUG");
    setenv(name, value, 1);
    for (int i = 0; i < 2; i++) {
      if (uv_loop_init(&loops[i]) != 0)
        _exit(1);
    }
    _exit(strcmp(rondo_backend_name(&loops[0]), "uring") == 0 ? 10 : 20);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) >= 10);
  ssize_t length = read(fd, report, sizeof(report) - 20);
  assert_true(length >= 0);
  snprintf(report + length, 20, "%s", WEXITSTATUS(status) == 10 ? "uring" : "epoll");
  close(fd);
  unlink(path);
  return report;
}

/* Once in a process, with the right name of what the loop has, and without RONDO_DEBUG.
 */
static void a_backend_that_isn_t_one_is_refused_by_name(void** state) {
  (void) state;
  char expected[300];
  const char* report = reported_with("RONDO_BACKEND", "urng");
  const char* got = report + strlen(report) - 5;
  snprintf(expected, sizeof(expected),
           "rondo: RONDO_BACKEND=urng is refused: there is uring and epoll (did you mean "
           "uring?); running on %s\n%s",
           got, got);
  assert_string_equal(report, expected);
  report = reported_with("RONDO_BACKEND", "select");
  got = report + strlen(report) - 5;
  snprintf(expected, sizeof(expected),
           "rondo: RONDO_BACKEND=select is refused: there is uring and epoll; running on "
           "%s\n%s",
           got, got);
  assert_string_equal(report, expected);
  assert_string_equal(reported_with("RONDO_BACKEND", "epoll"), "epoll");
}

/* --- RONDO_TUNE ------------------------------------------------------------------- */

static void switches_are_read_and_unknown_words_reported(void** state) {
  (void) state;
  assert_int_equal(tune_parse(""), 0);
  assert_int_equal(tune_parse("-helper"), 1u << TUNE_HELPER);
  assert_int_equal(tune_parse("-ring-wait,-sized-reads"),
                   1u << TUNE_RING_WAIT | 1u << TUNE_SIZED_READS);
  assert_int_equal(tune_parse(", -work-spin -async-spin,,-pool-spin"),
                   1u << TUNE_WORK_SPIN | 1u << TUNE_ASYNC_SPIN | 1u << TUNE_POOL_SPIN);
  assert_int_equal(tune_parse("-all"), (1u << TUNE_COUNT) - 1);
  const char* report = reported_with("RONDO_TUNE", "-helper,-ringwait,helper,nonsense");
  static const char* const lines[] = {
      "rondo: RONDO_TUNE: -ringwait switches nothing off (did you mean -ring-wait?); the "
      "words are -helper, ",
      "rondo: RONDO_TUNE: helper switches nothing off (did you mean -helper?); the words "
      "are ",
      "rondo: RONDO_TUNE: nonsense switches nothing off; the words are ",
  };
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    const char* first = strstr(report, lines[i]);
    assert_non_null(first);
    assert_null(strstr(first + 1, lines[i])); /* once, though there are two loops */
  }
  assert_null(strstr(reported_with("RONDO_TUNE", "-helper,-all"), "RONDO_TUNE"));
}

/* A loop without any of its mechanisms does the same. */
static int everything_switched_off(void) {
  uv_loop_t loop;
  setenv("RONDO_TUNE", "-all", 1);
  if (uv_loop_init(&loop) != 0 || tune_switched_off != (1u << TUNE_COUNT) - 1)
    return 1;
  return works(&loop) == 0 ? 0 : 2;
}

static void a_loop_works_without_its_mechanisms(void** state) {
  (void) state;
  assert_in_child(everything_switched_off);
}

/* --- io_uring forbidden, missing, out of memory ---------------------------------- */

static int uring_fails_with(int err) {
  if (forbid(SYS_io_uring_setup, err) != 0)
    return 77;
  setenv("RONDO_BACKEND", "uring", 1);
  return expect_backend("epoll");
}

static int uring_forbidden(void) {
  return uring_fails_with(EPERM);
}

static int uring_missing(void) {
  return uring_fails_with(ENOSYS);
}

static int uring_too_old(void) {
  return uring_fails_with(EINVAL);
}

static int uring_without_memory(void) {
  return uring_fails_with(ENOMEM);
}

static void epoll_serves_where_io_uring_is_not_to_be_had(void** state) {
  (void) state;
  assert_in_child(uring_forbidden);
  assert_in_child(uring_missing);
  assert_in_child(uring_too_old);
  assert_in_child(uring_without_memory);
}

/* Says why once, and only if asked. */
static int the_reason_is_told(void) {
  int pipes[2];
  char text[512] = "";
  if (pipe(pipes) != 0)
    return 1;
  dup2(pipes[1], 2);
  setenv("RONDO_DEBUG", "1", 1);
  int result = uring_fails_with(EPERM);
  if (result != 0)
    return result;
  uv_loop_t again;
  uv_loop_init(&again);
  uv_loop_close(&again);
  close(2);
  close(pipes[1]);
  if (read(pipes[0], text, sizeof(text) - 1) <= 0)
    return 4;
  char* first = strstr(text, "io_uring");
  return first != NULL && strstr(text, "seccomp") != NULL &&
                 strchr(text, '\n') == text + strlen(text) - 1
             ? 0
             : 5;
}

static void the_reason_is_told_once(void** state) {
  (void) state;
  assert_in_child(the_reason_is_told);
}

/* "loops" in RONDO_DEBUG: every loop names its backend, in the file that was asked for.
 */
static int the_backend_is_reported(void) {
  char path[] = "/tmp/rondo-debug-XXXXXX";
  char expected[200], text[200];
  uv_loop_t one, two;
  int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  setenv("RONDO_DEBUG", "loops", 1);
  setenv("RONDO_DEBUG_OUTPUT", path, 1);
  uv_loop_init(&one);
  uv_loop_init(&two);
  unlink(path);
  ssize_t length = read(fd, text, sizeof(text) - 1);
  text[length < 0 ? 0 : length] = '\0';
  close(fd);
  snprintf(expected, sizeof(expected),
           "rondo: a loop on %s begins\nrondo: a loop on %s begins\n",
           rondo_backend_name(&one), rondo_backend_name(&two));
  uv_loop_close(&one);
  uv_loop_close(&two);
  return strcmp(text, expected) == 0 ? 0 : 2;
}

static void a_loop_reports_its_backend(void** state) {
  (void) state;
  assert_in_child(the_backend_is_reported);
}

/* The ring is forbidden after it was made: the loop goes on without it. */
static int ring_dies_under_way(void) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0)
    return 1;
  if (forbid(SYS_io_uring_enter, EPERM) != 0)
    return 77;
  return works(&loop) == 0 ? 0 : 2;
}

static int no_fine_wait(void) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0)
    return 1;
  if (forbid(SYS_epoll_pwait2, ENOSYS) != 0)
    return 77;
  return works(&loop) == 0 ? 0 : 2;
}

static void a_loop_survives_losing_system_calls(void** state) {
  (void) state;
  assert_in_child(ring_dies_under_way);
  assert_in_child(no_fine_wait);
}

/* The way of kernels before 6.15: the ring polls the set. */
static int the_older_way(void) {
  setenv("RONDO_NO_EPOLL_WAIT", "1", 1);
  const char* asked = getenv("RONDO_BACKEND");
  return expect_backend(asked == NULL ? "uring" : asked);
}

static void kernels_without_epoll_wait_are_served(void** state) {
  (void) state;
  assert_in_child(the_older_way);
}

/* --- a killed server's port ------------------------------------------------------ */

static void never(uv_poll_t* handle, int status, int events) {
  (void) handle, (void) status, (void) events;
}

/* Why readiness isn't a poll request in the ring: it would hold the socket open after
 * its process is gone. */
static void a_killed_process_lets_go_of_its_sockets(void** state) {
  (void) state;
  for (int round = 0; round < 5; round++) {
    int pair[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
      uv_loop_t loop;
      uv_poll_t handle;
      close(pair[1]);
      if (uv_loop_init(&loop) != 0 || uv_poll_init(&loop, &handle, pair[0]) != 0)
        _exit(1);
      uv_poll_start(&handle, UV_READABLE, never);
      uv_run(&loop, UV_RUN_NOWAIT);
      uv_run(&loop, UV_RUN_NOWAIT);
      uv_run(&loop, UV_RUN_NOWAIT);
      if (write(told[1], "x", 1) != 1)
        _exit(1);
      uv_run(&loop, UV_RUN_DEFAULT);
      _exit(0);
    }
    close(pair[0]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), 0); /* the end, at once */
    close(pair[1]);
    close(told[0]);
    close(told[1]);
  }
}

/* The kernel interrupts a thread some time after a ring of its own was closed: so none is
 * made only to see whether it can be. In a child, which has had no rings before. */
static int own_wait_is_not_interrupted(void) {
  uv_loop_t loop;
  struct epoll_event event;
  if (uv_loop_init(&loop) != 0)
    return 1;
  int set = epoll_create1(EPOLL_CLOEXEC);
  int count = epoll_wait(set, &event, 1, 100);
  close(set);
  return count != 0 || uv_loop_close(&loop) != 0;
}

static void making_a_loop_interrupts_nobody(void** state) {
  (void) state;
  for (int i = 0; i < 3; i++)
    assert_int_equal(in_child(own_wait_is_not_interrupted), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_environment_chooses),
      cmocka_unit_test(a_backend_that_isn_t_one_is_refused_by_name),
      cmocka_unit_test(switches_are_read_and_unknown_words_reported),
      cmocka_unit_test(a_loop_works_without_its_mechanisms),
      cmocka_unit_test(epoll_serves_where_io_uring_is_not_to_be_had),
      cmocka_unit_test(the_reason_is_told_once),
      cmocka_unit_test(a_loop_reports_its_backend),
      cmocka_unit_test(a_loop_survives_losing_system_calls),
      cmocka_unit_test(kernels_without_epoll_wait_are_served),
      cmocka_unit_test(a_killed_process_lets_go_of_its_sockets),
      cmocka_unit_test(making_a_loop_interrupts_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
