/* rondo_fs_read_cached: a whole file at once, or UV_EAGAIN and nothing done. */
#include "helper_files.h"
#include "rondo.h"

static const char text[] = "all of it";

/* The first request on a mount makes it known. */
static void make_known(const char* path) {
  uv_fs_t req;
  assert_int_equal(ASYNC(req, uv_fs_stat, path), 0);
  uv_fs_req_cleanup(&req);
}

/* The next turn begins. */
static void turn(void) {
  uv_fs_t req;
  assert_int_equal(ASYNC(req, uv_fs_stat, "."), 0);
  uv_fs_req_cleanup(&req);
}

/* UV_EAGAIN also where the file system isn't known to be local: then no test can be made.
 */
static bool is_answered_here(void) {
  files_make("known", text, sizeof(text));
  make_known("known");
  uv_buf_t content = {0};
  if (rondo_fs_read_cached(&files_loop, "known", 100, &content) != 0)
    return false;
  free(content.base);
  turn();
  return true;
}

static void a_cached_file_comes_whole(void** state) {
  (void) state;
  if (!is_answered_here())
    skip();
  files_make("file", text, sizeof(text));
  uv_buf_t content = {0};
  assert_int_equal(rondo_fs_read_cached(&files_loop, "file", sizeof(text), &content), 0);
  assert_int_equal(content.len, sizeof(text));
  assert_memory_equal(content.base, text, sizeof(text));
  free(content.base);
}

static void everything_else_goes_the_ordinary_way(void** state) {
  (void) state;
  (void) is_answered_here();
  files_make("large", text, sizeof(text));
  files_make("empty", text, 0);
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(mkdir("directory", 0700), 0);
  static const char* const names[] = {"missing", "large", "empty", "pipe", "directory"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    uv_buf_t content = {.base = NULL, .len = 7};
    turn();
    assert_int_equal(
        rondo_fs_read_cached(&files_loop, names[i], sizeof(text) - 1, &content),
        UV_EAGAIN);
    assert_null(content.base);
    assert_int_equal(content.len, 7);
  }
}

static void a_missing_argument_is_an_error(void** state) {
  (void) state;
  uv_buf_t content;
  assert_int_equal(rondo_fs_read_cached(NULL, "file", 1, &content), UV_EINVAL);
  assert_int_equal(rondo_fs_read_cached(&files_loop, NULL, 1, &content), UV_EINVAL);
  assert_int_equal(rondo_fs_read_cached(&files_loop, "file", 1, NULL), UV_EINVAL);
}

/* However many a program asks for, the other callbacks get their turn. */
static void a_turn_has_room_for_some(void** state) {
  (void) state;
  if (!is_answered_here())
    skip();
  int answered = 0;
  uv_buf_t content;
  while (answered < 1000 &&
         rondo_fs_read_cached(&files_loop, "known", 100, &content) == 0) {
    free(content.base);
    answered++;
  }
  assert_in_range(answered, 1, 100);
  turn();
  assert_int_equal(rondo_fs_read_cached(&files_loop, "known", 100, &content), 0);
  free(content.base);
}

/* A file's size counts: beyond 256 KiB it is a thread's, and below a turn has room for a
 * few pages only, not for as many files as it has for small ones. */
static void a_large_file_is_left_to_a_thread(void** state) {
  (void) state;
  if (!is_answered_here())
    skip();
  const size_t most = 256 * 1024;
  char* bytes = calloc(1, most + 1);
  uv_buf_t content;
  assert_non_null(bytes);
  files_make("huge", bytes, most + 1);
  files_make("limit", bytes, most);
  turn();
  assert_int_equal(rondo_fs_read_cached(&files_loop, "huge", SIZE_MAX, &content),
                   UV_EAGAIN);
  turn();
  int answered = 0;
  while (answered < 100 &&
         rondo_fs_read_cached(&files_loop, "limit", SIZE_MAX, &content) == 0) {
    assert_int_equal(content.len, most);
    free(content.base);
    answered++;
  }
  assert_in_range(answered, 1, 2);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_cached_file_comes_whole),
      FILES_TEST(everything_else_goes_the_ordinary_way),
      FILES_TEST(a_missing_argument_is_an_error),
      FILES_TEST(a_turn_has_room_for_some),
      FILES_TEST(a_large_file_is_left_to_a_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
