/* Watching a whole tree (UV_FS_EVENT_RECURSIVE): directories that come, go, move within
 * the tree, out of it and into it; and what must not be followed. */
#include "tree_test.h"

/* --- growing and shrinking ------------------------------------------------------- */

static void files_are_told_by_their_path_from_the_top(void** state) {
  (void) state;
  make_directories("top/a/b/c");
  watch_tree("top");
  make_file("top/file");
  make_file("top/a/b/c/file");
  change_file("top/a/b/c/file");
  assert_int_equal(chmod("top/a/b", 0700), 0);
  assert_int_equal(unlink("top/a/b/c/file"), 0);
  sync_tree("a/b/c/end");
  static const struct told expected[] = {
      {"file", UV_RENAME, 0}, {"a/b/c/file", UV_RENAME, 0}, {"a/b/c/file", UV_CHANGE, 0},
      {"a/b", UV_CHANGE, 0},  {"a/b/c/file", UV_RENAME, 0}, {"a/b/c/end", UV_RENAME, 0},
  };
  assert_int_equal(tree.count, sizeof(expected) / sizeof(expected[0]));
  for (size_t i = 0; i < tree.count; i++) {
    assert_string_equal(tree.told[i].filename, expected[i].filename);
    assert_int_equal(tree.told[i].events, expected[i].events);
  }
  recorder_close(&tree);
}

static void a_new_directory_is_watched(void** state) {
  (void) state;
  make_directory("top");
  watch_tree("top/");
  make_directory("top/new");
  recorder_await(&tree, "new", UV_RENAME);
  make_directory("top/new/below");
  recorder_await(&tree, "new/below", UV_RENAME);
  sync_tree("new/below/end");
  assert_int_equal(tree.count, 3);
  recorder_close(&tree);
}

/* Made before the loop could know of the directories they are in. */
static void what_is_made_in_new_directories_at_once_is_told(void** state) {
  (void) state;
  make_directory("top");
  watch_tree("top");
  make_directories("top/a/b/c/d");
  make_file("top/a/file");
  make_file("top/a/b/file");
  make_file("top/a/b/c/d/file");
  recorder_await(&tree, "a/b/c/d/file", UV_RENAME);
  assert_true(recorder_count(&tree, "a", UV_RENAME) > 0);
  assert_true(recorder_count(&tree, "a/file", UV_RENAME) > 0);
  assert_true(recorder_count(&tree, "a/b", UV_RENAME) > 0);
  assert_true(recorder_count(&tree, "a/b/file", UV_RENAME) > 0);
  assert_true(recorder_count(&tree, "a/b/c", UV_RENAME) > 0);
  assert_true(recorder_count(&tree, "a/b/c/d", UV_RENAME) > 0);
  sync_tree("a/b/c/d/end");
  recorder_close(&tree);
}

static void a_deleted_directory_may_come_again(void** state) {
  (void) state;
  make_directories("top/a/b");
  watch_tree("top");
  for (int i = 0; i < 20; i++) {
    assert_int_equal(rmdir("top/a/b"), 0);
    assert_int_equal(rmdir("top/a"), 0);
    if (i % 2 == 0)
      recorder_await(&tree, "a", UV_RENAME);
    make_directories("top/a/b");
    if (i % 3 == 0)
      recorder_await(&tree, "a/b", UV_RENAME);
  }
  recorder_forget(&tree);
  sync_tree("a/b/end");
  recorder_close(&tree);
}

/* --- moving ---------------------------------------------------------------------- */

static void a_directory_moved_within_the_tree_is_told_by_its_new_path(void** state) {
  (void) state;
  make_directories("top/a/b/c");
  make_directories("top/x");
  watch_tree("top");
  move("top/a/b", "top/x/y");
  make_file("top/x/y/c/one");
  recorder_await(&tree, "x/y/c/one", UV_RENAME);
  assert_int_equal(recorder_count(&tree, "a/b", UV_RENAME), 1);
  assert_int_equal(recorder_count(&tree, "x/y", UV_RENAME), 1);
  /* It took along what was known about it: nothing had to be looked for. */
  assert_int_equal(recorder_count(&tree, "x/y/c", UV_RENAME), 0);
  recorder_forget(&tree);
  make_directory("top/x/y/c/new");
  recorder_await(&tree, "x/y/c/new", UV_RENAME);
  make_directory("top/a/b");
  recorder_await(&tree, "a/b", UV_RENAME);
  recorder_forget(&tree);
  make_file("top/a/b/two");
  sync_tree("x/y/c/new/end");
  assert_int_equal(recorder_count(&tree, "a/b/two", UV_RENAME), 1);
  assert_int_equal(tree.count, 2);
  recorder_close(&tree);
}

static void a_new_directory_moves_on_before_it_is_seen(void** state) {
  (void) state;
  make_directories("top/x");
  watch_tree("top");
  make_directory("top/a");
  make_file("top/a/file");
  move("top/a", "top/x/b");
  move("top/x/b", "top/x/c");
  move("top/x", "top/z");
  make_directory("top/z/c/below");
  make_file("top/z/c/below/file");
  recorder_await(&tree, "z/c/below/file", UV_RENAME);
  assert_true(recorder_count(&tree, "z/c/file", UV_RENAME) > 0);
  sync_tree("z/c/below/end");
  recorder_close(&tree);
}

static void a_directory_moved_out_is_left_alone(void** state) {
  (void) state;
  make_directories("top/a/b");
  watch_tree("top");
  move("top/a", "outside");
  recorder_await(&tree, "a", UV_RENAME);
  recorder_forget(&tree);
  make_file("outside/file");
  make_file("outside/b/file");
  make_directory("outside/b/new");
  sync_tree("end");
  assert_int_equal(tree.count, 1);
  recorder_close(&tree);
}

static void a_directory_moved_in_is_told_with_what_it_has(void** state) {
  (void) state;
  make_directory("top");
  make_directories("outside/b/c");
  make_file("outside/b/file");
  watch_tree("top");
  move("outside", "top/in");
  recorder_await(&tree, "in/b/c", UV_RENAME);
  assert_int_equal(recorder_count(&tree, "in", UV_RENAME), 1);
  assert_int_equal(recorder_count(&tree, "in/b", UV_RENAME), 1);
  assert_int_equal(recorder_count(&tree, "in/b/file", UV_RENAME), 1);
  sync_tree("in/b/c/end");
  recorder_close(&tree);
}

static void out_and_in_again_under_another_name(void** state) {
  (void) state;
  make_directories("top/a/b");
  watch_tree("top");
  move("top/a", "outside");
  make_file("outside/b/file");
  move("outside", "top/z");
  recorder_await(&tree, "z/b/file", UV_RENAME);
  assert_int_equal(recorder_count_below(&tree, "a/"), 0);
  sync_tree("z/b/end");
  recorder_close(&tree);
}

static void two_directories_change_places(void** state) {
  (void) state;
  make_directories("top/a/below-a");
  make_directories("top/b/below-b");
  watch_tree("top");
  if (renameat2(AT_FDCWD, "top/a", AT_FDCWD, "top/b", RENAME_EXCHANGE) == 0) {
    sync_tree("first");
    assert_int_equal(tree.count, 5); /* each took along what was known about it */
    make_file("top/a/below-b/file");
    make_file("top/b/below-a/file");
    recorder_await(&tree, "a/below-b/file", UV_RENAME);
    recorder_await(&tree, "b/below-a/file", UV_RENAME);
    make_directory("top/b/new");
    recorder_await(&tree, "b/new", UV_RENAME);
    sync_tree("b/new/end");
  }
  recorder_close(&tree);
}

static void a_directory_takes_the_place_of_an_empty_one(void** state) {
  (void) state;
  make_directories("top/a/below");
  make_directories("top/b");
  watch_tree("top");
  move("top/a", "top/b");
  recorder_await(&tree, "b", UV_RENAME);
  sync_tree("b/below/end");
  recorder_close(&tree);
}

/* --- what is not followed -------------------------------------------------------- */

static void symbolic_links_are_not_followed(void** state) {
  (void) state;
  make_directories("top/a");
  make_directory("outside");
  assert_int_equal(symlink("../outside", "top/link"), 0);
  assert_int_equal(symlink("..", "top/a/up"), 0);
  assert_int_equal(symlink("top", "way-in"), 0);
  watch_tree("way-in"); /* the path itself may be one */
  assert_int_equal(symlink("../outside", "top/link2"), 0);
  recorder_await(&tree, "link2", UV_RENAME);
  make_file("outside/file");
  sync_tree("end");
  assert_int_equal(tree.count, 2);
  recorder_close(&tree);
}

static void a_file_is_watched_as_ever(void** state) {
  (void) state;
  make_directory("top");
  make_file("top/file");
  watch_tree("top/file");
  change_file("top/file");
  recorder_await(&tree, "file", UV_CHANGE);
  recorder_close(&tree);
}

static void bad_paths_leave_nothing(void** state) {
  (void) state;
  uv_fs_event_t handle;
  const unsigned int flags = UV_FS_EVENT_RECURSIVE;
  assert_int_equal(uv_fs_event_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "missing", flags), UV_ENOENT);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "", flags), UV_ENOENT);
  assert_int_equal(symlink("loop", "loop"), 0);
  assert_int_equal(uv_fs_event_start(&handle, recorder_cb, "loop", flags), UV_ELOOP);
  assert_false(uv_is_active((uv_handle_t*) &handle));
  uv_close((uv_handle_t*) &handle, NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
}

static int as_nobody(void) {
  if (geteuid() == 0 && seteuid(65534) != 0)
    return 77;
  CHECK(uv_loop_fork(&files_loop) == 0);
  watch_tree("top");
  sync_tree("open/first");
  CHECK(chmod("top/shut", 0755) == 0);
  recorder_await(&tree, "shut/below", UV_RENAME); /* it was found when we might look */
  sync_tree("shut/below/end");
  recorder_close(&tree);
  return uv_loop_close(&files_loop);
}

static void a_directory_that_may_not_be_read_waits_until_it_may(void** state) {
  (void) state;
  static const char* const paths[] = {"top", "top/open", "top/shut", "top/shut/below"};
  make_directories("top/open");
  make_directories("top/shut/below");
  if (geteuid() == 0) {
    assert_int_equal(chown(".", 65534, 65534), 0);
    for (int i = 0; i < 4; i++)
      assert_int_equal(chown(paths[i], 65534, 65534), 0);
  }
  assert_int_equal(chmod("top/shut", 0), 0);
  assert_in_child(as_nobody);
}

/* --- the top --------------------------------------------------------------------- */

static void the_top_tells_its_own_name(void** state) {
  (void) state;
  make_directories("top/a");
  watch_tree("top");
  assert_int_equal(chmod("top", 0700), 0);
  recorder_await(&tree, "top", UV_CHANGE);
  assert_int_equal(rmdir("top/a"), 0);
  assert_int_equal(rmdir("top"), 0);
  recorder_await(&tree, "top", UV_RENAME);
  assert_int_equal(recorder_count(&tree, "a", UV_RENAME), 1);
  assert_true(uv_is_active((uv_handle_t*) &tree.handle));
  uv_run(&files_loop, UV_RUN_NOWAIT);
  recorder_close(&tree);
}

static void the_working_directory_may_change(void** state) {
  (void) state;
  make_directory("top");
  watch_tree("top");
  make_directory("elsewhere");
  assert_int_equal(chdir("elsewhere"), 0);
  make_directories("../top/a/b");
  recorder_await(&tree, "a/b", UV_RENAME);
  assert_int_equal(chdir(".."), 0);
  sync_tree("a/b/end");
  recorder_close(&tree);
}

/* Nobody can tell where the top is now: what is known stays watched, and what can't be
 * followed is told, once. */
static void the_top_moves_away(void** state) {
  (void) state;
  make_directories("above/top/a");
  watch_tree("above/top");
  move("above", "moved");
  make_file("moved/top/a/file");
  recorder_await(&tree, "a/file", UV_RENAME);
  make_directory("moved/top/a/new");
  recorder_await_status(&tree, UV_ENOENT);
  make_directory("moved/top/a/new2");
  recorder_await(&tree, "a/new2", UV_RENAME);
  size_t count = tree.count;
  make_directories("above/top/a/b"); /* another directory: none of ours */
  make_directory("moved/top/a/new3");
  recorder_await(&tree, "a/new3", UV_RENAME);
  assert_int_equal(tree.count, count + 1);
  recorder_close(&tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(files_are_told_by_their_path_from_the_top),
      FILES_TEST(a_new_directory_is_watched),
      FILES_TEST(what_is_made_in_new_directories_at_once_is_told),
      FILES_TEST(a_deleted_directory_may_come_again),
      FILES_TEST(a_directory_moved_within_the_tree_is_told_by_its_new_path),
      FILES_TEST(a_new_directory_moves_on_before_it_is_seen),
      FILES_TEST(a_directory_moved_out_is_left_alone),
      FILES_TEST(a_directory_moved_in_is_told_with_what_it_has),
      FILES_TEST(out_and_in_again_under_another_name),
      FILES_TEST(two_directories_change_places),
      FILES_TEST(a_directory_takes_the_place_of_an_empty_one),
      FILES_TEST(symbolic_links_are_not_followed),
      FILES_TEST(a_file_is_watched_as_ever),
      FILES_TEST(bad_paths_leave_nothing),
      FILES_TEST(a_directory_that_may_not_be_read_waits_until_it_may),
      FILES_TEST(the_top_tells_its_own_name),
      FILES_TEST(the_working_directory_may_change),
      FILES_TEST(the_top_moves_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
