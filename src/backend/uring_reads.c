/* Reads that cannot wait, many with one system call: see uring_reads.h. */
#include "backend/uring_reads.h"

#include "backend/ring.h"
#include "base/base.h"

#include <assert.h>
#include <errno.h>
#include <sys/uio.h>
#include <time.h>

enum { READ_RING_ENTRIES = 32 };

/* To make a ring takes as long as it saves with some hundred reads: a loop that reads
 * less does without. */
enum { READS_BEFORE_RING = 1024 };

/* Two calls are made for all of them. */
enum { READS_WORTH_IT = 4 };

static bool reads_open(struct uring_reads* reads) {
  if (reads->open)
    return true;
  if (reads->refused || ++reads->before < READS_BEFORE_RING)
    return false;
  struct io_uring_params params = {.flags = IORING_SETUP_SUBMIT_ALL};
  int err = io_uring_queue_init_params(READ_RING_ENTRIES, &reads->ring, &params);
  reads->before = 0; /* if descriptors were short, it is tried again after as many */
  reads->open = err == 0;
  reads->refused = err != 0 && err != -EMFILE && err != -ENFILE;
  return reads->open;
}

/* Those of one file, from the first on. */
static int same_file(const struct file_operation* ops, int count) {
  int same = 1;
  while (same < count && ops[same].fd == ops[0].fd)
    same++;
  return same;
}

/* A ring takes an offset for what has none, and would empty a pipe or a socket that
 * preadv(2) refuses to read. So that is asked, with nothing to be read. */
static bool has_offsets(int fd) {
  return preadv(fd, NULL, 0, 0) == 0;
}

static void fill(struct io_uring_sqe* sqe, const struct file_operation* op) {
  assert(op->opcode == FILE_READV && op->offset >= 0);
  const struct iovec* vectors = op->address;
  if (op->count == 1 && vectors->iov_len <= UINT32_MAX)
    io_uring_prep_read(sqe, op->fd, vectors->iov_base, (unsigned int) vectors->iov_len,
                       (uint64_t) op->offset);
  else
    io_uring_prep_readv(sqe, op->fd, vectors, op->count, (uint64_t) op->offset);
  sqe->rw_flags = RWF_NOWAIT;
}

static int harvest(struct io_uring* ring, int* results) {
  struct io_uring_cqe* cqe;
  unsigned int head;
  unsigned int count = 0;
  io_uring_for_each_cqe(ring, head, cqe) {
    results[cqe->user_data] = cqe->res;
    count++;
  }
  io_uring_cq_advance(ring, count);
  return (int) count;
}

/* Some may not be over yet after all: told not to wait, a device that is read past the
 * cache still answers in its own time. Such reads are kept away from here as far as can
 * be known. Where the ring can't be entered any more, its memory is looked at. */
static void wait_for_all(struct io_uring* ring, int submitted, int* results) {
  int done = harvest(ring, results);
  while (done < submitted) {
    struct io_uring_cqe* cqe;
    if (io_uring_wait_cqe(ring, &cqe) != 0)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    done += harvest(ring, results);
  }
}

int uring_reads_run(struct uring_reads* reads, const struct file_operation* ops,
                    int count, int* results) {
  int filled = int_min(same_file(ops, count), READ_RING_ENTRIES);
  if (filled < READS_WORTH_IT || !reads_open(reads) || !has_offsets(ops[0].fd))
    return 0;
  for (int i = 0; i < filled; i++) {
    struct io_uring_sqe* sqe = io_uring_get_sqe(&reads->ring);
    fill(sqe, &ops[i]);
    io_uring_sqe_set_data64(sqe, (__u64) (unsigned int) i);
  }
  int submitted = io_uring_submit(&reads->ring);
  wait_for_all(&reads->ring, submitted, results);
  if (submitted == filled)
    return filled;
  /* No memory, or forbidden since. What the kernel did not take must not be there when
   * the next come. */
  if (submitted < 0)
    ring_report("reads are made one by one", submitted);
  uring_reads_close(reads);
  reads->refused = true;
  return submitted < 0 ? 0 : submitted;
}

void uring_reads_close(struct uring_reads* reads) {
  if (reads->open)
    ring_release(&reads->ring);
  reads->open = false;
}
