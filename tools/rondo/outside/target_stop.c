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

/* *since: it didn't stand before. A thread may enter an uninterruptible wait just before it is stopped, and stands only
 * when that is over: who went away before would leave it standing. */
static bool stop_await(int tid, int* status, uint64_t* since) {
  const uint64_t patience_ns = 10000000000;
  uint64_t end = stop_clock() + patience_ns;
  do {
    *since = stop_clock();
    pid_t got = waitpid(tid, status, __WALL | WNOHANG);
    if (got == tid)
      return WIFSTOPPED(*status);
    if (got < 0 && errno != EINTR)
      return false;
    sched_yield();
  } while (*since < end);
  return false;
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

/* The thread stands: nobody should get the processor before it goes on, where this user
 * may ask for that. Set before, a thread on the same processor could never come to a
 * stop. */
static bool stop_hurry(bool on) {
  if (on && sched_getscheduler(0) != SCHED_OTHER)
    return false; /* somebody has chosen another order */
  const struct sched_param first = {.sched_priority = on ? 1 : 0};
  return sched_setscheduler(0, on ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER,
                            &first) == 0;
}

bool target_stop_copy(const struct target* target, int tid,
                      struct unwind_state* registers, struct stack_copy* copy,
                      uint64_t* stood_ns) {
  int status = 0;
  uint64_t since = 0;
  if (target->tracer != 0 || task_state(target->pid, (uint32_t) tid) != 'R' ||
      ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
    return false;
  bool good = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 && stop_await(tid, &status, &since);
  bool stands = good, hurried = stands && stop_hurry(true);
  if (good)
    good = registers_read(tid, registers) && stack_copy_take(copy, target, registers);
  if (stands)
    stop_end(tid, status);
  if (stood_ns != NULL)
    *stood_ns = stands ? stop_clock() - since : 0;
  if (hurried)
    stop_hurry(false);
  return good;
}
