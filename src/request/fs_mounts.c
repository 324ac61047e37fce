/* Which mounts are local, that is, answer from this machine's memory once a file is
 * cached.
 *
 * On a file system that must ask a server or a process (NFS, FUSE, ...), opening, closing
 * and stat may wait although every name is cached. The kind of a file system is found by
 * statfs(2), which may wait itself. So a thread of the pool calls it (fs_learn_mount),
 * once for each mount, and until then requests on that mount take the pool. Mounts are
 * distinguished by their unique id. Kernels before 6.8 have no such id; there only file
 * systems on a block device are trusted, since the kernel reuses other device numbers. */
#include "base/own_fd.h"
#include "request/fs.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/vfs.h>

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

enum { MOUNTS_KNOWN = 64 };

/* The mount's key, shifted left by one, with the lowest bit set if the mount is local. A
 * slot may be overwritten at any time; then that mount is learned again. */
static _Atomic uint64_t mounts[MOUNTS_KNOWN];
static _Atomic unsigned int mounts_next;

enum mount_answer { MOUNT_UNKNOWN, MOUNT_ELSEWHERE, MOUNT_LOCAL };

/* 0 if the mount has no unique id. */
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

/* File systems that answer from this machine's memory once a file is cached. Not
 * overlayfs, whose lower file systems can't be identified from here. */
static bool mount_type_is_local(const struct statfs* about) {
  switch ((unsigned long) about->f_type & 0xffffffff) {
  case EXT4_SUPER_MAGIC: /* also ext2, ext3 */
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

void fs_learn_mount(const uv_fs_t* req) {
  if (!fs_inside(req)->mount_unknown || req->result < 0)
    return;
  if (req->fs_type == UV_FS_OPEN) {
    mount_learn((int) req->result);
  } else if (req->path == NULL) {
    mount_learn(req->file);
  } else {
    int follow = req->fs_type == UV_FS_LSTAT ? O_NOFOLLOW : 0;
    int fd = own_fd_raise(open(req->path, O_PATH | O_CLOEXEC | follow));
    if (fd >= 0) {
      mount_learn(fd);
      close(fd);
    }
  }
}

bool fs_stat_locally(uv_fs_t* req, int fd, unsigned int mask, struct statx* about) {
  if (fs_statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask | STATX_MNT_ID_UNIQUE,
               about) != 0)
    return false;
  enum mount_answer answer = mount_find(about);
  if (answer == MOUNT_UNKNOWN)
    fs_inside(req)->mount_unknown = true;
  return answer == MOUNT_LOCAL;
}
