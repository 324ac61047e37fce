/* What the tests of files share: a loop, a fresh directory to be in, and both forms of
 * every operation. */
#ifndef RONDO_HELPER_FILES_H
#define RONDO_HELPER_FILES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uv.h"

extern uv_loop_t files_loop;
extern int files_calls; /* how often files_called was called */

/* Setup and teardown of a test: the loop, and a new working directory that is removed
 * with all that is in it. */
int files_open(void** state);
int files_shut(void** state);

void files_called(uv_fs_t* req);

/* For the return value of an asynchronous call: turns the loop until the callback has
 * come, which must not have come before, and gives the result. */
ssize_t files_await(uv_fs_t* req, int started);

#define ASYNC(req, function, ...)                                                        \
  files_await(&(req), function(&files_loop, &(req), __VA_ARGS__, files_called))
#define SYNC(req, function, ...) ((ssize_t) function(NULL, &(req), __VA_ARGS__, NULL))

/* Makes a file with these bytes, by plain system calls. */
void files_make(const char* path, const char* bytes, size_t size);
/* Asserts that it has them. */
void files_expect(const char* path, const char* bytes, size_t size);
bool files_exist(const char* path);
/* Drops a file from the page cache; false if the system wouldn't. */
bool files_make_cold(int fd, size_t size);

#define FILES_TEST(test) cmocka_unit_test_setup_teardown(test, files_open, files_shut)

#endif
