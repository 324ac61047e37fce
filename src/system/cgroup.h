/* The limits that control groups, version 1 or 2, put on this process.
 *
 * A limit may be set on the process's own group or on any group above it, so all of them
 * are read and the lowest counts. Inside a container the path that the kernel names may
 * not exist, because the container's own group is mounted as the root: then only the
 * visible groups count.
 *
 * `root` stands in front of /proc and /sys: "" on a real machine. */
#ifndef RONDO_SYSTEM_CGROUP_H
#define RONDO_SYSTEM_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#define GROUP_UNLIMITED UINT64_MAX

struct group_memory {
  bool found;     /* a group states its limit, which may be "none" */
  uint64_t limit; /* bytes, or GROUP_UNLIMITED */
  uint64_t left;  /* bytes until a limit is reached, or GROUP_UNLIMITED */
};

void group_memory_read(const char* root, struct group_memory* memory);

/* How many processors' worth of time the process may use; 0 for no limit. */
double group_processors(const char* root);

/* For how many microseconds so far that limit has stopped the process, or others of its
 * group. */
uint64_t group_throttled_us(const char* root);

#endif
