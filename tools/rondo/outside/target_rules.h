/* The rules of frames in a target's files: where the caller of a frame is. */
#ifndef RONDO_TOOL_TARGET_RULES_H
#define RONDO_TOOL_TARGET_RULES_H

#include "trace/unwind.h"

/* The table of one object (.eh_frame_hdr), where its file is mapped in this process.
 * `slide` is added to an address of the target's code to get what the table's own
 * pointers say; `low` and `high` bound what may be read. */
struct unwind_table {
  const unsigned char* section; /* NULL: none */
  uintptr_t slide;
  const unsigned char *low, *high;
};

/* Goes on to the caller: 1, 0 if the stack ends there, -1 if the code has no rules. */
int target_unwind(const struct unwind_table* table, const struct unwind_stack* stack,
                  struct unwind_state* state);
/* Where the function around an address of code begins; 0: not known. */
uintptr_t target_function_start(const struct unwind_table* table, uintptr_t place);

#endif
