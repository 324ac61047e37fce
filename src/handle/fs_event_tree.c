/* Recursive watching: what the kernel says, and what the handle is told.
 *
 * The life of a tree, and the way of an event: it changes what is known about names, and
 * is told with the path from the top. See fs_event_tree.h for the whole. */
#include "handle/fs_event_tree.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"

#include <string.h>

enum {
  /* Directories looked at in one turn of the loop, a millisecond or two of work; what
   * is left waits for the next, so that a large tree moved in holds up nobody. */
  SLICE = 128,
};

struct report {
  struct queue link;
  int events;
  int status;
  char filename[];
};

/* --- telling --------------------------------------------------------------------- */

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

/* Afterwards the handle may be stopped, and the tree empty. */
static void tell(struct fs_event_tree* tree, const char* filename, int events,
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

static void tell_reports(struct fs_event_tree* tree) {
  struct queue* link;
  while (tree->handle != NULL && (link = queue_first(&tree->reports)) != NULL) {
    struct report* report = rondo_container_of(link, struct report, link);
    queue_remove(link);
    tell(tree, report->filename, report->events, report->status);
    mem_free(report);
  }
}

/* --- events ---------------------------------------------------------------------- */

/* Those whose place is still unknown have none. */
static void drop_detached(struct fs_event_tree* tree) {
  if (tree->moving != NULL)
    directory_drop(tree->moving);
  if (tree->replaced != NULL)
    directory_drop(tree->replaced);
}

static bool is_below(const struct directory* directory, const struct directory* top) {
  while (directory != NULL && directory != top)
    directory = directory->parent;
  return directory == top;
}

/* What came into a directory that moves away came by the path that it had. */
static void announce_below(struct queue* work, const struct directory* top) {
  for (struct queue* link = queue_first(work); link != NULL;
       link = queue_next(work, link)) {
    struct directory* directory = rondo_container_of(link, struct directory, work);
    if (directory->arrived && is_below(directory, top))
      tree_announce(directory);
  }
}

/* Where it was there may be another one by now: look.
 *
 * When two directories change places, the kernel says that the first moved to the place
 * of the second, and then that what is in that place moved to the first's. What it means
 * is the one that was there before. */
static void moved_from(struct directory* parent, const struct inotify_event* event) {
  struct fs_event_tree* tree = parent->tree;
  struct directory* child = directory_find(parent, event->name);
  struct directory* moving = NULL;
  if (child != NULL && child == tree->taker) {
    moving = tree->replaced;
    tree->replaced = NULL;
  }
  drop_detached(tree); /* the ones before have left the tree */
  if (moving == NULL && child != NULL) {
    announce_below(&tree->work, child);
    announce_below(&tree->later, child);
    directory_detach(child);
    moving = child;
  }
  tree->moving = moving;
  tree->cookie = event->cookie;
  directory_expect(parent, event->name);
}

/* One that moved within the tree takes along all that is known about it. */
static void moved_to(struct directory* parent, const struct inotify_event* event) {
  struct fs_event_tree* tree = parent->tree;
  struct directory* moved = tree->cookie == event->cookie ? tree->moving : NULL;
  if (moved == NULL)
    return;
  struct directory* replaced = directory_find(parent, event->name);
  tree->moving = NULL;
  drop_detached(tree);
  if (replaced != NULL)
    directory_detach(replaced);
  tree->replaced = replaced;
  tree->taker = moved;
  if (!directory_attach(moved, parent, event->name)) {
    directory_drop(moved);
    tree->overflow = true;
  }
}

/* True if it is to be told later, when the directory is watched. */
static bool came(struct directory* parent, const struct inotify_event* event) {
  struct directory* child = directory_expect(parent, event->name);
  if (child == NULL || child->listener.watch != NULL)
    return false;
  child->arrived = true;
  return true;
}

/* What an event about a directory changes in the tree; true if it is told later. */
static bool follow(struct directory* parent, const struct inotify_event* event) {
  struct directory* child = directory_find(parent, event->name);
  if (event->mask & IN_MOVED_FROM)
    moved_from(parent, event);
  else if (event->mask & IN_MOVED_TO)
    moved_to(parent, event);
  else if (event->mask & IN_DELETE && child != NULL)
    directory_drop(child);
  else if (event->mask & IN_ATTRIB && child == NULL)
    directory_expect(parent, event->name); /* perhaps we may read it now */
  return event->mask & (IN_CREATE | IN_MOVED_TO) ? came(parent, event) : false;
}

/* The kernel watches it no more: it was deleted, or its file system unmounted. */
static void ignored(struct directory* directory) {
  directory_clear(directory);
  if (directory->tree->replaced == directory)
    directory_drop(directory);
  else if (directory->parent != NULL)
    directory_expect(directory->parent, directory->name);
}

/* About an entry. Events of a directory that is on its way are not told: where they
 * happened is unknown. When it comes back, it does so as a new one, with all it has. */
static void entry_told(struct directory* directory, const struct inotify_event* event) {
  struct fs_event_tree* tree = directory->tree;
  if (!directory_attached(directory)) {
    drop_detached(tree);
    return;
  }
  int events = inotify_events(event->mask);
  if (event->mask & IN_ISDIR && follow(directory, event))
    events = 0;
  const char* path = directory_path(directory, event->name);
  if (path == NULL)
    tree->overflow = true;
  tell_reports(tree); /* of directories that went as fast as they came */
  if (path != NULL && events != 0 && tree->handle != NULL)
    tell(tree, path, events, 0);
}

/* What a directory below the top says about itself, its parent says too. */
void directory_told(struct inotify_listener* listener,
                    const struct inotify_event* event) {
  struct directory* directory = rondo_container_of(listener, struct directory, listener);
  struct fs_event_tree* tree = directory->tree;
  tree_enter(tree);
  if (event->mask & IN_IGNORED) {
    ignored(directory);
    tell_reports(tree);
  } else if (event->name[0] != '\0') {
    entry_told(directory, event);
  } else if (directory == tree->top && inotify_events(event->mask) != 0) {
    tell(tree, tree->filename, inotify_events(event->mask), 0);
  }
  tree_exit(tree);
}

static void tree_overflow(struct inotify_client* client) {
  rondo_container_of(client, struct fs_event_tree, client)->overflow = true;
}

/* --- keeping in step with the disk ----------------------------------------------- */

static void forget_all(struct fs_event_tree* tree) {
  drop_detached(tree);
  directory_clear(tree->top);
  inotify_unlisten(tree->loop, &tree->top->listener);
  queue_remove(&tree->top->work);
  queue_push_back(&tree->work, &tree->top->work);
}

/* Without the loop: at the start, and in a forked child. */
static int build(struct fs_event_tree* tree) {
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
  forget_all(tree);
  int err = build(tree);
  return err == UV_ENOENT || err == UV_ENOTDIR ? 0 : err;
}

/* That something was lost is told when all is watched again: who then looks at the disk
 * sees what was missed, and is told of what comes after. */
static void rebuilt(struct fs_event_tree* tree) {
  tree->rebuilding = false;
  tell(tree, NULL, UV_RENAME | UV_CHANGE, 0);
}

static bool tree_settle(struct inotify_client* client) {
  struct fs_event_tree* tree = rondo_container_of(client, struct fs_event_tree, client);
  bool more;
  tree_enter(tree);
  drop_detached(tree);
  if (tree->overflow)
    forget_all(tree);
  tree->rebuilding |= tree->overflow;
  tree->overflow = false;
  queue_append(&tree->work, &tree->later);
  for (int i = 0; i < SLICE && tree->handle != NULL && !queue_empty(&tree->work); i++) {
    const char* failed = NULL;
    int err = scan_next(tree, &failed);
    if (err != 0)
      tree_report(tree, failed, 0, err);
    tell_reports(tree);
  }
  scan_end(tree);
  if (tree->handle != NULL && tree->rebuilding && queue_empty(&tree->work))
    rebuilt(tree);
  more = tree->handle != NULL && (!queue_empty(&tree->work) || tree->overflow);
  tree_exit(tree);
  return more;
}

/* --- life ------------------------------------------------------------------------ */

/* The directory we are in may change, the one that is watched may not. */
static char* absolute(const char* path) {
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
  tree->client = (struct inotify_client){
      .overflow = tree_overflow, .settle = tree_settle, .fork = tree_fork};
  queue_init(&tree->work);
  queue_init(&tree->later);
  queue_init(&tree->reports);
  tree->walk.top = -1;
  tree->walk.parent = -1;
  tree->top_path = absolute(path);
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
  /* An empty path names nothing, and must not become that of the directory we are in. */
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
  err = build(tree);
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
  drop_detached(tree);
  directory_drop(tree->top);
  tree->top = NULL;
  inotify_leave(tree->loop, &tree->client);
  tree_exit(tree);
}
