/* Watchers: see watcher.h. A watcher records its interest in its slot of the interest set
 * (backend/interest.h), which registers it with the kernel in the next poll. */
#include "loop/watcher.h"

#include "backend/interest.h"
#include "base/backoff.h"
#include "base/queue.h"
#include "loop/loop.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

void watcher_init(uv__io_t* w, uv__io_cb cb) {
  memset(w, 0, sizeof(*w));
  w->cb = cb;
  w->fd = -1;
  queue_init(queue_of(w->pending_queue));
  queue_init(queue_of(w->watcher_queue));
}

static bool watcher_has_slot(const uv_loop_t* loop, const uv__io_t* w) {
  return (w->flags & WATCHER_OPEN) && slot_of(loop, w)->watcher == w;
}

bool watcher_is_registered(const uv_loop_t* loop, const uv__io_t* w) {
  return watcher_has_slot(loop, w) && (slot_of(loop, w)->armed & w->wanted) == w->wanted;
}

/* Gives the slot of w->fd to the watcher, also if an idle watcher has it. Events that the
 * kernel still holds for that watcher carry the old generation and must be removed. */
static void watcher_take_slot(uv_loop_t* loop, uv__io_t* w) {
  struct rondo_slot* slot = slot_of(loop, w);
  assert(!slot_started(slot));
  interest_disarm(loop, w->fd);
  slot->watcher = w;
  slot->idle = true;
  slot->generation++;
}

int watcher_open(uv_loop_t* loop, uv__io_t* w, int fd) {
  if (fd < 0)
    return UV_EBADF;
  assert(!(w->flags & WATCHER_OPEN));
  int err = interest_reserve(loop, (unsigned int) fd);
  if (err != 0)
    return err;
  if (watcher_exists(loop, fd))
    return UV_EEXIST;
  w->fd = fd;
  w->flags |= WATCHER_OPEN;
  watcher_take_slot(loop, w);
  return 0;
}

void watcher_start(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  assert(events != 0);
  if ((w->wanted & events) == events)
    return;
  if (!watcher_has_slot(loop, w))
    watcher_take_slot(loop, w);
  struct rondo_slot* slot = slot_of(loop, w);
  if (w->wanted == 0) {
    loop->nwatchers++;
    w->flags &=
        ~(unsigned int) WATCHER_UNFIT; /* the number may belong to another file by now */
  }
  slot->idle = false;
  w->wanted |= events;
  if ((slot->armed & w->wanted) != w->wanted)
    interest_note(loop, w);
}

void watcher_register_early(uv_loop_t* loop, uv__io_t* w) {
  if (interest_update(loop, w) == 0)
    queue_remove(queue_of(w->watcher_queue));
}

void watcher_stop(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  if ((w->wanted & events) == 0)
    return;
  w->wanted &= ~events;
  if ((events & WATCH_OUT) != 0)
    w->flags &= ~(unsigned int) WATCHER_HELD_OUT;
  if (w->wanted != 0)
    return;
  loop->nwatchers--;
  /* The kernel's registration stays for now, since the watcher may start again before an
   * event comes. */
  queue_remove(queue_of(w->watcher_queue));
  slot_of(loop, w)->idle = true;
}

static void watcher_pause_for(uv_loop_t* loop, uv__io_t* w, uint64_t moment_ns) {
  interest_disarm(loop, w->fd);
  w->flags |= WATCHER_PAUSED;
  interest_pause(loop, moment_ns);
  interest_note(loop, w);
}

void watcher_pause(uv_loop_t* loop, uv__io_t* w) {
  watcher_pause_for(loop, w, INTEREST_PAUSE_NS);
}

void watcher_back_off(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  unsigned int vain = (w->flags & WATCHER_VAIN) >> WATCHER_VAIN_SHIFT;
  uint64_t moment_ns = (uint64_t) INTEREST_PAUSE_NS >> (BACKOFF_VAIN_MOST - vain);
  if (!watcher_wants(w, events))
    return;
  if (vain < BACKOFF_VAIN_MOST)
    w->flags += 1u << WATCHER_VAIN_SHIFT;
  if (events != WATCH_OUT) {
    watcher_pause_for(loop, w, moment_ns);
    return;
  }
  w->flags |= WATCHER_HELD_OUT;
  interest_pause(loop, moment_ns);
  interest_note(loop, w);
}

void watcher_close(uv_loop_t* loop, uv__io_t* w) {
  queue_remove(queue_of(w->pending_queue));
  if (!(w->flags & WATCHER_OPEN))
    return;
  watcher_stop(loop, w, ~0u);
  if (watcher_has_slot(loop, w)) {
    struct rondo_slot* slot = slot_of(loop, w);
    interest_disarm(loop, w->fd); /* the number may soon mean another file */
    slot->watcher = NULL;
    slot->generation++;
  }
  w->flags &= ~(unsigned int) WATCHER_OPEN;
}

void watchers_leave(uv_loop_t* loop) {
  for (unsigned int fd = 0; fd < loop->nslots; fd++)
    loop->slots[fd].armed = 0;
}

bool watcher_exists(const uv_loop_t* loop, int fd) {
  return fd >= 0 && (unsigned int) fd < loop->nslots && slot_started(&loop->slots[fd]);
}

void watcher_feed(uv_loop_t* loop, uv__io_t* w) {
  struct queue* link = queue_of(w->pending_queue);
  if (queue_empty(link))
    queue_push_back(queue_of(loop->pending_queue), link);
}

/* Asks the kernel: adds the descriptor to the set, for no events, and removes it again.
 */
int watcher_check(const uv_loop_t* loop, int fd) {
  struct epoll_event event = {.events = 0};
  if (epoll_ctl(loop->backend_fd, EPOLL_CTL_ADD, fd, &event) == 0)
    return epoll_ctl(loop->backend_fd, EPOLL_CTL_DEL, fd, &event) == 0 ? 0 : -errno;
  return errno == EEXIST ? 0 : -errno;
}
