/* The timers' heap: see timer_heap.h. */
#include "loop/timer_heap.h"

#include "base/alloc.h"
#include "base/base.h"

#include <assert.h>
#include <stdlib.h>

enum { ARITY = 4 };

static void timer_heap_place(struct rondo_timer_entry* heap, size_t index,
                             struct rondo_timer_entry entry) {
  heap[index] = entry;
  entry.handle->heap_index = index;
}

static void timer_heap_rise(struct rondo_timer_entry* heap, size_t index,
                            struct rondo_timer_entry entry) {
  while (index > 0) {
    size_t parent = (index - 1) / ARITY;
    if (!timer_entry_before(&entry, &heap[parent]))
      break;
    timer_heap_place(heap, index, heap[parent]);
    index = parent;
  }
  timer_heap_place(heap, index, entry);
}

static size_t first_child(const struct rondo_timer_entry* heap, size_t first,
                          size_t end) {
  size_t least = first;
  for (size_t child = first + 1; child < end; child++) {
    if (timer_entry_before(&heap[child], &heap[least]))
      least = child;
  }
  return least;
}

static void timer_heap_sink(struct rondo_timer_entry* heap, size_t count, size_t index,
                            struct rondo_timer_entry entry) {
  for (;;) {
    size_t child = index * ARITY + 1;
    if (child >= count)
      break;
    size_t end = child + ARITY < count ? child + ARITY : count;
    /* In a large heap the next level isn't in the cache: prefetch it during this
     * comparison. */
    if (child * ARITY + 1 < count)
      __builtin_prefetch(&heap[child * ARITY + 1]);
    child = first_child(heap, child, end);
    if (!timer_entry_before(&heap[child], &entry))
      break;
    timer_heap_place(heap, index, heap[child]);
    index = child;
  }
  timer_heap_place(heap, index, entry);
}

/* Room is kept for the timers that were taken out as due: they may repeat, and re-arming
 * must not need memory. */
int timer_heap_reserve(uv_loop_t* loop) {
  if (loop->timer_count + (loop->due_count - loop->due_next) < loop->timer_capacity)
    return 0;
  size_t capacity = loop->timer_capacity == 0 ? 16 : loop->timer_capacity * 2;
  struct rondo_timer_entry* timers =
      mem_realloc_array(loop->timers, capacity, sizeof(*timers));
  if (timers == NULL)
    return UV_ENOMEM;
  loop->timers = timers;
  loop->timer_capacity = capacity;
  return 0;
}

void timer_heap_push(uv_loop_t* loop, struct rondo_timer_entry entry) {
  assert(loop->timer_count < loop->timer_capacity);
  timer_heap_rise(loop->timers, loop->timer_count++, entry);
}

void timer_heap_remove(uv_loop_t* loop, size_t index) {
  assert(index < loop->timer_count);
  struct rondo_timer_entry* heap = loop->timers;
  assert(heap[index].handle->heap_index == index);
  heap[index].handle->heap_index = TIMER_NOWHERE;
  struct rondo_timer_entry last = heap[--loop->timer_count];
  if (index == loop->timer_count)
    return;
  if (index > 0 && timer_entry_before(&last, &heap[(index - 1) / ARITY]))
    timer_heap_rise(heap, index, last);
  else
    timer_heap_sink(heap, loop->timer_count, index, last);
}

/* Below an entry that isn't due no entry is, so only due entries and their children are
 * read. The recursion is as deep as the heap: 12 levels for ten million timers. */
static size_t heap_count_due(const uv_loop_t* loop, size_t index, uint64_t now_us) {
  if (index >= loop->timer_count || loop->timers[index].due_us > now_us)
    return 0;
  size_t count = 1;
  for (size_t i = 1; i <= ARITY; i++)
    count += heap_count_due(loop, index * ARITY + i, now_us);
  return count;
}

size_t timer_heap_count_due(const uv_loop_t* loop, uint64_t now_us) {
  return heap_count_due(loop, 0, now_us);
}

#ifdef RONDO_SLOW_CHECKS
static bool timer_heap_is_ordered(const uv_loop_t* loop) {
  for (size_t i = 1; i < loop->timer_count; i++) {
    if (timer_entry_before(&loop->timers[i], &loop->timers[(i - 1) / ARITY]) ||
        loop->timers[i].handle->heap_index != i)
      return false;
  }
  return true;
}
#endif

static int compare_entries(const void* a, const void* b) {
  return timer_entry_before(a, b) ? -1 : 1; /* no two are equal: start_id is unique */
}

void timer_heap_take_due(uv_loop_t* loop, uint64_t now_us) {
  struct rondo_timer_entry* heap = loop->timers;
  size_t kept = 0;
  for (size_t i = 0; i < loop->timer_count; i++) {
    if (heap[i].due_us <= now_us)
      loop->due[loop->due_count++] = heap[i];
    else
      heap[kept++] = heap[i];
  }
  loop->timer_count = kept;
  for (size_t i = 0; i < kept; i++)
    heap[i].handle->heap_index = i;
  for (size_t i = kept < 2 ? 0 : (kept - 2) / ARITY + 1; i-- > 0;)
    timer_heap_sink(heap, kept, i, heap[i]);
  assert_slow(timer_heap_is_ordered(loop));
  qsort(loop->due, loop->due_count, sizeof(*loop->due), compare_entries);
  for (size_t i = 0; i < loop->due_count; i++)
    loop->due[i].handle->heap_index = TIMER_DUE + i;
}
