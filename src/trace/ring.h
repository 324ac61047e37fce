/* Where rings are: one file for each recorded process, PID.ring, in a folder that only
 * its user can open. The recorder makes them (store_ring.c); the command finds them.
 *
 * Whoever may write to /dev/shm or /tmp can make a folder of the usual name before its
 * user does. Such a folder isn't used; a spare one, whose name has a random part, is made
 * beside it and found by its owner. */
#ifndef RONDO_TRACE_RING_H
#define RONDO_TRACE_RING_H

#include "base/own_fd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  RING_FOLDERS_USUAL = 4,
  RING_FOLDERS = 12, /* with spare ones */
  RING_PATH_SIZE = 4096
};

/* True for a folder that belongs to this user and that nobody else may open. */
static inline bool ring_folder_is_safe(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

static const char* const ring_spare_parents[] = {"/dev/shm", "/tmp"};
enum { RING_SPARE_PARENTS = 2 };

/* The spare folder with that number, from 0; false if there are no more. */
static inline bool ring_folder_spare(char* path, int number) {
  char prefix[32];
  int length = snprintf(prefix, sizeof(prefix), "rondo-%u-", (unsigned int) geteuid());
  for (int i = 0; i < RING_SPARE_PARENTS; i++) {
    DIR* list = own_fd_list_folder(ring_spare_parents[i]);
    const struct dirent* entry;
    bool found = false;
    while (!found && list != NULL && (entry = readdir(list)) != NULL) {
      if (strncmp(entry->d_name, prefix, (size_t) length) != 0)
        continue;
      snprintf(path, RING_PATH_SIZE, "%s/%s", ring_spare_parents[i], entry->d_name);
      found = ring_folder_is_safe(path) && number-- == 0;
    }
    if (list != NULL)
      closedir(list);
    if (found)
      return true;
  }
  return false;
}

/* Makes a spare folder; false if that isn't possible anywhere. */
static inline bool ring_folder_make_spare(char* path) {
  for (int i = 0; i < RING_SPARE_PARENTS; i++) {
    snprintf(path, RING_PATH_SIZE, "%s/rondo-%u-XXXXXX", ring_spare_parents[i],
             (unsigned int) geteuid());
    if (mkdtemp(path) != NULL)
      return true;
  }
  return false;
}

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
    return ring_folder_spare(path, turn - RING_FOLDERS_USUAL);
  }
}

/* When a process began, in the kernel's ticks since boot; 0 if there is no such process.
 */
static inline uint64_t ring_process_start(int pid) {
  char path[48], text[1024];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  FILE* file = own_fd_read_file(path);
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
