/* The pool's threads.
 *
 * Waking a thread on another processor costs tens of microseconds, more on a virtual
 * machine, so both sides avoid it: a thread that runs out of work spins for a moment
 * before it sleeps, one thread at a time, and the loop spins for results
 * (loop/look_out.c). Neither spins unless it has just had work, so an idle process uses
 * no processor time.
 *
 * After a fork the child has none of the threads; it forgets them and starts its own.
 *
 * A shutdown lets the threads finish what was handed over, but doesn't wait for a thread
 * that hangs (an open of a FIFO, a dead file server): such a thread is left behind, and
 * when its work is over it ends without touching the pool, the request or the loop. */
#include "request/pool.h"

#include "base/backoff.h"
#include "base/base.h"
#include "base/queue.h"
#include "loop/counters.h"
#include "loop/loop.h"
#include "loop/shutdown.h"
#include "loop/spin.h"
#include "request/fs.h"
#include "request/resolver.h"
#include "request/work.h"
#include "system/system.h"
#include "system/tune.h"
#include "trace/recording.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
  POOL_DEFAULT = 4,
  POOL_MOST = 1024,
  /* Long enough to catch the next request of a program that makes one after the other,
   * short compared with a time slice. */
  LOOK_OUT_NS = 50 * 1000,
  LOOK_OUT_LEAST_NS = 2 * 1000,
  /* A shutdown gives up on the threads when for this long none has finished its work and
   * none has used processor time. */
  SHUTDOWN_PATIENCE_MS = 1000,
  SHUTDOWN_STEP_MS = 20,
};

/* The mutex protects all fields except the atomics. The fields used for every piece of
 * work are in the mutex's cache line and the next one. */
static struct {
  _Alignas(64) pthread_mutex_t mutex;
  struct queue waiting; /* first in, first out */
  unsigned int general_count;
  unsigned int lookup_count; /* in both queues */

  struct queue held; /* look-ups passed over because of their limit; the oldest ones */
  unsigned int lookups_running;
  unsigned int limit;
  unsigned int lookup_limit;
  unsigned int threads;
  unsigned int sleeping;
  /* Sleeping threads that were signalled and don't have the mutex yet. */
  unsigned int called;
  unsigned int looking_out;
  int asker; /* the processor from which work was last submitted */
  struct rondo_backoff look_out;
  uint64_t works_done;

  /* How much work a free thread could take now. Threads spin on it without the mutex; it
   * has a cache line of its own, so that they slow nobody down. */
  _Alignas(64) _Atomic unsigned int ready;

  _Alignas(64) pthread_cond_t wake_up;
  pthread_cond_t all_ended;
  bool stopping;
  unsigned int generation; /* incremented by every shutdown and fork */
  unsigned int ended;      /* threads that have left the queue for good */
  pthread_t ids[POOL_MOST];
} pool = {.mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
          .wake_up = PTHREAD_COND_INITIALIZER,
          .all_ended = PTHREAD_COND_INITIALIZER};

_Atomic unsigned int pool_files;

/* A piece of work that a thread has taken. */
struct pool_piece {
  struct uv__work* w;
  void (*work)(struct uv__work*);
  bool lookup;
  unsigned int waiting; /* how many pieces were left in the queue */
};

/* The place of each thread: generation * 2 while it is with the pool, plus 1 while it
 * runs work. A thread that comes back from its work and a shutdown that gives the thread
 * up both change the place, and the first one wins. With the generation in it, a thread
 * that was left behind can't take its successor's place for its own. `first` is the work
 * that the thread was started with. */
static struct {
  _Alignas(64) _Atomic unsigned int place;
  unsigned int generation;
  struct pool_piece first;
} pool_places[POOL_MOST];

enum {
  PLACE_LEFT_BEHIND = 0, /* generations begin with 1 */
  PLACE_DISMISSED = 1,   /* given up before it had begun, or without work */
};

static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

/* --- The pool as a whole --------------------------------------------------------- */

static void pool_clear(void) {
  queue_init(&pool.waiting);
  queue_init(&pool.held);
  pool.general_count = 0;
  pool.lookup_count = 0;
  pool.lookups_running = 0;
  pool.threads = 0;
  pool.sleeping = 0;
  pool.called = 0;
  pool.looking_out = 0;
  pool.stopping = false;
  pool.generation++;
  pool.ended = 0;
  backoff_won(&pool.look_out);
  atomic_store(&pool.ready, 0);
  atomic_store(&pool_files, 0);
}

static void pool_forked(void) {
  pool.mutex = (pthread_mutex_t) PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  pthread_cond_init(&pool.wake_up, NULL);
  pthread_cond_init(&pool.all_ended, NULL);
  pool_clear();
}

/* Progress of the pool's threads so far: pieces of work done, and processor time used. */
static uint64_t pool_progress(void) {
  uint64_t progress = pool.works_done;
  for (unsigned int i = 0; i < pool.threads; i++) {
    clockid_t clock;
    struct timespec used;
    /* A thread that has ended has no processor clock any more, though its id is valid
     * until it is joined. */
    if (pthread_getcpuclockid(pool.ids[i], &clock) == 0 &&
        clock_gettime(clock, &used) == 0)
      progress += (uint64_t) used.tv_sec * 1000000000 + (uint64_t) used.tv_nsec;
  }
  return progress;
}

/* Waits, with the mutex held, until all threads have left the queue; false if the
 * remaining ones make no progress for a while. Meanwhile a thread may start another. */
static bool pool_wait_for_end(void) {
  uint64_t progress = 0;
  for (int idle_ms = 0; pool.ended < pool.threads && idle_ms < SHUTDOWN_PATIENCE_MS;
       idle_ms += SHUTDOWN_STEP_MS) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SHUTDOWN_STEP_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void) pthread_cond_timedwait(&pool.all_ended, &pool.mutex, &until);
    uint64_t now = pool_progress();
    if (now != progress)
      idle_ms = 0;
    progress = now;
  }
  return pool.ended == pool.threads;
}

/* Keeps the library's code loaded, even if the program unloads it: a thread left behind
 * will return to it. */
static void pool_stay_loaded(void) {
  Dl_info self;
  if (dladdr((void*) &pool, &self) != 0 && self.dli_fname != NULL)
    (void) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Gives up the threads that are running work, and the work still queued. Returns how many
 * threads are left; these end by themselves. */
static unsigned int pool_leave_behind(void) {
  unsigned int left = pool.threads;
  for (unsigned int i = 0; i < pool.threads; i++) {
    unsigned int working = pool.generation * 2 + 1;
    unsigned int not_working = pool.generation * 2;
    if (atomic_compare_exchange_strong(&pool_places[i].place, &not_working,
                                       PLACE_DISMISSED))
      continue;
    left -= atomic_compare_exchange_strong(&pool_places[i].place, &working,
                                           PLACE_LEFT_BEHIND);
  }
  queue_init(&pool.waiting);
  queue_init(&pool.held);
  pool.general_count = pool.lookup_count = 0;
  atomic_store(&pool.ready, 0);
  atomic_store(&pool_files, 0);
  return left;
}

/* Work that is submitted after the shutdown starts a new pool. */
static void pool_shutdown(void) {
  pthread_mutex_lock(&pool.mutex);
  pool.stopping = true;
  pthread_cond_broadcast(&pool.wake_up);
  const bool all = pool_wait_for_end();
  const unsigned int threads = pool.threads;
  if (!all) {
    unsigned int left = pool_leave_behind();
    while (pool.ended < left)
      pthread_cond_wait(&pool.all_ended, &pool.mutex);
  }
  pool_clear();
  pthread_mutex_unlock(&pool.mutex);

  for (unsigned int i = 0; i < threads; i++) {
    if (atomic_load(&pool_places[i].place) == PLACE_LEFT_BEHIND)
      pthread_detach(pool.ids[i]);
    else
      pthread_join(pool.ids[i], NULL);
  }
  if (!all)
    pool_stay_loaded();
}

unsigned int pool_size(void) {
  const char* text = getenv("UV_THREADPOOL_SIZE");
  if (text == NULL)
    return POOL_DEFAULT;
  long size = strtol(text, NULL, 10);
  if (size < 1)
    return 1;
  return size > POOL_MOST ? POOL_MOST : (unsigned int) size;
}

static void pool_init(void) {
  pool.limit = pool_size();
  pool.lookup_limit = (pool.limit + 1) / 2;
  pool_clear();
  /* A failure to register matters only to a child that uses the pool. */
  system_at_fork(NULL, NULL, pool_forked);
  library_at_shutdown(pool_shutdown);
}

static void pool_count_ready(void) {
  unsigned int lookups = pool.lookup_limit - pool.lookups_running;
  if (lookups > pool.lookup_count)
    lookups = pool.lookup_count;
  atomic_store_explicit(&pool.ready, pool.general_count + lookups, memory_order_release);
}

static unsigned int pool_ready(void) {
  return atomic_load_explicit(&pool.ready, memory_order_relaxed);
}

/* --- A thread's life ------------------------------------------------------------- */

/* Kinds of work are recognised by their function pointer. */
static bool is_lookup(const struct uv__work* w) {
  return w->work == resolver_address_work || w->work == resolver_name_work;
}

/* Publishes the queue's length for tools that look at a recorded process from outside. */
static void pool_show_waiting(void) {
  if (!atomic_load_explicit(&recording_pool_on, memory_order_relaxed))
    return;
  __atomic_store_n(recording_pool_waiting, pool.general_count + pool.lookup_count,
                   __ATOMIC_RELAXED);
}

static void pool_count_in(const struct uv__work* w) {
  if (is_lookup(w))
    pool.lookup_count++;
  else
    pool.general_count++;
  if (w->work == fs_run_on_pool)
    atomic_fetch_add_explicit(&pool_files, 1, memory_order_relaxed);
  pool_show_waiting();
}

static void pool_count_out(const struct uv__work* w) {
  if (is_lookup(w))
    pool.lookup_count--;
  else
    pool.general_count--;
  if (w->work == fs_run_on_pool)
    atomic_fetch_sub_explicit(&pool_files, 1, memory_order_relaxed);
  pool_show_waiting();
}

/* The oldest work that may run now. Precondition: there is some. */
static struct uv__work* pool_next(void) {
  bool lookup_possible = pool.lookups_running < pool.lookup_limit;
  if (lookup_possible && !queue_empty(&pool.held))
    return rondo_container_of(queue_first(&pool.held), struct uv__work, wq);
  for (;;) {
    struct queue* link = queue_first(&pool.waiting);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    if (lookup_possible || !is_lookup(w))
      return w;
    queue_remove(link);
    queue_push_back(&pool.held, link);
  }
}

/* Records the processor that works for the loop. Usually it is recorded already; then the
 * loop's memory, which another processor is using, isn't written to. */
static void pool_note_processor(uv_loop_t* loop) {
  unsigned int processor = (unsigned int) sched_getcpu() + 1;
  if (__atomic_load_n(&loop->work_processor, __ATOMIC_RELAXED) != processor)
    __atomic_store_n(&loop->work_processor, processor, __ATOMIC_RELAXED);
}

/* Takes the next piece of work; false if there is none. Clearing w->work marks the work
 * as begun: see pool_take_back. */
static bool pool_take(struct pool_piece* piece) {
  if (pool_ready() == 0)
    return false;
  struct uv__work* w = pool_next();
  queue_remove(queue_of(w->wq));
  pool_count_out(w);
  piece->w = w;
  piece->lookup = is_lookup(w);
  if (piece->lookup)
    pool.lookups_running++;
  piece->work = w->work;
  piece->waiting = pool.general_count + pool.lookup_count;
  w->work = NULL;
  pool_count_ready();
  return true;
}

/* Undoes pool_take. */
static void pool_untake(const struct pool_piece* piece) {
  piece->w->work = piece->work;
  if (piece->lookup)
    pool.lookups_running--;
  queue_push_front(&pool.waiting, queue_of(piece->w->wq));
  pool_count_in(piece->w);
  pool_count_ready();
}

static bool pool_has_work(const void* unused) {
  (void) unused;
  return pool_ready() > 0;
}

/* Spins for work; true if some came. After a success the next spin may take the full
 * time, after a failure half of the last: a thread whose work comes rarely soon goes
 * straight to sleep. */
static bool pool_look_out(void) {
  uint64_t most = backoff_share(&pool.look_out, LOOK_OUT_NS);
  if (!tune_is_on(TUNE_POOL_SPIN) || system_processors() < 2 || pool.looking_out > 0 ||
      pool.stopping || most < LOOK_OUT_LEAST_NS)
    return false;
  if (pool.asker == sched_getcpu())
    return false; /* a spin on the submitter's processor would keep it from submitting */

  pool.looking_out++;
  uint64_t end = clock_now_ns() + most;
  pthread_mutex_unlock(&pool.mutex);
  (void) spin_until(pool_has_work, NULL, end);
  pthread_mutex_lock(&pool.mutex);
  pool.looking_out--;

  bool found = pool_ready() > 0;
  if (found)
    backoff_won(&pool.look_out);
  else
    backoff_lost(&pool.look_out);
  return found;
}

static void pool_sleep(void) {
  uint64_t since = clock_now_ns();
  pool.sleeping++;
  while (pool.called == 0 && !pool.stopping)
    pthread_cond_wait(&pool.wake_up, &pool.mutex);
  if (pool.called > 0)
    pool.called--;
  else
    pool.sleeping--;
  /* Work came so soon that a spin would have caught it. */
  if (clock_now_ns() - since < 2 * LOOK_OUT_NS)
    backoff_won(&pool.look_out);
}

static void* pool_thread(void* argument);

/* Stacks are as large as the main thread's may become, since programs run their own code
 * here; only address space is reserved. All signals are blocked: the program's threads
 * handle them.
 *
 * The new thread gets its first work right here. If it had to fetch the work, it would
 * find the mutex held by the thread that starts it, and on a busy machine being woken
 * from that wait takes a time slice of every other program. */
static int pool_start_thread(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return UV_ENOMEM;
  size_t stack = 8u << 20;
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur >= (256u << 10) && limit.rlim_cur < stack)
    stack = limit.rlim_cur & ~(size_t) 0xffff;
  (void) pthread_attr_setstacksize(&attributes, stack);

  const unsigned int number = pool.threads;
  (void) pool_take(&pool_places[number].first); /* there is some */
  pool_places[number].generation = pool.generation;
  atomic_store(&pool_places[number].place, pool.generation * 2);

  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int err = pthread_create(&pool.ids[number], &attributes, pool_thread,
                           (void*) (uintptr_t) number);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (err != 0) {
    pool_untake(&pool_places[number].first);
    return -err;
  }
  pool.threads++;
  return 0;
}

/* Makes sure that a thread comes for the work. Threads are called one at a time, and each
 * calls the next if there is more than it can do: short work is done before a second
 * thread would be awake, and for long work the delay doesn't matter. The first few
 * threads are started before a sleeping one is woken, so that a pool in use soon has them
 * even on a busy machine; starting costs about as much as waking. A thread is started
 * with the mutex held: that happens a few times in a process's life, and no other thread
 * can rely on one that could not be started. */
static int pool_call_somebody(void) {
  bool may_start = true;
  while (pool_ready() > pool.looking_out && pool.called == 0) {
    if (may_start && pool.threads < pool.limit &&
        (pool.sleeping == 0 || pool.threads < POOL_DEFAULT)) {
      /* A new thread is busy with its first work and calls no other before that is done,
       * so the rest of the queue needs another thread. */
      int err = pool_start_thread();
      /* Fewer threads than wanted are no error; no thread at all is. */
      if (err != 0 && pool.threads == 0)
        return err;
      may_start = err == 0;
    } else if (pool.sleeping > 0) {
      pool.sleeping--;
      pool.called++;
      pthread_cond_signal(&pool.wake_up);
    } else {
      break; /* all are busy, and will look at the queue when they are done */
    }
  }
  return 0;
}

/* Marks the thread as back from its work. False if a shutdown has given this thread up
 * meanwhile: then the request and its loop must not be touched, because the program may
 * have freed them. */
static bool pool_come_back(unsigned int number, unsigned int generation) {
  unsigned int working = generation * 2 + 1;
  return atomic_compare_exchange_strong(&pool_places[number].place, &working,
                                        generation * 2);
}

/* Runs the work; called without the mutex, returns with it. After it has run, the work
 * may belong to the loop again, so what is needed of it is read before. False, without
 * the mutex, if this thread was left behind. */
static bool pool_run(const struct pool_piece* piece, unsigned int number,
                     unsigned int generation) {
  struct uv__work* w = piece->w;
  uv_loop_t* loop = w->loop;
  const bool lent = w->done == NULL;
  const bool recorded = atomic_load_explicit(&recording_pool_on, memory_order_relaxed);
  pool_note_processor(loop);
  if (recorded)
    recording_work(loop, w, piece->waiting);
  piece->work(w);
  if (!pool_come_back(number, generation))
    return false;
  if (recorded)
    recording_work_end(loop, w);
  if (!lent)
    work_give_back(w);
  system_processors_learn();
  pthread_mutex_lock(&pool.mutex);
  pool.works_done++;
  if (piece->lookup) {
    pool.lookups_running--;
    pool_count_ready();
  }
  return true;
}

static void* pool_thread(void* argument) {
  const unsigned int number = (unsigned int) (uintptr_t) argument;
  const unsigned int generation = pool_places[number].generation;
  (void) pthread_setname_np(pthread_self(), "libuv-worker");

  unsigned int starting = generation * 2;
  bool begins = atomic_compare_exchange_strong(&pool_places[number].place, &starting,
                                               generation * 2 + 1);
  struct pool_piece piece = pool_places[number].first;
  if (begins && !pool_run(&piece, number, generation))
    return NULL;
  if (!begins) /* given up by a shutdown, which waits for this thread to end */
    pthread_mutex_lock(&pool.mutex);
  for (;;) {
    if (pool_take(&piece)) {
      (void) pool_call_somebody();
      atomic_store_explicit(&pool_places[number].place, generation * 2 + 1,
                            memory_order_relaxed);
      pthread_mutex_unlock(&pool.mutex);
      if (!pool_run(&piece, number, generation))
        return NULL;
    } else if (pool.stopping) {
      /* Look-ups beyond their limit are left to the threads that are running one. */
      break;
    } else if (!pool_look_out()) {
      pool_sleep();
    }
  }
  pool.ended++;
  pthread_cond_signal(&pool.all_ended);
  pthread_mutex_unlock(&pool.mutex);
  return NULL;
}

/* --- Handing over ---------------------------------------------------------------- */

/* Removes work from the queue; only for work that no thread has begun. */
static void pool_withdraw(struct uv__work* w) {
  queue_remove(queue_of(w->wq));
  pool_count_out(w);
  pool_count_ready();
}

/* With the mutex held, on the loop's thread. */
static int pool_queue(struct uv__work* w) {
  uv_loop_t* loop = w->loop;
  pool.asker = sched_getcpu();
  assert(pool.sleeping + pool.called + pool.looking_out <= pool.threads);
  queue_push_back(&pool.waiting, queue_of(w->wq));
  pool_count_in(w);
  pool_count_ready();
  const bool awake = pool_ready() <= pool.looking_out;
  const unsigned int before = pool.called + pool.threads;
  int err = pool_call_somebody();
  if (err != 0)
    pool_withdraw(w);
  else if (awake)
    loop_count(loop, COUNTER_POOL_AWAKE);
  else if (pool.called + pool.threads > before)
    loop_count(loop, COUNTER_POOL_WOKEN);
  return err;
}

int pool_hand_over(struct uv__work* w) {
  pthread_once(&pool_once, pool_init);
  pthread_mutex_lock(&pool.mutex);
  int err = pool_queue(w);
  pthread_mutex_unlock(&pool.mutex);
  return err;
}

bool pool_lend(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work*)) {
  if (system_processors() < 2)
    return false;
  w->loop = loop;
  w->work = work;
  w->done = NULL;

  pthread_once(&pool_once, pool_init);
  pthread_mutex_lock(&pool.mutex);
  bool lent = pool_ready() == 0 &&
              (pool.looking_out > 0 || pool.sleeping > 0 || pool.threads < pool.limit) &&
              pool_queue(w) == 0;
  if (!lent)
    w->work = NULL;
  pthread_mutex_unlock(&pool.mutex);
  return lent;
}

bool pool_take_back(struct uv__work* w, void (*instead)(struct uv__work* w)) {
  pthread_mutex_lock(&pool.mutex);
  bool waiting = w->work != NULL && w->work != instead;
  if (waiting) {
    pool_withdraw(w);
    w->work = instead;
  }
  pthread_mutex_unlock(&pool.mutex);
  return waiting;
}
