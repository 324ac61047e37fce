/* Operations on names: open, close, links, rename, remove. */
#include "request/fs.h"

#include "base/alloc.h"
#include "base/base.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t fs_do_open(uv_fs_t* req) {
  int fd; /* the program's */
  do {
    fd = open(req->path, req->flags | O_CLOEXEC, req->mode);
  } while (fd < 0 && errno == EINTR);
  return fs_result(fd);
}

/* Never retried: after EINTR the descriptor is closed, and another thread may have got
 * its number. The kernel finishes an interrupted close by itself, so EINTR is reported as
 * success. */
ssize_t fs_do_close(uv_fs_t* req) {
  int r = close(req->file);
  if (r < 0 && (errno == EINTR || errno == EINPROGRESS))
    return 0;
  return fs_result(r);
}

ssize_t fs_do_access(uv_fs_t* req) {
  return fs_result(access(req->path, req->flags));
}

ssize_t fs_do_unlink(uv_fs_t* req) {
  return fs_result(unlink(req->path));
}

ssize_t fs_do_rename(uv_fs_t* req) {
  return fs_result(rename(req->path, req->new_path));
}

ssize_t fs_do_link(uv_fs_t* req) {
  return fs_result(link(req->path, req->new_path));
}

ssize_t fs_do_symlink(uv_fs_t* req) {
  return fs_result(symlink(req->path, req->new_path));
}

/* The size from lstat(2) may be 0 (in /proc) or change in between, so the answer is
 * complete only if it is shorter than the buffer. */
ssize_t fs_do_readlink(uv_fs_t* req) {
  for (size_t size = 256;; size *= 2) {
    char* target = mem_alloc(size);
    if (target == NULL)
      return UV_ENOMEM;
    ssize_t length = readlink(req->path, target, size);
    if (length >= 0 && (size_t) length < size) {
      target[length] = '\0';
      req->ptr = target;
      return 0;
    }
    int err = length < 0 ? -errno : size >= (1u << 20) ? UV_ENAMETOOLONG : 0;
    mem_free(target);
    if (err != 0)
      return err;
  }
}

ssize_t fs_do_realpath(uv_fs_t* req) {
  char resolved[PATH_MAX];
  if (realpath(req->path, resolved) == NULL)
    return -errno;
  req->ptr = mem_strdup(resolved);
  return req->ptr == NULL ? UV_ENOMEM : 0;
}

ssize_t fs_do_mkstemp(uv_fs_t* req) {
  char* name = (char*) (uintptr_t) req->path; /* a copy of our own: see fs_owns_path */
  int fd = mkostemp(name, O_CLOEXEC);         /* the program's */
  int err = errno;
  if (fd >= 0)
    return fd;
  /* After a failure the path is emptied: the template must not be taken for a file's
   * name. */
  name[0] = '\0';
  return -err;
}

/* --- The interface --------------------------------------------------------------- */

int uv_fs_open(uv_loop_t* loop, uv_fs_t* req, const char* path, int flags, int mode,
               uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_OPEN, path, cb);
  if (err != 0)
    return err;
  req->flags = flags;
  req->mode = (mode_t) mode;
  return fs_start(req);
}

int uv_fs_close(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_CLOSE, cb);
  if (err != 0)
    return err;
  req->file = file;
  return fs_start(req);
}

int uv_fs_access(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_ACCESS, path, cb);
  if (err != 0)
    return err;
  req->flags = mode;
  return fs_start(req);
}

int uv_fs_unlink(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_UNLINK, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_readlink(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_READLINK, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_realpath(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_REALPATH, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_mkstemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_MKSTEMP, tpl, cb);
  return err != 0 ? err : fs_start(req);
}

static int fs_two_paths(uv_loop_t* loop, uv_fs_t* req, uv_fs_type type, const char* path,
                        const char* new_path, uv_fs_cb cb) {
  int err = fs_begin(loop, req, type, cb);
  if (err == 0)
    err = fs_set_paths(req, path, new_path);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_rename(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path,
                 uv_fs_cb cb) {
  return fs_two_paths(loop, req, UV_FS_RENAME, path, new_path, cb);
}

int uv_fs_link(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path,
               uv_fs_cb cb) {
  return fs_two_paths(loop, req, UV_FS_LINK, path, new_path, cb);
}

/* The flags matter only on other systems, where a link records whether its target is a
 * directory. */
int uv_fs_symlink(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path,
                  int flags, uv_fs_cb cb) {
  (void) flags;
  return fs_two_paths(loop, req, UV_FS_SYMLINK, path, new_path, cb);
}
