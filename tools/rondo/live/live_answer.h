/* What the page of `rondo top --web` is made of: the picture of the last seconds, which
 * is that of `rondo trace`, and the figures beside it. */
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

/* What is kept from one request to the next: rates are what lies between two. */
struct live_answers {
  int pid; /* that was asked for; 0: all */
  unsigned int interval_ms;
  struct live_figures* figures;
  size_t count, capacity;
};

/* To the path behind the word: "" is the list, or the one process; "4711/" a process's
 * page, "4711/now" what it shows next; "all" the list's figures. */
void live_answer_make(struct live_answers* answers, struct live_answer* answer,
                      const char* path);

#endif
