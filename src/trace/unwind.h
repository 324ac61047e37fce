/* Finds the return addresses in a copy of a thread's stack.
 *
 * A signal handler copies the registers and the part of the stack that is in use. Another
 * thread walks the copy; it checks every address against the copy's bounds, so that bad
 * data on the stack does no harm. For code that the loader has mapped, the .eh_frame
 * section says where the caller's registers are, with frame pointers or without.
 * Generated code is assumed to keep frame pointers, as V8 and JavaScriptCore do. A return
 * address must follow a call instruction; otherwise the walk ends rather than invent
 * frames. */
#ifndef RONDO_TRACE_UNWIND_H
#define RONDO_TRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register numbers of .eh_frame. */
enum {
#if defined(__aarch64__)
  UNWIND_FRAME = 29,
  UNWIND_STACK = 31,
  UNWIND_PLACE = 32,
  UNWIND_REGISTERS = 33,
#else
  UNWIND_FRAME = 6,
  UNWIND_STACK = 7,
  UNWIND_PLACE = 16,
  UNWIND_REGISTERS = 17,
#endif
  UNWIND_STACK_MOST = 128 << 10, /* number of bytes copied */
};

struct unwind_state {
  uintptr_t registers[UNWIND_REGISTERS];
  uint64_t known; /* a bit for each register whose value is known */
  bool exact;     /* pc is the next instruction, not a return address */
};

struct unwind_stack {
  struct unwind_state state; /* the registers where the thread was interrupted */
  uintptr_t start;           /* the address that bytes[0] was copied from */
  size_t size;
  _Alignas(16) unsigned char bytes[UNWIND_STACK_MOST];
};

static inline bool unwind_knows(const struct unwind_state* state, unsigned int number) {
  return number < UNWIND_REGISTERS && (state->known >> number & 1) != 0;
}

static inline void unwind_set(struct unwind_state* state, unsigned int number,
                              uintptr_t value) {
  state->registers[number] = value;
  state->known |= (uint64_t) 1 << number;
}

/* Reads a word of the copied stack; false outside of the copy. */
bool unwind_read(const struct unwind_stack* stack, uintptr_t address, uintptr_t* value);

/* An address inside the instruction that the frame is at. */
static inline uintptr_t unwind_place(const struct unwind_state* state) {
  return state->registers[UNWIND_PLACE] - !state->exact;
}

/* Goes on to the caller of the frame that `state` describes; false if the caller isn't
 * known or there is none. *generated is set if the frame's code has no rules. */
bool unwind_step(const struct unwind_stack* stack, struct unwind_state* state,
                 bool* generated);

/* As unwind_step by .eh_frame alone: 1, 0 if the stack ends there, -1 if the code has no
 * rules; unwind_rules.c. */
int unwind_by_rules(const struct unwind_stack* stack, struct unwind_state* state);

/* unwind_step for signal handlers: takes no lock and allocates nothing, but the walk ends
 * at generated code. Only where unwind_may_in_handler, which may not be asked there, has
 * said so. */
bool unwind_may_in_handler(void);
bool unwind_step_in_handler(const struct unwind_stack* stack, struct unwind_state* state);

#endif
