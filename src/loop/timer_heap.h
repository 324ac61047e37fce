/* The timers' heap: a flat 4-ary heap of (due, start_id, handle), ordered by due time and
 * then by start order (contract T1).
 *
 * Flat and four wide, because a comparison then reads memory that lies together: a level
 * is one or two cache lines, and there are half as many levels as in a binary heap. Each
 * handle knows its place in the array, so that stopping needs no search. Starting
 * allocates nothing beyond the array's growth. */
#ifndef RONDO_TIMER_HEAP_H
#define RONDO_TIMER_HEAP_H

#include "uv.h"

#include <stdbool.h>

struct rondo_timer_entry {
  uint64_t due_us;
  uint64_t start_id;
  uv_timer_t* handle;
};

/* handle->heap_index of a timer that is not in the heap. A timer that was taken out as
 * due, and waits for its callback in this phase, has its place in loop->due with
 * TIMER_DUE added. */
#define TIMER_NOWHERE SIZE_MAX
#define TIMER_DUE     ((size_t) 1 << 62)

static inline bool timer_entry_before(const struct rondo_timer_entry* a,
                                      const struct rondo_timer_entry* b) {
  return a->due_us != b->due_us ? a->due_us < b->due_us : a->start_id < b->start_id;
}

/* Room for one more: 0 or UV_ENOMEM. */
int timer_heap_reserve(uv_loop_t* loop);
/* Precondition: there is room. */
void timer_heap_push(uv_loop_t* loop, struct rondo_timer_entry entry);
void timer_heap_remove(uv_loop_t* loop, size_t index);
/* How many entries are due at the given time. Reads little more than the due entries. */
size_t timer_heap_count_due(const uv_loop_t* loop, uint64_t now_us);
/* Moves every due entry to loop->due, in order; loop->due must have room. For when a good
 * part of the heap is due: one pass over the heap instead of a removal per entry. */
void timer_heap_take_due(uv_loop_t* loop, uint64_t now_us);

#endif
