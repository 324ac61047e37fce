/* What the tests of watching share: what a handle was told, as a list, and ways to wait
 * until it was told something. They stand on helper_files.h: its loop, its directory. */
#ifndef RONDO_HELPER_WATCHING_H
#define RONDO_HELPER_WATCHING_H

#include "forked.h"
#include "helper_files.h"

struct told {
  char* filename; /* NULL as it came */
  int events;
  int status;
};

struct recorder {
  uv_fs_event_t handle;
  struct told* told;
  size_t count;
};

/* Starts a handle that records what it is told. */
int recorder_start(struct recorder* recorder, const char* path, unsigned int flags);
/* Forgets what was told so far. */
void recorder_forget(struct recorder* recorder);
/* Closes it and turns the loop until it is closed. */
void recorder_close(struct recorder* recorder);
/* The callback that recorder_start uses. */
void recorder_cb(uv_fs_event_t* handle, const char* filename, int events, int status);

/* How often it was told exactly this. */
size_t recorder_count(const struct recorder* recorder, const char* filename, int events);
/* How often anything was told about names that begin so. */
size_t recorder_count_below(const struct recorder* recorder, const char* prefix);
/* Turns the loop until it was told this, and fails when that takes too long. */
void recorder_await(struct recorder* recorder, const char* filename, int events);
/* The same for a status, or for an overflow (a filename of NULL). */
void recorder_await_status(struct recorder* recorder, int status);
void recorder_await_overflow(struct recorder* recorder);
/* Makes a file in `directory` (which must be watched, as `name`'s directory) and waits
 * until that is told: so all that was done before has been told. */
void recorder_sync(struct recorder* recorder, const char* path, const char* name);

/* Plain system calls that must succeed. */
void make_directory(const char* path);
void make_directories(const char* path); /* with all above it */
void make_file(const char* path);
void change_file(const char* path);
void move(const char* from, const char* to);

/* Fills the kernel's queue of a loop that doesn't turn, with changes to two files that it
 * makes in `directory`. False where the queue is too long to be filled in a test. */
bool overflow_queue(const char* directory);

/* Gives this process, which must be a child of the test's, a limit of its own. False if
 * the system doesn't allow it. */
bool limit_watches(unsigned int most);
bool limit_descriptors(unsigned int most);

/* What must hold in a child: one of cmocka's checks that failed would go on with
 * the next test, in the child. */
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
      return 1;                                                                          \
    }                                                                                    \
  } while (0)

#endif
