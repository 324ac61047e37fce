/* When a loop was held up, and by whom: trace_held.c; who waited for the pool:
 * trace_pool.c. For trace_facts.c. */
#ifndef RONDO_TOOL_TRACE_HELD_H
#define RONDO_TOOL_TRACE_HELD_H

#include "trace_facts.h"

/* Finds the longest stretches of a loop, and how long one waits for it. */
void find_held(struct facts* facts);

/* How much of a time outside an outer loop slept, on our descriptor. */
uint64_t outside_idle(const struct trace_loop* loop, const struct event* outside);

/* Finds who waited for a thread of the pool; `number` is the loop's, in the trace. */
void find_starved(struct facts* facts, int32_t number);

#endif
