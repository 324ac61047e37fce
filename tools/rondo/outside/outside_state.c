/* The state of a thread: see outside_state.h. */
#include "outside_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum { LOOKS = 10, LOOK_MS = 10 };

/* --- its stack ------------------------------------------------------------------------
 */

struct look {
  struct namer* namer;
  const struct unwind_state* registers;
  const struct stack_copy* copy;
  struct target_frame frames[TARGET_FRAMES];
  uint32_t numbers[TARGET_FRAMES];
  size_t count;
};

static void look_name(void* data) {
  struct look* look = data;
  size_t count = target_walk(look->namer->target, look->registers, look->copy,
                             look->frames, TARGET_FRAMES);
  look->count = namer_stack(look->namer, look->frames, count, look->copy, look->numbers);
}

static void nap_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* A thread that was seen blocked has its frames in memory that doesn't change. */
static bool look_at_blocked(struct look* look, const struct target_thread* thread) {
  look->registers = &thread->registers;
  look->copy = thread->copy;
  look_name(look);
  return look->count > 0;
}

static bool look_at_running(struct look* look, const struct target* target, int tid) {
  struct unwind_state registers;
  struct stack_copy* copy = malloc(sizeof(*copy));
  if (copy == NULL)
    out_of_memory();
  bool good = target_stop_copy(target, tid, &registers, copy);
  if (good) {
    /* cppcheck-suppress autoVariables ; until the look has its names */
    look->registers = &registers;
    look->copy = copy;
    look_name(look);
    look->registers = NULL;
    look->copy = NULL;
  }
  free(copy);
  return good && look->count > 0;
}

static const char* phase_of(const char* name) {
  static const char* const names[][2] = {{"uv__run_timers", "timers"},
                                         {"uv__run_pending", "pending"},
                                         {"uv__run_idle", "idle"},
                                         {"uv__run_prepare", "prepare"},
                                         {"uv__io_poll", "poll"},
                                         {"uv__run_check", "check"},
                                         {"uv__run_closing_handles", "closing"}};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(name, names[i][0]) == 0)
      return names[i][1];
  }
  return NULL;
}

/* The path begins with the outermost frame. */
static void path_read(struct seen_stack* stack, size_t depth) {
  const struct hot_path* path = &stack->path;
  size_t runs = 0, number = 0;
  for (size_t i = 0; i < path->length; i++)
    runs += strcmp(path->frames[i], "uv_run") == 0;
  size_t wanted = runs < depth ? 1 : runs - depth + 1;
  stack->is_whole = path->length > 0 && target_is_entry(path->frames[0]);
  for (size_t i = 0; i < path->length && number < wanted; i++) {
    if (strcmp(path->frames[i], "uv_run") != 0 || ++number < wanted)
      continue;
    stack->in_run = true;
    stack->shown = i + 1;
    stack->phase = i + 1 < path->length ? phase_of(path->frames[i + 1]) : NULL;
  }
  for (size_t i = stack->shown; stack->in_run && i < path->length; i++) {
    /* A stripped library has no names: "libuv.so.1.0.0+0xbcbd". */
    if (strncmp(path->frames[i], "uv_", 3) != 0 &&
        strncmp(path->frames[i], "libuv.so", 8) != 0) {
      stack->callback = path->frames[i];
      stack->shown = i;
      break;
    }
  }
}

bool seen_stack_take(struct seen_stack* stack, struct namer* namer, struct target* target,
                     int tid, size_t depth) {
  const struct target_thread* thread = target_thread(target, tid);
  struct look* look = calloc(1, sizeof(*look));
  *stack = (struct seen_stack){0};
  if (look == NULL)
    out_of_memory();
  look->namer = namer;
  if (thread != NULL && unwind_knows(&thread->registers, UNWIND_STACK) &&
      look_at_blocked(look, thread))
    samples_add(&stack->samples, 1, look->numbers, look->count);
  stack->is_exact = thread != NULL && (thread->is_blocked || target->core != NULL);
  for (uint64_t i = 1; i < LOOKS && !stack->is_exact; i++) {
    nap_ms(LOOK_MS);
    if (look_at_running(look, target, tid))
      samples_add(&stack->samples, i + 1, look->numbers, look->count);
  }
  free(look);
  stack->samples.names = namer->names;
  stack->samples.name_count = namer->name_count;
  if (stack->samples.sample_count == 0)
    return false;
  hot_path_find(&stack->path, &stack->samples, 0, UINT64_MAX);
  path_read(stack, depth == 0 ? 1 : depth);
  return true;
}

void seen_stack_free(struct seen_stack* stack) {
  free(stack->samples.samples);
  free(stack->samples.frames);
  *stack = (struct seen_stack){0};
}

/* --- system calls ---------------------------------------------------------------------
 */

enum call_kind { CALL_OTHER, CALL_OF_FD, CALL_OF_PATH };

static const struct {
  long call;
  const char* name;
  enum call_kind kind;
} calls[] = {
    {SYS_read, "read", CALL_OF_FD},
    {SYS_write, "write", CALL_OF_FD},
    {SYS_readv, "readv", CALL_OF_FD},
    {SYS_writev, "writev", CALL_OF_FD},
    {SYS_pread64, "pread", CALL_OF_FD},
    {SYS_pwrite64, "pwrite", CALL_OF_FD},
    {SYS_fsync, "fsync", CALL_OF_FD},
    {SYS_fdatasync, "fdatasync", CALL_OF_FD},
    {SYS_recvfrom, "recv", CALL_OF_FD},
    {SYS_recvmsg, "recvmsg", CALL_OF_FD},
    {SYS_sendto, "send", CALL_OF_FD},
    {SYS_sendmsg, "sendmsg", CALL_OF_FD},
    {SYS_connect, "connect", CALL_OF_FD},
    {SYS_accept4, "accept", CALL_OF_FD},
    {SYS_flock, "flock", CALL_OF_FD},
    {SYS_fcntl, "fcntl", CALL_OF_FD},
    {SYS_ioctl, "ioctl", CALL_OF_FD},
    {SYS_epoll_pwait, "epoll_pwait", CALL_OF_FD},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", CALL_OF_FD},
    {SYS_poll, "poll", CALL_OTHER},
    {SYS_select, "select", CALL_OTHER},
    {SYS_open, "open", CALL_OF_PATH},
#endif
    {SYS_openat, "openat", CALL_OF_PATH},
    {SYS_futex, "futex", CALL_OTHER},
    {SYS_ppoll, "ppoll", CALL_OTHER},
    {SYS_pselect6, "pselect", CALL_OTHER},
    {SYS_nanosleep, "nanosleep", CALL_OTHER},
    {SYS_clock_nanosleep, "clock_nanosleep", CALL_OTHER},
    {SYS_wait4, "wait4", CALL_OTHER},
    {SYS_waitid, "waitid", CALL_OTHER},
    {SYS_exit_group, "exit_group", CALL_OTHER},
    {SYS_io_uring_enter, "io_uring_enter", CALL_OF_FD},
    {SYS_rt_sigtimedwait, "sigtimedwait", CALL_OTHER},
    {SYS_rt_sigsuspend, "sigsuspend", CALL_OTHER},
};

const char* call_name(long call) {
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
    if (calls[i].call == call)
      return calls[i].name;
  }
  return NULL;
}

static enum call_kind call_kind_of(long call) {
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
    if (calls[i].call == call)
      return calls[i].kind;
  }
  return CALL_OTHER;
}

void call_text(char* text, size_t size, const struct seen* seen,
               const struct target_thread* thread) {
  char path[256];
  *text = '\0';
  if (thread == NULL || !thread->is_blocked)
    return;
  const char* name = call_name(thread->call);
  if (name == NULL) {
    snprintf(text, size, "blocked in system call %ld", thread->call);
    return;
  }
  int fd = (int) thread->arguments[0];
  const struct target_file* file = file_of(&seen->files, fd);
  uint64_t where = thread->arguments[thread->call == SYS_openat];
  if (call_kind_of(thread->call) == CALL_OF_FD)
    snprintf(text, size, "blocked in %s of fd %d%s%.200s%s", name, fd,
             file == NULL ? "" : " (", file == NULL ? "" : file->text,
             file == NULL ? "" : ")");
  else if (call_kind_of(thread->call) == CALL_OF_PATH &&
           target_text(seen->target, where, path, sizeof(path)))
    snprintf(text, size, "blocked in %s of %s", name, path);
  else
    snprintf(text, size, "blocked in %s%s", name,
             thread->call == SYS_futex ? " (it waits for another thread)" : "");
}
