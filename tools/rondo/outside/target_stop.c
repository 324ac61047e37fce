/* Stops one thread for as long as it takes to copy its registers and its stack: see
 * target_stack.h. PTRACE_SEIZE sends no signal and changes nothing that the thread or its
 * parent can see; when this process ends, however it ends, the kernel lets go of the
 * thread.
 *
 * Only threads that run are stopped. One that is blocked would have its system call cut
 * short, which epoll_wait and some others report as EINTR; where such a thread stands is
 * in /proc. */
#include "target_stack.h"

#include "live_task.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

static uint64_t stop_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

#if defined(__x86_64__)
static bool registers_read(int tid, struct unwind_state* state) {
  struct user_regs_struct all;
  struct iovec vector = {&all, sizeof(all)};
  if (ptrace(PTRACE_GETREGSET, tid, (void*) NT_PRSTATUS, &vector) != 0)
    return false;
  const uintptr_t values[] = {all.rax, all.rdx, all.rcx, all.rbx, all.rsi, all.rdi,
                              all.rbp, all.rsp, all.r8,  all.r9,  all.r10, all.r11,
                              all.r12, all.r13, all.r14, all.r15, all.rip};
  *state = (struct unwind_state){.exact = true};
  for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++)
    unwind_set(state, i, values[i]);
  return true;
}
#else
static bool registers_read(int tid, struct unwind_state* state) {
  (void) tid;
  *state = (struct unwind_state){0};
  return false;
}
#endif

/* A signal that has arrived in between is delivered when the thread goes on. */
static void stop_end(int tid, int status) {
  bool is_own = status >> 16 == PTRACE_EVENT_STOP;
  int number = is_own ? 0 : WSTOPSIG(status);
  ptrace(PTRACE_DETACH, tid, NULL, (void*) (intptr_t) number);
}

/* A thread that stands should go on at once: where this user may ask for that, nobody
 * gets the processor before. In between this process sleeps, so that the thread can come
 * to its stop on the same processor. */
bool target_stop_hurry(bool on) {
  if (on && sched_getscheduler(0) != SCHED_OTHER)
    return false; /* somebody has chosen another order */
  const struct sched_param first = {.sched_priority = on ? 1 : 0};
  return sched_setscheduler(0, on ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER,
                            &first) == 0;
}

bool target_stop_begin(const struct target* target, struct target_stop* stop, int tid) {
  *stop = (struct target_stop){.tid = tid, .copy = stop->copy};
  if (target->tracer != 0 || task_state(target->pid, (uint32_t) tid) != 'R' ||
      ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
    return false;
  return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0; /* else it has ended */
}

bool target_stop_look(const struct target* target, struct target_stop* stop) {
  int status = 0;
  uint64_t now = stop_clock();
  pid_t got = waitpid(stop->tid, &status, __WALL | WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR))
    return false;
  if (got != stop->tid || !WIFSTOPPED(status))
    return true;
  stop->at_ns = now;
  stop->is_good = registers_read(stop->tid, &stop->registers) &&
                  stack_copy_take(stop->copy, target, &stop->registers);
  stop_end(stop->tid, status);
  stop->stood_ns = stop_clock() - now;
  return true;
}

/* The kernel sends SIGCHLD when a thread stands. Blocked, the signal waits here. */
void target_stop_wait(void) {
  const struct timespec patience = {0, 2000000};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  (void) sigtimedwait(&set, NULL, &patience);
}

/* A thread may enter an uninterruptible wait just before it is stopped, and stands only
 * when that is over: who went away before would leave it standing. */
bool target_stop_copy(const struct target* target, int tid,
                      struct unwind_state* registers, struct stack_copy* copy) {
  const uint64_t patience_ns = 10000000000;
  struct target_stop stop = {.copy = copy};
  if (!target_stop_begin(target, &stop, tid))
    return false;
  uint64_t end = stop_clock() + patience_ns;
  bool hurried = target_stop_hurry(true);
  while (!target_stop_look(target, &stop) && stop_clock() < end)
    target_stop_wait();
  if (hurried)
    target_stop_hurry(false);
  *registers = stop.registers;
  return stop.is_good;
}
