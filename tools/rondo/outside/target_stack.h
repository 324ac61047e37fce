/* The stack of a target's thread, by the rules of the files that are mapped, and by frame
 * pointers where code was generated. */
#ifndef RONDO_TOOL_TARGET_STACK_H
#define RONDO_TOOL_TARGET_STACK_H

#include "target.h"

struct target_frame {
  uint64_t place; /* where it is, or where it goes on when its callee returns */
  bool is_exact;  /* place is the next instruction */
  bool is_generated;
  uint64_t stack; /* the stack pointer there */
  uint64_t frame; /* the frame pointer; 0: not known */
};

enum { TARGET_FRAMES = 512 };

/* A copy of the stack's newest part can be made while the thread is stopped. */
struct stack_copy {
  struct unwind_stack words;
};

/* Copies from the stack pointer on; false if there is nothing to be read. */
bool stack_copy_take(struct stack_copy* copy, const struct target* target,
                     const struct unwind_state* registers);

/* Walks from the registers on. `copy` may be NULL; then memory is read as it is now,
 * which is right for a thread that is blocked. Returns the number of frames, the newest
 * first. */
size_t target_walk(const struct target* target, const struct unwind_state* registers,
                   const struct stack_copy* copy, struct target_frame* frames,
                   size_t most);

/* Whether a thread's stack begins in a function of this name. */
bool target_is_entry(const char* name);
/* Whether the walk came to where threads begin; otherwise callers are missing. */
bool target_walk_is_whole(const struct target* target, const struct target_frame* frames,
                          size_t count);

/* An address inside the instruction that the frame is at. */
static inline uint64_t target_frame_place(const struct target_frame* frame) {
  return frame->place - !frame->is_exact;
}

/* target_stop.c: stops a thread that runs for some microseconds, to copy its registers
 * and its stack. False if the thread can't be stopped, or is being debugged. The thread
 * never stands longer than that: if this process is killed, the kernel lets the thread go
 * on. */
bool target_stop_copy(const struct target* target, int tid,
                      struct unwind_state* registers, struct stack_copy* copy);

/* The same of several threads at once, since one that waits for a processor stands only
 * when it gets that: each is begun, and looked at until that says that it is over. */
struct target_stop {
  int tid;
  bool is_good;
  struct unwind_state registers;
  struct stack_copy* copy; /* the caller's */
  uint64_t at_ns;          /* when it was noticed that the thread stands, */
  uint64_t stood_ns;       /* and for how long it did then */
};
bool target_stop_begin(const struct target* target, struct target_stop* stop, int tid);
bool target_stop_look(const struct target* target, struct target_stop* stop);
/* Until a thread stands, or for 2 ms. */
void target_stop_wait(void);
/* While threads are being stopped: true if that has to be ended, with false. */
bool target_stop_hurry(bool on);

#endif
