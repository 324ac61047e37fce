/* File operations on io_uring's own workers: see uring_files.h. */
#include "backend/uring_files.h"

#include "backend/uring_ring.h"
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { FILE_RING_ENTRIES = 128 };

/* Never more operations in flight than this, so that the completion queue can't overflow:
 * to fetch overflown completions the ring has to be entered. */
enum { FILES_MOST = 4096 };

/* How often a ring is checked whose descriptor the kernel doesn't watch. */
static const int64_t LOOK_NS = 5 * 1000000;

/* How often a submission that a signal interrupts is tried again. */
enum { INTERRUPTIONS_MOST = 8 };

/* How many completions are taken for one event before other events get their turn. */
enum { HARVEST_BATCH = 256 };

static void files_harvest(uv_loop_t* loop, uv__io_t* w, unsigned int events);

static int files_open(uv_loop_t* loop, struct uring_files* files) {
  if (files->refused)
    return UV_ENOSYS;
  struct io_uring_params params = {.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
                                   .cq_entries = FILES_MOST};
  int err = uring_start(&files->ring, FILE_RING_ENTRIES, &params);
  if (err < 0) {
    files->refused = err != -EMFILE && err != -ENFILE;
    return UV_ENOSYS;
  }
  watcher_init(&files->watcher, files_harvest);
  err = watcher_open(loop, &files->watcher, files->ring.ring_fd);
  if (err != 0) {
    ring_release(&files->ring);
    return UV_ENOSYS;
  }
  files->open = true;
  return 0;
}

static void files_release(uv_loop_t* loop, struct uring_files* files) {
  watcher_close(loop, &files->watcher);
  ring_release(&files->ring);
  files->open = false;
}

/* Permanent: the pool does everything from now on. */
static void files_fail(uv_loop_t* loop, struct uring_files* files, int err) {
  ring_report("files are left to the thread pool", err);
  files->refused = true;
  if (!ring_is_lost(err))
    return;
  /* The descriptor's number is in use by the program, whose handles may want to watch it.
   */
  watcher_close(loop, &files->watcher);
  ring_disown(&files->ring);
}

static void files_fill(struct io_uring_sqe* sqe, const struct file_operation* op) {
  switch (op->opcode) {
  case FILE_READV:
    io_uring_prep_readv(sqe, op->fd, op->address, op->count, (uint64_t) op->offset);
    return;
  case FILE_WRITEV:
    io_uring_prep_writev(sqe, op->fd, op->address, op->count, (uint64_t) op->offset);
    return;
  case FILE_FSYNC:
    io_uring_prep_fsync(sqe, op->fd, 0);
    return;
  case FILE_FDATASYNC:
    io_uring_prep_fsync(sqe, op->fd, IORING_FSYNC_DATASYNC);
    return;
  }
  assert(false && "an operation that only the pool does");
}

/* Submits the queue's entries from its front, as many as the kernel takes. */
static void files_hand_over(uv_loop_t* loop, struct uring_files* files) {
  int submitted = -EINTR;
  assert(io_uring_sq_ready(&files->ring) == files->unflushed);
  assert(files->unflushed <= files->in_flight && files->in_flight <= FILES_MOST);
  for (int i = 0; submitted == -EINTR && i < INTERRUPTIONS_MOST; i++)
    submitted = io_uring_submit(&files->ring);
  /* The kernel takes at least one entry or returns an error; 0 means that another ring
   * has the descriptor's number. */
  if (submitted == 0)
    submitted = -EBADF;
  if (submitted > 0)
    files->unflushed -= (unsigned int) int_min(submitted, (int) files->unflushed);
  else if (ring_failure_lasts(submitted))
    files_fail(loop, files, submitted);
  if (files->unflushed > 0) {
    files->returning = true;
    watcher_feed(loop, &files->watcher);
  }
}

/* The slot of a stopped watcher goes to any watcher that starts on the same number. If
 * that has happened, the number isn't the ring's any more. */
static bool files_watch(uv_loop_t* loop, struct uring_files* files) {
  if (files->in_flight > 0)
    return true;
  if (watcher_exists(loop, files->ring.ring_fd)) {
    files_fail(loop, files, -EBADF);
    files_release(loop, files);
    return false;
  }
  watcher_start(loop, &files->watcher, WATCH_IN);
  return true;
}

int uring_files_submit(uv_loop_t* loop, struct uring_files* files,
                       const struct file_operation* op, struct uv__work* w) {
  if (files->refused || files->returning || files->in_flight == FILES_MOST)
    return UV_EAGAIN;
  if (!files->open) {
    int err = files_open(loop, files);
    if (err != 0)
      return err;
  }
  if (!files_watch(loop, files))
    return UV_EAGAIN;
  struct io_uring_sqe* sqe = io_uring_get_sqe(&files->ring);
  if (sqe == NULL) {
    files_hand_over(loop, files);
    sqe = files->returning ? NULL : io_uring_get_sqe(&files->ring);
    if (sqe == NULL)
      return UV_EAGAIN;
  }
  files_fill(sqe, op);
  io_uring_sqe_set_data(sqe, w);
  files->unflushed++;
  files->in_flight++;
  return 0;
}

int64_t uring_files_flush(uv_loop_t* loop, struct uring_files* files,
                          int64_t timeout_ns) {
  if (files->in_flight == 0)
    return timeout_ns;
  if (files->unflushed > 0 && !files->returning)
    files_hand_over(loop, files);
  if (files->returning)
    return 0;
  if (watcher_is_registered(loop, &files->watcher))
    return timeout_ns;
  if (io_uring_cq_ready(&files->ring) == 0)
    return timeout_ns < 0 || timeout_ns > LOOK_NS ? LOOK_NS : timeout_ns;
  watcher_feed(loop, &files->watcher);
  return 0;
}

static void files_ended(uv_loop_t* loop, struct uring_files* files, unsigned int count) {
  assert(files->in_flight >= count);
  files->in_flight -= count;
  if (files->in_flight > 0)
    return;
  watcher_stop(loop, &files->watcher, WATCH_IN);
  if (files->refused)
    files_release(loop, files);
}

/* Removes the entries that the kernel hasn't taken from the submission queue. The kernel
 * reads the queue only when the ring is entered, so its tail may be moved back. */
static void files_give_back(uv_loop_t* loop, struct uring_files* files) {
  struct uv__work* back[FILE_RING_ENTRIES];
  struct io_uring_sq* sq = &files->ring.sq;
  unsigned int head = io_uring_smp_load_acquire(sq->khead);
  unsigned int count = sq->sqe_tail - head;
  assert(count == files->unflushed && count <= ARRAY_LENGTH(back));
  for (unsigned int i = 0; i < count; i++) {
    __u64 data = sq->sqes[(head + i) & sq->ring_mask].user_data;
    back[i] = (struct uv__work*) (uintptr_t) data;
  }
  sq->sqe_head = sq->sqe_tail = head;
  io_uring_smp_store_release(sq->ktail, head);
  files->unflushed = 0;
  files->returning = false;
  files_ended(loop, files, count);
  for (unsigned int i = 0; i < count; i++)
    back[i]->done(back[i], UV_ECANCELED);
}

/* Converts the kernel's result for the request's owner. The errors listed here come from
 * the ring and say nothing about the file: the owner sends the request to the pool. */
static int files_result(int result) {
  switch (result) {
  case -EAGAIN:
  case -EINTR:
  case -ENOMEM:
  case -ENOSYS:
  case -EOPNOTSUPP:
    return UV_ECANCELED;
  default:
    return result < 0 ? uv_translate_sys_error(-result) : result;
  }
}

/* The event that led here has been charged to the poll's limit, so only the completions
 * after the first are charged. */
static void files_harvest(uv_loop_t* loop, uv__io_t* watcher, unsigned int events) {
  (void) events;
  struct uring_files* files = rondo_container_of(watcher, struct uring_files, watcher);
  for (int i = 0; i < HARVEST_BATCH && files->open; i++) {
    struct io_uring_cqe* cqe;
    if (io_uring_peek_cqe(&files->ring, &cqe) != 0 || (i > 0 && !poll_take(loop)))
      break;
    struct uv__work* w = io_uring_cqe_get_data(cqe);
    int result = cqe->res;
    io_uring_cqe_seen(&files->ring, cqe);
    files_ended(loop, files, 1);
    w->done(w, files_result(result));
  }
  if (files->open && files->returning)
    files_give_back(loop, files);
}

/* The entry stays in the submission queue as a no-op: its completion keeps the count
 * right and calls w->done. */
int uring_files_cancel(struct uring_files* files, struct uv__work* w) {
  if (!files->open || files->unflushed == 0)
    return UV_EBUSY;
  struct io_uring_sq* sq = &files->ring.sq;
  unsigned int head = io_uring_smp_load_acquire(sq->khead);
  for (unsigned int i = head; i != sq->sqe_tail; i++) {
    struct io_uring_sqe* sqe = &sq->sqes[i & sq->ring_mask];
    if (sqe->user_data != (uint64_t) (uintptr_t) w)
      continue;
    io_uring_prep_nop(sqe);
    io_uring_sqe_set_data(sqe, w);
    return 0;
  }
  return UV_EBUSY;
}

void uring_files_close(uv_loop_t* loop, struct uring_files* files) {
  if (!files->open)
    return;
  assert(files->in_flight == 0); /* a loop with requests in flight can't be closed */
  files_release(loop, files);
}

void uring_files_fork(uv_loop_t* loop, struct uring_files* files) {
  if (!files->open)
    return;
  files_release(loop, files);
  memset(files, 0, sizeof(*files));
}
