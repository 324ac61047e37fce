/* test: threads */
/* What a recording says about the loop: contract P1, P3, I1, C1, L8, and N4 for the Node
 * layer. */
#include "trace_test.h"

#include <pthread.h>

static uv_timer_t timer;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_async_t async;

static void on_timer(uv_timer_t* handle) {
  uv_async_send(&async);
  uv_timer_stop(handle);
}

static void on_idle(uv_idle_t* handle) {
  uv_idle_stop(handle);
}

static void on_prepare(uv_prepare_t* handle) {
  uv_prepare_stop(handle);
}

static void on_check(uv_check_t* handle) {
  uv_check_stop(handle);
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
}

static void on_async(uv_async_t* handle) {
  uv_close((uv_handle_t*) handle, on_close);
}

/* Covers P1. */
static void the_phases_of_a_turn_are_seen_in_their_order(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_loop_init(&loop);
  assert_int_equal(rondo_trace_start(&loop, path_of("order")), 0);
  assert_true(rondo_trace_active(&loop));
  uv_timer_init(&loop, &timer);
  uv_idle_init(&loop, &idle);
  uv_prepare_init(&loop, &prepare);
  uv_check_init(&loop, &check);
  uv_async_init(&loop, &async, on_async);
  uv_timer_start(&timer, on_timer, 0, 0);
  uv_idle_start(&idle, on_idle);
  uv_prepare_start(&prepare, on_prepare);
  uv_check_start(&check, on_check);
  uv_run(&loop, UV_RUN_DEFAULT);
  close_all(&loop);
  assert_int_equal(uv_loop_close(&loop), 0);

  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of("order"));
  assert_phases_in_order(record);
  log_events(record);
  const char* expected =
      "outside turn timers on_timer idle on_idle prepare on_prepare poll "
      "on_async check on_check closing on_close";
  assert_int_equal(strncmp(log_text, expected, strlen(expected)), 0);
  assert_string_equal(subject_of(record, find_callback(record, "on_timer")), "timer 1");
  assert_string_equal(subject_of(record, find_callback(record, "on_async")), "async 1");
  assert_string_equal(subject_of(record, find_callback(record, "on_close")), "async 1");
  assert_int_equal(record->lost, 0);
  trace_free(&trace);
}

static void record_a_sleep(const char* path, uint64_t timeout) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  uv_timer_init(&loop, &timer);
  uv_async_init(&loop, &async, on_async);
  rondo_trace_start(&loop, path);
  uv_update_time(&loop);
  uv_timer_start(&timer, on_timer, timeout, 0);
  uv_run(&loop, UV_RUN_ONCE);
  rondo_trace_stop(&loop);
  assert_false(rondo_trace_active(&loop));
  close_all(&loop);
  uv_loop_close(&loop);
}

/* Covers I1, L8: the sleep lies in the poll and says for how long it was meant. On a busy
 * machine a timer may be due before the loop runs: there is no sleep then. */
static void a_sleep_is_part_of_the_poll(void** state) {
  (void) state;
  struct trace trace;
  uint64_t timeout = 20;
  record_a_sleep(path_of("sleep"), timeout);
  struct trace_loop* record = read_back(&trace, path_of("sleep"));
  while (count_events(record, EVENT_SLEEP) == 0 && timeout < 2000) {
    trace_free(&trace);
    timeout *= 2;
    record_a_sleep(path_of("sleep"), timeout);
    record = read_back(&trace, path_of("sleep"));
  }
  log_events(record);
  assert_log("outside turn poll sleep timers on_timer"); /* P3 */
  uint64_t slept = 0;
  for (size_t i = 3; record->events[i].kind == EVENT_SLEEP; i++)
    slept += record->events[i].duration;
  assert_in_range(record->events[3].detail, 1, timeout * 1000000);
  assert_true(slept >= (uint64_t) record->events[3].detail / 2);
  trace_free(&trace);
}

/* --- runs inside callbacks -------------------------------------------------------- */

static uv_loop_t inner;
static uv_check_t inner_check;

static void on_inner(uv_check_t* handle) {
  uv_check_stop(handle);
}

static void run_inside(uv_timer_t* handle) {
  uv_check_start(&check, on_check);
  uv_run(handle->loop, UV_RUN_NOWAIT);
  uv_run(&inner, UV_RUN_NOWAIT);
  uv_timer_stop(handle);
}

static void a_run_inside_a_callback_lies_in_it(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_loop_init(&loop);
  uv_loop_init(&inner);
  rondo_trace_start(&loop, path_of("outer"));
  rondo_trace_start(&inner, path_of("inner"));
  assert_int_equal(rondo_trace_start(&inner, path_of("more")), UV_EALREADY);
  uv_check_init(&inner, &inner_check);
  uv_check_start(&inner_check, on_inner);
  uv_timer_init(&loop, &timer);
  uv_check_init(&loop, &check);
  uv_timer_start(&timer, run_inside, 0, 5);
  uv_run(&loop, UV_RUN_DEFAULT);
  close_all(&loop);
  close_all(&inner);
  uv_loop_close(&loop);
  uv_loop_close(&inner);

  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of("outer"));
  log_events(record);
  const char* expected = "outside turn timers run_inside turn poll check on_check poll";
  assert_int_equal(strncmp(log_text, expected, strlen(expected)), 0);
  log_text[0] = '\0';
  trace_free(&trace);
  record = read_back(&trace, path_of("inner"));
  log_events(record);
  expected = "outside turn poll check on_inner";
  assert_int_equal(strncmp(log_text, expected, strlen(expected)), 0);
  trace_free(&trace);
  assert_int_equal(files_in_folder(), 2);
}

/* --- subjects --------------------------------------------------------------------- */

static int freed;

static void free_it(uv_handle_t* handle) {
  free(handle);
  freed++;
}

static void close_it(uv_timer_t* handle) {
  uv_close((uv_handle_t*) handle, free_it);
}

static void a_callback_may_free_what_it_is_about(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_loop_init(&loop);
  rondo_trace_start(&loop, path_of("freed"));
  freed = 0;
  for (int i = 0; i < 3; i++) {
    uv_timer_t* one = malloc(sizeof(*one));
    uv_timer_init(&loop, one);
    uv_timer_start(one, close_it, 0, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  assert_int_equal(freed, 3);
  uv_loop_close(&loop);
}

/* A number is for one life: the next handle at the address is another. */
static void a_handle_keeps_its_number_until_it_is_closed(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_loop_init(&loop);
  rondo_trace_start(&loop, path_of("numbers"));
  for (int i = 0; i < 4; i++) {
    uv_idle_init(&loop, &idle);
    uv_idle_start(&idle, on_idle);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_idle_start(&idle, on_idle);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t*) &idle, i % 2 == 0 ? on_close : NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  uv_loop_close(&loop);

  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of("numbers"));
  for (size_t i = 0; i < record->event_count; i++) {
    if (record->events[i].kind == EVENT_CALLBACK)
      log_word(subject_of(record, &record->events[i]));
  }
  assert_log("idle 1 idle 1 idle 1 idle 2 idle 2 idle 3 idle 3 idle 3 idle 4 idle 4");
  trace_free(&trace);
}

/* --- started and stopped in the middle -------------------------------------------- */

static int times;

static void start_or_stop(uv_check_t* handle) {
  times++;
  if (times == 2)
    assert_int_equal(rondo_trace_start(handle->loop, path_of("middle")), 0);
  if (times == 4) {
    rondo_trace_stop(handle->loop);
    uv_check_stop(handle);
    uv_idle_stop(&idle);
  }
}

static void keep_turning(uv_idle_t* handle) {
  (void) handle;
}

static void it_begins_with_the_next_turn_and_may_end_anywhere(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_loop_init(&loop);
  times = 0;
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, keep_turning);
  uv_check_init(&loop, &check);
  uv_check_start(&check, start_or_stop);
  uv_run(&loop, UV_RUN_DEFAULT);
  close_all(&loop);
  uv_loop_close(&loop);

  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of("middle"));
  log_events(record);
  assert_log("outside turn idle keep_turning poll check start_or_stop "
             "turn idle keep_turning poll check start_or_stop");
  trace_free(&trace);
}

/* --- the Node layer ----------------------------------------------------------------- */

static rondo_node_tick_t tick;
static rondo_node_timer_t node_timer;
static rondo_node_immediate_t immediate;

static const void* on_tick(rondo_node_t* node, void* data) {
  (void) data;
  rondo_trace_name(rondo_node_loop(node), "unheard"); /* a tick isn't a callback */
  return NULL;
}

static const void* on_timeout(rondo_node_t* node, void* data) {
  (void) data;
  rondo_trace_name(rondo_node_loop(node), "renamed");
  rondo_node_next_tick(node, &tick, on_tick, NULL);
  return NULL;
}

static const void* on_immediate(rondo_node_t* node, void* data) {
  (void) node, (void) data;
  return NULL;
}

static const void* script(rondo_node_t* node, void* data) {
  (void) data;
  rondo_node_next_tick(node, &tick, on_tick, NULL);
  rondo_node_immediate_start(node, &immediate, on_immediate);
  return NULL;
}

static const void* later_script(rondo_node_t* node, void* data) {
  (void) data;
  rondo_node_timer_start(node, &node_timer, 1, 0, on_timeout, NULL);
  return NULL;
}

static void microtasks(rondo_node_t* node, void* data) {
  (void) node, (void) data;
}

/* Covers N4: ticks, then microtasks, behind the callback they belong to. */
static void ticks_and_microtasks_follow_their_callback(void** state) {
  (void) state;
  uv_loop_t loop;
  rondo_node_t* node;
  rondo_node_hooks_t hooks = {.microtasks = microtasks};
  uv_loop_init(&loop);
  assert_int_equal(rondo_trace_start(&loop, path_of("node")), 0);
  rondo_node_new(&node, &loop, &hooks);
  rondo_node_run(node, script, NULL);
  rondo_node_free(node);
  uv_run(&loop, UV_RUN_DEFAULT);
  rondo_node_new(&node, &loop, &hooks);
  rondo_node_run(node, later_script, NULL);
  rondo_node_free(node);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);

  struct trace trace;
  struct trace_loop* record = read_back(&trace, path_of("node"));
  assert_phases_in_order(record);
  log_events(record);
  const char* beginning =
      "outside script ticks microtasks turn idle idle_nothing poll check "
      "check_phase on_immediate microtasks";
  assert_int_equal(strncmp(log_text, beginning, strlen(beginning)), 0);
  assert_non_null(strstr(log_text, "timers_fired renamed ticks microtasks"));
  assert_string_equal(subject_of(record, find_callback(record, "renamed")), "timeout 1");
  trace_free(&trace);
}

/* --- threads ------------------------------------------------------------------------ */

static void count_down(uv_idle_t* handle) {
  int* left = handle->data;
  if (--*left == 0)
    uv_close((uv_handle_t*) handle, NULL);
}

static void* run_loop(void* path) {
  uv_loop_t loop;
  uv_idle_t own;
  int left = 5000;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_trace_start(&loop, path), 0);
  uv_idle_init(&loop, &own);
  own.data = &left;
  uv_idle_start(&own, count_down);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  return NULL;
}

static void loops_of_two_threads_have_a_file_each(void** state) {
  (void) state;
  pthread_t threads[2];
  char path[512];
  snprintf(path, sizeof(path), "%s", path_of("thread-%l"));
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, run_loop, path);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(files_in_folder(), 2);
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    struct trace trace;
    struct trace_loop* record = read_back(&trace, path_of(entry->d_name));
    assert_phases_in_order(record);
    assert_int_equal(count_events(record, EVENT_CALLBACK), 5000);
    trace_free(&trace);
  }
  closedir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      trace_test(the_phases_of_a_turn_are_seen_in_their_order),
      trace_test(a_sleep_is_part_of_the_poll),
      trace_test(a_run_inside_a_callback_lies_in_it),
      trace_test(a_callback_may_free_what_it_is_about),
      trace_test(a_handle_keeps_its_number_until_it_is_closed),
      trace_test(it_begins_with_the_next_turn_and_may_end_anywhere),
      trace_test(ticks_and_microtasks_follow_their_callback),
      trace_test(loops_of_two_threads_have_a_file_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
