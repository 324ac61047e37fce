/* What is known about files, and changing it: stat in its forms, statfs, mode, owner,
 * times. */
#include "helper_files.h"

#include <linux/openat2.h>
#include <math.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

static void expect_same(const uv_stat_t* got, const char* path, bool follow) {
  struct stat expected;
  assert_int_equal(follow ? stat(path, &expected) : lstat(path, &expected), 0);
  assert_int_equal(got->st_dev, expected.st_dev);
  assert_int_equal(got->st_mode, expected.st_mode);
  assert_int_equal(got->st_nlink, expected.st_nlink);
  assert_int_equal(got->st_uid, expected.st_uid);
  assert_int_equal(got->st_gid, expected.st_gid);
  assert_int_equal(got->st_rdev, expected.st_rdev);
  assert_int_equal(got->st_ino, expected.st_ino);
  assert_int_equal(got->st_size, expected.st_size);
  assert_int_equal(got->st_blksize, expected.st_blksize);
  assert_int_equal(got->st_blocks, expected.st_blocks);
  assert_int_equal(got->st_flags, 0);
  assert_int_equal(got->st_gen, 0);
  assert_int_equal(got->st_atim.tv_sec, expected.st_atim.tv_sec);
  assert_int_equal(got->st_atim.tv_nsec, expected.st_atim.tv_nsec);
  assert_int_equal(got->st_mtim.tv_sec, expected.st_mtim.tv_sec);
  assert_int_equal(got->st_mtim.tv_nsec, expected.st_mtim.tv_nsec);
  assert_int_equal(got->st_ctim.tv_sec, expected.st_ctim.tv_sec);
  assert_int_equal(got->st_ctim.tv_nsec, expected.st_ctim.tv_nsec);
}

/* Several rounds, because the first on a mount takes another way than the later ones. */
static void stat_tells_all_the_system_does(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "12345", 5);
  assert_int_equal(symlink("file", "link"), 0);
  const char* paths[] = {"file", "link", ".", "/", "/dev/null", "/proc/self/stat"};
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < 5; i++) {
      assert_int_equal(ASYNC(req, uv_fs_stat, paths[i]), 0);
      assert_ptr_equal(req.ptr, &req.statbuf);
      assert_ptr_equal(uv_fs_get_statbuf(&req), &req.statbuf);
      expect_same(&req.statbuf, paths[i], true);
      uv_fs_req_cleanup(&req);
      assert_null(req.ptr);
      assert_int_equal(SYNC(req, uv_fs_stat, paths[i]), 0);
      expect_same(&req.statbuf, paths[i], true);
      assert_int_equal(ASYNC(req, uv_fs_lstat, paths[i]), 0);
      expect_same(&req.statbuf, paths[i], false);
      uv_fs_req_cleanup(&req);
      int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
      assert_int_equal(ASYNC(req, uv_fs_fstat, fd), 0);
      expect_same(&req.statbuf, paths[i], true);
      uv_fs_req_cleanup(&req);
      close(fd);
    }
    assert_int_equal(ASYNC(req, uv_fs_stat, paths[5]), 0);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_stat, "missing"), UV_ENOENT);
    assert_null(req.ptr);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_access, "missing", 64), UV_EINVAL);
    uv_fs_req_cleanup(&req);
  }
}

static void a_change_is_seen_at_once(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  int fd = open("file", O_WRONLY | O_APPEND | O_CLOEXEC);
  for (int size = 1; size < 50; size++) {
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(ASYNC(req, uv_fs_stat, "file"), 0);
    assert_int_equal(req.statbuf.st_size, size);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_fstat, fd), 0);
    assert_int_equal(req.statbuf.st_size, size);
    uv_fs_req_cleanup(&req);
  }
  close(fd);
  assert_int_equal(unlink("file"), 0);
  assert_int_equal(ASYNC(req, uv_fs_stat, "file"), UV_ENOENT);
  uv_fs_req_cleanup(&req);
}

/* A name that is missing is known to be, from the first look-up on; what is made under
 * that name later is found all the same. */
static void a_missing_name_is_found_once_it_is_there(void** state) {
  (void) state;
  uv_fs_t req;
  for (int round = 0; round < 3; round++) {
    assert_int_equal(ASYNC(req, uv_fs_stat, "later"), UV_ENOENT);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_lstat, "later"), UV_ENOENT);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_access, "later", R_OK), UV_ENOENT);
    uv_fs_req_cleanup(&req);
    assert_int_equal(ASYNC(req, uv_fs_open, "later", O_RDONLY, 0), UV_ENOENT);
    uv_fs_req_cleanup(&req);
  }
  files_make("later", "x", 1);
  assert_int_equal(ASYNC(req, uv_fs_access, "later", R_OK), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_stat, "later"), 0);
  assert_int_equal(req.statbuf.st_size, 1);
  uv_fs_req_cleanup(&req);
  int fd = (int) ASYNC(req, uv_fs_open, "later", O_RDONLY, 0);
  assert_true(fd >= 0);
  uv_fs_req_cleanup(&req);
  close(fd);
}

enum { POOL_THREADS = 4 };
static uv_sem_t hold;

static void held(uv_work_t* work) {
  (void) work;
  uv_sem_wait(&hold);
}

/* Whether the kernel knows without waiting that a name is missing. */
static bool is_known_to_be_missing(const char* path) {
  struct stat about;
  const struct open_how how = {.flags = O_PATH, .resolve = RESOLVE_CACHED};
  assert_int_equal(stat(path, &about), -1);
  return syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)) == -1 && errno == ENOENT;
}

static void count_missing(uv_fs_t* req) {
  assert_int_equal(req->result, UV_ENOENT);
  ++*(int*) req->data;
  uv_fs_req_cleanup(req);
}

static void no_thread_is_needed_for_a_name_known_to_be_missing(void** state) {
  (void) state;
  uv_work_t work[POOL_THREADS];
  uv_fs_t req[4];
  int called = 0;
  if (!is_known_to_be_missing("missing"))
    skip();
  assert_int_equal(uv_sem_init(&hold, 0), 0);
  for (int i = 0; i < POOL_THREADS; i++) {
    assert_int_equal(uv_queue_work(&files_loop, &work[i], held, NULL), 0);
    req[i].data = &called;
  }
  uv_loop_t* loop = &files_loop;
  assert_int_equal(uv_fs_stat(loop, &req[0], "missing", count_missing), 0);
  assert_int_equal(uv_fs_lstat(loop, &req[1], "missing", count_missing), 0);
  assert_int_equal(uv_fs_access(loop, &req[2], "missing", F_OK, count_missing), 0);
  assert_int_equal(uv_fs_open(loop, &req[3], "missing", O_RDONLY, 0, count_missing), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(called, 4);
  for (int i = 0; i < POOL_THREADS; i++)
    uv_sem_post(&hold);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_sem_destroy(&hold);
}

static void the_time_of_birth_is_known(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  assert_int_equal(utimensat(AT_FDCWD, "file", past, 0), 0);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(ASYNC(req, uv_fs_stat, "file"), 0);
    assert_int_equal(req.statbuf.st_mtim.tv_sec, 1000);
    if (req.statbuf.st_birthtim.tv_sec == 0)
      skip(); /* this file system doesn't keep it */
    assert_true(labs(req.statbuf.st_birthtim.tv_sec - (long) time(NULL)) < 3600);
    uv_fs_req_cleanup(&req);
  }
}

static void statfs_tells_about_the_file_system(void** state) {
  (void) state;
  uv_fs_t req;
  struct statfs expected;
  assert_int_equal(statfs(".", &expected), 0);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(
        round == 0 ? ASYNC(req, uv_fs_statfs, ".") : SYNC(req, uv_fs_statfs, "."), 0);
    const uv_statfs_t* got = req.ptr;
    assert_int_equal(got->f_type, expected.f_type);
    assert_int_equal(got->f_bsize, expected.f_bsize);
    assert_int_equal(got->f_frsize, expected.f_frsize);
    assert_int_equal(got->f_blocks, expected.f_blocks);
    assert_int_equal(got->f_files, expected.f_files);
    uv_fs_req_cleanup(&req);
    assert_null(req.ptr);
  }
  assert_int_equal(ASYNC(req, uv_fs_statfs, "missing"), UV_ENOENT);
  assert_int_equal(uv_fs_get_system_error(&req), ENOENT);
  uv_fs_req_cleanup(&req);
}

static void modes_are_changed(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  files_make("file", "", 0);
  assert_int_equal(ASYNC(req, uv_fs_chmod, "file", 0600), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(stat("file", &about), 0);
  assert_int_equal(about.st_mode & 07777, 0600);
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  assert_int_equal(ASYNC(req, uv_fs_fchmod, fd, 0400), 0);
  assert_int_equal(stat("file", &about), 0);
  assert_int_equal(about.st_mode & 07777, 0400);
  assert_int_equal(SYNC(req, uv_fs_fchmod, fd, 0644), 0);
  close(fd);
  assert_int_equal(SYNC(req, uv_fs_chmod, "missing", 0644), UV_ENOENT);
  assert_int_equal(ASYNC(req, uv_fs_fchmod, 98765, 0644), UV_EBADF);
}

static void owners_are_changed(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  assert_int_equal(symlink("nowhere", "link"), 0);
  uv_uid_t me = geteuid();
  uv_gid_t us = getegid();
  assert_int_equal(ASYNC(req, uv_fs_chown, "file", me, us), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_chown, "link", me, us), UV_ENOENT);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_lchown, "link", me, us), 0);
  uv_fs_req_cleanup(&req);
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  assert_int_equal(ASYNC(req, uv_fs_fchown, fd, me, us), 0);
  close(fd);
  if (me == 0) {
    struct stat about;
    assert_int_equal(SYNC(req, uv_fs_chown, "file", 1234, 2345), 0);
    assert_int_equal(stat("file", &about), 0);
    assert_int_equal(about.st_uid, 1234);
    assert_int_equal(about.st_gid, 2345);
  }
}

static void expect_times(const char* path, bool follow, long asec, long ansec, long msec,
                         long mnsec) {
  struct stat about;
  assert_int_equal(follow ? stat(path, &about) : lstat(path, &about), 0);
  assert_int_equal(about.st_atim.tv_sec, asec);
  assert_int_equal(about.st_atim.tv_nsec, ansec);
  assert_int_equal(about.st_mtim.tv_sec, msec);
  assert_int_equal(about.st_mtim.tv_nsec, mnsec);
}

static void times_are_set(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  assert_int_equal(symlink("file", "link"), 0);
  assert_int_equal(ASYNC(req, uv_fs_utime, "file", 400497753.25, 1291404900.125), 0);
  uv_fs_req_cleanup(&req);
  expect_times("file", true, 400497753, 250000000, 1291404900, 125000000);
  /* Before 1970 the fraction still counts upwards. */
  assert_int_equal(SYNC(req, uv_fs_utime, "file", -14245440.25, -1), 0);
  expect_times("file", true, -14245441, 750000000, -1, 0);
  /* To the microsecond, and what is left of one is cut towards 1970. */
  assert_int_equal(SYNC(req, uv_fs_utime, "file", -168510317.840070127, -1e-7), 0);
  expect_times("file", true, -168510318, 159930000, 0, 0);
  assert_int_equal(SYNC(req, uv_fs_utime, "file", 1e9 + 0.3, 0.9999999), 0);
  expect_times("file", true, 1000000000, 299999000, 0, 999999000);
  assert_int_equal(SYNC(req, uv_fs_utime, "file", 1e19, 0), UV_EINVAL);
  assert_int_equal(ASYNC(req, uv_fs_utime, "file", 0, -1e300), UV_EINVAL);
  uv_fs_req_cleanup(&req);

  int fd = open("file", O_RDWR | O_CLOEXEC);
  assert_int_equal(ASYNC(req, uv_fs_futime, fd, 1000.5, 2000.75), 0);
  expect_times("file", true, 1000, 500000000, 2000, 750000000);
  close(fd);

  assert_int_equal(ASYNC(req, uv_fs_lutime, "link", 3000, 4000), 0);
  uv_fs_req_cleanup(&req);
  expect_times("link", false, 3000, 0, 4000, 0);
  expect_times("file", true, 1000, 500000000, 2000, 750000000);
  assert_int_equal(SYNC(req, uv_fs_utime, "missing", 0, 0), UV_ENOENT);
}

static void a_time_can_be_now_or_left_alone(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  files_make("file", "", 0);
  assert_int_equal(SYNC(req, uv_fs_utime, "file", 1000, 2000), 0);
  assert_int_equal(ASYNC(req, uv_fs_utime, "file", UV_FS_UTIME_OMIT, 3000), 0);
  uv_fs_req_cleanup(&req);
  expect_times("file", true, 1000, 0, 3000, 0);
  assert_int_equal(ASYNC(req, uv_fs_utime, "file", 4000, UV_FS_UTIME_OMIT), 0);
  uv_fs_req_cleanup(&req);
  expect_times("file", true, 4000, 0, 3000, 0);
  assert_int_equal(ASYNC(req, uv_fs_utime, "file", UV_FS_UTIME_NOW, UV_FS_UTIME_OMIT), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(stat("file", &about), 0);
  assert_true(labs(about.st_atim.tv_sec - time(NULL)) < 3600);
  assert_int_equal(about.st_mtim.tv_sec, 3000);
}

static void so_can_the_times_of_descriptors_and_links(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  files_make("file", "", 0);
  assert_int_equal(symlink("file", "link"), 0);
  int fd = open("file", O_RDWR | O_CLOEXEC);
  assert_int_equal(SYNC(req, uv_fs_futime, fd, 1000, 2000), 0);
  assert_int_equal(ASYNC(req, uv_fs_futime, fd, UV_FS_UTIME_OMIT, UV_FS_UTIME_OMIT), 0);
  expect_times("file", true, 1000, 0, 2000, 0);
  assert_int_equal(ASYNC(req, uv_fs_futime, fd, UV_FS_UTIME_OMIT, UV_FS_UTIME_NOW), 0);
  assert_int_equal(fstat(fd, &about), 0);
  assert_int_equal(about.st_atim.tv_sec, 1000);
  assert_true(labs(about.st_mtim.tv_sec - time(NULL)) < 3600);
  close(fd);

  assert_int_equal(SYNC(req, uv_fs_lutime, "link", 3000, 4000), 0);
  assert_int_equal(ASYNC(req, uv_fs_lutime, "link", 5000, UV_FS_UTIME_OMIT), 0);
  uv_fs_req_cleanup(&req);
  expect_times("link", false, 5000, 0, 4000, 0);
  assert_int_equal(ASYNC(req, uv_fs_lutime, "link", UV_FS_UTIME_OMIT, UV_FS_UTIME_NOW),
                   0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(lstat("link", &about), 0);
  assert_int_equal(about.st_atim.tv_sec, 5000);
  assert_true(labs(about.st_mtim.tv_sec - time(NULL)) < 3600);
}

static void nothing_is_refused(void** state) {
  (void) state;
  assert_int_equal(uv_fs_fstat(NULL, NULL, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_lstat(NULL, NULL, "a", NULL), UV_EINVAL);
  assert_int_equal(uv_fs_statfs(NULL, NULL, "a", NULL), UV_EINVAL);
  assert_int_equal(uv_fs_chmod(NULL, NULL, "a", 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_fchmod(NULL, NULL, 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_chown(NULL, NULL, "a", 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_lchown(NULL, NULL, "a", 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_fchown(NULL, NULL, 0, 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_utime(NULL, NULL, "a", 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_lutime(NULL, NULL, "a", 0, 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_futime(NULL, NULL, 0, 0, 0, NULL), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(stat_tells_all_the_system_does),
      FILES_TEST(a_change_is_seen_at_once),
      FILES_TEST(a_missing_name_is_found_once_it_is_there),
      FILES_TEST(no_thread_is_needed_for_a_name_known_to_be_missing),
      FILES_TEST(the_time_of_birth_is_known),
      FILES_TEST(statfs_tells_about_the_file_system),
      FILES_TEST(modes_are_changed),
      FILES_TEST(owners_are_changed),
      FILES_TEST(times_are_set),
      FILES_TEST(a_time_can_be_now_or_left_alone),
      FILES_TEST(so_can_the_times_of_descriptors_and_links),
      FILES_TEST(nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
