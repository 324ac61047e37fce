/* A long recording has more events than a browser can hold. Short events are thinned out:
 * all events of some length or more are kept, wherever they are, and so are those that
 * the facts name. */
#include "trace_thin.h"

#include <stdlib.h>

static unsigned int size_of(uint64_t duration) {
  unsigned int bits = 0;
  for (; duration > 0; duration >>= 1)
    bits++;
  return bits;
}

static void keep(struct thinned* thinned, int32_t event) {
  if (event != EVENT_NONE)
    thinned->kept[event] = true;
}

static void keep_facts(struct thinned* thinned, const struct facts* facts) {
  const size_t in_a_stretch = 2000;
  for (size_t i = 0; i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    keep(thinned, held->culprit);
    keep(thinned, held->inside);
    keep(thinned, held->turn);
    keep(thinned, held->outside);
    keep(thinned, held->look);
    for (size_t j = held->first; j < held->last && j - held->first < in_a_stretch; j++)
      thinned->kept[j] = true;
  }
  for (size_t i = 0; i < facts->late_count; i++) {
    keep(thinned, facts->late[i].arrival->event);
    keep(thinned, facts->late[i].behind.culprit);
  }
  for (size_t i = 0; i < facts->total_count; i++)
    keep(thinned, facts->totals[i].longest_event);
}

/* Parents come before their children. */
static size_t keep_parents(struct thinned* thinned, const struct trace_loop* loop) {
  size_t count = 0;
  for (size_t i = loop->event_count; i > 0; i--) {
    if (!thinned->kept[i - 1])
      continue;
    count++;
    keep(thinned, loop->events[i - 1].parent);
  }
  return count;
}

/* The smallest length such that not too many events are at least as long. */
static uint64_t least_length(const struct trace_loop* loop, size_t most) {
  size_t sizes[65] = {0}, count = 0;
  for (size_t i = 0; i < loop->event_count; i++)
    sizes[size_of(loop->events[i].duration)]++;
  unsigned int size = 64;
  while (size > 0 && count + sizes[size] <= most)
    count += sizes[size--];
  if (size == 64)
    return UINT64_MAX; /* too many even of the longest */
  return size == 0 ? 0 : (uint64_t) 1 << size;
}

/* Keeps whole turns at even distances, as many as there is room for, to show how the loop
 * usually behaves. */
static void keep_some_turns(struct thinned* thinned, const struct trace_loop* loop,
                            size_t room) {
  double share = (double) room / (double) loop->event_count, due = 0;
  size_t next;
  for (size_t i = 0; i < loop->event_count; i = next) {
    for (next = i + 1; next < loop->event_count; next++) {
      if (loop->events[next].parent == EVENT_NONE)
        break;
    }
    due += share * (double) (next - i);
    if (due < (double) (next - i))
      continue;
    due -= (double) (next - i);
    for (size_t j = i; j < next; j++)
      thinned->kept[j] = true;
  }
}

struct thinned thin_make(const struct facts* facts, size_t most) {
  const struct trace_loop* loop = facts->loop;
  struct thinned thinned = {calloc(loop->event_count + 1, sizeof(bool)),
                            calloc(loop->event_count + 1, sizeof(int32_t)), 0, 0};
  if (thinned.kept == NULL || thinned.moved == NULL)
    out_of_memory();
  if (loop->event_count > most) {
    thinned.least = least_length(loop, most / 2);
    keep_facts(&thinned, facts);
  }
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->duration >= thinned.least || event->unfinished)
      thinned.kept[i] = true;
  }
  size_t count = keep_parents(&thinned, loop);
  if (count < loop->event_count && count < most)
    keep_some_turns(&thinned, loop, most - count);
  for (size_t i = 0; i < loop->event_count; i++)
    thinned.moved[i] = thinned.kept[i] ? (int32_t) thinned.count++ : EVENT_NONE;
  return thinned;
}

void thin_free(struct thinned* thinned) {
  free(thinned->kept);
  free(thinned->moved);
}
