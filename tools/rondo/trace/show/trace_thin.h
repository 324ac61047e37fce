/* Which events of a long recording a picture shows: trace_thin.c. */
#ifndef RONDO_TOOL_TRACE_THIN_H
#define RONDO_TOOL_TRACE_THIN_H

#include "trace_facts.h"

struct thinned {
  bool* kept;     /* for each event */
  int32_t* moved; /* new index of each kept event, EVENT_NONE for the others */
  size_t count;   /* number of kept events */
  uint64_t least; /* all events that lasted at least this long are kept */
};

/* Keeps at most about `most` events: the long ones, those that the facts name, with the
 * events around them, and of the rest whole turns at even distances. */
struct thinned thin_make(const struct facts* facts, size_t most);
void thin_free(struct thinned* thinned);

#endif
