/* What the kernel can answer from memory, asked on the loop's thread with calls that
 * cannot wait:
 *   preadv2(RWF_NOWAIT)       reads what is in the page cache and nothing else;
 *   openat2(RESOLVE_CACHED)   walks a path only as far as the name cache knows it;
 *   statx(AT_STATX_DONT_SYNC) gives what the inode in memory says.
 * The last two may still wait, or be out of date, on file systems that must ask a server
 * or a process, so they are used on local mounts only (fs_mounts.c). */
#include "request/fs.h"

#include "base/base.h"
#include "request/fs_state.h"

#include <fcntl.h>
#include <linux/major.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- Paths ----------------------------------------------------------------------- */

/* Once openat2(2) has turned out to be missing, forbidden or without RESOLVE_CACHED, it
 * isn't asked again. */
static _Atomic bool cached_walk_missing;

static int walk_cached(const char* path, int flags) {
  if (atomic_load_explicit(&cached_walk_missing, memory_order_relaxed))
    return -ENOSYS;
  struct open_how how = {.flags = (uint64_t) (unsigned int) (flags | O_CLOEXEC),
                         .resolve = RESOLVE_CACHED};
  long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
  if (fd >= 0)
    return (int) fd;
  if (errno == ENOSYS || errno == EPERM || errno == EINVAL)
    atomic_store_explicit(&cached_walk_missing, true, memory_order_relaxed);
  return -errno;
}

/* O_PATH opens nothing: no device is touched, no FIFO waited for, no lease broken. */
static int walk_to_name(const uv_fs_t* req, int flags) {
  return walk_cached(req->path, O_PATH | flags);
}

enum { WHOLE_STAT = STATX_BASIC_STATS | STATX_BTIME };

enum fs_way fs_stat_cached(uv_fs_t* req) {
  struct statx about;
  bool known;
  if (req->fs_type == UV_FS_FSTAT) {
    known = fs_stat_locally(req, req->file, WHOLE_STAT, &about);
  } else {
    int fd = walk_to_name(req, req->fs_type == UV_FS_LSTAT ? O_NOFOLLOW : 0);
    if (fd < 0)
      return FS_WAY_POOL;
    known = fs_stat_locally(req, fd, WHOLE_STAT, &about);
    close(fd);
  }
  if (!known)
    return FS_WAY_POOL;
  fs_stat_fill(&req->statbuf, &about);
  req->ptr = &req->statbuf;
  req->result = 0;
  return FS_WAY_DONE;
}

enum fs_way fs_access_cached(uv_fs_t* req) {
  int fd = walk_to_name(req, 0);
  if (fd < 0)
    return FS_WAY_POOL;
  struct statx about;
  bool done = false;
  if (fs_stat_locally(req, fd, STATX_TYPE, &about)) {
    long r = syscall(SYS_faccessat2, fd, "", req->flags, AT_EMPTY_PATH);
    done = r == 0 || (errno != ENOSYS && errno != EINVAL && errno != EPERM);
    req->result = done ? fs_result(r) : 0;
  }
  close(fd);
  return done ? FS_WAY_DONE : FS_WAY_POOL;
}

static bool opens_without_waiting(const struct statx* about) {
  return S_ISREG(about->stx_mode) || S_ISDIR(about->stx_mode);
}

/* Only for reading what exists, and only files and directories: opening anything else
 * may wait (a FIFO, a terminal) or do something (a tape drive). The name is looked at
 * first, and the file that is then opened once more, since the name may have changed
 * hands. O_NONBLOCK keeps the open from waiting for the holder of a lease; it has no
 * other meaning for such files and is taken off again. */
enum fs_way fs_open_cached(uv_fs_t* req) {
  const int harmless = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_LARGEFILE;
  if ((req->flags & ~harmless) != O_RDONLY)
    return FS_WAY_POOL;

  struct statx about;
  int name = walk_to_name(req, req->flags & (O_NOFOLLOW | O_DIRECTORY));
  if (name < 0)
    return FS_WAY_POOL;
  bool try_it =
      fs_stat_locally(req, name, STATX_TYPE, &about) && opens_without_waiting(&about);
  close(name);
  if (!try_it)
    return FS_WAY_POOL;

  int fd = walk_cached(req->path, (req->flags & harmless) | O_NONBLOCK);
  if (fd < 0)
    return FS_WAY_POOL;
  /* No flag that F_SETFL could change is in what was asked for: none shall remain. */
  if (!fs_stat_locally(req, fd, STATX_TYPE, &about) || !opens_without_waiting(&about) ||
      fcntl(fd, F_SETFL, 0) != 0) {
    close(fd);
    return FS_WAY_POOL;
  }
  req->result = fd;
  return FS_WAY_DONE;
}

/* Closing may wait: for the server of a network file system, for a socket to drain, for
 * a deleted file's blocks to be freed, for data to be placed on the disk. None of it
 * happens to files and directories of a local file system that were only read and still
 * have a name. */
static bool closes_without_waiting(uv_fs_t* req) {
  struct statx about;
  if (!fs_stat_locally(req, req->file, STATX_TYPE | STATX_NLINK, &about) ||
      !opens_without_waiting(&about) || about.stx_nlink == 0)
    return false;
  int status = fcntl(req->file, F_GETFL);
  return status >= 0 && (status & O_ACCMODE) == O_RDONLY;
}

enum fs_way fs_close_cached(uv_fs_t* req) {
  if (!closes_without_waiting(req))
    return FS_WAY_POOL;
  req->result = fs_do_close(req);
  return FS_WAY_DONE;
}

/* --- Reading and writing --------------------------------------------------------- */

static size_t bytes_of(const uv_fs_t* req) {
  size_t total = 0;
  for (unsigned int i = 0; i < req->nbufs; i++)
    total += req->bufs[i].len;
  return total;
}

/* With O_DIRECT the kernel waits for the device, RWF_NOWAIT or not. Such reads and writes
 * go in whole sectors, so others need no question. The answer is used for some requests:
 * fcntl(2) takes as long as a quarter of the read. If the descriptor's number comes to
 * mean another file meanwhile, these few may wait for a device; their results are right.
 */
static bool ask_direct(uv_fs_t* req, size_t total) {
  if ((total & 511) != 0 || (req->off > 0 && (req->off & 511) != 0))
    return false;
  struct fs_direct* known = &fs_state(req)->direct[(unsigned int) req->file % FS_FILES];
  if (known->fd != req->file || known->uses_left == 0) {
    int status = fcntl(req->file, F_GETFL);
    if (status < 0)
      return true;
    *known = (struct fs_direct){
        .fd = req->file, .uses_left = DIRECT_USES, .direct = (status & O_DIRECT) != 0};
  }
  known->uses_left--;
  return known->direct;
}

/* /dev/zero and its like give a page at a time under RWF_NOWAIT. */
static bool is_memory_device(const struct statx* about) {
  return S_ISCHR(about->stx_mode) && about->stx_rdev_major == MEM_MAJOR;
}

/* Where the next byte would be read; negative if that isn't known. */
static int64_t read_position(const uv_fs_t* req) {
  return req->off >= 0 ? req->off : lseek(req->file, 0, SEEK_CUR);
}

/* After fewer bytes than asked for, or none: is that all there is? RWF_NOWAIT may stop
 * where the page cache does, and Linux 5.9 and 5.10 then say 0, as at the end of the
 * file. So the end of a regular file counts only beyond its size, and that of a block
 * device only if a read that may wait finds it. Everything else gives what it has. The
 * C library's statx, which makes do without the kernel's. */
static bool read_is_complete(const uv_fs_t* req, ssize_t answer) {
  struct statx about;
  if (statx(req->file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE,
            &about) != 0)
    return answer > 0;
  if (!S_ISREG(about.stx_mode))
    return !S_ISBLK(about.stx_mode) && !is_memory_device(&about);
  int64_t position = read_position(req);
  return position >= 0 && (uint64_t) position >= about.stx_size;
}

ssize_t fs_read_now(int fd, const struct iovec* vectors, unsigned int count,
                    int64_t offset) {
  return fs_result(preadv2(fd, vectors, (int) count, offset, RWF_NOWAIT));
}

static ssize_t read_now(const uv_fs_t* req) {
  const struct iovec* vectors = (const struct iovec*) (const void*) req->bufs;
  return fs_read_now(req->file, vectors, req->nbufs, req->off);
}

enum fs_way fs_read_on(uv_fs_t* req, ssize_t answer) {
  size_t total = bytes_of(req);
  for (;;) {
    if (answer == -EAGAIN)
      return FS_WAY_RING;
    /* EPERM: a sandbox knows no preadv2(2). */
    if (answer == -EOPNOTSUPP || answer == -ENOSYS || answer == -EPERM)
      return FS_WAY_POOL;
    if (answer < 0) {
      req->result = req->result > 0 ? req->result : answer;
      return FS_WAY_DONE;
    }
    req->result += answer;
    if ((size_t) answer == total)
      return FS_WAY_DONE;
    total -= (size_t) answer;
    fs_advance(req, (size_t) answer);
    if (read_is_complete(req, answer))
      return FS_WAY_DONE;
    if (answer == 0)
      return FS_WAY_RING;
    answer = read_now(req);
  }
}

size_t fs_read_size(uv_fs_t* req) {
  size_t total = bytes_of(req);
  return total > 0 && ask_direct(req, total) ? 0 : total;
}

enum fs_way fs_read_cached(uv_fs_t* req) {
  if (bytes_of(req) == 0)
    return FS_WAY_POOL;
  return fs_read_size(req) == 0 ? FS_WAY_RING : fs_read_on(req, read_now(req));
}

/* Into the page cache a thread writes at once. io_uring would first try what most file
 * systems refuse, then wake a worker of its own for it: ten times the price. */
enum fs_way fs_write_direct(uv_fs_t* req) {
  size_t total = bytes_of(req);
  return total > 0 && ask_direct(req, total) ? FS_WAY_RING : FS_WAY_POOL;
}
