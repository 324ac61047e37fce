/* Which lines of output never change places: pairs of lines that all outcomes have, in
 * the same order in each. */
#include "orders.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 400 };

static const size_t NOWHERE = (size_t) -1;

static size_t lines_count(const struct sim_run* run) {
  size_t count = 0;
  for (size_t i = 0; i < run->output_size; i++)
    count += run->output[i] == '\n' || i + 1 == run->output_size;
  return count;
}

static bool line_is(const struct always_line* one, const char* text, size_t length) {
  return one->length == length && memcmp(one->text, text, length) == 0;
}

/* The lines of a run; room for lines_count of them. */
static void lines_read(const struct sim_run* run, struct always_line* lines) {
  const char* end = run->output + run->output_size;
  size_t count = 0;
  for (const char* at = run->output; at < end;) {
    const char* stop = memchr(at, '\n', (size_t) (end - at));
    size_t length = (size_t) ((stop == NULL ? end : stop) - at);
    unsigned int nth = 1;
    for (size_t i = 0; i < count; i++)
      nth += line_is(&lines[i], at, length);
    lines[count++] = (struct always_line){.text = at, .length = length, .nth = nth};
    at += length + (stop != NULL);
  }
}

static size_t line_find(const struct always_line* lines, size_t count,
                        const struct always_line* line) {
  for (size_t i = 0; i < count; i++) {
    if (lines[i].nth == line->nth && line_is(&lines[i], line->text, line->length))
      return i;
  }
  return NOWHERE;
}

/* Keeps the lines, and the pairs in order, that this outcome has as well. */
static bool always_narrow(struct always* always, const struct sim_run* run) {
  size_t others = lines_count(run);
  size_t* place = malloc((always->count + 1) * sizeof(*place));
  struct always_line* lines = malloc((others + 1) * sizeof(*lines));
  bool works = place != NULL && lines != NULL && others <= LINES_MOST;
  if (works)
    lines_read(run, lines);
  for (size_t i = 0; works && i < always->count; i++)
    place[i] = line_find(lines, others, &always->lines[i]);
  for (size_t i = 0; works && i < always->count; i++) {
    for (size_t k = 0; k < always->count; k++)
      always->before[i * always->count + k] &=
          place[i] != NOWHERE && place[k] != NOWHERE && place[i] < place[k];
  }
  free(place);
  free(lines);
  return works;
}

void always_find(struct always* always, const struct outcomes* outcomes) {
  const struct sim_run* first = &outcomes->list[0].finding.run;
  *always = (struct always){.count = lines_count(first)};
  if (always->count > LINES_MOST) {
    *always = (struct always){.too_many = true};
    return;
  }
  always->lines = malloc((always->count + 1) * sizeof(*always->lines));
  always->before = malloc(always->count * always->count + 1);
  bool works = always->lines != NULL && always->before != NULL;
  if (works)
    lines_read(first, always->lines);
  for (size_t i = 0; works && i < always->count; i++) {
    for (size_t k = 0; k < always->count; k++)
      always->before[i * always->count + k] = i < k;
  }
  for (size_t i = 1; works && i < outcomes->count; i++)
    works = always_narrow(always, &outcomes->list[i].finding.run);
  if (works)
    return;
  always_free(always);
  *always = (struct always){.too_many = true};
}

bool always_is_next(const struct always* always, size_t i, size_t k) {
  size_t count = always->count;
  if (!always->before[i * count + k])
    return false;
  for (size_t between = 0; between < count; between++) {
    if (always->before[i * count + between] && always->before[between * count + k])
      return false;
  }
  return true;
}

void always_free(struct always* always) {
  free(always->lines);
  free(always->before);
}
