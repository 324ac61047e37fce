/* Names: opening, links, renaming, removing, and the names that are hard. */
#include "helper_files.h"

#include <limits.h>

static void opening_and_closing(void** state) {
  (void) state;
  uv_fs_t req;
  for (int round = 0; round < 3; round++) { /* the first tells the library the mount */
    ssize_t fd = ASYNC(req, uv_fs_open, "file", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_string_equal(uv_fs_get_path(&req), "file");
    assert_int_equal(fcntl((int) fd, F_GETFD), FD_CLOEXEC);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_close, (uv_file) fd), 0);
    uv_fs_req_cleanup(&req);

    fd = ASYNC(req, uv_fs_open, "file", O_RDONLY, 0);
    assert_true(fd >= 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(fcntl((int) fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl((int) fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK), O_RDONLY);
    assert_int_equal(ASYNC(req, uv_fs_close, (uv_file) fd), 0);
    if (round > 0) { /* in the first, the loop's ring may be made and get the number */
      assert_int_equal(fcntl((int) fd, F_GETFD), -1);
      assert_int_equal(ASYNC(req, uv_fs_close, (uv_file) fd), UV_EBADF);
    }

    fd = SYNC(req, uv_fs_open, ".", O_RDONLY | O_DIRECTORY, 0);
    assert_true(fd >= 0);
    assert_int_equal(SYNC(req, uv_fs_close, (uv_file) fd), 0);
  }
}

static void opening_what_is_not_there_or_not_so(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  assert_int_equal(symlink("loop", "loop"), 0);
  assert_int_equal(symlink("file", "link"), 0);
  char name[NAME_MAX + 10];
  memset(name, 'n', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  for (int round = 0; round < 2; round++) {
    assert_int_equal(ASYNC(req, uv_fs_open, "missing", O_RDONLY, 0), UV_ENOENT);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "", O_RDONLY, 0), UV_ENOENT);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "file/below", O_RDONLY, 0), UV_ENOTDIR);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "file", O_RDONLY | O_DIRECTORY, 0),
                     UV_ENOTDIR);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, ".", O_RDWR, 0), UV_EISDIR);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "loop", O_RDONLY, 0), UV_ELOOP);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "link", O_RDONLY | O_NOFOLLOW, 0), UV_ELOOP);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, name, O_RDONLY, 0), UV_ENAMETOOLONG);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "file", O_RDWR | O_CREAT | O_EXCL, 0600),
                     UV_EEXIST);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_stat, "loop"), UV_ELOOP);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_access, "missing", F_OK), UV_ENOENT);
    uv_fs_req_cleanup(&req);
  }
}

static void a_name_may_have_any_byte(void** state) {
  (void) state;
  uv_fs_t req;
  for (int byte = 1; byte < 256; byte++) {
    if (byte == '/' || byte == '.')
      continue;
    const char name[] = {(char) byte, '\0'};
    ssize_t fd = ASYNC(req, uv_fs_open, name, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_close, (uv_file) fd), 0);
    assert_int_equal(ASYNC(req, uv_fs_stat, name), 0);
    uv_fs_req_cleanup(&req);
  }
  assert_int_equal(ASYNC(req, uv_fs_scandir, ".", 0), 253);
  uv_dirent_t entry;
  for (int byte = 1; byte < 256; byte++) {
    if (byte == '/' || byte == '.')
      continue;
    assert_int_equal(uv_fs_scandir_next(&req, &entry), 0);
    assert_int_equal((unsigned char) entry.name[0], byte);
    assert_int_equal(entry.name[1], '\0');
  }
  assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
  uv_fs_req_cleanup(&req);
}

static void links_lead_somewhere(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "contents", 8);
  assert_int_equal(ASYNC(req, uv_fs_link, "file", "hard"), 0);
  assert_string_equal(req.path, "file");
  assert_string_equal(req.new_path, "hard");
  uv_fs_req_cleanup(&req);
  files_expect("hard", "contents", 8);
  assert_int_equal(SYNC(req, uv_fs_link, "file", "hard"), UV_EEXIST);
  uv_fs_req_cleanup(&req);

  assert_int_equal(ASYNC(req, uv_fs_symlink, "file", "soft", 0), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_readlink, "soft"), 0);
  assert_string_equal(uv_fs_get_ptr(&req), "file");
  uv_fs_req_cleanup(&req);
  assert_null(req.ptr);
  assert_int_equal(SYNC(req, uv_fs_readlink, "file"), UV_EINVAL);
  assert_int_equal(ASYNC(req, uv_fs_readlink, "missing"), UV_ENOENT);
  uv_fs_req_cleanup(&req);

  char target[3001];
  memset(target, 't', sizeof(target) - 1);
  target[sizeof(target) - 1] = '\0';
  assert_int_equal(SYNC(req, uv_fs_symlink, target, "long", 0), 0);
  assert_int_equal(ASYNC(req, uv_fs_readlink, "long"), 0);
  assert_string_equal(req.ptr, target);
  uv_fs_req_cleanup(&req);
}

static void real_paths_have_no_detours(void** state) {
  (void) state;
  uv_fs_t req;
  char here[PATH_MAX];
  char expected[PATH_MAX + 8];
  assert_non_null(realpath(".", here));
  assert_int_equal(mkdir("sub", 0755), 0);
  assert_int_equal(symlink("sub", "way"), 0);
  snprintf(expected, sizeof(expected), "%s/sub", here);
  assert_int_equal(ASYNC(req, uv_fs_realpath, "./way/../way/."), 0);
  assert_string_equal(req.ptr, expected);
  uv_fs_req_cleanup(&req);
  assert_int_equal(SYNC(req, uv_fs_realpath, "sub"), 0);
  assert_string_equal(req.ptr, expected);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_realpath, "nowhere"), UV_ENOENT);
  assert_null(req.ptr);
  uv_fs_req_cleanup(&req);
}

static void renaming_and_removing(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("one", "1", 1);
  files_make("two", "2", 1);
  assert_int_equal(ASYNC(req, uv_fs_rename, "one", "two"), 0);
  uv_fs_req_cleanup(&req);
  assert_false(files_exist("one"));
  files_expect("two", "1", 1);
  assert_int_equal(SYNC(req, uv_fs_rename, "one", "three"), UV_ENOENT);
  assert_int_equal(ASYNC(req, uv_fs_unlink, "two"), 0);
  uv_fs_req_cleanup(&req);
  assert_false(files_exist("two"));
  assert_int_equal(SYNC(req, uv_fs_unlink, "two"), UV_ENOENT);
  assert_int_equal(mkdir("directory", 0755), 0);
  assert_int_equal(ASYNC(req, uv_fs_unlink, "directory"), UV_EISDIR);
  uv_fs_req_cleanup(&req);
}

static void access_tells_what_is_allowed(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  assert_int_equal(chmod("file", 0644), 0);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(ASYNC(req, uv_fs_access, "file", F_OK), 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_access, "file", R_OK | W_OK), 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_access, "file", X_OK), UV_EACCES);
    uv_fs_req_cleanup(&req);
    assert_int_equal(SYNC(req, uv_fs_access, "file", X_OK), UV_EACCES);
    assert_int_equal(ASYNC(req, uv_fs_access, "file", 0x1234), UV_EINVAL);
    uv_fs_req_cleanup(&req);
  }
}

static void temporary_files_get_new_names(void** state) {
  (void) state;
  uv_fs_t first;
  uv_fs_t second;
  ssize_t fd = ASYNC(first, uv_fs_mkstemp, "fileXXXXXX");
  assert_true(fd >= 0);
  assert_int_equal(fcntl((int) fd, F_GETFD), FD_CLOEXEC);
  close((int) fd);
  fd = SYNC(second, uv_fs_mkstemp, "fileXXXXXX");
  assert_true(fd >= 0);
  close((int) fd);
  assert_true(files_exist(first.path));
  assert_true(files_exist(second.path));
  assert_string_not_equal(first.path, second.path);
  uv_fs_req_cleanup(&first);
  uv_fs_req_cleanup(&second);
  uv_fs_req_cleanup(&second);

  assert_int_equal(SYNC(first, uv_fs_mkstemp, "file"), UV_EINVAL);
  assert_string_equal(first.path, "");
  uv_fs_req_cleanup(&first);
  assert_int_equal(ASYNC(first, uv_fs_mkstemp, "no/where/XXXXXX"), UV_ENOENT);
  uv_fs_req_cleanup(&first);

  assert_int_equal(ASYNC(first, uv_fs_mkdtemp, "dirXXXXXX"), 0);
  assert_int_equal(SYNC(second, uv_fs_mkdtemp, "dirXXXXXX"), 0);
  assert_string_not_equal(first.path, second.path);
  assert_true(files_exist(first.path));
  assert_true(files_exist(second.path));
  uv_fs_req_cleanup(&first);
  uv_fs_req_cleanup(&second);
  assert_int_equal(SYNC(first, uv_fs_mkdtemp, "dir"), UV_EINVAL);
  uv_fs_req_cleanup(&first);
}

/* A path that isn't there at all, and a request that isn't. */
static void nothing_is_refused(void** state) {
  (void) state;
  uv_fs_t req;
  uv_loop_t* loop = &files_loop;
  assert_int_equal(uv_fs_open(loop, &req, NULL, 0, 0, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_access(loop, &req, NULL, 0, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_unlink(loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_link(loop, &req, "a", NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_rename(loop, &req, NULL, "b", files_called), UV_EINVAL);
  assert_int_equal(uv_fs_symlink(loop, &req, NULL, "b", 0, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_readlink(loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_realpath(loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_mkstemp(loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_mkdtemp(loop, &req, NULL, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_stat(loop, &req, NULL, NULL), UV_EINVAL);
  uv_fs_req_cleanup(&req);
  assert_int_equal(uv_fs_open(NULL, NULL, "a", 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_stat(NULL, NULL, "a", NULL), UV_EINVAL);
  assert_int_equal(uv_fs_link(NULL, NULL, "a", "b", NULL), UV_EINVAL);
  uv_fs_req_cleanup(NULL);
  assert_false(uv_loop_alive(loop));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(opening_and_closing),
      FILES_TEST(opening_what_is_not_there_or_not_so),
      FILES_TEST(a_name_may_have_any_byte),
      FILES_TEST(links_lead_somewhere),
      FILES_TEST(real_paths_have_no_detours),
      FILES_TEST(renaming_and_removing),
      FILES_TEST(access_tells_what_is_allowed),
      FILES_TEST(temporary_files_get_new_names),
      FILES_TEST(nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
