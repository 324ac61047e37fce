/* The current state of a recorded process as text, for `rondo why`, `rondo top` and the
 * line about a stall. `names` was made by live_names_read. */
#ifndef RONDO_TOOL_LIVE_WORDS_H
#define RONDO_TOOL_LIVE_WORDS_H

#include "live_ring.h"

#include <stdio.h>

/* The time since the loop's last poll; 0 while it sleeps. */
uint64_t live_held_ns(const struct board_loop* live, uint64_t now);
/* "on_read (tcp)": the outermost open span, then the spans in it. */
void live_write_open(FILE* out, const struct trace* names, const struct board_loop* live);
/* "node (4711) loop 1 is held up, for 52 ms so far, by …: in parse <- onRequest (3 of 3
 * samples); of that 6.8 ms on the processor: the machine was busy", for the loop at that
 * place of the board. The stall may be over by now: it
 * began at `looked_ns` and lasted at least `held_ns`. Returns what its thread waited for
 * (hot_path_waits), or NULL. */
const char* live_write_stall(FILE* out, const struct live_ring* ring, size_t place,
                             uint64_t looked_ns, uint64_t held_ns);
/* "tcp", "fs_read": to be written after its prefix. */
const char* live_kind(uint64_t subject, const char** prefix);
/* The last part of the program's path. */
const char* live_program(const struct live_ring* ring);

#endif
