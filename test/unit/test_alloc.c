/* Memory goes through the program's allocator, and running out of it is an
 * answer, never a crash. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "uv.h"

static int blocks;
static bool exhausted;

static void* counting_malloc(size_t size) {
  if (exhausted) {
    return NULL;
  }
  blocks++;
  return malloc(size);
}

static void* counting_realloc(void* block, size_t size) {
  if (exhausted) {
    return NULL;
  }
  blocks += block == NULL;
  return realloc(block, size);
}

static void* counting_calloc(size_t count, size_t size) {
  if (exhausted) {
    return NULL;
  }
  blocks++;
  return calloc(count, size);
}

static void counting_free(void* block) {
  blocks--;
  free(block);
  errno = ENOTTY;
}

static void a_missing_function_is_refused(void** state) {
  (void) state;
  assert_int_equal(uv_replace_allocator(NULL, realloc, calloc, free), UV_EINVAL);
  assert_int_equal(uv_replace_allocator(malloc, NULL, calloc, free), UV_EINVAL);
  assert_int_equal(uv_replace_allocator(malloc, realloc, NULL, free), UV_EINVAL);
  assert_int_equal(uv_replace_allocator(malloc, realloc, calloc, NULL), UV_EINVAL);
}

static void* careless_calloc(size_t count, size_t size) {
  void* block = malloc(count * size);
  return block == NULL ? NULL : memset(block, 0xbe, count * size);
}

/* Nothing of ours may depend on whether a program's calloc clears. */
static void memory_is_cleared_all_the_same(void** state) {
  (void) state;
  static const char zeros[3 * 40];
  uv_loop_t loop;
  assert_int_equal(uv_replace_allocator(malloc, realloc, careless_calloc, free), 0);
  void* block = mem_calloc(3, 40);
  assert_memory_equal(block, zeros, sizeof(zeros));
  mem_free(block);
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(uv_loop_close(&loop), 0);
  assert_int_equal(uv_replace_allocator(malloc, realloc, calloc, free), 0);
}

static int replace(void** state) {
  (void) state;
  return uv_replace_allocator(counting_malloc, counting_realloc, counting_calloc,
                              counting_free);
}

static int restore(void** state) {
  (void) state;
  exhausted = false;
  return uv_replace_allocator(malloc, realloc, calloc, free);
}

static void every_block_comes_from_the_program(void** state) {
  (void) state;
  char* a = mem_alloc(10);
  char* b = mem_calloc(3, 4);
  char* c = mem_strdup("Rondo");
  char* d = mem_strndup("Rondo", 3);
  char* e = mem_realloc(NULL, 7);
  assert_int_equal(blocks, 5);
  assert_string_equal(c, "Rondo");
  assert_string_equal(d, "Ron");
  for (int i = 0; i < 12; i++) {
    assert_int_equal(b[i], 0);
  }
  e = mem_realloc(e, 100);
  assert_int_equal(blocks, 5);
  assert_null(mem_realloc(e, 0));
  mem_free(a);
  mem_free(b);
  mem_free(c);
  mem_free(d);
  mem_free(NULL);
  assert_int_equal(blocks, 0);
}

static void nothing_still_is_a_block(void** state) {
  (void) state;
  void* a = mem_alloc(0);
  void* b = mem_calloc(0, 8);
  assert_non_null(a);
  assert_non_null(b);
  mem_free(a);
  mem_free(b);
}

static void products_that_overflow_are_refused(void** state) {
  (void) state;
  char* block = mem_alloc(1);
  assert_null(mem_calloc(SIZE_MAX / 2, 3));
  assert_null(mem_realloc_array(block, SIZE_MAX / 2, 3));
  block = mem_realloc_array(block, 5, 4);
  assert_non_null(block);
  memset(block, 1, 20);
  mem_free(block);
  assert_int_equal(blocks, 0);
}

static void freeing_keeps_errno(void** state) {
  (void) state;
  void* block = mem_alloc(1);
  errno = EBADF;
  mem_free(block);
  assert_int_equal(errno, EBADF);
}

static void running_out_gives_null(void** state) {
  (void) state;
  exhausted = true;
  assert_null(mem_alloc(1));
  assert_null(mem_calloc(1, 1));
  assert_null(mem_realloc(NULL, 1));
  assert_null(mem_strdup("x"));
  exhausted = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_missing_function_is_refused),
      cmocka_unit_test(memory_is_cleared_all_the_same),
      cmocka_unit_test_setup_teardown(every_block_comes_from_the_program, replace,
                                      restore),
      cmocka_unit_test_setup_teardown(nothing_still_is_a_block, replace, restore),
      cmocka_unit_test_setup_teardown(products_that_overflow_are_refused, replace,
                                      restore),
      cmocka_unit_test_setup_teardown(freeing_keeps_errno, replace, restore),
      cmocka_unit_test_setup_teardown(running_out_gives_null, replace, restore),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
