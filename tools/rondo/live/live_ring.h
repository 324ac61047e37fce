/* Rings of this user's processes, from outside: found, mapped to be read only, and turned
 * into recordings. Nothing here changes anything in the program. */
#ifndef RONDO_TOOL_LIVE_RING_H
#define RONDO_TOOL_LIVE_RING_H

#include "trace/board.h"
#include "trace_model.h"

struct live_ring {
  char* path;
  char* program; /* its path */
  int pid;
  int saved;  /* number of the last file that has it */
  bool alive; /* else its process has ended, and not by an exit */
  int fd;
  const char* memory;
  size_t size;
  size_t chunk_size; /* as it was when the ring was opened, and good */
  uint64_t inode;
  const struct trace_header* header;
  const struct board* board;
};

/* False if it is no ring, or its process's recorder is of another version. */
bool live_ring_open(struct live_ring* ring, const char* path);
/* As live_ring_open for a descriptor, which is the ring's or closed afterwards. Its file
 * may have been removed. */
bool live_ring_take(struct live_ring* ring, int fd);
void live_ring_close(struct live_ring* ring);
/* Finds the ring of a process. If it has none, reports that, the reason and a remedy, and
 * returns false. */
bool live_ring_find(struct live_ring* ring, const char* pid);
/* The same without a report. */
bool live_ring_of(struct live_ring* ring, int pid);
/* Finds all rings, those of living processes first, then by process id; to be closed,
 * then freed. */
size_t live_rings(struct live_ring** list);

/* A loop's place on the board, which the program goes on writing to; NULL: unused. */
const struct board_loop* live_place(const struct live_ring* ring, size_t place);
/* A copy of the board with the places in use and the complete samples; to be freed. NULL
 * without memory. */
struct board* live_board_copy(const struct live_ring* ring);
/* The samples in such a copy of the stretch that began with the poll at `looked_ns` of
 * the loop at `place`, in the order of time; *at is 0 before the first. NULL: there are
 * no more. */
const struct board_sample* live_sample_next(const struct board* board, size_t place,
                                            uint64_t looked_ns, size_t* at);

/* The contents of the ring as a recording, to be freed. NULL without memory. */
char* live_ring_copy(const struct live_ring* ring, size_t* size);
/* As live_ring_copy, of one loop alone and without names: its chunks from the one on that
 * was begun before the time `since_ns`, and some before. */
char* live_ring_copy_loop(const struct live_ring* ring, uint32_t number,
                          uint64_t since_ns, size_t* size);
/* The same with names and samples. */
char* live_ring_copy_named(const struct live_ring* ring, uint32_t number,
                           uint64_t since_ns, size_t* size);
/* As live_ring_copy, parsed into `trace`, to be freed with trace_free. Returns NULL, or
 * what is wrong. */
const char* live_ring_read(const struct live_ring* ring, struct trace* trace);
/* Saves the ring with the names of its functions, for its user alone. If `path` is NULL,
 * a name in `folder` (NULL: the working directory) is chosen. The name is stored in
 * `written`. False if that fails, which has been reported: a file of that name stays as
 * it was, and nothing half done is left. */
bool live_ring_dump(struct live_ring* ring, const char* path, const char* folder,
                    char* written, size_t size);

/* Reads only the names: a trace with a process and no loops, to be freed with trace_free.
 * `board` is a copy made before by live_board_copy; samples on it that have only
 * addresses get names. */
void live_names_read(const struct live_ring* ring, struct board* board,
                     struct trace* trace);
/* The name with that number; "" if there is none. For a trace made by either function. */
const char* live_name(const struct trace* trace, uint32_t number);

uint64_t live_now_ns(void);

#endif
