/* The planned events, first time first: a binary heap. */
#include "sim/sim_state.h"

#include "base/alloc.h"

#include <assert.h>

static bool comes_before(const struct sim_event* one, const struct sim_event* other) {
  return one->at != other->at ? one->at < other->at : one->order < other->order;
}

bool sim_heap_push(struct sim_heap* heap, struct sim_event event) {
  if (heap->count == heap->capacity) {
    size_t capacity = heap->capacity == 0 ? 32 : heap->capacity * 2;
    struct sim_event* events = mem_realloc_array(heap->events, capacity, sizeof(*events));
    if (events == NULL)
      return false;
    heap->events = events;
    heap->capacity = capacity;
  }
  event.order = heap->order++;
  size_t at = heap->count++;
  while (at > 0 && comes_before(&event, &heap->events[(at - 1) / 2])) {
    heap->events[at] = heap->events[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->events[at] = event;
  return true;
}

struct sim_event sim_heap_pop(struct sim_heap* heap) {
  assert(heap->count > 0 && heap->count <= heap->capacity);
  struct sim_event first = heap->events[0];
  struct sim_event last = heap->events[--heap->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap->count)
      break;
    if (child + 1 < heap->count &&
        comes_before(&heap->events[child + 1], &heap->events[child]))
      child++;
    if (!comes_before(&heap->events[child], &last))
      break;
    heap->events[at] = heap->events[child];
    at = child;
  }
  if (heap->count > 0)
    heap->events[at] = last;
  assert(heap->count == 0 || !comes_before(&heap->events[0], &first));
  return first;
}
