/* When a loop was held up. A stretch is the time between two polls; the summary and the
 * picture both use stretches, so that they can't disagree. */
#include "trace_held.h"

#include <stdlib.h>
#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to) {
  return without(smaller(end, to), larger(start, from));
}

/* --- the processor ------------------------------------------------------------------ */

/* The records that cover the time range may reach beyond it. Their processor time is
 * attributed to the range as far as it fits, so the result is never too small. */
struct cpu_share cpu_between(const struct trace_loop* loop, uint64_t from, uint64_t to) {
  struct cpu_share share = {0};
  size_t low = 0, high = loop->cpu_count;
  uint64_t covered = 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (loop->cpu[middle].until <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t i = low; i < loop->cpu_count; i++) {
    const struct cpu_time* cpu = &loop->cpu[i];
    uint64_t start = i == 0 ? 0 : cpu[-1].until;
    if (start >= to)
      break;
    if (cpu->awake == 0)
      continue;
    uint64_t part = overlap(start, cpu->until, from, to);
    uint64_t used = smaller(part, cpu->used);
    covered += part;
    share.used += used;
    share.delay += smaller(part - used, cpu->delay);
    share.throttled += smaller(part - used, cpu->throttled);
  }
  share.known = covered > 0 && covered >= (to - from) / 10 * 9;
  return share;
}

enum cpu_verdict cpu_verdict(const struct cpu_share* cpu, uint64_t length) {
  uint64_t away = without(length, cpu->used);
  if (away < 1000000 || away < length / 10)
    return CPU_FINE;
  /* For a thread that is throttled while it returns from the kernel (since Linux 6.18),
   * the group's sum has only a part of the time. */
  if (cpu->throttled >= away / 4)
    return CPU_THROTTLED;
  if (cpu->delay >= away / 2)
    return CPU_BUSY;
  /* Time that a hypervisor takes away from the machine is in none of the sums. */
  return away >= length / 3 ? CPU_WAITED : CPU_PARTLY;
}

/* Only a program that called uv_backend_fd can have slept on that descriptor. */
uint64_t outside_idle(const struct trace_loop* loop, const struct event* outside) {
  if ((outside->detail & OUTSIDE_OUTER) == 0)
    return 0;
  struct cpu_share cpu = cpu_between(loop, outside->start, end_of_event(outside));
  return cpu.known ? without(outside->duration, cpu.used + cpu.delay) : 0;
}

/* --- stretches ---------------------------------------------------------------------- */

struct stretches {
  const struct trace_loop* loop;
  struct stretch* list;
  size_t count, capacity;
  bool* slept; /* for each event: a poll in which the loop slept */
  bool open;
  struct stretch now;
};

static void stretch_open(struct stretches* all, uint64_t start, size_t first) {
  all->open = true;
  all->now = (struct stretch){
      .start = start, .first = first, .look = EVENT_NONE, .outside = EVENT_NONE};
}

static void stretch_close(struct stretches* all, uint64_t end, size_t last,
                          int32_t look) {
  if (!all->open)
    return;
  all->open = false;
  all->now.end = larger(end, all->now.start);
  all->now.last = last;
  all->now.look = look;
  all->now.idle = smaller(all->now.idle, all->now.end - all->now.start);
  if (stretch_length(&all->now) == 0)
    return;
  all->list = array_grow(all->list, all->count, &all->capacity, sizeof(*all->list));
  all->list[all->count++] = all->now;
}

static void take_outside(struct stretches* all, const struct event* event, size_t i) {
  const struct event* events = all->loop->events;
  if ((event->detail & OUTSIDE_ENDING) != 0) {
    stretch_close(all, event->start, i, EVENT_NONE);
    return;
  }
  if (!all->open)
    stretch_open(all, event->start, i);
  all->now.starting |= (event->detail & OUTSIDE_STARTING) != 0;
  all->now.idle += outside_idle(all->loop, event);
  if (all->now.outside == EVENT_NONE ||
      event->duration > events[all->now.outside].duration)
    all->now.outside = (int32_t) i;
}

/* The loop polls in the sleep or, if it didn't sleep, when the poll phase begins. */
static void find_stretches(struct stretches* all) {
  const struct trace_loop* loop = all->loop;
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->kind == EVENT_SLEEP && event->parent != EVENT_NONE)
      all->slept[event->parent] = true;
  }
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->kind == EVENT_OUTSIDE) {
      take_outside(all, event, i);
    } else if (event->kind == EVENT_SLEEP) {
      stretch_close(all, event->start, i, (int32_t) i);
      stretch_open(all, end_of_event(event), i + 1);
    } else if (event->kind == EVENT_POLL && !all->slept[i]) {
      stretch_close(all, event->start, i, (int32_t) i);
      stretch_open(all, event->start, i + 1);
    } else if (event->kind == EVENT_TURN && all->open && all->now.starting) {
      stretch_close(all, event->start, i,
                    EVENT_NONE); /* the first turn doesn't belong to it */
      stretch_open(all, event->start, i);
    } else if (!all->open && (is_work(event) || event->kind == EVENT_TURN)) {
      stretch_open(all, event->start, i);
      all->now.starting = is_work(event) && turn_of(loop, event) == NULL;
    }
  }
  stretch_close(all, loop->end_ns, loop->event_count, EVENT_NONE);
}

/* --- waiting ------------------------------------------------------------------------ */

static int by_length(const void* left, const void* right) {
  uint64_t a = *(const uint64_t*) left, b = *(const uint64_t*) right;
  return a < b ? 1 : a > b ? -1 : 0;
}

/* An event may arrive at any moment: while the loop sleeps it is served at once; in a
 * stretch it waits for the stretch's end. A share of all moments, `share`, waits longer
 * than the result: the stretches, the longest first, are cut to one length until that
 * many moments lie above it. */
uint64_t wait_of_share(const uint64_t* lengths, size_t count, double moments,
                       double share) {
  double above = 0, wanted = moments * share;
  for (size_t i = 0; i < count; i++) {
    double next = i + 1 < count ? (double) lengths[i + 1] : 0;
    double step = ((double) lengths[i] - next) * (double) (i + 1);
    if (above + step >= wanted)
      return (uint64_t) ((double) lengths[i] - (wanted - above) / (double) (i + 1));
    above += step;
  }
  return 0;
}

static void find_waits(struct facts* facts, const struct stretches* all) {
  uint64_t* lengths = calloc(all->count + 1, sizeof(*lengths));
  double moments = (double) (facts->asleep + facts->outside_idle);
  size_t count = 0;
  if (lengths == NULL)
    out_of_memory();
  for (size_t i = 0; i < all->count; i++) {
    if (all->list[i].starting)
      continue;
    lengths[count] = stretch_length(&all->list[i]);
    moments += (double) lengths[count++];
  }
  if (count > 1)
    qsort(lengths, count, sizeof(*lengths), by_length);
  facts->wait_p50 = wait_of_share(lengths, count, moments, 0.5);
  facts->wait_p90 = wait_of_share(lengths, count, moments, 0.1);
  facts->wait_p99 = wait_of_share(lengths, count, moments, 0.01);
  facts->wait_worst = count > 0 ? lengths[0] : 0;
  free(lengths);
}

/* --- which turn, and who waited ---------------------------------------------------- */

/* The turn of the call that took most; otherwise that of the poll that ended or began the
 * stretch. */
static void find_turn(const struct trace_loop* loop, struct stretch* stretch) {
  const struct event* turn = NULL;
  if (stretch->culprit != EVENT_NONE && stretch->taker != TAKER_OUTSIDE)
    turn = turn_of(loop, &loop->events[stretch->culprit]);
  if (turn == NULL && stretch->look != EVENT_NONE)
    turn = turn_of(loop, &loop->events[stretch->look]);
  if (turn == NULL && stretch->taker != TAKER_OUTSIDE && stretch->first > 0)
    turn = turn_of(
        loop, &loop->events[stretch->first - 1]); /* the stretch began in that turn */
  stretch->turn = turn == NULL ? EVENT_NONE : (int32_t) (turn - loop->events);
}

/* Whether the poll that ended the stretch found events waiting: callbacks in that poll,
 * without a noticeable sleep before them. */
static bool was_ready(const struct trace_loop* loop, const struct stretch* stretch) {
  const uint64_t no_sleep_ns = 20000;
  if (stretch->look == EVENT_NONE)
    return false;
  const struct event* look = &loop->events[stretch->look];
  if (look->kind == EVENT_SLEEP && look->duration > no_sleep_ns)
    return false;
  int32_t poll = look->kind == EVENT_SLEEP ? look->parent : stretch->look;
  size_t next = (size_t) stretch->look + 1;
  return next < loop->event_count && loop->events[next].parent == poll &&
         is_work(&loop->events[next]);
}

/* Between two runs, only what was due or ready has been held up: from the moment when a
 * timer was due, or for the whole time if a descriptor was ready, since it isn't known
 * since when. */
static void find_waiting(const struct trace_loop* loop, struct stretch* stretch) {
  if (stretch->outside == EVENT_NONE || stretch->starting)
    return;
  const struct event* outside = &loop->events[stretch->outside];
  uint64_t due = (uint64_t) (outside->detail >> OUTSIDE_DUE_SHIFT) * 1000;
  stretch->ready = was_ready(loop, stretch);
  stretch->due = smaller(due, outside->duration);
  bool mostly_outside =
      without(outside->duration, stretch->idle) > stretch_length(stretch) / 2;
  stretch->unnoticed = mostly_outside && !stretch->ready && stretch->due == 0;
  if (!mostly_outside || stretch->ready || stretch->due == 0)
    return;
  stretch->start = larger(stretch->start, end_of_event(outside) - stretch->due);
  stretch->idle = 0;
}

void stretch_explain(const struct trace_loop* loop, struct stretch* stretch) {
  find_taker(loop, stretch);
  find_turn(loop, stretch);
  stretch->cpu = cpu_between(loop, stretch->start, stretch->end);
}

struct stretch stretch_between(const struct trace_loop* loop, uint64_t start,
                               uint64_t end, size_t last) {
  struct stretch stretch = {.start = start,
                            .end = end,
                            .first = last,
                            .last = last,
                            .look = EVENT_NONE,
                            .outside = EVENT_NONE};
  while (stretch.first > 0) {
    const struct event* event = &loop->events[stretch.first - 1];
    if (event->parent == EVENT_NONE && end_of_event(event) <= start)
      break;
    stretch.first--;
  }
  while (stretch.first < last && end_of_event(&loop->events[stretch.first]) <= start)
    stretch.first++;
  stretch_explain(loop, &stretch);
  return stretch;
}

static void stretch_finish(const struct trace_loop* loop, struct stretch* stretch) {
  find_waiting(loop, stretch);
  stretch_explain(loop, stretch);
}

/* --- the longest ----------------------------------------------------------------------
 */

static int longest_first(const void* left, const void* right) {
  uint64_t a = stretch_length(left), b = stretch_length(right);
  return a < b ? 1 : a > b ? -1 : 0;
}

/* The longest stretches are examined closely. A stretch counts only from when something
 * was due, which may make it shorter, so more are examined than are listed. */
static void find_longest(struct facts* facts, struct stretches* all) {
  size_t closely = smaller(all->count, 4 * HELD_MOST);
  if (all->count > 1)
    qsort(all->list, all->count, sizeof(*all->list), longest_first);
  for (size_t i = 0; i < closely; i++)
    stretch_finish(facts->loop, &all->list[i]);
  if (closely > 1)
    qsort(all->list, closely, sizeof(*all->list), longest_first);
  facts->held_count = smaller(closely, HELD_MOST);
  for (size_t i = 0; i < facts->held_count; i++)
    facts->held[i] = all->list[i];
}

static void name_worst(struct facts* facts) {
  for (size_t i = 0; i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    const struct stretch** place = held->starting    ? &facts->starting
                                   : held->unnoticed ? &facts->unnoticed
                                                     : &facts->worst;
    if (*place == NULL)
      *place = held;
  }
  if (facts->unnoticed != NULL && facts->worst != NULL && facts->unnoticed > facts->worst)
    facts->unnoticed = NULL;
}

static void stretches_make(struct stretches* all) {
  all->slept = calloc(all->loop->event_count + 1, sizeof(*all->slept));
  if (all->slept == NULL)
    out_of_memory();
  find_stretches(all);
  free(all->slept);
}

struct stretch* stretches_find(const struct trace_loop* loop, size_t* count) {
  struct stretches all = {.loop = loop};
  stretches_make(&all);
  *count = all.count;
  return all.list;
}

void find_held(struct facts* facts) {
  struct stretches all = {.loop = facts->loop};
  stretches_make(&all);
  find_waits(facts, &all);
  find_longest(facts, &all);
  name_worst(facts);
  free(all.list);
}
