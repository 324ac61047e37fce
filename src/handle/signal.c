/* Signals: any number of handles, on any number of loops, in any thread.
 *
 * One registry for the process lists the started handles of every signal. The handler
 * adds one to each of them and wakes their loops; a loop calls back as often as the
 * signal was caught, so that none is lost however many come before the loop's next poll.
 * (Signals that the kernel merges while they are blocked are caught only once.) A turn
 * delivers the signals that were caught before its delivery began, handle by handle, not
 * in the order in which different signals arrived.
 *
 * The handler needs the registry's lock, which any thread may hold at that moment. So the
 * lock is only taken with all signals blocked, by the handler too: the handler can never
 * interrupt a holder in its own thread, and a holder in another thread soon releases the
 * lock. */
#include "handle/signal.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/queue.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "system/system.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIGNAL_ONESHOT = HANDLE_ROOM << 0, SIGNAL_FIRED = HANDLE_ROOM << 1 };

/* A loop's started handles, touched by its own thread only. */
struct signal_state {
  struct loop_part part;
  struct queue handles;
  unsigned int generation; /* of the process, see the registry */
};

/* The started handles of one signal. While none but one-shot handles are there, the
 * kernel resets the disposition the moment the signal comes (SA_RESETHAND). */
struct signal_entry {
  struct queue handles;
  unsigned int regular;
};

/* lock: 0 free, 1 held, 2 held with a thread waiting. generation: counts forks; a loop of
 * an older generation is the parent's, and must not be woken until uv_loop_fork. */
static struct {
  atomic_int lock;
  unsigned int generation;
  struct signal_entry entries[NSIG];
} registry;

static pthread_once_t registry_once = PTHREAD_ONCE_INIT;

static void registry_futex(int operation, int value) {
  syscall(SYS_futex, &registry.lock, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL,
          0);
}

/* To be called with all signals blocked. */
static void registry_acquire(void) {
  int expected = 0;
  if (atomic_compare_exchange_strong(&registry.lock, &expected, 1))
    return;
  while (atomic_exchange(&registry.lock, 2) != 0)
    registry_futex(FUTEX_WAIT, 2);
}

static void registry_release(void) {
  if (atomic_exchange(&registry.lock, 0) == 2)
    registry_futex(FUTEX_WAKE, 1);
}

static void registry_lock(sigset_t* saved) {
  sigset_t all;
  sigfillset(&all);
  int err = pthread_sigmask(SIG_SETMASK, &all, saved);
  assert(err == 0);
  (void) err;
  registry_acquire();
}

static void registry_unlock(const sigset_t* saved) {
  registry_release();
  int err = pthread_sigmask(SIG_SETMASK, saved, NULL);
  assert(err == 0);
  (void) err;
}

/* Held across fork(): the child gets a consistent registry and a free lock. */
static sigset_t mask_at_fork;

static void registry_before_fork(void) {
  sigset_t saved;
  registry_lock(&saved);
  mask_at_fork = saved;
}

static void registry_after_fork(void) {
  sigset_t saved = mask_at_fork;
  registry_unlock(&saved);
}

/* Signals that the parent caught are delivered by the parent. Signals that the child
 * catches from here on are kept until uv_loop_fork. */
static void registry_after_fork_in_child(void) {
  registry.generation++;
  for (int signum = 1; signum < NSIG; signum++) {
    struct queue* handles = &registry.entries[signum].handles;
    for (struct queue* link = queue_first(handles); link != NULL;
         link = queue_next(handles, link)) {
      uv_signal_t* handle = rondo_container_of(link, uv_signal_t, registry_queue);
      handle->dispatched_signals = handle->caught_signals;
    }
  }
  registry_after_fork();
}

static void registry_init(void) {
  for (int signum = 0; signum < NSIG; signum++)
    queue_init(&registry.entries[signum].handles);
  /* If this fails, only a fork in the middle of a start or stop is at risk. */
  system_at_fork(registry_before_fork, registry_after_fork, registry_after_fork_in_child);
}

static unsigned int signal_caught(const uv_signal_t* handle) {
  return __atomic_load_n(&handle->caught_signals, __ATOMIC_ACQUIRE);
}

/* Runs on any thread, with all signals blocked (sa_mask). */
static void signal_handler(int signum) {
  int saved_errno = errno;
  struct queue* handles = &registry.entries[signum].handles;

  registry_acquire();
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    uv_signal_t* handle = rondo_container_of(link, uv_signal_t, registry_queue);
    const struct signal_state* state = handle->loop->signal_state;
    __atomic_fetch_add(&handle->caught_signals, 1, __ATOMIC_RELEASE);
    if (state->generation == registry.generation)
      loop_wake(handle->loop, WAKE_SIGNAL);
  }
  registry_release();
  errno = saved_errno;
}

/* With the lock held: sets the disposition that the handles of this signal need. Can't
 * fail for a signal that uv_signal_start accepted. */
static void registry_install(int signum) {
  const struct signal_entry* entry = &registry.entries[signum];
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  if (queue_empty(&entry->handles)) {
    action.sa_handler = SIG_DFL;
  } else {
    sigfillset(&action.sa_mask);
    action.sa_handler = signal_handler;
    action.sa_flags = SA_RESTART | (entry->regular == 0 ? (int) SA_RESETHAND : 0);
  }
  int result = sigaction(signum, &action, NULL);
  assert(result == 0);
  (void) result;
}

static void signal_stop(uv_signal_t* handle) {
  struct signal_entry* entry = &registry.entries[handle->signum];
  sigset_t saved;

  if (handle->signum == 0)
    return;
  registry_lock(&saved);
  bool last_regular = !(handle->flags & SIGNAL_ONESHOT) && --entry->regular == 0;
  queue_remove(queue_of(handle->registry_queue));
  if (last_regular || queue_empty(&entry->handles))
    registry_install(handle->signum);
  registry_unlock(&saved);

  /* The signal handler no longer finds the handle. Undelivered signals are dropped. */
  handle->dispatched_signals = handle->caught_signals;
  handle->signum = 0;
  queue_remove(queue_of(handle->loop_queue));
  handle_stop((uv_handle_t*) handle);
}

/* Adds the handle, or changes its kind if it is registered already: then the handle stays
 * in the registry throughout, so that no signal is missed. */
static void signal_register(uv_signal_t* handle, int signum, bool oneshot) {
  struct signal_entry* entry = &registry.entries[signum];
  sigset_t saved;

  registry_lock(&saved);
  unsigned int regular = entry->regular;
  if (handle->signum == 0)
    queue_push_back(&entry->handles, queue_of(handle->registry_queue));
  else if (!(handle->flags & SIGNAL_ONESHOT))
    entry->regular--;
  if (!oneshot)
    entry->regular++;
  /* Always with one-shot handles only: SA_RESETHAND may have reset the disposition. */
  if (regular == 0 || entry->regular == 0)
    registry_install(signum);
  registry_unlock(&saved);
}

/* SIGKILL and SIGSTOP can't be caught; glibc reserves two real-time signals. */
static bool signal_can_be_caught(int signum) {
  struct sigaction unused;
  if (signum < 1 || signum >= NSIG || signum == SIGKILL || signum == SIGSTOP)
    return false;
  return sigaction(signum, NULL, &unused) == 0;
}

static int signal_start(uv_signal_t* handle, uv_signal_cb signal_cb, int signum,
                        bool oneshot) {
  struct signal_state* state = handle->loop->signal_state;

  if (handle_closing((uv_handle_t*) handle) || signal_cb == NULL ||
      !signal_can_be_caught(signum))
    return UV_EINVAL;

  if (handle->signum != signum)
    signal_stop(handle);
  signal_register(handle, signum, oneshot);
  if (handle->signum == 0)
    queue_push_back(&state->handles, queue_of(handle->loop_queue));
  handle->signal_cb = signal_cb;
  handle->signum = signum;
  handle->flags &= ~(unsigned) (SIGNAL_ONESHOT | SIGNAL_FIRED);
  if (oneshot)
    handle->flags |= SIGNAL_ONESHOT;
  handle_start((uv_handle_t*) handle);
  return 0;
}

/* A stop in the callback counts all signals as delivered, which ends the loop below. A
 * one-shot handle is stopped after its callback, unless the callback started it again.
 * False if the phase's limit was reached before every caught signal was called back. */
static bool signal_deliver_to(uv_signal_t* handle) {
  unsigned int target = signal_caught(handle);

  while ((int) (target - handle->dispatched_signals) > 0) {
    if (!poll_take(handle->loop))
      return false;
    handle->dispatched_signals++;
    if (handle->flags & SIGNAL_ONESHOT)
      handle->flags |= SIGNAL_FIRED;
    handle->loop->events++;
    loop_call_back(handle->loop, subject_handle(handle), handle->signum,
                   handle->signal_cb, handle, handle->signum);
    if (handle->flags & SIGNAL_FIRED)
      signal_stop(handle);
  }
  return true;
}

/* Called after a wake-up: at least one handle of the loop has caught a signal. */
static void signal_deliver(uv_loop_t* loop) {
  struct signal_state* state = loop->signal_state;
  struct queue batch;

  queue_move(&state->handles, &batch);
  while (!queue_empty(&batch)) {
    struct queue* link = queue_first(&batch);
    queue_remove(link);
    queue_push_back(&state->handles, link);
    if (signal_deliver_to(rondo_container_of(link, uv_signal_t, loop_queue)))
      continue;
    /* The next turn continues with this handle. */
    queue_remove(link);
    queue_push_front(&batch, link);
    queue_append(&batch, &state->handles);
    queue_move(&batch, &state->handles);
    loop_wake(loop, WAKE_SIGNAL);
    return;
  }
}

void signal_feed(uv_signal_t* handle) {
  __atomic_fetch_add(&handle->caught_signals, 1, __ATOMIC_RELEASE);
  loop_wake(handle->loop, WAKE_SIGNAL);
}

static int signal_state_fork(uv_loop_t* loop, struct loop_part* part) {
  struct signal_state* state = rondo_container_of(part, struct signal_state, part);
  sigset_t saved;

  registry_lock(&saved);
  state->generation = registry.generation;
  registry_unlock(&saved);

  /* Signals that this process caught since the fork woke no loop. */
  for (struct queue* link = queue_first(&state->handles); link != NULL;
       link = queue_next(&state->handles, link)) {
    uv_signal_t* handle = rondo_container_of(link, uv_signal_t, loop_queue);
    if (signal_caught(handle) != handle->dispatched_signals)
      loop_wake(loop, WAKE_SIGNAL);
  }
  return 0;
}

static void signal_state_close(uv_loop_t* loop, struct loop_part* part) {
  struct signal_state* state = rondo_container_of(part, struct signal_state, part);

  assert(queue_empty(&state->handles));
  loop->signal_state = NULL;
  loop->on_wake[WAKE_SIGNAL] = NULL;
  mem_free(state);
}

static int signal_state_open(uv_loop_t* loop) {
  if (loop->signal_state != NULL)
    return 0;
  struct signal_state* state = mem_calloc(1, sizeof(*state));
  if (state == NULL)
    return UV_ENOMEM;
  state->part.fork = signal_state_fork;
  state->part.close = signal_state_close;
  state->generation = registry.generation;
  queue_init(&state->handles);
  loop->signal_state = state;
  loop->on_wake[WAKE_SIGNAL] = signal_deliver;
  return 0;
}

static void signal_close(uv_handle_t* base) {
  signal_stop((uv_signal_t*) base);
  handle_closed(base);
}

static const struct handle_kind signal_kind = {
    .type = UV_SIGNAL,
    .close = signal_close,
    .finish = NULL,
};

int uv_signal_init(uv_loop_t* loop, uv_signal_t* handle) {
  pthread_once(&registry_once, registry_init);
  int err = signal_state_open(loop);
  if (err != 0)
    return err;
  handle_init(loop, (uv_handle_t*) handle, &signal_kind);
  handle->signal_cb = NULL;
  handle->signum = 0;
  handle->caught_signals = 0;
  handle->dispatched_signals = 0;
  queue_init(queue_of(handle->registry_queue));
  queue_init(queue_of(handle->loop_queue));
  return 0;
}

int uv_signal_start(uv_signal_t* handle, uv_signal_cb signal_cb, int signum) {
  return signal_start(handle, signal_cb, signum, false);
}

int uv_signal_start_oneshot(uv_signal_t* handle, uv_signal_cb signal_cb, int signum) {
  return signal_start(handle, signal_cb, signum, true);
}

int uv_signal_stop(uv_signal_t* handle) {
  signal_stop(handle);
  return 0;
}
