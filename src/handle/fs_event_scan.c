/* Recursive watching: looking at the disk.
 *
 * A directory is opened below its parent, and the parent is made sure to be the one that
 * is watched: a path may lead elsewhere by the time it is used. Then it is watched by its
 * descriptor, before it is listed, so that what is made in it meanwhile is either listed
 * or told by the kernel, or both. */
#include "handle/fs_event_tree.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
  OPEN_FLAGS = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
  PASS_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC,
};

/* --- finding the parent ---------------------------------------------------------- */

static bool is_same(const struct directory* directory, const struct stat* stat) {
  return directory->device == stat->st_dev && directory->inode == stat->st_ino;
}

/* A descriptor that turns out not to be this directory is closed. */
static int must_be(const struct directory* directory, int fd) {
  struct stat stat;
  if (fd < 0)
    return -1;
  if (fstat(fd, &stat) == 0 && is_same(directory, &stat))
    return fd;
  close(fd);
  errno = ENOENT;
  return -1;
}

/* Opens a path that may be longer than the kernel takes at once, piece by piece. */
static int open_long(int top, char* path) {
  int from = top;
  for (;;) {
    char* cut = NULL;
    if (strlen(path) >= PATH_MAX) {
      cut = memrchr(path, '/', PATH_MAX - 1);
      if (cut == NULL)
        cut = path; /* names are shorter than that: the kernel shall refuse it */
      *cut = '\0';
    }
    int fd = openat(from, path, PASS_FLAGS | O_NOFOLLOW);
    if (from != top)
      close(from);
    if (fd < 0 || cut == NULL)
      return fd;
    from = fd;
    path = cut + 1;
  }
}

static int open_top(struct fs_event_tree* tree) {
  if (tree->walk.top < 0)
    tree->walk.top = must_be(tree->top, open(tree->top_path, PASS_FLAGS));
  return tree->walk.top;
}

/* Siblings come in a row, so the last parent is worth keeping. */
static int open_parent(struct directory* parent) {
  struct fs_event_tree* tree = parent->tree;
  if (tree->walk.opened == parent)
    return tree->walk.parent;
  if (parent == tree->top)
    return tree->walk.top;
  if (tree->walk.parent >= 0)
    close(tree->walk.parent);
  tree->walk.opened = NULL;
  tree->walk.parent = -1;
  char* path = directory_path(parent, NULL);
  if (path == NULL) {
    errno = ENOMEM;
    return -1;
  }
  tree->walk.parent = must_be(parent, open_long(tree->walk.top, path));
  if (tree->walk.parent >= 0)
    tree->walk.opened = parent;
  return tree->walk.parent;
}

void scan_end(struct fs_event_tree* tree) {
  if (tree->walk.parent >= 0)
    close(tree->walk.parent);
  if (tree->walk.top >= 0)
    close(tree->walk.top);
  tree->walk.parent = -1;
  tree->walk.top = -1;
  tree->walk.opened = NULL;
}

/* --- watching and listing -------------------------------------------------------- */

/* File systems that the kernel makes up tell nobody of their changes, and have no end. */
static bool is_made_up(int fd) {
  static const unsigned int kinds[] = {PROC_SUPER_MAGIC,   SYSFS_MAGIC,
                                       DEBUGFS_MAGIC,      TRACEFS_MAGIC,
                                       CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC};
  struct statfs about;
  if (fstatfs(fd, &about) != 0)
    return false;
  for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
    if ((unsigned int) about.f_type == kinds[i])
      return true;
  }
  return false;
}

/* A directory mounted below itself would go on for ever. */
static bool is_below_itself(const struct directory* directory) {
  for (const struct directory* up = directory->parent; up != NULL; up = up->parent) {
    if (up->listener.watch == directory->listener.watch)
      return true;
  }
  return false;
}

static int watch(struct directory* directory, int fd) {
  char path[32];
  uv_loop_t* loop = directory->tree->loop;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int err = inotify_listen(loop, &directory->listener, path, 0);
  if (err == UV_ENOENT)
    return UV_ENOSYS; /* the directory is open: it is /proc that isn't there */
  if (err == 0 && is_below_itself(directory)) {
    inotify_unlisten(loop, &directory->listener);
    return UV_ELOOP;
  }
  return err;
}

static bool is_directory(int fd, const struct dirent64* entry) {
  struct stat stat;
  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_DIR;
  return fstatat(fd, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(stat.st_mode);
}

static void found(struct directory* directory, int fd, const struct dirent64* entry) {
  struct fs_event_tree* tree = directory->tree;
  if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
    return;
  if (is_directory(fd, entry)) {
    struct directory* child = directory_expect(directory, entry->d_name);
    if (child != NULL)
      child->arrived = !tree->rebuilding;
    return;
  }
  if (tree->rebuilding)
    return;
  const char* path = directory_path(directory, entry->d_name);
  if (path == NULL)
    tree->overflow = true;
  else
    tree_report(tree, path, UV_RENAME, 0);
}

/* A directory that is deleted while it is listed has nothing in it. */
static int list(struct directory* directory, int fd) {
  _Alignas(struct dirent64) char buffer[32768];
  for (;;) {
    ssize_t n = getdents64(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno == ENOENT ? 0 : -errno;
    if (n == 0)
      return 0;
    for (ssize_t offset = 0; offset < n;) {
      const struct dirent64* entry =
          (const struct dirent64*) (const void*) (buffer + offset);
      offset += entry->d_reclen;
      found(directory, fd, entry);
    }
  }
}

/* --- looking --------------------------------------------------------------------- */

static int look_into(struct directory* directory, int fd) {
  struct stat stat;
  if (fstat(fd, &stat) != 0)
    return -errno;
  bool same = is_same(directory, &stat);
  if (same && directory->listener.watch != NULL) {
    if (directory->arrived)
      tree_announce(directory);
    return 0;
  }
  bool is_top = directory->parent == NULL;
  if (is_top && !same && directory->inode != 0)
    return UV_ENOENT; /* another directory has taken its place */
  if (!is_top && directory->parent->device != stat.st_dev && is_made_up(fd))
    return UV_EACCES;
  directory_clear(directory);
  inotify_unlisten(directory->tree->loop, &directory->listener);
  directory->device = stat.st_dev;
  directory->inode = stat.st_ino;
  int err = watch(directory, fd);
  if (err != 0)
    return err;
  directory->arrived |= !is_top && !directory->tree->rebuilding;
  if (directory->arrived)
    tree_announce(directory);
  return list(directory, fd);
}

/* Not there, no directory, or not for us to see: nothing to watch, and no error. */
static bool is_nothing(int err) {
  return err == UV_ENOENT || err == UV_ENOTDIR || err == UV_ELOOP || err == UV_EACCES ||
         err == UV_EPERM;
}

static int open_and_look(struct directory* directory) {
  struct fs_event_tree* tree = directory->tree;
  int fd;
  if (directory == tree->top) {
    fd = open(tree->top_path, OPEN_FLAGS);
  } else {
    int parent = open_parent(directory->parent);
    if (parent < 0)
      return is_nothing(-errno) ? UV_EAGAIN : -errno;
    fd = openat(parent, directory->name, OPEN_FLAGS | O_NOFOLLOW);
  }
  if (fd < 0)
    return -errno;
  int err = look_into(directory, fd);
  close(fd);
  return err;
}

/* Where the top is nobody knows when a directory above it was moved: that gives no event.
 * It is told once; what is watched stays watched, but nothing new can be followed. */
static int lost_top(struct directory* directory, int err) {
  struct fs_event_tree* tree = directory->tree;
  directory_drop(directory);
  if (!is_nothing(err))
    return err;
  bool told = tree->adrift;
  tree->adrift = true;
  return told ? 0 : UV_ENOENT;
}

/* Its path, for the report of an error, stays valid: nothing is announced after it. */
static const char* drop_failed(struct directory* directory) {
  const char* filename = directory->tree->filename;
  directory_clear(directory);
  if (directory->arrived)
    tree_announce(directory);
  const char* path = directory_path(directory, NULL);
  directory_drop(directory);
  return path == NULL ? filename : path;
}

int scan_next(struct fs_event_tree* tree, const char** failed) {
  struct directory* directory =
      rondo_container_of(queue_first(&tree->work), struct directory, work);
  queue_remove(&directory->work);
  *failed = tree->filename;
  if (directory == tree->top)
    return open_and_look(directory);
  if (open_top(tree) < 0)
    return lost_top(directory, -errno);
  tree->adrift = false;
  int err = open_and_look(directory);
  if (err == UV_EAGAIN) {
    queue_push_back(&tree->later, &directory->work);
    return 0;
  }
  if (err != 0)
    *failed = drop_failed(directory);
  return is_nothing(err) ? 0 : err;
}
