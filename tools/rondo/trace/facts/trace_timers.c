/* How late timers were, and which event ran while the latest one was due. */
#include "trace_held.h"
#include "trace_write.h"

#include <inttypes.h>
#include <stdlib.h>

/* Indexes of the timers' callbacks. The loop timer by which the Node layer fires its own
 * timers is left out. */
static size_t collect(const struct trace_loop* loop, size_t* timers) {
  size_t count = 0;
  size_t last = SIZE_MAX; /* the last outermost one */
  bool taken = false;     /* and whether it is on the list, at `place` */
  size_t place = 0;
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (!event->timer)
      continue;
    bool inside = last != SIZE_MAX && event->parent == (int32_t) last;
    if (inside && taken) {
      timers[place] = i;
      taken = false;
      continue;
    }
    if (!inside) {
      last = i;
      taken = true;
      place = count;
    }
    timers[count++] = i;
  }
  return count;
}

static int by_size(const void* left, const void* right) {
  uint64_t a = *(const uint64_t*) left, b = *(const uint64_t*) right;
  return a < b ? -1 : a > b;
}

static void write_latest(FILE* out, const struct trace_loop* loop,
                         const struct event* late) {
  char text[TIME_SIZE];
  const struct event* turn = turn_of(loop, late);
  struct stretch before =
      stretch_between(loop, without(late->start, (uint64_t) late->detail), late->start,
                      (size_t) (late - loop->events));
  fprintf(out, "  %10s  ", time_text(text, (uint64_t) late->detail));
  if (turn != NULL)
    fprintf(out, "in turn %" PRId64 ", ", turn->detail);
  fprintf(out, "%s after the start: ", time_text(text, loop->offset_ns + late->start));
  write_who_named(out, loop, late);
  if (before.culprit != EVENT_NONE && before.took > (uint64_t) late->detail / 4) {
    fprintf(out, ", while %s were taken by ", time_text(text, before.took));
    write_taker(out, loop, &before);
  }
  putc('\n', out);
}

void write_lateness(FILE* out, const struct trace_loop* loop) {
  char half[TIME_SIZE], most[TIME_SIZE];
  size_t* timers = calloc(loop->event_count + 1, sizeof(*timers));
  uint64_t* late = calloc(loop->event_count + 1, sizeof(*late));
  size_t count = timers == NULL || late == NULL ? 0 : collect(loop, timers);
  const struct event* latest = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct event* event = &loop->events[timers[i]];
    late[i] = (uint64_t) event->detail;
    if (latest == NULL || event->detail > latest->detail)
      latest = event;
  }
  if (latest != NULL) {
    qsort(late, count, sizeof(*late), by_size);
    fprintf(
        out, "\n  timers: of %zu, half were late by %s at most, 99 %% by %s; latest\n",
        count, time_text(half, late[count / 2]), time_text(most, late[count * 99 / 100]));
    write_latest(out, loop, latest);
  }
  free(timers);
  free(late);
}
