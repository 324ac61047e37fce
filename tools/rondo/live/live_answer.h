/* The contents of the page of `rondo top --web`: the picture of the last seconds, the
 * same as that of `rondo trace`, and the figures beside it. */
#ifndef RONDO_TOOL_LIVE_ANSWER_H
#define RONDO_TOOL_LIVE_ANSWER_H

#include "live_figures.h"

struct live_answer {
  const char* status;
  const char* type;
  char location[32]; /* of another page, or "" */
  char* bytes;       /* to be freed */
  size_t length;
};

/* State between two requests: rates are computed from the difference. */
struct live_answers {
  int pid; /* the process asked for; 0: all */
  unsigned int interval_ms;
  struct live_figures* figures;
  size_t count, capacity;
};

/* Makes the answer for the part of the path after the secret word: "" is the list, or the
 * one process; "4711/" a process's page, "4711/now" its next update; "all" the list's
 * figures. */
void live_answer_make(struct live_answers* answers, struct live_answer* answer,
                      const char* path);

#endif
