/* A part of a trace: what lies between two moments, or reaches into it, as a whole. */
#include "trace_model.h"

#include <stdlib.h>

static bool reaches(const struct event* event, uint64_t from, uint64_t to) {
  return event->start <= to && event->start + event->duration >= from;
}

/* The uv_run that was under way at `from`, or EVENT_NONE. It has to be known that one
 * was. */
static int32_t run_before(const struct trace_loop* loop, uint64_t from) {
  int32_t run = EVENT_NONE;
  for (size_t i = 0; i < loop->event_count && loop->events[i].start < from; i++) {
    const struct event* event = &loop->events[i];
    if (event->kind == EVENT_OUTSIDE && event->parent == EVENT_NONE)
      run = event->detail != 0 ? (int32_t) i : EVENT_NONE;
  }
  return run;
}

/* Parents of what stays stay, and lie before it: `moved` knows where they are now. */
static void keep_events(struct trace_loop* loop, uint64_t from, uint64_t to,
                        int32_t* moved) {
  int32_t run = run_before(loop, from);
  size_t kept = 0, sleeps = 0, kept_sleeps = 0;
  bool last_stays = false;
  for (size_t i = 0; i < loop->event_count; i++) {
    struct event event = loop->events[i];
    bool stays = (int32_t) i == run || reaches(&event, from, to);
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
  loop->event_count = kept == 1 && run != EVENT_NONE ? 0 : kept;
  loop->wait_count = kept_sleeps;
  if (!last_stays)
    loop->alive_count = 0; /* it is about the last sleep */
}

static void set_extent(struct trace_loop* loop, bool run_is_first) {
  size_t first = run_is_first ? 1 : 0;
  loop->begin_ns = loop->event_count > first ? loop->events[first].start : 0;
  if (run_is_first && loop->event_count > 0)
    loop->events[0].start = loop->begin_ns;
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
    uint64_t begin = in_loop(loop, from);
    bool run_is_first = early && run_before(loop, begin) != EVENT_NONE;
    if (early)
      keep_events(loop, begin, in_loop(loop, to), moved);
    else
      loop->event_count = loop->wait_count = 0;
    set_extent(loop, run_is_first);
    free(moved);
  }
  return true;
}
