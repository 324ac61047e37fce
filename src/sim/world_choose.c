/* Choice points: where more than one thing could come next.
 *
 * A systematic search (docs/orders.md) runs a program with a list of choices: at point 7
 * the third alternative. Everywhere else the first one is taken. Each point is reported,
 * with all its alternatives, so that the searcher knows what else could have come. One
 * thread of a world runs at a time, so the points have the same numbers in each run with
 * the same choices. */
#include "sim/world.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 8192 };

static unsigned int given_at(const struct world* world, uint32_t point) {
  uint32_t low = 0, high = world->taken_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (world->taken[middle].point < point)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_given = low < world->taken_count && world->taken[low].point == point;
  return is_given ? world->taken[low].alternative : 0;
}

static void choice_report(const struct world* world, const char* line, size_t length) {
  char path[WORLD_FOLDER + 16];
  if (world->folder[0] == '\0')
    return;
  snprintf(path, sizeof(path), "%s/choices", world->folder);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, line, length) < 0)
    world_say(world, "a choice can't be noted");
  if (fd >= 0)
    close(fd);
}

/* Words are the program's: they must not end a field. */
static size_t words_put(char* line, size_t used, const char* words) {
  const size_t most = 300;
  for (size_t i = 0; i < most && words[i] != '\0' && used + 2 < LINE_SIZE; i++)
    line[used++] = words[i] == '\t' || words[i] == '\n' ? ' ' : words[i];
  return used;
}

unsigned int world_choose(struct world* world, const char* kind, const char* place,
                          const char* const* words, unsigned int count) {
  char line[LINE_SIZE];
  uint32_t point = __atomic_fetch_add(&world->points, 1, __ATOMIC_RELAXED);
  unsigned int chosen = given_at(world, point);
  if (chosen >= count) {
    chosen = 0;
    __atomic_store_n(&world->is_off_path, 1, __ATOMIC_RELAXED);
  }
  int head = snprintf(line, 200, "%" PRIu32 "\t%u\t%" PRIu64 "\t%.20s\t%.60s", point,
                      chosen, world_now(world) - world->start, kind, place);
  size_t used = head < 0 ? 0 : (size_t) head;
  for (unsigned int i = 0; i < count && used + 2 < LINE_SIZE; i++) {
    line[used++] = '\t';
    used = words_put(line, used, words[i]);
  }
  line[used++] = '\n';
  choice_report(world, line, used);
  return chosen;
}

void world_cut(struct world* world) {
  __atomic_store_n(&world->is_cut, 1, __ATOMIC_RELAXED);
}
