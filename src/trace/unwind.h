/* Finds the return addresses in a copy of a thread's stack.
 *
 * A signal handler copies the registers and the part of the stack that is in use. Another
 * thread walks the copy; it checks every address against the copy's bounds, so that bad
 * data on the stack does no harm. For code that the loader has mapped, the .eh_frame
 * section says where the caller's registers are, with frame pointers or without.
 * Generated code is assumed to keep frame pointers, as V8 and JavaScriptCore do. A return
 * address must follow a call instruction; otherwise the walk ends rather than invent
 * frames.
 *
 * Of a blocked thread only the stack pointer and the place are known (sample_blocked.c).
 * Where the frame pointer is needed and no function on the way has saved it, the frame is
 * searched for on the stack. */
#ifndef RONDO_TRACE_UNWIND_H
#define RONDO_TRACE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register numbers of .eh_frame. */
enum {
#if defined(__aarch64__)
  UNWIND_FRAME = 29,
  UNWIND_RETURN = 30, /* holds the return address until it is saved */
  UNWIND_STACK = 31,
  UNWIND_PLACE = 32, /* not one of .eh_frame's */
  UNWIND_REGISTERS = 33,
#else
  UNWIND_FRAME = 6,
  UNWIND_STACK = 7,
  UNWIND_PLACE = 16,
  UNWIND_RETURN = UNWIND_PLACE,
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

/* Copies memory of this process that may be unmapped by now; false if it is. */
bool unwind_read_memory(uintptr_t address, void* to, size_t size);

/* An address inside the instruction that the frame is at. */
static inline uintptr_t unwind_place(const struct unwind_state* state) {
  return state->registers[UNWIND_PLACE] - !state->exact;
}

/* A return address without the signature that arm64 may have put above it: addresses of a
 * program have 48 bits there. */
static inline uintptr_t unwind_unsigned(uintptr_t place) {
#if defined(__aarch64__)
  return place & (((uintptr_t) 1 << 48) - 1);
#else
  return place;
#endif
}

/* Whether a step came to a caller. The stack pointer grows, but for an interrupted
 * function of arm64 that has no frame. */
static inline bool unwind_has_moved(const struct unwind_state* from,
                                    const struct unwind_state* to) {
  uintptr_t before = from->registers[UNWIND_STACK], after = to->registers[UNWIND_STACK];
  return after > before ||
         (UNWIND_RETURN != UNWIND_PLACE && from->exact && after == before);
}

/* Goes on to the caller of the frame that `state` describes; false if the caller isn't
 * known or there is none. *generated is set if the frame's code has no rules. */
bool unwind_step(const struct unwind_stack* stack, struct unwind_state* state,
                 bool* generated);

/* As unwind_step by .eh_frame alone; unwind_rules.c. *function is the first address of
 * the frame's function, if it has rules. */
enum {
  UNWIND_END,         /* the stack ends here, or the rules can't be followed */
  UNWIND_STEPPED,     /* `state` is the caller's */
  UNWIND_NO_RULES,    /* for the code at this place */
  UNWIND_NEEDS_FRAME, /* the frame pointer, which isn't known */
};
int unwind_by_rules(const struct unwind_stack* stack, struct unwind_state* state,
                    uintptr_t* function);

/* unwind_step for signal handlers: takes no lock and allocates nothing, but the walk ends
 * at generated code. Only where unwind_may_in_handler, which may not be asked there, has
 * said so. */
bool unwind_may_in_handler(void);
bool unwind_step_in_handler(const struct unwind_stack* stack, struct unwind_state* state);

#endif
