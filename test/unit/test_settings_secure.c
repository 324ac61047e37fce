/* A program with more rights than its user obeys none of the library's settings. The
 * test's own program is copied, owned by another user and marked set-user-ID, so that the
 * kernel runs it that way. Only root can make such a file: skipped otherwise, and on file
 * systems that are mounted without set-user-ID. */
#include "loop_test.h"
#include "sanitizers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

/* What the copy does: says what its loop is like. */
static int report_as_child(void) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0)
    return 1;
  printf("%s %s\n", getauxval(AT_SECURE) ? "secure" : "plain", rondo_backend_name(&loop));
  return uv_loop_close(&loop);
}

static void copy_program(const char* path, mode_t mode) {
  char bytes[65536];
  ssize_t n;
  int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  assert_true(in >= 0 && out >= 0);
  while ((n = read(in, bytes, sizeof(bytes))) > 0)
    assert_int_equal(write(out, bytes, (size_t) n), n);
  assert_int_equal(fchown(out, NOBODY, (gid_t) -1), 0);
  assert_int_equal(fchmod(out, mode), 0);
  close(in);
  close(out);
}

/* Runs it with settings that ask for everything, and gives what it prints. */
static void run_program(const char* path, const char* folder, char* answer, size_t size) {
  char trace[200];
  snprintf(trace, sizeof(trace), "%s/trace", folder);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("RONDO_BACKEND", "epoll", 1);
    setenv("RONDO_TRACE", trace, 1);
    setenv("RONDO_DEBUG", "1", 1);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execl(path, path, "report", (char*) NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t n;
  while (used < size - 1 && (n = read(ends[0], answer + used, size - 1 - used)) > 0)
    used += (size_t) n;
  answer[used] = '\0';
  close(ends[0]);
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
}

static void a_privileged_program_obeys_no_setting(void** state) {
  (void) state;
  char folder[] = "/tmp/rondo-secure-XXXXXX";
  char path[100], trace[100], answer[1000], usual[100];
  struct stat info;
  if (geteuid() != 0 || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)
    skip(); /* a sanitizer is no good in a privileged program */
  unsetenv("RONDO_BACKEND");
  uv_loop_t loop;
  assert_int_equal(uv_loop_init(&loop), 0);
  snprintf(usual, sizeof(usual), "secure %s\n", rondo_backend_name(&loop));
  assert_int_equal(uv_loop_close(&loop), 0);

  assert_non_null(mkdtemp(folder));
  assert_int_equal(chmod(folder, 0777), 0); /* nobody may write its trace */
  snprintf(path, sizeof(path), "%s/program", folder);
  snprintf(trace, sizeof(trace), "%s/trace", folder);

  copy_program(path, 0755);
  run_program(path, folder, answer, sizeof(answer));
  assert_non_null(strstr(answer, "plain epoll"));
  assert_int_equal(stat(trace, &info), 0);
  unlink(trace);
  unlink(path);

  copy_program(path, 04755);
  run_program(path, folder, answer, sizeof(answer));
  bool without_suid = strstr(answer, "plain") != NULL;
  bool traced = stat(trace, &info) == 0;
  unlink(trace);
  unlink(path);
  rmdir(folder);
  if (without_suid)
    skip();
  assert_string_equal(answer, usual);
  assert_false(traced);
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "report") == 0)
    return report_as_child();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_privileged_program_obeys_no_setting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
