/* Watching files and directories: which change is told how, with which name; handles that
 * share a file; callbacks that stop and close; and the kernel's limits. */
#include "helper_watching.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* --- what is told ---------------------------------------------------------------- */

static void a_directory_tells_of_its_entries(void** state) {
  (void) state;
  struct recorder recorder;
  make_directory("d");
  assert_int_equal(recorder_start(&recorder, "d", 0), 0);
  make_file("d/a");
  change_file("d/a");
  assert_int_equal(chmod("d/a", 0600), 0);
  move("d/a", "d/b");
  assert_int_equal(unlink("d/b"), 0);
  make_directory("d/c");
  assert_int_equal(chmod("d/c", 0700), 0);
  recorder_sync(&recorder, "d/end", "end");
  static const struct told expected[] = {
      {"a", UV_RENAME, 0},   {"a", UV_CHANGE, 0},
      {"a", UV_CHANGE, 0},   {"a", UV_RENAME, 0},
      {"b", UV_RENAME, 0},   {"b", UV_RENAME, 0},
      {"c", UV_RENAME, 0},   {"c", UV_RENAME | UV_CHANGE, 0},
      {"end", UV_RENAME, 0},
  };
  const size_t count = sizeof(expected) / sizeof(expected[0]);
  assert_int_equal(recorder.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(recorder.told[i].filename, expected[i].filename);
    assert_int_equal(recorder.told[i].events, expected[i].events);
    assert_int_equal(recorder.told[i].status, 0);
  }
  recorder_close(&recorder);
}

static void a_directory_does_not_tell_of_what_is_below_its_entries(void** state) {
  (void) state;
  struct recorder recorder;
  make_directories("d/sub");
  assert_int_equal(recorder_start(&recorder, "d", 0), 0);
  make_file("d/sub/file");
  recorder_sync(&recorder, "d/end", "end");
  assert_int_equal(recorder.count, 1);
  recorder_close(&recorder);
}

static void a_file_tells_its_own_name(void** state) {
  (void) state;
  struct recorder recorder;
  make_directory("d");
  make_file("d/file");
  make_file("d/file2");
  assert_int_equal(recorder_start(&recorder, "d/file", 0), 0);
  change_file("d/file2");
  change_file("d/file");
  recorder_await(&recorder, "file", UV_CHANGE);
  assert_int_equal(recorder.count, 1);
  move("d/file", "d/moved");
  recorder_await(&recorder, "file", UV_RENAME);
  recorder_close(&recorder);
}

/* A name with any bytes, as long as the file system takes. */
static void names_are_told_as_they_are(void** state) {
  (void) state;
  struct recorder recorder;
  char path[2 + 255 + 1] = "d/";
  memset(path + 2, '\xff', 255);
  path[3] = '\n';
  make_directory("d");
  assert_int_equal(recorder_start(&recorder, "d", 0), 0);
  make_file(path);
  recorder_await(&recorder, path + 2, UV_RENAME);
  recorder_close(&recorder);
}

static void slashes_at_the_end_are_no_name(void** state) {
  (void) state;
  static const char* const paths[] = {"d", "d/", "d///", "./d//"};
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
    struct recorder recorder;
    make_directory("d");
    assert_int_equal(recorder_start(&recorder, paths[i], 0), 0);
    assert_int_equal(rmdir("d"), 0);
    recorder_await(&recorder, "d", UV_RENAME);
    recorder_close(&recorder);
  }
}

/* --- files that go away ---------------------------------------------------------- */

/* Twice: it is gone, and it is watched no more. The handle stays active, and what comes
 * in the file's place is another file. */
static void a_deleted_file_is_told(void** state) {
  (void) state;
  struct recorder recorder;
  struct recorder directory;
  make_file("file");
  assert_int_equal(recorder_start(&recorder, "file", 0), 0);
  assert_int_equal(recorder_start(&directory, ".", 0), 0);
  assert_int_equal(unlink("file"), 0);
  recorder_await(&recorder, "file", UV_RENAME);
  make_file("file");
  change_file("file");
  recorder_sync(&directory, "end", "end");
  assert_int_equal(recorder_count(&recorder, "file", UV_RENAME), 2);
  assert_true(uv_is_active((uv_handle_t*) &recorder.handle));
  assert_int_equal(uv_fs_event_stop(&recorder.handle), 0);
  recorder_forget(&recorder);

  assert_int_equal(uv_fs_event_start(&recorder.handle, recorder_cb, "file", 0), 0);
  change_file("file");
  recorder_await(&recorder, "file", UV_CHANGE);
  recorder_close(&recorder);
  recorder_close(&directory);
}

/* The watch of a file that is gone must not be mistaken for that of a new one. */
static void a_thousand_files_come_and_go(void** state) {
  (void) state;
  for (int i = 0; i < 1000; i++) {
    struct recorder recorder;
    make_file("file");
    assert_int_equal(recorder_start(&recorder, "file", 0), 0);
    assert_int_equal(unlink("file"), 0);
    if (i % 100 == 0)
      recorder_await(&recorder, "file", UV_RENAME);
    recorder_close(&recorder);
  }
}

static void a_moved_directory_is_still_watched(void** state) {
  (void) state;
  struct recorder recorder;
  make_directory("d");
  assert_int_equal(recorder_start(&recorder, "d", 0), 0);
  move("d", "e");
  recorder_await(&recorder, "d", UV_RENAME);
  make_file("e/file");
  recorder_await(&recorder, "file", UV_RENAME);
  recorder_close(&recorder);
}

/* --- handles that share a file --------------------------------------------------- */

static void each_handle_is_told_by_its_own_name(void** state) {
  (void) state;
  struct recorder recorders[4];
  make_file("file");
  assert_int_equal(link("file", "other"), 0);
  assert_int_equal(symlink("file", "symbolic"), 0);
  static const char* const names[] = {"file", "other", "symbolic", "file"};
  for (int i = 0; i < 4; i++)
    assert_int_equal(recorder_start(&recorders[i], names[i], 0), 0);
  change_file("file");
  for (int i = 0; i < 4; i++) {
    recorder_await(&recorders[i], names[i], UV_CHANGE);
    assert_int_equal(recorders[i].count, 1);
  }
  for (int i = 0; i < 3; i++)
    recorder_close(&recorders[i]);
  change_file("other");
  recorder_forget(&recorders[3]);
  recorder_await(&recorders[3], "file", UV_CHANGE); /* the watch is still there */
  recorder_close(&recorders[3]);
}

enum { CROWD = 8 };
static uv_fs_event_t crowd[CROWD];
static int crowd_calls;

static void crowd_start(uv_fs_event_cb cb, const char* path) {
  crowd_calls = 0;
  for (int i = 0; i < CROWD; i++) {
    assert_int_equal(uv_fs_event_init(&files_loop, &crowd[i]), 0);
    assert_int_equal(uv_fs_event_start(&crowd[i], cb, path, 0), 0);
  }
}

static void close_crowd(uv_fs_event_t* handle, const char* filename, int events,
                        int status) {
  (void) handle, (void) events, (void) status;
  crowd_calls++;
  for (int i = 0; i < CROWD; i++) {
    uv_fs_event_stop(&crowd[i]);
    uv_close((uv_handle_t*) &crowd[i], NULL);
  }
  assert_string_equal(filename, "file"); /* the callback's until it returns */
}

static void the_first_callback_closes_all(void** state) {
  (void) state;
  make_file("file");
  crowd_start(close_crowd, "file");
  change_file("file");
  change_file("file");
  assert_int_equal(unlink("file"), 0);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(crowd_calls, 1);
}

static void stop_next(uv_fs_event_t* handle, const char* filename, int events,
                      int status) {
  (void) filename, (void) events, (void) status;
  size_t next = (size_t) (handle - crowd + 1) % CROWD;
  crowd_calls++;
  assert_int_equal(uv_fs_event_stop(&crowd[next]), 0);
}

static void each_callback_stops_the_next(void** state) {
  (void) state;
  make_file("file");
  crowd_start(stop_next, "file");
  change_file("file");
  while (crowd_calls < CROWD / 2)
    uv_run(&files_loop, UV_RUN_ONCE);
  uv_run(&files_loop, UV_RUN_NOWAIT);
  assert_int_equal(crowd_calls, CROWD / 2);
  for (int i = 0; i < CROWD; i++)
    uv_close((uv_handle_t*) &crowd[i], NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static void start_again(uv_fs_event_t* handle, const char* filename, int events,
                        int status) {
  (void) filename, (void) events, (void) status;
  assert_int_equal(uv_fs_event_start(handle, start_again, "file", 0), UV_EINVAL);
  assert_int_equal(uv_fs_event_stop(handle), 0);
  assert_int_equal(uv_fs_event_start(handle, start_again, "file", 0), 0);
  if (++crowd_calls == 3 * CROWD)
    for (int i = 0; i < CROWD; i++)
      uv_close((uv_handle_t*) &crowd[i], NULL);
}

static void touch_again(uv_timer_t* timer) {
  (void) timer;
  change_file("file");
}

static void callbacks_stop_and_start_again(void** state) {
  (void) state;
  uv_timer_t timer;
  make_file("file");
  crowd_start(start_again, "file");
  uv_timer_init(&files_loop, &timer);
  uv_timer_start(&timer, touch_again, 0, 1);
  while (crowd_calls < 3 * CROWD)
    uv_run(&files_loop, UV_RUN_ONCE);
  uv_close((uv_handle_t*) &timer, NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

/* --- arguments ------------------------------------------------------------------- */

static void bad_arguments_change_nothing(void** state) {
  (void) state;
  uv_fs_event_t handle;
  assert_int_equal(uv_fs_event_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_event_start(&handle, NULL, ".", 0), UV_EINVAL);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, NULL, 0), UV_EINVAL);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "missing", 0), UV_ENOENT);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "", 0), UV_ENOENT);
  make_file("file");
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "file/x", 0), UV_ENOTDIR);
  assert_int_equal(symlink("loop", "loop"), 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "loop", 0), UV_ELOOP);
  assert_false(uv_is_active((uv_handle_t*) &handle));
  assert_int_equal(uv_fs_event_stop(&handle), 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, ".", 0), 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, ".", 0), UV_EINVAL);
  assert_true(uv_is_active((uv_handle_t*) &handle));
  uv_close((uv_handle_t*) &handle, NULL);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, ".", 0), UV_EINVAL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static void the_path_can_be_asked_for(void** state) {
  (void) state;
  uv_fs_event_t handle;
  char buffer[8];
  size_t size = sizeof(buffer);
  make_directory("d");
  assert_int_equal(uv_fs_event_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_event_getpath(&handle, buffer, &size), UV_EINVAL);
  assert_int_equal(size, 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "./d/", 0), 0);
  size = 4;
  assert_int_equal(uv_fs_event_getpath(&handle, buffer, &size), UV_ENOBUFS);
  assert_int_equal(size, 5);
  assert_int_equal(uv_fs_event_getpath(&handle, buffer, &size), 0);
  assert_int_equal(size, 4);
  assert_string_equal(buffer, "./d/");
  assert_int_equal(uv_fs_event_getpath(&handle, NULL, &size), UV_EINVAL);
  assert_int_equal(uv_fs_event_getpath(&handle, buffer, NULL), UV_EINVAL);
  uv_close((uv_handle_t*) &handle, NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static void an_unreferenced_handle_does_not_hold_the_loop(void** state) {
  (void) state;
  struct recorder recorder;
  assert_int_equal(recorder_start(&recorder, ".", 0), 0);
  uv_unref((uv_handle_t*) &recorder.handle);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  recorder_close(&recorder);
}

/* --- limits ---------------------------------------------------------------------- */

static void an_overflow_is_told_to_every_handle(void** state) {
  (void) state;
  struct recorder watched;
  struct recorder other;
  make_directory("d");
  make_file("file");
  assert_int_equal(recorder_start(&watched, "d", 0), 0);
  assert_int_equal(recorder_start(&other, "file", 0), 0);
  if (overflow_queue("d")) {
    recorder_await_overflow(&watched);
    recorder_await_overflow(&other);
    assert_int_equal(other.count, 1);
    recorder_sync(&watched, "d/end", "end");
    change_file("file");
    recorder_await(&other, "file", UV_CHANGE);
  }
  recorder_close(&watched);
  recorder_close(&other);
}

static int with_two_watches(void) {
  struct recorder recorders[3];
  if (!limit_watches(2))
    return 77;
  make_file("a"), make_file("b"), make_file("c");
  CHECK(recorder_start(&recorders[0], "a", 0) == 0);
  CHECK(recorder_start(&recorders[1], "b", 0) == 0);
  CHECK(recorder_start(&recorders[2], "c", 0) == UV_ENOSPC);
  CHECK(!uv_is_active((uv_handle_t*) &recorders[2].handle));
  change_file("a");
  recorder_await(&recorders[0], "a", UV_CHANGE);
  recorder_close(&recorders[1]);
  CHECK(uv_fs_event_start(&recorders[2].handle, recorder_cb, "c", 0) == 0);
  change_file("c");
  recorder_await(&recorders[2], "c", UV_CHANGE);
  recorder_close(&recorders[0]);
  recorder_close(&recorders[2]);
  return uv_loop_close(&files_loop);
}

static void too_many_watches(void** state) {
  (void) state;
  assert_in_child(with_two_watches);
}

static int without_descriptors(void) {
  struct recorder recorder;
  struct rlimit old;
  CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
  struct rlimit none = {.rlim_cur = 0, .rlim_max = old.rlim_max};
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(recorder_start(&recorder, ".", 0) == UV_EMFILE);
  CHECK(uv_fs_event_start(&recorder.handle, recorder_cb, ".", UV_FS_EVENT_RECURSIVE) ==
        UV_EMFILE);
  CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
  CHECK(!uv_is_active((uv_handle_t*) &recorder.handle));
  CHECK(uv_fs_event_start(&recorder.handle, recorder_cb, ".", 0) == 0);
  recorder_sync(&recorder, "end", "end");
  recorder_close(&recorder);
  return uv_loop_close(&files_loop);
}

static void too_many_descriptors(void** state) {
  (void) state;
  assert_in_child(without_descriptors);
}

static int without_instances(void) {
  struct recorder recorder;
  if (!limit_descriptors(0))
    return 77;
  CHECK(recorder_start(&recorder, ".", 0) == UV_EMFILE);
  recorder_close(&recorder);
  return uv_loop_close(&files_loop);
}

static void too_many_instances(void** state) {
  (void) state;
  assert_in_child(without_instances);
}

/* --- fork ------------------------------------------------------------------------ */

static struct recorder shared;

static int watch_in_child(void) {
  CHECK(uv_loop_fork(&files_loop) == 0);
  change_file("file");
  recorder_await(&shared, "file", UV_CHANGE);
  recorder_close(&shared);
  return uv_loop_close(&files_loop);
}

/* Closing the handle in the child must not take the watch away here. */
static void a_forked_child_watches_on_its_own(void** state) {
  (void) state;
  make_file("file");
  assert_int_equal(recorder_start(&shared, "file", 0), 0);
  assert_in_child(watch_in_child);
  recorder_await(&shared, "file", UV_CHANGE);
  recorder_forget(&shared);
  change_file("file");
  recorder_await(&shared, "file", UV_CHANGE);
  recorder_close(&shared);
}

static void fork_in_callback(uv_fs_event_t* handle, const char* filename, int events,
                             int status) {
  (void) filename, (void) events, (void) status;
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct recorder* recorder = handle->data;
    bool works = uv_loop_fork(&files_loop) == 0 && uv_fs_event_stop(handle) == 0 &&
                 uv_fs_event_start(handle, recorder_cb, "file", 0) == 0;
    change_file("file");
    recorder->count = 0;
    while (works && recorder->count == 0)
      uv_run(&files_loop, UV_RUN_ONCE);
    _exit(works ? 0 : 1);
  }
  int result;
  assert_int_equal(waitpid(pid, &result, 0), pid);
  assert_int_equal(result, 0);
  uv_close((uv_handle_t*) handle, NULL);
}

static void a_callback_forks(void** state) {
  (void) state;
  struct recorder recorder = {0};
  make_file("file");
  assert_int_equal(uv_fs_event_init(&files_loop, &recorder.handle), 0);
  recorder.handle.data = &recorder;
  assert_int_equal(uv_fs_event_start(&recorder.handle, fork_in_callback, "file", 0), 0);
  change_file("file");
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_directory_tells_of_its_entries),
      FILES_TEST(a_directory_does_not_tell_of_what_is_below_its_entries),
      FILES_TEST(a_file_tells_its_own_name),
      FILES_TEST(names_are_told_as_they_are),
      FILES_TEST(slashes_at_the_end_are_no_name),
      FILES_TEST(a_deleted_file_is_told),
      FILES_TEST(a_thousand_files_come_and_go),
      FILES_TEST(a_moved_directory_is_still_watched),
      FILES_TEST(each_handle_is_told_by_its_own_name),
      FILES_TEST(the_first_callback_closes_all),
      FILES_TEST(each_callback_stops_the_next),
      FILES_TEST(callbacks_stop_and_start_again),
      FILES_TEST(bad_arguments_change_nothing),
      FILES_TEST(the_path_can_be_asked_for),
      FILES_TEST(an_unreferenced_handle_does_not_hold_the_loop),
      FILES_TEST(an_overflow_is_told_to_every_handle),
      FILES_TEST(too_many_watches),
      FILES_TEST(too_many_descriptors),
      FILES_TEST(too_many_instances),
      FILES_TEST(a_forked_child_watches_on_its_own),
      FILES_TEST(a_callback_forks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
