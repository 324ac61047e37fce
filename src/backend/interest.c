/* The interest set: see interest.h. */
#include "backend/interest.h"

#include "base/alloc.h"
#include "backend/wait_mask.h"
#include "base/own_fd.h"
#include "base/queue.h"
#include "loop/watcher.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The bit that distinguishes "in the set, for no events" from "not in the set". */
enum { ARMED = 1u << 27 };

int interest_reserve(uv_loop_t* loop, unsigned int fd) {
  if (fd < loop->nslots)
    return 0;
  unsigned int count = loop->nslots == 0 ? 32 : loop->nslots;
  while (count <= fd)
    count *= 2;
  struct rondo_slot* slots = mem_realloc_array(loop->slots, count, sizeof(*slots));
  if (slots == NULL)
    return UV_ENOMEM;
  memset(slots + loop->nslots, 0, (count - loop->nslots) * sizeof(*slots));
  loop->slots = slots;
  loop->nslots = count;
  return 0;
}

int interest_open(uv_loop_t* loop) {
  int fd = own_fd_raise(epoll_create1(EPOLL_CLOEXEC));
  if (fd < 0)
    return -errno;
  loop->backend_fd = fd;
  return 0;
}

void interest_close(uv_loop_t* loop) {
  if (loop->backend_fd >= 0)
    close(loop->backend_fd);
  loop->backend_fd = -1;
  mem_free(loop->slots);
  loop->slots = NULL;
  loop->nslots = 0;
}

/* The child has shared the parent's set until now. The set is only closed here, since any
 * change to it would change the parent's. */
int interest_fork(uv_loop_t* loop) {
  int parents = loop->backend_fd;
  int err = interest_open(loop);
  if (err != 0)
    return err;
  close(parents);
  for (unsigned int fd = 0; fd < loop->nslots; fd++) {
    struct rondo_slot* slot = &loop->slots[fd];
    slot->armed = 0;
    if (slot_started(slot))
      interest_note(loop, slot->watcher);
  }
  return 0;
}

static struct epoll_event slot_event(int fd, uint32_t events, uint32_t generation) {
  struct epoll_event event = {.events = events};
  event.data.u64 = (uint64_t) generation << 32 | (uint32_t) fd;
  return event;
}

static int slot_control(uv_loop_t* loop, int operation, int fd, uint32_t events,
                        uint32_t generation) {
  struct epoll_event event = slot_event(fd, events, generation);
  return epoll_ctl(loop->backend_fd, operation, fd, &event) == 0 ? 0 : -errno;
}

/* The events wanted now, without those held back. */
static unsigned int watcher_wanted_now(const uv__io_t* w) {
  return w->wanted & ~(w->flags & WATCHER_HELD_OUT ? (unsigned int) WATCH_OUT : 0);
}

/* The set drops a descriptor by itself when its file is closed, but keeps it when the
 * file is still open elsewhere. So slot->armed may be wrong either way, and both
 * corrections are tried. */
int interest_update(uv_loop_t* loop, uv__io_t* w) {
  struct rondo_slot* slot = slot_of(loop, w);
  uint32_t events =
      watcher_wanted_now(w) | (w->flags & WATCHER_EDGE ? (uint32_t) EPOLLET : 0);
  if (slot->armed == (events | ARMED))
    return 0;
  int operation = slot->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  int err = slot_control(loop, operation, w->fd, events, slot->generation);
  if (err == -EEXIST)
    err = slot_control(loop, EPOLL_CTL_MOD, w->fd, events, slot->generation);
  else if (err == -ENOENT)
    err = slot_control(loop, EPOLL_CTL_ADD, w->fd, events, slot->generation);
  if (err == 0)
    slot->armed = events | ARMED;
  return err;
}

void interest_disarm(uv_loop_t* loop, int fd) {
  struct rondo_slot* slot = &loop->slots[fd];
  if (slot->armed == 0)
    return;
  /* A failure means that the kernel has dropped the descriptor already. */
  slot_control(loop, EPOLL_CTL_DEL, fd, 0, 0);
  slot->armed = 0;
}

/* --- what the set doesn't take ---------------------------------------------------- */

static unsigned int unset_ready(const uv__io_t* w) {
  return w->flags >> WATCHER_READY_SHIFT;
}

/* The wake-up descriptor is edge-triggered and never read, so poll(2) would report it for
 * ever. Nobody needs the answer: a wake-up shows in the loop's flags too. */
static unsigned int unset_ask(const uv__io_t* w) {
  unsigned int wanted = watcher_wanted_now(w);
  struct pollfd about = {.fd = w->fd, .events = (short) wanted};
  if ((w->flags & WATCHER_EDGE) || poll(&about, 1, 0) <= 0)
    return 0;
  unsigned int events = (unsigned int) about.revents & 0xffff;
  return events & POLLNVAL ? WATCH_ERR : events & (wanted | WATCH_ERR | WATCH_HUP);
}

/* All pauses end at the same time, so that a new one doesn't prolong an old one. */
void interest_pause(uv_loop_t* loop, uint64_t moment_ns) {
  uint64_t end = loop->now_ns + moment_ns;
  if (loop->now_ns >= loop->pauses_end || end < loop->pauses_end)
    loop->pauses_end = end;
}

/* The time until the pauses end, if that is less than timeout_ns. */
static int64_t pause_left(const uv_loop_t* loop, int64_t timeout_ns) {
  int64_t left =
      loop->pauses_end > loop->now_ns ? (int64_t) (loop->pauses_end - loop->now_ns) : 0;
  return timeout_ns < 0 || timeout_ns > left ? left : timeout_ns;
}

/* True if the set has the descriptor now, for all events that are wanted. */
static bool interest_register(uv_loop_t* loop, uv__io_t* w) {
  const unsigned int bits = (1u << WATCHER_READY_SHIFT) - 1;
  w->flags &= bits & ~(unsigned int) WATCHER_PAUSED;
  int err = w->flags & WATCHER_UNFIT ? -EPERM : interest_update(loop, w);
  if (err == 0)
    return !(w->flags & WATCHER_HELD_OUT);
  unsigned int events = unset_ask(w);
  /* EPERM means a file that is always readable and writable, or a sandbox that refuses
   * every descriptor. */
  if (err == -EPERM && events != 0)
    w->flags |= WATCHER_UNFIT;
  w->flags |= events << WATCHER_READY_SHIFT;
  if (events == 0) {
    w->flags |= WATCHER_PAUSED;
    interest_pause(loop, INTEREST_PAUSE_NS);
  }
  return false;
}

int64_t interest_flush(uv_loop_t* loop, int64_t timeout_ns) {
  struct queue* changed = queue_of(loop->changed_queue);
  if (queue_empty(changed))
    return timeout_ns;
  /* Computed before new pauses begin. */
  bool pauses_are_over = loop->now_ns >= loop->pauses_end;
  struct queue batch;
  queue_move(changed, &batch);
  struct queue* link;
  while ((link = queue_first(&batch)) != NULL) {
    uv__io_t* w = rondo_container_of(link, uv__io_t, watcher_queue);
    queue_remove(link);
    if (pauses_are_over)
      w->flags &= ~(unsigned int) (WATCHER_PAUSED | WATCHER_HELD_OUT);
    bool try_now = !(w->flags & WATCHER_PAUSED);
    if (try_now && interest_register(loop, w))
      continue;
    queue_push_back(changed, link);
    timeout_ns = pause_left(loop, timeout_ns);
    if (unset_ready(w) != 0) {
      loop->flags |= LOOP_UNSET_READY;
      timeout_ns = 0;
    }
  }
  return timeout_ns;
}

int interest_fetch_unset(uv_loop_t* loop, struct epoll_event* events, int max) {
  if (!(loop->flags & LOOP_UNSET_READY))
    return 0;
  loop->flags &= ~(unsigned int) LOOP_UNSET_READY;
  struct queue* changed = queue_of(loop->changed_queue);
  struct queue batch;
  /* Descriptors that were reported go to the end of the list, so that with little room
   * each gets its turn. */
  struct queue fetched;
  queue_move(changed, &batch);
  queue_init(&fetched);
  int count = 0;
  struct queue* link;
  while ((link = queue_first(&batch)) != NULL) {
    uv__io_t* w = rondo_container_of(link, uv__io_t, watcher_queue);
    queue_remove(link);
    bool fetch = unset_ready(w) != 0 && count < max;
    queue_push_back(fetch ? &fetched : changed, link);
    if (fetch)
      events[count++] = slot_event(w->fd, unset_ready(w), slot_of(loop, w)->generation);
  }
  queue_append(changed, &fetched);
  return count;
}

void interest_narrow(uv_loop_t* loop, int fd) {
  struct rondo_slot* slot = &loop->slots[fd];
  if (slot_started(slot))
    interest_update(loop, slot->watcher);
  else
    interest_disarm(loop, fd);
}

static int wait_coarse(int set, int64_t timeout_ns, struct epoll_event* events, int max,
                       const sigset_t* mask) {
  int timeout = -1;
  if (timeout_ns >= 0) { /* rounded up: waking early would mean waking twice */
    int64_t ms = timeout_ns / 1000000 + (timeout_ns % 1000000 != 0);
    timeout = ms > INT_MAX ? INT_MAX : (int) ms;
  }
  /* Passing a mask costs time in the kernel even if it is NULL, and a busy loop comes
   * here in every turn. */
  return mask == NULL ? epoll_wait(set, events, max, timeout)
                      : epoll_pwait(set, events, max, timeout, mask);
}

static int wait_fine(int set, int64_t timeout_ns, struct epoll_event* events, int max,
                     const sigset_t* mask) {
  struct timespec time = {.tv_sec = timeout_ns / 1000000000,
                          .tv_nsec = timeout_ns % 1000000000};
  return epoll_pwait2(set, events, max, &time, mask);
}

int interest_wait(uv_loop_t* loop, int64_t timeout_ns, struct epoll_event* events,
                  int max) {
  static _Atomic bool coarse; /* no epoll_pwait2: old kernel or sandbox */
  interest_looked(loop);
  sigset_t storage;
  const sigset_t* mask = wait_mask_of(loop, &storage);
  /* For no wait, and for one without a time-out, the older call does the same for less.
   */
  bool fine = timeout_ns > 0 && !atomic_load_explicit(&coarse, memory_order_relaxed);
  int n = -1;
  if (fine) {
    n = wait_fine(loop->backend_fd, timeout_ns, events, max, mask);
    if (n < 0 && (errno == ENOSYS || errno == EPERM)) {
      atomic_store_explicit(&coarse, true, memory_order_relaxed);
      fine = false;
    }
  }
  if (!fine)
    n = wait_coarse(loop->backend_fd, timeout_ns, events, max, mask);
  assert(n >= 0 || errno == EINTR);
  return n < 0 ? 0 : n;
}
