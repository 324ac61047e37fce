/* The loop's inotify descriptor: see inotify.h.
 *
 * Watches are found by the number the kernel gave them (wd). A watch leaves the table the
 * moment it is removed, by the loop or by the kernel (IN_IGNORED). So an event still
 * queued for it finds no watch, and a number that the kernel reuses means the new file.
 */
#include "handle/inotify.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/own_fd.h"
#include "base/table.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum {
  MEANS_CHANGE = IN_ATTRIB | IN_MODIFY,
  MEANS_RENAME =
      IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_MOVED_FROM | IN_MOVED_TO,
  /* Room for some hundred events; and how often the buffer is filled before other handles
   * of the loop get their turn. */
  BUFFER_SIZE = 16384,
  READS_MAX = 16,
  EVENT_MAX = sizeof(struct inotify_event) + NAME_MAX + 1,
};

struct inotify_watch {
  struct table_link by_wd;
  struct queue listeners;
  size_t count; /* number of listeners, including those of a batch being notified */
  int wd;
  bool listed; /* in the table: the kernel has it */
  bool busy;   /* its listeners are being notified: not to be freed */
};

struct inotify {
  struct loop_part part;
  uv__io_t watcher;
  struct table watches;
  struct queue clients;
  struct queue round; /* clients that are still to be notified in this round */
  size_t count;       /* of clients */
  /* Counts the descriptors: events of an older one are ignored. */
  unsigned int generation;
};

int inotify_events(uint32_t mask) {
  return (mask & MEANS_CHANGE ? UV_CHANGE : 0) |
         (mask & (MEANS_RENAME | IN_UNMOUNT) ? UV_RENAME : 0);
}

/* --- watches --------------------------------------------------------------------- */

static uint64_t inotify_wd_hash(int wd) {
  return hash_number((uint64_t) wd);
}

static struct inotify_watch* inotify_watch_find(const struct inotify* inotify, int wd) {
  struct table_link* link = table_find(&inotify->watches, inotify_wd_hash(wd));
  while (link != NULL) {
    struct inotify_watch* watch = rondo_container_of(link, struct inotify_watch, by_wd);
    if (watch->wd == wd)
      return watch;
    link = table_next(link);
  }
  return NULL;
}

static struct inotify_watch* inotify_watch_new(struct inotify* inotify, int wd) {
  struct inotify_watch* watch = mem_calloc(1, sizeof(*watch));
  if (watch == NULL || table_reserve(&inotify->watches) != 0) {
    mem_free(watch);
    return NULL;
  }
  watch->wd = wd;
  watch->listed = true;
  queue_init(&watch->listeners);
  table_insert(&inotify->watches, &watch->by_wd, inotify_wd_hash(wd));
  return watch;
}

/* Takes the watch off the table. A watch that is being notified is freed afterwards. */
static void inotify_watch_forget(struct inotify* inotify, struct inotify_watch* watch) {
  if (watch->listed)
    table_remove(&inotify->watches, &watch->by_wd);
  watch->listed = false;
  if (!watch->busy && watch->count == 0)
    mem_free(watch);
}

static void inotify_watch_detach(struct inotify_watch* watch,
                                 struct inotify_listener* listener) {
  assert(listener->watch == watch && watch->count > 0);
  queue_remove(&listener->link);
  listener->watch = NULL;
  watch->count--;
}

void inotify_listener_init(struct inotify_listener* listener,
                           void (*notify)(struct inotify_listener*,
                                          const struct inotify_event*)) {
  queue_init(&listener->link);
  listener->watch = NULL;
  listener->notify = notify;
}

int inotify_listen(uv_loop_t* loop, struct inotify_listener* listener, const char* path,
                   uint32_t flags) {
  struct inotify* inotify = loop->inotify_state;
  assert(listener->watch == NULL);
  int wd =
      inotify_add_watch(inotify->watcher.fd, path, MEANS_CHANGE | MEANS_RENAME | flags);
  if (wd < 0)
    return -errno;
  struct inotify_watch* watch = inotify_watch_find(inotify, wd);
  if (watch == NULL)
    watch = inotify_watch_new(inotify, wd);
  if (watch == NULL) {
    inotify_rm_watch(inotify->watcher.fd, wd);
    return UV_ENOMEM;
  }
  queue_push_back(&watch->listeners, &listener->link);
  listener->watch = watch;
  watch->count++;
  return 0;
}

void inotify_unlisten(uv_loop_t* loop, struct inotify_listener* listener) {
  struct inotify* inotify = loop->inotify_state;
  struct inotify_watch* watch = listener->watch;
  if (watch == NULL)
    return;
  inotify_watch_detach(watch, listener);
  if (watch->count > 0)
    return;
  /* Fails if the kernel has removed the watch and IN_IGNORED hasn't been read yet. */
  if (watch->listed)
    inotify_rm_watch(inotify->watcher.fd, watch->wd);
  inotify_watch_forget(inotify, watch);
}

/* --- notifying ------------------------------------------------------------------- */

static void inotify_notify_watch(struct inotify* inotify, struct inotify_watch* watch,
                                 const struct inotify_event* event) {
  bool gone = (event->mask & IN_IGNORED) != 0;
  struct queue batch;
  watch->busy = true;
  if (gone)
    inotify_watch_forget(inotify, watch);
  queue_move(&watch->listeners, &batch);
  while (!queue_empty(&batch)) {
    struct queue* link = queue_first(&batch);
    struct inotify_listener* listener =
        rondo_container_of(link, struct inotify_listener, link);
    if (gone) {
      inotify_watch_detach(watch, listener);
    } else {
      queue_remove(link);
      queue_push_back(&watch->listeners, link);
    }
    listener->notify(listener, event);
  }
  watch->busy = false;
  if (!watch->listed && watch->count == 0)
    mem_free(watch);
}

/* The next client of the round, NULL when all were notified. */
static struct inotify_client* inotify_next_client(struct inotify* inotify) {
  struct queue* link = queue_first(&inotify->round);
  if (link == NULL)
    return NULL;
  queue_remove(link);
  queue_push_back(&inotify->clients, link);
  return rondo_container_of(link, struct inotify_client, link);
}

static void inotify_notify_overflow(struct inotify* inotify) {
  queue_move(&inotify->clients, &inotify->round);
  for (struct inotify_client* client; (client = inotify_next_client(inotify)) != NULL;)
    client->overflow(client);
}

/* A descriptor that can't be read stays readable: if it were still watched, the loop
 * would spin. */
static void inotify_fail(uv_loop_t* loop, struct inotify* inotify, int err) {
  watcher_stop(loop, &inotify->watcher, WATCH_IN);
  queue_move(&inotify->clients, &inotify->round);
  for (struct inotify_client* client; (client = inotify_next_client(inotify)) != NULL;)
    client->failed(client, err);
}

/* An event without a name has no bytes for one either. */
static void inotify_dispatch(struct inotify* inotify, const struct inotify_event* event) {
  if (event->mask & IN_Q_OVERFLOW) {
    inotify_notify_overflow(inotify);
    return;
  }
  struct inotify_watch* watch = inotify_watch_find(inotify, event->wd);
  if (watch == NULL)
    return;
  if (event->len > 0) {
    inotify_notify_watch(inotify, watch, event);
    return;
  }
  union {
    struct inotify_event event;
    char bytes[sizeof(struct inotify_event) + 1];
  } nameless = {.event = *event};
  nameless.bytes[sizeof(struct inotify_event)] = '\0';
  inotify_notify_watch(inotify, watch, &nameless.event);
}

static void inotify_settle(uv_loop_t* loop, struct inotify* inotify) {
  queue_move(&inotify->clients, &inotify->round);
  for (struct inotify_client* client; (client = inotify_next_client(inotify)) != NULL;) {
    if (client->settle != NULL && client->settle(client))
      watcher_feed(loop, &inotify->watcher);
  }
}

/* False when no client is left, or uv_loop_fork has made a new descriptor. */
static bool inotify_dispatch_all(struct inotify* inotify, const char* buffer,
                                 size_t length) {
  unsigned int generation = inotify->generation;
  for (size_t offset = 0; offset < length;) {
    const struct inotify_event* event =
        (const struct inotify_event*) (const void*) (buffer + offset);
    offset += sizeof(*event) + event->len;
    inotify_dispatch(inotify, event);
    if (inotify->count == 0 || inotify->generation != generation)
      return false;
  }
  return true;
}

static void inotify_ready(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  struct inotify* inotify = rondo_container_of(w, struct inotify, watcher);
  _Alignas(struct inotify_event) char buffer[BUFFER_SIZE];
  (void) events;
  for (int i = 0; i < READS_MAX; i++) {
    ssize_t n = read(w->fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno != EAGAIN) {
      inotify_fail(loop, inotify, -errno);
      return;
    }
    if (n <= 0)
      break;
    if (!inotify_dispatch_all(inotify, buffer, (size_t) n))
      return;
    if ((size_t) n <= sizeof(buffer) - EVENT_MAX)
      break; /* the buffer had room for another event: there was none */
  }
  inotify_settle(loop, inotify);
}

/* --- the descriptor's life ------------------------------------------------------- */

static int inotify_open(uv_loop_t* loop, struct inotify* inotify) {
  int fd = own_fd_raise(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (fd < 0)
    return -errno;
  watcher_init(&inotify->watcher, inotify_ready);
  int err = watcher_open(loop, &inotify->watcher, fd);
  if (err != 0) {
    close(fd);
    inotify->watcher.fd = -1;
    return err;
  }
  inotify->generation++;
  return 0;
}

static void inotify_close(uv_loop_t* loop, struct inotify* inotify) {
  if (inotify->watcher.fd < 0)
    return;
  watcher_close(loop, &inotify->watcher);
  close(inotify->watcher.fd);
  inotify->watcher.fd = -1;
}

/* The parent's descriptor is only closed: removing a watch from it would remove the
 * parent's watch too. Listeners that are being notified right now are not in the table;
 * their clients make sure that all of them have left before they listen again. */
static int inotify_fork(uv_loop_t* loop, struct loop_part* part) {
  struct inotify* inotify = rondo_container_of(part, struct inotify, part);
  for (struct table_link* link; (link = table_any(&inotify->watches)) != NULL;) {
    struct inotify_watch* watch = rondo_container_of(link, struct inotify_watch, by_wd);
    while (!queue_empty(&watch->listeners))
      inotify_watch_detach(watch, rondo_container_of(queue_first(&watch->listeners),
                                                     struct inotify_listener, link));
    inotify_watch_forget(inotify, watch);
  }
  inotify_close(loop, inotify);
  queue_append(&inotify->clients, &inotify->round); /* ends a round that is under way */
  if (inotify->count == 0)
    return 0;
  int err = inotify_open(loop, inotify);
  if (err != 0)
    return err;
  watcher_start(loop, &inotify->watcher, WATCH_IN);
  for (struct queue* link = queue_first(&inotify->clients); link != NULL;
       link = queue_next(&inotify->clients, link)) {
    struct inotify_client* client = rondo_container_of(link, struct inotify_client, link);
    int failed = client->fork(client);
    err = err == 0 ? failed : err;
  }
  return err;
}

static void inotify_free(uv_loop_t* loop, struct loop_part* part) {
  struct inotify* inotify = rondo_container_of(part, struct inotify, part);
  assert(inotify->count == 0);
  inotify_close(loop, inotify);
  table_free(&inotify->watches);
  mem_free(inotify);
}

int inotify_join(uv_loop_t* loop, struct inotify_client* client) {
  struct inotify* inotify = loop->inotify_state;
  if (inotify == NULL) {
    inotify = mem_calloc(1, sizeof(*inotify));
    if (inotify == NULL)
      return UV_ENOMEM;
    inotify->part = (struct loop_part){.fork = inotify_fork, .close = inotify_free};
    inotify->watcher.fd = -1;
    queue_init(&inotify->clients);
    queue_init(&inotify->round);
    loop->inotify_state = inotify;
  }
  int err = inotify->watcher.fd < 0 ? inotify_open(loop, inotify) : 0;
  if (err != 0)
    return err;
  queue_push_back(&inotify->clients, &client->link);
  inotify->count++;
  watcher_start(loop, &inotify->watcher, WATCH_IN);
  return 0;
}

/* Events that the kernel still holds for removed watches must not wake the loop. */
void inotify_leave(uv_loop_t* loop, struct inotify_client* client) {
  struct inotify* inotify = loop->inotify_state;
  queue_remove(&client->link);
  inotify->count--;
  if (inotify->count == 0 && inotify->watcher.fd >= 0)
    watcher_stop(loop, &inotify->watcher, WATCH_IN);
}
