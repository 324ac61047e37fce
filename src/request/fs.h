/* File requests, inside.
 *
 * A uv_fs_… function begins a request (fs_begin), stores its arguments in it, and starts
 * it (fs_start). Each operation is one function, fs_do_…, which takes the request, may
 * block, and returns the result or a negative error; synchronous calls and the pool call
 * it directly. An asynchronous request goes through fs_send (fs_way.c), the only place
 * that chooses its way:
 *
 *   fs_send ─┬─ at once ─────────────► DONE
 *            ├─ BATCH ─┬─ in memory ─► DONE
 *            │         └─ must wait ─► RING or POOL
 *            ├─ RING ──┬───────────── (called back)
 *            │         └─ refused ───► POOL
 *            ├─ HELD ────────────────► POOL
 *            └─ POOL ──────────────── (called back)
 *
 *   place         where it is                                         uv_cancel
 *   FS_IDLE       not started, or called back                         UV_EBUSY
 *   FS_DONE       over, waiting for the poll phase                    UV_EBUSY
 *   FS_BATCH      a read, gathered for the poll phase (fs_read.c)     0 until begun
 *   FS_RING       with the backend's io_uring                         0 until handed over
 *   FS_POOL       in the pool's queue or running                      0 until begun
 *   FS_HELD       a close behind requests on its file (fs_order.c)    0
 *   FS_CANCELLED  cancelled in one of the last, waiting for its end   0
 *
 * Only the loop's thread moves a request from place to place. */
#ifndef RONDO_FS_H
#define RONDO_FS_H

#include "uv.h"
#include "base/alloc.h"
#include "base/queue.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

enum fs_place { FS_IDLE, FS_DONE, FS_BATCH, FS_RING, FS_POOL, FS_HELD, FS_CANCELLED };

struct fs_batch;
struct file_state;

/* A request's reserved words. */
struct __attribute__((may_alias)) fs_inside {
  unsigned char place;    /* enum fs_place */
  bool mount_unknown;     /* the pool is to find out whether the file's mount is local */
  struct queue order;     /* see fs_order.c; all 0 while in no queue */
  struct fs_batch* batch; /* of a read in FS_BATCH */
  void* unused[2];
};

_Static_assert(sizeof(struct fs_inside) == sizeof(((uv_fs_t*) 0)->reserved),
               "a request has room for this");

static inline struct fs_inside* fs_inside(const uv_fs_t* req) {
  return (struct fs_inside*) (uintptr_t) req->reserved;
}

static inline enum fs_place fs_place(const uv_fs_t* req) {
  return (enum fs_place) fs_inside(req)->place;
}

/* Whether a request may go from one place to the other. */
static inline bool fs_may_move(enum fs_place from, enum fs_place to) {
  static const unsigned char ways[] = {
      [FS_IDLE] = 1 << FS_IDLE | 1 << FS_DONE | 1 << FS_BATCH | 1 << FS_RING |
                  1 << FS_POOL | 1 << FS_HELD,
      [FS_DONE] = 1 << FS_IDLE | 1 << FS_CANCELLED,
      [FS_BATCH] = 1 << FS_DONE | 1 << FS_RING | 1 << FS_POOL | 1 << FS_CANCELLED,
      [FS_RING] = 1 << FS_IDLE | 1 << FS_POOL | 1 << FS_CANCELLED,
      [FS_POOL] = 1 << FS_IDLE,
      [FS_HELD] = 1 << FS_POOL | 1 << FS_DONE,
      [FS_CANCELLED] = 1 << FS_IDLE | 1 << FS_DONE,
  };
  return (ways[from] >> to & 1) != 0;
}

static inline void fs_set_place(uv_fs_t* req, enum fs_place place) {
  assert(fs_may_move(fs_place(req), place));
  fs_inside(req)->place = (unsigned char) place;
}

/* --- fs_request.c: the life of a request ----------------------------------------- */

/* Initializes every field, so that uv_fs_req_cleanup is safe from here on. UV_EINVAL
 * without a request, or with a callback but no loop. */
int fs_begin(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, uv_fs_cb cb);

/* Stores the paths, as copies if the request outlives the call. UV_EINVAL for NULL. */
int fs_set_paths(uv_fs_t* req, const char* path, const char* new_path);

/* fs_begin and fs_set_paths together, for functions whose only argument is one path. */
int fs_begin_path(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, const char* path,
                  uv_fs_cb cb);

/* fs_begin for functions whose first argument is a descriptor. */
int fs_begin_file(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, uv_file file,
                  uv_fs_cb cb);

/* Stores a copy of the array of buffers, and the offset. UV_EINVAL for no buffers, or for
 * more bytes than a call can move. */
int fs_keep_buffers(uv_fs_t* req, const uv_buf_t bufs[], unsigned int nbufs,
                    int64_t offset);

/* Without a callback: runs the request and returns its result. With a callback: sends the
 * request on its way and returns 0, or an error, after which no callback comes. */
int fs_start(uv_fs_t* req);

int fs_cancel(uv_fs_t* req);

/* Runs a file request on a thread of the pool. The pool recognises file work by this
 * function. */
void fs_run_on_pool(struct uv__work* w);

_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
                   offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base) &&
                   offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "buffers are handed to the kernel as they are");

static inline const struct iovec* fs_vectors(const uv_fs_t* req) {
  return (const struct iovec*) (const void*) req->bufs;
}

/* Takes n bytes off the front of the request's buffers and moves its offset. */
void fs_advance(uv_fs_t* req, size_t n);
static inline void fs_free_buffers(uv_fs_t* req) {
  if (req->bufs != NULL && req->bufs != req->bufsml)
    mem_free(req->bufs);
  req->bufs = NULL;
}

/* Turns a system call's return value into a result. */
static inline ssize_t fs_result(ssize_t answer) {
  return answer < 0 ? -errno : answer;
}

/* --- fs_way.c: the ways ---------------------------------------------------------- */

/* Runs the operation on the calling thread; may block. */
ssize_t fs_run(uv_fs_t* req);

/* Sends an asynchronous request on the first way that is open to it. */
int fs_send(uv_fs_t* req);

/* Where a request goes from here. */
enum fs_way {
  FS_WAY_DONE,  /* the request is over and its result set */
  FS_WAY_BATCH, /* the read is gathered and will be tried in the poll phase */
  FS_WAY_WAIT,  /* the request must wait: on the backend if it can do that, else on the
                   pool */
  FS_WAY_POOL,  /* the pool: whether the request has to wait can't be found out here */
};

/* Sends the rest of a request on, by FS_WAY_WAIT or FS_WAY_POOL. False if neither the
 * backend nor the pool takes it: then the request is over, with an error unless a part
 * was done. */
bool fs_send_rest(uv_fs_t* req, enum fs_way way);

/* Charges the request's cost to the time that files may take on the loop's thread in this
 * turn. False if too little is left, or if file work waits for a thread and must not be
 * overtaken. */
bool fs_try_turn(const uv_fs_t* req);
/* Charges also what reading this many bytes into new memory costs; false if too little is
 * left. */
bool fs_try_turn_bytes(const uv_fs_t* req, size_t bytes);

/* Ends a request on the loop's thread: its callback comes from the poll phase. */
void fs_complete(uv_fs_t* req);
/* The `done` of a request that the caller hands to the poll phase itself. */
void fs_done(struct uv__work* w, int status);

/* --- What can be had without waiting ---------------------------------------------- */

/* Each of these tries without ever waiting for a device, a server or another process, and
 * returns the way that the request has to take. Unless the request is done, nothing has
 * changed, except that a read may have got its first part. */

/* fs_read.c */
enum fs_way fs_read_start(uv_fs_t* req);
/* UV_EBUSY if the helper has claimed the read's batch. */
int fs_read_cancel(uv_fs_t* req);
/* Asks whether the descriptor is O_DIRECT: then a read or write always waits for the
 * device. */
bool fs_ask_direct(uv_fs_t* req);

/* fs_data.c: only chooses the way, never writes */
enum fs_way fs_write_start(uv_fs_t* req);

/* fs_cached.c */
enum fs_way fs_open_cached(uv_fs_t* req);
enum fs_way fs_close_cached(uv_fs_t* req);
enum fs_way fs_stat_cached(uv_fs_t* req);
enum fs_way fs_access_cached(uv_fs_t* req);

/* --- fs_mounts.c: local file systems --------------------------------------------- */

/* statx(2) answered from memory. True if the answer can be relied on, because the file is
 * on a local mount. If the mount is unknown, marks the request, so that the pool finds
 * out. */
bool fs_stat_locally(uv_fs_t* req, int fd, unsigned int mask, struct statx* about);

/* On the pool, for a request whose mount was unknown: finds out whether the mount is
 * local. Called before the request is run, but after an open. */
void fs_learn_mount(const uv_fs_t* req);

/* --- The operations -------------------------------------------------------------- */

/* fs_data.c */
ssize_t fs_do_read(uv_fs_t* req);
ssize_t fs_do_write(uv_fs_t* req);
ssize_t fs_do_sendfile(uv_fs_t* req);
ssize_t fs_do_fsync(uv_fs_t* req);
ssize_t fs_do_fdatasync(uv_fs_t* req);
ssize_t fs_do_ftruncate(uv_fs_t* req);

/* fs_path.c */
ssize_t fs_do_open(uv_fs_t* req);
ssize_t fs_do_close(uv_fs_t* req);
ssize_t fs_do_access(uv_fs_t* req);
ssize_t fs_do_unlink(uv_fs_t* req);
ssize_t fs_do_rename(uv_fs_t* req);
ssize_t fs_do_link(uv_fs_t* req);
ssize_t fs_do_symlink(uv_fs_t* req);
ssize_t fs_do_readlink(uv_fs_t* req);
ssize_t fs_do_realpath(uv_fs_t* req);
ssize_t fs_do_mkstemp(uv_fs_t* req);

/* fs_stat.c */
ssize_t fs_do_stat(uv_fs_t* req); /* stat, lstat and fstat */
ssize_t fs_do_statfs(uv_fs_t* req);
ssize_t fs_do_chmod(uv_fs_t* req); /* and fchmod */
ssize_t fs_do_chown(uv_fs_t* req); /* and fchown, lchown */
ssize_t fs_do_utime(uv_fs_t* req); /* and futime, lutime */

/* The system call itself. The C library's statx makes up an answer where the kernel has
 * none or a sandbox forbids the call: the time of birth would be 0. */
static inline int fs_statx(int directory, const char* path, int flags, unsigned int mask,
                           struct statx* answer) {
  return (int) syscall(SYS_statx, directory, path, flags, mask, answer);
}

/* Converts the answer of statx(2) to the interface's structure. */
void fs_stat_fill(uv_stat_t* to, const struct statx* from);

/* fs_directory.c */
ssize_t fs_do_mkdir(uv_fs_t* req);
ssize_t fs_do_mkdtemp(uv_fs_t* req);
ssize_t fs_do_rmdir(uv_fs_t* req);
ssize_t fs_do_scandir(uv_fs_t* req);
ssize_t fs_do_opendir(uv_fs_t* req);
ssize_t fs_do_readdir(uv_fs_t* req);
ssize_t fs_do_closedir(uv_fs_t* req);
void fs_free_listing(uv_fs_t* req);
void fs_free_entries(uv_fs_t* req);

/* fs_copy.c */
ssize_t fs_do_copyfile(uv_fs_t* req);

#endif
