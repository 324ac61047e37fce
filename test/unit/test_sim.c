/* test: threads */
/* Loops in virtual time (rondo_sim_loop_init): hours pass at once, one seed makes one
 * schedule, and under every seed the contract holds. */
#include "loop_test.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <time.h>

enum { SEEDS = 40, WORKS = 12, MINUTE = 60000 };

static double real_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void loop_begin(uv_loop_t* loop, uint64_t seed) {
  log_text[0] = '\0';
  assert_int_equal(rondo_sim_loop_init(loop, seed), 0);
}

static void loop_end(uv_loop_t* loop) {
  close_all(loop);
  assert_int_equal(uv_loop_close(loop), 0);
}

/* --- time --------------------------------------------------------------------------- */

static int fired;

static void count_to_sixty(uv_timer_t* timer) {
  if (++fired == 60)
    uv_timer_stop(timer);
}

static void an_hour_passes_at_once(void** state) {
  uv_loop_t loop;
  uv_timer_t timer;
  (void) state;
  loop_begin(&loop, 0);
  double began = real_seconds();
  uint64_t now = uv_now(&loop);
  uint64_t hrtime = uv_hrtime();
  fired = 0;
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, count_to_sixty, MINUTE, MINUTE);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(fired, 60);
  assert_int_equal(uv_now(&loop) - now, 60 * MINUTE);
  assert_true(uv_hrtime() - hrtime >= 3600 * UINT64_C(1000000000));
  assert_true(real_seconds() - began < 30);
  loop_end(&loop);
}

static void a_sleep_moves_the_clock(void** state) {
  uv_loop_t loop;
  uv_timespec64_t before, after;
  (void) state;
  loop_begin(&loop, 0);
  assert_int_equal(uv_clock_gettime(UV_CLOCK_REALTIME, &before), 0);
  uv_sleep(1000 * 1000);
  assert_int_equal(uv_clock_gettime(UV_CLOCK_REALTIME, &after), 0);
  assert_int_equal(after.tv_sec - before.tv_sec, 1000);
  loop_end(&loop);
}

static void the_clock_is_the_machines_again_afterwards(void** state) {
  uv_loop_t loop;
  struct timespec now;
  (void) state;
  loop_begin(&loop, 0);
  uv_sleep(10 * 1000);
  loop_end(&loop);
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert_true(uv_hrtime() / 1000000000 - (uint64_t) now.tv_sec <= 1);
}

static void spin_on(uv_idle_t* idle) {
  if (uv_now(idle->loop) >= (uint64_t) (uintptr_t) idle->data)
    uv_idle_stop(idle);
}

static void a_loop_that_never_waits_sees_time_pass(void** state) {
  uv_loop_t loop;
  uv_idle_t idle;
  (void) state;
  loop_begin(&loop, 0);
  uv_idle_init(&loop, &idle);
  idle.data = (void*) (uintptr_t) (uv_now(&loop) + 100);
  uv_idle_start(&idle, spin_on);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  loop_end(&loop);
}

static void loops_of_one_turn_each_see_time_pass(void** state) {
  uv_loop_t outer, loop;
  int made = 0;
  (void) state;
  loop_begin(&outer, 0); /* the world lasts as long as this one */
  for (uint64_t until = uv_hrtime() + 5000000; uv_hrtime() < until; made++) {
    assert_true(made < 20000);
    loop_begin(&loop, 0);
    uv_idle_t idle;
    uv_idle_init(&loop, &idle);
    uv_close((uv_handle_t*) &idle, NULL);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    loop_end(&loop);
  }
  loop_end(&outer);
}

/* --- work --------------------------------------------------------------------------- */

static uv_work_t works[WORKS];
static int begun[WORKS], begun_count;

static void note_begin(uv_work_t* work) {
  begun[begun_count++] = (int) (work - works);
}

static void note_end(uv_work_t* work, int status) {
  char word[32];
  assert_int_equal(status, 0);
  snprintf(word, sizeof(word), "%td", work - works);
  log_word(word);
}

static void queue_works(uv_loop_t* loop) {
  begun_count = 0;
  for (int i = 0; i < WORKS; i++)
    assert_int_equal(uv_queue_work(loop, &works[i], note_begin, note_end), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(begun_count, WORKS);
}

/* A loop without handles doesn't poll; uv_update_time only looks at the clock. */
static void a_program_that_only_looks_sees_time_pass(void** state) {
  uv_loop_t loop;
  (void) state;
  loop_begin(&loop, 0);
  uint64_t began = uv_now(&loop);
  while (uv_now(&loop) - began < 1000)
    uv_run(&loop, UV_RUN_NOWAIT);
  began = uv_now(&loop);
  while (uv_now(&loop) - began < 1000)
    uv_update_time(&loop);
  began = uv_hrtime();
  while (uv_hrtime() - began < UINT64_C(1000000000)) {
  }
  loop_end(&loop);
}

static void without_decisions_work_ends_in_its_order(void** state) {
  uv_loop_t loop;
  (void) state;
  loop_begin(&loop, 0);
  queue_works(&loop);
  assert_log("0 1 2 3 4 5 6 7 8 9 10 11");
  loop_end(&loop);
}

/* The pool has four threads: work that has four unfinished ones before it has not begun.
 */
static void work_begins_first_come_first_served(void** state) {
  int orders = 0;
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uv_loop_t loop;
    loop_begin(&loop, seed);
    queue_works(&loop);
    for (int at = 0; at < WORKS; at++) {
      int before = 0;
      for (int i = 0; i < at; i++)
        before += begun[i] < begun[at];
      assert_true(begun[at] - before < 4);
    }
    orders += strcmp(log_text, "0 1 2 3 4 5 6 7 8 9 10 11") != 0;
    loop_end(&loop);
  }
  assert_true(orders > SEEDS / 4);
}

static void note_cancel(uv_work_t* work, int status) {
  (void) work;
  log_word(status == UV_ECANCELED ? "cancelled" : "done");
}

static void work_that_has_not_begun_is_cancelled(void** state) {
  (void) state;
  for (uint64_t seed = 0; seed <= SEEDS; seed++) {
    uv_loop_t loop;
    uv_work_t work;
    loop_begin(&loop, seed);
    assert_int_equal(uv_queue_work(&loop, &work, note_begin, note_cancel), 0);
    begun_count = 0;
    assert_int_equal(uv_cancel((uv_req_t*) &work), 0);
    assert_int_equal(uv_cancel((uv_req_t*) &work), 0);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(begun_count, 0);
    assert_log("cancelled");
    loop_end(&loop);
  }
}

static void sleep_for_a_day(uv_work_t* work) {
  (void) work;
  uv_sleep(24 * 60 * MINUTE);
}

static void ten_hours(uv_timer_t* timer) {
  (void) timer;
  log_word("timer");
}

/* Work that sleeps doesn't hold up the loop's timers. */
static void work_may_sleep(void** state) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_work_t work;
  (void) state;
  loop_begin(&loop, 0);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, ten_hours, 10 * 60 * MINUTE, 0);
  uv_queue_work(&loop, &work, sleep_for_a_day, note_cancel);
  uint64_t before = uv_now(&loop);
  assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
  assert_log("timer done");
  assert_int_equal(uv_now(&loop) - before, 24 * 60 * MINUTE);
  loop_end(&loop);
}

/* --- files, connections and timers together ----------------------------------------- */

static uv_fs_t files[4];
static uv_tcp_t server, client, accepted;
static uv_connect_t connecting;
static uv_write_t writing;
static uv_timer_t timers[4];
static char message[] = "message";
static size_t received;
static uint64_t due[4];

static void note_file(uv_fs_t* req) {
  char word[32];
  snprintf(word, sizeof(word), "f%td", req - files);
  log_word(word);
  uv_fs_req_cleanup(req);
}

static void give_buffer(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char memory[65536];
  (void) handle;
  *buf =
      uv_buf_init(memory, (unsigned int) (size < sizeof(memory) ? size : sizeof(memory)));
}

static void note_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n > 0)
    received += (size_t) n;
  if (n == UV_EOF) {
    log_word("end");
    uv_close((uv_handle_t*) stream, NULL);
    uv_close((uv_handle_t*) &server, NULL);
  }
}

static void note_client(uv_stream_t* listening, int status) {
  assert_int_equal(status, 0);
  uv_tcp_init(listening->loop, &accepted);
  assert_int_equal(uv_accept(listening, (uv_stream_t*) &accepted), 0);
  uv_read_start((uv_stream_t*) &accepted, give_buffer, note_read);
}

static void note_written(uv_write_t* req, int status) {
  assert_int_equal(status, 0);
  uv_close((uv_handle_t*) req->handle, NULL);
}

static void note_connected(uv_connect_t* req, int status) {
  uv_buf_t buf = uv_buf_init(message, sizeof(message));
  assert_int_equal(status, 0);
  uv_write(&writing, req->handle, &buf, 1, note_written);
}

static void note_timer(uv_timer_t* timer) {
  char word[32];
  size_t i = (size_t) (timer - timers);
  assert_true(uv_now(timer->loop) >= due[i]); /* T4: never early */
  snprintf(word, sizeof(word), "t%zu", i);
  log_word(word);
}

static void play(uv_loop_t* loop, uint64_t seed) {
  static const uint64_t after[4] = {1, 5, 30, 30};
  struct sockaddr_in address;
  int length = sizeof(address);
  loop_begin(loop, seed);
  received = 0;
  for (int i = 0; i < 4; i++) {
    uv_timer_init(loop, &timers[i]);
    due[i] = uv_now(loop) + after[i];
    uv_timer_start(&timers[i], note_timer, after[i], 0);
    uv_fs_stat(loop, &files[i], "/", note_file);
  }
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(loop, &server);
  uv_tcp_init(loop, &client);
  assert_int_equal(uv_tcp_bind(&server, (struct sockaddr*) &address, 0), 0);
  assert_int_equal(uv_listen((uv_stream_t*) &server, 8, note_client), 0);
  uv_tcp_getsockname(&server, (struct sockaddr*) &address, &length);
  assert_int_equal(
      uv_tcp_connect(&connecting, &client, (struct sockaddr*) &address, note_connected),
      0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(received, sizeof(message));
}

static void timers_keep_their_order_under_every_seed(void** state) {
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uv_loop_t loop;
    play(&loop, seed);
    const char* at = log_text;
    for (int i = 0; i < 4; i++) {
      char word[16];
      snprintf(word, sizeof(word), "t%d", i);
      at = strstr(at, word);
      assert_non_null(at);
    }
    loop_end(&loop);
  }
}

static void one_seed_makes_one_schedule(void** state) {
  uint64_t different = 0;
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uv_loop_t loop;
    char first[sizeof(log_text)];
    play(&loop, seed);
    uint64_t schedule = rondo_sim_schedule(&loop);
    memcpy(first, log_text, sizeof(first));
    loop_end(&loop);
    play(&loop, seed);
    assert_int_equal(rondo_sim_schedule(&loop), schedule);
    assert_string_equal(log_text, first);
    different += schedule != 0;
    loop_end(&loop);
  }
  assert_true(different > SEEDS / 2);
}

static void two_loops_share_one_clock(void** state) {
  uv_loop_t one, other;
  uv_timer_t timer;
  (void) state;
  loop_begin(&one, 7);
  loop_begin(&other, 7);
  uint64_t before = uv_now(&other);
  uv_timer_init(&one, &timer);
  uv_timer_start(&timer, ten_hours, 10 * 60 * MINUTE, 0);
  uv_run(&one, UV_RUN_DEFAULT);
  uv_update_time(&other);
  assert_true(uv_now(&other) - before >= 10 * 60 * MINUTE);
  loop_end(&one);
  loop_end(&other);
}

/* --- two loops on two threads ------------------------------------------------------- */

enum { SENDS = 5 };

struct sender {
  uv_async_t to;
  uint64_t seed;
  atomic_int sent;
};

static void send_one(uv_timer_t* timer) {
  struct sender* sender = timer->data;
  uv_async_send(&sender->to);
  if (++sender->sent == SENDS)
    uv_close((uv_handle_t*) timer, NULL);
}

static void send_all(void* argument) {
  struct sender* sender = argument;
  uv_loop_t loop;
  uv_timer_t timer;
  if (rondo_sim_loop_init(&loop, sender->seed) != 0)
    abort();
  uv_timer_init(&loop, &timer);
  timer.data = sender;
  uv_timer_start(&timer, send_one, 10, 10);
  uv_run(&loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&loop) != 0)
    abort();
}

static void note_send(uv_async_t* async) {
  struct sender* sender = async->data;
  log_word("send");
  if (uv_now(async->loop) >= due[0] && sender->sent == SENDS)
    uv_close((uv_handle_t*) async, NULL);
}

static void note_tick(uv_timer_t* timer) {
  struct sender* sender = timer->data;
  log_word("tick");
  if (uv_now(timer->loop) < due[0] || sender->sent < SENDS)
    return;
  uv_close((uv_handle_t*) timer, NULL);
  uv_async_send(&sender->to);
}

/* Ticks of one loop and sends of the other, at the same virtual times. */
static void play_two(uint64_t seed, char* log, size_t size, uint64_t* schedule) {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_thread_t thread;
  struct sender sender = {.seed = seed};
  loop_begin(&loop, seed);
  uv_timer_init(&loop, &timer);
  timer.data = &sender;
  sender.to.data = &sender;
  due[0] = uv_now(&loop) + 60;
  assert_int_equal(uv_async_init(&loop, &sender.to, note_send), 0);
  sender.to.data = &sender;
  uv_timer_start(&timer, note_tick, 10, 10);
  assert_int_equal(uv_thread_create(&thread, send_all, &sender), 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  snprintf(log, size, "%s", log_text);
  *schedule = rondo_sim_schedule(&loop);
  loop_end(&loop);
}

static void loops_of_two_threads_take_turns_by_the_seed(void** state) {
  (void) state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    char first[1024], second[1024];
    uint64_t schedules[2];
    play_two(seed, first, sizeof(first), &schedules[0]);
    play_two(seed, second, sizeof(second), &schedules[1]);
    assert_string_equal(first, second);
    assert_int_equal(schedules[0], schedules[1]);
  }
}

static void nothing_is_left_open(void** state) {
  uv_loop_t loop;
  (void) state;
  play(&loop, 3);
  loop_end(&loop);
  int before = open_descriptors();
  for (uint64_t seed = 1; seed <= 5; seed++) {
    play(&loop, seed);
    loop_end(&loop);
  }
  assert_int_equal(open_descriptors(), before);
  assert_int_equal(rondo_sim_loop_init(NULL, 1), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_hour_passes_at_once),
      cmocka_unit_test(a_sleep_moves_the_clock),
      cmocka_unit_test(the_clock_is_the_machines_again_afterwards),
      cmocka_unit_test(a_loop_that_never_waits_sees_time_pass),
      cmocka_unit_test(loops_of_one_turn_each_see_time_pass),
      cmocka_unit_test(a_program_that_only_looks_sees_time_pass),
      cmocka_unit_test(without_decisions_work_ends_in_its_order),
      cmocka_unit_test(work_begins_first_come_first_served),
      cmocka_unit_test(work_that_has_not_begun_is_cancelled),
      cmocka_unit_test(work_may_sleep),
      cmocka_unit_test(timers_keep_their_order_under_every_seed),
      cmocka_unit_test(one_seed_makes_one_schedule),
      cmocka_unit_test(two_loops_share_one_clock),
      cmocka_unit_test(loops_of_two_threads_take_turns_by_the_seed),
      cmocka_unit_test(nothing_is_left_open),
  };
  uv_loop_t loop;
  int err = rondo_sim_loop_init(&loop, 1);
  if (err == UV_ENOSYS) {
    puts("SKIP: the kernel doesn't say which threads work");
    return 77;
  }
  if (err == 0)
    uv_loop_close(&loop);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
