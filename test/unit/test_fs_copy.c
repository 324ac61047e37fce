/* Copying files: contents, mode, flags, and what is left behind when it fails. */
#include "forked.h"
#include "helper_files.h"

#include <sched.h>
#include <sys/mount.h>

static void a_copy_has_contents_and_mode(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  files_make("from", "some contents", 13);
  assert_int_equal(chmod("from", 0751), 0);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "to", 0), 0);
  assert_int_equal(req.fs_type, UV_FS_COPYFILE);
  assert_string_equal(req.path, "from");
  uv_fs_req_cleanup(&req);
  files_expect("to", "some contents", 13);
  assert_int_equal(stat("to", &about), 0);
  assert_int_equal(about.st_mode & 07777, 0751);

  files_make("from", "less", 4);
  assert_int_equal(SYNC(req, uv_fs_copyfile, "from", "to", 0), 0);
  files_expect("to", "less", 4);
  files_make("from", "", 0);
  assert_int_equal(SYNC(req, uv_fs_copyfile, "from", "to", 0), 0);
  files_expect("to", "", 0);
}

static void a_large_copy_is_whole(void** state) {
  (void) state;
  enum { SIZE = 5 * 1000 * 1000 + 3 };
  uv_fs_t req;
  char* bytes = malloc(SIZE);
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (char) (i * 31 + i / 1009);
  files_make("from", bytes, SIZE);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "to", UV_FS_COPYFILE_FICLONE), 0);
  uv_fs_req_cleanup(&req);
  files_expect("to", bytes, SIZE);
  free(bytes);
}

static void as_much_is_copied_as_the_source_says_it_has(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  static const char* const empty[] = {"/proc/self/status", "/dev/zero", "/dev/null"};
  for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
    assert_int_equal(ASYNC(req, uv_fs_copyfile, empty[i], "to", 0), 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(stat("to", &about), 0);
    assert_int_equal(about.st_size, 0);
    assert_int_equal(unlink("to"), 0);
  }
}

/* It says that it has a page, and has less. */
static void a_file_of_the_kernels_is_copied(void** state) {
  (void) state;
  uv_fs_t req;
  char contents[4096];
  const char* path = "/sys/kernel/mm/transparent_hugepage/enabled";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    skip();
  ssize_t size = read(fd, contents, sizeof(contents));
  close(fd);
  assert_true(size > 0);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, path, "to", 0), 0);
  uv_fs_req_cleanup(&req);
  files_expect("to", contents, (size_t) size);
}

static void exclusive_means_exclusive(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("from", "new", 3);
  files_make("to", "old", 3);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "to", UV_FS_COPYFILE_EXCL),
                   UV_EEXIST);
  uv_fs_req_cleanup(&req);
  files_expect("to", "old", 3);
  assert_int_equal(SYNC(req, uv_fs_copyfile, "from", "other", UV_FS_COPYFILE_EXCL), 0);
  files_expect("other", "new", 3);
}

static void a_file_copied_onto_itself_stays(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "contents", 8);
  assert_int_equal(link("file", "hard"), 0);
  assert_int_equal(symlink("file", "soft"), 0);
  const char* names[] = {"file", "hard", "soft"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ASYNC(req, uv_fs_copyfile, "file", names[i], 0), 0);
    uv_fs_req_cleanup(&req);
    files_expect("file", "contents", 8);
  }
}

static void sharing_blocks_or_failing(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("from", "contents", 8);
  ssize_t result = ASYNC(req, uv_fs_copyfile, "from", "to", UV_FS_COPYFILE_FICLONE_FORCE);
  uv_fs_req_cleanup(&req);
  if (result == 0) {
    files_expect("to", "contents", 8);
  } else {
    assert_true(result < 0);
    assert_false(files_exist("to"));
  }
}

static void failures_leave_nothing_behind(void** state) {
  (void) state;
  uv_fs_t req;
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "missing", "to", 0), UV_ENOENT);
  uv_fs_req_cleanup(&req);
  assert_false(files_exist("to"));
  files_make("from", "x", 1);
  assert_int_equal(SYNC(req, uv_fs_copyfile, "from", "no/where", 0), UV_ENOENT);
  assert_int_equal(mkdir("directory", 0755), 0);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "directory", 0), UV_EISDIR);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "directory", "to", 0), UV_EISDIR);
  uv_fs_req_cleanup(&req);
  assert_false(files_exist("to"));
}

/* In a child with a mount namespace of its own: a file system too small for the copy. */
static int copy_to_full_disk(void) {
  if (unshare(CLONE_NEWNS) != 0 ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mkdir("small", 0755) != 0 || mount("none", "small", "tmpfs", 0, "size=64k") != 0)
    return 77;
  uv_fs_t req;
  if (uv_fs_copyfile(NULL, &req, "from", "small/to", 0, NULL) != UV_ENOSPC)
    return 1;
  if (files_exist("small/to"))
    return 2;
  int fd = open("small/file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  static char bytes[200 * 1024];
  uv_buf_t out = uv_buf_init(bytes, sizeof(bytes));
  /* What fitted is told first, then the error. */
  int written = uv_fs_write(NULL, &req, fd, &out, 1, 0, NULL);
  if (written <= 0 || written >= (int) sizeof(bytes))
    return 3;
  if (uv_fs_write(NULL, &req, fd, &out, 1, 1 << 20, NULL) != UV_ENOSPC)
    return 4;
  return 0;
}

static void a_full_disk_leaves_no_half_a_file(void** state) {
  (void) state;
  static char bytes[500 * 1024];
  memset(bytes, 'x', sizeof(bytes));
  files_make("from", bytes, sizeof(bytes));
  int result = in_child(copy_to_full_disk);
  rmdir("small");
  if (result == 77)
    skip(); /* mounting is not allowed here */
  assert_int_equal(result, 0);
}

/* Root may do all of that to a device, and must not. */
static void a_device_is_neither_removed_nor_changed(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat before;
  struct stat after;
  files_make("from", "contents", 8);
  if (stat("/dev/full", &before) != 0)
    skip();
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "/dev/full", 0), UV_EINVAL);
  uv_fs_req_cleanup(&req);
  assert_int_equal(stat("/dev/full", &after), 0);
  assert_int_equal(after.st_mode, before.st_mode);
  assert_int_equal(stat("/dev/null", &before), 0);
  assert_int_equal(ASYNC(req, uv_fs_copyfile, "from", "/dev/null", 0), UV_EINVAL);
  uv_fs_req_cleanup(&req);
  assert_int_equal(stat("/dev/null", &after), 0);
  assert_int_equal(after.st_mode, before.st_mode);
}

static void bad_arguments_are_refused(void** state) {
  (void) state;
  uv_fs_t req;
  assert_int_equal(uv_fs_copyfile(&files_loop, &req, "a", "b", -1, files_called),
                   UV_EINVAL);
  uv_fs_req_cleanup(&req);
  assert_int_equal(uv_fs_copyfile(&files_loop, &req, "a", "b", 8, files_called),
                   UV_EINVAL);
  assert_int_equal(uv_fs_copyfile(&files_loop, &req, NULL, "b", 0, files_called),
                   UV_EINVAL);
  assert_int_equal(uv_fs_copyfile(&files_loop, &req, "a", NULL, 0, files_called),
                   UV_EINVAL);
  assert_int_equal(uv_fs_copyfile(NULL, NULL, "a", "b", 0, NULL), UV_EINVAL);
  assert_false(uv_loop_alive(&files_loop));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_copy_has_contents_and_mode),
      FILES_TEST(a_large_copy_is_whole),
      FILES_TEST(as_much_is_copied_as_the_source_says_it_has),
      FILES_TEST(a_file_of_the_kernels_is_copied),
      FILES_TEST(exclusive_means_exclusive),
      FILES_TEST(a_file_copied_onto_itself_stays),
      FILES_TEST(sharing_blocks_or_failing),
      FILES_TEST(failures_leave_nothing_behind),
      FILES_TEST(a_full_disk_leaves_no_half_a_file),
      FILES_TEST(a_device_is_neither_removed_nor_changed),
      FILES_TEST(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
