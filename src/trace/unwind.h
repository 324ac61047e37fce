/* From a copy of a thread's stack to the places its functions will return to.
 *
 * A signal handler copies the registers and the part of the stack that is in use; the
 * walk is made by another thread, over the copy, so nothing that is found there can lead
 * astray. Code that the loader has mapped says in its .eh_frame section where the
 * caller's registers are, with frame pointers or without; generated code is taken to keep
 * them, as V8 and JavaScriptCore do. A place to return to must lie behind a call: where
 * that isn't so, the walk ends rather than make up frames. */
#ifndef RONDO_TRACE_UNWIND_H
#define RONDO_TRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By their numbers in .eh_frame. */
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
  UNWIND_STACK_MOST = 128 << 10, /* bytes that are copied */
};

struct unwind_state {
  uintptr_t registers[UNWIND_REGISTERS];
  uint64_t known; /* a bit for each register whose value is known */
  bool exact;     /* the place is that of the next instruction, not one to return to */
};

struct unwind_stack {
  struct unwind_state state; /* where the thread was interrupted */
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

/* Reads a word that was copied; false beyond the copy. */
bool unwind_read(const struct unwind_stack* stack, uintptr_t address, uintptr_t* value);

/* An address inside of the instruction that the frame is at. */
static inline uintptr_t unwind_place(const struct unwind_state* state) {
  return state->registers[UNWIND_PLACE] - !state->exact;
}

/* Goes on to the caller of the frame that `state` describes; false if that isn't known or
 * there is none. *generated: the frame was one of code without rules. */
bool unwind_step(const struct unwind_stack* stack, struct unwind_state* state,
                 bool* generated);

/* The same by .eh_frame alone: 1, 0 if it ends there, -1 if the code has none;
 * unwind_rules.c. */
int unwind_by_rules(const struct unwind_stack* stack, struct unwind_state* state);

#endif
