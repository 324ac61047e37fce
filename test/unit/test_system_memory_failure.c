/* Running out of memory (contract H3): every function that allocates is called
 * with each of its allocations failing in turn. It must say UV_ENOMEM, give
 * everything back, and work again afterwards. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "uv.h"

static atomic_int blocks;     /* allocated and not freed */
static atomic_int until_fail; /* allocations that still work */

static int may_allocate(void) {
  return atomic_fetch_sub(&until_fail, 1) > 0;
}

static void* failing_malloc(size_t size) {
  if (!may_allocate()) {
    return NULL;
  }
  blocks++;
  return malloc(size);
}

static void* failing_calloc(size_t count, size_t size) {
  if (!may_allocate()) {
    return NULL;
  }
  blocks++;
  return calloc(count, size);
}

static void* failing_realloc(void* block, size_t size) {
  if (!may_allocate()) {
    return NULL;
  }
  blocks += block == NULL;
  return realloc(block, size);
}

static void counting_free(void* block) {
  blocks--;
  free(block);
}

/* Calls `use`, which frees what it got, with the first, the second … allocation
 * failing, until it needs no more than may be had. */
static void sweep(int (*use)(void), int error) {
  int rc = -1;
  int n = 0;
  for (; n < 1000 && rc != 0; n++) {
    until_fail = n;
    rc = use();
    assert_true(rc == 0 || rc == error);
    assert_int_equal(blocks, 0);
  }
  assert_int_equal(rc, 0);
  assert_true(n > 1);
}

static int use_cpu_info(void) {
  uv_cpu_info_t* infos;
  int count;
  int rc = uv_cpu_info(&infos, &count);
  uv_free_cpu_info(infos, count);
  return rc;
}

static int use_interfaces(void) {
  uv_interface_address_t* addresses;
  int count;
  int rc = uv_interface_addresses(&addresses, &count);
  uv_free_interface_addresses(addresses, count);
  return rc;
}

static int use_environ(void) {
  uv_env_item_t* items;
  int count;
  int rc = uv_os_environ(&items, &count);
  uv_os_free_environ(items, count);
  return rc;
}

static int use_passwd(void) {
  uv_passwd_t user = {0};
  int rc = uv_os_get_passwd2(&user, 0);
  uv_os_free_passwd(&user);
  return rc;
}

static int use_group(void) {
  uv_group_t group = {0};
  int rc = uv_os_get_group(&group, 0);
  uv_os_free_group(&group);
  return rc;
}

static int use_wtf8(void) {
  static const uint16_t units[] = {'a', 0};
  char* text = NULL;
  int rc = uv_utf16_to_wtf8(units, -1, &text, NULL);
  if (text != NULL) {
    counting_free(text);
  }
  return rc;
}

static void do_nothing(void* argument) {
  (void) argument;
}

static int use_thread(void) {
  uv_thread_t thread;
  int rc = uv_thread_create(&thread, do_nothing, NULL);
  return rc == 0 ? uv_thread_join(&thread) : rc;
}

static void functions_survive(void** state) {
  (void) state;
  sweep(use_cpu_info, UV_ENOMEM);
  sweep(use_environ, UV_ENOMEM);
  sweep(use_passwd, UV_ENOMEM);
  sweep(use_group, UV_ENOMEM);
  sweep(use_wtf8, UV_ENOMEM);
  sweep(use_thread, UV_ENOMEM);
}

static void interfaces_survive(void** state) {
  (void) state;
  uv_interface_address_t* addresses;
  int count;
  until_fail = 1000;
  assert_int_equal(uv_interface_addresses(&addresses, &count), 0);
  uv_free_interface_addresses(addresses, count);
  if (count == 0) {
    skip(); /* no network at all in here */
  }
  sweep(use_interfaces, UV_ENOMEM);
}

static void a_library_still_tells_that_it_failed(void** state) {
  (void) state;
  uv_lib_t library;
  until_fail = 0;
  assert_int_equal(uv_dlopen("/no/such/library.so", &library), -1);
  assert_string_equal(uv_dlerror(&library), "not enough memory");
  uv_dlclose(&library);
  assert_int_equal(blocks, 0);
}

static void arguments_stay_as_they_are(void** state) {
  (void) state;
  char* argv[] = {"program", NULL};
  char title[16];
  until_fail = 0;
  assert_ptr_equal(uv_setup_args(1, argv), argv);
  assert_int_equal(uv_get_process_title(title, sizeof(title)), UV_ENOBUFS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_survive),
      cmocka_unit_test(interfaces_survive),
      cmocka_unit_test(a_library_still_tells_that_it_failed),
      cmocka_unit_test(arguments_stay_as_they_are),
  };
  if (uv_replace_allocator(failing_malloc, failing_realloc, failing_calloc,
                           counting_free) != 0) {
    return 1;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
