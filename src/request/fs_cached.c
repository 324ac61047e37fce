/* Questions that the kernel can answer from memory, asked on the loop's thread with calls
 * that cannot wait:
 *   preadv2(RWF_NOWAIT)       reads what is in the page cache and nothing else;
 *   openat2(RESOLVE_CACHED)   walks a path only as far as the name cache knows it;
 *   statx(AT_STATX_DONT_SYNC) gives what the inode in memory says.
 * The last two may still wait, or be out of date, on file systems that must ask a server
 * or a process, so they are used on local mounts only (fs_mounts.c). */
#include "request/fs.h"

#include "base/base.h"
#include "loop/counters.h"
#include "rondo.h"
#include "request/fs_state.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- Paths ----------------------------------------------------------------------- */

/* Set when openat2(2) has turned out to be missing, forbidden or without RESOLVE_CACHED:
 * it isn't tried again. */
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

/* Opens only the name (O_PATH): no device is touched, no FIFO waited for, no lease
 * broken. */
static int walk_to_name(const uv_fs_t* req, int flags) {
  return walk_cached(req->path, O_PATH | flags);
}

/* The way after a walk that gave no name. The kernel may also have cached that a name is
 * missing: then its answer is the one that a thread would have got. All other errors mean
 * that the walk didn't get that far, or are about the descriptor. */
static enum fs_way way_without_name(uv_fs_t* req, int err) {
  if (err != UV_ENOENT)
    return FS_WAY_POOL;
  req->result = err;
  return FS_WAY_DONE;
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
      return way_without_name(req, fd);
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

/* access(2) looks at the mode before the name, and walks to the name with the rights of
 * the process's user, where this walk has those of its program. */
static bool access_may_be_cached(const uv_fs_t* req) {
  return (req->flags & ~(R_OK | W_OK | X_OK)) == 0 && getauxval(AT_SECURE) == 0;
}

enum fs_way fs_access_cached(uv_fs_t* req) {
  if (!access_may_be_cached(req))
    return FS_WAY_POOL;
  int fd = walk_to_name(req, 0);
  if (fd < 0)
    return way_without_name(req, fd);
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

/* Whether the open file is regular or a directory: the kernel answers FIOQSIZE for these
 * only, in half the time of statx(2). */
static bool is_file_or_directory(int fd) {
  long long bytes;
  return ioctl(fd, FIOQSIZE, &bytes) == 0;
}

/* Only for reading what exists, and only regular files and directories: opening anything
 * else may wait (a FIFO, a terminal) or have an effect (a tape drive rewinds). The name
 * is checked first, which fills `about`; the kind of file that is then opened is checked
 * again, since the name may mean another file by then. O_NONBLOCK keeps the open from
 * waiting for the holder of a lease; the flag has no other meaning for such files and is
 * cleared again. */
static int open_cached(uv_fs_t* req, struct statx* about) {
  const int harmless = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_LARGEFILE;
  if ((req->flags & ~harmless) != O_RDONLY)
    return UV_EAGAIN;

  int name = walk_to_name(req, req->flags & (O_NOFOLLOW | O_DIRECTORY));
  if (name < 0)
    return name == UV_ENOENT ? name : UV_EAGAIN;
  bool try_it = fs_stat_locally(req, name, STATX_TYPE | STATX_INO | STATX_SIZE, about) &&
                opens_without_waiting(about);
  close(name);
  if (!try_it)
    return UV_EAGAIN;

  int fd = walk_cached(req->path, (req->flags & harmless) | O_NONBLOCK);
  if (fd >= 0 && !is_file_or_directory(fd)) {
    close(fd);
    return UV_EAGAIN;
  }
  return fd;
}

static struct fs_opened opened_as(int fd, const struct statx* about) {
  return (struct fs_opened){.fd = fd,
                            .major = about->stx_dev_major,
                            .minor = about->stx_dev_minor,
                            .inode = about->stx_ino};
}

static struct fs_opened* opened_row(const uv_fs_t* req, int fd) {
  return &fs_state(req)->opened[(unsigned int) fd % FS_FILES];
}

enum fs_way fs_open_cached(uv_fs_t* req) {
  struct statx about;
  int fd = open_cached(req, &about);
  if (fd < 0)
    return way_without_name(req, fd);
  /* None of the flags asked for can be changed by F_SETFL, so all such flags are cleared.
   */
  if (fcntl(fd, F_SETFL, 0) != 0) {
    close(fd);
    return FS_WAY_POOL;
  }
  *opened_row(req, fd) = opened_as(fd, &about);
  req->result = fd;
  return FS_WAY_DONE;
}

/* Whether the descriptor can only be read from. The answer is known if fs_open_cached
 * made the descriptor, for the same file. A descriptor that was closed by other means
 * since, and opened again for the same file, may be writable; then its close happens here
 * instead of on a thread. */
static bool is_read_only(const uv_fs_t* req, const struct statx* about) {
  struct fs_opened* row = opened_row(req, req->file);
  struct fs_opened now = opened_as(req->file, about);
  if (now.inode != 0 && row->inode == now.inode && row->fd == now.fd &&
      row->major == now.major && row->minor == now.minor) {
    row->inode = 0;
    return true;
  }
  int status = fcntl(req->file, F_GETFL);
  return status >= 0 && (status & O_ACCMODE) == O_RDONLY;
}

/* Closing may wait: for the server of a network file system, for a socket to drain, for a
 * deleted file's blocks to be freed, for data to be placed on the disk. None of these
 * applies to a regular file or directory of a local file system that was only read and
 * still has a name. */
static bool closes_without_waiting(uv_fs_t* req) {
  struct statx about;
  return fs_stat_locally(req, req->file, STATX_TYPE | STATX_NLINK | STATX_INO, &about) &&
         opens_without_waiting(&about) && about.stx_nlink > 0 &&
         is_read_only(req, &about);
}

enum fs_way fs_close_cached(uv_fs_t* req) {
  if (!closes_without_waiting(req))
    return FS_WAY_POOL;
  req->result = fs_do_close(req);
  return FS_WAY_DONE;
}

/* --- Whole files ----------------------------------------------------------------- */

/* A larger file belongs to a thread, however quiet the turn is: memory of this size is
 * new each time, and the kernel takes longer to provide it than to fill it. */
enum { WHOLE_MOST = 256 * 1024 };

/* The whole file in memory from malloc; NULL unless all of it is in the page cache. The
 * read asks for one byte more than `size`, so a file of another size is never cut. */
static void* read_whole(int fd, size_t size) {
  void* bytes = malloc(size + 1);
  struct iovec part = {.iov_base = bytes, .iov_len = size + 1};
  if (bytes != NULL && preadv2(fd, &part, 1, 0, RWF_NOWAIT) == (ssize_t) size)
    return bytes;
  free(bytes);
  return NULL;
}

int rondo_fs_read_cached(uv_loop_t* loop, const char* path, size_t most,
                         uv_buf_t* content) {
  if (loop == NULL || path == NULL || content == NULL)
    return UV_EINVAL;
  uv_fs_t req = {.loop = loop, .path = path, .flags = O_RDONLY};
  if (!fs_try_turn(&req))
    return UV_EAGAIN;
  struct statx about;
  int fd = open_cached(&req, &about);
  if (fd < 0)
    return UV_EAGAIN;
  bool fits = S_ISREG(about.stx_mode) && about.stx_size > 0 &&
              about.stx_size <= size_min(most, WHOLE_MOST);
  size_t size = fits ? (size_t) about.stx_size : 0;
  void* bytes = fits && fs_try_turn_bytes(&req, size) ? read_whole(fd, size) : NULL;
  close(fd);
  if (bytes == NULL)
    return UV_EAGAIN;
  loop_count(loop, COUNTER_FILE_AT_ONCE);
  *content = (uv_buf_t){.base = bytes, .len = size};
  return 0;
}
