/* Finds requests that waited for a thread of the pool, and the requests that occupied the
 * threads meanwhile. */
#include "trace_held.h"

#include <stdlib.h>

/* Shorter waits are normal for any pool. */
static const uint64_t STARVED_NS = 10000000;

/* Work that one callback gave to the pool, with one kind of request. */
struct holder {
  const struct event* by; /* or NULL */
  const char* subject;
  uint64_t time, count;
};

static uint64_t pool_offset(const struct trace_loop* loop) {
  return loop->start_ns - loop->process->start_ns;
}

static const struct work* work_of(const struct trace_loop* loop,
                                  const struct event* event) {
  if (event->cause == EVENT_NONE || loop->causes[event->cause].work == EVENT_NONE)
    return NULL;
  return &loop->process->works[loop->causes[event->cause].work];
}

static uint64_t waited_for_thread(const struct trace_loop* loop,
                                  const struct event* event, const struct work* work) {
  return without(work->start, loop->causes[event->cause].begun + pool_offset(loop));
}

static uint64_t overlap_of(const struct work* work, uint64_t from, uint64_t to) {
  uint64_t end = work->start + work->duration;
  return without(end < to ? end : to, work->start > from ? work->start : from);
}

/* Whether others had the threads for most of the time that the request waited: a thread
 * that is being started, or has no processor, isn't taken by anybody. */
static bool threads_were_taken(const struct trace_process* process,
                               const struct work* own, uint64_t waited,
                               uint64_t threads) {
  uint64_t from = own->start - waited, taken = 0;
  for (size_t i = 0; i < process->work_count && process->works[i].start < own->start; i++)
    taken += overlap_of(&process->works[i], from, own->start);
  return taken / threads >= waited / 4 * 3;
}

/* A request that waited longer than it ran. */
struct waiter {
  uint64_t waited;
  int32_t event;
};

enum { WAITERS_MOST = 32 };

/* Keeps the longest, sorted. */
static void waiter_add(struct waiter* list, size_t* count, struct waiter waiter) {
  size_t at = *count < WAITERS_MOST ? (*count)++ : WAITERS_MOST - 1;
  for (; at > 0 && list[at - 1].waited < waiter.waited; at--)
    list[at] = list[at - 1];
  list[at] = waiter;
}

/* The request that waited longest because others had the threads; a few are looked at. */
static void find_starved_event(const struct trace_loop* loop, struct starved* starved) {
  struct waiter list[WAITERS_MOST];
  size_t count = 0;
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    const struct work* work = work_of(loop, event);
    if (work == NULL)
      continue;
    uint64_t waited = waited_for_thread(loop, event, work);
    if (waited < STARVED_NS || waited < work->duration ||
        (count == WAITERS_MOST && waited <= list[count - 1].waited))
      continue;
    waiter_add(list, &count, (struct waiter){waited, (int32_t) i});
  }
  for (size_t i = 0; i < count; i++) {
    const struct work* work = work_of(loop, &loop->events[list[i].event]);
    if (!threads_were_taken(loop->process, work, list[i].waited, starved->threads))
      continue;
    starved->waited = list[i].waited;
    starved->event = list[i].event;
    return;
  }
}

static bool same_holder(const struct holder* holder, const struct event* by,
                        const char* subject) {
  bool same_name = holder->by != NULL && by != NULL && by->name != EVENT_NONE &&
                   holder->by->name == by->name;
  return (holder->by == by || same_name) && same_subject_kind(holder->subject, subject);
}

static struct holder* holder_of(const struct trace_loop* loop, struct holder** list,
                                size_t* count, size_t* capacity,
                                const struct cause* cause) {
  const struct event* by = cause->by == EVENT_NONE ? NULL : &loop->events[cause->by];
  const char* subject =
      cause->subject == EVENT_NONE ? NULL : loop->subjects[cause->subject];
  for (size_t i = 0; i < *count; i++) {
    if (same_holder(&(*list)[i], by, subject))
      return &(*list)[i];
  }
  *list = array_grow(*list, *count, capacity, sizeof(**list));
  (*list)[*count] = (struct holder){.by = by, .subject = subject};
  return &(*list)[(*count)++];
}

/* The loop's own requests that occupied the threads for most of that time. */
static void find_holder(const struct trace_loop* loop, int32_t number,
                        struct starved* starved) {
  const struct trace_process* process = loop->process;
  const struct work* own = work_of(loop, &loop->events[starved->event]);
  struct holder *list = NULL, *most = NULL;
  size_t count = 0, capacity = 0;
  uint64_t from = own->start - starved->waited;
  for (size_t i = 0; i < process->work_count && process->works[i].start < own->start;
       i++) {
    const struct work* work = &process->works[i];
    uint64_t part = overlap_of(work, from, own->start);
    if (part == 0 || work->loop != number || work->cause == EVENT_NONE)
      continue;
    struct holder* holder =
        holder_of(loop, &list, &count, &capacity, &loop->causes[work->cause]);
    holder->time += part;
    holder->count++;
  }
  for (size_t i = 0; i < count; i++)
    most = most == NULL || list[i].time > most->time ? &list[i] : most;
  if (most != NULL) {
    starved->holder = most->by == NULL ? EVENT_NONE : (int32_t) (most->by - loop->events);
    starved->holder_subject = most->subject;
    starved->holder_count = most->count;
  }
  free(list);
}

static uint64_t count_threads(const struct trace_process* process) {
  const size_t looked_at = 4096; /* each thread soon has work */
  uint32_t threads[1024];
  size_t count = 0;
  for (size_t i = 0; i < process->work_count && i < looked_at; i++) {
    size_t known = 0;
    while (known < count && threads[known] != process->works[i].thread)
      known++;
    if (known == count && count < sizeof(threads) / sizeof(threads[0]))
      threads[count++] = process->works[i].thread;
  }
  return count;
}

void find_starved(struct facts* facts, int32_t number) {
  struct starved* starved = &facts->starved;
  *starved = (struct starved){.event = EVENT_NONE, .holder = EVENT_NONE};
  starved->threads = count_threads(facts->loop->process);
  if (starved->threads > 0)
    find_starved_event(facts->loop, starved);
  if (starved->event == EVENT_NONE)
    return;
  find_holder(facts->loop, number, starved);
}
