/* The subjects of callbacks. The recorder writes addresses; here they become "timer 3":
 * the kind, and a number that stays the same as long as the object exists. */
#ifndef RONDO_TOOL_TRACE_SUBJECTS_H
#define RONDO_TOOL_TRACE_SUBJECTS_H

#include "trace_model.h"

struct subject {
  uint64_t key; /* address and kind; 0: a free place */
  int32_t index;
  int32_t cause; /* origin of the object at the address, or EVENT_NONE */
};

struct subjects {
  struct subject* table;
  size_t capacity, count;
  uint32_t numbers[256]; /* last number given out, by kind */
};

/* The name of a kind, "fs_read", in two parts. */
const char* subject_kind_name(unsigned int kind, const char** prefix);

/* The index of the subject's name among the loop's subjects, EVENT_NONE for no subject.
 */
int32_t subject_index(struct subjects* subjects, struct trace_loop* loop, uint64_t word);
/* Records the subject's origin; the second function returns it for a callback. */
void subject_begun(struct subjects* subjects, uint64_t word, int32_t cause);
int32_t subject_cause(const struct subjects* subjects, uint64_t word);
void subject_gone(struct subjects* subjects, uint64_t word);
void subjects_free(struct subjects* subjects);

#endif
