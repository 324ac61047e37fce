/* The taker of most of a stretch: one callback, many calls of one function, the program
 * outside of uv_run, or nobody.
 *
 * Node calls all its timers, and all its immediates, from one callback of the loop. Where
 * no single span took most of such a callback, its time is divided among the functions
 * that it called, so that the program's own function is named and not Node's. */
#include "trace_held.h"

#include <stdlib.h>

/* The time of the calls of one name in a stretch. */
struct taken {
  uint64_t time, calls, longest;
  int32_t event;   /* the longest call, */
  int32_t outer;   /* and the loop's callback around it, or the call itself */
  bool of_program; /* a function of the program's, not of Node's */
};

/* One place for each name of the loop, and for each kind of event without one. */
struct takers {
  const struct trace_loop* loop;
  struct stretch* stretch;
  struct taken* list;
  size_t count;
  uint64_t work; /* time of all callbacks */
};

static uint64_t part_of(const struct stretch* stretch, const struct event* event) {
  uint64_t start = event->start > stretch->start ? event->start : stretch->start;
  uint64_t end = end_of_event(event) < stretch->end ? end_of_event(event) : stretch->end;
  return without(end, start);
}

/* Time inside another callback counts as that callback's; the turns of a nested run are
 * counted themselves. */
static bool is_counted(const struct trace_loop* loop, const struct event* event) {
  const struct event* parent = parent_of(loop, event);
  return is_work(event) && (parent == NULL || !is_work(parent));
}

/* The innermost span that took most of the event, such as its microtasks. */
static int32_t inside_of(const struct trace_loop* loop, const struct stretch* stretch,
                         int32_t culprit) {
  int32_t found = culprit;
  for (size_t i = (size_t) culprit + 1; i < stretch->last; i++) {
    const struct event* event = &loop->events[i];
    if (event->start >= end_of_event(&loop->events[culprit]))
      break;
    if (is_work(event) && event->parent == found &&
        event->duration > loop->events[culprit].duration / 2)
      found = (int32_t) i;
  }
  return found == culprit ? EVENT_NONE : found;
}

/* --- counting ---------------------------------------------------------------------- */

static struct taken* taken_of(struct takers* takers, const struct event* event) {
  size_t place = event->name != EVENT_NONE
                     ? (size_t) event->name
                     : takers->loop->name_count + (size_t) event->kind;
  return &takers->list[place];
}

static void taken_add(struct taken* taken, uint64_t part, uint64_t calls, int32_t event,
                      int32_t outer) {
  taken->time += part;
  taken->calls += calls;
  if (taken->calls == calls || part / calls > taken->longest) {
    taken->longest = part / calls;
    taken->event = event;
    taken->outer = outer;
  }
}

/* Whether the program's own functions were called in several spans inside. */
static bool has_functions_inside(const struct takers* takers, size_t index) {
  const struct trace_loop* loop = takers->loop;
  uint64_t end = end_of_event(&loop->events[index]);
  for (size_t i = index + 1; i < takers->stretch->last && loop->events[i].start < end;
       i++) {
    if (event_is_of_program(loop, &loop->events[i]))
      return true;
  }
  return false;
}

/* Divides a callback's time: each span inside has its own, without those inside it. */
static void divide(struct takers* takers, size_t index) {
  const struct trace_loop* loop = takers->loop;
  struct stretch* stretch = takers->stretch;
  uint64_t end = end_of_event(&loop->events[index]);
  for (size_t i = index + 1; i < stretch->last && loop->events[i].start < end; i++) {
    const struct event* event = &loop->events[i];
    const struct event* parent = parent_of(loop, event);
    if (!is_work(event) || parent == NULL || !is_work(parent))
      continue;
    uint64_t part = part_of(stretch, event);
    struct taken *taken = taken_of(takers, event), *around = taken_of(takers, parent);
    taken->of_program = event_is_of_program(loop, event);
    around->time = without(around->time, part);
    taken_add(taken, part, event_calls(event), (int32_t) i, (int32_t) index);
    stretch->callbacks += taken->of_program ? event_calls(event) : 0;
  }
}

/* A callback is counted under the script's function or request that took most of it,
 * since a server has one callback for all its requests; otherwise under its own name. */
static void count_callback(struct takers* takers, size_t index) {
  const struct trace_loop* loop = takers->loop;
  struct stretch* stretch = takers->stretch;
  const struct event* event = &loop->events[index];
  uint64_t part = part_of(stretch, event);
  int32_t inside = inside_of(loop, stretch, (int32_t) index);
  const struct event* named = event;
  if (inside != EVENT_NONE && event_is_of_script(loop, &loop->events[inside]) &&
      !name_is_of_node(event_name(loop, &loop->events[inside])))
    named = &loop->events[inside];
  struct taken* taken = taken_of(takers, named);
  taken->of_program |= event_is_of_program(loop, named);
  taken_add(taken, part, event_calls(event), (int32_t) index, (int32_t) index);
  takers->work += part;
  stretch->callbacks += event_calls(event);
  if (named == event && !taken->of_program && has_functions_inside(takers, index))
    divide(takers, index);
}

/* --- the one ------------------------------------------------------------------------ */

/* Whoever took most; but a function of the program's before Node's own, which calls many
 * of them, unless that function took next to nothing. */
static const struct taken* taken_most(const struct takers* takers) {
  const struct taken *most = NULL, *function = NULL;
  for (size_t i = 0; i < takers->count; i++) {
    const struct taken* taken = &takers->list[i];
    if (taken->calls == 0)
      continue;
    if (most == NULL || taken->time > most->time)
      most = taken;
    if (taken->of_program && (function == NULL || taken->time > function->time))
      function = taken;
  }
  return function != NULL && function->time >= takers->work / 8 ? function : most;
}

static void culprit_set(const struct takers* takers, const struct taken* most) {
  const struct trace_loop* loop = takers->loop;
  struct stretch* stretch = takers->stretch;
  if (most == NULL)
    return;
  stretch->culprit = most->outer;
  stretch->took = most->time;
  stretch->calls = most->longest > most->time / 2 ? 1 : most->calls;
  if (stretch->calls == 1 && most->event == most->outer)
    stretch->took = most->longest;
  if (stretch->taker == TAKER_CALLBACK && stretch->took < takers->work / 2)
    stretch->taker = TAKER_MANY;
  if (most->event != most->outer) {
    stretch->inside = most->event;
    return;
  }
  int32_t inside = inside_of(loop, stretch, stretch->culprit);
  if (inside != EVENT_NONE &&
      (stretch->calls == 1 || event_is_of_script(loop, &loop->events[inside])))
    stretch->inside = inside;
  if (stretch->calls == 1 && taker_is_inside(loop, stretch))
    stretch->took = part_of(stretch, &loop->events[stretch->inside]);
}

bool taker_is_inside(const struct trace_loop* loop, const struct stretch* stretch) {
  const struct event* inside =
      stretch->inside == EVENT_NONE ? NULL : &loop->events[stretch->inside];
  return inside != NULL && !name_is_of_node(event_name(loop, inside)) &&
         (event_is_of_script(loop, inside) || event_is_of_program(loop, inside));
}

bool taker_path_find(struct hot_path* path, const struct trace_loop* loop,
                     const struct stretch* stretch) {
  uint64_t from = stretch->start, to = stretch->end;
  if (stretch->taker <= TAKER_MANY && stretch->calls == 1 &&
      taker_is_inside(loop, stretch)) {
    const struct event* inside = &loop->events[stretch->inside];
    from = inside->start > from ? inside->start : from;
    to = end_of_event(inside) < to ? end_of_event(inside) : to;
  }
  return hot_path_find(path, loop, from, to);
}

void find_taker(const struct trace_loop* loop, struct stretch* stretch) {
  struct takers takers = {
      .loop = loop, .stretch = stretch, .count = loop->name_count + EVENT_KINDS};
  uint64_t outside = 0;
  takers.list = calloc(takers.count, sizeof(*takers.list));
  if (takers.list == NULL)
    out_of_memory();
  stretch->culprit = stretch->inside = EVENT_NONE;
  for (size_t i = stretch->first; i < stretch->last; i++) {
    const struct event* event = &loop->events[i];
    uint64_t part = part_of(stretch, event);
    if (event->kind == EVENT_OUTSIDE)
      outside += part;
    if (!is_counted(loop, event))
      continue;
    count_callback(&takers, i);
    if (turn_of(loop, event) == NULL)
      outside = without(outside, part);
  }
  outside = without(outside, stretch->idle);
  uint64_t nobody = without(stretch_length(stretch), takers.work + outside);
  stretch->taker = outside > 0 && outside >= takers.work && outside >= nobody
                       ? TAKER_OUTSIDE
                   : nobody > takers.work ? TAKER_NOBODY
                                          : TAKER_CALLBACK;
  culprit_set(&takers, taken_most(&takers));
  free(takers.list);
}
