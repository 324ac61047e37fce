/* What the kernel can answer from memory, asked on the loop's thread with calls that
 * cannot wait:
 *   preadv2(RWF_NOWAIT)       reads what is in the page cache and nothing else;
 *   openat2(RESOLVE_CACHED)   walks a path only as far as the name cache knows it;
 *   statx(AT_STATX_DONT_SYNC) tells what the inode in memory says.
 *
 * On a file system that must ask a server or a process (NFS, FUSE, ...) the last two may
 * still wait or be out of date, so they are believed for local ones only. Which is which
 * takes a statfs(2), itself able to wait: a thread of the pool finds out (fs_learn), once
 * for each mount, and until then its requests take the pool. Mounts are told apart by the
 * number the kernel never gives twice; kernels that don't have it yet are believed for
 * file systems on a block device only, for other device numbers are used again. */
#include "request/fs.h"

#include "base/base.h"
#include "request/fs_facts.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000u
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef EROFS_SUPER_MAGIC_V1
#define EROFS_SUPER_MAGIC_V1 0xE0F5E1E2
#endif

/* --- Local mounts ---------------------------------------------------------------- */

enum { MOUNTS_KNOWN = 64 };

/* A mount's key, shifted left, and in the lowest bit whether it is local. A slot may be
 * overwritten at any time; then that mount is learned anew. */
static _Atomic uint64_t mounts[MOUNTS_KNOWN];
static _Atomic unsigned int mounts_next;

enum mount_answer { MOUNT_UNKNOWN, MOUNT_ELSEWHERE, MOUNT_LOCAL };

/* 0 if the mount can't be told from others. */
static uint64_t mount_key(const struct statx* about) {
  if (about->stx_mask & STATX_MNT_ID_UNIQUE)
    return about->stx_mnt_id << 1;
  if (about->stx_dev_major == 0)
    return 0;
  return (1ull << 63) | (uint64_t) about->stx_dev_major << 33 |
         (uint64_t) about->stx_dev_minor << 1;
}

static enum mount_answer mount_find(const struct statx* about) {
  uint64_t key = mount_key(about);
  if (key == 0)
    return MOUNT_ELSEWHERE;
  for (size_t i = 0; i < MOUNTS_KNOWN; i++) {
    uint64_t known = atomic_load_explicit(&mounts[i], memory_order_relaxed);
    if (known == 0)
      break;
    if ((known & ~1ull) == key)
      return known & 1 ? MOUNT_LOCAL : MOUNT_ELSEWHERE;
  }
  return MOUNT_UNKNOWN;
}

/* File systems that keep all they need to answer in this machine's memory once it is
 * cached. Not overlayfs: what lies under it can't be seen from here. */
static bool mount_type_is_local(const struct statfs* about) {
  switch ((unsigned long) about->f_type & 0xffffffff) {
  case EXT4_SUPER_MAGIC: /* and ext2, ext3 */
  case XFS_SUPER_MAGIC:
  case BTRFS_SUPER_MAGIC:
  case F2FS_SUPER_MAGIC:
  case TMPFS_MAGIC:
  case RAMFS_MAGIC:
  case SQUASHFS_MAGIC:
  case EROFS_SUPER_MAGIC_V1:
    return true;
  default:
    return false;
  }
}

static void mount_learn(int fd) {
  struct statx about;
  struct statfs system;
  if (fs_statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID_UNIQUE, &about) !=
      0)
    return;
  if (mount_find(&about) != MOUNT_UNKNOWN || fstatfs(fd, &system) != 0)
    return;
  uint64_t entry = mount_key(&about) | (mount_type_is_local(&system) ? 1 : 0);
  unsigned int slot = atomic_fetch_add(&mounts_next, 1) % MOUNTS_KNOWN;
  atomic_store_explicit(&mounts[slot], entry, memory_order_relaxed);
}

/* --- Learning -------------------------------------------------------------------- */

void fs_learn(const uv_fs_t* req) {
  if (!fs_mount_unknown(req) || req->result < 0)
    return;
  if (req->fs_type == UV_FS_OPEN) {
    mount_learn((int) req->result);
  } else if (req->path == NULL) {
    mount_learn(req->file);
  } else {
    int fd = open(req->path,
                  O_PATH | O_CLOEXEC | (req->fs_type == UV_FS_LSTAT ? O_NOFOLLOW : 0));
    if (fd >= 0) {
      mount_learn(fd);
      close(fd);
    }
  }
}

/* What is known of the open file in memory; true if it can be believed. */
static bool known_locally(uv_fs_t* req, int fd, unsigned int mask, struct statx* about) {
  if (fs_statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask | STATX_MNT_ID_UNIQUE,
               about) != 0)
    return false;
  enum mount_answer answer = mount_find(about);
  if (answer == MOUNT_UNKNOWN)
    fs_set_mount_unknown(req, true);
  return answer == MOUNT_LOCAL;
}

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

enum fs_attempt fs_stat_cached(uv_fs_t* req) {
  struct statx about;
  bool known;
  if (req->fs_type == UV_FS_FSTAT) {
    known = known_locally(req, req->file, WHOLE_STAT, &about);
  } else {
    int fd = walk_to_name(req, req->fs_type == UV_FS_LSTAT ? O_NOFOLLOW : 0);
    if (fd < 0)
      return FS_UNABLE;
    known = known_locally(req, fd, WHOLE_STAT, &about);
    close(fd);
  }
  if (!known)
    return FS_UNABLE;
  fs_stat_fill(&req->statbuf, &about);
  req->ptr = &req->statbuf;
  req->result = 0;
  return FS_ANSWERED;
}

enum fs_attempt fs_access_cached(uv_fs_t* req) {
  int fd = walk_to_name(req, 0);
  if (fd < 0)
    return FS_UNABLE;
  struct statx about;
  bool done = false;
  if (known_locally(req, fd, STATX_TYPE, &about)) {
    long r = syscall(SYS_faccessat2, fd, "", req->flags, AT_EMPTY_PATH);
    done = r == 0 || (errno != ENOSYS && errno != EINVAL && errno != EPERM);
    req->result = done ? fs_result(r) : 0;
  }
  close(fd);
  return done ? FS_ANSWERED : FS_UNABLE;
}

static bool opens_without_waiting(const struct statx* about) {
  return S_ISREG(about->stx_mode) || S_ISDIR(about->stx_mode);
}

/* Only for reading what exists, and only files and directories: opening anything else
 * may wait (a FIFO, a terminal) or do something (a tape drive). The name is looked at
 * first, and the file that is then opened once more, since the name may have changed
 * hands. O_NONBLOCK keeps the open from waiting for the holder of a lease; it has no
 * other meaning for such files and is taken off again. */
enum fs_attempt fs_open_cached(uv_fs_t* req) {
  const int harmless = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_LARGEFILE;
  if ((req->flags & ~harmless) != O_RDONLY)
    return FS_UNABLE;

  struct statx about;
  int name = walk_to_name(req, req->flags & (O_NOFOLLOW | O_DIRECTORY));
  if (name < 0)
    return FS_UNABLE;
  bool try_it =
      known_locally(req, name, STATX_TYPE, &about) && opens_without_waiting(&about);
  close(name);
  if (!try_it)
    return FS_UNABLE;

  int fd = walk_cached(req->path, (req->flags & harmless) | O_NONBLOCK);
  if (fd < 0)
    return FS_UNABLE;
  /* No flag that F_SETFL could change is in what was asked for: none shall remain. */
  if (!known_locally(req, fd, STATX_TYPE, &about) || !opens_without_waiting(&about) ||
      fcntl(fd, F_SETFL, 0) != 0) {
    close(fd);
    return FS_UNABLE;
  }
  fs_facts_learn(req->loop, fd, FACT_ONLY_READ); /* most are closed soon after */
  req->result = fd;
  return FS_ANSWERED;
}

/* Closing may wait: for the server of a network file system, for a socket to drain, for
 * a deleted file's blocks to be freed, for data to be placed on the disk. None of it
 * happens to files and directories of a local file system that were only read and still
 * have a name. */
static bool closes_without_waiting(uv_fs_t* req) {
  if (fs_facts(req->loop, req->file) & FACT_ONLY_READ)
    return true;
  struct statx about;
  if (!known_locally(req, req->file, STATX_TYPE | STATX_NLINK, &about) ||
      !opens_without_waiting(&about) || about.stx_nlink == 0)
    return false;
  int status = fcntl(req->file, F_GETFL);
  return status >= 0 && (status & O_ACCMODE) == O_RDONLY;
}

enum fs_attempt fs_close_cached(uv_fs_t* req) {
  if (!closes_without_waiting(req))
    return FS_UNABLE;
  fs_facts_forget(req->file, FACT_ONLY_READ);
  req->result = fs_do_close(req);
  return FS_ANSWERED;
}

/* --- Reading and writing --------------------------------------------------------- */

static size_t bytes_of(const uv_fs_t* req) {
  size_t total = 0;
  for (unsigned int i = 0; i < req->nbufs; i++)
    total += req->bufs[i].len;
  return total;
}

/* With O_DIRECT the kernel waits for the device whatever it was told. Such a request goes
 * in whole sectors; what doesn't needs no question. */
static bool is_direct(const uv_fs_t* req, size_t total) {
  if ((total & 511) != 0 || (req->off > 0 && (req->off & 511) != 0))
    return false;
  unsigned int known = fs_facts(req->loop, req->file);
  if (known & (FACT_DIRECT | FACT_BUFFERED))
    return known & FACT_DIRECT;
  int status = fcntl(req->file, F_GETFL);
  if (status < 0)
    return true;
  bool direct = (status & O_DIRECT) != 0;
  fs_facts_learn(req->loop, req->file, direct ? FACT_DIRECT : FACT_BUFFERED);
  return direct;
}

/* /dev/zero and its like, told not to wait, give a page at a time. */
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

enum fs_attempt fs_read_begun(uv_fs_t* req, ssize_t answer) {
  size_t total = bytes_of(req);
  for (;;) {
    if (answer == -EAGAIN)
      return FS_MUST_WAIT;
    /* EPERM: a sandbox knows no preadv2(2). */
    if (answer == -EOPNOTSUPP || answer == -ENOSYS || answer == -EPERM)
      return FS_UNABLE;
    if (answer < 0) {
      req->result = req->result > 0 ? req->result : answer;
      return FS_ANSWERED;
    }
    req->result += answer;
    if ((size_t) answer == total)
      return FS_ANSWERED;
    total -= (size_t) answer;
    fs_advance(req, (size_t) answer);
    if (read_is_complete(req, answer))
      return FS_ANSWERED;
    if (answer == 0)
      return FS_MUST_WAIT;
    answer = read_now(req);
  }
}

enum fs_attempt fs_read_cached(uv_fs_t* req) {
  size_t total = bytes_of(req);
  if (total == 0)
    return FS_UNABLE;
  return is_direct(req, total) ? FS_MUST_WAIT : fs_read_begun(req, read_now(req));
}

/* Reads at the file's own position must keep their order. */
bool fs_read_may_share(const uv_fs_t* req) {
  size_t total = bytes_of(req);
  return req->off >= 0 && total > 0 && !is_direct(req, total);
}

/* Into the page cache a thread writes at once. io_uring would first try what most file
 * systems refuse, then wake a worker of its own for it: ten times the price. */
enum fs_attempt fs_write_direct(uv_fs_t* req) {
  size_t total = bytes_of(req);
  return total > 0 && is_direct(req, total) ? FS_MUST_WAIT : FS_UNABLE;
}
