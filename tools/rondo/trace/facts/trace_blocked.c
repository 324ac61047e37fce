/* The thing that a blocked thread waits for, by the innermost frames of its stack: the C
 * library's function that made the system call, or whoever called that for a reason that
 * says more. */
#include "trace_samples.h"

#include <string.h>

/* A function's name, without the C library's prefixes and suffixes, begins with `name`.
 */
struct awaited {
  const char* name;
  const char* words;
};

/* Whose waits have a reason of their own, whatever they wait in. */
static const struct awaited callers[] = {
    {"node::SyncProcessRunner::", "for a child process"},
    {"js_spawn_sync", "for a child process"},
    {"v8::internal::FutexEmulation::", "in Atomics.wait"},
    {"uv_thread_join", "for another thread to end"},
};

/* The longer name first, where one begins with another. */
static const struct awaited calls[] = {
    {"futex", "for another thread"},
    {"pthread_cond", "for another thread"},
    {"pthread_mutex", "for a lock"},
    {"pthread_rwlock", "for a lock"},
    {"pthread_clockjoin", "for another thread to end"},
    {"lll_lock", "for a lock"},
    {"sem_", "for another thread"},
    {"clock_nanosleep", "in nanosleep"},
    {"nanosleep", "in nanosleep"},
    {"wait4", "for a child process"},
    {"waitpid", "for a child process"},
    {"waitid", "for a child process"},
    {"flock", "in flock, for a lock of a file"},
    {"openat", "in openat"},
    {"open", "in open"},
    {"preadv", "in preadv"},
    {"pread", "in pread"},
    {"readv", "in readv"},
    {"readlink", "in readlink"},
    {"read", "in read"},
    {"pwritev", "in pwritev"},
    {"pwrite", "in pwrite"},
    {"writev", "in writev"},
    {"write", "in write"},
    {"recvmsg", "in recvmsg"},
    {"recv", "in recv"},
    {"sendmsg", "in sendmsg"},
    {"send", "in send"},
    {"connect", "in connect"},
    {"accept", "in accept"},
    {"poll", "in poll"},
    {"ppoll", "in ppoll"},
    {"select", "in select"},
    {"epoll_", "in epoll_wait"},
    {"fdatasync", "in fdatasync"},
    {"fsync", "in fsync"},
    {"fcntl", "in fcntl"},
    {"getdents", "in getdents"},
    {"unlink", "in unlink"},
    {"munmap", "in munmap"},
    {"rename", "in rename"},
};

static bool begins_with(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static const char* words_of(const struct awaited* list, size_t count, const char* name) {
  for (size_t i = 0; i < count; i++) {
    if (begins_with(name, list[i].name))
      return list[i].words;
  }
  return NULL;
}

/* "open64" of "__libc_open64". */
static const char* plain_name(const char* name) {
  static const char* const prefixes[] = {"_", "GI_", "libc_"};
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
    while (begins_with(name, prefixes[i]))
      name += strlen(prefixes[i]);
  }
  return name + strspn(name, "_");
}

const char* hot_path_waits(const struct hot_path* path) {
  /* One that is blocked is sampled as often as is wanted; one that runs on a busy machine
   * has few samples, which may all be of a short wait. */
  enum { LOOKED_AT = 16, SAMPLES_LEAST = 5 };
  size_t least = path->length > LOOKED_AT ? path->length - LOOKED_AT : 0;
  if (path->length == 0 || path->agreeing < SAMPLES_LEAST ||
      path->agreeing * 3 < path->counted * 2)
    return NULL;
  for (size_t i = path->length; i > least; i--) {
    const char* words =
        words_of(callers, sizeof(callers) / sizeof(callers[0]), path->frames[i - 1]);
    if (words != NULL)
      return words;
  }
  return words_of(calls, sizeof(calls) / sizeof(calls[0]),
                  plain_name(path->frames[path->length - 1]));
}
