/* The rules by which the caller of a frame is found: one object's .eh_frame, which lies
 * in this process because the loader has mapped it, or as the file of another process's
 * program. Such a file may be another user's: nothing outside of its bounds is read. */
#ifndef RONDO_TRACE_UNWIND_TABLE_H
#define RONDO_TRACE_UNWIND_TABLE_H

#include "trace/unwind.h"

/* `section` is the table's (.eh_frame_hdr), as it lies here; NULL: none. `slide` is added
 * to an address of code to get what the table's own pointers say; `low` and `high` bound
 * what may be read. */
struct unwind_table {
  const unsigned char* section;
  uintptr_t slide;
  const unsigned char *low, *high;
};

/* Goes on to the caller; one of UNWIND_END, UNWIND_STEPPED, UNWIND_NO_RULES and
 * UNWIND_NEEDS_FRAME. */
int unwind_by_table(const struct unwind_table* table, const struct unwind_stack* stack,
                    struct unwind_state* state);

/* The same for a signal handler, whose stack may be small: one thread at a time. */
int unwind_by_table_in_handler(const struct unwind_table* table,
                               const struct unwind_stack* stack,
                               struct unwind_state* state);

/* Where the function around an address of code begins; 0: not known. */
uintptr_t unwind_function_start(const struct unwind_table* table, uintptr_t place);

#endif
