/* test: threads */
/* A kernel that says "end of file" where only the page cache ends: preadv2 with
 * RWF_NOWAIT does so on Linux 5.9 and 5.10. Here every such call may do it. */
#include "helper_bursts.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* How the next calls with RWF_NOWAIT lie: 0 for all of them, or for the second and later
 * half of what is asked for. */
enum lie { LIE_NOT, LIE_NOTHING, LIE_HALF };
static _Atomic int lie;
static _Atomic int lies;

ssize_t preadv2(int fd, const struct iovec* vectors, int count, off_t offset, int flags) {
  struct iovec first = vectors[0];
  if ((flags & RWF_NOWAIT) && lie != LIE_NOT) {
    int number = atomic_fetch_add(&lies, 1);
    if (lie == LIE_NOTHING || number % 2 != 0)
      return 0;
    first.iov_len = (first.iov_len + 1) / 2;
    vectors = &first;
    count = 1;
  }
  return (ssize_t) syscall(SYS_preadv2, fd, vectors, count, offset, 0L, flags);
}

static int set_up(void** state) {
  lie = LIE_NOT;
  lies = 0;
  return files_open(state);
}

static int tear_down(void** state) {
  lie = LIE_NOT;
  return files_shut(state);
}

static void begin_whole(int file) {
  burst_begin_all(file, burst_whole_or_cancelled);
}

static void many_reads_get_all(void** state) {
  (void) state;
  int file = burst_file();
  for (lie = LIE_NOTHING; lie <= LIE_HALF; lie++) {
    burst_run_inside(begin_whole, file);
    assert_int_equal(burst_calls, BURST_READS);
  }
  assert_true(lies > 0);
  close(file);
}

/* One after the other, at an offset and at the file's own position, to the true end. */
static void single_reads_get_all(void** state) {
  (void) state;
  char bytes[8];
  uv_buf_t into = uv_buf_init(bytes, 4);
  uv_fs_t req;
  files_make("file", "0123456789", 10);
  for (lie = LIE_NOTHING; lie <= LIE_HALF; lie++) {
    int fd = open("file", O_RDONLY | O_CLOEXEC);
    for (int own = 0; own < 2; own++) {
      for (int at = 0; at <= 12; at += 4) {
        ssize_t expected = at == 12 ? 0 : at == 8 ? 2 : 4;
        int64_t offset = own ? -1 : at;
        lies = 0;
        assert_int_equal(ASYNC(req, uv_fs_read, fd, &into, 1, offset), expected);
        assert_memory_equal(bytes, &"0123456789"[at < 10 ? at : 0], (size_t) expected);
        assert_true(lies > 0);
        uv_fs_req_cleanup(&req);
      }
    }
    close(fd);
  }
}

/* Without a size to go by: what has none says itself where it ends. */
static void ends_of_pipes_are_believed(void** state) {
  (void) state;
  char byte;
  uv_buf_t into = uv_buf_init(&byte, 1);
  uv_fs_t req;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  close(ends[1]);
  assert_int_equal(ASYNC(req, uv_fs_read, ends[0], &into, 1, -1), 0);
  uv_fs_req_cleanup(&req);
  close(ends[0]);
}

#define LIES_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      LIES_TEST(many_reads_get_all),
      LIES_TEST(single_reads_get_all),
      LIES_TEST(ends_of_pipes_are_believed),
  };
  return cmocka_run_group_tests_name("files: a false end", tests, NULL, NULL);
}
