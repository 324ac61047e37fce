/* Running out of memory in handles: at each allocation in turn, the call that needed it
 * says so, leaves nothing behind, and the loop goes on working (contract H3). */
#include "spawning.h"

static int left = -1; /* allocations until one fails; negative: none does */
static int held;      /* blocks that were not given back */

static bool refused(void) {
  return left >= 0 && left-- == 0;
}

static void* failing_malloc(size_t size) {
  void* block = refused() ? NULL : malloc(size);
  held += block != NULL;
  return block;
}

static void* failing_calloc(size_t count, size_t size) {
  void* block = refused() ? NULL : calloc(count, size);
  held += block != NULL;
  return block;
}

static void* failing_realloc(void* old, size_t size) {
  void* block = refused() ? NULL : realloc(old, size);
  held += block != NULL && old == NULL;
  return block;
}

static void counted_free(void* block) {
  held -= block != NULL;
  free(block);
}

/* Refuses the first, the second ... allocation of the operation, until it succeeds. */
static void refuse_each(int (*operation)(void)) {
  int failures = 0;
  for (int n = 0; n < 100; n++) {
    int held_before = held;
    int descriptors_before = open_descriptors();
    left = n;
    int result = operation();
    left = -1;
    if (result == 0)
      break;
    assert_int_equal(UV_ENOMEM, result);
    assert_int_equal(held_before, held);
    assert_int_equal(descriptors_before, open_descriptors());
    failures++;
  }
  assert_int_equal(-1, left);
  assert_in_range(failures, 1, 99);
}

static uv_signal_t signal_handle;

static int init_signal(void) {
  return uv_signal_init(&loop, &signal_handle);
}

static void signals_without_memory(void** state) {
  (void) state;
  refuse_each(init_signal);
  uv_close((uv_handle_t*) &signal_handle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

static uv_udp_t udp;
static uv_udp_send_t request;

static int send_many_buffers(void) {
  struct sockaddr_in addr;
  uv_buf_t bufs[8];
  for (int i = 0; i < 8; i++)
    bufs[i] = uv_buf_init("x", 1);
  uv_ip4_addr("127.0.0.1", 9, &addr);
  return uv_udp_send(&request, &udp, bufs, 8, (const struct sockaddr*) &addr, NULL);
}

static void datagrams_without_memory(void** state) {
  (void) state;
  assert_int_equal(0, uv_udp_init_ex(&loop, &udp, AF_INET));
  refuse_each(send_many_buffers);
  assert_int_equal(1, uv_udp_get_send_queue_count(&udp));
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_close((uv_handle_t*) &udp, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

static struct child child;

/* A handle that could not be spawned is closed, as every program must. */
static int spawn_child(void) {
  child_prepare(&child, "exit 5");
  int err = uv_spawn(&loop, &child.process, &child.options);
  if (err != 0) {
    int allowed = left;
    left = -1;
    child_close(&child);
    left = allowed;
  }
  return err;
}

static void spawning_without_memory(void** state) {
  (void) state;
  left = 0; /* what the loop keeps for its children, made once */
  assert_int_equal(UV_ENOMEM, spawn_child());
  left = 1;
  assert_int_equal(UV_ENOMEM, spawn_child());
  left = -1;
  refuse_each(spawn_child);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(1, child.exits);
  assert_int_equal(5, child.status);
  child_close(&child);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_setup, loop_teardown)
  const struct CMUnitTest tests[] = {
      TEST(signals_without_memory),
      TEST(datagrams_without_memory),
      TEST(spawning_without_memory),
  };
  if (uv_replace_allocator(failing_malloc, failing_realloc, failing_calloc,
                           counted_free) != 0)
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed != 0 ? failed : held; /* all given back at the end */
}
