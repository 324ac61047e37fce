/* test: threads */
/* A loop's life: contract L1 to L4, L8 to L10, H1 to H3. */
#include "loop_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

static uv_timer_t timer;
static uv_async_t async;
static uv_idle_t idle;

static void do_nothing_timer(uv_timer_t* handle) {
  (void) handle;
}

static void log_timer(uv_timer_t* handle) {
  (void) handle;
  log_word("timer");
}

static void log_async(uv_async_t* handle) {
  (void) handle;
  log_word("async");
}

/* Covers L1. */
static void data_survives_init(void** state) {
  (void) state;
  uv_loop_t loop;
  int marker;
  loop.data = &marker;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_ptr_equal(loop.data, &marker);
  uv_loop_set_data(&loop, &loop);
  assert_ptr_equal(uv_loop_get_data(&loop), &loop);
  assert_int_equal(uv_loop_close(&loop), 0);
}

/* --- each step of init failing in turn ------------------------------------------- */

static int allocations_left;
static int allocations_out;

static void* scarce_malloc(size_t size) {
  if (allocations_left == 0)
    return NULL;
  allocations_left--;
  allocations_out++;
  return malloc(size);
}

static void* scarce_calloc(size_t count, size_t size) {
  void* block = scarce_malloc(count * size);
  return block == NULL ? NULL : memset(block, 0, count * size);
}

static void* scarce_realloc(void* block, size_t size) {
  if (block != NULL)
    return allocations_left == 0 ? NULL : realloc(block, size);
  return scarce_malloc(size);
}

static void counting_free(void* block) {
  allocations_out -= block != NULL;
  free(block);
}

/* Covers L1 and H3: no memory for the nth allocation. */
static void init_without_memory_leaks_nothing(void** state) {
  (void) state;
  int before = open_descriptors();
  assert_int_equal(
      uv_replace_allocator(scarce_malloc, scarce_realloc, scarce_calloc, counting_free),
      0);
  int err = UV_ENOMEM;
  for (int n = 0; err != 0 && n < 20; n++) {
    uv_loop_t loop;
    allocations_left = n;
    allocations_out = 0;
    err = uv_loop_init(&loop);
    if (err == 0)
      assert_int_equal(uv_loop_close(&loop), 0);
    else
      assert_int_equal(err, UV_ENOMEM);
    assert_int_equal(allocations_out, 0);
  }
  uv_replace_allocator(malloc, realloc, calloc, free);
  assert_int_equal(err, 0);
  assert_int_equal(open_descriptors(), before);
}

/* Covers L1 and H3: no descriptor for the nth step. */
static void init_without_descriptors_leaks_nothing(void** state) {
  (void) state;
  struct rlimit old;
  getrlimit(RLIMIT_NOFILE, &old);
  int lowest = dup(0);
  close(lowest);
  int before = open_descriptors();
  int err = UV_EMFILE;
  for (int n = 0; err != 0 && n < 10; n++) {
    struct rlimit tight = {.rlim_cur = (rlim_t) (lowest + n), .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &tight);
    uv_loop_t loop;
    err = uv_loop_init(&loop);
    if (err == 0)
      assert_int_equal(uv_loop_close(&loop), 0);
    else
      assert_int_equal(err, UV_EMFILE);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(open_descriptors(), before);
  }
  assert_int_equal(err, 0);
}

/* Covers L2. */
static void the_default_loop_is_one_and_can_be_made_again(void** state) {
  (void) state;
  uv_loop_t* first = uv_default_loop();
  assert_non_null(first);
  assert_ptr_equal(uv_default_loop(), first);
  assert_int_equal(uv_loop_close(first), 0);
  assert_non_null(uv_default_loop());
  assert_int_equal(uv_loop_close(uv_default_loop()), 0);
  struct rlimit old;
  getrlimit(RLIMIT_NOFILE, &old);
  struct rlimit none = {.rlim_cur = 0, .rlim_max = old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  uv_loop_t* loop = uv_default_loop();
  setrlimit(RLIMIT_NOFILE, &old);
  assert_null(loop);
}

/* Covers L3. */
static void alive_by_handles_requests_pending_and_closing(void** state) {
  uv_loop_t* loop = *state;
  assert_false(uv_loop_alive(loop));
  uv_timer_init(loop, &timer);
  assert_false(uv_loop_alive(loop)); /* not active */
  uv_timer_start(&timer, do_nothing_timer, 1000, 0);
  assert_true(uv_loop_alive(loop));
  uv_unref((uv_handle_t*) &timer);
  assert_false(uv_loop_alive(loop)); /* not referenced */
  uv_ref((uv_handle_t*) &timer);
  uv_timer_stop(&timer);
  assert_false(uv_loop_alive(loop));
  uv_close((uv_handle_t*) &timer, NULL);
  assert_true(uv_loop_alive(loop)); /* closing */
  uv_run(loop, UV_RUN_DEFAULT);
  assert_false(uv_loop_alive(loop));
}

/* Covers L4. */
static void close_with_open_handles_is_busy_and_changes_nothing(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timer);
  assert_int_equal(uv_loop_close(loop), UV_EBUSY); /* open, though not active */
  uv_timer_start(&timer, log_timer, 1, 0);
  assert_int_equal(uv_loop_close(loop), UV_EBUSY);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_log("timer");
  uv_close((uv_handle_t*) &timer, NULL);
  assert_int_equal(uv_loop_close(loop), UV_EBUSY);
}

static void stop_idle(uv_idle_t* handle) {
  log_word("idle");
  uv_idle_stop(handle);
}

/* Covers L5 and L8. */
static void nowait_never_blocks_and_says_what_is_left(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, log_timer, 100000, 0);
  uint64_t before = uv_hrtime();
  assert_int_not_equal(uv_run(loop, UV_RUN_NOWAIT), 0);
  assert_true(uv_hrtime() - before < 50000000000);
  assert_log("");
  uv_timer_stop(&timer);
  uv_idle_init(loop, &idle);
  uv_idle_start(&idle, stop_idle);
  assert_int_equal(uv_run(loop, UV_RUN_ONCE), 0);
  assert_log("idle");
}

static void delayed_send(void* argument) {
  uv_sleep(30);
  uv_async_send(argument);
}

/* Covers L8: ONCE blocks, once, until there is something. */
static void once_blocks_for_progress(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  uv_async_init(loop, &async, log_async);
  uv_thread_create(&thread, delayed_send, &async);
  assert_int_not_equal(uv_run(loop, UV_RUN_ONCE), 0);
  assert_log("async");
  uv_thread_join(&thread);
}

/* Covers L10: an outer loop sleeps on our descriptor and drives us. */
static void an_outer_loop_can_drive_ours(void** state) {
  uv_loop_t* loop = *state;
  uv_thread_t thread;
  struct pollfd outer = {.fd = uv_backend_fd(loop), .events = POLLIN};
  uv_async_init(loop, &async, log_async);
  uv_timer_init(loop, &timer);
  uv_run(loop, UV_RUN_NOWAIT);
  while (poll(&outer, 1, 0) > 0) /* the first edge of the wake-up, if any */
    uv_run(loop, UV_RUN_NOWAIT);
  uv_thread_create(&thread, delayed_send, &async);
  assert_int_equal(uv_backend_timeout(loop), -1);
  assert_int_equal(poll(&outer, 1, 10000), 1);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_log("async");
  uv_thread_join(&thread);
  uv_timer_start(&timer, log_timer, 20, 0);
  for (int i = 0; i < 50 && log_text[0] == '\0'; i++) {
    poll(&outer, 1, uv_backend_timeout(loop));
    uv_run(loop, UV_RUN_NOWAIT);
  }
  assert_log("timer");
}

/* Covers L10: what a callback of the last phases started is visible outside. */
static void an_outer_loop_sees_what_was_started_last(void** state) {
  uv_loop_t* loop = *state;
  int pair[2];
  uv_poll_t handle;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  uv_poll_init(loop, &handle, pair[0]);
  uv_poll_start(&handle, UV_READABLE, (uv_poll_cb) (void (*)(void)) abort);
  uv_run(loop, UV_RUN_NOWAIT);
  struct pollfd outer = {.fd = uv_backend_fd(loop), .events = POLLIN};
  while (poll(&outer, 1, 0) > 0)
    uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(write(pair[1], "x", 1), 1);
  assert_int_equal(poll(&outer, 1, 10000), 1);
  uv_poll_stop(&handle);
  close_all(loop);
  close(pair[0]);
  close(pair[1]);
}

/* --- fork ------------------------------------------------------------------------ */

static int fork_pair[2];
static uv_poll_t fork_poll;

static void read_byte(uv_poll_t* handle, int status, int events) {
  (void) status, (void) events;
  char byte;
  assert_int_equal(read(fork_pair[0], &byte, 1), 1);
  log_word("byte");
  uv_poll_stop(handle);
}

static int child_uses_its_loop(uv_loop_t* loop) {
  if (uv_loop_fork(loop) != 0)
    return 1;
  uv_async_send(&async);
  if (write(fork_pair[1], "c", 1) != 1)
    return 2;
  uv_unref((uv_handle_t*) &async);
  uv_run(loop, UV_RUN_DEFAULT);
  if (strstr(log_text, "timer") == NULL || strstr(log_text, "byte") == NULL)
    return 3;
  uv_close((uv_handle_t*) &async, NULL);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_close((uv_handle_t*) &fork_poll, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 4;
}

/* Covers L9: the child's loop works; the parent's is untouched by it. */
static void fork_gives_the_child_a_loop_of_its_own(void** state) {
  uv_loop_t* loop = *state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fork_pair), 0);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, log_timer, 300, 0); /* not due before the fork */
  uv_async_init(loop, &async, log_async);
  uv_poll_init(loop, &fork_poll, fork_pair[0]);
  uv_poll_start(&fork_poll, UV_READABLE, read_byte);
  uv_run(loop, UV_RUN_NOWAIT); /* hands interest to the kernel in the parent */
  pid_t child = fork();
  if (child == 0)
    _exit(child_uses_its_loop(loop));
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_log("");
  uv_async_send(&async); /* the parent's interest is still registered */
  assert_int_equal(write(fork_pair[1], "p", 1), 1);
  uv_unref((uv_handle_t*) &async);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_non_null(strstr(log_text, "timer"));
  assert_non_null(strstr(log_text, "byte"));
  assert_non_null(strstr(log_text, "async"));
  close_all(loop);
  close(fork_pair[0]);
  close(fork_pair[1]);
}

/* --- threads --------------------------------------------------------------------- */

static void run_loop(void* argument) {
  uv_run(argument, UV_RUN_DEFAULT);
}

static void spin_idle(uv_idle_t* handle) {
  if (++*(int*) handle->data == 200)
    uv_idle_stop(handle);
}

/* A loop made in one thread and run in others, the ring in use each time. */
static void a_loop_may_move_between_threads(void** state) {
  uv_loop_t* loop = *state;
  int turns;
  uv_idle_init(loop, &idle);
  uv_timer_init(loop, &timer);
  idle.data = &turns;
  for (int i = 0; i < 6; i++) {
    uv_thread_t thread;
    turns = 0;
    uv_idle_start(&idle, spin_idle);
    uv_timer_start(&timer, log_timer, 1, 0);
    if (i % 2 == 0) {
      uv_run(loop, UV_RUN_DEFAULT);
      continue;
    }
    assert_int_equal(uv_thread_create(&thread, run_loop, loop), 0);
    uv_thread_join(&thread);
  }
  assert_log("timer timer timer timer timer timer");
}

/* --- handles --------------------------------------------------------------------- */

/* Covers H1. */
static void a_handle_lives_from_init_to_close(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timer);
  uv_handle_t* handle = (uv_handle_t*) &timer;
  assert_false(uv_is_active(handle));
  assert_false(uv_is_closing(handle));
  for (int i = 0; i < 2; i++) {
    uv_timer_start(&timer, log_timer, 1000, 0);
    assert_true(uv_is_active(handle));
    uv_timer_stop(&timer);
    assert_false(uv_is_active(handle));
  }
  uv_close(handle, NULL);
  assert_true(uv_is_closing(handle));
  assert_false(uv_is_active(handle));
}

/* Covers H2. */
static void references_are_idempotent(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timer);
  uv_handle_t* handle = (uv_handle_t*) &timer;
  assert_true(uv_has_ref(handle));
  uv_unref(handle);
  uv_unref(handle);
  assert_false(uv_has_ref(handle));
  uv_timer_start(&timer, log_timer, 100000, 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0); /* doesn't wait for it */
  uv_ref(handle);
  uv_ref(handle);
  assert_true(uv_has_ref(handle));
  assert_true(uv_loop_alive(loop));
  uv_unref(handle);
  assert_false(uv_loop_alive(loop));
}

/* Covers H3. */
static void names_sizes_and_accessors(void** state) {
  uv_loop_t* loop = *state;
  uv_req_t req;
  assert_string_equal(uv_handle_type_name(UV_TIMER), "timer");
  assert_string_equal(uv_handle_type_name(UV_NAMED_PIPE), "pipe");
  assert_null(uv_handle_type_name(UV_HANDLE_TYPE_MAX));
  assert_null(uv_handle_type_name(UV_UNKNOWN_HANDLE));
  assert_int_equal(uv_handle_size(UV_TIMER), sizeof(uv_timer_t));
  assert_int_equal(uv_handle_size(UV_HANDLE_TYPE_MAX), (size_t) -1);
  assert_string_equal(uv_req_type_name(UV_GETADDRINFO), "getaddrinfo");
  assert_null(uv_req_type_name(UV_REQ_TYPE_MAX));
  assert_int_equal(uv_req_size(UV_WRITE), sizeof(uv_write_t));
  assert_int_equal(uv_req_size(UV_REQ_TYPE_MAX), (size_t) -1);
  assert_int_equal(uv_loop_size(), sizeof(uv_loop_t));
  uv_timer_init(loop, &timer);
  uv_handle_set_data((uv_handle_t*) &timer, loop);
  assert_ptr_equal(uv_handle_get_data((uv_handle_t*) &timer), loop);
  assert_ptr_equal(uv_handle_get_loop((uv_handle_t*) &timer), loop);
  assert_int_equal(uv_handle_get_type((uv_handle_t*) &timer), UV_TIMER);
  uv_req_set_data(&req, loop);
  assert_ptr_equal(uv_req_get_data(&req), loop);
  req.type = UV_FS;
  assert_int_equal(uv_req_get_type(&req), UV_FS);
}

static void close_and_log(uv_handle_t* handle, void* arg) {
  (void) arg;
  log_word(uv_handle_type_name(handle->type));
  uv_close(handle, NULL);
}

static void walk_visits_every_handle_and_lets_it_close(void** state) {
  uv_loop_t* loop = *state;
  uv_timer_init(loop, &timer);
  uv_idle_init(loop, &idle);
  uv_async_init(loop, &async, log_async);
  uv_walk(loop, close_and_log, NULL);
  assert_log("timer idle async");
}

static void handles_are_printed(void** state) {
  uv_loop_t* loop = *state;
  char text[256] = "";
  FILE* stream = fmemopen(text, sizeof(text), "w");
  uv_timer_init(loop, &timer);
  uv_idle_init(loop, &idle);
  uv_timer_start(&timer, log_timer, 1000, 0);
  uv_unref((uv_handle_t*) &idle);
  uv_print_all_handles(loop, stream);
  fflush(stream);
  assert_non_null(strstr(text, "[RA-] timer "));
  assert_non_null(strstr(text, "[---] idle "));
  rewind(stream);
  uv_print_active_handles(loop, stream);
  fputc('\0', stream);
  fclose(stream);
  assert_non_null(strstr(text, "[RA-] timer "));
  assert_null(strstr(text, "idle"));
}

static void options_are_taken_or_refused(void** state) {
  uv_loop_t* loop = *state;
  assert_int_equal(uv_loop_configure(loop, UV_LOOP_BLOCK_SIGNAL, SIGPROF), 0);
  assert_int_equal(uv_loop_configure(loop, UV_LOOP_BLOCK_SIGNAL, SIGUSR1), UV_EINVAL);
  assert_int_equal(uv_loop_configure(loop, UV_METRICS_IDLE_TIME), 0);
  assert_int_equal(uv_loop_configure(loop, UV_LOOP_USE_IO_URING_SQPOLL), 0);
  assert_int_equal(uv_loop_configure(loop, (uv_loop_option) 1000), UV_ENOSYS);
}

static void metrics_count_turns_and_idle_time(void** state) {
  uv_loop_t* loop = *state;
  uv_metrics_t metrics;
  uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, log_timer, 30, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  assert_true(uv_metrics_idle_time(loop) >= 20000000);
  assert_int_equal(uv_metrics_info(loop, &metrics), 0);
  assert_true(metrics.loop_count >= 1 && metrics.loop_count < 10);
  assert_int_equal(metrics.events, 0);
  uv_async_init(loop, &async, log_async);
  uv_async_send(&async);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_metrics_info(loop, &metrics);
  assert_int_equal(metrics.events, 1);
  assert_int_equal(uv_metrics_info(loop, NULL), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_survives_init),
      cmocka_unit_test(init_without_memory_leaks_nothing),
      cmocka_unit_test(init_without_descriptors_leaks_nothing),
      cmocka_unit_test(the_default_loop_is_one_and_can_be_made_again),
      loop_test(alive_by_handles_requests_pending_and_closing),
      loop_test(close_with_open_handles_is_busy_and_changes_nothing),
      loop_test(nowait_never_blocks_and_says_what_is_left),
      loop_test(once_blocks_for_progress),
      loop_test(an_outer_loop_can_drive_ours),
      loop_test(an_outer_loop_sees_what_was_started_last),
      loop_test(fork_gives_the_child_a_loop_of_its_own),
      loop_test(a_loop_may_move_between_threads),
      loop_test(a_handle_lives_from_init_to_close),
      loop_test(references_are_idempotent),
      loop_test(names_sizes_and_accessors),
      loop_test(walk_visits_every_handle_and_lets_it_close),
      loop_test(handles_are_printed),
      loop_test(options_are_taken_or_refused),
      loop_test(metrics_count_turns_and_idle_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
