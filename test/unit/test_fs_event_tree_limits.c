/* Watching a whole tree where it becomes difficult: long paths, many directories,
 * callbacks that stop it, the kernel's limits, and no memory. */
#include "tree_test.h"

#include <sys/resource.h>

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
  assert_in_child(with_few_watches);
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
  assert_in_child(with_few_descriptors);
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
  assert_in_child(watch_in_child);
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
