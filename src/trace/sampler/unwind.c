/* The walk of a stack, and frames without rules: see unwind.h. */
#include "trace/unwind.h"

#include "base/own_fd.h"

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

bool unwind_read_memory(uintptr_t address, void* to, size_t size) {
  struct iovec here = {to, size}, there = {(void*) address, size};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t) size;
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
  FILE* maps = own_fd_read_file("/proc/self/maps");
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

#if defined(__x86_64__)
/* Whether the instruction before the address is a call: direct, or through a register or
 * a word in memory, whose encoding takes two to eight bytes. *target is what a direct
 * call calls, otherwise 0. */
static bool is_behind_call(uintptr_t address, uintptr_t* target) {
  enum { CALL_LONGEST = 8, DIRECT = 5 };
  unsigned char code[CALL_LONGEST];
  int32_t distance;
  *target = 0;
  if (address < CALL_LONGEST || !ranges_have(address - CALL_LONGEST, address) ||
      !unwind_read_memory(address - CALL_LONGEST, code, sizeof(code)))
    return false;
  if (code[CALL_LONGEST - DIRECT] == 0xe8) {
    memcpy(&distance, code + CALL_LONGEST - DIRECT + 1, sizeof(distance));
    *target = address + (uintptr_t) (intptr_t) distance;
    return true;
  }
  for (size_t length = 2; length < CALL_LONGEST; length++) {
    const unsigned char* call = &code[CALL_LONGEST - length];
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2)
      return true;
  }
  return false;
}

/* Whether the code there only jumps to where a word in memory points, as what the linker
 * makes for calls into another file. */
static bool is_stub(uintptr_t address) {
  unsigned char code[8];
  if (!ranges_have(address, address + sizeof(code)) ||
      !unwind_read_memory(address, code, sizeof(code)))
    return false;
  for (size_t i = 0; i + 1 < sizeof(code); i++) {
    if (code[i] == 0xff && code[i + 1] == 0x25)
      return true;
  }
  return false;
}
#elif defined(__aarch64__)
/* bl, blr, and those that check the signature of their target first. */
static bool is_behind_call(uintptr_t address, uintptr_t* target) {
  uint32_t code;
  *target = 0;
  if (address % sizeof(code) != 0 || !ranges_have(address - sizeof(code), address) ||
      !unwind_read_memory(address - sizeof(code), &code, sizeof(code)))
    return false;
  if ((code & 0xfc000000) != 0x94000000)
    return (code & 0xfefff000) == 0xd63f0000;
  int64_t words = (int64_t) (int32_t) (code << 6) >> 6;
  *target = address - sizeof(code) + (uintptr_t) (words * 4);
  return true;
}

/* Ends with br x17. */
static bool is_stub(uintptr_t address) {
  uint32_t code[4];
  return ranges_have(address, address + sizeof(code)) &&
         unwind_read_memory(address, code, sizeof(code)) && code[3] == 0xd61f0220;
}
#else
static bool is_behind_call(uintptr_t address, uintptr_t* target) {
  unsigned char byte;
  *target = 0;
  return ranges_have(address - 1, address) && unwind_read_memory(address - 1, &byte, 1);
}

static bool is_stub(uintptr_t address) {
  (void) address;
  return false;
}
#endif

/* --- a frame that nothing points to --------------------------------------------------
 */

enum { SEARCHED_BYTES = 16 << 10 };

/* Whether a frame may begin there: with the address of the caller's frame, which begins
 * in the same way, and a return address. */
static bool frame_may_begin(const struct unwind_stack* stack, uintptr_t frame,
                            uintptr_t* target) {
  uintptr_t caller, place, next, ignored;
  return unwind_read(stack, frame, &caller) && caller > frame &&
         caller % sizeof(caller) == 0 &&
         unwind_read(stack, frame + sizeof(frame), &place) &&
         unwind_read(stack, caller + sizeof(caller), &next) &&
         is_behind_call(unwind_unsigned(place), target) &&
         is_behind_call(unwind_unsigned(next), &ignored);
}

/* The stack also has frames of calls that are over. The function's own is the first that
 * a direct call of this function has begun; without one, as the function was called
 * through a pointer, the first that may be. */
static bool frame_search(const struct unwind_stack* stack, uintptr_t from,
                         uintptr_t function, uintptr_t* found) {
  bool any = false;
  uintptr_t target;
  if (ranges.count == 0)
    ranges_read();
  for (uintptr_t frame = from; frame < from + SEARCHED_BYTES; frame += sizeof(frame)) {
    if (!frame_may_begin(stack, frame, &target))
      continue;
    if (target != 0 && target == function) {
      *found = frame;
      return true;
    }
    if (!any && (target == 0 || function == 0 || is_stub(target))) {
      *found = frame;
      any = true;
    }
  }
  return any;
}

/* --- the walk ------------------------------------------------------------------------
 */

/* A frame begins with the address of the caller's frame and the return address. */
static bool step_by_frame_pointer(const struct unwind_stack* stack,
                                  struct unwind_state* state) {
  uintptr_t frame = state->registers[UNWIND_FRAME], caller, place;
  if ((!unwind_knows(state, UNWIND_FRAME) &&
       !frame_search(stack, state->registers[UNWIND_STACK], 0, &frame)) ||
      frame % sizeof(frame) != 0 || frame < state->registers[UNWIND_STACK] ||
      !unwind_read(stack, frame, &caller) ||
      !unwind_read(stack, frame + sizeof(frame), &place))
    return false;
  state->known = 0;
  unwind_set(state, UNWIND_FRAME, caller);
  unwind_set(state, UNWIND_STACK, frame + 2 * sizeof(frame));
  unwind_set(state, UNWIND_PLACE, unwind_unsigned(place));
  return true;
}

static int step_by_rules(const struct unwind_stack* stack, struct unwind_state* state) {
  uintptr_t function = 0, frame;
  int stepped = unwind_by_rules(stack, state, &function);
  if (stepped != UNWIND_NEEDS_FRAME)
    return stepped;
  if (!frame_search(stack, state->registers[UNWIND_STACK], function, &frame))
    return UNWIND_END;
  unwind_set(state, UNWIND_FRAME, frame);
  return unwind_by_rules(stack, state, &function);
}

static bool may_be_return(uintptr_t place, bool behind_call) {
  uintptr_t target;
  return behind_call ? is_behind_call(place, &target) : ranges_have(place - 1, place);
}

/* An engine may have mapped more code since the last reading. */
static bool is_return(uintptr_t place, bool behind_call) {
  if (may_be_return(place, behind_call))
    return true;
  ranges_read();
  return may_be_return(place, behind_call);
}

bool unwind_step(const struct unwind_stack* stack, struct unwind_state* state,
                 bool* generated) {
  const struct unwind_state before = *state;
  int stepped = step_by_rules(stack, state);
  *generated = stepped == UNWIND_NO_RULES;
  if (stepped == UNWIND_END || (*generated && !step_by_frame_pointer(stack, state)))
    return false;
  state->exact = false;
  return unwind_has_moved(&before, state) &&
         is_return(state->registers[UNWIND_PLACE], *generated);
}
