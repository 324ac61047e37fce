/* Watching a whole tree (UV_FS_EVENT_RECURSIVE): directories that come, go, move within
 * the tree, out of it and into it; what must not be followed; and the kernel's limits. */
#include "helper_watching.h"

#include <sys/resource.h>

static struct recorder tree;

static void watch_tree(const char* path) {
  assert_int_equal(recorder_start(&tree, path, UV_FS_EVENT_RECURSIVE), 0);
}

/* All that was done in the tree at "top" has been told when this returns. */
static void sync_tree(const char* name) {
  char path[4096];
  snprintf(path, sizeof(path), "top/%s", name);
  recorder_sync(&tree, path, name);
}

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

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
      return 1;                                                                          \
    }                                                                                    \
  } while (0)

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
  run_in_child(as_nobody);
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

/* --- size ------------------------------------------------------------------------ */

static void a_path_longer_than_the_kernel_takes(void** state) {
  (void) state;
  enum { DEPTH = 40 };
  char name[201];
  char path[DEPTH * 201 + 32] = "";
  memset(name, 'n', 200);
  name[200] = '\0';
  int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  make_directory("top");
  watch_tree("top");
  assert_int_equal(chdir("top"), 0);
  for (int i = 0; i < DEPTH; i++) {
    make_directory(name);
    assert_int_equal(chdir(name), 0);
    strcat(path, name);
    strcat(path, "/");
  }
  path[strlen(path) - 1] = '\0';
  recorder_await(&tree, path, UV_RENAME);
  make_directory("new");
  strcat(path, "/new");
  recorder_await(&tree, path, UV_RENAME);
  make_file("new/file");
  strcat(path, "/file");
  recorder_await(&tree, path, UV_RENAME);
  assert_int_equal(unlink("new/file"), 0);
  assert_int_equal(rmdir("new"), 0);
  for (int i = 0; i < DEPTH; i++) {
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rmdir(name), 0);
  }
  assert_int_equal(fchdir(home), 0);
  close(home);
  recorder_close(&tree);
}

static void a_thousand_directories(void** state) {
  (void) state;
  char path[64];
  for (int i = 0; i < 10; i++) {
    for (int j = 0; j < 99; j++) {
      snprintf(path, sizeof(path), "top/%d/%d", i, j);
      make_directories(path);
    }
  }
  uint64_t began = uv_hrtime();
  watch_tree("top");
  uint64_t took = uv_hrtime() - began;
  print_message("1,000 directories are watched after %.1f ms\n", (double) took / 1e6);
  for (int i = 0; i < 10; i++) {
    snprintf(path, sizeof(path), "%d/%d/end", i, i * 9);
    sync_tree(path);
  }
  assert_int_equal(tree.count, 10);
  /* A move within takes no look at what is below, a move out and in does. */
  move("top/3", "top/7/here");
  sync_tree("7/here/50/end");
  assert_int_equal(tree.count, 13);
  move("top/7", "outside");
  recorder_await(&tree, "7", UV_RENAME);
  move("outside", "top/7");
  recorder_await(&tree, "7/here/98", UV_RENAME);
  sync_tree("7/here/98/end");
  began = uv_hrtime();
  recorder_close(&tree);
  took = uv_hrtime() - began;
  print_message("and left again in %.1f ms\n", (double) took / 1e6);
}

/* --- handles and callbacks ------------------------------------------------------- */

static void trees_and_directories_share_watches(void** state) {
  (void) state;
  struct recorder whole;
  struct recorder part;
  struct recorder single;
  make_directories("top/a/b");
  assert_int_equal(recorder_start(&whole, "top", UV_FS_EVENT_RECURSIVE), 0);
  assert_int_equal(recorder_start(&part, "top/a", UV_FS_EVENT_RECURSIVE), 0);
  assert_int_equal(recorder_start(&single, "top/a/b", 0), 0);
  make_file("top/a/b/file");
  recorder_await(&whole, "a/b/file", UV_RENAME);
  recorder_await(&part, "b/file", UV_RENAME);
  recorder_await(&single, "file", UV_RENAME);
  recorder_close(&part);
  change_file("top/a/b/file");
  recorder_await(&whole, "a/b/file", UV_CHANGE);
  recorder_await(&single, "file", UV_CHANGE);
  recorder_close(&whole);
  change_file("top/a/b/file");
  recorder_forget(&single);
  recorder_await(&single, "file", UV_CHANGE);
  recorder_close(&single);
}

static int calls_left;

static void stop_after_some(uv_fs_event_t* handle, const char* filename, int events,
                            int status) {
  (void) events, (void) status;
  if (--calls_left > 0)
    return;
  assert_int_equal(uv_fs_event_stop(handle), 0);
  uv_close((uv_handle_t*) handle, NULL);
  assert_true(strlen(filename) > 0); /* the callback's until it returns */
}

/* At every moment of the work that one change of the tree makes. */
static void the_callback_stops_at_every_moment(void** state) {
  (void) state;
  for (int n = 1; n <= 8; n++) {
    uv_fs_event_t handle;
    make_directories("top/x");
    make_directories("outside/a/b");
    make_file("outside/file");
    make_file("outside/a/file");
    make_file("outside/a/b/file");
    calls_left = n;
    assert_int_equal(uv_fs_event_init(&files_loop, &handle), 0);
    assert_int_equal(
        uv_fs_event_start(&handle, stop_after_some, "top", UV_FS_EVENT_RECURSIVE), 0);
    move("outside", "top/in");
    make_directories("top/in/new");
    move("top/in/a", "top/x/a");
    make_file("top/x/end");
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(system("rm -rf top outside"), 0);
  }
}

/* --- limits ---------------------------------------------------------------------- */

/* What was missed must be watched when it is over, what was lost is told as such. */
static void an_overflow_builds_the_tree_anew(void** state) {
  (void) state;
  make_directories("top/a/b");
  make_directories("top/gone/below");
  watch_tree("top");
  if (overflow_queue("top")) {
    make_directories("top/a/new/below");
    make_file("top/a/new/file");
    move("top/a/b", "top/moved");
    assert_int_equal(rmdir("top/gone/below"), 0);
    assert_int_equal(rmdir("top/gone"), 0);
    recorder_await_overflow(&tree);
    assert_null(tree.told[tree.count - 1].filename); /* when all is watched again */
    recorder_forget(&tree);
    make_file("top/a/new/below/file");
    make_file("top/moved/file");
    sync_tree("a/new/end");
    static const char* const names[] = {"a/new/below/file", "moved/file", "a/new/end"};
    for (int i = 0; i < 3; i++)
      assert_int_equal(recorder_count(&tree, names[i], UV_RENAME), 1);
    assert_int_equal(tree.count, 3);
  }
  recorder_close(&tree);
}

static int with_few_watches(void) {
  uv_fs_event_t handle;
  if (!limit_watches(4))
    return 77;
  make_directories("top/a/b");
  make_directories("top/c/d");
  CHECK(uv_fs_event_init(&files_loop, &handle) == 0);
  CHECK(uv_fs_event_start(&handle, recorder_cb, "top", UV_FS_EVENT_RECURSIVE) ==
        UV_ENOSPC);
  CHECK(!uv_is_active((uv_handle_t*) &handle));
  uv_close((uv_handle_t*) &handle, NULL);
  /* All four are free again. */
  CHECK(rmdir("top/c/d") == 0);
  watch_tree("top");
  sync_tree("a/b/first");
  make_directory("top/c/d");
  recorder_await_status(&tree, UV_ENOSPC);
  CHECK(strcmp(tree.told[tree.count - 1].filename, "c/d") == 0);
  CHECK(unlink("top/a/b/first") == 0 && rmdir("top/a/b") == 0);
  recorder_await(&tree, "a/b", UV_RENAME);
  recorder_forget(&tree);
  CHECK(rmdir("top/c/d") == 0);
  make_directory("top/c/d");
  recorder_await(&tree, "c/d", UV_RENAME);
  sync_tree("c/d/end");
  recorder_close(&tree);
  return uv_loop_close(&files_loop);
}

static void too_many_watches(void** state) {
  (void) state;
  run_in_child(with_few_watches);
}

static int with_few_descriptors(void) {
  struct rlimit old;
  CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
  make_directories("top/a");
  watch_tree("top");
  int next = dup(0);
  close(next);
  struct rlimit none = {.rlim_cur = (rlim_t) next, .rlim_max = old.rlim_max};
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  make_directory("top/a/new");
  recorder_await_status(&tree, UV_EMFILE);
  CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
  sync_tree("a/end");
  recorder_close(&tree);
  return uv_loop_close(&files_loop);
}

static void too_many_descriptors(void** state) {
  (void) state;
  run_in_child(with_few_descriptors);
}

static int watch_in_child(void) {
  CHECK(uv_loop_fork(&files_loop) == 0);
  sync_tree("a/b/child");
  make_directory("top/a/new");
  recorder_await(&tree, "a/new", UV_RENAME);
  recorder_close(&tree);
  return uv_loop_close(&files_loop);
}

static void a_forked_child_watches_on_its_own(void** state) {
  (void) state;
  make_directories("top/a/b");
  watch_tree("top");
  run_in_child(watch_in_child);
  recorder_await(&tree, "a/b/child", UV_RENAME);
  recorder_await(&tree, "a/new", UV_RENAME);
  sync_tree("a/new/end");
  recorder_close(&tree);
}

/* --- memory ---------------------------------------------------------------------- */

static bool counting;
static int allocations_left;

static bool may_allocate(void) {
  return !counting || allocations_left-- > 0;
}

static void* failing_malloc(size_t size) {
  return may_allocate() ? malloc(size) : NULL;
}

static void* failing_calloc(size_t count, size_t size) {
  return may_allocate() ? calloc(count, size) : NULL;
}

static void* failing_realloc(void* block, size_t size) {
  return may_allocate() ? realloc(block, size) : NULL;
}

static void starting_without_memory_leaves_nothing(void** state) {
  (void) state;
  make_directories("top/a/b");
  make_directories("top/c");
  int err = UV_ENOMEM;
  int n = 0;
  for (; err != 0 && n < 1000; n++) {
    uv_fs_event_t handle;
    uv_fs_event_init(&files_loop, &handle);
    allocations_left = n;
    counting = true;
    err = uv_fs_event_start(&handle, recorder_cb, "top", UV_FS_EVENT_RECURSIVE);
    counting = false;
    assert_true(err == 0 || err == UV_ENOMEM);
    assert_int_equal(uv_is_active((uv_handle_t*) &handle), err == 0);
    uv_close((uv_handle_t*) &handle, NULL);
    uv_run(&files_loop, UV_RUN_NOWAIT);
  }
  assert_true(n > 5 && err == 0);
}

/* What is lost for want of memory counts as an overflow, and the tree is whole again. */
static void changes_without_memory_are_told_as_an_overflow(void** state) {
  (void) state;
  for (int n = 0; n < 12; n++) {
    make_directories("top/a");
    watch_tree("top");
    make_directories("top/b/c");
    make_file("top/b/c/file");
    move("top/a", "top/b/a");
    allocations_left = n;
    counting = true;
    uv_run(&files_loop, UV_RUN_NOWAIT);
    counting = false;
    for (int turns = 0; turns < 10; turns++)
      uv_run(&files_loop, UV_RUN_NOWAIT);
    bool whole = recorder_count(&tree, "b/c/file", UV_RENAME) > 0;
    for (size_t i = 0; i < tree.count; i++)
      whole |= tree.told[i].filename == NULL || tree.told[i].status == UV_ENOMEM;
    assert_true(whole);
    recorder_close(&tree);
    assert_int_equal(system("rm -rf top"), 0);
  }
}

int main(void) {
  uv_replace_allocator(failing_malloc, failing_realloc, failing_calloc, free);
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
      FILES_TEST(a_path_longer_than_the_kernel_takes),
      FILES_TEST(a_thousand_directories),
      FILES_TEST(trees_and_directories_share_watches),
      FILES_TEST(the_callback_stops_at_every_moment),
      FILES_TEST(an_overflow_builds_the_tree_anew),
      FILES_TEST(too_many_watches),
      FILES_TEST(too_many_descriptors),
      FILES_TEST(a_forked_child_watches_on_its_own),
      FILES_TEST(starting_without_memory_leaves_nothing),
      FILES_TEST(changes_without_memory_are_told_as_an_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
