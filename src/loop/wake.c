/* Waking: how another thread or a signal handler notifies the loop.
 *
 * A notification is a bit in wake_flags. Only if the loop sleeps must the notifier also
 * write to the loop's event descriptor, and of many notifiers only the first. The loop
 * stores that it goes to sleep before it reads the flags a last time; the notifier sets
 * its flag before it reads whether the loop sleeps. Both in sequentially consistent
 * order, so one of the two sees the other and no wake-up is lost (contract A1).
 *
 * A loop that isn't running counts as asleep: an outer loop may be watching its backend
 * descriptor. The event descriptor is watched edge-triggered and never read: each write
 * is a new edge, and its counter has room for every write of the next centuries.
 *
 * An outer loop needn't be announced. Work that waits between two runs always makes the
 * epoll set readable, by a write that isn't repeated until the set has been read
 * (LOOP_MARKED). A program that starts work and runs the loop, again and again, has work
 * in every run, so that none of its runs reads the set and it pays for one write in all.
 * The mark is cleared in a run that doesn't wait, as outer loops use, and in any run that
 * finds nothing to do. So an outer loop sees at most one wake-up too many. */
#include "base/own_fd.h"
#include "loop/loop.h"
#include "loop/watcher.h"
#include "sim/sim.h"

#include "backend/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void wake_event(uv_loop_t* loop, uv__io_t* w, unsigned int events) {
  (void) loop, (void) w,
      (void) events; /* nothing to do: the poll reads the flags after each wait */
}

int wake_open(uv_loop_t* loop) {
  loop->wake_fd = own_fd_raise(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (loop->wake_fd < 0)
    return -errno;
  watcher_init(&loop->wake_watcher, wake_event);
  loop->wake_watcher.flags |= WATCHER_EDGE;
  int err = watcher_open(loop, &loop->wake_watcher, loop->wake_fd);
  if (err != 0) {
    close(loop->wake_fd);
    loop->wake_fd = -1;
    return err;
  }
  watcher_start(loop, &loop->wake_watcher, WATCH_IN);
  watcher_register_early(loop, &loop->wake_watcher);
  loop->flags &= ~(unsigned int) LOOP_MARKED;
  __atomic_store_n(&loop->wake_state, WAKE_STATE_ASLEEP, __ATOMIC_SEQ_CST);
  return 0;
}

void wake_close(uv_loop_t* loop) {
  watcher_close(loop, &loop->wake_watcher);
  close(loop->wake_fd);
  loop->wake_fd = -1;
}

/* Async-signal-safe. */
_Noreturn static void wake_give_up(void) {
  static const char message[] =
      "rondo: a loop can't be woken: has the program closed the loop's eventfd?\n";
  ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
  (void) written;
  abort();
}

/* In a signal handler errno belongs to the code that was interrupted. */
static void wake_write(uv_loop_t* loop) {
  static const uint64_t one = 1;
  int saved = errno;
  ssize_t n;
  do
    n = write(loop->wake_fd, &one, sizeof(one));
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno != EAGAIN) /* EAGAIN: the counter is full, a wake-up is pending */
    wake_give_up();
  errno = saved;
}

void loop_wake(uv_loop_t* loop, unsigned int kind) {
  unsigned int flag = 1u << kind;
  if (__atomic_fetch_or(&loop->wake_flags, flag, __ATOMIC_SEQ_CST) & flag)
    return; /* the one who set it first wakes the loop */
  unsigned int asleep = WAKE_STATE_ASLEEP;
  unsigned int state = __atomic_load_n(&loop->wake_state, __ATOMIC_SEQ_CST);
  if (state == WAKE_STATE_SPINS && kind == WAKE_ASYNC)
    look_out_partner_spins(loop);
  if (state != WAKE_STATE_ASLEEP)
    return;
  if (__atomic_compare_exchange_n(&loop->wake_state, &asleep, WAKE_STATE_NOTIFIED, false,
                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    wake_write(loop);
}

void wake_mark(uv_loop_t* loop) {
  __atomic_store_n(&loop->wake_state, WAKE_STATE_NOTIFIED, __ATOMIC_SEQ_CST);
  if (!(loop->flags & LOOP_MARKED))
    wake_write(loop);
  loop->flags |= LOOP_MARKED;
}

bool wake_try_sleep(uv_loop_t* loop) {
  __atomic_store_n(&loop->wake_state, WAKE_STATE_ASLEEP, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&loop->wake_flags, __ATOMIC_SEQ_CST) == 0)
    return true;
  wake_set_awake(loop);
  return false;
}

/* A write to wake_fd stays pending in the epoll set until the next epoll_wait. */
void wake_set_awake(uv_loop_t* loop) {
  if (__atomic_load_n(&loop->wake_state, __ATOMIC_RELAXED) != WAKE_STATE_AWAKE &&
      __atomic_exchange_n(&loop->wake_state, WAKE_STATE_AWAKE, __ATOMIC_SEQ_CST) ==
          WAKE_STATE_NOTIFIED &&
      !(loop->flags & LOOP_MARKED))
    loop->flags |= LOOP_MUST_LOOK;
}

/* The first poll reads the epoll set, except in a run that may wait and has work already:
 * an outer loop may have been woken by a descriptor whose watcher has stopped since. If
 * the loop isn't alive there will be no poll, and the set is read here. No event is lost
 * by that: all others are level-triggered and come again. */
void wake_entered(uv_loop_t* loop, uv_run_mode mode, bool alive) {
  wake_set_awake(loop);
  if (mode == UV_RUN_NOWAIT || (!loop_work_waits(loop) && !wake_has_news(loop)))
    loop->flags |= LOOP_MUST_LOOK;
  const struct epoll_event* events;
  if (!alive && (loop->flags & LOOP_MARKED))
    (void) loop->backend->wait(loop, 0, &events, BACKEND_BATCH);
}

/* A spinning loop counts as awake; only look_out_partner_spins makes a difference. */
void wake_spin_begin(uv_loop_t* loop) {
  __atomic_store_n(&loop->wake_state, WAKE_STATE_SPINS, __ATOMIC_RELAXED);
}

void wake_spin_end(uv_loop_t* loop) {
  __atomic_store_n(&loop->wake_state, WAKE_STATE_AWAKE, __ATOMIC_RELAXED);
}

void wake_left(uv_loop_t* loop) {
  bool waits = loop_alive(loop) && loop_work_waits(loop);
  /* A marked loop stays marked, so that a waker needn't write again. */
  bool marked = (loop->flags & LOOP_MARKED) != 0;
  if (!wake_try_sleep(loop) || waits || marked)
    wake_mark(loop);
  loop->backend->flush(loop, 0); /* so that an outer loop sees what was started last */
}

void wake_take(uv_loop_t* loop) {
  if (wake_has_news(loop))
    loop->wake_taken |= __atomic_exchange_n(&loop->wake_flags, 0, __ATOMIC_SEQ_CST);
}

void wake_give_back(uv_loop_t* loop) {
  if (loop->wake_taken != 0)
    __atomic_fetch_or(&loop->wake_flags, loop->wake_taken, __ATOMIC_SEQ_CST);
  loop->wake_taken = 0;
}

/* Notifications of any kind but WAKE_WORK are progress; work is if it called back or
 * ended. */
bool wake_deliver(uv_loop_t* loop, unsigned int kinds) {
  unsigned int taken = loop->wake_taken & kinds;
  struct loop_progress before = loop_progress_begin(loop);
  if (taken == 0)
    return false;
  for (unsigned int kind = 0; kind < WAKE_KINDS; kind++) {
    unsigned int flag = 1u << kind;
    if ((loop->wake_taken & kinds & flag) == 0)
      continue;
    loop->wake_taken &= ~flag;
    if (simulated(loop) && kind == WAKE_SIGNAL && sim_signals_wait(loop))
      continue;
    if (loop->on_wake[kind] != NULL)
      loop->on_wake[kind](loop);
  }
  return taken != 1u << WAKE_WORK || loop_has_progressed(loop, before);
}
