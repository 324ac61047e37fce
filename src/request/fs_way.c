/* The ways of a file request, and which request may take which: see the table below.
 *
 *   1. At once, on the loop's thread, with calls that cannot wait (fs_cached.c); reads
 *      together, when the poll phase begins (fs_read.c).
 *   2. Through the backend, if it can do the operation: io_uring's own workers.
 *   3. On a thread of the pool.
 *
 * A request takes the first way that is open to it. The result is the same on every way,
 * and the callback comes from the poll phase. So a read of a file that isn't cached is
 * tried first, fails with EAGAIN, and then goes to io_uring; on the epoll backend, which
 * can't wait for files, it goes to the pool.
 *
 * The first two ways are shut
 *   - while file work is waiting for a thread, so that what is asked for last doesn't
 *     overtake what has been waiting, and can be cancelled like it;
 *   - for what would take the loop's thread too long, by itself (a large read, whose
 *     bytes are moved on the loop's thread in both) or together with what was done at
 *     once in this turn before: threads do many faster, and other callbacks wait;
 *   - for a close while a thread works for the loop, perhaps on the same file;
 *   - on a simulated loop (rondo sim): there all file work goes through the pool, whose
 *     order the simulator decides. */
#include "request/fs.h"

#include "backend/backend.h"
#include "base/base.h"
#include "loop/loop.h"
#include "request/fs_state.h"
#include "request/pool.h"
#include "request/work.h"
#include "sim/sim.h"

#include <fcntl.h>
#include <limits.h>

enum { NO_OPCODE = -1 };

/* The time that files may take on the loop's thread in one turn, in units of about half a
 * microsecond: about 150 µs in all. A path look-up here takes several system calls, where
 * a thread, which may wait, makes one; so many look-ups are faster on the pool. */
enum {
  TURN_MOST = 320,
  COST_CALL = 1,
  COST_PAGE = 1,
  COST_NEW_PAGE = 2, /* into memory that the kernel may have to provide first */
  COST_PATH = 40,
  PAGE = 4096
};

struct operation {
  enum fs_way (*at_once)(uv_fs_t* req); /* 1; NULL: not possible */
  int opcode;                           /* 2; NO_OPCODE: not possible */
  ssize_t (*run)(uv_fs_t* req);         /* 3, and for synchronous calls */
};

/* clang-format off */
static const struct operation operations[] = {
    /* request            1 at once         2 backend       3 on a thread */
    [UV_FS_READ]       = {fs_read_start,    FILE_READV,     fs_do_read},
    [UV_FS_WRITE]      = {fs_write_start,   FILE_WRITEV,    fs_do_write},
    [UV_FS_FSYNC]      = {NULL,             FILE_FSYNC,     fs_do_fsync},
    [UV_FS_FDATASYNC]  = {NULL,             FILE_FDATASYNC, fs_do_fdatasync},

    [UV_FS_OPEN]       = {fs_open_cached,   NO_OPCODE,      fs_do_open},
    [UV_FS_CLOSE]      = {fs_close_cached,  NO_OPCODE,      fs_do_close},
    [UV_FS_STAT]       = {fs_stat_cached,   NO_OPCODE,      fs_do_stat},
    [UV_FS_LSTAT]      = {fs_stat_cached,   NO_OPCODE,      fs_do_stat},
    [UV_FS_FSTAT]      = {fs_stat_cached,   NO_OPCODE,      fs_do_stat},
    [UV_FS_ACCESS]     = {fs_access_cached, NO_OPCODE,      fs_do_access},

    [UV_FS_SENDFILE]   = {NULL,             NO_OPCODE,      fs_do_sendfile},
    [UV_FS_FTRUNCATE]  = {NULL,             NO_OPCODE,      fs_do_ftruncate},
    [UV_FS_UTIME]      = {NULL,             NO_OPCODE,      fs_do_utime},
    [UV_FS_FUTIME]     = {NULL,             NO_OPCODE,      fs_do_utime},
    [UV_FS_LUTIME]     = {NULL,             NO_OPCODE,      fs_do_utime},
    [UV_FS_CHMOD]      = {NULL,             NO_OPCODE,      fs_do_chmod},
    [UV_FS_FCHMOD]     = {NULL,             NO_OPCODE,      fs_do_chmod},
    [UV_FS_CHOWN]      = {NULL,             NO_OPCODE,      fs_do_chown},
    [UV_FS_FCHOWN]     = {NULL,             NO_OPCODE,      fs_do_chown},
    [UV_FS_LCHOWN]     = {NULL,             NO_OPCODE,      fs_do_chown},
    [UV_FS_UNLINK]     = {NULL,             NO_OPCODE,      fs_do_unlink},
    [UV_FS_RENAME]     = {NULL,             NO_OPCODE,      fs_do_rename},
    [UV_FS_LINK]       = {NULL,             NO_OPCODE,      fs_do_link},
    [UV_FS_SYMLINK]    = {NULL,             NO_OPCODE,      fs_do_symlink},
    [UV_FS_READLINK]   = {NULL,             NO_OPCODE,      fs_do_readlink},
    [UV_FS_REALPATH]   = {NULL,             NO_OPCODE,      fs_do_realpath},
    [UV_FS_COPYFILE]   = {NULL,             NO_OPCODE,      fs_do_copyfile},
    [UV_FS_STATFS]     = {NULL,             NO_OPCODE,      fs_do_statfs},
    [UV_FS_MKDIR]      = {NULL,             NO_OPCODE,      fs_do_mkdir},
    [UV_FS_RMDIR]      = {NULL,             NO_OPCODE,      fs_do_rmdir},
    [UV_FS_MKDTEMP]    = {NULL,             NO_OPCODE,      fs_do_mkdtemp},
    [UV_FS_MKSTEMP]    = {NULL,             NO_OPCODE,      fs_do_mkstemp},
    [UV_FS_SCANDIR]    = {NULL,             NO_OPCODE,      fs_do_scandir},
    [UV_FS_OPENDIR]    = {NULL,             NO_OPCODE,      fs_do_opendir},
    [UV_FS_READDIR]    = {NULL,             NO_OPCODE,      fs_do_readdir},
    [UV_FS_CLOSEDIR]   = {NULL,             NO_OPCODE,      fs_do_closedir},
};
/* clang-format on */

static const struct operation* operation_of(const uv_fs_t* req) {
  assert(req->fs_type > UV_FS_CUSTOM && (size_t) req->fs_type < ARRAY_LENGTH(operations));
  return &operations[req->fs_type];
}

ssize_t fs_run(uv_fs_t* req) {
  return operation_of(req)->run(req);
}

/* --- The end ---------------------------------------------------------------------- */

/* The only place that calls back a file request. */
static void fs_finish(uv_fs_t* req) {
  fs_order_leave(req);
  fs_set_place(req, FS_IDLE);
  fs_free_buffers(req);
  req_end(req->loop, req);
  loop_call_back(req->loop, subject_fs(req), req->result, req->cb, req);
}

void fs_done(struct uv__work* w, int status) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  /* Bytes that an earlier way has moved are reported even if the rest is cancelled. */
  if (status == UV_ECANCELED && req->result == 0)
    req->result = UV_ECANCELED;
  fs_finish(req);
}

void fs_complete(uv_fs_t* req) {
  fs_set_place(req, FS_DONE);
  req->work_req.done = fs_done;
  loop_complete(req->loop, &req->work_req, 0);
}

/* --- 3: the pool ------------------------------------------------------------------ */

void fs_run_on_pool(struct uv__work* w) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  if (req->fs_type != UV_FS_OPEN)
    fs_learn_mount(req);
  req->result = fs_run(req);
  if (req->fs_type == UV_FS_OPEN)
    fs_learn_mount(req);
}

static int fs_send_to_pool(uv_fs_t* req) {
  trace_pooled(req->loop, req);
  int err = work_submit(req->loop, &req->work_req, fs_run_on_pool, fs_done);
  if (err != 0)
    return err;
  loop_count(req->loop, COUNTER_FILE_POOL);
  fs_set_place(req, FS_POOL);
  fs_order_enter(req);
  return 0;
}

/* --- 2: the backend --------------------------------------------------------------- */

static void fs_backend_done(struct uv__work* w, int result) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  bool is_cancelled = fs_place(req) == FS_CANCELLED;
  if (is_cancelled)
    result = UV_ECANCELED;
  /* Cancelled by the kernel, not by the program: the thread that submitted it has ended.
   */
  bool has_rest = result == UV_ECANCELED && !is_cancelled;
  if (result >= 0) {
    req->result += result;
    if (req->fs_type == UV_FS_WRITE && result > 0) {
      fs_advance(req, (size_t) result);
      has_rest = req->nbufs > 0;
    }
  } else if (!has_rest && req->result == 0) {
    req->result = result;
  }
  if (!has_rest || !fs_send_rest(req, FS_WAY_POOL))
    fs_finish(req);
}

/* io_uring waits for data even on a non-blocking descriptor, and accepts an offset for
 * descriptors that have none. So it gets regular files and block devices and, of the
 * others, only blocking reads without an offset. A read at a file's own position isn't
 * sent to io_uring, because the position isn't always moved. */
static bool fs_suits_backend(const uv_fs_t* req) {
  if (req->fs_type != UV_FS_READ && req->fs_type != UV_FS_WRITE)
    return true;
  struct statx about;
  if (req->nbufs > IOV_MAX || fs_statx(req->file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                                       STATX_TYPE, &about) != 0)
    return false;
  if (S_ISREG(about.stx_mode) || S_ISBLK(about.stx_mode))
    return req->off >= 0;
  int status = fcntl(req->file, F_GETFL);
  return req->fs_type == UV_FS_READ && req->off < 0 && status >= 0 &&
         (status & O_NONBLOCK) == 0;
}

static bool fs_send_to_backend(uv_fs_t* req) {
  int opcode = operation_of(req)->opcode;
  if (opcode == NO_OPCODE || !fs_suits_backend(req))
    return false;
  const struct file_operation operation = {.opcode = (enum file_opcode) opcode,
                                           .fd = req->file,
                                           .address = req->bufs,
                                           .count = req->nbufs,
                                           .offset = req->off};
  req->work_req.loop = req->loop;
  req->work_req.work = NULL;
  req->work_req.done = fs_backend_done;
  if (backend_submit(req->loop, &operation, &req->work_req) != 0)
    return false;
  loop_count(req->loop, COUNTER_FILE_RING);
  fs_set_place(req, FS_RING);
  fs_order_enter(req);
  if (!wake_is_awake(req->loop))
    (void) req->loop->backend->flush(
        req->loop, 0); /* between two runs nothing else would submit it */
  return true;
}

/* --- 1: at once ------------------------------------------------------------------- */

static size_t fs_cost(const uv_fs_t* req) {
  size_t cost = req->path == NULL ? COST_CALL : COST_PATH;
  for (unsigned int i = 0; i < req->nbufs && cost <= TURN_MOST; i++)
    cost += req->bufs[i].len / PAGE * COST_PAGE;
  return cost;
}

/* Charges a cost to this turn; false if too little is left. */
static bool fs_charge_turn(const uv_loop_t* loop, size_t cost) {
  struct file_state* state = loop->file_state;
  if (state->turn != loop->turns) {
    state->turn = loop->turns;
    state->spent = 0;
  }
  if (cost > TURN_MOST - state->spent)
    return false;
  state->spent += (unsigned int) cost;
  return true;
}

/* --- The choice ------------------------------------------------------------------- */

static int fs_take_way(uv_fs_t* req, enum fs_way way) {
  return way == FS_WAY_WAIT && fs_send_to_backend(req) ? 0 : fs_send_to_pool(req);
}

bool fs_send_rest(uv_fs_t* req, enum fs_way way) {
  int err = fs_take_way(req, way);
  if (err != 0 && req->result == 0)
    req->result = err;
  return err == 0;
}

bool fs_try_turn(const uv_fs_t* req) {
  struct file_state* state = fs_state(req);
  if (state == NULL)
    state = file_state_make(req->loop);
  return state != NULL && !simulated(req->loop) && !pool_files_waiting() &&
         fs_charge_turn(req->loop, fs_cost(req));
}

bool fs_try_turn_bytes(const uv_fs_t* req, size_t bytes) {
  size_t pages = bytes / PAGE + 1;
  return pages <= TURN_MOST && fs_charge_turn(req->loop, pages * COST_NEW_PAGE);
}

int fs_send(uv_fs_t* req) {
  const struct operation* operation = operation_of(req);
  if (fs_state(req) == NULL && file_state_make(req->loop) == NULL)
    return UV_ENOMEM;
  if (req->fs_type == UV_FS_CLOSE && fs_order_hold(req))
    return 0;
  if ((operation->at_once == NULL && operation->opcode == NO_OPCODE) ||
      (req->fs_type == UV_FS_CLOSE && req->loop->work_active > 0) || !fs_try_turn(req))
    return fs_send_to_pool(req);
  enum fs_way way = operation->at_once == NULL ? FS_WAY_WAIT : operation->at_once(req);
  if (way == FS_WAY_DONE) {
    loop_count(req->loop, COUNTER_FILE_AT_ONCE);
    fs_complete(req);
  }
  return way == FS_WAY_DONE || way == FS_WAY_BATCH ? 0 : fs_take_way(req, way);
}
