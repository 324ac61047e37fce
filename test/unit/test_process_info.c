/* Number, priority, executable, working directory, inherited descriptors and
 * dynamic libraries of this process. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uv.h"

static void numbers_are_the_systems(void** state) {
  (void) state;
  assert_int_equal(uv_os_getpid(), getpid());
  assert_int_equal(uv_os_getppid(), getppid());
  assert_int_equal(uv_get_osfhandle(5), 5);
  assert_int_equal(uv_open_osfhandle(5), 5);
}

/* In a child, which can't get its priority back without being root. */
static void priorities_can_be_set_and_read(void** state) {
  (void) state;
  int before;
  assert_int_equal(uv_os_getpriority(0, &before), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int now;
    for (int i = before; i <= UV_PRIORITY_LOW; i++) {
      if (uv_os_setpriority(0, i) != 0 || uv_os_getpriority(0, &now) != 0 || now != i ||
          uv_os_getpriority(getpid(), &now) != 0 || now != i) {
        _exit(1);
      }
    }
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void bad_priorities_are_refused(void** state) {
  (void) state;
  int priority;
  assert_int_equal(uv_os_getpriority(0, NULL), UV_EINVAL);
  assert_int_equal(uv_os_getpriority(INT_MAX, &priority), UV_ESRCH);
  assert_int_equal(uv_os_setpriority(INT_MAX, 0), UV_ESRCH);
  assert_int_equal(uv_os_setpriority(0, UV_PRIORITY_HIGHEST - 1), UV_EINVAL);
  assert_int_equal(uv_os_setpriority(0, UV_PRIORITY_LOW + 1), UV_EINVAL);
}

static void the_executable_is_found_and_its_path_cut(void** state) {
  (void) state;
  char expected[PATH_MAX];
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", expected, sizeof(expected) - 1);
  assert_true(length > 0);
  expected[length] = '\0';

  size_t size = sizeof(path);
  assert_int_equal(uv_exepath(path, &size), 0);
  assert_string_equal(path, expected);
  assert_int_equal(size, length);

  size = 2;
  assert_int_equal(uv_exepath(path, &size), 0);
  assert_string_equal(path, "/");
  assert_int_equal(size, 1);
  size = 1;
  assert_int_equal(uv_exepath(path, &size), 0);
  assert_string_equal(path, "");
  assert_int_equal(size, 0);

  assert_int_equal(uv_exepath(path, &size), UV_EINVAL);
  assert_int_equal(uv_exepath(NULL, &size), UV_EINVAL);
  assert_int_equal(uv_exepath(path, NULL), UV_EINVAL);
}

static void the_working_directory_can_be_changed_and_read(void** state) {
  (void) state;
  char before[PATH_MAX];
  char path[PATH_MAX];
  size_t size = sizeof(before);
  assert_int_equal(uv_cwd(before, &size), 0);
  assert_int_equal(size, strlen(before));

  assert_int_equal(uv_chdir("/"), 0);
  size = sizeof(path);
  assert_int_equal(uv_cwd(path, &size), 0);
  assert_string_equal(path, "/");
  assert_int_equal(uv_chdir("/proc"), 0);
  size = 5;
  assert_int_equal(uv_cwd(path, &size), UV_ENOBUFS);
  assert_int_equal(size, 6);
  assert_int_equal(uv_cwd(path, &size), 0);
  assert_string_equal(path, "/proc");
  assert_int_equal(size, 5);

  assert_int_equal(uv_chdir("/no/such/directory"), UV_ENOENT);
  assert_int_equal(uv_chdir("/proc/version"), UV_ENOTDIR);
  assert_int_equal(uv_cwd(NULL, &size), UV_EINVAL);
  assert_int_equal(uv_cwd(path, NULL), UV_EINVAL);
  size = 0;
  assert_int_equal(uv_cwd(path, &size), UV_EINVAL);
  assert_int_equal(uv_chdir(before), 0);
}

static void a_working_directory_that_is_gone_is_an_error(void** state) {
  (void) state;
  char before[PATH_MAX];
  char path[PATH_MAX];
  char gone[] = "/tmp/rondo-cwd-XXXXXX";
  size_t size = sizeof(before);
  assert_int_equal(uv_cwd(before, &size), 0);
  assert_non_null(mkdtemp(gone));
  assert_int_equal(uv_chdir(gone), 0);
  assert_int_equal(rmdir(gone), 0);
  size = sizeof(path);
  assert_int_equal(uv_cwd(path, &size), UV_ENOENT);
  assert_int_equal(uv_chdir(before), 0);
}

static void inherited_descriptors_stay_here(void** state) {
  (void) state;
  int pipe_fds[2];
  assert_int_equal(pipe(pipe_fds), 0);
  int high = fcntl(pipe_fds[0], F_DUPFD, 100);
  assert_true(high >= 100);
  uv_disable_stdio_inheritance();
  assert_true(fcntl(pipe_fds[0], F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(pipe_fds[1], F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(high, F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(1, F_GETFD) & FD_CLOEXEC);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
  close(high);
}

static void symbols_are_found_in_libraries(void** state) {
  (void) state;
  uv_lib_t library;
  void* symbol = NULL;
  assert_int_equal(uv_dlopen("libc.so.6", &library), 0);
  assert_string_equal(uv_dlerror(&library), "no error");
  assert_int_equal(uv_dlsym(&library, "printf", &symbol), 0);
  assert_non_null(symbol);

  assert_int_equal(uv_dlsym(&library, "no_such_symbol_anywhere", &symbol), -1);
  assert_non_null(strstr(uv_dlerror(&library), "no_such_symbol_anywhere"));
  assert_int_equal(uv_dlsym(&library, "puts", &symbol), 0);
  assert_string_equal(uv_dlerror(&library), "no error");
  uv_dlclose(&library);
}

static void a_library_that_is_missing_is_named(void** state) {
  (void) state;
  uv_lib_t library = {0};
  assert_string_equal(uv_dlerror(&library), "no error");
  assert_int_equal(uv_dlopen("/no/such/library.so", &library), -1);
  for (int i = 0; i < 2; i++) {
    assert_non_null(strstr(uv_dlerror(&library), "/no/such/library.so"));
  }
  uv_dlclose(&library);
  assert_string_equal(uv_dlerror(&library), "no error");
}

static void the_program_itself_is_a_library(void** state) {
  (void) state;
  uv_lib_t library;
  void* symbol = NULL;
  assert_int_equal(uv_dlopen(NULL, &library), 0);
  assert_int_equal(uv_dlsym(&library, "malloc", &symbol), 0);
  assert_non_null(symbol);
  uv_dlclose(&library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_the_systems),
      cmocka_unit_test(priorities_can_be_set_and_read),
      cmocka_unit_test(bad_priorities_are_refused),
      cmocka_unit_test(the_executable_is_found_and_its_path_cut),
      cmocka_unit_test(the_working_directory_can_be_changed_and_read),
      cmocka_unit_test(a_working_directory_that_is_gone_is_an_error),
      cmocka_unit_test(inherited_descriptors_stay_here),
      cmocka_unit_test(symbols_are_found_in_libraries),
      cmocka_unit_test(a_library_that_is_missing_is_named),
      cmocka_unit_test(the_program_itself_is_a_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
