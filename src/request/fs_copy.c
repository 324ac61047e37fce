/* uv_fs_copyfile: shares the blocks (a reflink) where that is asked for and possible,
 * otherwise lets the kernel copy, otherwise reads and writes. A copy that fails leaves no
 * partial file behind. */
#include "base/own_fd.h"
#include "request/fs.h"

#include "base/base.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int copy_open(const char* path, int flags, mode_t mode) {
  int fd;
  do {
    fd = own_fd_raise(open(path, flags | O_CLOEXEC, mode));
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

static int copy_write_all(int to, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = write(to, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    data += n;
    size -= (size_t) n;
  }
  return 0;
}

static int copy_by_hand(int to, int from, off_t size) {
  char piece[65536];
  while (size > 0) {
    ssize_t n =
        read(from, piece,
             (size_t) (size < (off_t) sizeof(piece) ? size : (off_t) sizeof(piece)));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? -errno : 0;
    int err = copy_write_all(to, piece, (size_t) n);
    if (err != 0)
      return err;
    size -= n;
  }
  return 0;
}

/* Whether the kernel's copy failed for a reason that doesn't apply to read(2) and
 * write(2): two file systems, an old kernel, a special kind of file. */
static bool copy_may_work_by_hand(int err) {
  return err == EINVAL || err == EXDEV || err == ENOSYS || err == EOPNOTSUPP ||
         err == EPERM || err == EBADF || err == ETXTBSY || err == EIO;
}

/* Copies as many bytes as the source's size says. Endless devices and the files of /proc
 * have size 0. Files of /sys have the size of a page, and before Linux 5.19 the kernel's
 * copy of them was empty; so if the kernel copies nothing, the file is read and written.
 */
static int copy_data(int to, int from, off_t size) {
  bool begun = false;
  while (size > 0) {
    ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t) size, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (begun || !copy_may_work_by_hand(errno)))
      return -errno;
    if (n <= 0 && !begun)
      return copy_by_hand(to, from, size);
    if (n == 0) /* the source has become shorter */
      break;
    begun = true;
    size -= n;
  }
  return 0;
}

static int copy_contents(int to, int from, off_t size, int flags) {
  if (flags & (UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE)) {
    if (ioctl(to, FICLONE, from) == 0)
      return 0;
    if (flags & UV_FS_COPYFILE_FICLONE_FORCE)
      return -errno;
  }
  return copy_data(to, from, size);
}

/* The destination is open and known not to be the source. Truncates it, then copies mode
 * and contents. A destination that can't be truncated, such as a device, is an error. */
static int copy_over(int to, int from, const struct stat* source, int flags) {
  if (ftruncate(to, 0) != 0)
    return -errno;
  if (fchmod(to, source->st_mode & 07777) != 0 && errno != EPERM)
    return -errno; /* EPERM: file systems without modes, or another's file */
  return copy_contents(to, from, source->st_size, flags);
}

static int copy_to(int from, uv_fs_t* req) {
  struct stat source;
  if (fstat(from, &source) != 0)
    return -errno;
  int exclusive = req->flags & UV_FS_COPYFILE_EXCL ? O_EXCL : 0;
  mode_t mode = source.st_mode & 07777;
  int to = copy_open(req->new_path, O_WRONLY | O_CREAT | exclusive, mode);
  if (to < 0)
    return to;

  struct stat target;
  int err = fstat(to, &target) != 0 ? -errno : 0;
  bool is_file = err == 0 && S_ISREG(target.st_mode);
  bool same =
      err == 0 && source.st_dev == target.st_dev && source.st_ino == target.st_ino;
  if (err == 0 && !same)
    err = copy_over(to, from, &source, req->flags);
  /* Some file systems find out only here that the disk is full. */
  if (close(to) != 0 && err == 0 && errno != EINTR)
    err = -errno;
  if (err != 0 && is_file && !same)
    unlink(req->new_path);
  return err;
}

ssize_t fs_do_copyfile(uv_fs_t* req) {
  int from = copy_open(req->path, O_RDONLY, 0);
  if (from < 0)
    return from;
  int err = copy_to(from, req);
  close(from);
  return err;
}

int uv_fs_copyfile(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path,
                   int flags, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_COPYFILE, cb);
  if (err != 0)
    return err;
  const int known =
      UV_FS_COPYFILE_EXCL | UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE;
  if ((flags & ~known) != 0)
    return UV_EINVAL;
  err = fs_set_paths(req, path, new_path);
  if (err != 0)
    return err;
  req->flags = flags;
  return fs_start(req);
}
