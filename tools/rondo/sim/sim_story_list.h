/* The callbacks of a loop, as a finding's sentence calls them. */
#ifndef RONDO_SIM_STORY_LIST_H
#define RONDO_SIM_STORY_LIST_H

#include "trace_model.h"

enum { PHRASE_SIZE = 400 };

struct story_item {
  char* phrase;
  char operation[24]; /* of files, as in "stat"; or "" */
  bool has_place;     /* is in a script */
  unsigned int nth;   /* among those with this phrase */
  unsigned int begun; /* of the requests of its kind, in the order in which they began;
                         otherwise the same as nth */
  uint64_t at;        /* on the monotonic clock, which all processes of a world share */
};

struct story_list {
  struct story_item* items;
  size_t count, capacity;
  bool in_scripts;          /* some of the functions are a script's */
  const struct event* last; /* the loop's callback that the last item is of */
};

/* Lists each callback, or the functions of a script that it calls. */
void story_list_loop(struct story_list* list, const struct trace_loop* loop);
void story_free(struct story_list* list);
/* "the answer of fs.stat (a.js:4)", "the answer of fs.stat (a.js:4), the 2nd of these" */
void story_write(const struct story_item* item, char* text, size_t size);

#endif
