/* What is asked of the machine. The public functions of this room (threads and
 * locks, clocks, processors, memory, interfaces, users, environment, title,
 * dynamic libraries) are declared in uv.h and need no loop; they may be called
 * from any thread, except where the manual says otherwise.
 *
 * A lock used wrongly (unlocked twice, destroyed while held) is a bug in the
 * program that can't be reported to anyone, so the functions that return void
 * abort on it.
 *
 * Below is what this room offers to the others. */
#ifndef RONDO_SYSTEM_SYSTEM_H
#define RONDO_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fills `buffer` with random bytes fit for keys, never with fewer than asked
 * for. May block while a freshly booted machine has none yet. Returns 0 or a
 * UV_E… code. */
int system_random(void* buffer, size_t length);

/* Opens for reading, close-on-exec, not stopped by signals. The descriptor or
 * a UV_E… code. */
int system_open(const char* path);

/* Reads the start of a small file, as those of /proc and /sys are, into
 * `buffer` and terminates it. Returns the length read or a UV_E… code; a file
 * that is longer than size - 1 is cut. */
ssize_t system_read_file(const char* path, char* buffer, size_t size);

/* The whole of such a file, however long; the caller frees *content with
 * mem_free(). Returns the length, the terminator not counted, or a UV_E…
 * code. */
ssize_t system_read_whole_file(const char* path, char** content);

/* The number of the first running interface that has a link-local address, for
 * such an address of a peer that names no interface; 0 if there is none. */
uint32_t system_link_scope(void);

/* How many processors this process may use, found out once: it is asked often. */
unsigned int system_processors(void);
/* Another clock than the machine's for the clock functions of uv.h; NULL: the machine's.
 */
struct system_time {
  uint64_t (*now_ns)(void);
  uint64_t (*wall_ns)(void);
  void (*sleep)(uint64_t ns);
};
void system_set_time(const struct system_time* time);

/* In a simulation nobody spins for another thread, as on a machine with one processor:
 * the clock by which a spin ends stands still. */
void system_pretend_one_processor(bool pretend);

/* A RONDO_… setting from the environment, NULL if there is none. A program with more
 * rights than its user (set-user-ID, file capabilities) has none: the one place where the
 * library reads its own settings. */
const char* system_setting(const char* name);

/* Whether RONDO_DEBUG is set and has this word in it; "" is in any (debug.c). */
bool debug_wants(const char* word);
/* One line, to standard error or where RONDO_DEBUG_OUTPUT says. */
void debug_report(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Registers handlers of the library's own, as pthread_atfork does. */
void system_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
/* Whether the program or a library other than this one may have fork handlers that a
 * child counts on, also one that is about to exec (fork_handlers.c). */
bool system_has_fork_handlers(void);

/* Gives back what this room holds for the whole process: the copy of the
 * program's arguments. For uv_library_shutdown() only. */
void system_shutdown(void);

#endif
