/* test: threads */
/* The ring: what is written for callbacks that are short and long, what stands on its
 * board, and that it is one for a process whatever its loops do. What is read from
 * outside and after a kill is in test/trace/check_record. */
#include "trace_test.h"

#include "sanitizers.h"

#include "trace/board.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char ring_path[4096];

static const struct trace_header* ring_map(size_t* size) {
  struct stat status;
  snprintf(ring_path, sizeof(ring_path), "%s/rondo/%d.ring", folder, (int) getpid());
  int fd = open(ring_path, O_RDONLY);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  *size = (size_t) status.st_size;
  const void* memory = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
  assert_ptr_not_equal(memory, MAP_FAILED);
  close(fd);
  return memory;
}

static const struct board* board_of(const struct trace_header* header) {
  return (const struct board*) (const void*) ((const char*) header + TRACE_HEADER_SIZE);
}

static const struct board_loop* loop_on(const struct board* board) {
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    if (board->loops[i].number != 0)
      return &board->loops[i];
  }
  return NULL;
}

static size_t requests_on(const struct board_loop* live) {
  size_t count = 0;
  for (size_t i = 0; i < BOARD_ENTRIES; i++)
    count += (board_entry_at(live, i).subject >> TRACE_SUBJECT_SHIFT & 0xff) >=
             TRACE_SUBJECT_REQ;
  return count;
}

static int make_folder(void** state) {
  int err = folder_setup(state);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  setenv("RONDO_RECORD", "1M", 1);
  return err;
}

static int remove_folder(void** state) {
  char path[4200];
  unlink(ring_path);
  snprintf(path, sizeof(path), "%s/rondo", folder);
  rmdir(path);
  return folder_teardown(state);
}

/* --- callbacks ---------------------------------------------------------------------- */

static long turns_left;

static void on_idle(uv_idle_t* idle) {
  if (--turns_left == 0)
    uv_idle_stop(idle);
}

static void on_slow(uv_timer_t* timer) {
  uint64_t end = uv_hrtime() + 3000000;
  while (uv_hrtime() < end)
    continue;
  uv_close((uv_handle_t*) timer, NULL);
}

/* More turns than the ring has room for, then a callback that takes its time. */
static void the_end_of_a_long_run_is_there_with_its_names(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_idle_t idle;
  uv_timer_t timer;
  assert_int_equal(uv_loop_init(&loop), 0);
  uv_idle_init(&loop, &idle);
  turns_left = 30000;
  uv_idle_start(&idle, on_idle);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_slow, 0, 0);
  uv_run(&loop, UV_RUN_DEFAULT);

  size_t size;
  const struct trace_header* header = ring_map(&size);
  assert_true(header->overwritten > 0);
  assert_int_equal(header->board_size, BOARD_SIZE);
  struct trace trace = {0};
  assert_null(trace_read(&trace, ring_path));
  assert_false(trace.damaged);
  assert_int_equal(trace.count, 1);
  const struct trace_loop* record = &trace.loops[0];
  assert_true(record->overwritten);
  assert_true(record->begin_ns > 0 && record->begin_ns == record->events[0].start);
  size_t slow = 0, many = 0;
  /* Functions have addresses instead where the process can't see what it has mapped. */
  bool has_names = false;
  for (size_t i = 0; i < record->name_count; i++)
    has_names |= strstr(record->names[i], "on_idle") != NULL;
  for (size_t i = 0; i < record->event_count; i++) {
    const struct event* event = &record->events[i];
    if (event->kind != EVENT_CALLBACK)
      continue;
    many += event->many;
    if (event->many == 0 && event->name != EVENT_NONE &&
        strstr(record->names[event->name], "on_slow") != NULL)
      slow += event->duration >= 3000000;
  }
  assert_int_equal(slow, has_names ? 1 : 0);
  assert_true(many > 100 && many < 30000);
  trace_free(&trace);
  munmap((void*) (uintptr_t) header, size);
  uv_close((uv_handle_t*) &idle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
}

static void on_tick(uv_timer_t* timer) {
  if (--turns_left == 0)
    uv_close((uv_handle_t*) timer, NULL);
}

static void on_prepare(uv_prepare_t* prepare) {
  if (turns_left <= 1)
    uv_prepare_stop(prepare);
}

/* A sleep is written when it is over, with what it waited for. */
static void sleeps_and_phases_of_short_callbacks_are_there(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_timer_t timer;
  uv_prepare_t prepare;
  assert_int_equal(uv_loop_init(&loop), 0);
  uv_timer_init(&loop, &timer);
  uv_prepare_init(&loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  turns_left = 20;
  uv_timer_start(&timer, on_tick, 2, 2);
  uv_run(&loop, UV_RUN_DEFAULT);

  size_t size;
  const struct trace_header* header = ring_map(&size);
  struct trace trace = {0};
  assert_null(trace_read(&trace, ring_path));
  const struct trace_loop* record = &trace.loops[0];
  for (size_t i = 1; i < trace.count; i++)
    record = trace.loops[i].number > record->number ? &trace.loops[i] : record;
  uint64_t asleep = 0, in[EVENT_SLEEP] = {0}; /* by phase */
  for (size_t i = 0; i < record->event_count; i++) {
    const struct event* event = &record->events[i];
    if (event->kind == EVENT_SLEEP) {
      asleep += event->duration;
      assert_true(event->detail > 0 && event->detail < 3000000); /* the timeout */
      assert_int_equal(record->events[event->parent].kind, EVENT_POLL);
    }
    if (event->kind == EVENT_CALLBACK)
      in[record->events[event->parent].kind] += event->many > 0 ? event->many : 1;
  }
  assert_int_equal(in[EVENT_TIMERS], 20);
  assert_true(in[EVENT_TIMERS + RONDO_PHASE_PREPARE] >= 19);
  assert_true(asleep > 10000000);
  assert_true(loop_on(board_of(header))->slept_ns >= asleep);
  trace_free(&trace);
  munmap((void*) (uintptr_t) header, size);
  uv_close((uv_handle_t*) &prepare, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
}

static uv_async_t waker;

struct sleeper {
  const struct trace_header* header;
  size_t size;
  const struct board_loop* live;
};

/* The time of the loop's last record. */
static uint64_t last_record_ns(const struct sleeper* sleeper) {
  const struct trace_header* header = sleeper->header;
  uint64_t last = 0;
  for (size_t at = TRACE_HEADER_SIZE + header->board_size;
       at + header->chunk_size <= sleeper->size; at += header->chunk_size) {
    const struct trace_chunk* chunk = (const void*) ((const char*) header + at);
    const struct trace_record* record = (const void*) (chunk + 1);
    size_t most = (header->chunk_size - sizeof(*chunk)) / sizeof(*record);
    if (chunk->kind != TRACE_STREAM_LOOP || chunk->number != sleeper->live->number)
      continue;
    for (size_t i = 0; i < most && record[i].when != 0; i++) {
      if ((record[i].when & 0xff) == TRACE_WAITS || (record[i].when & 0xff) == TRACE_CPU)
        last = record[i].when >> TRACE_TIME_SHIFT;
    }
  }
  return header->start_ns + last;
}

/* A reader adds the sleep from the board if it is later than all that is in the stream.
 */
static void look_at_sleeper(void* argument) {
  const struct sleeper* sleeper = argument;
  uint64_t looked;
  while (((looked = __atomic_load_n(&sleeper->live->looked_ns, __ATOMIC_ACQUIRE)) &
          BOARD_ASLEEP) == 0)
    uv_sleep(1);
  uint64_t last = last_record_ns(sleeper);
  assert_true(last > sleeper->header->start_ns);
  assert_true(last <= (looked & ~BOARD_ASLEEP));
  uv_async_send(&waker);
}

static void on_never(uv_timer_t* timer) {
  (void) timer;
}

static void on_woken(uv_async_t* async) {
  uv_close((uv_handle_t*) async->data, NULL);
  uv_close((uv_handle_t*) async, NULL);
}

/* Before each sleep: long enough that the clock is read again, and with one handle more
 * or less, so that the handles are listed. */
static void on_slow_before_sleep(uv_prepare_t* prepare) {
  uv_timer_t* timer = prepare->data;
  uint64_t end = uv_hrtime() + 20000000;
  while (uv_hrtime() < end)
    continue;
  if (uv_is_active((uv_handle_t*) timer))
    uv_timer_stop(timer);
  else
    uv_timer_start(timer, on_never, 100000000, 0);
}

static void a_sleep_begins_after_all_that_is_recorded(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_timer_t timer;
  uv_prepare_t prepare;
  uv_thread_t looker;
  size_t size;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(uv_loop_init(&loop), 0);
    const struct trace_header* header = ring_map(&size);
    struct sleeper sleeper = {header, size, loop_on(board_of(header))};
    uv_timer_init(&loop, &timer);
    uv_prepare_init(&loop, &prepare);
    uv_async_init(&loop, &waker, on_woken);
    prepare.data = &timer;
    waker.data = &prepare;
    uv_prepare_start(&prepare, on_slow_before_sleep);
    assert_int_equal(uv_thread_create(&looker, look_at_sleeper, &sleeper), 0);
    while (uv_is_active((uv_handle_t*) &waker))
      uv_run(&loop, UV_RUN_ONCE);
    uv_thread_join(&looker);
    uv_close((uv_handle_t*) &timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    munmap((void*) (uintptr_t) header, size);
  }
}

static uv_idle_t closed_inside;

/* Work, then spans inside that are short, at whose ends processor time is recorded. */
static void on_outer(uv_timer_t* timer) {
  for (int i = 0; i < 3; i++) {
    uint64_t end = uv_hrtime() + 15000000;
    while (uv_hrtime() < end)
      continue;
    rondo_trace_end(timer->loop, rondo_trace_begin(timer->loop, "inner"));
  }
  uv_close((uv_handle_t*) &closed_inside, NULL);
  uv_close((uv_handle_t*) timer, NULL);
}

static void short_spans_inside_leave_a_callback_its_time(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_timer_t timer;
  assert_int_equal(uv_loop_init(&loop), 0);
  uv_idle_init(&loop, &closed_inside);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_outer, 0, 0);
  uv_run(&loop, UV_RUN_DEFAULT);

  struct trace trace = {0};
  size_t size, found = 0;
  const struct trace_header* header = ring_map(&size);
  assert_null(trace_read(&trace, ring_path));
  const struct trace_loop* record = &trace.loops[trace.count - 1];
  for (size_t i = 0; i < record->event_count; i++) {
    const struct event* event = &record->events[i];
    if (event->kind == EVENT_CALLBACK && event->name != EVENT_NONE &&
        strstr(record->names[event->name], "on_outer") != NULL)
      found += event->duration >= 45000000;
  }
  assert_int_equal(found, 1);
  trace_free(&trace);
  munmap((void*) (uintptr_t) header, size);
  assert_int_equal(uv_loop_close(&loop), 0);
}

/* --- the pool ----------------------------------------------------------------------- */

enum { WORKS = 8, THREADS = 4 };
static uv_work_t works[WORKS];
static sem_t works_may_end;
static uint64_t works_begun_ns;

static void hold_thread(uv_work_t* request) {
  (void) request;
  sem_wait(&works_may_end);
}

static void after_held(uv_work_t* request, int status) {
  (void) request;
  assert_int_equal(status, 0);
}

/* It works before it hands anything to the pool. */
static void on_occupy_pool(uv_timer_t* timer) {
  uint64_t end = uv_hrtime() + 30000000;
  while (uv_hrtime() < end)
    continue;
  works_begun_ns = uv_hrtime();
  for (size_t i = 0; i < WORKS; i++)
    assert_int_equal(uv_queue_work(timer->loop, &works[i], hold_thread, after_held), 0);
}

static void on_let_go(uv_timer_t* timer) {
  (void) timer;
  for (size_t i = 0; i < WORKS; i++)
    sem_post(&works_may_end);
}

/* All callbacks are short but the one that occupies the threads. */
static void requests_that_waited_for_the_pool_are_there(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_timer_t timers[2];
  assert_int_equal(uv_loop_init(&loop), 0);
  sem_init(&works_may_end, 0, 0);
  uv_timer_init(&loop, &timers[0]);
  uv_timer_init(&loop, &timers[1]);
  uv_timer_start(&timers[0], on_occupy_pool, 0, 0);
  uv_run(&loop, UV_RUN_NOWAIT);
  uv_timer_start(&timers[1], on_let_go, 30, 0);
  uv_run(&loop, UV_RUN_DEFAULT);

  struct trace trace = {0};
  size_t size;
  const struct trace_header* header = ring_map(&size);
  assert_null(trace_read(&trace, ring_path));
  trace_join_works(&trace);
  const struct trace_loop* record = &trace.loops[trace.count - 1];
  size_t waited = 0, called = 0;
  for (size_t i = 0; i < record->event_count; i++) {
    const struct event* event = &record->events[i];
    if (event->cause == EVENT_NONE || record->causes[event->cause].work == EVENT_NONE)
      continue;
    const struct cause* cause = &record->causes[event->cause];
    const struct work* work = &record->process->works[cause->work];
    assert_true(cause->by != EVENT_NONE);
    assert_non_null(
        strstr(record->names[record->events[cause->by].name], "on_occupy_pool"));
    uint64_t begun_ns = record->start_ns + cause->begun;
    assert_true(begun_ns + 1000000 > works_begun_ns);
    called++;
    waited += record->process->start_ns + work->start > begun_ns + 10000000;
  }
  assert_int_equal(called, WORKS);
  assert_true(waited >= WORKS - THREADS);
  trace_free(&trace);
  munmap((void*) (uintptr_t) header, size);
  uv_close((uv_handle_t*) &timers[0], NULL);
  uv_close((uv_handle_t*) &timers[1], NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
}

/* --- the board ---------------------------------------------------------------------- */

static sem_t begun, let_go;
static const struct board* watched;

static void wait_on_pool(uv_work_t* request) {
  (void) request;
  sem_post(&begun);
  sem_wait(&let_go);
}

static void after_work(uv_work_t* request, int status) {
  (void) request;
  assert_int_equal(status, 0);
  const struct board_loop* live = loop_on(watched);
  assert_int_equal(live->depth, 1); /* this one */
  assert_int_equal(live->open[0].kind, TRACE_CALLBACK);
}

static void what_is_in_flight_stands_on_the_board(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_work_t work;
  size_t size;
  assert_int_equal(uv_loop_init(&loop), 0);
  const struct trace_header* header = ring_map(&size);
  watched = board_of(header);
  const struct board_loop* live = loop_on(watched);
  assert_non_null(live);
  sem_init(&begun, 0, 0);
  sem_init(&let_go, 0, 0);
  assert_int_equal(requests_on(live), 0);
  assert_int_equal(uv_queue_work(&loop, &work, wait_on_pool, after_work), 0);
  sem_wait(&begun);
  uv_run(&loop, UV_RUN_NOWAIT);
  assert_int_equal(requests_on(live), 1);
  assert_int_equal(watched->pool_working, 1);
  assert_int_equal(live->requests, 1);
  sem_post(&let_go);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(requests_on(live), 0);
  assert_int_equal(live->depth, 0);
  assert_int_equal(uv_loop_close(&loop), 0);
  assert_null(loop_on(watched));
  munmap((void*) (uintptr_t) header, size);
}

/* More than the list of a turn takes, ending in whatever order. */
enum { REQUESTS = 300 };
static uv_fs_t looks[REQUESTS];
static int looks_left;

static void after_look(uv_fs_t* request) {
  uv_fs_req_cleanup(request);
  looks_left--;
}

static void on_begin_looks(uv_timer_t* timer) {
  const struct board_loop* live = loop_on(watched);
  uint32_t crowded = live->crowded;
  looks_left = REQUESTS;
  for (size_t i = 0; i < REQUESTS; i++) {
    assert_int_equal(uv_fs_stat(timer->loop, &looks[i], "/", after_look), 0);
    assert_int_equal(requests_on(live) + live->crowded - crowded, i + 1);
  }
  assert_int_equal(live->depth, 1);
}

static void requests_of_a_callback_stand_on_the_board_until_they_end(void** state) {
  (void) state;
  uv_loop_t loop;
  uv_timer_t timer;
  size_t size;
  assert_int_equal(uv_loop_init(&loop), 0);
  const struct trace_header* header = ring_map(&size);
  watched = board_of(header);
  const struct board_loop* live = loop_on(watched);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_begin_looks, 0, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(looks_left, 0);
  assert_int_equal(requests_on(live), 0);
  uv_timer_start(&timer, on_begin_looks, 0, 0); /* with places that were used before */
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(looks_left, 0);
  assert_int_equal(requests_on(live), 0);
  uv_close((uv_handle_t*) &timer, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  munmap((void*) (uintptr_t) header, size);
}

/* --- life ----------------------------------------------------------------------------
 */

static pid_t forked;

static void on_fork(uv_timer_t* timer) {
  int status;
  (void) timer;
  forked = fork();
  if (forked == 0)
    return; /* to the end of the callback, in the child */
  assert_int_equal(waitpid(forked, &status, 0), forked);
  assert_int_equal(status, 0);
  const struct board_loop* live = loop_on(watched);
  assert_int_equal(live->depth, 1); /* this one */
  assert_int_equal(live->open[0].subject & (((uint64_t) 1 << TRACE_SUBJECT_SHIFT) - 1),
                   (uintptr_t) timer);
}

static void on_after_fork(uv_timer_t* timer) {
  (void) timer;
  if (forked == 0)
    _exit(0);
}

static void a_child_leaves_the_board_of_its_parent_alone(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER) /* it allows no threads in a forked child */
    skip();
  uv_loop_t loop;
  uv_timer_t first, second;
  size_t size;
  assert_int_equal(uv_loop_init(&loop), 0);
  const struct trace_header* header = ring_map(&size);
  watched = board_of(header);
  uv_timer_init(&loop, &first);
  uv_timer_init(&loop, &second);
  forked = -1;
  uv_timer_start(&first, on_fork, 0, 0);
  uv_timer_start(&second, on_after_fork, 0, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_true(forked > 0);
  uv_close((uv_handle_t*) &first, NULL);
  uv_close((uv_handle_t*) &second, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  munmap((void*) (uintptr_t) header, size);
}

static void a_child_has_a_ring_of_its_own(void** state) {
  (void) state;
  if (UNDER_THREAD_SANITIZER) /* it allows no threads in a forked child */
    skip();
  uv_loop_t loop;
  size_t size;
  assert_int_equal(uv_loop_init(&loop), 0);
  const struct trace_header* header = ring_map(&size);
  pid_t child = fork();
  if (child == 0) {
    size_t own;
    if (uv_loop_fork(&loop) != 0)
      _exit(1);
    uv_run(&loop, UV_RUN_NOWAIT);
    int good = ring_map(&own)->pid == (uint32_t) getpid();
    unlink(ring_path);
    _exit(good ? 0 : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(header->pid, getpid());
  munmap((void*) (uintptr_t) header, size);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  (void) ring_map(&size); /* this process's again */
}

/* More than have a place on the board: all are recorded. */
static void many_loops_share_it(void** state) {
  (void) state;
  enum { LOOPS = BOARD_LOOPS + 3 };
  static uv_loop_t loops[LOOPS];
  for (int i = 0; i < LOOPS; i++) {
    assert_int_equal(uv_loop_init(&loops[i]), 0);
    assert_true(rondo_trace_active(&loops[i]));
    uv_run(&loops[i], UV_RUN_NOWAIT);
  }
  for (int i = 0; i < LOOPS; i++)
    assert_int_equal(uv_loop_close(&loops[i]), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_of_a_long_run_is_there_with_its_names),
      cmocka_unit_test(sleeps_and_phases_of_short_callbacks_are_there),
      cmocka_unit_test(a_sleep_begins_after_all_that_is_recorded),
      cmocka_unit_test(short_spans_inside_leave_a_callback_its_time),
      cmocka_unit_test(requests_that_waited_for_the_pool_are_there),
      cmocka_unit_test(what_is_in_flight_stands_on_the_board),
      cmocka_unit_test(requests_of_a_callback_stand_on_the_board_until_they_end),
      cmocka_unit_test(a_child_leaves_the_board_of_its_parent_alone),
      cmocka_unit_test(a_child_has_a_ring_of_its_own),
      cmocka_unit_test(many_loops_share_it),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
