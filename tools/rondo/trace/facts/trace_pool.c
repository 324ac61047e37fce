/* Finds requests that waited for a thread of the pool, and the requests that occupied the
 * threads meanwhile. */
#include "trace_held.h"

#include "uv.h"

#include <stdlib.h>
#include <string.h>

/* Shorter waits are normal for any pool. */
static const uint64_t STARVED_NS = 10000000;

/* Work that one callback gave to the pool, with one kind of request. */
struct holder {
  const struct event* by; /* or NULL */
  int32_t cause;
  uint64_t time, count;
};

static uint64_t pool_offset(const struct trace_loop* loop) {
  return loop->start_ns - loop->process->start_ns;
}

/* Whether a request of this kind has no other way: a ring takes some of a file's. */
static bool request_takes_pool(const struct trace_loop* loop, const struct cause* cause) {
  unsigned int kind = cause_kind(cause);
  bool is_file = kind >= TRACE_SUBJECT_FS && kind < TRACE_SUBJECT_NODE;
  if (!is_file)
    return kind == TRACE_SUBJECT_REQ + UV_WORK ||
           kind == TRACE_SUBJECT_REQ + UV_GETADDRINFO ||
           kind == TRACE_SUBJECT_REQ + UV_GETNAMEINFO ||
           kind == TRACE_SUBJECT_REQ + UV_RANDOM;
  switch ((int) kind - TRACE_SUBJECT_FS) {
  case UV_FS_READ:
  case UV_FS_WRITE:
  case UV_FS_FSYNC:
  case UV_FS_FDATASYNC:
    return strcmp(loop->backend, "uring") != 0;
  default:
    return true;
  }
}

static uint64_t overlap_of(const struct work* work, uint64_t from, uint64_t to) {
  uint64_t end = work->start + work->duration;
  return without(end < to ? end : to, work->start > from ? work->start : from);
}

/* Whether others had the threads for most of that time: a thread that is being started,
 * or has no processor, isn't taken by anybody. */
static bool threads_were_taken(const struct trace_process* process, uint64_t from,
                               uint64_t to, uint64_t threads) {
  uint64_t taken = 0;
  for (size_t i = 0; i < process->work_count && process->works[i].start < to; i++)
    taken += overlap_of(&process->works[i], from, to);
  return taken / threads >= (to - from) / 4 * 3;
}

/* --- who waited ----------------------------------------------------------------------
 */

/* A request that waited longer than it ran, from its begin to when it got a thread, or to
 * the end. */
struct waiter {
  uint64_t from, to; /* since the process's start */
  int32_t cause;
  bool unserved;
};

enum { WAITERS_MOST = 32 };

static uint64_t waiter_waited(const struct waiter* waiter) {
  return without(waiter->to, waiter->from);
}

/* Keeps the longest, sorted. */
static void waiter_add(struct waiter* list, size_t* count, struct waiter waiter) {
  if (*count == WAITERS_MOST &&
      waiter_waited(&waiter) <= waiter_waited(&list[WAITERS_MOST - 1]))
    return;
  size_t at = *count < WAITERS_MOST ? (*count)++ : WAITERS_MOST - 1;
  for (; at > 0 && waiter_waited(&list[at - 1]) < waiter_waited(&waiter); at--)
    list[at] = list[at - 1];
  list[at] = waiter;
}

/* The callback of each request; EVENT_NONE: it hasn't been called back. */
static int32_t* callbacks_of(const struct trace_loop* loop) {
  int32_t* list = malloc((loop->cause_count + 1) * sizeof(*list));
  if (list == NULL)
    out_of_memory();
  for (size_t i = 0; i < loop->cause_count; i++)
    list[i] = EVENT_NONE;
  for (size_t i = 0; i < loop->event_count; i++) {
    int32_t cause = loop->events[i].cause;
    if (cause != EVENT_NONE && list[cause] == EVENT_NONE)
      list[cause] = (int32_t) i;
  }
  return list;
}

/* False if it didn't wait, or ran longer than that. */
static bool waiter_of(const struct trace_loop* loop, int32_t cause, bool called,
                      struct waiter* waiter) {
  const struct cause* request = &loop->causes[cause];
  const struct work* work =
      request->work == EVENT_NONE ? NULL : &loop->process->works[request->work];
  uint64_t offset = pool_offset(loop);
  waiter->cause = cause;
  waiter->unserved = work == NULL;
  waiter->from = request->begun + offset;
  waiter->to = work == NULL ? loop->end_ns + offset : work->start;
  if (work == NULL && (called || !request_takes_pool(loop, request)))
    return false;
  return waiter_waited(waiter) >= STARVED_NS &&
         (work == NULL || waiter_waited(waiter) >= work->duration);
}

/* The request that waited longest because others had the threads; a few are looked at. */
static void find_starved_request(const struct trace_loop* loop, const int32_t* callbacks,
                                 struct starved* starved, struct waiter* found) {
  struct waiter list[WAITERS_MOST], waiter;
  size_t count = 0;
  for (size_t i = 0; i < loop->cause_count; i++) {
    if (waiter_of(loop, (int32_t) i, callbacks[i] != EVENT_NONE, &waiter))
      waiter_add(list, &count, waiter);
  }
  for (size_t i = 0; i < count; i++) {
    if (!threads_were_taken(loop->process, list[i].from, list[i].to, starved->threads))
      continue;
    starved->waited = waiter_waited(&list[i]);
    starved->cause = list[i].cause;
    starved->event = callbacks[list[i].cause];
    starved->unserved = list[i].unserved;
    *found = list[i];
    return;
  }
}

/* --- who had the threads ---------------------------------------------------------------
 */

static bool same_holder(const struct trace_loop* loop, const struct holder* holder,
                        const struct event* by, const struct cause* cause) {
  bool same_name = holder->by != NULL && by != NULL && by->name != EVENT_NONE &&
                   holder->by->name == by->name;
  return (holder->by == by || same_name) &&
         cause_kind(&loop->causes[holder->cause]) == cause_kind(cause);
}

static struct holder* holder_of(const struct trace_loop* loop, struct holder** list,
                                size_t* count, size_t* capacity, int32_t number) {
  const struct cause* cause = &loop->causes[number];
  const struct event* by = cause->by == EVENT_NONE ? NULL : &loop->events[cause->by];
  for (size_t i = 0; i < *count; i++) {
    if (same_holder(loop, &(*list)[i], by, cause))
      return &(*list)[i];
  }
  *list = array_grow(*list, *count, capacity, sizeof(**list));
  (*list)[*count] = (struct holder){.by = by, .cause = number};
  return &(*list)[(*count)++];
}

/* The loop's own requests that occupied the threads for most of that time. */
static void find_holder(const struct trace_loop* loop, int32_t number,
                        const struct waiter* waiter, struct starved* starved) {
  const struct trace_process* process = loop->process;
  struct holder *list = NULL, *most = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < process->work_count && process->works[i].start < waiter->to;
       i++) {
    const struct work* work = &process->works[i];
    uint64_t part = overlap_of(work, waiter->from, waiter->to);
    if (part == 0 || work->loop != number || work->cause == EVENT_NONE)
      continue;
    struct holder* holder = holder_of(loop, &list, &count, &capacity, work->cause);
    holder->time += part;
    holder->count++;
  }
  for (size_t i = 0; i < count; i++)
    most = most == NULL || list[i].time > most->time ? &list[i] : most;
  if (most != NULL) {
    starved->holder_cause = most->cause;
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
  const struct trace_loop* loop = facts->loop;
  struct starved* starved = &facts->starved;
  struct waiter waiter = {0};
  *starved = (struct starved){.cause = EVENT_NONE,
                              .event = EVENT_NONE,
                              .holder_cause = EVENT_NONE,
                              .holder_event = EVENT_NONE};
  starved->threads = count_threads(loop->process);
  if (starved->threads == 0 || loop->cause_count == 0)
    return;
  int32_t* callbacks = callbacks_of(loop);
  find_starved_request(loop, callbacks, starved, &waiter);
  if (starved->cause != EVENT_NONE)
    find_holder(loop, number, &waiter, starved);
  if (starved->holder_cause != EVENT_NONE)
    starved->holder_event = callbacks[starved->holder_cause];
  free(callbacks);
}
