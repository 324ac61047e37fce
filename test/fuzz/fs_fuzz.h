/* What the parts of fs_fuzz share: a chain, which does one random thing with files after
 * the other in a directory of its own, and a call, one uv_fs_… with its arguments.
 * fs_world.c has the places things are done to, fs_calls.c chooses and makes the calls,
 * fs_print.c tells what came of them, fs_others.c has what isn't about files, fs_scenes.c
 * what needs a whole loop for itself, fs_bursts.c many reads at once; fs_fuzz.c drives it
 * all. */
#ifndef RONDO_FUZZ_FS_FUZZ_H
#define RONDO_FUZZ_FS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <uv.h>

enum { SLOTS = 20, BURST_MAX = 64, PATH_ROOM = 4200, ENTRIES_MAX = 64 };

struct chain;

enum form { SYNC, SYNC_NO_LOOP, ASYNC };

struct call {
  uv_fs_t request;
  struct chain* chain;
  const struct shape* shape;
  enum form form;
  int returned;
  char path[PATH_ROOM];
  char new_path[PATH_ROOM];
  int slot; /* below 0: fd isn't one of the chain's */
  int fd;
  int other_fd; /* sendfile's source */
  int other_slot;
  int flags;
  int mode;
  unsigned int owner;
  unsigned int group;
  double atime;
  double mtime;
  int64_t offset;
  size_t length;
  uv_buf_t* buffers;
  unsigned int buffer_count;
  char* memory; /* the buffers' */
  size_t memory_size;
  uv_dir_t* dir;
  uv_dirent_t entries[ENTRIES_MAX];
  void* owner_of_it; /* in a scene */
};

struct chain {
  int number;
  uint64_t seed;
  uv_loop_t* loop;
  FILE* log;
  char* text; /* the log's */
  size_t text_size;
  int steps_left;
  int files[SLOTS];
  uv_dir_t* dir;
  struct call* calls; /* BURST_MAX, of which some are under way */
  int count;
  int waiting;
  bool alone; /* in this process */
  bool poor;  /* without a descriptor left: none is closed then, for which many would race
               */
  int serial;
  int temporary; /* names that mkdtemp and mkstemp have made */
};

#define expect(condition) expect_at((condition), #condition, __FILE__, __LINE__)
void expect_at(bool condition, const char* text, const char* file, int line);

/* A number below count, decided by the seed. */
unsigned int pick(struct chain* chain, unsigned int count);
/* For dice of one's own, where it isn't known who comes first. */
unsigned int roll(uint64_t* seed, unsigned int count);

/* --- fs_world.c ------------------------------------------------------------------- */

/* Makes the chain's directory and opens some descriptors. */
void world_make(struct chain* chain);
/* Tells all that is in it, then closes what is open. */
void world_end(struct chain* chain);
/* A path, good or bad. */
void world_path(struct chain* chain, char* path);
/* A descriptor, good or bad; its slot, or -1 for one that isn't the chain's. */
int world_file(struct chain* chain, int* slot);
/* Keeps an open descriptor; what was in that slot is closed. */
void world_keep(struct chain* chain, int fd);
/* Whether a read or write (POLLIN, POLLOUT) of it could wait for ever. */
bool world_would_wait(int fd, short events);
/* Whether a pipe or socket has so much to read, or room for it; true of all others. */
bool world_has(int fd, short events, size_t size);
/* Whether copying or opening it would take for ever. */
bool world_is_endless(const char* path);
mode_t world_type(const char* path);

/* --- fs_calls.c ------------------------------------------------------------------- */

struct shape {
  uv_fs_type type;
  const char* name;
  unsigned int needs;
  bool quiet; /* changes nothing but times of access: many may be under way at once */
};

/* Chooses a call, quiet ones only or any; false if it is one that can't be compared. */
bool call_choose(struct call* call, bool quiet);
/* Not made after all. */
void call_drop(struct call* call);
/* Makes it. */
void call_make(struct call* call, uv_fs_cb cb);
/* After its end and print_call: the outcome is kept, all is cleaned up. */
void call_end(struct call* call);

enum {
  NEEDS_PATH = 1,
  NEEDS_NEW_PATH = 2,
  NEEDS_FILE = 4,
  NEEDS_MODE = 8,
  NEEDS_BUFFERS = 16,
  NEEDS_TIMES = 32,
  NEEDS_OWNER = 64,
  NEEDS_FLAGS = 128,
  NEEDS_OFFSET = 256,
  NEEDS_TEMPLATE = 512,
};

/* --- fs_print.c ------------------------------------------------------------------- */

void print_call(struct call* call);
/* Bytes in a form that can be read, on one line. */
void print_text(FILE* log, const char* text);
/* Times of today are "now", all others are told to the nanosecond. */
void print_time(FILE* log, const char* name, int64_t seconds, long nanoseconds);
unsigned int checksum(const char* bytes, size_t size);

/* --- fs_others.c ------------------------------------------------------------------ */

/* One thing that is no file request: names, addresses, random bytes, the system. */
void other_act(struct chain* chain);

/* --- fs_scenes.c ------------------------------------------------------------------ */

/* Requests cancelled behind a pool that is busy. */
void scene_cancel(struct chain* chain);
/* Directories and files watched while they change. */
void scene_events(struct chain* chain);
void scene_poll(struct chain* chain);

/* --- fs_bursts.c ------------------------------------------------------------------ */

/* Many reads at once, round by round. */
void scene_bursts(struct chain* chain);

#endif
