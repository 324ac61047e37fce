/* One look at one thread: see attach.h. */
#include "attach.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- a thread's files -----------------------------------------------------------------
 */

static int task_open(int pid, int tid, const char* name) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static bool task_text(int fd, char* text, size_t size) {
  ssize_t length = pread(fd, text, size - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

bool attach_thread_open(struct attach* attach, struct attach_thread* thread, int tid) {
  int pid = attach->target.pid;
  int name_fd = task_open(pid, tid, "comm");
  char name[32] = "";
  *thread = (struct attach_thread){.tid = tid};
  thread->call_fd = task_open(pid, tid, "syscall");
  thread->sched_fd = task_open(pid, tid, "schedstat");
  if (name_fd >= 0)
    (void) task_text(name_fd, name, sizeof(name));
  if (name_fd >= 0)
    close(name_fd);
  snprintf(thread->name, sizeof(thread->name), "%.*s", (int) strcspn(name, "\n"), name);
  if (thread->call_fd >= 0 && thread->sched_fd >= 0)
    return true;
  attach_thread_close(thread);
  return false;
}

void attach_thread_close(struct attach_thread* thread) {
  if (thread->call_fd >= 0)
    close(thread->call_fd);
  if (thread->sched_fd >= 0)
    close(thread->sched_fd);
  thread->call_fd = thread->sched_fd = -1;
}

/* --- stacks ---------------------------------------------------------------------------
 */

static size_t stack_keep(struct attach* attach, const struct unwind_state* registers,
                         const struct stack_copy* copy) {
  static struct target_frame frames[TARGET_FRAMES];
  static uint32_t numbers[TARGET_FRAMES];
  size_t count = target_walk(&attach->target, registers, copy, frames, TARGET_FRAMES);
  count = namer_stack(&attach->namer, frames, count, copy, numbers);
  if (count == 0)
    return 0;
  attach->stacks = array_grow(attach->stacks, attach->stack_count,
                              &attach->stack_capacity, sizeof(*attach->stacks));
  attach->stacks[attach->stack_count++] =
      (struct attach_stack){attach->frame_count, (uint32_t) count};
  for (size_t i = 0; i < count; i++) {
    attach->frames = array_grow(attach->frames, attach->frame_count,
                                &attach->frame_capacity, sizeof(*attach->frames));
    attach->frames[attach->frame_count++] = numbers[i];
  }
  return attach->stack_count;
}

/* "202 0x7f… … 0x7ffd… 0x7f…": the call, its arguments, the stack, the place. */
static bool call_parse(const char* text, struct attach_sample* sample,
                       struct unwind_state* registers) {
  unsigned long long values[8];
  long call;
  if (sscanf(text, "%ld 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx", &call,
             &values[0], &values[1], &values[2], &values[3], &values[4], &values[5],
             &values[6], &values[7]) != 9)
    return false;
  bool waits = call == SYS_epoll_pwait;
#ifdef SYS_epoll_wait
  waits = waits || call == SYS_epoll_wait;
#endif
  sample->is_polling = waits && (int) values[3] != 0;
  sample->fd = (int) values[0];
  *registers = (struct unwind_state){.exact = true};
  unwind_set(registers, UNWIND_STACK, values[6]);
  unwind_set(registers, UNWIND_PLACE, values[7]);
  return true;
}

/* The thread hasn't run since: the kernel counts each time that it gets a processor. */
static bool is_unmoved(const struct attach_thread* thread, const char* call,
                       const char* sched) {
  char now[256];
  return task_text(thread->sched_fd, now, sizeof(now)) && strcmp(now, sched) == 0 &&
         task_text(thread->call_fd, now, sizeof(now)) && strcmp(now, call) == 0;
}

static void look_at_blocked(struct attach* attach, struct attach_thread* thread,
                            struct attach_sample* sample, const char* call,
                            const char* sched) {
  static struct stack_copy copy;
  struct unwind_state registers;
  sample->kind = ATTACH_BLOCKED;
  if (!call_parse(call, sample, &registers))
    return;
  if (strcmp(call, thread->call) == 0 && strcmp(sched, thread->sched) == 0) {
    sample->stack = thread->stack;
    return;
  }
  if (!stack_copy_take(&copy, &attach->target, &registers) ||
      !is_unmoved(thread, call, sched))
    return;
  sample->stack = stack_keep(attach, &registers, &copy);
  thread->stack = sample->stack;
  snprintf(thread->call, sizeof(thread->call), "%s", call);
  snprintf(thread->sched, sizeof(thread->sched), "%s", sched);
}

/* --- the look -------------------------------------------------------------------------
 */

/* The state that the thread's loop has written of itself, read behind the stack. */
static void loop_look(const struct attach* attach, const struct attach_thread* thread,
                      struct attach_sample* sample) {
  unsigned char bytes[UV_LOOP_TIME + 8];
  if (thread->loop == 0 ||
      !target_read(&attach->target, attach->loops[thread->loop - 1].address, bytes,
                   sizeof(bytes)))
    return;
  memcpy(&sample->clock_ms, bytes + UV_LOOP_TIME, sizeof(sample->clock_ms));
  memcpy(&sample->handles, bytes + UV_LOOP_ACTIVE_HANDLES, sizeof(sample->handles));
  memcpy(&sample->requests, bytes + UV_LOOP_ACTIVE_REQS, sizeof(sample->requests));
}

static void sample_keep(struct attach* attach, struct attach_thread* thread) {
  loop_look(attach, thread, &thread->now);
  thread->samples = array_grow(thread->samples, thread->count, &thread->capacity,
                               sizeof(*thread->samples));
  thread->samples[thread->count++] = thread->now;
}

static bool running_begin(struct attach* attach, struct attach_thread* thread) {
  if (thread->stop.copy == NULL)
    thread->stop.copy = malloc(sizeof(*thread->stop.copy));
  if (thread->stop.copy == NULL)
    out_of_memory();
  thread->is_pending = target_stop_begin(&attach->target, &thread->stop, thread->tid);
  return thread->is_pending;
}

/* A thread that runs may be blocked by the time it would be stopped, and the other way
 * round. */
void attach_thread_look(struct attach* attach, struct attach_thread* thread) {
  char call[256], sched[96];
  struct attach_sample* sample = &thread->now;
  *sample = (struct attach_sample){.kind = ATTACH_RUNS};
  for (int turn = 0; turn < 3 && sample->stack == 0; turn++) {
    unsigned long long cpu = 0, wait = 0;
    if (!task_text(thread->sched_fd, sched, sizeof(sched)) ||
        !task_text(thread->call_fd, call, sizeof(call))) {
      thread->is_gone = true;
      return;
    }
    sample->at_ns = attach_clock_ns();
    (void) sscanf(sched, "%llu %llu", &cpu, &wait);
    sample->cpu_ns = cpu;
    sample->wait_ns = wait;
    if (strncmp(call, "running", 7) != 0)
      look_at_blocked(attach, thread, sample, call, sched);
    else if (running_begin(attach, thread))
      return;
  }
  sample_keep(attach, thread);
}

static void running_end(struct attach* attach, struct attach_thread* thread) {
  const struct target_stop* stop = &thread->stop;
  thread->is_pending = false;
  if (stop->stood_ns > 0) {
    attach->stops++;
    attach->stood_ns += stop->stood_ns;
    if (stop->stood_ns > attach->stood_most_ns)
      attach->stood_most_ns = stop->stood_ns;
  }
  if (stop->is_good) {
    thread->now.at_ns = stop->at_ns;
    thread->now.kind = ATTACH_RUNS;
    thread->now.stack = stack_keep(attach, &stop->registers, stop->copy);
  }
  sample_keep(attach, thread);
}

/* Names take a while: they are found when all threads run again. The loop's clock is read
 * then, too: one that was set meanwhile is later than the look, and not used. */
void attach_threads_await(struct attach* attach) {
  size_t pending = 0;
  for (size_t i = 0; i < attach->thread_count; i++)
    pending += attach->threads[i].is_pending;
  bool hurried = pending > 0 && target_stop_hurry(true);
  while (pending > 0) {
    size_t before = pending;
    for (size_t i = 0; i < attach->thread_count; i++) {
      struct attach_thread* thread = &attach->threads[i];
      if (!thread->is_pending || !target_stop_look(&attach->target, &thread->stop))
        continue;
      thread->is_pending = false;
      thread->is_copied = true;
      pending--;
    }
    if (pending > 0 && pending == before)
      target_stop_wait();
  }
  if (hurried)
    target_stop_hurry(false);
  for (size_t i = 0; i < attach->thread_count; i++) {
    struct attach_thread* thread = &attach->threads[i];
    if (thread->is_copied)
      running_end(attach, thread);
    thread->is_copied = false;
  }
}
