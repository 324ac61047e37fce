/* Rings of this user's processes, from outside: found, mapped to be read only, and turned
 * into recordings. Nothing here changes anything in the program. */
#ifndef RONDO_TOOL_LIVE_RING_H
#define RONDO_TOOL_LIVE_RING_H

#include "trace/board.h"
#include "trace_model.h"

struct live_ring {
  char* path;
  int pid;
  bool alive; /* else its process has ended, and not by an exit */
  const char* memory;
  size_t size;
  uint64_t inode;
  const struct trace_header* header;
  const struct board* board;
};

/* False if it is no ring, or its process's recorder is of another version. */
bool live_ring_open(struct live_ring* ring, const char* path);
void live_ring_close(struct live_ring* ring);
/* That of a process; if it has none, says so, why, and what to do, and returns false. */
bool live_ring_find(struct live_ring* ring, const char* pid);
/* All of them, the living first, then by number; to be closed, then freed. */
size_t live_rings(struct live_ring** list);

/* A copy of the board, of those places that are taken and of samples that are whole; to
 * be freed. NULL without memory. */
struct board* live_board_copy(const struct live_ring* ring);
/* The samples that such a copy has of the stretch that began with the look at `looked_ns`
 * of the loop at `place`, by time; *at is 0 before the first. NULL: there are no more. */
const struct board_sample* live_sample_next(const struct board* board, size_t place,
                                            uint64_t looked_ns, size_t* at);

/* What the ring holds, as a recording: to be freed. NULL without memory. */
char* live_ring_copy(const struct live_ring* ring, size_t* size);
/* The same, read; trace_free is due. NULL, or what is wrong. */
const char* live_ring_read(const struct live_ring* ring, struct trace* trace);
/* Writes it down with the names of functions in it. If `path` is NULL a name is made up,
 * in the working directory, which is in `written` then. False after a word about it. */
bool live_ring_dump(const struct live_ring* ring, const char* path, char* written,
                    size_t size);

/* Only the names of what it holds: a trace with a process and no loops. trace_free is
 * due. */
void live_names_read(const struct live_ring* ring, struct trace* trace);
/* The name with that number; "" if there is none. Of a trace that either has made.
 */
const char* live_name(const struct trace* trace, uint32_t number);

uint64_t live_now_ns(void);

#endif
