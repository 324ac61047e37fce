/* The sampling thread, and the loops that it looks at: see sampler.h. */
#include "trace/sampler.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "sim/sim.h"
#include "system/system.h"
#include "trace/alarm.h"
#include "trace/sequence.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t IDLE_AFTER_NS = 1000000000;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct queue loops;
  bool ready;   /* the queue and the condition are initialised */
  bool running; /* the thread is running */
  bool refused; /* the signal is used by the program, or no thread can be made */
  bool apart;   /* the thread has given up the process's descriptors */
  uint64_t threshold_ns;
  pid_t process; /* the process that the thread belongs to, not its forked child */
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool sampler_is_idle;

/* --- a ring's board ------------------------------------------------------------------
 */

/* Shows the last sample on the board. */
static void sample_show(struct sampled_loop* loop, uint64_t looked) {
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  const struct sample* sample = &loop->samples[(filled - 1) % SAMPLES_KEPT];
  struct board* board = loop->board;
  struct board_sample* shown = &board->samples[board->sampled % BOARD_SAMPLES];
  sequence_write_begin(&shown->sequence);
  shown->loop = (uint32_t) (loop->live - board->loops);
  shown->number = loop->stretch_samples;
  shown->count = sample->count;
  shown->when_ns = sample->when_ns;
  shown->stretch_ns = looked;
  shown->is_bare = 0;
  memcpy(shown->names, sample->names, sample->count * sizeof(sample->names[0]));
  sequence_write_end(&shown->sequence);
  __atomic_store_n(&board->sampled, board->sampled + 1, __ATOMIC_RELEASE);
}

/* Reports a stall, once in a stretch. What happens before the loop runs for the first
 * time, such as loading a program's modules, is no stall of the loop. */
static void stall_report(struct sampled_loop* loop) {
  uint64_t held = loop->seen_ns - loop->stretch_ns;
  struct board* board = loop->board;
  if (board->stall_ns == 0 || held < board->stall_ns ||
      loop->alarm_ns == loop->stretch_ns || loop->stretch_ns == loop->joined_ns)
    return;
  loop->alarm_ns = loop->stretch_ns;
  __atomic_fetch_add(&board->stalls, 1, __ATOMIC_SEQ_CST);
  alarm_stall((uint32_t) (loop->live - board->loops), loop->stretch_ns, held);
}

/* One stack may show only a function of the C library whose caller couldn't be found, so
 * a report waits for several samples. The wait has a limit, since a busy machine may take
 * long to answer the signal. */
static bool stall_is_sampled(const struct sampled_loop* loop) {
  return loop->stretch_samples >= SAMPLES_OF_STALL ||
         loop->seen_ns - loop->stretch_ns >= loop->board->stall_ns + SAMPLE_LATE_NS;
}

static uint64_t sampled_loop_moment(const struct sampled_loop* loop) {
  return sampled_loop_looked(loop) & ~BOARD_ASLEEP;
}

/* Whether a callback of the loop is running. The loop's thread writes the number without
 * a lock; a value that is just changing does no harm. */
__attribute__((no_sanitize("thread"))) static bool
sampled_loop_is_inside(const struct sampled_loop* loop) {
  return loop->depth != NULL && *(const volatile unsigned int*) loop->depth > 0;
}

/* Whether the thread has entered another of its loops since; then that loop is watched
 * instead. A callback that runs another loop, as spawnSync does, still holds up its own.
 */
static bool sampled_loop_is_left(const struct sampled_loop* loop) {
  if (sampled_loop_is_inside(loop))
    return false;
  for (struct queue* link = queue_first(&sampler.loops); link != NULL;
       link = queue_next(&sampler.loops, link)) {
    const struct sampled_loop* other =
        rondo_container_of(link, struct sampled_loop, link);
    if (other != loop && other->thread == loop->thread &&
        sampled_loop_moment(other) > sampled_loop_moment(loop))
      return true;
  }
  return false;
}

/* For the report, and for `rondo why`: what the thread has had of the processor so far.
 */
static void held_show(struct sampled_loop* loop, uint64_t now) {
  uint64_t used, delay;
  if (thread_sums_read(loop->thread, &used, &delay))
    board_cpu_write(&loop->live->cpu_held, now, used, now, delay);
}

/* Returns how long the loop need not be checked again. */
static uint64_t sampled_loop_look(struct sampled_loop* loop, uint64_t now) {
  uint64_t looked = sampled_loop_looked(loop);
  if (loop->live != NULL && loop->stretch_samples > 0 && loop->stretch_ns != looked)
    stall_report(loop); /* for a stretch that ended before its last sample */
  if ((looked & BOARD_ASLEEP) != 0 || sampled_loop_is_left(loop))
    return UINT64_MAX;
  if (now < looked + sampler.threshold_ns)
    return looked + sampler.threshold_ns - now;
  if (loop->stretch_ns != looked) {
    loop->stretch_ns = looked;
    loop->stretch_samples = loop->stretch_tries = 0;
    loop->next_ns = now;
    if (loop->live != NULL)
      held_show(loop, now);
  }
  loop->seen_ns = now;
  if (now >= loop->next_ns) {
    bool taken = sample_once(loop, now);
    loop->stretch_samples += taken;
    loop->next_ns =
        clock_now_ns() + sample_period(loop->stretch_tries++, loop->board != NULL);
    if (taken && loop->live != NULL)
      sample_show(loop, looked);
  }
  if (loop->live != NULL && stall_is_sampled(loop))
    stall_report(loop);
  return loop->next_ns > now ? loop->next_ns - now : 0;
}

static uint64_t sampler_look(uint64_t now) {
  uint64_t soonest = UINT64_MAX;
  for (struct queue* link = queue_first(&sampler.loops); link != NULL;
       link = queue_next(&sampler.loops, link))
    soonest = u64_min(
        soonest,
        sampled_loop_look(rondo_container_of(link, struct sampled_loop, link), now));
  return soonest;
}

static void sampler_wait(uint64_t ns) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  uint64_t end = (uint64_t) until.tv_sec * 1000000000 + (uint64_t) until.tv_nsec + ns;
  until.tv_sec = (time_t) (end / 1000000000);
  until.tv_nsec = (long) (end % 1000000000);
  pthread_cond_timedwait(&sampler.changed, &sampler.lock, &until);
}

/* For a ring this thread doesn't need the program's descriptors, and a descriptor table
 * that two threads share makes each system call of the program a little slower. So the
 * thread unshares the table and closes its copies; a program with one thread keeps the
 * fast path. A file is extended through its descriptor, so there the table stays shared.
 */
static void descriptors_leave(void) {
  const unsigned int unshare_first = 1 << 1; /* CLOSE_RANGE_UNSHARE */
  (void) syscall(SYS_close_range, 0, ~0u, unshare_first);
}

/* For the loops of a ring, which have no time to look at more than their own part of the
 * board. */
static void loops_set_unseen(bool unseen) {
  for (struct queue* link = queue_first(&sampler.loops); link != NULL;
       link = queue_next(&sampler.loops, link)) {
    const struct sampled_loop* loop = rondo_container_of(link, struct sampled_loop, link);
    if (loop->live != NULL)
      __atomic_store_n(&loop->live->unseen, unseen, __ATOMIC_SEQ_CST);
  }
}

static void sampler_rest(uint64_t now) {
  atomic_store(&sampler_is_idle, true);
  loops_set_unseen(true);
  if (sampler_look(now) == UINT64_MAX) /* none has woken up meanwhile */
    sampler_wait(60 * IDLE_AFTER_NS);
  atomic_store(&sampler_is_idle, false);
  loops_set_unseen(false);
}

/* When every loop has been asleep for a second, the thread waits until one of them wakes
 * up. */
static void* sampler_thread(void* argument) {
  uint64_t busy_ns = clock_now_ns();
  (void) argument;
  pthread_setname_np(pthread_self(), "rondo-sampler");
  pthread_mutex_lock(&sampler.lock);
  if (sampler.apart)
    descriptors_leave();
  while (!queue_empty(&sampler.loops)) {
    uint64_t now = clock_now_ns();
    uint64_t soonest = sampler_look(now);
    if (soonest != UINT64_MAX) {
      busy_ns = now;
      sampler_wait(u64_max(soonest, 200000));
    } else if (now - busy_ns < IDLE_AFTER_NS) {
      sampler_wait(sampler.threshold_ns);
    } else {
      sampler_rest(now);
      busy_ns = clock_now_ns();
    }
  }
  sampler.running = false;
  pthread_mutex_unlock(&sampler.lock);
  return NULL;
}

static void sampler_wake(void) {
  pthread_mutex_lock(&sampler.lock);
  atomic_store(&sampler_is_idle, false);
  pthread_cond_signal(&sampler.changed);
  pthread_mutex_unlock(&sampler.lock);
}

void sampler_woken(struct sampled_loop* loop) {
  if (loop->live != NULL)
    __atomic_store_n(&loop->live->unseen, 0, __ATOMIC_RELAXED);
  if (atomic_load_explicit(&sampler_is_idle, memory_order_relaxed))
    sampler_wake();
  if (loop->is_watched && __atomic_load_n(&loop->board->watcher_idle, __ATOMIC_RELAXED))
    watched_wake(loop);
}

/* --- life ------------------------------------------------------------------------------
 */

static uint64_t setting_ns(const char* name, uint64_t otherwise_ms) {
  const char* setting = system_setting(name);
  uint64_t ms = otherwise_ms;
  if (setting != NULL && *setting != '\0')
    ms = strtoull(setting, NULL, 10);
  return u64_min(ms, 3600000) * 1000000;
}

/* The threshold: a stall can be reported only if it was sampled. */
static uint64_t setting_threshold_ns(void) {
  uint64_t stall = setting_ns("RONDO_RECORD_STALL", 0);
  bool everything = system_setting("RONDO_TRACE") != NULL;
  bool ring = system_setting("RONDO_RECORD") != NULL && !everything;
  uint64_t threshold = setting_ns("RONDO_TRACE_STALL", ring ? 25 : 10);
  return stall == 0 ? threshold : u64_min(u64_max(threshold, 1000000), stall);
}

/* A forked child has a copy of the sampler in whatever state the parent's was, and starts
 * a new one. */
static void sampler_own(void) {
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  if (sampler.process == getpid())
    return;
  sampler.process = getpid();
  sampler.lock = fresh;
  sampler.ready = sampler.running = sampler.refused = false;
  atomic_store(&sampler_is_idle, false);
  sample_forget();
  watched_forget_all();
}

/* With the lock held. */
static void sampler_prepare(void) {
  if (sampler.ready)
    return;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&sampler.changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  queue_init(&sampler.loops);
  sampler.threshold_ns = setting_threshold_ns();
  sampler.ready = true;
}

/* With the lock held. The thread blocks all signals, so that none for the program end up
 * on it. */
static bool sampler_run(void) {
  if (sampler.running || sampler.refused)
    return sampler.running;
  sigset_t all, before;
  pthread_t thread;
  pthread_attr_t detached;
  /* In a world (rondo sim) it would be a thread more, and threads' order depends on
   * which there are; how long something takes there says nothing. */
  if (sim_join_world() || !sample_prepare())
    return !(sampler.refused = true);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  sampler.running = pthread_create(&thread, &detached, sampler_thread, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  return sampler.running;
}

/* The calling thread is sampled from now on. */
static void thread_note(struct sampled_loop* loop) {
  pthread_attr_t attributes;
  void* start = NULL;
  size_t size = 0;
  loop->thread = gettid();
  loop->stack_start = loop->stack_end = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  loop->stack_start = (uintptr_t) start;
  loop->stack_end = (uintptr_t) start + size;
}

/* Under the lock. */
static void loop_join_thread(struct sampled_loop* loop) {
  loop->samples = mem_calloc(SAMPLES_KEPT, sizeof(*loop->samples));
  if (loop->samples == NULL)
    return;
  queue_push_back(&sampler.loops, &loop->link);
  if (!sampler.running)
    sampler.apart = loop->board != NULL;
  bool running = sampler_run();
  loop->writes = loop->board == NULL && !sampler.apart;
  if (!running)
    queue_remove(&loop->link);
  if (loop->board != NULL)
    loop->board->sampling = running ? 1 : 2;
  pthread_cond_signal(&sampler.changed);
}

/* Under the lock. False if it needs the thread. */
static bool loop_join_watcher(struct sampled_loop* loop) {
  if (sampler.running || !watched_may_begin(loop) || !sample_prepare())
    return false;
  loop->samples = mem_calloc(1, sizeof(*loop->samples));
  if (loop->samples == NULL)
    return false;
  loop->board->sampling = 1;
  watched_begin(loop);
  return true;
}

void sampler_join(struct sampled_loop* loop, uint64_t now) {
  sampler_own();
  pthread_mutex_lock(&sampler.lock);
  sampler_prepare();
  queue_init(&loop->link);
  loop->joined_ns = now;
  if (loop->looked == NULL)
    loop->looked = &loop->looked_ns;
  if (loop->board != NULL) {
    loop->board->stall_ns = setting_ns("RONDO_RECORD_STALL", 0);
    loop->board->threshold_ns = sampler.threshold_ns;
  }
  if (sampler.threshold_ns > 0) {
    thread_note(loop);
    if (!loop_join_watcher(loop))
      loop_join_thread(loop);
  }
  pthread_mutex_unlock(&sampler.lock);
}

void sampler_take_over(struct sampled_loop* loop) {
  pthread_mutex_lock(&sampler.lock);
  watched_end(loop);
  mem_free(loop->samples);
  loop_join_thread(loop);
  pthread_mutex_unlock(&sampler.lock);
}

void sampler_moved(struct sampled_loop* loop) {
  if (loop->samples == NULL)
    return;
  pthread_mutex_lock(&sampler.lock);
  thread_note(loop);
  pthread_mutex_unlock(&sampler.lock);
}

/* The sampling thread holds the lock while it waits for a handler, so no handler is
 * running now. */
void sampler_leave(struct sampled_loop* loop) {
  pthread_mutex_lock(&sampler.lock);
  if (loop->is_watched)
    watched_end(loop);
  queue_remove(&loop->link);
  pthread_cond_signal(&sampler.changed);
  pthread_mutex_unlock(&sampler.lock);
  if (loop->written.recording != NULL)
    recording_end_samples(&loop->written, true);
  mem_free(loop->samples);
  names_free(&loop->names);
  loop->samples = NULL;
}

void sampler_abandon(struct sampled_loop* loop) {
  sampler_own();
  if (loop->written.recording != NULL)
    recording_end_samples(&loop->written, false);
  mem_free(loop->samples);
  names_free(&loop->names);
  loop->samples = NULL;
}

const struct sample* sampler_take(struct sampled_loop* loop) {
  if (loop->is_watched)
    return watched_take(loop);
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  if (loop->samples == NULL || loop->taken == filled)
    return NULL;
  if (filled - loop->taken > SAMPLES_KEPT)
    loop->taken = filled - SAMPLES_KEPT;
  return &loop->samples[loop->taken++ % SAMPLES_KEPT];
}
