/* Names of the frames of a target's stacks: functions of its files by their symbols,
 * JavaScript's by what V8 has in its memory. */
#ifndef RONDO_TOOL_TARGET_NAMES_H
#define RONDO_TOOL_TARGET_NAMES_H

#include "target_stack.h"

#include "v8/v8_heap.h"

struct v8_constant {
  char* name;
  int value;
};

struct namer {
  const struct target* target;
  struct v8_constant* constants;
  size_t constant_count, constant_capacity;
  bool has_v8;
  uint64_t began_ns; /* the program, on the wall clock; 0: that isn't known */
  struct v8_heap heap;
  char** names; /* a frame's number is 1 more than its place here */
  size_t name_count, name_capacity;
  uint32_t* table; /* numbers by a name's hash */
  size_t table_size;
};

void namer_open(struct namer* namer, const struct target* target);
void namer_close(struct namer* namer);
/* Writes the numbers of the frames' names, the newest first; returns how many. Frames of
 * an engine's own glue are left out. While the thread stands or is blocked, `copy` is
 * what was copied of its stack, or NULL. */
size_t namer_stack(struct namer* namer, const struct target_frame* frames, size_t count,
                   const struct stack_copy* copy, uint32_t* numbers);
const char* namer_text(const struct namer* namer, uint32_t number);

#endif
