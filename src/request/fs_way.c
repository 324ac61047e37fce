/* The ways of a file request, and who may take which: the table below is all of it.
 *
 *   1. At once, on the loop's thread, with calls that cannot wait (fs_cached.c); reads
 *      that come in numbers are shared with a thread that is awake (fs_burst.c).
 *   2. Through the backend, if it can do the operation: io_uring's own workers.
 *   3. On a thread of the pool.
 *
 * A request takes the first way that is open to it. Whichever it was, the result is the
 * same and the callback comes from the poll phase.
 *
 * The first two ways are shut
 *   - while file work is waiting for a thread, so that what is asked for last doesn't
 *     overtake what has been waiting, and can be cancelled like it;
 *   - for what would take the loop's thread too long, by itself (a large read, whose
 *     bytes are moved on the loop's thread in both) or together with what was done at
 *     once in this turn before: threads do a burst faster, and other callbacks wait;
 *   - for closing a descriptor while other file work of this loop is under way, which may
 *     be about that descriptor. */
#include "request/fs.h"
#include "request/fs_burst.h"

#include "backend/backend.h"
#include "base/base.h"
#include "loop/loop.h"
#include "request/pool.h"
#include "request/work.h"

#include <fcntl.h>
#include <limits.h>

enum { NO_OPCODE = -1 };

/* What files may take on the loop's thread in one turn, in units of about half a
 * microsecond: some 150 in all. Looking up a path takes several system calls, where a
 * thread that may wait makes one: so in numbers they are better off there. */
enum { TURN_MOST = 320, COST_CALL = 1, COST_PAGE = 1, COST_PATH = 40, PAGE = 4096 };

/* What is done in a turn without looking for help. */
enum { TURN_ALONE = 8 };

struct fs_way {
  enum fs_attempt (*at_once)(uv_fs_t* req); /* 1; NULL: not possible */
  int opcode;                               /* 2; NO_OPCODE: not possible */
  ssize_t (*run)(uv_fs_t* req);             /* 3, and for synchronous calls */
};

/* clang-format off */
static const struct fs_way ways[] = {
    /* request            1 at once         2 backend       3 on a thread */
    [UV_FS_READ]       = {fs_read_cached,   FILE_READV,     fs_do_read},
    [UV_FS_WRITE]      = {fs_write_direct,  FILE_WRITEV,    fs_do_write},
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

static const struct fs_way* fs_way(const uv_fs_t* req) {
  assert(req->fs_type > UV_FS_CUSTOM && (size_t) req->fs_type < ARRAY_LENGTH(ways));
  return &ways[req->fs_type];
}

ssize_t fs_run(uv_fs_t* req) {
  return fs_way(req)->run(req);
}

/* Called back from here only, once. */
static void fs_finish(uv_fs_t* req) {
  fs_set_place(req, FS_NOWHERE);
  fs_free_buffers(req);
  req_end(req->loop);
  loop_call_back(req->loop, subject_fs(req), req->result, req->cb, req);
}

static void fs_done(struct uv__work* w, int status) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  /* Bytes that a first way has moved already are not undone by cancelling the rest. */
  if (status == UV_ECANCELED && req->result == 0)
    req->result = UV_ECANCELED;
  fs_finish(req);
}

/* The work is over, on this thread; its callback comes from the poll phase. */
static void fs_answered(uv_fs_t* req) {
  fs_set_place(req, FS_DONE);
  req->work_req.done = fs_done;
  loop_complete(req->loop, &req->work_req, 0);
}

/* --- 3: the pool ----------------------------------------------------------------- */

void fs_run_on_pool(struct uv__work* w) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  if (req->fs_type != UV_FS_OPEN)
    fs_learn(req);
  req->result = fs_run(req);
  if (req->fs_type == UV_FS_OPEN)
    fs_learn(req);
}

static bool fs_is_being_synced(const uv_loop_t* loop, uv_file file) {
  const struct queue* syncs = queue_of(((uv_loop_t*) (uintptr_t) loop)->backend_syncs);
  for (struct queue* link = queue_first(syncs); link != NULL;
       link = queue_next(syncs, link)) {
    const struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    if (rondo_container_of(w, uv_fs_t, work_req)->file == file)
      return true;
  }
  return false;
}

/* What is with the backend must be known to the kernel by its file, not by a number that
 * is about to be free. Reads and writes are as soon as they are handed over. A sync isn't
 * before its worker begins, so the close is held until the sync is back: true then. */
static bool fs_hold_close(uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  if (loop->backend_files > 0)
    (void) loop->backend->flush(loop, 0);
  if (!fs_is_being_synced(loop, req->file))
    return false;
  queue_push_back(queue_of(loop->held_closes), queue_of(req->work_req.wq));
  fs_set_place(req, FS_FOLLOWING);
  return true;
}

static int fs_send_to_pool(uv_fs_t* req) {
  if (req->fs_type == UV_FS_CLOSE && fs_hold_close(req))
    return 0;
  int err = work_submit(req->loop, &req->work_req, fs_run_on_pool, fs_done);
  if (err == 0)
    fs_set_place(req, FS_POOL);
  return err;
}

/* --- 2: the backend -------------------------------------------------------------- */

static int fs_send_on(uv_fs_t* req, enum fs_attempt attempt);

/* For the rest of a request that has come to life on another way. False if it is over,
 * because no other is open. */
static bool fs_goes_on(uv_fs_t* req, enum fs_attempt attempt) {
  int err = fs_send_on(req, attempt);
  if (err != 0 && req->result == 0)
    req->result = err;
  return err == 0;
}

/* In the poll phase. */
static void fs_go_on(uv_fs_t* req, enum fs_attempt attempt) {
  if (!fs_goes_on(req, attempt))
    fs_finish(req);
}

static bool fs_is_sync(const uv_fs_t* req) {
  return req->fs_type == UV_FS_FSYNC || req->fs_type == UV_FS_FDATASYNC;
}

/* A close that was held. False if it has gone to the pool. */
static bool fs_close_is_over(uv_fs_t* req) {
  int err = fs_place(req) == FS_CANCELLED ? UV_ECANCELED : fs_send_to_pool(req);
  if (err != 0)
    req->result = err;
  return err != 0;
}

/* A sync of that file is back, or behind everything else in the pool. */
static void fs_release_closes(uv_loop_t* loop, uv_file file) {
  struct queue held;
  queue_move(queue_of(loop->held_closes), &held);
  while (!queue_empty(&held)) {
    struct queue* link = queue_first(&held);
    queue_remove(link);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
    if (req->file != file)
      queue_push_back(queue_of(loop->held_closes), link);
    else if (fs_close_is_over(req))
      fs_answered(req);
  }
}

static void fs_backend_done(struct uv__work* w, int result) {
  uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
  req->loop->backend_files--;
  if (fs_is_sync(req))
    queue_remove(queue_of(w->wq));
  /* Not our doing: the thread that had submitted it has ended. */
  if (result == UV_ECANCELED && !fs_cancel_asked(req)) {
    uv_loop_t* loop = req->loop;
    uv_file file = req->file;
    fs_go_on(req, FS_UNABLE);
    fs_release_closes(loop, file);
    return;
  }
  if (fs_is_sync(req))
    fs_release_closes(req->loop, req->file);
  if (result < 0) {
    if (req->result == 0)
      req->result = result;
    fs_finish(req);
    return;
  }
  req->result += result;
  if (req->fs_type == UV_FS_WRITE && result > 0) {
    fs_advance(req, (size_t) result);
    if (req->nbufs > 0) {
      fs_go_on(req, FS_UNABLE);
      return;
    }
  }
  fs_finish(req);
}

/* io_uring waits for data also on a descriptor that was told not to wait, and takes an
 * offset for what has none. So it gets files, and of the rest only what must wait. At a
 * file's own position it reads well, but doesn't always move it. */
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

static bool fs_send_to_backend(uv_fs_t* req, int opcode) {
  if (!fs_suits_backend(req))
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
  req->loop->backend_files++;
  if (fs_is_sync(req))
    queue_push_back(queue_of(req->loop->backend_syncs), queue_of(req->work_req.wq));
  fs_set_place(req, FS_RING);
  if (!wake_is_awake(req->loop))
    (void) req->loop->backend->flush(req->loop, 0); /* the next turn may wait for it */
  return true;
}

/* --- The choice ------------------------------------------------------------------ */

static size_t fs_cost(const uv_fs_t* req) {
  size_t cost = req->path == NULL ? COST_CALL : COST_PATH;
  for (unsigned int i = 0; i < req->nbufs && cost <= TURN_MOST; i++)
    cost += req->bufs[i].len / PAGE * COST_PAGE;
  return cost;
}

/* Whether the loop's thread has the time, which is taken then. */
static bool fs_fits_into_turn(const uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  if (loop->file_turn != loop->turns) {
    loop->file_turn = loop->turns;
    loop->file_spent = 0;
  }
  size_t cost = fs_cost(req);
  if (loop->file_spent + cost > TURN_MOST)
    return false;
  loop->file_spent += (unsigned int) cost;
  return true;
}

static bool fs_needs_a_thread(const uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  while (req->fs_type == UV_FS_CLOSE && loop->files_gathered > 0)
    loop->run_gathered(loop);
  if (pool_files_waiting() || !fs_fits_into_turn(req))
    return true;
  return req->fs_type == UV_FS_CLOSE &&
         (loop->work_active > 0 || loop->backend_files > 0);
}

/* On the second way or the third. */
static int fs_send_on(uv_fs_t* req, enum fs_attempt attempt) {
  int opcode = fs_way(req)->opcode;
  if (attempt == FS_MUST_WAIT && opcode != NO_OPCODE && fs_send_to_backend(req, opcode))
    return 0;
  return fs_send_to_pool(req);
}

/* --- Bursts ---------------------------------------------------------------------- */

/* After its attempt. False if it has gone on another way. */
static bool fs_is_over(uv_fs_t* req, ssize_t answer) {
  if (fs_place(req) == FS_CANCELLED) {
    req->result = UV_ECANCELED;
    return true;
  }
  enum fs_attempt attempt = fs_read_begun(req, answer);
  return attempt == FS_ANSWERED || !fs_goes_on(req, attempt);
}

void fs_burst_done(uv_fs_t* req, ssize_t answer) {
  if (fs_is_over(req, answer))
    fs_answered(req);
}

bool fs_burst_back(uv_fs_t* req, ssize_t answer) {
  if (!fs_is_over(req, answer))
    return false;
  fs_set_place(req, FS_DONE);
  return true;
}

bool fs_burst_followed(uv_fs_t* req) {
  if (!fs_close_is_over(req))
    return false;
  fs_set_place(req, FS_DONE);
  return true;
}

/* For work that comes back without having been handed over. */
static void fs_is_work(uv_fs_t* req, enum fs_place place) {
  req->work_req.loop = req->loop;
  req->work_req.work = NULL;
  req->work_req.done = fs_done;
  fs_set_place(req, place);
}

static bool fs_send_to_burst(uv_fs_t* req) {
  if (req->fs_type != UV_FS_READ || req->loop->file_spent <= TURN_ALONE ||
      !fs_read_may_share(req) || !fs_burst_add(req))
    return false;
  fs_is_work(req, FS_BURST);
  loop_tell_outer(req->loop);
  return true;
}

/* Reads that the helper has taken may have to go on another way yet: until they have,
 * their descriptor is needed. */
static bool fs_follow_burst(uv_fs_t* req) {
  if (req->fs_type != UV_FS_CLOSE || !fs_burst_follow(req))
    return false;
  fs_is_work(req, FS_FOLLOWING);
  return true;
}

int fs_send(uv_fs_t* req) {
  const struct fs_way* way = fs_way(req);
  if ((way->at_once == NULL && way->opcode == NO_OPCODE) || fs_needs_a_thread(req))
    return fs_follow_burst(req) ? 0 : fs_send_to_pool(req);
  if (fs_send_to_burst(req))
    return 0;
  enum fs_attempt attempt = way->at_once == NULL ? FS_MUST_WAIT : way->at_once(req);
  if (attempt != FS_ANSWERED)
    return fs_send_on(req, attempt);
  fs_answered(req);
  return 0;
}
