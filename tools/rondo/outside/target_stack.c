/* The walk of another process's stack: see target_stack.h. */
#include "target_stack.h"

#include <stdlib.h>
#include <string.h>

/* --- the copy ------------------------------------------------------------------------
 */

static bool window_read(struct unwind_stack* words, const struct target* target,
                        uint64_t address) {
  const struct mapping* map = target_map(target, address);
  words->start = address;
  words->size = 0;
  if (map == NULL || !map->readable)
    return false;
  uint64_t size = map->end - address;
  size = size < UNWIND_STACK_MOST ? size : UNWIND_STACK_MOST;
  /* A core file may lack a part. */
  for (; size >= sizeof(uintptr_t); size /= 2) {
    if (target_read(target, address, words->bytes, size)) {
      words->size = size;
      return true;
    }
  }
  return false;
}

bool stack_copy_take(struct stack_copy* copy, const struct target* target,
                     const struct unwind_state* registers) {
  return unwind_knows(registers, UNWIND_STACK) &&
         window_read(&copy->words, target, registers->registers[UNWIND_STACK]);
}

/* --- generated code -------------------------------------------------------------------
 */

static bool is_code(const struct target* target, uint64_t address) {
  const struct mapping* map = target_map(target, address);
  return map != NULL && map->executable;
}

/* The instruction before a return address is a call; *called: what a direct one calls,
 * else 0. */
static bool is_behind_call(const struct target* target, uint64_t address,
                           uint64_t* called) {
  enum { CALL_LONGEST = 8, DIRECT = 5 };
  unsigned char code[CALL_LONGEST];
  int32_t distance;
  *called = 0;
  if (address < CALL_LONGEST || !is_code(target, address - 1) ||
      !target_read(target, address - CALL_LONGEST, code, sizeof(code)))
    return false;
  if (code[CALL_LONGEST - DIRECT] == 0xe8) {
    memcpy(&distance, code + CALL_LONGEST - DIRECT + 1, sizeof(distance));
    *called = address + (uint64_t) (int64_t) distance;
    return true;
  }
  for (size_t length = 2; length < CALL_LONGEST; length++) {
    const unsigned char* call = &code[CALL_LONGEST - length];
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2)
      return true;
  }
  return false;
}

/* Code that only jumps to where a word in memory points, as the linker makes it for calls
 * into another file. */
static bool is_stub(const struct target* target, uint64_t address) {
  unsigned char code[8];
  if (!is_code(target, address) || !target_read(target, address, code, sizeof(code)))
    return false;
  for (size_t i = 0; i + 1 < sizeof(code); i++) {
    if (code[i] == 0xff && code[i + 1] == 0x25)
      return true;
  }
  return false;
}

/* --- a frame pointer that isn't known
 * ---------------------------------------------------
 */

/* Whether a frame may begin there: with the address of the caller's frame, which begins
 * in the same way, and a return address. */
static bool frame_may_begin(const struct target* target, const struct unwind_stack* words,
                            uintptr_t frame, uint64_t* called) {
  uintptr_t caller, place, next;
  uint64_t ignored;
  return unwind_read(words, frame, &caller) && caller > frame &&
         caller % sizeof(caller) == 0 &&
         unwind_read(words, frame + sizeof(frame), &place) &&
         unwind_read(words, caller + sizeof(caller), &next) &&
         is_behind_call(target, place, called) && is_behind_call(target, next, &ignored);
}

/* Of a blocked thread the kernel shows where it is, but not its frame pointer. A stack
 * also has frames of calls that are over: the function's own is the first that a direct
 * call of this function has begun; without one, as the function was called through a
 * pointer, the first that may be. `function`: 0 if that isn't known. */
static bool frame_search(const struct target* target, const struct unwind_stack* words,
                         struct unwind_state* state, uint64_t function) {
  enum { SEARCHED_BYTES = 16 << 10 };
  uintptr_t from = state->registers[UNWIND_STACK], found = 0;
  uint64_t called;
  if (unwind_knows(state, UNWIND_FRAME))
    return false;
  for (uintptr_t at = from; at < from + SEARCHED_BYTES; at += sizeof(at)) {
    if (!frame_may_begin(target, words, at, &called))
      continue;
    if (called != 0 && called == function) {
      found = at;
      break;
    }
    if (found == 0 && (called == 0 || function == 0 || is_stub(target, called)))
      found = at;
  }
  if (found == 0)
    return false;
  unwind_set(state, UNWIND_FRAME, found);
  return true;
}

static bool step_by_frame_pointer(const struct target* target,
                                  const struct unwind_stack* words,
                                  struct unwind_state* state) {
  uintptr_t caller, place;
  uint64_t called;
  if (!unwind_knows(state, UNWIND_FRAME) && !frame_search(target, words, state, 0))
    return false;
  uintptr_t frame = state->registers[UNWIND_FRAME];
  if (frame % sizeof(frame) != 0 || frame < state->registers[UNWIND_STACK] ||
      !unwind_read(words, frame, &caller) ||
      !unwind_read(words, frame + sizeof(frame), &place) ||
      !is_behind_call(target, place, &called))
    return false;
  *state = (struct unwind_state){0};
  unwind_set(state, UNWIND_FRAME, caller);
  unwind_set(state, UNWIND_STACK, frame + 2 * sizeof(frame));
  unwind_set(state, UNWIND_PLACE, place);
  return true;
}

static bool function_frame_search(const struct target* target, const struct image* image,
                                  const struct unwind_stack* words,
                                  struct unwind_state* state) {
  uint64_t function = unwind_function_start(&image->rules, unwind_place(state));
  return function != 0 && frame_search(target, words, state, function);
}

/* --- the walk -------------------------------------------------------------------------
 */

static int step_by_rules(const struct image* image, const struct unwind_stack* words,
                         struct unwind_state* state) {
  return image == NULL ? UNWIND_NO_RULES : unwind_by_table(&image->rules, words, state);
}

static bool stack_step(const struct target* target, struct unwind_stack* words,
                       struct unwind_state* state, bool* generated) {
  const struct image* image = image_at(target, unwind_place(state));
  uintptr_t before = state->registers[UNWIND_STACK];
  if (before < words->start || before - words->start > words->size / 2)
    window_read(words, target, before);
  int stepped = step_by_rules(image, words, state);
  *generated = stepped == UNWIND_NO_RULES;
  if (stepped == UNWIND_NEEDS_FRAME && function_frame_search(target, image, words, state))
    stepped = step_by_rules(image, words, state);
  if (stepped != UNWIND_STEPPED &&
      (!*generated || !step_by_frame_pointer(target, words, state)))
    return false;
  state->exact = false;
  return state->registers[UNWIND_STACK] > before &&
         is_code(target, state->registers[UNWIND_PLACE] - 1);
}

size_t target_walk(const struct target* target, const struct unwind_state* registers,
                   const struct stack_copy* copy, struct target_frame* frames,
                   size_t most) {
  struct unwind_state state = *registers;
  size_t count = 0;
  bool more = true;
  if (!unwind_knows(&state, UNWIND_STACK) || !unwind_knows(&state, UNWIND_PLACE))
    return 0;
  struct unwind_stack* words = malloc(sizeof(*words));
  if (words == NULL)
    return 0;
  if (copy != NULL)
    *words = copy->words;
  else
    window_read(words, target, state.registers[UNWIND_STACK]);
  while (more && count < most) {
    struct target_frame* frame = &frames[count++];
    *frame = (struct target_frame){
        .place = state.registers[UNWIND_PLACE],
        .is_exact = state.exact,
        .stack = state.registers[UNWIND_STACK],
        .frame = unwind_knows(&state, UNWIND_FRAME) ? state.registers[UNWIND_FRAME] : 0,
    };
    more = stack_step(target, words, &state, &frame->is_generated);
  }
  free(words);
  return count;
}

bool target_is_entry(const char* name) {
  static const char* const entries[] = {"_start",       "clone",        "__clone",
                                        "start_thread", "__libc_start", "thread_start"};
  for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
    if (strncmp(name, entries[i], strlen(entries[i])) == 0)
      return true;
  }
  return false;
}

bool target_walk_is_whole(const struct target* target, const struct target_frame* frames,
                          size_t count) {
  if (count == 0)
    return false;
  char* name = image_function(target, target_frame_place(&frames[count - 1]));
  bool whole = name != NULL && target_is_entry(name);
  free(name);
  return whole;
}
