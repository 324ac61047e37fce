/* File operations on io_uring's own workers: see uring_files.h. */
#include "backend/uring_files.h"

#include "base/base.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { FILE_RING_ENTRIES = 128 };

/* How many completions one event takes before the others get their turn. */
enum { HARVEST_BATCH = 256 };

static void files_harvest(uv_loop_t* loop, uv__io_t* w, unsigned int events);

static int files_open(uv_loop_t* loop, struct uring_files* files) {
  if (files->refused)
    return UV_ENOSYS;
  struct io_uring_params params = {.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
                                   .cq_entries = 4096};
  int err = io_uring_queue_init_params(FILE_RING_ENTRIES, &files->ring, &params);
  if (err < 0) {
    files->refused = err != -EMFILE && err != -ENFILE;
    return UV_ENOSYS;
  }
  watcher_init(&files->watcher, files_harvest);
  err = watcher_open(loop, &files->watcher, files->ring.ring_fd);
  if (err != 0) {
    io_uring_queue_exit(&files->ring);
    return UV_ENOSYS;
  }
  files->open = true;
  return 0;
}

/* False for what io_uring can't do better than the pool. */
static bool fill(struct io_uring_sqe* sqe, const struct file_operation* op) {
  switch (op->opcode) {
  case FILE_READV:
    io_uring_prep_readv(sqe, op->fd, op->address, op->count, (uint64_t) op->offset);
    return true;
  case FILE_WRITEV:
    io_uring_prep_writev(sqe, op->fd, op->address, op->count, (uint64_t) op->offset);
    return true;
  case FILE_FSYNC:
    io_uring_prep_fsync(sqe, op->fd, 0);
    return true;
  case FILE_FDATASYNC:
    io_uring_prep_fsync(sqe, op->fd, IORING_FSYNC_DATASYNC);
    return true;
  }
  return false;
}

int uring_files_submit(uv_loop_t* loop, struct uring_files* files,
                       const struct file_operation* op, struct uv__work* w) {
  if (!files->open) {
    int err = files_open(loop, files);
    if (err != 0)
      return err;
  }
  struct io_uring_sqe* sqe = io_uring_get_sqe(&files->ring);
  if (sqe == NULL) {
    uring_files_flush(files);
    sqe = io_uring_get_sqe(&files->ring);
    if (sqe == NULL)
      return UV_EAGAIN;
  }
  bool known = fill(sqe, op);
  assert(known);
  (void) known;
  io_uring_sqe_set_data(sqe, w);
  files->unflushed++;
  if (files->in_flight++ == 0)
    watcher_start(loop, &files->watcher, WATCH_IN);
  return 0;
}

bool uring_files_flush(struct uring_files* files) {
  if (files->unflushed == 0)
    return true;
  int submitted = io_uring_submit(&files->ring);
  /* EAGAIN, EBUSY, EINTR: they stay in the queue and are handed over the next time. */
  if (submitted > 0)
    files->unflushed -= (unsigned int) int_min(submitted, (int) files->unflushed);
  return files->unflushed == 0;
}

/* The first is what the poll's limit was charged for already, as for any event. */
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
    if (w == NULL)
      continue; /* the answer to a cancel */
    if (--files->in_flight == 0)
      watcher_stop(loop, watcher, WATCH_IN);
    w->done(w, result < 0 ? uv_translate_sys_error(-result) : result);
  }
}

int uring_files_cancel(uv_loop_t* loop, struct uring_files* files, struct uv__work* w) {
  (void) loop;
  if (!files->open || files->in_flight == 0)
    return UV_ENOENT;
  uring_files_flush(files);
  /* Synchronous: the caller wants to know whether it worked. The operation's own
   * completion still comes through the ring. */
  struct io_uring_sync_cancel_reg request = {
      .addr = (uint64_t) (uintptr_t) w, .fd = -1, .timeout = {.tv_sec = 0, .tv_nsec = 0}};
  int err = io_uring_register_sync_cancel(&files->ring, &request);
  if (err == 0)
    return 0;
  return err == -ENOENT ? UV_ENOENT : UV_EBUSY;
}

void uring_files_close(uv_loop_t* loop, struct uring_files* files) {
  if (!files->open)
    return;
  assert(files->in_flight == 0); /* requests in flight keep a loop from being closed */
  watcher_close(loop, &files->watcher);
  io_uring_queue_exit(&files->ring);
  files->open = false;
}

void uring_files_fork(uv_loop_t* loop, struct uring_files* files) {
  if (!files->open)
    return;
  watcher_close(loop, &files->watcher);
  io_uring_queue_exit(&files->ring);
  memset(files, 0, sizeof(*files));
}
