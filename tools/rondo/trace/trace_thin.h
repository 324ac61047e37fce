/* Which events of a long recording a picture shows: trace_thin.c. */
#ifndef RONDO_TOOL_TRACE_THIN_H
#define RONDO_TOOL_TRACE_THIN_H

#include "trace_facts.h"

struct thinned {
  bool* kept;     /* of each event */
  int32_t* moved; /* where each kept one is then, EVENT_NONE of the others */
  size_t count;   /* of those kept */
  uint64_t least; /* whatever lasted as long as this is kept */
};

/* At most about `most` events: all that lasted long, all that the facts name, with what
 * is around them, and of the rest whole turns at even distances. */
struct thinned thin_make(const struct facts* facts, size_t most);
void thin_free(struct thinned* thinned);

#endif
