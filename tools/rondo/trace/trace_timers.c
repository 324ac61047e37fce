/* How late timers were, and which event ran while the latest one was due. */
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

/* How much of the time from `due` to `called` an event took. */
static uint64_t overlap(const struct event* event, uint64_t due, uint64_t called) {
  uint64_t start = event->start > due ? event->start : due;
  uint64_t end = event->start + event->duration;
  end = end < called ? end : called;
  return end > start ? end - start : 0;
}

/* The event that ran longest while the timer was due; of a callback and one inside it,
 * the inner one if it took most of the time. */
static const struct event* reason(const struct trace_loop* loop, const struct event* late,
                                  uint64_t* took) {
  const struct event* found = NULL;
  uint64_t due =
      late->start > (uint64_t) late->detail ? late->start - (uint64_t) late->detail : 0;
  *took = 0;
  for (const struct event* event = loop->events; event < late; event++) {
    uint64_t share = is_work(event) ? overlap(event, due, late->start) : 0;
    bool inside = found != NULL && event->start < found->start + found->duration;
    if (share > *took || (inside && share > *took / 2)) {
      found = event;
      *took = share;
    }
  }
  return found;
}

static void write_latest(FILE* out, const struct trace_loop* loop,
                         const struct event* late) {
  char text[TIME_SIZE];
  uint64_t took;
  const struct event* turn = turn_of(loop, late);
  const struct event* blamed = reason(loop, late, &took);
  fprintf(out, "  %10s  ", time_text(text, (uint64_t) late->detail));
  if (turn != NULL)
    fprintf(out, "in turn %" PRId64 ", ", turn->detail);
  fprintf(out, "%s after the start: ", time_text(text, loop->offset_ns + late->start));
  write_who_named(out, loop, late);
  if (blamed != NULL && took > (uint64_t) late->detail / 2) {
    fprintf(out, ", while %s were taken by ", time_text(text, took));
    write_who(out, loop, blamed);
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
