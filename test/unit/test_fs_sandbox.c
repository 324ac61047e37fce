/* Files where newer system calls are forbidden or unknown: the answers stay the same. And
 * where no thread can be started: an error, and nothing is held. */
#include "forked.h"
#include "helper_files.h"
#include "sandbox.h"

#include <sys/syscall.h>

/* tmpfs has had times of birth since Linux 6.6. */
static bool birth_is_known;

static void on_done(uv_fs_t* req) {
  *(int*) req->data += 1;
}

/* Whether a file is read and asked about as ever, on a loop of its own. */
static int expect_all_works(void) {
  uv_loop_t loop;
  uv_fs_t stat_req;
  uv_fs_t read_req;
  int calls = 0;
  char bytes[8] = "";
  uv_buf_t buffer = uv_buf_init(bytes, sizeof(bytes));
  int fd = open("file", O_RDONLY | O_CLOEXEC);
  stat_req.data = read_req.data = &calls;
  if (uv_loop_init(&loop) != 0 || fd < 0)
    return 1;
  for (int round = 0; round < 3; round++) {
    if (uv_fs_stat(&loop, &stat_req, "file", on_done) != 0 ||
        uv_fs_read(&loop, &read_req, fd, &buffer, 1, 0, on_done) != 0)
      return 2;
    uv_run(&loop, UV_RUN_DEFAULT);
    if (calls != 2 * (round + 1) || stat_req.result != 0 || read_req.result != 5)
      return 3;
    if (memcmp(bytes, "hello", 5) != 0 || stat_req.statbuf.st_size != 5 ||
        (birth_is_known && stat_req.statbuf.st_birthtim.tv_sec == 0))
      return 4;
    uv_fs_req_cleanup(&stat_req);
    uv_fs_req_cleanup(&read_req);
  }
  close(fd);
  return uv_loop_close(&loop) == 0 ? 0 : 5;
}

static int without_statx(void) {
  return forbid(SYS_statx, ENOSYS) != 0 ? 77 : expect_all_works();
}

static int with_statx_forbidden(void) {
  return forbid(SYS_statx, EPERM) != 0 ? 77 : expect_all_works();
}

static int without_preadv2(void) {
  return forbid(SYS_preadv2, ENOSYS) != 0 ? 77 : expect_all_works();
}

static int with_preadv2_forbidden(void) {
  return forbid(SYS_preadv2, EPERM) != 0 ? 77 : expect_all_works();
}

static int with_openat2_forbidden(void) {
  return forbid(SYS_openat2, EPERM) != 0 ? 77 : expect_all_works();
}

static void files_work_without_newer_calls(void** state) {
  (void) state;
  files_make("file", "hello", 5);
  struct statx known;
  birth_is_known = statx(AT_FDCWD, "file", 0, STATX_BTIME, &known) == 0 &&
                   (known.stx_mask & STATX_BTIME) != 0;
  assert_in_child(without_statx);
  assert_in_child(with_statx_forbidden);
  assert_in_child(without_preadv2);
  assert_in_child(with_preadv2_forbidden);
  assert_in_child(with_openat2_forbidden);
}

/* As if the user had no process left. */
static int without_threads(void) {
  uv_loop_t loop;
  uv_fs_t req;
  int calls = 0;
  req.data = &calls;
  if (uv_loop_init(&loop) != 0)
    return 1;
  /* glibc has threads from clone3 since 2.34, from clone before. */
  if (forbid(SYS_clone3, EAGAIN) != 0 || forbid(SYS_clone, EAGAIN) != 0)
    return 77;
  if (uv_fs_rename(&loop, &req, "file", "other", on_done) != UV_EAGAIN)
    return 2;
  if (req.path != NULL || req.new_path != NULL)
    return 3;
  if (uv_fs_mkdtemp(&loop, &req, "madeXXXXXX", on_done) != UV_EAGAIN || req.path != NULL)
    return 4;
  uv_fs_req_cleanup(&req); /* harmless */
  uv_run(&loop, UV_RUN_DEFAULT);
  if (calls != 0)
    return 5;
  return uv_loop_close(&loop) == 0 ? 0 : 6;
}

static void a_request_that_cant_be_sent_holds_nothing(void** state) {
  (void) state;
  files_make("file", "hello", 5);
  assert_in_child(without_threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(files_work_without_newer_calls),
      FILES_TEST(a_request_that_cant_be_sent_holds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
