/* When a loop was held up: trace_held.c, and by what: trace_takers.c; what waited for the
 * pool: trace_pool.c; whose data waited to be read: trace_arrivals.c. For trace_facts.c.
 */
#ifndef RONDO_TOOL_TRACE_HELD_H
#define RONDO_TOOL_TRACE_HELD_H

#include "trace_facts.h"
#include "trace_samples.h"

/* Finds the longest stretches of a loop, and how long events waited for it. */
void find_held(struct facts* facts);

/* All stretches of a loop, in the order of time, to be freed; not explained. */
struct stretch* stretches_find(const struct trace_loop* loop, size_t* count);
/* Of stretches, the longest first, and all moments: only this share of them waits longer
 * than the result. */
uint64_t wait_of_share(const uint64_t* lengths, size_t count, double moments,
                       double share);

/* How long an outer loop slept on this loop's descriptor, during a time outside of
 * uv_run. */
uint64_t outside_idle(const struct trace_loop* loop, const struct event* outside);

/* Finds the request that waited longest for a thread of the pool; `number` is the loop's
 * index in the trace. */
void find_starved(struct facts* facts, int32_t number);

/* Finds whose data waited longest to be read. */
void find_late_data(struct facts* facts);

/* Finds what took most of a stretch: trace_takers.c. */
void find_taker(const struct trace_loop* loop, struct stretch* stretch);
/* Whether a function of the program's took most of the callback. */
bool taker_is_inside(const struct trace_loop* loop, const struct stretch* stretch);
/* The path of the samples while what took most ran, so that its name and its stack belong
 * together; false if there are none. */
bool taker_path_find(struct hot_path* path, const struct trace_loop* loop,
                     const struct stretch* stretch);

/* Who took a stretch, in which turn, and what the thread had of the processor. Given are
 * its start, its end, and the events in it. */
void stretch_explain(const struct trace_loop* loop, struct stretch* stretch);
/* The time between two moments, explained; `last`: the first event after it. */
struct stretch stretch_between(const struct trace_loop* loop, uint64_t start,
                               uint64_t end, size_t last);

#endif
