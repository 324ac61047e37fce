/* Recursive watching: looking at the disk.
 *
 * A directory is opened below its parent, after a check that the parent is the watched
 * one: a path may lead elsewhere by the time it is used. The directory is then watched by
 * its descriptor, before it is listed, so that an entry made meanwhile is either listed
 * or reported by the kernel, or both. */
#include "base/own_fd.h"
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

static bool scan_is_same(const struct directory* directory, const struct stat* stat) {
  return directory->device == stat->st_dev && directory->inode == stat->st_ino;
}

/* A descriptor that turns out not to be this directory is closed. */
static int scan_must_be(const struct directory* directory, int fd) {
  struct stat stat;
  if (fd < 0)
    return -1;
  if (fstat(fd, &stat) == 0 && scan_is_same(directory, &stat))
    return fd;
  close(fd);
  errno = ENOENT;
  return -1;
}

/* Opens a path that may be longer than the kernel takes at once, piece by piece. */
static int scan_open_long(int top, char* path) {
  int from = top;
  for (;;) {
    char* cut = NULL;
    if (strlen(path) >= PATH_MAX) {
      cut = memrchr(path, '/', PATH_MAX - 1);
      if (cut == NULL)
        cut = path; /* no single name is that long: the kernel refuses it */
      *cut = '\0';
    }
    int fd = own_fd_raise(openat(from, path, PASS_FLAGS | O_NOFOLLOW));
    if (from != top)
      close(from);
    if (fd < 0 || cut == NULL)
      return fd;
    from = fd;
    path = cut + 1;
  }
}

static int scan_open_top(struct fs_event_tree* tree) {
  if (tree->walk.top < 0)
    tree->walk.top =
        scan_must_be(tree->top, own_fd_raise(open(tree->top_path, PASS_FLAGS)));
  return tree->walk.top;
}

/* The last parent stays open for the next call: siblings follow each other. */
static int scan_open_parent(struct directory* parent) {
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
  tree->walk.parent = scan_must_be(parent, scan_open_long(tree->walk.top, path));
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

/* Virtual file systems of the kernel send no events, and some have no end. */
static bool scan_is_virtual(int fd) {
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

/* A directory that is mounted below itself would never end. */
static bool scan_is_below_itself(const struct directory* directory) {
  for (const struct directory* up = directory->parent; up != NULL; up = up->parent) {
    if (up->listener.watch == directory->listener.watch)
      return true;
  }
  return false;
}

static int scan_watch(struct directory* directory, int fd) {
  char path[32];
  uv_loop_t* loop = directory->tree->loop;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int err = inotify_listen(loop, &directory->listener, path, 0);
  if (err == UV_ENOENT)
    return UV_ENOSYS; /* the directory is open, so it is /proc that is missing */
  if (err == 0 && scan_is_below_itself(directory)) {
    inotify_unlisten(loop, &directory->listener);
    return UV_ELOOP;
  }
  return err;
}

static bool scan_is_directory(int fd, const struct dirent64* entry) {
  struct stat stat;
  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_DIR;
  return fstatat(fd, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(stat.st_mode);
}

static void scan_found(struct directory* directory, int fd,
                       const struct dirent64* entry) {
  struct fs_event_tree* tree = directory->tree;
  if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
    return;
  if (scan_is_directory(fd, entry)) {
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
static int scan_list(struct directory* directory, int fd) {
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
      scan_found(directory, fd, entry);
    }
  }
}

/* --- looking --------------------------------------------------------------------- */

static int scan_open_directory(struct directory* directory, int fd) {
  struct stat stat;
  if (fstat(fd, &stat) != 0)
    return -errno;
  bool same = scan_is_same(directory, &stat);
  if (same && directory->listener.watch != NULL) {
    if (directory->arrived)
      tree_announce(directory);
    return 0;
  }
  bool is_top = directory->parent == NULL;
  if (is_top && !same && directory->inode != 0)
    return UV_ENOENT; /* the path leads to another directory now */
  if (!is_top && directory->parent->device != stat.st_dev && scan_is_virtual(fd))
    return UV_EACCES;
  directory_clear(directory);
  inotify_unlisten(directory->tree->loop, &directory->listener);
  directory->device = stat.st_dev;
  directory->inode = stat.st_ino;
  int err = scan_watch(directory, fd);
  if (err != 0)
    return err;
  directory->arrived |= !is_top && !directory->tree->rebuilding;
  if (directory->arrived)
    tree_announce(directory);
  return scan_list(directory, fd);
}

/* The error means that there is nothing to watch: the path doesn't exist, isn't a
 * directory, or may not be read. */
static bool scan_is_nothing(int err) {
  return err == UV_ENOENT || err == UV_ENOTDIR || err == UV_ELOOP || err == UV_EACCES ||
         err == UV_EPERM;
}

static int scan_look(struct directory* directory) {
  struct fs_event_tree* tree = directory->tree;
  int fd;
  if (directory == tree->top) {
    fd = own_fd_raise(open(tree->top_path, OPEN_FLAGS));
  } else {
    int parent = scan_open_parent(directory->parent);
    if (parent < 0)
      return scan_is_nothing(-errno) ? UV_EAGAIN : -errno;
    fd = own_fd_raise(openat(parent, directory->name, OPEN_FLAGS | O_NOFOLLOW));
  }
  if (fd < 0)
    return -errno;
  int err = scan_open_directory(directory, fd);
  close(fd);
  return err;
}

/* A directory above the top was moved, which sends no event: the path of the top is
 * unknown. Reported once; what is watched stays watched, new directories are not. */
static int scan_lost_top(struct directory* directory, int err) {
  struct fs_event_tree* tree = directory->tree;
  directory_drop(directory);
  if (!scan_is_nothing(err))
    return err;
  bool reported = tree->adrift;
  tree->adrift = true;
  return reported ? 0 : UV_ENOENT;
}

/* Returns the path for the report of the error; it stays valid, because nothing is
 * announced after it. */
static const char* scan_drop_failed(struct directory* directory) {
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
    return scan_look(directory);
  if (scan_open_top(tree) < 0)
    return scan_lost_top(directory, -errno);
  tree->adrift = false;
  int err = scan_look(directory);
  if (err == UV_EAGAIN) {
    queue_push_back(&tree->later, &directory->work);
    return 0;
  }
  if (err != 0)
    *failed = scan_drop_failed(directory);
  return scan_is_nothing(err) ? 0 : err;
}
