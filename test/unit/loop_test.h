/* What the loop's tests share: a loop per test that must close clean, and a log of words
 * in which callbacks note what ran, so that a test states the order as one string. */
#ifndef RONDO_LOOP_TEST_H
#define RONDO_LOOP_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rondo.h"
#include "uv.h"

static char log_text[8192];

static inline void log_word(const char* word) {
  size_t used = strlen(log_text);
  snprintf(log_text + used, sizeof(log_text) - used, "%s%s", used == 0 ? "" : " ", word);
}

/* Compares what was logged and starts a new log. */
static inline void assert_log(const char* expected) {
  assert_string_equal(log_text, expected);
  log_text[0] = '\0';
}

static inline void close_if_open(uv_handle_t* handle, void* arg) {
  (void) arg;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static inline void close_all(uv_loop_t* loop) {
  uv_walk(loop, close_if_open, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

static inline int open_descriptors(void) {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory) != NULL)
    count++;
  closedir(directory);
  return count;
}

static inline int loop_setup(void** state) {
  uv_loop_t* loop = calloc(1, sizeof(*loop));
  log_text[0] = '\0';
  *state = loop;
  return loop == NULL ? -1 : uv_loop_init(loop);
}

/* Nothing may be left: a loop that can't be closed fails its test. */
static inline int loop_teardown(void** state) {
  uv_loop_t* loop = *state;
  close_all(loop);
  int err = uv_loop_close(loop);
  free(loop);
  return err;
}

#define loop_test(name) cmocka_unit_test_setup_teardown(name, loop_setup, loop_teardown)

#endif
