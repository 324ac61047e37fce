/* Where rings are: one file for each recorded process, PID.ring, in a folder that only
 * its user can open. The recorder makes them (store_ring.c); the command finds them. */
#ifndef RONDO_TRACE_RING_H
#define RONDO_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RING_FOLDERS = 4, RING_PATH_SIZE = 4096 };

/* The folder to try as number `turn`; false if there are no more. Folders in memory come
 * first: a ring on a disk would be written to the disk every few seconds. The second
 * folder is where the first would be for a program started without its user's
 * environment. */
static inline bool ring_folder(char* path, int turn, const char* runtime) {
  unsigned int user = (unsigned int) geteuid();
  switch (turn) {
  case 0:
    return runtime != NULL && *runtime == '/' &&
           snprintf(path, RING_PATH_SIZE, "%s/rondo", runtime) < RING_PATH_SIZE - 64;
  case 1:
    return snprintf(path, RING_PATH_SIZE, "/run/user/%u/rondo", user) > 0;
  case 2:
    return snprintf(path, RING_PATH_SIZE, "/dev/shm/rondo-%u", user) > 0;
  case 3:
    return snprintf(path, RING_PATH_SIZE, "/tmp/rondo-%u", user) > 0;
  default:
    return false;
  }
}

/* True for a folder that belongs to this user and that nobody else may open. */
static inline bool ring_folder_is_safe(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

/* When a process began, in the kernel's ticks since boot; 0 if there is no such process.
 */
static inline uint64_t ring_process_start(int pid) {
  char path[48], text[1024];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  FILE* file = fopen(path, "re");
  if (file == NULL)
    return 0;
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  /* After the program's name, which may contain anything. */
  const char* at = strrchr(text, ')');
  if (at == NULL || at[1] == '\0' || at[2] == 'Z' || at[2] == 'X')
    return 0;
  for (int field = 2; at != NULL && field < 22; field++)
    at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

static inline uint64_t ring_pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t) status.st_ino : 0;
}

#endif
