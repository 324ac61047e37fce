/* What callbacks are about. The recorder writes addresses; here they become "timer 3":
 * the kind, and a number that is the same as long as something lives at the address. */
#ifndef RONDO_TOOL_TRACE_SUBJECTS_H
#define RONDO_TOOL_TRACE_SUBJECTS_H

#include "trace_model.h"

struct subject {
  uint64_t key; /* address and kind; 0: a free place */
  int32_t index;
  int32_t cause; /* how what lives there was begun, or EVENT_NONE */
};

struct subjects {
  struct subject* table;
  size_t capacity, count;
  uint32_t numbers[256]; /* given out, by kind */
};

/* What a kind is called, "fs_read": in two parts. */
const char* subject_kind_name(unsigned int kind, const char** prefix);

/* The index of its name among the loop's subjects, EVENT_NONE for no subject. */
int32_t subject_index(struct subjects* subjects, struct trace_loop* loop, uint64_t word);
/* Notes how it was begun; the same for what is called back. */
void subject_begun(struct subjects* subjects, uint64_t word, int32_t cause);
int32_t subject_cause(const struct subjects* subjects, uint64_t word);
void subject_gone(struct subjects* subjects, uint64_t word);
void subjects_free(struct subjects* subjects);

#endif
