/* What a recorded process is in right now, in words: for `rondo why`, `rondo top` and the
 * line of a stall. `names` is what live_names_read has made. */
#ifndef RONDO_TOOL_LIVE_WORDS_H
#define RONDO_TOOL_LIVE_WORDS_H

#include "live_ring.h"

#include <stdio.h>

/* For how long the loop has not looked at what is ready; 0 while it sleeps. */
uint64_t live_held_ns(const struct board_loop* live, uint64_t now);
/* "on_read (tcp)": the span that is open around all others, then what is in it. */
void live_write_open(FILE* out, const struct trace* names, const struct board_loop* live);
/* "node (4711) loop 1 is held up, for 52 ms so far, by …: in parse <- onRequest (3 of 3
 * samples)", of the loop at that place of the board. It may be over by now: `looked_ns`
 * is since when, `held_ns` for how long it was, at least. */
void live_write_stall(FILE* out, const struct live_ring* ring, size_t place,
                      uint64_t looked_ns, uint64_t held_ns);
/* "tcp", "fs_read": to be written behind its prefix. */
const char* live_kind(uint64_t subject, const char** prefix);
/* The last part of the program's path. */
const char* live_program(const struct live_ring* ring);

#endif
