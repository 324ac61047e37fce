/* File times of a world. The kernel stamps files with the real time, to a tick of some
 * milliseconds, while hours of virtual time may pass within one. So the world keeps two
 * things: for each file that a function of the C library changed, which stamp the kernel
 * gave it and which virtual time it was; and at which real time the clock moved to where,
 * for what was changed in another way (mapped memory, a program that lives in real time).
 *
 * What was not changed since the run began keeps its times, and so does a time that the
 * program set. The files themselves are left as they are. */
#ifndef RONDO_SIM_WORLD_TIMES_H
#define RONDO_SIM_WORLD_TIMES_H

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

struct world;

enum {
  WORLD_FILES = 2048, /* that were changed, and are known one by one */
  WORLD_FILES_NEAR = 8,
  WORLD_MOVES = 4096,
};

/* Access, change of the content, change of the status, birth. */
enum file_time { FILE_ACCESS, FILE_CONTENT, FILE_STATUS, FILE_BIRTH, FILE_TIMES };

/* Sets of them. */
enum {
  FILE_WRITTEN = 1 << FILE_CONTENT | 1 << FILE_STATUS,
  FILE_MADE = (1 << FILE_TIMES) - 1,
};

/* Times are nanoseconds since 1970. */
struct file_times {
  uint64_t device, inode;
  int64_t at[FILE_TIMES];
};

struct world_file {
  uint64_t device, inode; /* inode 0: free */
  uint64_t used;          /* virtual time */
  struct {
    int64_t stamp; /* the kernel's; INT64_MIN: not known */
    int64_t shown;
  } times[FILE_TIMES];
};

struct world_file_times {
  pthread_mutex_t lock;
  int64_t began; /* real: what was stamped later was changed during the run */
  uint32_t move_count;
  struct {
    int64_t real;
    uint64_t now;
  } moves[WORLD_MOVES];
  struct world_file files[WORLD_FILES];
};

void world_times_prepare(struct world* world);
/* The clock moves; with the world's lock held. */
void world_times_moved(struct world* world);

/* The kernel has just changed these times of the file, a set; `now` is what it says. */
void world_times_note(struct world* world, const struct file_times* now,
                      unsigned int changed);
/* The program has set these. */
void world_times_set(struct world* world, const struct file_times* now,
                     unsigned int given);
/* Replaces what the kernel says by what the program is to see. */
void world_times_show(struct world* world, struct file_times* times);

/* The same for an answer of statx(2). */
struct file_times file_times_of(const struct statx* from);
void world_times_show_statx(struct world* world, struct statx* answer);

#endif
