/* File requests, inside.
 *
 * A uv_fs_… function begins a request (fs_begin), keeps its arguments in it, and starts
 * it (fs_start). What an operation does is one function, fs_do_…, which takes the
 * request, may block, and returns the result or a negative error: synchronous calls and
 * the pool run it as it is. Which requests get by without the pool, and how, is decided
 * in fs_way.c alone. */
#ifndef RONDO_FS_H
#define RONDO_FS_H

#include "uv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Where a request is: the first of its reserved words. */
enum fs_place {
  FS_NOWHERE, /* not started, or called back */
  FS_DONE,    /* done on the loop's thread, its callback is to come */
  FS_RING,    /* with the backend */
  FS_POOL,
  FS_BURST,     /* where whoever comes first takes it, the loop or its helper */
  FS_FOLLOWING, /* a close, held until what it must not overtake is back */
  FS_CANCELLED, /* before that */
};

static inline enum fs_place fs_place(const uv_fs_t* req) {
  return (enum fs_place)(uintptr_t) req->reserved[0];
}

static inline void fs_set_place(uv_fs_t* req, enum fs_place place) {
  req->reserved[0] = (void*) (uintptr_t) place;
}

/* The second reserved word: the file system this request is about isn't known yet. */
static inline bool fs_mount_unknown(const uv_fs_t* req) {
  return req->reserved[1] != NULL;
}

static inline void fs_set_mount_unknown(uv_fs_t* req, bool unknown) {
  req->reserved[1] = unknown ? req : NULL;
}

/* The third: the program wants it cancelled. */
static inline bool fs_cancel_asked(const uv_fs_t* req) {
  return req->reserved[2] != NULL;
}

static inline void fs_set_cancel_asked(uv_fs_t* req, bool asked) {
  req->reserved[2] = asked ? req : NULL;
}

/* --- fs_request.c: the life of a request ----------------------------------------- */

/* Makes every field good, so that clean-up is safe from here on. UV_EINVAL without a
 * request, or with a callback but no loop. */
int fs_begin(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, uv_fs_cb cb);

/* Keeps the paths, copied if the request outlives the call. UV_EINVAL for NULL. */
int fs_set_paths(uv_fs_t* req, const char* path, const char* new_path);

/* Both in one, for the many functions that have one path and need no more. */
int fs_begin_path(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, const char* path,
                  uv_fs_cb cb);

/* Runs it (no callback: returns the result) or sends it on its way (returns 0, or an
 * error if that failed; no callback comes then). */
int fs_start(uv_fs_t* req);

int fs_cancel(uv_fs_t* req);

/* The pool's side of a file request; also how the pool tells file work from other. */
void fs_run_on_pool(struct uv__work* w);

/* Takes n bytes off the front of the request's buffers and moves its offset. */
void fs_advance(uv_fs_t* req, size_t n);
void fs_free_buffers(uv_fs_t* req);

/* A system call's answer as a result. */
static inline ssize_t fs_result(ssize_t answer) {
  return answer < 0 ? -errno : answer;
}

/* --- fs_way.c: the three ways ---------------------------------------------------- */

/* Runs the operation here and now. */
ssize_t fs_run(uv_fs_t* req);

/* Sends an asynchronous request on the first way that is open to it. */
int fs_send(uv_fs_t* req);

/* --- fs_cached.c: what can be had without waiting -------------------------------- */

/* Each tries without ever waiting for a device, a server or another process. Unless it
 * answers, nothing has changed, except that a read may have got its first part. */
enum fs_attempt {
  FS_ANSWERED,  /* the request is done and its result set */
  FS_MUST_WAIT, /* it would work, but not without waiting */
  FS_UNABLE,    /* it can't be known without waiting whether it would */
};
enum fs_attempt fs_read_cached(uv_fs_t* req);
/* preadv2(RWF_NOWAIT): bytes or a negative error. */
ssize_t fs_read_now(int fd, const struct iovec* vectors, unsigned int count,
                    int64_t offset);
/* The same when that has been tried and has given `answer`. Any thread may try it if
 * fs_read_may_share. */
enum fs_attempt fs_read_begun(uv_fs_t* req, ssize_t answer);
bool fs_read_may_share(const uv_fs_t* req);
enum fs_attempt fs_write_direct(uv_fs_t* req); /* never answers */
enum fs_attempt fs_open_cached(uv_fs_t* req);
enum fs_attempt fs_close_cached(uv_fs_t* req);
enum fs_attempt fs_stat_cached(uv_fs_t* req);
enum fs_attempt fs_access_cached(uv_fs_t* req);

/* On the pool, for a request that was sent there because its file system was unknown:
 * finds out whether that is local. Before the request is run, except for an open. */
void fs_learn(const uv_fs_t* req);

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

/* Not the C library's, which makes up an answer where the kernel has none or a sandbox
 * forbids it: the time of birth would be 0. */
static inline int fs_statx(int directory, const char* path, int flags, unsigned int mask,
                           struct statx* answer) {
  return (int) syscall(SYS_statx, directory, path, flags, mask, answer);
}

/* What statx(2) answers, in the library's terms. */
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
