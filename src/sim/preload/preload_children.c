/* Children that a program starts without our library: the world knows of them from the
 * start, and doesn't take itself for idle while they are being loaded. A vfork is a fork
 * here, whose child can be held back until it is its turn. */
#include "preload.h"

#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

typedef pid_t (*fork_call)(void);
typedef int (*spawn_call)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                          const posix_spawnattr_t*, char* const*, char* const*);

pid_t fork(void) {
  static fork_call real;
  if (real == NULL)
    preload_find("fork", &real);
  pid_t pid = real();
  if (pid > 0 && preload_world != NULL)
    world_spawned(preload_world, pid);
  return pid;
}

pid_t vfork(void) {
  return fork();
}

static int spawn_with(spawn_call* real, const char* name, pid_t* pid, const char* file,
                      const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* arguments,
                      char* const* environment) {
  pid_t child = 0;
  if (*real == NULL)
    preload_find(name, real);
  int err = (*real)(&child, file, actions, attributes, arguments, environment);
  if (err == 0 && preload_world != NULL)
    world_spawned(preload_world, child);
  if (err == 0 && pid != NULL)
    *pid = child;
  return err;
}

int posix_spawn(pid_t* restrict pid, const char* restrict file,
                const posix_spawn_file_actions_t* restrict actions,
                const posix_spawnattr_t* restrict attributes,
                char* const arguments[restrict], char* const environment[restrict]) {
  static spawn_call real;
  return spawn_with(&real, "posix_spawn", pid, file, actions, attributes, arguments,
                    environment);
}

int posix_spawnp(pid_t* restrict pid, const char* restrict file,
                 const posix_spawn_file_actions_t* restrict actions,
                 const posix_spawnattr_t* restrict attributes,
                 char* const arguments[restrict], char* const environment[restrict]) {
  static spawn_call real;
  return spawn_with(&real, "posix_spawnp", pid, file, actions, attributes, arguments,
                    environment);
}
