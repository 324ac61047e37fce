/* Stalls of a recorded process, for the watcher: the line while one lasts and the line
 * when it is over, its recording, and the command that is run for it. */
#ifndef RONDO_TOOL_LIVE_STALL_H
#define RONDO_TOOL_LIVE_STALL_H

#include "live_ring.h"
#include "live_watch.h"

#include <limits.h>

struct stall {
  uint32_t place;      /* the stalled loop's place on the board */
  uint64_t since;      /* its looked_ns; 0: no loop is stalled */
  uint64_t at;         /* when it was still stalled */
  const char* waits;   /* what its thread waited for, if it did; NULL: not known */
  char* line;          /* the line about it, for the command; NULL: the command was run */
  char file[PATH_MAX]; /* its recording so far; "" if there is none */
};

/* Called once, in the watcher. The command has the environment and the signals of
 * `options`. */
void stalls_open(const struct watch_options* options);

/* A loop is stalled, and has been for `held_ns` since its poll at `looked_ns`: writes the
 * line. A stall before that is left. */
void stall_begin(struct stall* stall, struct live_ring* ring, uint32_t place,
                 uint64_t looked_ns, uint64_t held_ns);
/* Whether it is over: then it is reported, and written down. Returns how many ns may pass
 * until the next look; UINT64_MAX: no loop is stalled. */
uint64_t stall_look(struct stall* stall, struct live_ring* ring);
/* The process ends, or has ended, perhaps in the stall. */
void stall_end(struct stall* stall, struct live_ring* ring);
void stall_forget(struct stall* stall);

#endif
