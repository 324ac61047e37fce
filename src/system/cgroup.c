/* The limits that control groups put on this process: see cgroup.h. */
#include "system/cgroup.h"

#include "base/base.h"
#include "system/system.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Version 1 has no word for "no limit": the limit is then this number or a little less,
 * rounded down to a page. */
#define V1_UNLIMITED ((uint64_t) INT64_MAX - 65535)

/* A group on its way up to the root of its hierarchy. */
struct group_walk {
  char path[PATH_MAX]; /* has no slash at its end */
  size_t top;          /* the length of the hierarchy's mount point in it */
  bool v2;
};

static bool list_has(const char* list, size_t length, const char* name) {
  size_t name_length = strlen(name);
  const char* end = list + length;
  while (list < end) {
    const char* comma = memchr(list, ',', (size_t) (end - list));
    const char* stop = comma != NULL ? comma : end;
    if ((size_t) (stop - list) == name_length && memcmp(list, name, name_length) == 0)
      return true;
    list = stop + 1;
  }
  return false;
}

/* A line is "number:controllers:path". Version 2 has number 0 and names no controllers; a
 * controller that another line names is in version 1. */
static bool find_line(const char* text, const char* controller, bool* v2,
                      const char** controllers, int* controllers_length,
                      const char** path) {
  bool found = false;
  for (const char* line = text; line != NULL && *line != '\0';) {
    const char* names = strchr(line, ':');
    const char* where = names != NULL ? strchr(names + 1, ':') : NULL;
    if (where != NULL) {
      names++;
      size_t length = (size_t) (where - names);
      bool unified = length == 0 && strncmp(line, "0:", 2) == 0;
      if (unified || list_has(names, length, controller)) {
        *v2 = unified;
        *controllers = names;
        *controllers_length = (int) length;
        *path = where + 1;
        found = true;
        if (!unified)
          return true;
      }
    }
    line = strchr(line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
  return found;
}

static bool mount_exists(const char* path) {
  int fd = system_open(path);
  if (fd < 0)
    return false;
  close(fd);
  return true;
}

/* The group that this process is in, for a controller. */
static bool group_of_process(const char* root, const char* controller,
                             struct group_walk* group) {
  char name[PATH_MAX];
  char text[4096];
  const char* controllers;
  const char* path;
  int controllers_length;

  snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
  if (system_read_file(name, text, sizeof(text)) <= 0 ||
      !find_line(text, controller, &group->v2, &controllers, &controllers_length, &path))
    return false;

  /* Controllers that are mounted together share a directory with all their
   * names in it, usually with a link for each. */
  int top = snprintf(group->path, sizeof(group->path), "%s/sys/fs/cgroup%s%.*s", root,
                     group->v2 ? "" : "/", controllers_length, controllers);
  if (!group->v2 && !mount_exists(group->path)) {
    top = snprintf(group->path, sizeof(group->path), "%s/sys/fs/cgroup/%s", root,
                   controller);
  }
  size_t path_length = strcspn(path, "\n");
  if (top < 0 || (size_t) top + path_length >= sizeof(group->path))
    return false;
  group->top = (size_t) top;
  char* end = group->path + group->top + path_length;
  memcpy(end - path_length, path, path_length);
  if (end[-1] == '/')
    end--;
  *end = '\0';
  return true;
}

/* To the group above; false at the root. */
static bool group_up(struct group_walk* group) {
  char* slash = strrchr(group->path, '/');
  if (slash == NULL || (size_t) (slash - group->path) < group->top)
    return false;
  *slash = '\0';
  return true;
}

static bool read_text(const struct group_walk* group, const char* file, char* text,
                      size_t size) {
  char name[PATH_MAX + 64];
  snprintf(name, sizeof(name), "%s/%s", group->path, file);
  return system_read_file(name, text, size) > 0;
}

/* A number of bytes, or "max". */
static bool cgroup_read_bytes(const struct group_walk* group, const char* file,
                              uint64_t* bytes) {
  char text[64];
  if (!read_text(group, file, text, sizeof(text)))
    return false;
  if (strncmp(text, "max", 3) == 0) {
    *bytes = GROUP_UNLIMITED;
    return true;
  }
  char* end;
  errno = 0;
  *bytes = strtoull(text, &end, 10);
  if (end == text || errno != 0)
    return false;
  if (!group->v2 && *bytes >= V1_UNLIMITED)
    *bytes = GROUP_UNLIMITED;
  return true;
}

/* The number behind `key` in a file of lines "key number"; 0 if it isn't there. */
static uint64_t read_stat(const struct group_walk* group, const char* file,
                          const char* key) {
  char text[8192];
  if (!read_text(group, file, text, sizeof(text)))
    return 0;
  size_t key_length = strlen(key);
  for (const char* line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, key_length) == 0)
      return strtoull(line + key_length, NULL, 10);
  }
  return 0;
}

/* Of the memory that a group uses, file pages that haven't been touched for a while are
 * dropped before an allocation fails: they count as free. */
static uint64_t group_reclaimable(const struct group_walk* group) {
  return read_stat(group, "memory.stat",
                   group->v2 ? "inactive_file " : "total_inactive_file ");
}

void group_memory_read(const char* root, struct group_memory* memory) {
  struct group_walk group;

  *memory = (struct group_memory){.limit = GROUP_UNLIMITED, .left = GROUP_UNLIMITED};
  if (!group_of_process(root, "memory", &group))
    return;
  do {
    uint64_t hard;
    uint64_t soft;
    uint64_t used;
    if (!cgroup_read_bytes(&group, group.v2 ? "memory.max" : "memory.limit_in_bytes",
                           &hard))
      continue;
    memory->found = true;
    if (!cgroup_read_bytes(
            &group, group.v2 ? "memory.high" : "memory.soft_limit_in_bytes", &soft))
      soft = GROUP_UNLIMITED;
    uint64_t limit = u64_min(hard, soft);
    memory->limit = u64_min(memory->limit, limit);
    if (limit == GROUP_UNLIMITED ||
        !cgroup_read_bytes(&group, group.v2 ? "memory.current" : "memory.usage_in_bytes",
                           &used))
      continue;
    used -= u64_min(used, group_reclaimable(&group));
    memory->left = u64_min(memory->left, limit - u64_min(limit, used));
  } while (group_up(&group));
}

/* The quota and its period, in microseconds; false without one. */
static bool read_quota(const struct group_walk* group, double* quota, double* period) {
  char text[64];
  char* end;

  if (group->v2) {
    if (!read_text(group, "cpu.max", text, sizeof(text)))
      return false;
    *quota = (double) strtoll(text, &end, 10); /* "max" is no number */
    *period = end == text ? 0 : (double) strtoll(end, NULL, 10);
  } else {
    if (!read_text(group, "cpu.cfs_quota_us", text, sizeof(text)))
      return false;
    *quota = (double) strtoll(text, NULL, 10); /* -1 for none */
    if (!read_text(group, "cpu.cfs_period_us", text, sizeof(text)))
      return false;
    *period = (double) strtoll(text, NULL, 10);
  }
  return *quota > 0 && *period > 0;
}

double group_processors(const char* root) {
  struct group_walk group;
  double fewest = 0;

  if (!group_of_process(root, "cpu", &group))
    return 0;
  do {
    double quota;
    double period;
    if (read_quota(&group, &quota, &period) && (fewest == 0 || quota / period < fewest))
      fewest = quota / period;
  } while (group_up(&group));
  return fewest;
}

uint64_t group_throttled_us(const char* root) {
  struct group_walk group;
  uint64_t most = 0;

  if (!group_of_process(root, "cpu", &group))
    return 0;
  do {
    uint64_t throttled = group.v2
                             ? read_stat(&group, "cpu.stat", "throttled_usec ")
                             : read_stat(&group, "cpu.stat", "throttled_time ") / 1000;
    most = throttled > most ? throttled : most;
  } while (group_up(&group));
  return most;
}
