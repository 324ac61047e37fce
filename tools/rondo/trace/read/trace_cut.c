/* Cuts a trace to the events between two times; an event that reaches into that range is
 * kept as a whole. */
#include "trace_collections.h"
#include "trace_model.h"

#include <stdlib.h>

static size_t alive_free(struct trace_loop* loop) {
  for (size_t i = 0; i < loop->alive_count; i++)
    free(loop->alive[i].text);
  return 0;
}

static bool reaches(const struct event* event, uint64_t from, uint64_t to) {
  return event->start <= to && event->start + event->duration >= from;
}

/* Parents of kept events are kept, and come before them: `moved` has their new indexes.
 */
static void keep_events(struct trace_loop* loop, uint64_t from, uint64_t to,
                        int32_t* moved) {
  size_t kept = 0, sleeps = 0, kept_sleeps = 0;
  bool last_stays = false;
  for (size_t i = 0; i < loop->event_count; i++) {
    struct event event = loop->events[i];
    bool stays = reaches(&event, from, to);
    moved[i] = EVENT_NONE;
    if (event.kind == EVENT_SLEEP) {
      loop->waits[kept_sleeps] = loop->waits[sleeps++];
      kept_sleeps += stays;
      last_stays = stays;
    }
    if (!stays)
      continue;
    if (event.parent != EVENT_NONE)
      event.parent = moved[event.parent];
    moved[i] = (int32_t) kept;
    loop->events[kept++] = event;
  }
  loop->event_count = kept;
  loop->wait_count = kept_sleeps;
  if (!last_stays)
    loop->alive_count = alive_free(loop); /* the list belongs to the last sleep */
}

/* A cause of a kept event may have been cut. */
static void move_causes(struct trace_loop* loop, const int32_t* moved) {
  for (size_t i = 0; i < loop->cause_count; i++) {
    struct cause* cause = &loop->causes[i];
    if (cause->by != EVENT_NONE)
      cause->by = moved[cause->by];
  }
}

static void keep_arrivals(struct trace_loop* loop, uint64_t from, uint64_t to,
                          const int32_t* moved) {
  size_t kept = 0;
  for (size_t i = 0; i < loop->arrival_count; i++) {
    struct arrival arrival = loop->arrivals[i];
    if (arrival.read < from || arrival.read > to) {
      free(arrival.text);
      continue;
    }
    if (arrival.event != EVENT_NONE)
      arrival.event = moved[arrival.event];
    loop->arrivals[kept++] = arrival;
  }
  loop->arrival_count = kept;
}

static void set_extent(struct trace_loop* loop) {
  loop->begin_ns = loop->event_count > 0 ? loop->events[0].start : 0;
  loop->end_ns = loop->begin_ns;
  for (size_t i = 0; i < loop->event_count; i++) {
    uint64_t end = loop->events[i].start + loop->events[i].duration;
    loop->end_ns = end > loop->end_ns ? end : loop->end_ns;
  }
}

static uint64_t in_loop(const struct trace_loop* loop, uint64_t time) {
  return time > loop->offset_ns ? time - loop->offset_ns : 0;
}

bool trace_cut(struct trace* trace, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < trace->count; i++) {
    struct trace_loop* loop = &trace->loops[i];
    int32_t* moved = calloc(loop->event_count + 1, sizeof(*moved));
    if (moved == NULL)
      return false;
    bool early = loop->offset_ns <= to;
    uint64_t begin = in_loop(loop, from), end = in_loop(loop, to);
    if (early)
      keep_events(loop, begin, end, moved);
    else
      loop->event_count = loop->wait_count = loop->cause_count = 0;
    if (early)
      move_causes(loop, moved);
    collections_cut(loop, early ? begin : UINT64_MAX, end);
    keep_arrivals(loop, early ? begin : UINT64_MAX, end, moved);
    set_extent(loop);
    free(moved);
  }
  return true;
}
