/* `rondo why` of a process that isn't recorded: see outside.h. What is written is what
 * the process's memory and the kernel say at this moment; since when, and by whom, isn't
 * in there, and isn't guessed. */
#include "outside.h"
#include "outside_json.h"
#include "outside_state.h"
#include "target_core.h"
#include "trace_words.h"
#include "uv_owners.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES_SHOWN = 64, REQUESTS_SHOWN = 20, FRAMES_SHOWN = 40, FILES_SHOWN = 10 };

enum { HELD_MS = 10 };

/* --- stacks ---------------------------------------------------------------------------
 */

static void write_stack(const struct seen_stack* stack) {
  const struct hot_path* path = &stack->path;
  size_t count = path->length - stack->shown;
  if (stack->is_exact)
    puts("  its stack:");
  else
    printf("  its stack, in %zu of %zu samples in a tenth of a second:\n", path->agreeing,
           path->counted);
  for (size_t i = 0; i < count && i < FRAMES_SHOWN; i++) {
    fputs("    ", stdout);
    write_plain(stdout, path->frames[path->length - 1 - i]);
    putchar('\n');
  }
  if (count > FRAMES_SHOWN)
    printf("    (and %zu more)\n", count - FRAMES_SHOWN);
}

static const char* state_text(char state) {
  return state == 'T'   ? "stopped by a signal: it goes on after SIGCONT"
         : state == 't' ? "stopped by its debugger"
         : state == 'D' ? "waiting for a disk or a device"
                        : NULL;
}

/* --- a loop ---------------------------------------------------------------------------
 */

/* The number of the loop that a callback of this one runs; 0: none. */
static size_t inner_loop(const struct seen* seen, const struct seen_loop* loop) {
  for (size_t i = 0; i < seen->loop_count; i++) {
    if (seen->loops[i].tid == loop->tid && seen->loops[i].depth + 1 == loop->depth &&
        seen->loops[i].depth > 0)
      return i + 1;
  }
  return 0;
}

static void write_awake(const struct seen* seen, const struct seen_loop* loop,
                        const struct target_thread* thread,
                        const struct seen_stack* stack, bool known) {
  struct seen_loop now;
  char time[TIME_SIZE], call[400];
  bool turns = loop_prove(seen, loop->address, &now) && now.time_ms != loop->time_ms;
  uint64_t at = loop->seen_ms == 0 ? 0 : seen_clock_ms();
  uint64_t held = at > loop->time_ms ? at - loop->time_ms : 0;
  call_text(call, sizeof(call), seen, thread);
  if (loop->seen_ms == 0 || turns || held <= HELD_MS)
    fputs("  at work", stdout);
  else
    printf("  not answering, at least %s since it looked at what is ready",
           time_text(time, held * 1000000));
  if (!known)
    fputs(": its stack isn't known", stdout);
  else if (stack->callback != NULL) {
    fputs(": in ", stdout);
    hot_path_write_function(stdout, &stack->path);
    write_short(stdout, stack->callback);
  }
  if (known && stack->phase != NULL)
    printf(", called in the phase %s", stack->phase);
  if (inner_loop(seen, loop) != 0)
    printf("; it runs loop %zu meanwhile", inner_loop(seen, loop));
  else if (*call != '\0') {
    fputs("; ", stdout);
    write_plain(stdout, call);
  }
  putchar('\n');
  if (known)
    write_stack(stack);
}

static void write_state(const struct seen* seen, struct target* target,
                        struct namer* namer, const struct seen_loop* loop) {
  const struct target_thread* thread = target_thread(target, loop->tid);
  struct seen_stack stack;
  char time[TIME_SIZE];
  if (thread == NULL) {
    puts("  in no uv_run that a thread's stack shows: it isn't run just now, or its "
         "thread "
         "isn't known");
    return;
  }
  if (state_text(thread->state) != NULL)
    printf("  its thread is %s\n", state_text(thread->state));
  if (loop->is_polling && loop->timeout_ms != 0) {
    uint64_t since = loop->seen_ms > loop->time_ms ? loop->seen_ms - loop->time_ms : 0;
    if (loop->is_turning)
      puts("  at work: it turned during this look, and sleeps in between");
    else if (loop->seen_ms == 0)
      puts("  asleep: it waits for what keeps it alive");
    else
      printf("  asleep for %s at most: it waits for what keeps it alive\n",
             time_text(time, since * 1000000));
    return;
  }
  if (loop->is_polling) {
    puts("  at work: it looks for what is ready, and doesn't sleep");
    return;
  }
  bool known = seen_stack_take(&stack, namer, target, loop->tid, loop->depth);
  if (known && !stack.in_run) {
    puts("  not in uv_run: its thread runs other code, such as its main script");
    write_stack(&stack);
  } else {
    write_awake(seen, loop, thread, &stack, known);
  }
  seen_stack_free(&stack);
}

static void write_owner(const struct seen* seen, uint64_t data, uint64_t callback) {
  const char* owner = owner_class(seen->target, data);
  if (*owner != '\0') {
    fputs(" (", stdout);
    write_short(stdout, owner);
    putchar(')');
    return;
  }
  char* name = callback == 0 ? NULL : image_function(seen->target, callback);
  if (name != NULL) {
    fputs(", calls ", stdout);
    write_short(stdout, name);
  }
  free(name);
}

static void write_handle(const struct seen* seen, const struct seen_handle* handle) {
  printf("    %s", uv_kind_name(handle->type));
  if (handle->fd >= 0)
    printf(" fd %d", handle->fd);
  if (*handle->about != '\0') {
    putchar(' ');
    write_plain(stdout, handle->about);
  }
  write_owner(seen, handle->data, handle->callback);
  putchar('\n');
}

static void write_handles(const struct seen* seen, const struct seen_loop* loop) {
  size_t shown = 0;
  if (loop->problem != NULL) {
    printf("  its handles aren't shown: %s\n", loop->problem);
    return;
  }
  printf("  kept alive by %zu handle%s\n", loop->alive_count,
         loop->alive_count == 1 ? "" : "s");
  for (size_t i = 0; i < loop->handle_count && shown < HANDLES_SHOWN; i++) {
    const struct seen_handle* handle = &loop->handles[i];
    if (!handle->is_active || !handle->is_referenced)
      continue;
    write_handle(seen, handle);
    shown++;
  }
  if (loop->alive_count > shown)
    printf("    and %zu more\n", loop->alive_count - shown);
  if (loop->closing_count > 0)
    printf("  %zu handle%s being closed\n", loop->closing_count,
           loop->closing_count == 1 ? " is" : "s are");
}

static void write_request(const struct seen* seen, const struct seen_request* request) {
  printf("    %s", request->kind);
  if (*request->about != '\0') {
    putchar(' ');
    write_plain(stdout, request->about);
  }
  const char* owner = owner_class(seen->target, request->data);
  if (*owner == '\0' && strcmp(request->kind, "work") == 0)
    owner = owner_class(seen->target, request->address - 16); /* node::ThreadPoolWork */
  if (*owner != '\0') {
    fputs(" (", stdout);
    write_short(stdout, owner);
    putchar(')');
  } else if (request->function != 0) {
    char* name = image_function(seen->target, request->function);
    fputs(", which runs ", stdout);
    write_short(stdout, name == NULL ? "?" : name);
    free(name);
  }
  if (request->place == REQUEST_WAITS)
    fputs(": waits for a thread", stdout);
  else if (request->place == REQUEST_RUNS)
    printf(": on thread %d", request->tid);
  else if (request->place == REQUEST_IS_DONE)
    fputs(": done, its callback is to come", stdout);
  putchar('\n');
}

static void write_requests(const struct seen* seen, const struct seen_loop* loop) {
  size_t found = 0, shown = 0;
  for (size_t i = 0; i < seen->request_count; i++)
    found += seen->requests[i].loop == loop->address;
  size_t count = loop->active_requests > found ? loop->active_requests : found;
  if (count == 0)
    return;
  printf("  %zu request%s in flight\n", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < seen->request_count && shown < REQUESTS_SHOWN; i++) {
    if (seen->requests[i].loop != loop->address)
      continue;
    write_request(seen, &seen->requests[i]);
    shown++;
  }
  if (found > shown)
    printf("    and %zu more\n", found - shown);
  if (count > found)
    printf("    %zu of them can't be seen from outside\n", count - found);
}

/* --- the rest of the process
 * ------------------------------------------------------------
 */

static void write_pool(const struct seen* seen) {
  size_t working = 0, waiting = 0;
  char call[400];
  for (size_t i = 0; i < seen->request_count; i++) {
    working += seen->requests[i].place == REQUEST_RUNS;
    waiting += seen->requests[i].place == REQUEST_WAITS;
  }
  if (working == 0 && waiting == 0)
    return;
  printf("\npool: %zu at work, ", working);
  if (seen->pool_known)
    printf("%zu waiting for a thread, of %u threads\n", waiting, seen->pool_threads);
  else
    puts("what waits for a thread isn't known: no symbol leads to its queue");
  for (size_t i = 0; i < seen->request_count; i++) {
    const struct seen_request* request = &seen->requests[i];
    if (request->place != REQUEST_RUNS)
      continue;
    const struct target_thread* thread = target_thread(seen->target, request->tid);
    call_text(call, sizeof(call), seen, thread);
    printf("  thread %d: %s", request->tid, request->kind);
    if (*request->about != '\0') {
      putchar(' ');
      write_plain(stdout, request->about);
    }
    fputs(", ", stdout);
    write_plain(stdout, *call != '\0' ? call : "on a processor or waiting for one");
    putchar('\n');
  }
}

static bool is_shown_before(const struct seen* seen, int tid) {
  for (size_t i = 0; i < seen->loop_count; i++) {
    if (seen->loops[i].tid == tid)
      return true;
  }
  for (size_t i = 0; i < seen->request_count; i++) {
    if (seen->requests[i].place == REQUEST_RUNS && seen->requests[i].tid == tid)
      return true;
  }
  return false;
}

/* Where callers are missing, there may be a loop among them. */
static const char* loopless_text(const struct seen_stack* stack, bool known) {
  return known && stack->in_run     ? "runs a loop that isn't known"
         : known && stack->is_whole ? "runs no loop"
                                    : "whether it runs a loop isn't known";
}

static void write_other_thread(const struct seen* seen, struct target* target,
                               struct namer* namer, const struct target_thread* thread) {
  struct seen_stack stack;
  char call[400];
  bool known = seen_stack_take(&stack, namer, target, thread->tid, 0);
  printf("\nthread %d (", thread->tid);
  write_plain(stdout, thread->name);
  printf(")%s, %s", thread->tid == target->pid ? ", the main thread" : "",
         loopless_text(&stack, known));
  call_text(call, sizeof(call), seen, thread);
  if (*call != '\0') {
    fputs(": ", stdout);
    write_plain(stdout, call);
  } else if (state_text(thread->state) != NULL) {
    printf(": %s", state_text(thread->state));
  }
  putchar('\n');
  if (known)
    write_stack(&stack);
  else
    puts("  its stack isn't known");
  seen_stack_free(&stack);
}

/* The main thread whatever it does, the others if they run. */
static void write_other_threads(const struct seen* seen, struct target* target,
                                struct namer* namer) {
  for (size_t i = 0; i < target->thread_count; i++) {
    const struct target_thread* thread = &target->threads[i];
    bool is_main = thread->tid == target->pid;
    if (!is_shown_before(seen, thread->tid) && (is_main || thread->state == 'R'))
      write_other_thread(seen, target, namer, thread);
  }
}

/* Sockets, pipes and files that no handle has; the kernel's own kinds are somebody's
 * machinery. */
static void write_files(const struct seen* seen) {
  size_t count = 0, shown = 0;
  for (size_t i = 0; i < seen->files.count; i++) {
    const struct target_file* file = &seen->files.list[i];
    count +=
        !file->is_owned && file->fd > 2 && strncmp(file->text, "anon_inode:", 11) != 0;
  }
  if (count == 0 || seen->loop_count == 0)
    return;
  printf("\n%zu descriptor%s that no handle of a loop has\n", count,
         count == 1 ? "" : "s");
  for (size_t i = 0; i < seen->files.count && shown < FILES_SHOWN; i++) {
    const struct target_file* file = &seen->files.list[i];
    if (file->is_owned || file->fd <= 2 || strncmp(file->text, "anon_inode:", 11) == 0)
      continue;
    printf("  fd %d ", file->fd);
    write_plain(stdout, file->text);
    putchar('\n');
    shown++;
  }
  if (count > shown)
    printf("  and %zu more\n", count - shown);
}

/* --- all of it ------------------------------------------------------------------------
 */

/* gcore's files have the signal by which gdb stops threads. */
static void write_core_facts(const struct core_file* core) {
  int number = core_signal(core);
  uint64_t missing = core_missing(core);
  puts("  a core file: addresses of sockets, and how long ago it was, aren't in it");
  if (number > 0 && number < 65 && number != SIGTRAP && number != SIGSTOP)
    printf("  it was ended by signal %d, %s\n", number, strsignal(number));
  if (missing > 0)
    printf("  %llu KiB of its memory are not in the file\n",
           (unsigned long long) (missing + 1023) / 1024);
}

static void write_head(const struct seen* seen, const struct target* target) {
  printf("process %d: ", target->pid);
  write_plain(stdout, target->command);
  putchar('\n');
  fputs("  read from outside", stdout);
  if (*seen->version != '\0')
    printf(", libuv %s", seen->version);
  puts(": since when a handle or a request is there, and who began it, isn't known");
  if (target->core != NULL)
    write_core_facts(target->core);
  if (target->tracer != 0)
    printf("  process %d debugs it: threads that run aren't stopped here, and have no "
           "stack\n",
           target->tracer);
}

static bool has_rondo(const struct target* target) {
  static const char* const names[] = {"rondo_loop_limit"};
  uint64_t address = 0;
  for (size_t i = 0; i < target->image_count && address == 0; i++)
    image_symbols(&target->images[i], names, &address, 1);
  return address != 0;
}

static void write_all(const struct seen* seen, struct target* target,
                      struct namer* namer) {
  write_head(seen, target);
  for (size_t i = 0; i < seen->loop_count; i++) {
    const struct seen_loop* loop = &seen->loops[i];
    printf("\nloop %zu on epoll", i + 1);
    if (loop->tid != 0) {
      const struct target_thread* thread = target_thread(target, loop->tid);
      printf(", thread %d ", loop->tid);
      write_plain(stdout, thread == NULL ? "" : thread->name);
    }
    putchar('\n');
    write_state(seen, target, namer, loop);
    write_handles(seen, loop);
    write_requests(seen, loop);
  }
  if (seen->loop_count == 0)
    puts("\nno loop of libuv was found in it");
  if (has_rondo(target))
    puts("\nRondo's library runs in it, whose loops are known only where they are "
         "recorded:\nrondo exec --record -- program, or RONDO_RECORD=16M");
  write_pool(seen);
  write_other_threads(seen, target, namer);
  write_files(seen);
}

static int why_of(struct target* target, bool json) {
  struct seen seen;
  struct namer namer;
  seen_look(&seen, target);
  namer_open(&namer, target);
  if (json)
    outside_json(stdout, &seen, target, &namer);
  else
    write_all(&seen, target, &namer);
  int code = seen.loop_count == 0;
  namer_close(&namer);
  seen_free(&seen);
  target_close(target);
  return code;
}

int outside_why(int pid, bool json) {
  struct target target;
  return target_open(&target, pid) ? why_of(&target, json) : 1;
}

int outside_why_core(const char* path, bool json) {
  struct target target;
  return target_open_core(&target, path) ? why_of(&target, json) : 1;
}
