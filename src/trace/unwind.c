/* The walk of a stack, and frames without rules: see unwind.h. */
#include "trace/unwind.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- the copy ------------------------------------------------------------------------
 */

bool unwind_read(const struct unwind_stack* stack, uintptr_t address, uintptr_t* value) {
  if (address < stack->start || address - stack->start > stack->size ||
      stack->size - (address - stack->start) < sizeof(*value))
    return false;
  memcpy(value, stack->bytes + (address - stack->start), sizeof(*value));
  return true;
}

/* --- what is code --------------------------------------------------------------------
 */

struct code_range {
  uintptr_t start, end;
};

/* The mappings of this process; only the sampling thread reads them. */
static struct {
  struct code_range* list;
  size_t count, capacity;
} ranges;

static void range_add(uintptr_t start, uintptr_t end) {
  if (ranges.count == ranges.capacity) {
    size_t more = ranges.capacity == 0 ? 64 : ranges.capacity * 2;
    struct code_range* list = mem_realloc(ranges.list, more * sizeof(*list));
    if (list == NULL)
      return;
    ranges.list = list;
    ranges.capacity = more;
  }
  ranges.list[ranges.count++] = (struct code_range){start, end};
}

static void ranges_read(void) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "re");
  ranges.count = 0;
  while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
    /* start-end rights …: "7f0a1000-7f0a2000 r-xp …" */
    char* rest;
    unsigned long start = strtoul(line, &rest, 16);
    unsigned long end = *rest == '-' ? strtoul(rest + 1, &rest, 16) : 0;
    if (end > start && strncmp(rest, " r", 2) == 0 && rest[3] == 'x')
      range_add(start, end);
  }
  if (maps != NULL)
    fclose(maps);
}

static bool ranges_have(uintptr_t start, uintptr_t end) {
  for (size_t i = 0; i < ranges.count; i++) {
    if (start >= ranges.list[i].start && end <= ranges.list[i].end)
      return true;
  }
  return false;
}

/* An engine may have mapped more code since the last reading. */
static bool is_code(uintptr_t start, uintptr_t end) {
  if (ranges_have(start, end))
    return true;
  ranges_read();
  return ranges_have(start, end);
}

#if defined(__x86_64__)
/* The code may be unmapped by now. */
static bool memory_read(uintptr_t address, void* to, size_t size) {
  struct iovec here = {to, size}, there = {(void*) address, size};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t) size;
}

/* Whether the instruction before the address is a call: direct, or through a register or
 * a word in memory, whose encoding takes two to eight bytes. */
static bool is_behind_call(uintptr_t address) {
  enum { CALL_LONGEST = 8 };
  unsigned char code[CALL_LONGEST];
  if (address < CALL_LONGEST || !is_code(address - CALL_LONGEST, address) ||
      !memory_read(address - CALL_LONGEST, code, sizeof(code)))
    return false;
  if (code[CALL_LONGEST - 5] == 0xe8)
    return true;
  for (size_t length = 2; length < CALL_LONGEST; length++) {
    const unsigned char* call = &code[CALL_LONGEST - length];
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2)
      return true;
  }
  return false;
}
#else
static bool is_behind_call(uintptr_t address) {
  return address % 4 == 0 && is_code(address - 4, address);
}
#endif

/* --- the walk ------------------------------------------------------------------------
 */

/* A frame begins with the address of the caller's frame and the return address. */
static bool step_by_frame_pointer(const struct unwind_stack* stack,
                                  struct unwind_state* state) {
  uintptr_t frame = state->registers[UNWIND_FRAME], caller, place;
  if (!unwind_knows(state, UNWIND_FRAME) || frame % sizeof(frame) != 0 ||
      frame < state->registers[UNWIND_STACK] || !unwind_read(stack, frame, &caller) ||
      !unwind_read(stack, frame + sizeof(frame), &place))
    return false;
  state->known = 0;
  unwind_set(state, UNWIND_FRAME, caller);
  unwind_set(state, UNWIND_STACK, frame + 2 * sizeof(frame));
  unwind_set(state, UNWIND_PLACE, place);
  return true;
}

bool unwind_step(const struct unwind_stack* stack, struct unwind_state* state,
                 bool* generated) {
  uintptr_t before = state->registers[UNWIND_STACK];
  int stepped = unwind_by_rules(stack, state);
  *generated = stepped < 0;
  if (stepped == 0 || (stepped < 0 && !step_by_frame_pointer(stack, state)))
    return false;
  uintptr_t place = state->registers[UNWIND_PLACE];
  state->exact = false;
  return state->registers[UNWIND_STACK] > before &&
         (stepped > 0 ? is_code(place - 1, place) : is_behind_call(place));
}
