/* Watchers: how a handle learns that a descriptor is ready.
 *
 * Interest is only recorded here and reaches the kernel in the poll phase, so that
 * start/stop/start costs no system call. Watchers are level-triggered on both backends:
 * data left unread is reported again on the next turn. A descriptor has at most one
 * started watcher in a loop. A stopped watcher may lose its slot to another one (a poll
 * handle on a stream's socket) and gets it back when it is started again. After
 * watcher_close nothing is delivered any more, not even events that were fetched already,
 * and the descriptor's number may be reused at once.
 *
 * A started watcher gets its events even if the kernel refuses the registration: such a
 * descriptor is asked with poll(2), in every turn while it is ready, otherwise every
 * tenth of a second. So a regular file, which epoll refuses, is always ready; a closed
 * descriptor reports an error; and where memory or watches are short, everything still
 * works, slowly. */
#ifndef RONDO_WATCHER_H
#define RONDO_WATCHER_H

#include "uv.h"

#include <stdbool.h>
#include <sys/epoll.h>

/* Events, in the values that epoll(7) and poll(2) share. WATCH_ERR and WATCH_HUP come
 * without being asked for, turned into the readiness that was asked for (contract I4): a
 * callback sees its own WATCH_IN/WATCH_OUT bits, plus ERR/HUP beside them. WATCH_FED,
 * alone, comes from the pending phase and says nothing about the descriptor: a request of
 * the handle has ended and is to be called back (watcher_feed). */
enum {
  WATCH_IN = EPOLLIN,
  WATCH_PRI = EPOLLPRI,
  WATCH_OUT = EPOLLOUT,
  WATCH_ERR = EPOLLERR,
  WATCH_HUP = EPOLLHUP,
  WATCH_RDHUP = EPOLLRDHUP,
  WATCH_FED = 1u << 16,
};

/* Bits of watcher->flags. */
enum {
  WATCHER_LAST = 1u << 0, /* dispatch after the others of a batch (signals, children) */
  WATCHER_EDGE = 1u << 1, /* one event per change; for descriptors that are never read */
  WATCHER_OPEN = 1u << 2, /* has a slot in the loop's table */
  WATCHER_PAUSED = 1u << 3,
  WATCHER_UNFIT = 1u << 4,    /* epoll refuses this kind of descriptor (a regular file) */
  WATCHER_HELD_OUT = 1u << 5, /* paused for WATCH_OUT alone */
  WATCHER_VAIN_SHIFT = 8,     /* three bits: how often in a row it backed off */
  WATCHER_VAIN = 7u << WATCHER_VAIN_SHIFT,
  /* The bits from here on: readiness that was found without the set, see interest.h. */
  WATCHER_READY_SHIFT = 16,
};

/* A watcher without a descriptor yet (fd = -1). */
void watcher_init(uv__io_t* w, uv__io_cb cb);

/* Gives the watcher its descriptor and reserves the slot, so that start can't fail.
 * UV_ENOMEM, or UV_EEXIST if another watcher of this loop is started on the descriptor.
 * Does not check whether the kernel can watch it: see watcher_check. */
int watcher_open(uv_loop_t* loop, uv__io_t* w, int fd);

void watcher_start(uv_loop_t* loop, uv__io_t* w, unsigned int events);
void watcher_stop(uv_loop_t* loop, uv__io_t* w, unsigned int events);

/* Registers a started watcher now and not in the next poll, if that is possible. */
void watcher_register_early(uv_loop_t* loop, uv__io_t* w);

static inline bool watcher_wants(const uv__io_t* w, unsigned int events) {
  return (w->wanted & events) != 0;
}

/* Whether the kernel watches the descriptor for all that is wanted. False between a start
 * and the next poll, and for as long as the kernel has no memory or no room for it. */
bool watcher_is_registered(const uv_loop_t* loop, const uv__io_t* w);

/* Delivers nothing for a moment, though the watcher stays started: for readiness that
 * can't be used now and would be reported again in every turn. */
void watcher_pause(uv_loop_t* loop, uv__io_t* w);

/* As watcher_pause, for a kind of readiness that turned out to be useless: WATCH_OUT when
 * the kernel took nothing (ENOBUFS), WATCH_IN (with everything else) when it gave
 * nothing. The pause is short at first and doubles each time in a row, up to a tenth of a
 * second. */
void watcher_back_off(uv_loop_t* loop, uv__io_t* w, unsigned int events);
/* Resets watcher_back_off: the readiness could be used. */
static inline void watcher_ease(uv__io_t* w) {
  w->flags &= ~(unsigned int) WATCHER_VAIN;
}
static inline bool watcher_is_held(const uv__io_t* w) {
  return (w->flags & WATCHER_HELD_OUT) != 0;
}

/* Closes the watcher: nothing is delivered any more, not even what watcher_feed put off.
 * To be called before close(fd). Leaves w->fd as it was. */
void watcher_close(uv_loop_t* loop, uv__io_t* w);

/* For a loop that is being closed: the watchers' registrations go with the set. Removing
 * them one by one in a forked child would remove them from the parent, who shares the
 * set. */
void watchers_leave(uv_loop_t* loop);

/* Calls w->cb(loop, w, WATCH_FED) from the next pending phase (contract Q1). */
void watcher_feed(uv_loop_t* loop, uv__io_t* w);

/* 0 if the kernel can watch this descriptor, else the error libuv's users know
 * (UV_EPERM for regular files, UV_EBADF ...). */
int watcher_check(const uv_loop_t* loop, int fd);

/* True if a watcher of this loop is started on the descriptor. */
bool watcher_exists(const uv_loop_t* loop, int fd);

#endif
