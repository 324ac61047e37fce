/* The poll phase: sleeps on the backend, delivers what is finished, dispatches what is
 * ready, then what other threads have sent. */
#include "backend/backend.h"
#include "backend/interest.h"
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "loop/watcher.h"
#include "sim/sim.h"

/* Deadlines, in the loop's time. Longer waits than a year are cut and begun again:
 * kernels add them to their clock without looking whether the sum overflows. */
static const uint64_t NEVER = UINT64_MAX;
static const uint64_t LONGEST_WAIT_NS = (uint64_t) 365 * 24 * 60 * 60 * 1000000000;

/* The slot an event is for, or NULL if it is for nobody any more. */
static const struct rondo_slot* event_slot(const uv_loop_t* loop,
                                           const struct epoll_event* event) {
  unsigned int fd = (unsigned int) event_fd(event);
  if (fd >= loop->nslots || loop->slots[fd].generation != event_generation(event))
    return NULL;
  return &loop->slots[fd];
}

/* Of what the kernel reports, what this watcher asked for. Error and hang-up alone come
 * as the readiness that was asked for, so that the read or write reports them. */
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
    interest_narrow(loop, event_fd(event)); /* stopped since: registers that now */
  if (w == NULL)
    return false;
  unsigned int events = events_for(w, event->events);
  if (events == 0 || w == &loop->wake_watcher)
    return false; /* being woken is all there is to the latter: see wake.c */
  loop->events++;
  w->cb(loop, w, events);
  return true;
}

static bool goes_last(const uv_loop_t* loop, const struct epoll_event* event) {
  const struct rondo_slot* slot = event_slot(loop, event);
  return slot != NULL && slot_started(slot) && (slot->watcher->flags & WATCHER_LAST) != 0;
}

/* With many connections the next handle is far from the cache, and the system calls of
 * this one's callback are time enough to bring it near: its watcher and what surrounds
 * it. Only a hint, so it need not be right. */
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
static bool dispatch(uv_loop_t* loop, const struct epoll_event* events, int count) {
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

/* Its work is over: the word that held the function now holds the result. */
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

/* Finished work of this thread; what its callbacks finish waits for the next turn. True
 * if something came of it. */
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
  queue_append(batch, completed); /* a limit's leftovers come first next time */
  queue_move(batch, completed);
  return loop_has_progressed(loop, before);
}

/* Idle time is one word, so that other threads never see half of a change. It is the sum
 * so far, shifted by one; the lowest bit is set while the loop sleeps, and then the time
 * it fell asleep is subtracted, so that the sum up to now is had by adding the clock. */
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

uint64_t uv_metrics_idle_time(uv_loop_t* loop) {
  uint64_t word = __atomic_load_n(&loop->idle_time, __ATOMIC_RELAXED);
  return word & 1 ? ((word >> 1) + clock_now_ns()) & INT64_MAX : word >> 1;
}

static int64_t time_left(uint64_t deadline, uint64_t now) {
  if (deadline == NEVER)
    return -1;
  return deadline <= now ? 0 : (int64_t) u64_min(deadline - now, LONGEST_WAIT_NS);
}

/* What one wait brought. */
struct catch {
  const struct epoll_event* events;
  int count;
  bool waited_for; /* else it was there when the poll began */
};

/* What a limit is charged for: not for being woken, which calls nobody back. */
static int charged(const uv_loop_t* loop, const struct catch* caught) {
  int count = caught->count;
  for (int i = 0; phase_is_limited(loop, RONDO_PHASE_POLL) && i < caught->count; i++)
    count -= event_fd(&caught->events[i]) == loop->wake_fd;
  return count;
}

/* One wait, asleep until the deadline at most. */
static struct catch fetch(uv_loop_t* loop, uint64_t deadline) {
  /* A blocking wait that took no longer than this found its events waiting: falling
   * asleep and being woken takes longer on any machine. */
  const uint64_t awake_ns = 2000;
  uint64_t started = loop->now_ns;
  int64_t timeout_ns = 0;
  bool takes_time = deadline > loop->now_ns;
  if (takes_time)
    trace_poll(loop);
  if (takes_time && !look_out(loop, deadline) && wake_try_sleep(loop)) {
    started =
        simulated(loop) ? sim_now_ns(loop) : clock_now_ns(); /* the turn took time */
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
  loop->poll_left -= (unsigned int) charged(loop, &caught);
  return caught;
}

/* The part that needs no kernel: finished work and notifications. True if there was any.
 */
static bool deliver(uv_loop_t* loop) {
  struct queue finished;
  queue_move(queue_of(loop->completed_queue), &finished);
  bool progress = completed_run(loop, &finished);
  wake_take(loop);
  progress |= wake_deliver(loop, ~0u);
  return progress;
}

/* A batch of events and what was finished by then. What the callbacks ask for never comes
 * in the same poll, however fast it is: inside an I/O callback the immediate is first
 * (contract N6). So finished work goes before the events, and asyncs and signals behind.
 */
static bool serve(uv_loop_t* loop, const struct catch* caught) {
  const unsigned int work = 1u << WAKE_WORK;
  wake_take(loop);
  struct queue finished;
  queue_move(queue_of(loop->completed_queue), &finished);
  bool progress = wake_deliver(loop, work);
  progress |= completed_run(loop, &finished);
  progress |= dispatch(loop, caught->events, caught->count);
  progress |= wake_deliver(loop, ~work);
  return progress;
}

/* With a limit the events go first, so that they never wait for ever (deliver_owed). */
static bool serve_limited(uv_loop_t* loop, const struct catch* caught) {
  bool progress = dispatch(loop, caught->events, caught->count);
  return deliver(loop) || progress;
}

/* What had to wait because events used up the limit goes before the next ones; but not
 * twice in a row, for those must not wait for ever either. */
static bool deliver_owed(uv_loop_t* loop) {
  if (!(loop->flags & LOOP_OWED))
    return false;
  bool progress = deliver(loop);
  loop->flags &= ~(unsigned int) LOOP_OWED;
  return progress;
}

/* Waits until something was dispatched or the time is up. A wake-up that brought nothing
 * (a signal, an event that nobody wants any more) goes back to sleep with the time that
 * is left (contract I6). What a limit leaves shows by itself that it is there: the next
 * poll doesn't sleep, unless there was nothing left, and then it may (contract L8). */
void poll_run(uv_loop_t* loop, int64_t timeout_ns) {
  uint64_t deadline = NEVER;
  if (timeout_ns >= 0)
    deadline = u64_add_clamped(loop->now_ns, (uint64_t) timeout_ns);
  int batches = 0;
  bool progress = deliver_owed(loop);
  while (loop->poll_left > 0 && batches < POLL_BATCHES_MOST) {
    struct catch caught = fetch(loop, progress ? 0 : deadline);
    uint64_t before = loop->events;
    progress |= phase_is_limited(loop, RONDO_PHASE_POLL) ? serve_limited(loop, &caught)
                                                         : serve(loop, &caught);
    if (!caught.waited_for)
      loop->events_waiting += loop->events - before;
    if (caught.count == BACKEND_BATCH)
      batches++; /* there is more, perhaps */
    else if (progress || loop->now_ns >= deadline ||
             !queue_empty(queue_of(loop->pending_queue)))
      return;
  }
  if (batches == POLL_BATCHES_MOST)
    phase_leave_rest(loop);
}
