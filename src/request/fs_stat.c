/* stat, statfs, and changing mode, owner and times of a file. */
#include "request/fs.h"

#include "base/alloc.h"
#include "sim/sim.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static uv_timespec_t fs_time(const struct statx_timestamp* from) {
  return (uv_timespec_t){.tv_sec = (long) from->tv_sec, .tv_nsec = (long) from->tv_nsec};
}

void fs_stat_fill(uv_stat_t* to, const struct statx* from) {
  memset(to, 0, sizeof(*to));
  to->st_dev = makedev(from->stx_dev_major, from->stx_dev_minor);
  to->st_mode = from->stx_mode;
  to->st_nlink = from->stx_nlink;
  to->st_uid = from->stx_uid;
  to->st_gid = from->stx_gid;
  to->st_rdev = makedev(from->stx_rdev_major, from->stx_rdev_minor);
  to->st_ino = from->stx_ino;
  to->st_size = from->stx_size;
  to->st_blksize = from->stx_blksize;
  to->st_blocks = from->stx_blocks;
  to->st_atim = fs_time(&from->stx_atime);
  to->st_mtim = fs_time(&from->stx_mtime);
  to->st_ctim = fs_time(&from->stx_ctime);
  to->st_birthtim = fs_time(&from->stx_btime);
}

static uv_timespec_t fs_old_time(const struct timespec* from) {
  return (uv_timespec_t){.tv_sec = from->tv_sec, .tv_nsec = from->tv_nsec};
}

/* For kernels or sandboxes without statx(2). The time of birth isn't known then; the last
 * change of status stands in for it. */
static ssize_t fs_old_stat(uv_fs_t* req, int directory, const char* path, int flags) {
  struct stat from;
  if (fstatat(directory, path, &from, flags) != 0)
    return -errno;
  uv_stat_t* to = &req->statbuf;
  memset(to, 0, sizeof(*to));
  to->st_dev = from.st_dev;
  to->st_mode = from.st_mode;
  to->st_nlink = from.st_nlink;
  to->st_uid = from.st_uid;
  to->st_gid = from.st_gid;
  to->st_rdev = from.st_rdev;
  to->st_ino = from.st_ino;
  to->st_size = (uint64_t) from.st_size;
  to->st_blksize = (uint64_t) from.st_blksize;
  to->st_blocks = (uint64_t) from.st_blocks;
  to->st_atim = fs_old_time(&from.st_atim);
  to->st_mtim = fs_old_time(&from.st_mtim);
  to->st_ctim = fs_old_time(&from.st_ctim);
  to->st_birthtim = to->st_ctim;
  req->ptr = to;
  return 0;
}

ssize_t fs_do_stat(uv_fs_t* req) {
  bool by_descriptor = req->fs_type == UV_FS_FSTAT;
  int directory = by_descriptor ? req->file : AT_FDCWD;
  const char* path = by_descriptor ? "" : req->path;
  int flags = by_descriptor                 ? AT_EMPTY_PATH
              : req->fs_type == UV_FS_LSTAT ? AT_SYMLINK_NOFOLLOW
                                            : 0;
  struct statx answer;
  if (fs_statx(directory, path, flags, STATX_BASIC_STATS | STATX_BTIME, &answer) != 0) {
    if (errno == ENOSYS || errno == EPERM || errno == EOPNOTSUPP)
      return fs_old_stat(req, directory, path, flags);
    return -errno;
  }
  sim_file_times(&answer);
  fs_stat_fill(&req->statbuf, &answer);
  req->ptr = &req->statbuf;
  return 0;
}

ssize_t fs_do_statfs(uv_fs_t* req) {
  struct statfs from;
  int r;
  do {
    r = statfs(req->path, &from);
  } while (r < 0 && errno == EINTR);
  if (r < 0)
    return -errno;

  uv_statfs_t* to = mem_calloc(1, sizeof(*to));
  if (to == NULL)
    return UV_ENOMEM;
  to->f_type = (uint64_t) from.f_type;
  to->f_bsize = (uint64_t) from.f_bsize;
  to->f_blocks = from.f_blocks;
  to->f_bfree = from.f_bfree;
  to->f_bavail = from.f_bavail;
  to->f_files = from.f_files;
  to->f_ffree = from.f_ffree;
  to->f_frsize = (uint64_t) from.f_frsize;
  req->ptr = to;
  return 0;
}

ssize_t fs_do_chmod(uv_fs_t* req) {
  if (req->fs_type == UV_FS_FCHMOD)
    return fs_result(fchmod(req->file, req->mode));
  return fs_result(chmod(req->path, req->mode));
}

ssize_t fs_do_chown(uv_fs_t* req) {
  switch (req->fs_type) {
  case UV_FS_FCHOWN:
    return fs_result(fchown(req->file, req->uid, req->gid));
  case UV_FS_LCHOWN:
    return fs_result(lchown(req->path, req->uid, req->gid));
  default:
    return fs_result(chown(req->path, req->uid, req->gid));
  }
}

/* Seconds with a fraction, before 1970 too. As in libuv the fraction is cut to
 * microseconds, towards 1970; a double of today's size holds little more. The kernel
 * clamps a time that the file system can't store and refuses one that it can't represent.
 */
static struct timespec fs_timespec(double seconds) {
  if (isnan(seconds))
    return (struct timespec){.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  if (isinf(seconds))
    return (struct timespec){.tv_sec = 0, .tv_nsec = UTIME_NOW};
  const double most = 0x1p63;
  if (seconds >= most || seconds < -most)
    return (struct timespec){.tv_sec = 0, .tv_nsec = -1};

  time_t whole = (time_t) seconds;
  long micro = (long) ((seconds - (double) whole) * 1e6);
  if (micro < 0) {
    micro += 1000000;
    whole--;
  }
  return (struct timespec){.tv_sec = whole, .tv_nsec = micro * 1000};
}

ssize_t fs_do_utime(uv_fs_t* req) {
  const struct timespec times[2] = {fs_timespec(req->atime), fs_timespec(req->mtime)};
  switch (req->fs_type) {
  case UV_FS_FUTIME:
    return fs_result(futimens(req->file, times));
  case UV_FS_LUTIME:
    return fs_result(utimensat(AT_FDCWD, req->path, times, AT_SYMLINK_NOFOLLOW));
  default:
    return fs_result(utimensat(AT_FDCWD, req->path, times, 0));
  }
}

/* --- The interface --------------------------------------------------------------- */

int uv_fs_stat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_STAT, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_lstat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_LSTAT, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_fstat(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_FSTAT, cb);
  if (err != 0)
    return err;
  req->file = file;
  return fs_start(req);
}

int uv_fs_statfs(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_STATFS, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_chmod(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_CHMOD, path, cb);
  if (err != 0)
    return err;
  req->mode = (mode_t) mode;
  return fs_start(req);
}

int uv_fs_fchmod(uv_loop_t* loop, uv_fs_t* req, uv_file file, int mode, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_FCHMOD, cb);
  if (err != 0)
    return err;
  req->file = file;
  req->mode = (mode_t) mode;
  return fs_start(req);
}

int uv_fs_chown(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_uid_t uid,
                uv_gid_t gid, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_CHOWN, path, cb);
  if (err != 0)
    return err;
  req->uid = uid;
  req->gid = gid;
  return fs_start(req);
}

int uv_fs_lchown(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_uid_t uid,
                 uv_gid_t gid, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_LCHOWN, path, cb);
  if (err != 0)
    return err;
  req->uid = uid;
  req->gid = gid;
  return fs_start(req);
}

int uv_fs_fchown(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_uid_t uid, uv_gid_t gid,
                 uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_FCHOWN, cb);
  if (err != 0)
    return err;
  req->file = file;
  req->uid = uid;
  req->gid = gid;
  return fs_start(req);
}

int uv_fs_utime(uv_loop_t* loop, uv_fs_t* req, const char* path, double atime,
                double mtime, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_UTIME, path, cb);
  if (err != 0)
    return err;
  req->atime = atime;
  req->mtime = mtime;
  return fs_start(req);
}

int uv_fs_lutime(uv_loop_t* loop, uv_fs_t* req, const char* path, double atime,
                 double mtime, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_LUTIME, path, cb);
  if (err != 0)
    return err;
  req->atime = atime;
  req->mtime = mtime;
  return fs_start(req);
}

int uv_fs_futime(uv_loop_t* loop, uv_fs_t* req, uv_file file, double atime, double mtime,
                 uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_FUTIME, cb);
  if (err != 0)
    return err;
  req->file = file;
  req->atime = atime;
  req->mtime = mtime;
  return fs_start(req);
}
