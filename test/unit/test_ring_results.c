/* Errors that come out of the ring: every error that the manual pages list for what is
 * submitted there (reads, writes and syncs of files) is reported, if it is the file's;
 * what is the ring's own trouble sends the request to the pool. Each is called back once,
 * and the ring is of use afterwards.
 *
 * The kernel itself makes the errors: between the request and the run that hands it over,
 * the operation in the ring's memory becomes one that does nothing and ends with a given
 * result (IORING_NOP_INJECT_RESULT, Linux 6.10). Older kernels and the other backend
 * leave nothing to test. */
#include "loop_test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef O_DIRECT
#define O_DIRECT 040000
#endif

enum { NOP_INJECT_RESULT = 1, BLOCK = 4096 };

/* Of preadv2(2), pwritev2(2), fsync(2) and io_uring_enter(2). */
static const int errors[] = {
    EIO,   EAGAIN, EBADF,  ECANCELED, EDESTADDRREQ, EDQUOT,    EFAULT,
    EFBIG, EINTR,  EINVAL, EISDIR,    ENOMEM,       ENOSPC,    ENOSYS,
    ENXIO, EPERM,  EPIPE,  EROFS,     EOPNOTSUPP,   EOVERFLOW, ESPIPE,
};

/* What the ring says when it is in trouble itself: a thread of the pool gets an answer of
 * the file's. */
static bool error_is_of_the_ring(int error) {
  return error == EAGAIN || error == ECANCELED || error == EINTR || error == ENOMEM ||
         error == ENOSYS || error == EOPNOTSUPP;
}

/* Turns operations that wait in the process's rings into ones that end with a result.
 * Those that were done long ago may be among them: nobody looks at them again. */
static int inject(uint8_t opcode, int result) {
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[512];
  int changed = 0;
  assert_non_null(maps);
  while (fgets(line, sizeof(line), maps) != NULL) {
    uintptr_t start, end, offset;
    if (strstr(line, "anon_inode:[io_uring]") == NULL ||
        sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNxPTR, &start, &end, &offset) !=
            3 ||
        offset != IORING_OFF_SQES)
      continue;
    for (struct io_uring_sqe* sqe = (void*) start; (uintptr_t) sqe < end; sqe++) {
      uint64_t data = sqe->user_data;
      if (sqe->opcode != opcode || data == 0)
        continue;
      memset(sqe, 0, sizeof(*sqe));
      sqe->opcode = IORING_OP_NOP;
      sqe->fd = -1;
      sqe->len = (uint32_t) result;
      sqe->rw_flags = NOP_INJECT_RESULT;
      sqe->user_data = data;
      changed++;
    }
  }
  fclose(maps);
  return changed;
}

static int answers;
static ssize_t answer;

static void note_answer(uv_fs_t* req) {
  answers++;
  answer = req->result;
  uv_fs_req_cleanup(req);
}

enum kind { READ, WRITE, SYNC, DATASYNC, KINDS };
static const uint8_t opcodes[KINDS] = {IORING_OP_READV, IORING_OP_WRITEV, IORING_OP_FSYNC,
                                       IORING_OP_FSYNC};

static void ask(uv_loop_t* loop, uv_fs_t* req, enum kind kind, int fd, uv_buf_t* buf) {
  int err = 0;
  answers = 0;
  switch (kind) {
  case READ:
    err = uv_fs_read(loop, req, fd, buf, 1, 0, note_answer);
    break;
  case WRITE:
    err = uv_fs_write(loop, req, fd, buf, 1, 0, note_answer);
    break;
  case SYNC:
    err = uv_fs_fsync(loop, req, fd, note_answer);
    break;
  default:
    err = uv_fs_fdatasync(loop, req, fd, note_answer);
    break;
  }
  assert_int_equal(err, 0);
}

/* What a callback asks for is handed over after it, in the poll; what is asked for
 * outside of a run goes at once. */
struct job {
  uv_fs_t req;
  enum kind kind;
  int fd;
  uv_buf_t* buf;
  int error;
  bool injected;
};

static void ask_and_inject(uv_timer_t* timer) {
  struct job* job = timer->data;
  ask(timer->loop, &job->req, job->kind, job->fd, job->buf);
  job->injected = inject(opcodes[job->kind], -job->error) > 0;
  uv_close((uv_handle_t*) timer, NULL);
}

static ssize_t usual(enum kind kind) {
  return kind == READ || kind == WRITE ? BLOCK : 0;
}

/* The number of errors that were tried; 0 where this kind doesn't take the ring. */
static int try_errors(uv_loop_t* loop, enum kind kind, int fd, uv_buf_t* buf) {
  int tried = 0;
  for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
    struct job job = {.kind = kind, .fd = fd, .buf = buf, .error = errors[i]};
    uv_timer_t timer;
    uv_timer_init(loop, &timer);
    timer.data = &job;
    uv_timer_start(&timer, ask_and_inject, 0, 0);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(answers, 1);
    bool injected = job.injected;
    if (!injected || (tried == 0 && answer == 0))
      return 0; /* it took another way, or the kernel is old and has done nothing */
    assert_int_equal(answer, error_is_of_the_ring(errors[i]) ? usual(kind) : -errors[i]);
    tried++;
    /* What follows is as it should be. */
    ask(loop, &job.req, kind, fd, buf);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(answers, 1);
    assert_int_equal(answer, usual(kind));
  }
  return tried;
}

static void errors_out_of_the_ring_are_reported(void** state) {
  uv_loop_t* loop = *state;
  char path[] = "/var/tmp/rondo-ring-XXXXXX";
  int fd = mkostemp(path, O_CLOEXEC);
  void* block = aligned_alloc(BLOCK, BLOCK);
  assert_true(fd >= 0 && block != NULL);
  memset(block, 'x', BLOCK);
  uv_buf_t buf = uv_buf_init(block, BLOCK);
  assert_int_equal(pwrite(fd, block, BLOCK, 0), BLOCK);
  int direct = open(path, O_RDWR | O_CLOEXEC | O_DIRECT);
  for (int kind = 0; kind < KINDS; kind++) {
    bool wants_direct = kind == READ || kind == WRITE;
    int tried = wants_direct && direct < 0 ? 0
                                           : try_errors(loop, (enum kind) kind,
                                                        wants_direct ? direct : fd, &buf);
    print_message("kind %d: %d errors came through the ring\n", kind, tried);
  }
  unlink(path);
  close(fd);
  if (direct >= 0)
    close(direct);
  free(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      loop_test(errors_out_of_the_ring_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
