/* The loop's room: what the loop offers to the handles and requests above it.
 *
 * A handle is born with handle_init, counts as alive between handle_start and
 * handle_stop, and is closed through its kind. A request counts as alive between
 * req_begin and req_end. Nothing here may be called from another thread, except
 * loop_wake. Handles never name a backend: they know watchers (watcher.h) and completions
 * (below) only. */
#ifndef RONDO_LOOP_H
#define RONDO_LOOP_H

#include "uv.h"
#include "rondo.h"
#include "base/queue.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Bits of handle->flags. Rooms may use the bits from HANDLE_ROOM upwards as they like;
 * HANDLE_BLOCKING_WRITES keeps libuv's value, because some programs test it. */
enum {
  HANDLE_CLOSING = 1u << 0, /* uv_close was called */
  HANDLE_CLOSED = 1u << 1,  /* the close callback has been called, or is next */
  HANDLE_ACTIVE = 1u << 2,
  HANDLE_REFERENCED = 1u << 3,
  HANDLE_INTERNAL = 1u << 4, /* the library's own handle: invisible to walk and close */
  HANDLE_ROOM = 1u << 6,
  HANDLE_BLOCKING_WRITES = 1u << 20,
};

/* Bits of loop->flags. */
enum {
  LOOP_BLOCK_SIGPROF = 1u << 0,
  LOOP_IDLE_TIME = 1u << 1, /* measure how long the poll waits */
  LOOP_LEFTOVER = 1u << 2,  /* a limit left callbacks for the next turn */
  LOOP_OWED = 1u << 3, /* some of those are notifications or finished work of the poll */
  LOOP_MUST_LOOK = 1u << 4, /* take the wake-up out of the interest set: see wake.c */
  LOOP_CLOCK_FRESH = 1u << 5,
  LOOP_MARKED = 1u << 7, /* the set is readable because loop_notify_outer made it so */
  LOOP_UNSET_READY = 1u << 6, /* a descriptor that the set doesn't have is ready */
};

/* A kind of handle, by what its handles do when they are closed. `close` stops it at
 * once, gives back its descriptors and calls handle_closed now or, if something is still
 * under way, later. `finish` (may be NULL) runs in the closing phase just before the
 * close callback: the place to call back the requests that are still queued with
 * UV_ECANCELED. */
struct handle_kind {
  uv_handle_type type;
  void (*close)(uv_handle_t* handle);
  void (*finish)(uv_handle_t* handle);
};

/* Life of a handle. handle_init sets every common field except data. */
void handle_init(uv_loop_t* loop, uv_handle_t* handle, const struct handle_kind* kind);
/* Undoes handle_init for an init function that fails later on. */
void handle_uninit(uv_handle_t* handle);
/* Removes the handle from the loop's list of handles. */
void handle_unlink(uv_handle_t* handle);
/* Puts the handle on the list of this turn's closing phase. */
void handle_closed(uv_handle_t* handle);

static inline const struct handle_kind* handle_kind(const uv_handle_t* handle) {
  return (const struct handle_kind*) handle->u.reserved[0];
}

static inline bool handle_active(const uv_handle_t* handle) {
  return (handle->flags & HANDLE_ACTIVE) != 0;
}

static inline bool handle_closing(const uv_handle_t* handle) {
  return (handle->flags & (HANDLE_CLOSING | HANDLE_CLOSED)) != 0;
}

static inline void handle_start(uv_handle_t* handle) {
  if (handle->flags & HANDLE_ACTIVE)
    return;
  handle->flags |= HANDLE_ACTIVE;
  if (handle->flags & HANDLE_REFERENCED)
    handle->loop->active_handles++;
  trace_begun_handle(handle->loop, handle);
}

static inline void handle_stop(uv_handle_t* handle) {
  if (!(handle->flags & HANDLE_ACTIVE))
    return;
  handle->flags &= ~(unsigned) HANDLE_ACTIVE;
  if (handle->flags & HANDLE_REFERENCED) {
    assert(handle->loop->active_handles > 0);
    handle->loop->active_handles--;
  }
}

/* Life of a request. req_begin sets the type and counts the request as active. */
static inline void req_begin(uv_loop_t* loop, uv_req_t* req, uv_req_type type) {
  req->type = type;
  loop->active_reqs.count++;
  trace_begun_req(loop, req, type);
}

static inline void req_end(uv_loop_t* loop, const void* req) {
  assert(loop->active_reqs.count > 0);
  loop->active_reqs.count--;
  trace_req_end(loop, req);
}

/* Every callback to the program is made with this: loop_call_back(loop, subject, detail,
 * function, arguments…). The callback is counted, so that UV_RUN_ONCE knows of progress.
 * The subject (subject_handle and so on, trace.h) and the detail (a status, a size or 0)
 * are for the recorder, and are not evaluated while the loop isn't recorded. */
#define loop_call_back(loop, ...)                                                        \
  do {                                                                                   \
    (loop)->callbacks_run++;                                                             \
    trace_call(loop, __VA_ARGS__);                                                       \
  } while (0)

bool loop_alive(const uv_loop_t* loop);

/* uv_loop_init for a loop of the process's simulated world. */
int loop_init_simulated(uv_loop_t* loop);

/* How many forks lie between this process and the one that first made a loop. */
extern unsigned int loop_forks;

/* False in a forked child that hasn't called uv_loop_fork: threads that worked for this
 * loop don't exist in the child. */
static inline bool loop_is_ours(const uv_loop_t* loop) {
  return loop->forks == loop_forks;
}

/* Nanoseconds until the poll must return: 0, or the time to the first timer, or -1 for
 * ever (contract I1). */
int64_t loop_poll_timeout(const uv_loop_t* loop);
/* Work is waiting for its phase, so the poll must not sleep. */
bool loop_work_waits(const uv_loop_t* loop);

/* Finished work is progress only if a callback was made or a request has ended; the work
 * may have been resubmitted instead, from the ring to the pool for example. Without
 * progress the poll sleeps again, unless there is a reason not to (contract L8). */
struct loop_progress {
  unsigned int callbacks;
  unsigned int requests;
};

static inline struct loop_progress loop_progress_begin(const uv_loop_t* loop) {
  return (struct loop_progress){.callbacks = loop->callbacks_run,
                                .requests = loop->active_reqs.count};
}

static inline bool loop_has_progressed(const uv_loop_t* loop,
                                       struct loop_progress before) {
  return loop->callbacks_run != before.callbacks ||
         loop->active_reqs.count != before.requests || loop_poll_timeout(loop) == 0;
}

/* --- The clock ------------------------------------------------------------------- */
uint64_t clock_now_ns(void);
void clock_update(uv_loop_t* loop);
/* As clock_update, where none of the program's code is on the stack. clock_look_again
 * skips reading the clock once, if no callback has run since clock_look. Two readings in
 * a row are never skipped, so that time passes even in a loop that turns without
 * callbacks. */
void clock_look(uv_loop_t* loop);
void clock_look_again(uv_loop_t* loop);
static inline uint64_t clock_ms(const uv_loop_t* loop) {
  return loop->now_ns / 1000000;
}

/* --- The phases ------------------------------------------------------------------ */
void timers_run(uv_loop_t* loop);
/* Nanoseconds to the first timer, -1 without one. */
int64_t timers_next_ns(const uv_loop_t* loop);
void timers_free(uv_loop_t* loop);
void pending_run(uv_loop_t* loop);
void idle_run(uv_loop_t* loop);
void prepare_run(uv_loop_t* loop);
void check_run(uv_loop_t* loop);
void poll_run(uv_loop_t* loop, int64_t timeout_ns);
void closing_run(uv_loop_t* loop);

/* --- Waking ---------------------------------------------------------------------- */
/* Kinds of notification from another thread or a signal handler. The loop calls
 * loop->on_wake[kind] once in its next poll phase, for any number of notifications;
 * signals come last. No system call is made while the loop is awake or already notified.
 */
enum { WAKE_ASYNC = 0, WAKE_WORK = 1, WAKE_SIGNAL = 2, WAKE_KINDS = 3 };
void loop_wake(uv_loop_t* loop, unsigned int kind);

int wake_open(uv_loop_t* loop);
void wake_close(uv_loop_t* loop);
static inline bool wake_has_news(const uv_loop_t* loop) {
  return __atomic_load_n(&loop->wake_flags, __ATOMIC_ACQUIRE) != 0;
}
/* Marks the loop as asleep. False, and the loop stays awake, if there is a notification.
 */
bool wake_try_sleep(uv_loop_t* loop);
void wake_set_awake(uv_loop_t* loop);
/* Values of loop->wake_state. */
enum {
  WAKE_STATE_ASLEEP = 0, /* also while uv_run isn't running */
  WAKE_STATE_AWAKE = 1,
  WAKE_STATE_NOTIFIED = 2, /* asleep, and wake_fd was written to */
  WAKE_STATE_SPINS = 3,
};
/* For the loop's thread: false between two runs. */
static inline bool wake_is_awake(const uv_loop_t* loop) {
  return __atomic_load_n(&loop->wake_state, __ATOMIC_RELAXED) == WAKE_STATE_AWAKE;
}
/* Makes the backend's descriptor readable between two runs. */
void wake_mark(uv_loop_t* loop);
/* For the loop's thread, when there is something to do: between two runs makes the
 * backend's descriptor readable, because an outer loop may be watching it. */
static inline void loop_notify_outer(uv_loop_t* loop) {
  if (!(loop->flags & LOOP_MARKED) && !wake_is_awake(loop))
    wake_mark(loop);
}
/* A run begins. If the loop isn't alive, the run will not poll. */
void wake_entered(uv_loop_t* loop, uv_run_mode mode, bool alive);
/* The run is over: from now on a notification must also make the backend's descriptor
 * readable, for an outer loop may be watching it. */
void wake_left(uv_loop_t* loop);
/* wake_take takes the notifications that have come so far; wake_deliver calls on_wake for
 * the kinds in the given bit set and returns whether that was progress. Taking and
 * delivering are two steps, because a notification that arrives during the delivery is
 * for the next poll. wake_give_back puts back notifications that were taken and not
 * delivered. */
void wake_take(uv_loop_t* loop);
bool wake_deliver(uv_loop_t* loop, unsigned int kinds);
void wake_give_back(uv_loop_t* loop);

/* Spins for a notification, for a moment and not beyond the deadline, if there is reason
 * to expect one (look_out.c). True if one came. */
bool look_out(uv_loop_t* loop, uint64_t deadline);
/* After a sleep: records whether a spin instead would have been won. */
void look_out_learn(uv_loop_t* loop, uint64_t slept_ns);
/* Makes the loop the one that this thread runs. Returns the loop it ran before, which is
 * to be passed to look_out_leave. */
uv_loop_t* look_out_enter(uv_loop_t* loop);
void look_out_leave(uv_loop_t* outer);
/* This thread has woken a loop that is spinning. */
void look_out_partner_spins(const uv_loop_t* partner);
/* Before and after a spin: whoever wakes the loop sees that it spins. */
void wake_spin_begin(uv_loop_t* loop);
void wake_spin_end(uv_loop_t* loop);

void async_loop_init(uv_loop_t* loop);
void async_loop_close(uv_loop_t* loop);
void async_fork(uv_loop_t* loop);

/* --- Completions ----------------------------------------------------------------- */
/* For work that has finished on the loop's thread: w->done(w, status) is called from the
 * next poll phase, which doesn't block, and never from inside this call. The status is 0
 * or UV_ECANCELED; a richer result is kept in the caller's own structure. */
void loop_complete(uv_loop_t* loop, struct uv__work* w, int status);

/* --- Parts that rooms hang on a loop --------------------------------------------- */
/* loop->signal_state, process_state, inotify_state, work_state and file_state point to
 * structures of their rooms that begin with one of these, made on first use.
 * uv_loop_fork calls `fork` in the child (after the backend and the wake-up are new),
 * uv_loop_close calls `close`. */
struct loop_part {
  int (*fork)(uv_loop_t* loop, struct loop_part* part);
  void (*close)(uv_loop_t* loop, struct loop_part* part);
};

#endif
