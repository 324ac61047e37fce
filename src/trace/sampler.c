/* The sampling thread and its signal: see sampler.h. */
#include "trace/sampler.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"
#include "trace/alarm.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  SAMPLE_SIGNAL = SIGURG,
  PERIOD_GROWS_AFTER = 64,
  BEST_OF = 16,
  STRETCH_SAMPLES_MOST = 512
};

static const uint64_t PERIOD_NS = 2000000;
static const uint64_t RING_PERIOD_NS = 20000000;
static const uint64_t PERIOD_MOST_NS = 64000000;
static const uint64_t PERIOD_LAST_NS = 1000000000; /* of one that doesn't end */
static const uint64_t SHOWN_NS = 20000000;        /* a sample is on the board, at least */
static const uint64_t SAMPLE_LATE_NS = 500000000; /* a report waits for a stack */
static const uint64_t ANSWER_NS = 20000000; /* a signal that takes longer is given up */
static const uint64_t IDLE_AFTER_NS = 1000000000;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct queue loops;
  bool ready;   /* the queue and the condition are made */
  bool running; /* the thread */
  bool refused; /* the signal is the program's, or no thread can be made */
  uint64_t threshold_ns;
  pid_t process; /* whose sampler this is: not a forked child's */
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

atomic_bool sampler_is_idle;

/* The loop whose thread is asked for a sample; the signal handler takes it, and counts
 * when it is done with it. */
static _Atomic(struct sampled_loop*) sample_asked;
static atomic_uint samples_answered;

/* --- on the loop's thread: the signal ------------------------------------------------
 */

static struct sample* sample_next(struct sampled_loop* loop) {
  unsigned int number = atomic_load_explicit(&loop->filled, memory_order_relaxed);
  return &loop->samples[number % SAMPLES_KEPT];
}

static void sample_done(struct sampled_loop* loop) {
  atomic_fetch_add_explicit(&loop->filled, 1, memory_order_release);
}

#if defined(__x86_64__)
static void context_registers(const ucontext_t* context, uintptr_t* pc, uintptr_t* sp,
                              uintptr_t* fp) {
  *pc = (uintptr_t) context->uc_mcontext.gregs[REG_RIP];
  *sp = (uintptr_t) context->uc_mcontext.gregs[REG_RSP];
  *fp = (uintptr_t) context->uc_mcontext.gregs[REG_RBP];
}
#elif defined(__aarch64__)
static void context_registers(const ucontext_t* context, uintptr_t* pc, uintptr_t* sp,
                              uintptr_t* fp) {
  *pc = (uintptr_t) context->uc_mcontext.pc;
  *sp = (uintptr_t) context->uc_mcontext.sp;
  *fp = (uintptr_t) context->uc_mcontext.regs[29];
}
#else
static void context_registers(const ucontext_t* context, uintptr_t* pc, uintptr_t* sp,
                              uintptr_t* fp) {
  (void) context;
  *pc = *sp = *fp = 0;
}
#endif

/* Follows frame pointers: each frame begins with the address of the one before it and the
 * place to return to. Code without frame pointers breaks the chain or leaves frames out;
 * addresses that don't lie on the stack, higher than the last, end it. */
static void sample_frames(struct sample* sample, const ucontext_t* context,
                          uintptr_t stack_end) {
  uintptr_t pc, sp, fp;
  context_registers(context, &pc, &sp, &fp);
  sample->frames[0] = pc;
  sample->count = 1;
  for (uintptr_t lowest = sp; sample->count < SAMPLE_FRAMES && fp >= lowest &&
                              fp % sizeof(void*) == 0 &&
                              fp < stack_end - 2 * sizeof(fp);) {
    const uintptr_t* frame = (const uintptr_t*) fp;
    if (frame[1] == 0)
      return;
    sample->frames[sample->count++] = frame[1] - 1; /* inside the call, not behind it */
    lowest = fp + 2 * sizeof(fp);
    fp = frame[0];
  }
}

static void sample_signal(int number, siginfo_t* info, void* context) {
  int saved = errno;
  (void) number;
  struct sampled_loop* loop = atomic_exchange(&sample_asked, NULL);
  /* The signal may also be somebody else's, who expects it to be ignored. */
  if (loop != NULL && info->si_code == SI_TKILL && loop->thread == gettid()) {
    struct sample* sample = sample_next(loop);
    sample->when_ns = clock_now_ns();
    sample_frames(sample, context, loop->stack_end);
    sample_done(loop);
  }
  if (loop != NULL)
    atomic_fetch_add(&samples_answered, 1);
  errno = saved;
}

/* --- on the sampling thread ------------------------------------------------------------
 */

/* System calls that SA_RESTART resumes, as signal(7) lists them. */
static bool call_is_resumed(long number) {
  static const long calls[] = {
      SYS_read,     SYS_readv,   SYS_pread64, SYS_preadv,    SYS_write,    SYS_writev,
      SYS_pwrite64, SYS_pwritev, SYS_ioctl,   SYS_openat,    SYS_wait4,    SYS_waitid,
      SYS_flock,    SYS_fcntl,   SYS_fsync,   SYS_fdatasync, SYS_getrandom};
  for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
    if (calls[i] == number)
      return true;
  }
  return false;
}

/* Whether a signal does no harm. If not, *pc is where the thread is blocked, or 0. */
static bool thread_may_be_signalled(pid_t thread, uintptr_t* pc) {
  char path[64], text[256];
  snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int) thread);
  *pc = 0;
  ssize_t length = system_read_file(path, text, sizeof(text));
  if (length <= 0 || strncmp(text, "running", 7) == 0)
    return length > 0;
  if (call_is_resumed(strtol(text, NULL, 10)))
    return true;
  const char* last = strrchr(text, ' ');
  *pc = last == NULL ? 0 : (uintptr_t) strtoull(last, NULL, 16);
  return false;
}

static void nap(uint64_t ns) {
  struct timespec time = {.tv_sec = (time_t) (ns / 1000000000),
                          .tv_nsec = (long) (ns % 1000000000)};
  nanosleep(&time, NULL);
}

/* Waits for the handler, so that it never writes to a loop that has left. */
static void sample_by_signal(struct sampled_loop* loop) {
  unsigned int before = atomic_load(&samples_answered);
  uint64_t give_up = clock_now_ns() + ANSWER_NS;
  atomic_store(&sample_asked, loop);
  bool sent = syscall(SYS_tgkill, getpid(), loop->thread, SAMPLE_SIGNAL) == 0;
  while (atomic_load(&samples_answered) == before) {
    /* A thread may block the signal: its handler will find nothing to do. Once the
     * handler has taken the loop, it is as good as done. */
    if ((!sent || clock_now_ns() > give_up) &&
        atomic_exchange(&sample_asked, NULL) != NULL)
      return;
    nap(20000);
  }
}

static void sample_blocked(struct sampled_loop* loop, uintptr_t pc, uint64_t now) {
  struct sample* sample = sample_next(loop);
  sample->when_ns = now;
  sample->frames[0] = pc;
  sample->count = 1;
  sample_done(loop);
}

static void sample_take(struct sampled_loop* loop, uint64_t now) {
  uintptr_t pc;
  if (thread_may_be_signalled(loop->thread, &pc))
    sample_by_signal(loop);
  else if (pc != 0)
    sample_blocked(loop, pc, now);
}

/* --- a ring's board ------------------------------------------------------------------
 */

/* Code without frame pointers, as much of the C library is, has a stack of one frame: of
 * the last samples of a stretch, the newest that is at least half as deep as any. */
static const struct sample* sample_best(const struct sampled_loop* loop,
                                        uint64_t looked) {
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  uint32_t deepest = 0;
  for (int round = 0; round < 2; round++) {
    for (unsigned int ago = 1; ago <= filled && ago <= BEST_OF; ago++) {
      const struct sample* sample = &loop->samples[(filled - ago) % SAMPLES_KEPT];
      if (sample->when_ns <= looked)
        break; /* of another stretch */
      deepest = sample->count > deepest ? sample->count : deepest;
      if (round == 1 && sample->count * 2 >= deepest)
        return sample;
    }
  }
  return NULL;
}

/* Names are looked up here, where the code that was sampled is still what it was. */
static void sample_show(struct sampled_loop* loop, uint64_t looked, uint64_t now) {
  struct board_sample* shown = &loop->live->sample;
  if (shown->stretch_ns == looked && now - loop->shown_ns < SHOWN_NS)
    return;
  const struct sample* sample = sample_best(loop, looked);
  if (sample == NULL)
    return;
  loop->shown_ns = now;
  __atomic_store_n(&shown->sequence, shown->sequence + 1, __ATOMIC_SEQ_CST);
  shown->count = sample->count;
  shown->when_ns = sample->when_ns;
  shown->stretch_ns = looked;
  for (uint32_t i = 0; i < sample->count; i++)
    shown->names[i] = name_of_frame(&loop->names, loop->stream, sample->frames[i]);
  __atomic_store_n(&shown->sequence, shown->sequence + 1, __ATOMIC_SEQ_CST);
}

/* Once in a stretch, behind a sample of it; not before the loop has run at all. */
static void stall_report(struct sampled_loop* loop, uint64_t looked, uint64_t now) {
  struct board* board = loop->board;
  if (board->stall_ns == 0 || now - looked < board->stall_ns ||
      loop->alarm_ns == looked ||
      __atomic_load_n(&loop->live->looked_ns, __ATOMIC_RELAXED) == 0)
    return;
  /* A busy machine may take its time to answer the signal. */
  if (loop->live->sample.stretch_ns != looked &&
      now - looked < board->stall_ns + SAMPLE_LATE_NS)
    return;
  loop->alarm_ns = looked;
  __atomic_fetch_add(&board->stalls, 1, __ATOMIC_SEQ_CST);
  alarm_stall((uint32_t) (loop->live - board->loops), looked, now - looked);
}

/* Often at first, and less often in a stretch that goes on; for a ring, which is left on,
 * a tenth of it. */
static uint64_t sample_period(unsigned int samples, bool is_ring) {
  if (is_ring)
    return samples < STRETCH_SAMPLES_MOST ? RING_PERIOD_NS : PERIOD_LAST_NS;
  if (samples >= STRETCH_SAMPLES_MOST)
    return PERIOD_LAST_NS;
  uint64_t period = PERIOD_NS << u64_min(samples / PERIOD_GROWS_AFTER, 5);
  return u64_min(period, PERIOD_MOST_NS);
}

static uint64_t sampled_loop_moment(const struct sampled_loop* loop) {
  return atomic_load_explicit(&loop->looked_ns, memory_order_relaxed) & ~SAMPLER_ASLEEP;
}

/* Whether the thread has come to another of its loops since: that is the one to watch. */
static bool sampled_loop_is_left(const struct sampled_loop* loop) {
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

/* How long the loop can be left alone now. */
static uint64_t sampled_loop_look(struct sampled_loop* loop, uint64_t now) {
  uint64_t looked = atomic_load_explicit(&loop->looked_ns, memory_order_relaxed);
  if ((looked & SAMPLER_ASLEEP) != 0 || sampled_loop_is_left(loop))
    return UINT64_MAX;
  if (now < looked + sampler.threshold_ns)
    return looked + sampler.threshold_ns - now;
  if (loop->stretch_ns != looked) {
    loop->stretch_ns = looked;
    loop->stretch_samples = 0;
    loop->next_ns = now;
  }
  if (now >= loop->next_ns) {
    sample_take(loop, now);
    loop->next_ns =
        clock_now_ns() + sample_period(loop->stretch_samples++, loop->board != NULL);
    if (loop->live != NULL) {
      sample_show(loop, looked, clock_now_ns());
      stall_report(loop, looked, clock_now_ns());
    }
  }
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

/* This thread has no use for the program's descriptors, and a table that two threads
 * share makes each system call of the program's a little slower: with a table of its
 * own, which is empty, a program with one thread stays one in that respect. */
static void descriptors_leave(void) {
  const unsigned int unshare_first = 1 << 1; /* CLOSE_RANGE_UNSHARE */
  (void) syscall(SYS_close_range, 0, ~0u, unshare_first);
}

/* With every loop asleep for a second, waits until one wakes it. */
static void* sampler_thread(void* argument) {
  uint64_t busy_ns = clock_now_ns();
  (void) argument;
  pthread_setname_np(pthread_self(), "rondo-sampler");
  descriptors_leave();
  pthread_mutex_lock(&sampler.lock);
  while (!queue_empty(&sampler.loops)) {
    uint64_t now = clock_now_ns();
    uint64_t soonest = sampler_look(now);
    if (soonest != UINT64_MAX) {
      busy_ns = now;
      sampler_wait(u64_max(soonest, 200000));
    } else if (now - busy_ns < IDLE_AFTER_NS) {
      sampler_wait(sampler.threshold_ns);
    } else {
      atomic_store(&sampler_is_idle, true);
      sampler_wait(60 * IDLE_AFTER_NS);
      atomic_store(&sampler_is_idle, false);
      busy_ns = clock_now_ns();
    }
  }
  sampler.running = false;
  pthread_mutex_unlock(&sampler.lock);
  return NULL;
}

void sampler_wake(void) {
  pthread_mutex_lock(&sampler.lock);
  atomic_store(&sampler_is_idle, false);
  pthread_cond_signal(&sampler.changed);
  pthread_mutex_unlock(&sampler.lock);
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

/* What is to be reported must have been sampled. */
static uint64_t setting_threshold_ns(void) {
  uint64_t stall = setting_ns("RONDO_RECORD_STALL", 0);
  bool everything = system_setting("RONDO_TRACE") != NULL;
  bool ring = system_setting("RONDO_RECORD") != NULL && !everything;
  uint64_t threshold = setting_ns("RONDO_TRACE_STALL", ring ? 25 : 10);
  return stall == 0 ? threshold : u64_min(u64_max(threshold, 1000000), stall);
}

static bool signal_take(void) {
  struct sigaction before;
  struct sigaction action = {.sa_sigaction = sample_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  if (sigaction(SAMPLE_SIGNAL, NULL, &before) != 0)
    return false;
  if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == sample_signal)
    return true;
  if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
    return false; /* the program's own */
  sigemptyset(&action.sa_mask);
  return sigaction(SAMPLE_SIGNAL, &action, NULL) == 0;
}

/* A forked child has a copy in whatever state the parent's was, and starts anew. */
static void sampler_own(void) {
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  if (sampler.process == getpid())
    return;
  sampler.process = getpid();
  sampler.lock = fresh;
  sampler.ready = sampler.running = sampler.refused = false;
  atomic_store(&sampler_is_idle, false);
  atomic_store(&sample_asked, NULL);
}

/* Under the lock. */
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

/* Under the lock. Signals for the program must not end up on the sampling thread. */
static bool sampler_run(void) {
  if (sampler.running || sampler.refused)
    return sampler.running;
  sigset_t all, before;
  pthread_t thread;
  pthread_attr_t detached;
  if (!signal_take())
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

static uintptr_t own_stack_end(void) {
  pthread_attr_t attributes;
  void* start = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t) start + size;
}

void sampler_join(struct sampled_loop* loop, uint64_t now) {
  struct board* board = loop->board;
  sampler_own();
  pthread_mutex_lock(&sampler.lock);
  sampler_prepare();
  queue_init(&loop->link);
  if (sampler.threshold_ns > 0)
    loop->samples = mem_calloc(SAMPLES_KEPT, sizeof(*loop->samples));
  if (loop->samples != NULL) {
    loop->thread = gettid();
    loop->stack_end = own_stack_end();
    atomic_store(&loop->looked_ns, now);
    queue_push_back(&sampler.loops, &loop->link);
    bool running = sampler_run();
    if (!running)
      queue_remove(&loop->link);
    if (board != NULL) {
      board->sampling = running ? 1 : 2;
      board->stall_ns = setting_ns("RONDO_RECORD_STALL", 0);
    }
    pthread_cond_signal(&sampler.changed);
  }
  pthread_mutex_unlock(&sampler.lock);
}

void sampler_moved(struct sampled_loop* loop) {
  if (loop->samples == NULL)
    return;
  pthread_mutex_lock(&sampler.lock);
  loop->thread = gettid();
  loop->stack_end = own_stack_end();
  pthread_mutex_unlock(&sampler.lock);
}

/* The sampling thread holds the lock while it waits for a handler: none is at work now.
 */
void sampler_leave(struct sampled_loop* loop) {
  pthread_mutex_lock(&sampler.lock);
  queue_remove(&loop->link);
  pthread_cond_signal(&sampler.changed);
  pthread_mutex_unlock(&sampler.lock);
  mem_free(loop->samples);
  names_free(&loop->names);
  loop->samples = NULL;
}

void sampler_abandon(struct sampled_loop* loop) {
  sampler_own();
  mem_free(loop->samples);
  names_free(&loop->names);
  loop->samples = NULL;
}

const struct sample* sampler_take(struct sampled_loop* loop) {
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  if (loop->samples == NULL || loop->taken == filled)
    return NULL;
  if (filled - loop->taken > SAMPLES_KEPT)
    loop->taken = filled - SAMPLES_KEPT;
  return &loop->samples[loop->taken++ % SAMPLES_KEPT];
}
