/* Reports by the functions that change files, so that the files' times can be shown in
 * virtual time (sim/world_times.h). Each leaves errno as it is, and does nothing outside
 * of a world. `changed` is a set of times, as FILE_WRITTEN. */
#ifndef RONDO_SIM_PRELOAD_FILES_H
#define RONDO_SIM_PRELOAD_FILES_H

#include "preload.h"

#include <sys/types.h>

/* Of a descriptor; nothing unless it is of a file or folder. */
void preload_changed(int fd, unsigned int changed);
/* The result of a write, passed on. */
ssize_t preload_wrote(int fd, ssize_t result);
/* Of a path; `flags` may have AT_SYMLINK_NOFOLLOW. */
void preload_changed_at(int folder, const char* path, int flags, unsigned int changed);
/* The folder in which the path lies got or lost an entry. */
void preload_changed_around(int folder, const char* path);

/* Which times an open with these flags is going to change; then, after it. */
unsigned int preload_before_open(int folder, const char* path, int flags);
void preload_opened(int fd, unsigned int changed, int folder, const char* path);
/* A file was renamed. */
void preload_renamed(int from_folder, const char* from, int to_folder, const char* to);

#endif
