/* The poll phase: sleeps on the backend, delivers what is finished, dispatches what is
 * ready, then what other threads have sent. */
#include "backend/backend.h"
#include "backend/interest.h"
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "loop/watcher.h"
#include "sim/sim.h"

/* Deadlines are in the loop's time. Waits are cut at a year and begun again, because
 * kernels add the time-out to their clock without checking for overflow. */
static const uint64_t NEVER = UINT64_MAX;
static const uint64_t LONGEST_WAIT_NS = (uint64_t) 365 * 24 * 60 * 60 * 1000000000;

/* The slot that an event belongs to; NULL if its watcher has been closed. */
static const struct rondo_slot* event_slot(const uv_loop_t* loop,
                                           const struct epoll_event* event) {
  unsigned int fd = (unsigned int) event_fd(event);
  if (fd >= loop->nslots || loop->slots[fd].generation != event_generation(event))
    return NULL;
  return &loop->slots[fd];
}

/* The events that are passed to the watcher: of those the kernel reports, the ones that
 * were asked for. Error and hang-up alone come as the readiness that was asked for, so
 * that the read or write reports them. */
static unsigned int events_for(const uv__io_t* w, unsigned int events) {
  unsigned int wanted = events & (w->wanted | WATCH_ERR | WATCH_HUP);
  if (wanted != 0 && (wanted & ~(unsigned int) (WATCH_ERR | WATCH_HUP)) == 0)
    wanted |= w->wanted & (WATCH_IN | WATCH_OUT | WATCH_RDHUP | WATCH_PRI);
  return wanted;
}

/* True if a watcher was called. */
static bool dispatch_one(uv_loop_t* loop, const struct epoll_event* event) {
  const struct rondo_slot* slot = event_slot(loop, event);
  if (slot == NULL)
    return false;
  uv__io_t* w = slot_started(slot) ? slot->watcher : NULL;
  if (w == NULL || (event->events & ~(w->wanted | WATCH_ERR | WATCH_HUP)))
    interest_narrow(loop,
                    event_fd(event)); /* stopped since: the kernel is to report less */
  if (w == NULL)
    return false;
  unsigned int events = events_for(w, event->events);
  if (events == 0 || w == &loop->wake_watcher)
    return false; /* a wake-up needs no callback of its own: see wake.c */
  loop->events++;
  w->cb(loop, w, events);
  return true;
}

static bool goes_last(const uv_loop_t* loop, const struct epoll_event* event) {
  const struct rondo_slot* slot = event_slot(loop, event);
  return slot != NULL && slot_started(slot) && (slot->watcher->flags & WATCHER_LAST) != 0;
}

/* Prefetches the watcher of the next event and the handle around it: with many
 * connections they are not in the cache, and the system calls of this event's callback
 * leave time to load them. A wrong guess does no harm. */
static void look_ahead(const uv_loop_t* loop, const struct epoll_event* event) {
  unsigned int fd = (unsigned int) event_fd(event);
  if (fd >= loop->nslots)
    return;
  uintptr_t watcher = (uintptr_t) loop->slots[fd].watcher;
  __builtin_prefetch((const void*) (watcher - 128));
  __builtin_prefetch((const void*) (watcher - 64));
  __builtin_prefetch((const void*) watcher);
  __builtin_prefetch((const void*) (watcher + 64));
}

/* Signals and children last (contract I5): a callback before them may have stopped or
 * closed what they are about. */
static bool poll_dispatch(uv_loop_t* loop, const struct epoll_event* events, int count) {
  bool called = false;
  int last = 0;
  for (int i = 0; i < count; i++) {
    if (i + 1 < count)
      look_ahead(loop, &events[i + 1]);
    if (goes_last(loop, &events[i]))
      last++;
    else
      called |= dispatch_one(loop, &events[i]);
  }
  for (int i = 0; last > 0 && i < count; i++) {
    if (goes_last(loop, &events[i])) {
      last--;
      called |= dispatch_one(loop, &events[i]);
    }
  }
  return called;
}

/* Stores the status of finished work in the word that held its function. */
static void status_set(struct uv__work* w, int status) {
  w->work = (void (*)(struct uv__work*))(intptr_t) status;
}

static int status_of(const struct uv__work* w) {
  return (int) (intptr_t) w->work;
}

void loop_complete(uv_loop_t* loop, struct uv__work* w, int status) {
  w->loop = loop;
  status_set(w, status);
  queue_push_back(queue_of(loop->completed_queue), queue_of(w->wq));
  loop_notify_outer(loop);
}

/* Calls `done` for the work that was finished on this thread. Work that those callbacks
 * finish waits for the next turn. Returns whether there was progress. */
static bool completed_run(uv_loop_t* loop, struct queue* batch) {
  struct queue* completed = queue_of(loop->completed_queue);
  struct loop_progress before = loop_progress_begin(loop);
  if (queue_empty(batch))
    return false;
  while (!queue_empty(batch) && poll_take(loop)) {
    struct queue* link = queue_first(batch);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    queue_remove(link);
    loop->events++;
    w->done(w, status_of(w));
  }
  queue_append(batch, completed); /* the limit's leftovers come first next time */
  queue_move(batch, completed);
  return loop_has_progressed(loop, before);
}

/* Idle time is one word, so that other threads never see half of an update: the sum so
 * far, shifted by one. The lowest bit is set while the loop sleeps; then the time at
 * which it fell asleep has been subtracted, so that adding the current time gives the sum
 * up to now. */
static void idle_time_begin(uv_loop_t* loop, uint64_t now) {
  if (loop->flags & LOOP_IDLE_TIME)
    __atomic_store_n(&loop->idle_time, ((loop->idle_time >> 1) - now) << 1 | 1,
                     __ATOMIC_RELAXED);
}

static void idle_time_end(uv_loop_t* loop, uint64_t now) {
  if (loop->idle_time & 1)
    __atomic_store_n(&loop->idle_time, ((loop->idle_time >> 1) + now) << 1,
                     __ATOMIC_RELAXED);
}

/* A thread may lose its processor between the two reads. If the loop wakes up meanwhile,
 * the clock has gone on and idle time hasn't: such a pair is read again. */
uint64_t uv_metrics_idle_time(uv_loop_t* loop) {
  uint64_t word = __atomic_load_n(&loop->idle_time, __ATOMIC_ACQUIRE);
  while (word & 1) {
    uint64_t now = clock_now_ns();
    uint64_t again = __atomic_load_n(&loop->idle_time, __ATOMIC_ACQUIRE);
    if (again == word)
      return ((word >> 1) + now) & INT64_MAX;
    word = again;
  }
  return word >> 1;
}

static int64_t time_left(uint64_t deadline, uint64_t now) {
  if (deadline == NEVER)
    return -1;
  return deadline <= now ? 0 : (int64_t) u64_min(deadline - now, LONGEST_WAIT_NS);
}

/* The events of one wait. */
struct catch {
  const struct epoll_event* events;
  int count;
  bool waited_for; /* false: the events were there when the poll began */
};

/* How many events count towards the limit: a wake-up calls nobody back and doesn't. */
static int poll_charged(const uv_loop_t* loop, const struct catch* caught) {
  int count = caught->count;
  for (int i = 0; phase_is_limited(loop, RONDO_PHASE_POLL) && i < caught->count; i++)
    count -= event_fd(&caught->events[i]) == loop->wake_fd;
  return count;
}

/* Waits once, until the deadline at most. */
static struct catch poll_fetch(uv_loop_t* loop, uint64_t deadline) {
  /* A blocking wait that took less than this found its events already there: falling
   * asleep and being woken takes longer on any machine. */
  const uint64_t awake_ns = 2000;
  uint64_t started = loop->now_ns;
  int64_t timeout_ns = 0;
  bool takes_time = deadline > loop->now_ns;
  if (takes_time)
    trace_poll(loop);
  if (takes_time && !look_out(loop, deadline) && wake_try_sleep(loop)) {
    started = simulated(loop) ? sim_now_ns(loop)
                              : clock_now_ns(); /* the loop's cached time is older */
    timeout_ns = time_left(deadline, started);
    idle_time_begin(loop, started);
    if (timeout_ns != 0)
      trace_sleep(loop, started, timeout_ns);
  }
  struct catch caught;
  int max = (int) u64_min(loop->poll_left, BACKEND_BATCH);
  caught.count = loop->backend->wait(loop, timeout_ns, &caught.events, max);
  wake_set_awake(loop);
  if (takes_time || caught.count > 0)
    clock_look(loop);
  else
    clock_look_again(loop);
  idle_time_end(loop, loop->now_ns);
  caught.waited_for = timeout_ns != 0 && loop->now_ns - started >= awake_ns;
  if (timeout_ns != 0) {
    trace_wake(loop, loop->now_ns);
    look_out_learn(loop, loop->now_ns - started);
  }
  assert(caught.count >= 0 && caught.count <= max);
  loop->poll_left -= (unsigned int) poll_charged(loop, &caught);
  return caught;
}

/* Delivers what needs no system call: finished work and notifications. Returns whether
 * there was progress. */
static bool poll_deliver(uv_loop_t* loop) {
  struct queue finished;
  queue_move(queue_of(loop->completed_queue), &finished);
  bool progress = completed_run(loop, &finished);
  wake_take(loop);
  progress |= wake_deliver(loop, ~0u);
  return progress;
}

/* Serves a batch of events, and the work that was finished by then. Work that the
 * callbacks start is never called back in the same poll, however fast it finishes: after
 * an I/O callback the immediate comes first (contract N6). So finished work goes before
 * the events, asyncs and signals after them. */
static bool poll_serve(uv_loop_t* loop, const struct catch* caught) {
  const unsigned int work = 1u << WAKE_WORK;
  wake_take(loop);
  struct queue finished;
  queue_move(queue_of(loop->completed_queue), &finished);
  bool progress = wake_deliver(loop, work);
  progress |= completed_run(loop, &finished);
  progress |= poll_dispatch(loop, caught->events, caught->count);
  progress |= wake_deliver(loop, ~work);
  return progress;
}

/* With a limit the events go first, so that they are never postponed for ever
 * (deliver_owed). */
static bool serve_limited(uv_loop_t* loop, const struct catch* caught) {
  bool progress = poll_dispatch(loop, caught->events, caught->count);
  return poll_deliver(loop) || progress;
}

/* Work that had to wait because events used up the limit goes before the next events, but
 * not twice in a row, so that the events are not postponed for ever either. */
static bool deliver_owed(uv_loop_t* loop) {
  if (!(loop->flags & LOOP_OWED))
    return false;
  bool progress = poll_deliver(loop);
  loop->flags &= ~(unsigned int) LOOP_OWED;
  return progress;
}

/* Waits until something was dispatched or the time is up. After a wake-up that brought
 * nothing (a signal, an event whose watcher has stopped) the loop sleeps again for the
 * time that is left (contract I6). If a limit has left work over, loop_poll_timeout keeps
 * the next poll from sleeping; if nothing was left, that poll may sleep (contract L8). */
void poll_run(uv_loop_t* loop, int64_t timeout_ns) {
  uint64_t deadline = NEVER;
  if (timeout_ns >= 0)
    deadline = u64_add_clamped(loop->now_ns, (uint64_t) timeout_ns);
  int batches = 0;
  bool progress = deliver_owed(loop);
  while (loop->poll_left > 0 && batches < POLL_BATCHES_MOST) {
    struct catch caught = poll_fetch(loop, progress ? 0 : deadline);
    uint64_t before = loop->events;
    progress |= phase_is_limited(loop, RONDO_PHASE_POLL) ? serve_limited(loop, &caught)
                                                         : poll_serve(loop, &caught);
    if (!caught.waited_for)
      loop->events_waiting += loop->events - before;
    if (caught.count == BACKEND_BATCH)
      batches++; /* a full batch: more events may wait */
    else if (progress && simulated(loop) && sim_next_goes_on(loop))
      continue;
    else if (progress || loop->now_ns >= deadline ||
             !queue_empty(queue_of(loop->pending_queue)))
      return;
  }
  if (batches == POLL_BATCHES_MOST)
    phase_leave_rest(loop);
}
