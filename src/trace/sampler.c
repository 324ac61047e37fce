/* The sampling thread and its signal: see sampler.h. */
#include "trace/sampler.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "rondo.h"
#include "system/system.h"
#include "trace/alarm.h"
#include "trace/unwind.h"

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

enum { SAMPLE_SIGNAL = SIGURG };

/* A signal that takes longer to be answered is given up. */
static const uint64_t ANSWER_NS = 20000000;
static const uint64_t IDLE_AFTER_NS = 1000000000;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct queue loops;
  bool ready;   /* the queue and the condition are initialised */
  bool running; /* the thread is running */
  bool refused; /* the signal is used by the program, or no thread can be made */
  uint64_t threshold_ns;
  pid_t process; /* the process that the thread belongs to, not its forked child */
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool sampler_is_idle;

static _Atomic(rondo_trace_frame_namer) frame_namer;

void rondo_trace_frames_named_by(rondo_trace_frame_namer namer) {
  atomic_store(&frame_namer, namer);
}

/* The loop whose thread is to be sampled. The signal handler takes it, and increments the
 * counter below when it is done. */
static _Atomic(struct sampled_loop*) sample_asked;
static atomic_uint samples_answered;

/* --- on the loop's thread: the signal ------------------------------------------------
 */

static struct sample* sample_next(struct sampled_loop* loop) {
  unsigned int number = atomic_load_explicit(&loop->filled, memory_order_relaxed);
  return &loop->samples[number % SAMPLES_KEPT];
}

/* The handler's result for the sampling thread; one sample is taken at a time. */
static struct unwind_stack sample_stack;
static bool sample_copied;

#if defined(__x86_64__)
static void context_read(const ucontext_t* context, struct unwind_state* state) {
  static const int numbers[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
    unwind_set(state, i, (uintptr_t) context->uc_mcontext.gregs[numbers[i]]);
}
#elif defined(__aarch64__)
static void context_read(const ucontext_t* context, struct unwind_state* state) {
  unwind_set(state, UNWIND_FRAME, (uintptr_t) context->uc_mcontext.regs[29]);
  unwind_set(state, UNWIND_STACK, (uintptr_t) context->uc_mcontext.sp);
  unwind_set(state, UNWIND_PLACE, (uintptr_t) context->uc_mcontext.pc);
}
#else
static void context_read(const ucontext_t* context, struct unwind_state* state) {
  (void) context, (void) state;
}
#endif

/* Copied word by word: with memcpy the sanitizers would report the redzones between
 * variables. A thread on a stack that the program made itself has no known stack to copy.
 */
__attribute__((no_sanitize("address", "thread"))) static void
stack_copy(struct unwind_stack* stack, const struct sampled_loop* loop) {
  uintptr_t from = stack->state.registers[UNWIND_STACK] / 8 * 8;
  volatile uint64_t* to = (volatile uint64_t*) (void*) stack->bytes;
  stack->start = from;
  stack->size = 0;
  if (from < loop->stack_start || from >= loop->stack_end)
    return;
  stack->size = u64_min(loop->stack_end - from, UNWIND_STACK_MOST) / 8 * 8;
  for (size_t i = 0; i < stack->size / 8; i++)
    to[i] = ((const volatile uint64_t*) from)[i];
}

static void stack_take(const struct sampled_loop* loop, void* context) {
  sample_stack.state = (struct unwind_state){.exact = true};
  context_read(context, &sample_stack.state);
  stack_copy(&sample_stack, loop);
}

/* The watcher, another process, asks by sigqueue. */
static void watched_signal(const siginfo_t* info, void* context) {
  unsigned int question = (unsigned int) info->si_value.sival_int;
  struct sampled_loop* loop = watched_loop(question);
  if (loop == NULL || loop->thread != gettid())
    return;
  stack_take(loop, context);
  watched_answer(loop, question, &sample_stack, clock_now_ns());
}

static void sample_signal(int number, siginfo_t* info, void* context) {
  int saved = errno;
  (void) number;
  if (info->si_code == SI_QUEUE)
    watched_signal(info, context);
  struct sampled_loop* loop = atomic_exchange(&sample_asked, NULL);
  /* The signal may come from another sender, who expects it to be ignored. */
  if (loop != NULL && info->si_code == SI_TKILL && loop->thread == gettid()) {
    sample_next(loop)->when_ns = clock_now_ns();
    stack_take(loop, context);
    sample_copied = true;
  }
  if (loop != NULL)
    atomic_fetch_add(&samples_answered, 1);
  errno = saved;
}

/* --- on the sampling thread ------------------------------------------------------------
 */

/* Whether the thread can be interrupted by a signal without effect. If not, *pc is where
 * the thread is blocked, or 0. */
static bool thread_may_be_signalled(pid_t thread, uintptr_t* pc) {
  char path[64], text[256];
  snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int) thread);
  *pc = 0;
  ssize_t length = system_read_file(path, text, sizeof(text));
  if (length <= 0 || strncmp(text, "running", 7) == 0)
    return length > 0;
  if (sample_resumes_call(strtol(text, NULL, 10)))
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

/* Waits for the handler, so that it never writes to a loop that has left. False without
 * an answer. */
static bool sample_by_signal(struct sampled_loop* loop) {
  sample_copied = false;
  unsigned int before = atomic_load(&samples_answered);
  uint64_t give_up = clock_now_ns() + ANSWER_NS;
  atomic_store(&sample_asked, loop);
  bool sent = syscall(SYS_tgkill, getpid(), loop->thread, SAMPLE_SIGNAL) == 0;
  while (atomic_load(&samples_answered) == before) {
    /* The thread may block the signal: when the handler runs later, it finds nothing to
     * do. Once the handler has taken the loop, it is about to finish. */
    if ((!sent || clock_now_ns() > give_up) &&
        atomic_exchange(&sample_asked, NULL) != NULL)
      return false;
    nap(20000);
  }
  return sample_copied;
}

/* For a ring, names are looked up at once, while the sampled code is still loaded; for
 * other recordings at the end of the stretch. */
static void sample_add(struct sampled_loop* loop, struct sample* sample,
                       const struct unwind_state* state) {
  uintptr_t place = unwind_place(state);
  if (loop->live != NULL)
    sample->names[sample->count++] = name_of_frame(&loop->names, loop->stream, place);
  else
    sample->frames[sample->count++] = place;
}

/* Asks the engine that the code belongs to; false if the engine has no name for it. */
static bool sample_add_named(struct sampled_loop* loop, struct sample* sample,
                             const struct unwind_state* state) {
  rondo_trace_frame_namer namer = atomic_load(&frame_namer);
  uintptr_t words[RONDO_TRACE_FRAME_WORDS];
  char text[TRACE_TEXT_MAX + 1];
  if (namer == NULL || loop->live == NULL || !unwind_knows(state, UNWIND_FRAME))
    return false;
  for (size_t i = 0; i < RONDO_TRACE_FRAME_WORDS; i++) {
    if (!unwind_read(&sample_stack, state->registers[UNWIND_FRAME] + i * sizeof(words[0]),
                     &words[i]))
      return false;
  }
  if (namer(words, text, sizeof(text)) == 0)
    return false;
  sample->names[sample->count++] = name_of_text(&loop->names, loop->stream, text);
  return true;
}

static void sample_walk(struct sampled_loop* loop, struct sample* sample) {
  struct unwind_state caller = sample_stack.state;
  bool goes_on = true;
  while (goes_on && sample->count < SAMPLE_FRAMES) {
    struct unwind_state state = caller;
    bool generated;
    goes_on = unwind_step(&sample_stack, &caller, &generated);
    if (!generated || !goes_on || !sample_add_named(loop, sample, &state))
      sample_add(loop, sample, &state);
  }
}

/* Takes a sample; false if it couldn't. */
static bool sample_take(struct sampled_loop* loop, uint64_t now) {
  struct sample* sample = sample_next(loop);
  struct unwind_state blocked = {.exact = true};
  sample->count = 0;
  if (thread_may_be_signalled(loop->thread, &blocked.registers[UNWIND_PLACE])) {
    if (!sample_by_signal(loop))
      return false;
    sample_walk(loop, sample);
  } else if (blocked.registers[UNWIND_PLACE] != 0) {
    sample->when_ns = now;
    sample_add(loop, sample, &blocked);
  } else {
    return false;
  }
  atomic_fetch_add_explicit(&loop->filled, 1, memory_order_release);
  return true;
}

/* --- a ring's board ------------------------------------------------------------------
 */

/* Shows the last sample on the board. */
static void sample_show(struct sampled_loop* loop, uint64_t looked) {
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  const struct sample* sample = &loop->samples[(filled - 1) % SAMPLES_KEPT];
  struct board* board = loop->board;
  struct board_sample* shown = &board->samples[board->sampled % BOARD_SAMPLES];
  __atomic_store_n(&shown->sequence, shown->sequence + 1, __ATOMIC_SEQ_CST);
  shown->loop = (uint32_t) (loop->live - board->loops);
  shown->number = loop->stretch_samples;
  shown->count = sample->count;
  shown->when_ns = sample->when_ns;
  shown->stretch_ns = looked;
  shown->is_bare = 0;
  memcpy(shown->names, sample->names, sample->count * sizeof(sample->names[0]));
  __atomic_store_n(&shown->sequence, shown->sequence + 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&board->sampled, board->sampled + 1, __ATOMIC_RELEASE);
}

/* Reports a stall, once in a stretch and not before the loop has run for the first time.
 */
static void stall_report(struct sampled_loop* loop) {
  uint64_t held = loop->seen_ns - loop->stretch_ns;
  struct board* board = loop->board;
  if (board->stall_ns == 0 || held < board->stall_ns ||
      loop->alarm_ns == loop->stretch_ns ||
      __atomic_load_n(&loop->live->looked_ns, __ATOMIC_RELAXED) == 0)
    return;
  loop->alarm_ns = loop->stretch_ns;
  __atomic_fetch_add(&board->stalls, 1, __ATOMIC_SEQ_CST);
  alarm_stall((uint32_t) (loop->live - board->loops), loop->stretch_ns, held);
}

/* One stack may show only a function of the C library whose caller couldn't be found, so
 * a report waits for several samples. It doesn't wait for ever, since a busy machine may
 * take long to answer the signal. */
static bool stall_is_sampled(const struct sampled_loop* loop) {
  return loop->stretch_samples >= SAMPLES_OF_STALL ||
         loop->seen_ns - loop->stretch_ns >= loop->board->stall_ns + SAMPLE_LATE_NS;
}

static uint64_t sampled_loop_moment(const struct sampled_loop* loop) {
  return sampled_loop_looked(loop) & ~BOARD_ASLEEP;
}

/* Whether the thread has entered another of its loops since; then that loop is watched
 * instead. */
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
  }
  loop->seen_ns = now;
  if (now >= loop->next_ns) {
    bool taken = sample_take(loop, now);
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

/* This thread doesn't need the program's descriptors, and a descriptor table that two
 * threads share makes each system call of the program a little slower. So the thread
 * unshares the table and closes its copies; a program with one thread keeps the fast
 * path. */
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

static bool signal_take(void) {
  struct sigaction before;
  struct sigaction action = {.sa_sigaction = sample_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  if (sigaction(SAMPLE_SIGNAL, NULL, &before) != 0)
    return false;
  if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == sample_signal)
    return true;
  if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
    return false; /* the program has a handler of its own */
  sigemptyset(&action.sa_mask);
  return sigaction(SAMPLE_SIGNAL, &action, NULL) == 0;
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
  atomic_store(&sample_asked, NULL);
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
  bool running = sampler_run();
  if (!running)
    queue_remove(&loop->link);
  if (loop->board != NULL)
    loop->board->sampling = running ? 1 : 2;
  pthread_cond_signal(&sampler.changed);
}

/* Under the lock. False if it needs the thread. */
static bool loop_join_watcher(struct sampled_loop* loop) {
  if (sampler.running || !watched_may_begin(loop) || !signal_take())
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
  if (loop->is_watched)
    return watched_take(loop);
  unsigned int filled = atomic_load_explicit(&loop->filled, memory_order_acquire);
  if (loop->samples == NULL || loop->taken == filled)
    return NULL;
  if (filled - loop->taken > SAMPLES_KEPT)
    loop->taken = filled - SAMPLES_KEPT;
  return &loop->samples[loop->taken++ % SAMPLES_KEPT];
}
