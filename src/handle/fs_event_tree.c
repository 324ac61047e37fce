/* Recursive watching: from the kernel's events to the handle's callbacks.
 *
 * Makes and frees a tree, and handles its events: an event changes what is known about
 * names and is called back with the path from the top. See fs_event_tree.h for the
 * design. */
#include "handle/fs_event_tree.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"

#include <string.h>

enum {
  /* Directories scanned in one turn of the loop, a millisecond or two of work. The rest
   * waits for the next turn, so that moving in a large tree doesn't hold up the loop. */
  SLICE = 128,
};

struct report {
  struct queue link;
  int events;
  int status;
  char filename[];
};

/* --- calling back ---------------------------------------------------------------- */

static void tree_free(struct fs_event_tree* tree) {
  for (struct queue* link; (link = queue_first(&tree->reports)) != NULL;) {
    queue_remove(link);
    mem_free(rondo_container_of(link, struct report, link));
  }
  table_free(&tree->names);
  mem_free(tree->top_path);
  mem_free(tree->filename);
  mem_free(tree->path);
  mem_free(tree);
}

static void tree_enter(struct fs_event_tree* tree) {
  tree->busy++;
}

static void tree_exit(struct fs_event_tree* tree) {
  if (--tree->busy == 0 && tree->handle == NULL)
    tree_free(tree);
}

/* The callback may stop the handle, which empties the tree. */
static void tree_call_back(struct fs_event_tree* tree, const char* filename, int events,
                           int status) {
  uv_fs_event_t* handle = tree->handle;
  loop_call_back(tree->loop, subject_handle(handle), status, handle->cb, handle, filename,
                 events, status);
}

void tree_report(struct fs_event_tree* tree, const char* filename, int events,
                 int status) {
  size_t length = strlen(filename);
  struct report* report = mem_alloc(sizeof(*report) + length + 1);
  if (report == NULL) {
    tree->overflow = true;
    return;
  }
  report->events = events;
  report->status = status;
  memcpy(report->filename, filename, length + 1);
  queue_push_back(&tree->reports, &report->link);
}

void tree_announce(struct directory* directory) {
  const char* path = directory_path(directory, NULL);
  directory->arrived = false;
  if (path == NULL)
    directory->tree->overflow = true;
  else
    tree_report(directory->tree, path, UV_RENAME, 0);
}

static void tree_flush_reports(struct fs_event_tree* tree) {
  struct queue* link;
  while (tree->handle != NULL && (link = queue_first(&tree->reports)) != NULL) {
    struct report* report = rondo_container_of(link, struct report, link);
    queue_remove(link);
    tree_call_back(tree, report->filename, report->events, report->status);
    mem_free(report);
  }
}

/* --- events ---------------------------------------------------------------------- */

/* Directories whose new place is still unknown have left the tree. */
static void tree_drop_detached(struct fs_event_tree* tree) {
  if (tree->moving != NULL)
    directory_drop(tree->moving);
  if (tree->replaced != NULL)
    directory_drop(tree->replaced);
}

static bool directory_is_below(const struct directory* directory,
                               const struct directory* top) {
  while (directory != NULL && directory != top)
    directory = directory->parent;
  return directory == top;
}

/* Reports what is new below a directory that moves away, with the path it had before. */
static void tree_announce_below(struct queue* work, const struct directory* top) {
  for (struct queue* link = queue_first(work); link != NULL;
       link = queue_next(work, link)) {
    struct directory* directory = rondo_container_of(link, struct directory, work);
    if (directory->arrived && directory_is_below(directory, top))
      tree_announce(directory);
  }
}

/* Another directory may have taken the old place by now, so that place is looked at.
 *
 * When two directories change places (RENAME_EXCHANGE), the kernel reports first that A
 * moved to B's place, then that the directory at B's place moved to A's. The second event
 * is about B, the directory that was there before. */
static void tree_moved_from(struct directory* parent, const struct inotify_event* event) {
  struct fs_event_tree* tree = parent->tree;
  struct directory* child = directory_find(parent, event->name);
  struct directory* moving = NULL;
  if (child != NULL && child == tree->taker) {
    moving = tree->replaced;
    tree->replaced = NULL;
  }
  tree_drop_detached(tree); /* directories that were moving before have left the tree */
  if (moving == NULL && child != NULL) {
    tree_announce_below(&tree->work, child);
    tree_announce_below(&tree->later, child);
    directory_detach(child);
    moving = child;
  }
  tree->moving = moving;
  tree->cookie = event->cookie;
  directory_expect(parent, event->name);
}

/* A directory that moved within the tree keeps its subtree. */
static void tree_moved_to(struct directory* parent, const struct inotify_event* event) {
  struct fs_event_tree* tree = parent->tree;
  struct directory* moved = tree->cookie == event->cookie ? tree->moving : NULL;
  if (moved == NULL)
    return;
  struct directory* replaced = directory_find(parent, event->name);
  tree->moving = NULL;
  tree_drop_detached(tree);
  if (replaced != NULL)
    directory_detach(replaced);
  tree->replaced = replaced;
  tree->taker = moved;
  if (!directory_attach(moved, parent, event->name)) {
    directory_drop(moved);
    tree->overflow = true;
  }
}

/* True if the report waits until the directory is watched. */
static bool tree_directory_came(struct directory* parent,
                                const struct inotify_event* event) {
  struct directory* child = directory_expect(parent, event->name);
  if (child == NULL || child->listener.watch != NULL)
    return false;
  child->arrived = true;
  return true;
}

/* Changes the tree after an event about a directory; true if its report waits. */
static bool tree_follow(struct directory* parent, const struct inotify_event* event) {
  struct directory* child = directory_find(parent, event->name);
  if (event->mask & IN_MOVED_FROM)
    tree_moved_from(parent, event);
  else if (event->mask & IN_MOVED_TO)
    tree_moved_to(parent, event);
  else if (event->mask & IN_DELETE && child != NULL)
    directory_drop(child);
  else if (event->mask & IN_ATTRIB && child == NULL)
    directory_expect(parent, event->name); /* it may be readable now */
  return event->mask & (IN_CREATE | IN_MOVED_TO) ? tree_directory_came(parent, event)
                                                 : false;
}

/* The kernel has removed the watch: the directory was deleted or unmounted. */
static void tree_watch_ended(struct directory* directory) {
  directory_clear(directory);
  if (directory->tree->replaced == directory)
    directory_drop(directory);
  else if (directory->parent != NULL)
    directory_expect(directory->parent, directory->name);
}

/* Handles an event about an entry. Events of a directory that is moving are dropped,
 * because their path is unknown. A directory that comes back is reported as new, with
 * everything in it. */
static void tree_entry_changed(struct directory* directory,
                               const struct inotify_event* event) {
  struct fs_event_tree* tree = directory->tree;
  if (!directory_attached(directory)) {
    tree_drop_detached(tree);
    return;
  }
  int events = inotify_events(event->mask);
  if (event->mask & IN_ISDIR && tree_follow(directory, event))
    events = 0;
  const char* path = directory_path(directory, event->name);
  if (path == NULL)
    tree->overflow = true;
  tree_flush_reports(tree); /* directories that were gone as fast as they came */
  if (path != NULL && events != 0 && tree->handle != NULL)
    tree_call_back(tree, path, events, 0);
}

/* For directories below the top, events about the directory itself also come from its
 * parent. */
void directory_changed(struct inotify_listener* listener,
                       const struct inotify_event* event) {
  struct directory* directory = rondo_container_of(listener, struct directory, listener);
  struct fs_event_tree* tree = directory->tree;
  tree_enter(tree);
  if (event->mask & IN_IGNORED) {
    tree_watch_ended(directory);
    tree_flush_reports(tree);
  } else if (event->name[0] != '\0') {
    tree_entry_changed(directory, event);
  } else if (directory == tree->top && inotify_events(event->mask) != 0) {
    tree_call_back(tree, tree->filename, inotify_events(event->mask), 0);
  }
  tree_exit(tree);
}

static void tree_overflow(struct inotify_client* client) {
  rondo_container_of(client, struct fs_event_tree, client)->overflow = true;
}

static void tree_failed(struct inotify_client* client, int err) {
  struct fs_event_tree* tree = rondo_container_of(client, struct fs_event_tree, client);
  tree_enter(tree);
  tree_call_back(tree, NULL, 0, err);
  tree_exit(tree);
}

/* --- keeping in step with the disk ----------------------------------------------- */

static void tree_forget_all(struct fs_event_tree* tree) {
  tree_drop_detached(tree);
  directory_clear(tree->top);
  inotify_unlisten(tree->loop, &tree->top->listener);
  queue_remove(&tree->top->work);
  queue_push_back(&tree->work, &tree->top->work);
}

/* Builds the whole tree at once: at the start, and in a forked child. */
static int tree_build(struct fs_event_tree* tree) {
  const char* failed;
  int err = 0;
  tree->rebuilding = true;
  while (err == 0 && !queue_empty(&tree->work))
    err = scan_next(tree, &failed);
  scan_end(tree);
  tree->rebuilding = false;
  if (err == 0 && tree->overflow)
    err = UV_ENOMEM;
  tree->overflow = false;
  return err;
}

static int tree_fork(struct inotify_client* client) {
  struct fs_event_tree* tree = rondo_container_of(client, struct fs_event_tree, client);
  tree_forget_all(tree);
  int err = tree_build(tree);
  return err == UV_ENOENT || err == UV_ENOTDIR ? 0 : err;
}

/* A loss of events is reported when everything is watched again: a program that then
 * looks at the disk sees what it missed, and gets events for all later changes. */
static void tree_report_loss(struct fs_event_tree* tree) {
  tree->rebuilding = false;
  tree_call_back(tree, NULL, UV_RENAME | UV_CHANGE, 0);
}

static bool tree_settle(struct inotify_client* client) {
  struct fs_event_tree* tree = rondo_container_of(client, struct fs_event_tree, client);
  bool more;
  tree_enter(tree);
  tree_drop_detached(tree);
  if (tree->overflow)
    tree_forget_all(tree);
  tree->rebuilding |= tree->overflow;
  tree->overflow = false;
  queue_append(&tree->work, &tree->later);
  for (int i = 0; i < SLICE && tree->handle != NULL && !queue_empty(&tree->work); i++) {
    const char* failed = NULL;
    int err = scan_next(tree, &failed);
    if (err != 0)
      tree_report(tree, failed, 0, err);
    tree_flush_reports(tree);
  }
  scan_end(tree);
  if (tree->handle != NULL && tree->rebuilding && queue_empty(&tree->work))
    tree_report_loss(tree);
  more = tree->handle != NULL && (!queue_empty(&tree->work) || tree->overflow);
  tree_exit(tree);
  return more;
}

/* --- life ------------------------------------------------------------------------ */

/* A later chdir must not change which directory is watched. */
static char* tree_absolute_path(const char* path) {
  char cwd[PATH_MAX];
  size_t size = sizeof(cwd);
  if (path[0] == '/' || uv_cwd(cwd, &size) != 0 || size + strlen(path) + 2 > PATH_MAX)
    return mem_strdup(path);
  char* joined = mem_alloc(size + strlen(path) + 2);
  if (joined == NULL)
    return NULL;
  memcpy(joined, cwd, size);
  joined[size] = '/';
  memcpy(joined + size + 1, path, strlen(path) + 1);
  return joined;
}

static struct fs_event_tree* tree_new(uv_fs_event_t* handle, const char* path,
                                      const char* filename) {
  struct fs_event_tree* tree = mem_calloc(1, sizeof(*tree));
  if (tree == NULL)
    return NULL;
  tree->handle = handle;
  tree->loop = handle->loop;
  tree->client = (struct inotify_client){.overflow = tree_overflow,
                                         .failed = tree_failed,
                                         .settle = tree_settle,
                                         .fork = tree_fork};
  queue_init(&tree->work);
  queue_init(&tree->later);
  queue_init(&tree->reports);
  tree->walk.top = -1;
  tree->walk.parent = -1;
  tree->top_path = tree_absolute_path(path);
  tree->filename = mem_strdup(filename);
  if (tree->top_path != NULL && tree->filename != NULL)
    tree->top = directory_new(tree, NULL, "");
  if (tree->top != NULL)
    return tree;
  tree_free(tree);
  return NULL;
}

int fs_event_tree_start(uv_fs_event_t* handle, const char* path, const char* filename,
                        struct fs_event_tree** result) {
  /* An empty path is an error; joined with the working directory it would name that
   * directory. */
  if (path[0] == '\0')
    return UV_ENOENT;
  struct fs_event_tree* tree = tree_new(handle, path, filename);
  if (tree == NULL)
    return UV_ENOMEM;
  int err = inotify_join(tree->loop, &tree->client);
  if (err != 0) {
    directory_drop(tree->top);
    tree_free(tree);
    return err;
  }
  queue_push_back(&tree->work, &tree->top->work);
  err = tree_build(tree);
  if (err != 0) {
    fs_event_tree_stop(tree);
    return err;
  }
  *result = tree;
  return 0;
}

void fs_event_tree_stop(struct fs_event_tree* tree) {
  tree_enter(tree);
  tree->handle = NULL;
  tree_drop_detached(tree);
  directory_drop(tree->top);
  tree->top = NULL;
  inotify_leave(tree->loop, &tree->client);
  tree_exit(tree);
}
