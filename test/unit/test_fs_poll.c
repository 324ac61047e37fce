/* Polling a path: what is told when it appears, changes, fails and goes; stopping and
 * closing at any moment, also while a look is under way. */
#include "helper_watching.h"

struct look {
  int status;
  uv_stat_t before;
  uv_stat_t now;
};

static uv_fs_poll_t handle;
static struct look looks[64];
static int look_count;
static int closed;

static void note(uv_fs_poll_t* poll, int status, const uv_stat_t* before,
                 const uv_stat_t* now) {
  assert_ptr_equal(poll, &handle);
  assert_true(uv_is_active((uv_handle_t*) poll));
  assert_true(look_count < 64);
  looks[look_count++] = (struct look){.status = status, .before = *before, .now = *now};
}

static void never(uv_fs_poll_t* poll, int status, const uv_stat_t* before,
                  const uv_stat_t* now) {
  (void) poll, (void) status, (void) before, (void) now;
  fail_msg("nothing has changed");
}

static void note_closed(uv_handle_t* poll) {
  assert_false(uv_is_active(poll));
  closed++;
}

static void begin(uv_fs_poll_cb cb, unsigned int interval) {
  look_count = 0;
  closed = 0;
  assert_int_equal(uv_fs_poll_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_poll_start(&handle, cb, "file", interval), 0);
  assert_true(uv_is_active((uv_handle_t*) &handle));
}

static void await_looks(int count) {
  uint64_t patience = uv_hrtime() + 10000000000u;
  while (look_count < count && uv_hrtime() < patience)
    uv_run(&files_loop, UV_RUN_ONCE);
  assert_int_equal(look_count, count);
}

static void over(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  uv_stop(timer->loop);
}

static void turn_for(uint64_t ms) {
  uv_timer_t timer;
  uv_timer_init(&files_loop, &timer);
  uv_timer_start(&timer, over, ms, 0);
  uv_run(&files_loop, UV_RUN_DEFAULT);
}

/* Closed when the loop says so, and the loop can be closed then. */
static void end(void) {
  if (!uv_is_closing((uv_handle_t*) &handle))
    uv_close((uv_handle_t*) &handle, note_closed);
  assert_int_equal(closed, 0);
  while (closed == 0)
    uv_run(&files_loop, UV_RUN_ONCE);
  assert_int_equal(uv_loop_alive(&files_loop), 0);
}

static bool is_nothing(const uv_stat_t* stat) {
  static const uv_stat_t nothing;
  return memcmp(stat, &nothing, sizeof(nothing)) == 0;
}

static void a_file_comes_changes_and_goes(void** state) {
  (void) state;
  begin(note, 5);
  await_looks(1);
  assert_int_equal(looks[0].status, UV_ENOENT);
  assert_true(is_nothing(&looks[0].before) && is_nothing(&looks[0].now));
  turn_for(30); /* the same error is told once */
  assert_int_equal(look_count, 1);

  make_file("file");
  await_looks(2);
  assert_int_equal(looks[1].status, 0);
  assert_true(is_nothing(&looks[1].before));
  assert_int_equal(looks[1].now.st_size, 0);

  change_file("file");
  await_looks(3);
  assert_int_equal(looks[2].status, 0);
  assert_int_equal(looks[2].before.st_size, 0);
  assert_int_equal(looks[2].now.st_size, 1);

  assert_int_equal(unlink("file"), 0);
  await_looks(4);
  assert_int_equal(looks[3].status, UV_ENOENT);
  assert_int_equal(looks[3].before.st_size, 1);
  assert_true(is_nothing(&looks[3].now));

  /* Another error is another thing to tell. */
  assert_int_equal(symlink("file", "file"), 0);
  await_looks(5);
  assert_int_equal(looks[4].status, UV_ELOOP);
  end();
}

static void a_file_that_stays_is_not_told(void** state) {
  (void) state;
  make_file("file");
  begin(never, 2);
  turn_for(40);
  /* Neither is reading it. */
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  char byte;
  assert_int_equal(read(fd, &byte, 1), 0);
  close(fd);
  turn_for(40);
  end();
}

static void every_field_counts(void** state) {
  (void) state;
  make_file("file");
  begin(note, 2);
  while (files_loop.active_reqs.count > 0) /* until it knows what to compare with */
    uv_run(&files_loop, UV_RUN_ONCE);
  assert_int_equal(chmod("file", 0600), 0);
  await_looks(1);
  assert_int_not_equal(looks[0].before.st_mode, looks[0].now.st_mode);
  const struct timespec times[2] = {{.tv_sec = 1, .tv_nsec = 1},
                                    {.tv_sec = 1, .tv_nsec = 2}};
  assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
  await_looks(2);
  assert_int_equal(looks[1].now.st_mtim.tv_nsec, 2);
  make_file("other");
  move("other", "file");
  await_looks(3);
  assert_true(looks[2].before.st_ino != looks[2].now.st_ino);
  end();
}

static void the_path_can_be_asked_for(void** state) {
  (void) state;
  char buffer[8];
  size_t size = sizeof(buffer);
  make_file("file");
  assert_int_equal(uv_fs_poll_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_poll_getpath(&handle, buffer, &size), UV_EINVAL);
  assert_int_equal(size, 0);
  assert_int_equal(uv_fs_poll_start(&handle, NULL, "file", 1), UV_EINVAL);
  assert_int_equal(uv_fs_poll_start(&handle, never, NULL, 1), UV_EINVAL);
  assert_int_equal(uv_fs_poll_start(&handle, never, "file", 1000), 0);
  assert_int_equal(uv_fs_poll_start(&handle, never, "other", 1),
                   0); /* goes on as it is */
  size = 4;
  assert_int_equal(uv_fs_poll_getpath(&handle, buffer, &size), UV_ENOBUFS);
  assert_int_equal(size, 5);
  assert_int_equal(uv_fs_poll_getpath(&handle, buffer, &size), 0);
  assert_int_equal(size, 4);
  assert_string_equal(buffer, "file");
  closed = 0;
  end();
  assert_int_equal(uv_fs_poll_start(&handle, never, "file", 1), UV_EINVAL);
}

/* Also while it still looks for what it was stopped in the middle of. */
static void started_and_stopped_many_times(void** state) {
  (void) state;
  begin(never, 1);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(uv_fs_poll_stop(&handle), 0);
    assert_int_equal(uv_fs_poll_stop(&handle), 0);
    assert_false(uv_is_active((uv_handle_t*) &handle));
    assert_int_equal(uv_fs_poll_start(&handle, i == 99 ? note : never, "file", 1), 0);
  }
  await_looks(1);
  assert_int_equal(looks[0].status, UV_ENOENT);
  end();
}

static void closed_at_once(void** state) {
  (void) state;
  for (int turns = 0; turns < 4; turns++) {
    begin(never, 1);
    assert_int_equal(uv_fs_poll_stop(&handle), 0);
    for (int i = 0; i < turns; i++)
      uv_run(&files_loop, UV_RUN_NOWAIT);
    assert_int_equal(uv_fs_poll_start(&handle, turns == 0 ? never : note, "file", 1), 0);
    end();
  }
}

static void stop_and_start(uv_fs_poll_t* poll, int status, const uv_stat_t* before,
                           const uv_stat_t* now) {
  note(poll, status, before, now);
  assert_int_equal(uv_fs_poll_stop(poll), 0);
  if (look_count < 5)
    assert_int_equal(uv_fs_poll_start(poll, stop_and_start, "file", 1), 0);
}

static void the_callback_stops_and_starts(void** state) {
  (void) state;
  begin(stop_and_start, 1);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(look_count, 5);
  end();
}

static void close_in_callback(uv_fs_poll_t* poll, int status, const uv_stat_t* before,
                              const uv_stat_t* now) {
  note(poll, status, before, now);
  uv_close((uv_handle_t*) poll, note_closed);
  assert_true(is_nothing(before) &&
              is_nothing(now)); /* the callback's until it returns */
}

static void the_callback_closes(void** state) {
  (void) state;
  begin(close_in_callback, 1);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(look_count, 1);
  assert_int_equal(closed, 1);
}

static void an_unreferenced_one_does_not_hold_the_loop(void** state) {
  (void) state;
  begin(note, 1);
  uv_unref((uv_handle_t*) &handle);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  end();
}

static void count_handle(uv_handle_t* found, void* count) {
  (void) found;
  ++*(int*) count;
}

/* What it is made of is nobody's business. */
static void its_timer_is_not_seen(void** state) {
  (void) state;
  int count = 0;
  begin(note, 1);
  uv_walk(&files_loop, count_handle, &count);
  assert_int_equal(count, 1);
  end();
}

static void a_thousand_at_once(void** state) {
  (void) state;
  enum { MANY = 1000 };
  uv_fs_poll_t* many = calloc(MANY, sizeof(*many));
  assert_non_null(many);
  make_file("file");
  for (int i = 0; i < MANY; i++) {
    assert_int_equal(uv_fs_poll_init(&files_loop, &many[i]), 0);
    assert_int_equal(uv_fs_poll_start(&many[i], never, "file", (unsigned int) i % 7), 0);
  }
  turn_for(50);
  closed = 0;
  for (int i = 0; i < MANY; i++)
    uv_close((uv_handle_t*) &many[i], note_closed);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(closed, MANY);
  free(many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_file_comes_changes_and_goes),
      FILES_TEST(a_file_that_stays_is_not_told),
      FILES_TEST(every_field_counts),
      FILES_TEST(the_path_can_be_asked_for),
      FILES_TEST(started_and_stopped_many_times),
      FILES_TEST(closed_at_once),
      FILES_TEST(the_callback_stops_and_starts),
      FILES_TEST(the_callback_closes),
      FILES_TEST(an_unreferenced_one_does_not_hold_the_loop),
      FILES_TEST(its_timer_is_not_seen),
      FILES_TEST(a_thousand_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
