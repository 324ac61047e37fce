/* Child processes: how they start, what they are given, and how their end is told. */
#include "spawning.h"

#include "sanitizers.h"
#include "system/system.h"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static struct child child;

static void the_exit_status_is_told(void** state) {
  (void) state;
  child_prepare(&child, "exit 3");
  assert_int_equal(0, child_spawn(&child));
  assert_int_equal(1, uv_is_active((uv_handle_t*) &child.process));
  assert_true(child.process.pid > 0);
  assert_int_equal(child.process.pid, uv_process_get_pid(&child.process));
  assert_int_equal(UV_PROCESS, uv_handle_get_type((uv_handle_t*) &child.process));
  assert_int_equal(0, child.exits); /* never from inside uv_spawn */
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, child.exits);
  assert_int_equal(3, child.status);
  assert_int_equal(0, child.signal);
  child_close(&child);
}

static void the_signal_that_ended_it_is_told(void** state) {
  (void) state;
  child_prepare(&child, "kill -KILL $$");
  assert_int_equal(0, child_spawn(&child));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, child.exits);
  assert_int_equal(0, child.status);
  assert_int_equal(SIGKILL, child.signal);
  child_close(&child);
}

static void a_callback_is_not_needed(void** state) {
  (void) state;
  child_prepare(&child, "exit 0");
  child.options.exit_cb = NULL;
  assert_int_equal(0, child_spawn(&child));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(0, uv_is_active((uv_handle_t*) &child.process));
  child_close(&child);
}

static void arguments_default_to_the_name(void** state) {
  (void) state;
  child_prepare(&child, NULL);
  child.options.file = "true";
  child.options.args = NULL;
  expect_output(&child, "");
}

/* --- errors, from uv_spawn itself ----------------------------------------------------
 */

static void expect_failure(int error) {
  int before = open_descriptors();
  assert_int_equal(error, child_spawn(&child));
  assert_int_equal(before, open_descriptors());
  assert_int_equal(0, uv_is_active((uv_handle_t*) &child.process));
  assert_int_equal(0, child.process.pid);
  assert_int_equal(UV_ESRCH, uv_process_kill(&child.process, SIGTERM));
  /* No child is left to wait for. */
  assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));
  assert_int_equal(ECHILD, errno);
  child_close(&child);
  assert_int_equal(0, child.exits);
}

static void what_can_not_be_run_is_an_error(void** state) {
  static const struct {
    const char* file;
    const char* cwd;
    int error;
  } cases[] = {
      {"program-that-had-better-not-exist", NULL, UV_ENOENT},
      {"/program/that/had/better/not/exist", NULL, UV_ENOENT},
      {"", NULL, UV_ENOENT},
      {"/etc/passwd", NULL, UV_EACCES},
      {"/etc/passwd/sh", NULL, UV_ENOTDIR},
      {"/bin/sh", "/nowhere/at/all", UV_ENOENT},
      {"/bin/sh", "/etc/passwd", UV_ENOTDIR},
      {NULL, NULL, UV_EINVAL},
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    child_prepare(&child, "exit 0");
    child.options.file = cases[i].file;
    child.options.cwd = cases[i].cwd;
    expect_failure(cases[i].error);
  }
  child_prepare(&child, "exit 0");
  child.options.flags = 1u << 30;
  expect_failure(UV_EINVAL);
}

/* What was to be the child's output is at its end then, as after a child that said
 * nothing: programs may start to read before they look whether there is a child. */
static void the_streams_of_a_program_that_can_not_be_run_end(void** state) {
  (void) state;
  child_prepare(&child, "echo never");
  child_capture(&child, 1);
  child.options.file = "/nowhere";
  assert_int_equal(UV_ENOENT, uv_spawn(&loop, &child.process, &child.options));
  assert_int_equal(1, uv_is_readable((uv_stream_t*) &child.out));
  assert_int_equal(0, uv_read_start((uv_stream_t*) &child.out, child_take, child_read));
  uv_close((uv_handle_t*) &child.process, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_true(child.ended);
}

/* --- what is run ---------------------------------------------------------------------
 */

static void a_script_without_a_first_line_is_the_shells(void** state) {
  char path[] = "script-XXXXXX";
  char full[64];
  int fd = mkstemp(path);
  (void) state;
  assert_true(fd >= 0);
  assert_int_equal(15, write(fd, "echo $# $1 $2\n\n", 15));
  assert_int_equal(0, fchmod(fd, 0700));
  close(fd);
  snprintf(full, sizeof full, "./%s", path);
  child_prepare(&child, NULL);
  child.options.file = full;
  child.args[0] = full;
  child.args[1] = (char*) "one";
  child.args[2] = (char*) "two";
  child_capture(&child, 1);
  expect_output(&child, "2 one two\n");
  unlink(path);
}

static void the_file_is_looked_up_in_the_childs_path(void** state) {
  char* env[] = {(char*) "PATH=/nowhere:/bin", (char*) "MARK=here", NULL};
  char* wrong[] = {(char*) "PATH=/nowhere:/etc", NULL};
  char* none[] = {NULL};
  (void) state;
  child_prepare(&child, "echo $MARK");
  child.options.file = "sh";
  child.options.env = env;
  child_capture(&child, 1);
  expect_output(&child, "here\n");

  child_prepare(&child, "exit 0");
  child.options.file = "sh";
  child.options.env = wrong;
  expect_failure(UV_ENOENT);
  child_prepare(&child, "exit 0");
  child.options.file = "passwd"; /* there, but not to be executed */
  child.options.env = wrong;
  expect_failure(UV_EACCES);

  child_prepare(&child, "exit 0");
  child.options.file = "sh";
  child.options.env = none; /* no PATH: the usual places */
  expect_output(&child, "");
}

static void the_environment_is_ours_by_default(void** state) {
  (void) state;
  assert_int_equal(0, setenv("SPAWN_TEST", "inherited", 1));
  child_prepare(&child, "echo $SPAWN_TEST");
  child_capture(&child, 1);
  expect_output(&child, "inherited\n");
  unsetenv("SPAWN_TEST");
}

static void it_starts_in_its_directory(void** state) {
  (void) state;
  child_prepare(&child, "pwd");
  child.options.cwd = "/usr";
  child_capture(&child, 1);
  expect_output(&child, "/usr\n");

  /* And a relative name is found from there. */
  child_prepare(&child, "echo found");
  child.options.file = "./sh";
  child.options.cwd = "/bin";
  child_capture(&child, 1);
  expect_output(&child, "found\n");
}

static void a_detached_child_has_its_own_session(void** state) {
  char sid[32];
  (void) state;
  child_prepare(&child, "cut -d' ' -f6 /proc/$$/stat; exit 0");
  child.options.flags = UV_PROCESS_DETACHED;
  child_capture(&child, 1);
  assert_int_equal(0, child_spawn(&child));
  snprintf(sid, sizeof sid, "%d\n", child.process.pid);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_string_equal(sid, child.output);
  child_close(&child);
}

/* Ignored, handled or blocked here: all are the default there. */
static void the_child_has_default_signals(void** state) {
  sigset_t set;
  sigset_t saved;
  (void) state;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  assert_int_equal(0, pthread_sigmask(SIG_BLOCK, &set, &saved));
  assert_true(signal(SIGTERM, SIG_IGN) != SIG_ERR);
  assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  child_prepare(&child, NULL);
  child.options.file = "grep";
  child.args[0] = (char*) "grep";
  child.args[1] = (char*) "^Sig[BI]";
  child.args[2] = (char*) "/proc/self/status";
  child_capture(&child, 1);
  expect_output(&child, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  assert_true(signal(SIGTERM, SIG_DFL) != SIG_ERR);
  assert_true(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
  assert_int_equal(0, pthread_sigmask(SIG_SETMASK, &saved, NULL));
}

/* --- users -----------------------------------------------------------------------------
 */

static void ids_are_changed_if_we_may(void** state) {
  struct passwd* nobody = getpwnam("nobody");
  char expected[64];
  (void) state;
  if (getuid() != 0 || nobody == NULL)
    skip();
  int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  child_prepare(&child, "id -u; id -g; id -G");
  child.options.flags = UV_PROCESS_SETUID | UV_PROCESS_SETGID;
  child.options.uid = nobody->pw_uid;
  child.options.gid = nobody->pw_gid;
  child_capture(&child, 1);
  snprintf(expected, sizeof expected, "%u\n%u\n%u\n", nobody->pw_uid, nobody->pw_gid,
           nobody->pw_gid);
  expect_output(&child, expected);
  assert_int_equal(dumpable, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  assert_int_equal(0, getuid());
}

/* In a process of its own, which can't become root again. */
static void ids_are_refused_if_we_may_not(void** state) {
  (void) state;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    const struct passwd* nobody = getpwnam("nobody");
    uv_loop_t own;
    if (getuid() == 0 && (nobody == NULL || setgroups(0, NULL) != 0 ||
                          setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0))
      _exit(0);
    int failures = uv_loop_init(&own);
    for (unsigned int flag = UV_PROCESS_SETUID; flag <= UV_PROCESS_SETGID; flag++) {
      child_prepare(&child, "exit 0");
      child.options.flags = flag;
      failures += uv_spawn(&own, &child.process, &child.options) != UV_EPERM;
    }
    _exit(failures);
  }
  wait_for_success(pid);
}

/* --- reaching it ---------------------------------------------------------------------
 */

static void it_can_be_killed(void** state) {
  (void) state;
  child_prepare(&child, "exec sleep 60");
  assert_int_equal(0, child_spawn(&child));
  assert_int_equal(0, uv_process_kill(&child.process, 0));
  assert_int_equal(0, uv_kill(child.process.pid, 0));
  assert_int_equal(UV_EINVAL, uv_process_kill(&child.process, 4096));
  assert_int_equal(UV_EINVAL, uv_kill(child.process.pid, -1));
  assert_int_equal(0, uv_process_kill(&child.process, SIGTERM));
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(SIGTERM, child.signal);
  /* Waited for: the number is free, and must not be used any more. */
  assert_int_equal(UV_ESRCH, uv_process_kill(&child.process, 0));
  assert_int_equal(UV_ESRCH, uv_kill(child.process.pid, 0));
  child_close(&child);
}

/* Contract H2. */
static void an_unreferenced_child_does_not_hold_the_loop(void** state) {
  (void) state;
  child_prepare(&child, "exec sleep 60");
  assert_int_equal(0, child_spawn(&child));
  uv_unref((uv_handle_t*) &child.process);
  assert_int_equal(0, uv_run(&loop, UV_RUN_DEFAULT));
  assert_int_equal(0, child.exits);
  assert_int_equal(0, uv_process_kill(&child.process, SIGKILL));
  uv_ref((uv_handle_t*) &child.process);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(SIGKILL, child.signal);
  child_close(&child);
}

/* Contract C1. The child is the program's then, to wait for or not. */
static void a_closed_handle_lets_go_of_its_child(void** state) {
  int status;
  (void) state;
  child_prepare(&child, "exec sleep 60");
  int before = open_descriptors();
  assert_int_equal(0, child_spawn(&child));
  pid_t pid = child.process.pid;
  child_close(&child);
  assert_int_equal(before, open_descriptors());
  assert_int_equal(0, kill(pid, SIGTERM));
  assert_int_equal(pid, waitpid(pid, &status, 0));
  assert_true(WIFSIGNALED(status));
  assert_int_equal(0, child.exits);
}

/* A program without fork handlers of its own, as this one is, is spared the fork: the
 * library's own handlers don't count. */
static void no_fork_is_needed_here(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER)
    skip(); /* a sanitizer that is linked into the program may have some */
  assert_false(system_has_fork_handlers());
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_setup, loop_teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_fork_is_needed_here),
      TEST(the_exit_status_is_told),
      TEST(the_signal_that_ended_it_is_told),
      TEST(a_callback_is_not_needed),
      TEST(arguments_default_to_the_name),
      TEST(what_can_not_be_run_is_an_error),
      TEST(the_streams_of_a_program_that_can_not_be_run_end),
      TEST(a_script_without_a_first_line_is_the_shells),
      TEST(the_file_is_looked_up_in_the_childs_path),
      TEST(the_environment_is_ours_by_default),
      TEST(it_starts_in_its_directory),
      TEST(a_detached_child_has_its_own_session),
      TEST(the_child_has_default_signals),
      TEST(ids_are_changed_if_we_may),
      TEST(ids_are_refused_if_we_may_not),
      TEST(it_can_be_killed),
      TEST(an_unreferenced_child_does_not_hold_the_loop),
      TEST(a_closed_handle_lets_go_of_its_child),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
