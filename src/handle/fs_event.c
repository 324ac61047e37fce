/* File event handles: a file or a directory watched by the kernel.
 *
 * A change of the watched file itself is called back with the last component of its path,
 * a change of an entry of a watched directory with the entry's name. A watch follows its
 * file, not the path: when the file is gone the handle stays active and is never called
 * back again. UV_FS_EVENT_RECURSIVE is implemented in fs_event_tree.c.
 *
 * When the kernel's queue overflows, every handle is called back with a filename of NULL,
 * both events and status 0: something has changed, but it isn't known what. An overflow
 * is no error, since the handle goes on watching. When the kernel's queue can't be read,
 * every handle is called back with the error, once. */
#include "handle/fs_event.h"

#include "base/alloc.h"
#include "base/base.h"
#include "handle/watched_path.h"
#include "loop/loop.h"

#include <string.h>

/* The state of a started handle. The state outlives a stop from inside the callback,
 * because the filename belongs to the callback until that returns. */
struct fs_event {
  uv_fs_event_t* handle; /* NULL once the handle is stopped */
  bool busy;             /* its callback is running */
  struct inotify_client client;
  struct inotify_listener listener;
  struct fs_event_tree*
      tree;       /* NULL unless recursive; the tree does all the watching then */
  char* filename; /* the last component of the path */
  char path[];
};

static struct fs_event* fs_event_state(const uv_fs_event_t* handle) {
  return handle->watchers[0];
}

static void fs_event_entry_changed(struct inotify_listener* listener,
                                   const struct inotify_event* event) {
  struct fs_event* state = rondo_container_of(listener, struct fs_event, listener);
  int events = inotify_events(event->mask);
  /* As in libuv, every event except IN_ATTRIB and IN_MODIFY is a renaming: any change to
   * a directory, and IN_IGNORED, which comes when the kernel stops watching a file that
   * is gone. */
  if (event->mask & (IN_ISDIR | IN_IGNORED))
    events |= UV_RENAME;
  if (events == 0)
    return;
  uv_fs_event_t* handle = state->handle;
  state->busy = true;
  loop_call_back(handle->loop, subject_handle(handle), 0, handle->cb, handle,
                 event->name[0] != '\0' ? event->name : state->filename, events, 0);
  state->busy = false;
  if (state->handle == NULL)
    mem_free(state);
}

static void fs_event_entry_overflow(struct inotify_client* client) {
  uv_fs_event_t* handle = rondo_container_of(client, struct fs_event, client)->handle;
  loop_call_back(handle->loop, subject_handle(handle), 0, handle->cb, handle, NULL,
                 UV_RENAME | UV_CHANGE, 0);
}

static void fs_event_entry_failed(struct inotify_client* client, int err) {
  uv_fs_event_t* handle = rondo_container_of(client, struct fs_event, client)->handle;
  loop_call_back(handle->loop, subject_handle(handle), err, handle->cb, handle, NULL, 0,
                 err);
}

/* A file that was deleted before uv_loop_fork can't be watched again; the handle stays
 * active, as after any deletion. */
static int fs_event_entry_fork(struct inotify_client* client) {
  struct fs_event* state = rondo_container_of(client, struct fs_event, client);
  uv_loop_t* loop = state->handle->loop;
  inotify_unlisten(loop, &state->listener);
  int err = inotify_listen(loop, &state->listener, state->path, 0);
  return err == UV_ENOENT || err == UV_ENOTDIR ? 0 : err;
}

/* The path and its last component ("b" of "a/b//", "/" of "//") share one block. */
static struct fs_event* fs_event_state_new(uv_fs_event_t* handle, const char* path) {
  size_t length = strlen(path);
  size_t end = length;
  while (end > 1 && path[end - 1] == '/')
    end--;
  size_t start = end;
  while (start > 0 && path[start - 1] != '/')
    start--;
  if (start == end && end > 0)
    start--; /* the path is nothing but slashes */
  struct fs_event* state =
      mem_calloc(1, sizeof(*state) + (length + 1) + (end - start + 1));
  if (state == NULL)
    return NULL;
  memcpy(state->path, path, length + 1);
  state->filename = state->path + length + 1;
  memcpy(state->filename, path + start, end - start);
  state->handle = handle;
  state->client = (struct inotify_client){.overflow = fs_event_entry_overflow,
                                          .failed = fs_event_entry_failed,
                                          .fork = fs_event_entry_fork};
  inotify_listener_init(&state->listener, fs_event_entry_changed);
  return state;
}

static int fs_event_entry_start(struct fs_event* state) {
  uv_loop_t* loop = state->handle->loop;
  int err = inotify_join(loop, &state->client);
  if (err != 0)
    return err;
  err = inotify_listen(loop, &state->listener, state->path, 0);
  if (err != 0)
    inotify_leave(loop, &state->client);
  return err;
}

static void fs_event_entry_stop(struct fs_event* state) {
  inotify_unlisten(state->handle->loop, &state->listener);
  inotify_leave(state->handle->loop, &state->client);
}

/* A regular file has no tree: it is watched as without the flag. */
static int fs_event_state_start(struct fs_event* state, unsigned int flags) {
  if (flags & UV_FS_EVENT_RECURSIVE) {
    int err =
        fs_event_tree_start(state->handle, state->path, state->filename, &state->tree);
    if (err != UV_ENOTDIR)
      return err;
  }
  return fs_event_entry_start(state);
}

static void fs_event_close(uv_handle_t* handle) {
  uv_fs_event_stop((uv_fs_event_t*) handle);
  handle_closed(handle);
}

static const struct handle_kind fs_event_kind = {.type = UV_FS_EVENT,
                                                 .close = fs_event_close};

int uv_fs_event_init(uv_loop_t* loop, uv_fs_event_t* handle) {
  handle_init(loop, (uv_handle_t*) handle, &fs_event_kind);
  handle->path = NULL;
  handle->cb = NULL;
  handle->watchers[0] = NULL;
  handle->watchers[1] = NULL;
  handle->wd = -1;
  return 0;
}

int uv_fs_event_start(uv_fs_event_t* handle, uv_fs_event_cb cb, const char* path,
                      unsigned int flags) {
  if (handle_closing((uv_handle_t*) handle) || handle_active((uv_handle_t*) handle) ||
      cb == NULL || path == NULL)
    return UV_EINVAL;
  struct fs_event* state = fs_event_state_new(handle, path);
  if (state == NULL)
    return UV_ENOMEM;
  int err = fs_event_state_start(state, flags);
  if (err != 0) {
    mem_free(state);
    return err;
  }
  handle->watchers[0] = state;
  handle->path = state->path;
  handle->cb = cb;
  handle_start((uv_handle_t*) handle);
  return 0;
}

int uv_fs_event_stop(uv_fs_event_t* handle) {
  if (!handle_active((uv_handle_t*) handle))
    return 0;
  struct fs_event* state = fs_event_state(handle);
  if (state->tree != NULL)
    fs_event_tree_stop(state->tree);
  else
    fs_event_entry_stop(state);
  handle_stop((uv_handle_t*) handle);
  handle->watchers[0] = NULL;
  handle->path = NULL;
  state->handle = NULL;
  if (!state->busy)
    mem_free(state);
  return 0;
}

int uv_fs_event_getpath(uv_fs_event_t* handle, char* buffer, size_t* size) {
  bool active = handle_active((uv_handle_t*) handle);
  return watched_path_give(active ? handle->path : NULL, buffer, size);
}
