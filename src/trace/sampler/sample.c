/* One sample of a thread's stack: the signal, its handler, and the walk up the copied
 * stack. See sampler.h. */
#include "trace/sampler.h"

#include "base/base.h"
#include "loop/loop.h"
#include "rondo.h"
#include "system/system.h"
#include "trace/unwind.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SAMPLE_SIGNAL = SIGURG };

/* A signal that takes longer to be answered is given up. */
static const uint64_t ANSWER_NS = 20000000;

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
  for (unsigned int i = 0; i <= UNWIND_RETURN; i++)
    unwind_set(state, i, (uintptr_t) context->uc_mcontext.regs[i]);
  unwind_set(state, UNWIND_STACK, (uintptr_t) context->uc_mcontext.sp);
  unwind_set(state, UNWIND_PLACE, (uintptr_t) context->uc_mcontext.pc);
}
#else
static void context_read(const ucontext_t* context, struct unwind_state* state) {
  (void) context, (void) state;
}
#endif

enum { RED_ZONE = 128 };

/* Copied word by word: with memcpy the sanitizers would report the redzones between
 * variables. A thread on a stack that the program made itself has no known stack to copy.
 * The bytes below the stack pointer that a function may use are copied too. */
__attribute__((no_sanitize("address", "thread"))) static void
stack_copy(struct unwind_stack* stack, const struct sampled_loop* loop) {
  uintptr_t from = stack->state.registers[UNWIND_STACK] / 8 * 8;
  volatile uint64_t* to = (volatile uint64_t*) (void*) stack->bytes;
  stack->start = from;
  stack->size = 0;
  if (from < loop->stack_start || from >= loop->stack_end)
    return;
  if (from - loop->stack_start >= RED_ZONE)
    stack->start = from -= RED_ZONE;
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

static void sample_nap(uint64_t ns) {
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
    sample_nap(20000);
  }
  return sample_copied;
}

/* Names are looked up at once, while the sampled code is still loaded. */
static void sample_add(struct sampled_loop* loop, struct sample* sample,
                       const struct unwind_state* state) {
  sample->names[sample->count++] =
      name_of_frame(&loop->names, loop->stream, unwind_place(state));
}

/* Asks the engine that has registered for it; false if it has no name for the frame. */
static bool frame_name_by_engine(uintptr_t frame, char* text, size_t size) {
  rondo_trace_frame_namer namer = sampler_frame_namer();
  uintptr_t words[RONDO_TRACE_FRAME_WORDS];
  if (namer == NULL)
    return false;
  for (size_t i = 0; i < RONDO_TRACE_FRAME_WORDS; i++) {
    if (!unwind_read(&sample_stack, frame + i * sizeof(words[0]), &words[i]))
      return false;
  }
  return namer(words, text, size) != 0;
}

/* The name in an engine's frame is right where the announced code isn't: one piece of
 * code serves many functions, or has taken the place of another. */
static bool sample_add_named(struct sampled_loop* loop, struct sample* sample,
                             const struct unwind_state* state) {
  uintptr_t frame = state->registers[UNWIND_FRAME];
  char text[TRACE_TEXT_MAX + 1];
  if (!unwind_knows(state, UNWIND_FRAME) ||
      (!frame_name_by_engine(frame, text, sizeof(text)) &&
       !sample_name_v8(&sample_stack, frame, text, sizeof(text))))
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

bool sample_once(struct sampled_loop* loop, uint64_t now) {
  struct sample* sample = sample_next(loop);
  sample->count = 0;
  sample->when_ns = now;
  switch (blocked_stack_read(&sample_stack, loop)) {
  case BLOCKED_NOT:
    if (!sample_by_signal(loop))
      return false;
    break;
  case BLOCKED_READ:
    break;
  case BLOCKED_UNKNOWN:
    return false;
  }
  sample_walk(loop, sample);
  if (loop->writes && loop->written.recording == NULL)
    recording_begin_samples(&loop->written, loop->stream);
  if (loop->writes)
    stack_write(&loop->written, sample->when_ns, clock_now_ns(), sample->names,
                sample->count);
  atomic_fetch_add_explicit(&loop->filled, 1, memory_order_release);
  return true;
}

/* --- life ------------------------------------------------------------------------------
 */

bool sample_prepare(void) {
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

void sample_forget(void) {
  atomic_store(&sample_asked, NULL);
}
