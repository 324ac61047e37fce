/* Things of the machine that a world uses and another world, beside it, would use too: a
 * port of a number that the program chose, files by name, a process outside. `rondo sim`
 * reads the list when the run is over, and decides by it how many runs go on at a time.
 */
#include "sim/world.h"

#include "base/table.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of several names the first is kept. */
static void note_name(struct world* world, char* kept, const char* name) {
  world_lock(world);
  if (kept[0] == '\0')
    snprintf(kept, WORLD_LINK_NAME, "%s", name);
  world_unlock(world);
}

void world_note_fixed(struct world* world, const char* name) {
  note_name(world, world->fixed_name, name);
}

void world_note_outside(struct world* world, const char* name) {
  note_name(world, world->outside_name, name);
}

/* Files that are no files: what one run writes there another doesn't read. */
static bool is_special(const struct world* world, const char* path) {
  static const char* const places[] = {"/dev/", "/proc/", "/sys/"};
  size_t length = strlen(world->folder);
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    if (strncmp(path, places[i], strlen(places[i])) == 0)
      return true;
  }
  return strncmp(path, world->folder, length) == 0 && path[length] == '/';
}

/* True if the path is new and the table has room; with the lock held. */
static bool written_add(struct world* world, const char* path) {
  uint64_t hash = 1;
  for (const char* at = path; *at != '\0'; at++)
    hash = hash_number(hash + (unsigned char) *at);
  for (uint32_t i = 0; i < world->written_count; i++) {
    if (world->written[i] == hash)
      return false;
  }
  if (world->written_count == WORLD_WRITTEN)
    return false;
  world->written[world->written_count++] = hash;
  return true;
}

/* Appends a line to a file of the run's folder. */
static void line_add(const struct world* world, const char* name, const char* line,
                     size_t length) {
  char file[WORLD_FOLDER + 16];
  snprintf(file, sizeof(file), "%s/%s", world->folder, name);
  int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  if (write(fd, line, length) < 0)
    world_say(world, "what is %s can't be noted", name);
  close(fd);
}

void world_note_written(struct world* world, const char* path) {
  char line[4096 + 2];
  size_t length = strlen(path);
  if (world->folder[0] == '\0' || path[0] != '/' || length > sizeof(line) - 2 ||
      strchr(path, '\n') != NULL || is_special(world, path))
    return;
  world_lock(world);
  bool is_new = written_add(world, path);
  world_unlock(world);
  if (!is_new)
    return;
  snprintf(line, sizeof(line), "%s\n", path);
  line_add(world, "written", line, length + 1);
}

void world_note_made(struct world* world, const char* path) {
  char line[4096 + 64];
  struct stat status;
  if (world->folder[0] == '\0' || (world->flags & WORLD_SHOWN) || path[0] != '/' ||
      strlen(path) > 4096 || strchr(path, '\n') != NULL || lstat(path, &status) != 0)
    return;
  int length =
      snprintf(line, sizeof(line), "%llu %llu %s\n", (unsigned long long) status.st_dev,
               (unsigned long long) status.st_ino, path);
  if (length > 0)
    line_add(world, "made", line, (size_t) length);
}
