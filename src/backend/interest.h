/* The interest set: which descriptors the kernel watches for a loop, and for what.
 *
 * Both backends wait on the same kind of set, an epoll instance; they differ in how they
 * wait. The io_uring backend does not hand each descriptor to the ring as a poll request,
 * although it could: such a request holds a reference to the open file, so a socket that
 * is closed, by the program or by its end, stays open until the kernel has cleaned up the
 * ring. (Measured on Linux 6.18: after SIGKILL a listening port stays taken for 10 to 20
 * ms. A set entry holds no reference: the port is free when the process is gone.)
 *
 * The table of slots is indexed by descriptor. A slot knows its watcher, the mask the
 * kernel has, and a generation that changes whenever the slot changes hands; the kernel's
 * events carry descriptor and generation, so that a stale event is recognised without
 * touching anybody's memory (contract I3, C2). */
#ifndef RONDO_INTEREST_H
#define RONDO_INTEREST_H

#include "base/queue.h"
#include "loop/loop.h"
#include "loop/watcher.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct rondo_slot {
  uv__io_t* watcher; /* NULL: nobody has the descriptor open on this loop */
  uint32_t generation : 31;
  uint32_t idle : 1; /* the watcher is stopped, and its memory isn't read */
  uint32_t armed;    /* the mask the kernel has; 0: the descriptor isn't in the set */
};

/* Whether there is a watcher that wants events. The memory of a stopped watcher isn't
 * read: some programs free a handle that they have stopped, or whose connection failed,
 * without closing it (pmproxy, of Performance Co-Pilot). */
static inline bool slot_started(const struct rondo_slot* slot) {
  return slot->watcher != NULL && !slot->idle;
}

static inline int event_fd(const struct epoll_event* event) {
  return (int) (uint32_t) event->data.u64;
}

static inline uint32_t event_generation(const struct epoll_event* event) {
  return (uint32_t) (event->data.u64 >> 32);
}

/* Makes an empty set, in loop->backend_fd. */
int interest_open(uv_loop_t* loop);
void interest_close(uv_loop_t* loop);

/* In a forked child: makes a new set and records all interest for registration. */
int interest_fork(uv_loop_t* loop);

/* Registers with the kernel the interest recorded since the last time. A descriptor that
 * the kernel refuses, for whatever reason, stays recorded and is asked with poll(2).
 * Returns how long the loop may sleep now, at most timeout_ns: a short time if such
 * descriptors remain, and 0 if one of them is ready. */
int64_t interest_flush(uv_loop_t* loop, int64_t timeout_ns);

/* The events that the last flush found without the set, max at most. To be fetched after
 * those of the set, which get interest_room of the batch's max. */
int interest_fetch_unset(uv_loop_t* loop, struct epoll_event* events, int max);

/* With room for one event only, the set and the other descriptors alternate. */
static inline int interest_room(const uv_loop_t* loop, int max) {
  if (!(loop->flags & LOOP_UNSET_READY))
    return max;
  return max > 1 ? max - 1 : (int) (loop->turns & 1);
}

/* Waits on the set with plain system calls, epoll_pwait2 or, where the kernel has only
 * that, epoll_pwait. Returns the number of events; 0 when the time is up or the wait was
 * interrupted. */
int interest_wait(uv_loop_t* loop, int64_t timeout_ns, struct epoll_event* events,
                  int max);

/* True if a non-blocking epoll_wait can be skipped: only the wake-up is registered, which
 * the loop finds in memory too, and it need not be taken out of the set now (wake.c). */
static inline bool interest_needs_no_look(const uv_loop_t* loop, int64_t timeout_ns) {
  return timeout_ns == 0 && loop->nwatchers <= 1 && !(loop->flags & LOOP_MUST_LOOK);
}

/* To be called when the set is read: that takes a wake-up out of it. */
static inline void interest_looked(uv_loop_t* loop) {
  loop->flags &= ~(unsigned int) (LOOP_MUST_LOOK | LOOP_MARKED);
}

/* --- for watchers (loop/watcher.c) -------------------------------------------------- */

/* Makes room in the table for a descriptor's slot; UV_ENOMEM. */
int interest_reserve(uv_loop_t* loop, unsigned int fd);

static inline struct rondo_slot* slot_of(const uv_loop_t* loop, const uv__io_t* w) {
  assert(w->flags & WATCHER_OPEN);
  assert((unsigned int) w->fd < loop->nslots);
  return &loop->slots[w->fd];
}

/* Records that the kernel's mask for a watcher is out of date. */
static inline void interest_note(uv_loop_t* loop, uv__io_t* w) {
  struct queue* link = queue_of(w->watcher_queue);
  if (queue_empty(link))
    queue_push_back(queue_of(loop->changed_queue), link);
}

/* Updates the kernel's mask for a watcher now. Returns 0 or the kernel's error. */
int interest_update(uv_loop_t* loop, uv__io_t* w);
/* Removes a descriptor from the set, if it is in it. */
void interest_disarm(uv_loop_t* loop, int fd);
/* Ends all pauses after this time at most. Until then a recorded watcher that is paused
 * stays out of the set; of one that is held, WATCH_OUT does. */
void interest_pause(uv_loop_t* loop, uint64_t moment_ns);
/* The longest pause. */
enum { INTEREST_PAUSE_NS = 100 * 1000000 };

/* Sets the kernel's mask for this descriptor to what is wanted now; called when an event
 * comes that no watcher wants any more. */
void interest_narrow(uv_loop_t* loop, int fd);

#endif
