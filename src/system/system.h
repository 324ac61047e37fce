/* Access to the machine. The public functions of this room (threads and locks, clocks,
 * processors, memory, interfaces, users, environment, title, dynamic libraries) are
 * declared in uv.h and need no loop; they may be called from any thread, except where the
 * manual says otherwise.
 *
 * The misuse of a lock (unlocked twice, destroyed while held) is a bug in the program
 * that can't be returned as an error, so the functions that return void abort.
 *
 * The functions below are for the other rooms. */
#ifndef RONDO_SYSTEM_SYSTEM_H
#define RONDO_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* Fills `buffer` with random bytes for cryptographic use, always completely. May block on
 * a machine that has just booted. Returns 0 or a UV_E… code. */
int system_random(void* buffer, size_t length);

/* Opens a file for reading, close-on-exec; retries after EINTR. Returns the descriptor or
 * a UV_E… code. */
int system_open(const char* path);

/* The size of a page of memory: 4 KiB on x86-64, 4, 16 or 64 KiB on arm64. */
static inline size_t system_page_size(void) {
  return (size_t) sysconf(_SC_PAGESIZE);
}

/* Reads the start of a small file of /proc or /sys into `buffer` and terminates it.
 * Returns the length read or a UV_E… code; a file longer than size - 1 is cut. */
ssize_t system_read_file(const char* path, char* buffer, size_t size);

/* Reads such a file completely; the caller frees *content with mem_free(). Returns the
 * length without the terminator, or a UV_E… code. */
ssize_t system_read_whole_file(const char* path, char** content);

/* The index of the first running interface that has a link-local address, for a peer's
 * link-local address that names no interface; 0 if there is none. */
uint32_t system_link_scope(void);

/* How many processors this process may use; cached, because it is asked often. No file is
 * read for it, since it is asked on a loop's thread: a quota of the process's group
 * counts from the moment when some other thread has called system_processors_learn, which
 * reads files of /proc and /sys the first time. */
unsigned int system_processors(void);
void system_processors_learn(void);

/* A clock that replaces the machine's in the clock functions of uv.h; NULL: the
 * machine's. */
struct system_time {
  uint64_t (*now_ns)(void);
  uint64_t (*wall_ns)(void);
  void (*sleep)(uint64_t ns);
};
void system_set_time(const struct system_time* time);

/* In a simulation no thread spins for another, as on a machine with one processor: the
 * clock that would end a spin stands still. */
void system_pretend_one_processor(bool pretend);

/* A RONDO_… setting from the environment, NULL if it isn't set. In a program with more
 * rights than its user (set-user-ID, file capabilities) all settings are ignored. The
 * library reads its settings only here. */
const char* system_setting(const char* name);

/* Whether RONDO_DEBUG is set and contains this word; "" is contained in any value
 * (debug.c). */
bool debug_wants(const char* word);
/* Writes one line to standard error or to the file that RONDO_DEBUG_OUTPUT names. */
void debug_report(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Registers fork handlers of the library itself, as pthread_atfork does. */
void system_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
/* Whether the program or another library may have fork handlers that a child depends on,
 * even one that is about to exec (fork_handlers.c). */
bool system_has_fork_handlers(void);

/* Frees what this room holds for the whole process: the copy of the program's arguments.
 * For uv_library_shutdown() only. */
void system_shutdown(void);

#endif
