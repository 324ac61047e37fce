/* A part of a test in a process of its own, forked from the test's. */
#ifndef RONDO_FORKED_H
#define RONDO_FORKED_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the function returned there, or 100 and the signal that ended it. */
static inline int in_child(int (*body)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(body());
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* It must return 0; 77 skips the test. */
static inline void assert_in_child(int (*body)(void)) {
  int result = in_child(body);
  if (result == 77)
    skip();
  assert_int_equal(result, 0);
}

#endif
