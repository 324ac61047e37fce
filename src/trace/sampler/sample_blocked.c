/* The stack of a thread that is blocked in a system call, read by the sampling thread:
 * see sampler.h. The kernel says in /proc where the thread's stack and code are; of the
 * other registers nothing is known, but the functions on the stack have saved most of
 * them (unwind.c). The thread may go on at any moment: a copy counts only if the thread
 * had no processor time while it was made. */
#include "trace/sampler.h"

#include "base/base.h"
#include "system/system.h"
#include "trace/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 256, RED_ZONE_BYTES = 128 };

/* Where a thread is blocked, and what it has used of the processor. */
struct blocked_place {
  char text[TEXT_MOST]; /* "call arguments… stack code", or "running" */
  uint64_t used;
};

static bool place_read(struct blocked_place* place, pid_t thread) {
  char path[64];
  uint64_t delay;
  snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int) thread);
  memset(place, 0, sizeof(*place));
  if (!thread_sums_read(thread, &place->used, &delay))
    place->used = 0; /* then the same place must do */
  return system_read_file(path, place->text, sizeof(place->text)) > 0;
}

static bool place_is_same(const struct blocked_place* before, pid_t thread) {
  struct blocked_place now;
  return place_read(&now, thread) && now.used == before->used &&
         strcmp(now.text, before->text) == 0;
}

/* The last two words of the text. */
static bool place_parse(const struct blocked_place* place, struct unwind_state* state) {
  const char* last = strrchr(place->text, ' ');
  const char* before = last;
  while (before != NULL && before > place->text && before[-1] != ' ')
    before--;
  if (before == NULL || before == place->text)
    return false;
  *state = (struct unwind_state){.exact = true};
  unwind_set(state, UNWIND_STACK, (uintptr_t) strtoull(before, NULL, 16));
  unwind_set(state, UNWIND_PLACE, (uintptr_t) strtoull(last, NULL, 16));
  return true;
}

/* Copies the stack, but nothing of one that the program has made itself, whose end is not
 * known. */
static void blocked_stack_copy(struct unwind_stack* stack,
                               const struct sampled_loop* loop) {
  uintptr_t from = stack->state.registers[UNWIND_STACK] / 8 * 8;
  stack->start = from;
  stack->size = 0;
  if (from < loop->stack_start + RED_ZONE_BYTES || from >= loop->stack_end)
    return;
  from -= RED_ZONE_BYTES;
  size_t size = u64_min(loop->stack_end - from, UNWIND_STACK_MOST) / 8 * 8;
  if (!unwind_read_memory(from, stack->bytes, size))
    return;
  stack->start = from;
  stack->size = size;
}

enum blocked blocked_stack_read(struct unwind_stack* stack,
                                const struct sampled_loop* loop) {
  struct blocked_place place;
  if (!place_read(&place, loop->thread))
    return BLOCKED_UNKNOWN;
  if (strncmp(place.text, "running", 7) == 0 ||
      sample_resumes_call(strtol(place.text, NULL, 10)))
    return BLOCKED_NOT;
  if (!place_parse(&place, &stack->state))
    return BLOCKED_UNKNOWN;
  blocked_stack_copy(stack, loop);
  return place_is_same(&place, loop->thread) ? BLOCKED_READ : BLOCKED_UNKNOWN;
}
