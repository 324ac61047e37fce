/* Timers as Node orders them. Timers of one duration share a list, in the order of their
 * starts. The lists are in a heap, sorted by the expiry of their first timer; one loop
 * timer serves all of them (contract N2). A list's place in the heap is corrected only
 * when it reaches the top, so starting, clearing and refreshing a timer of a known
 * duration needs no search. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the heap of lists -------------------------------------------------- */

static int list_before(const struct rondo_node_timer_list_s* a,
                       const struct rondo_node_timer_list_s* b) {
  return a->expiry != b->expiry ? a->expiry < b->expiry : a->id < b->id;
}

static void heap_put(struct node_timers* timers, size_t index,
                     struct rondo_node_timer_list_s* list) {
  timers->heap[index] = list;
  list->heap_index = index;
}

static void heap_up(struct node_timers* timers, size_t index) {
  struct rondo_node_timer_list_s* list = timers->heap[index];
  while (index > 0) {
    size_t parent = (index - 1) / 2;
    if (!list_before(list, timers->heap[parent]))
      break;
    heap_put(timers, index, timers->heap[parent]);
    index = parent;
  }
  heap_put(timers, index, list);
}

static void heap_down(struct node_timers* timers, size_t index) {
  struct rondo_node_timer_list_s* list = timers->heap[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= timers->heap_count)
      break;
    if (child + 1 < timers->heap_count &&
        list_before(timers->heap[child + 1], timers->heap[child]))
      child++;
    if (!list_before(timers->heap[child], list))
      break;
    heap_put(timers, index, timers->heap[child]);
    index = child;
  }
  heap_put(timers, index, list);
}

static void heap_remove(struct node_timers* timers,
                        const struct rondo_node_timer_list_s* list) {
  size_t index = list->heap_index;
  struct rondo_node_timer_list_s* moved = timers->heap[--timers->heap_count];
  if (moved == list)
    return;
  heap_put(timers, index, moved);
  heap_up(timers, index);
  heap_down(timers, moved->heap_index);
}

/* ---- the table of lists by duration -------------------------------------- */

static struct rondo_node_timer_list_s** bucket_of(const struct node_timers* timers,
                                                  uint32_t duration) {
  uint32_t hash = duration * 2654435761u;
  return &timers->buckets[(hash >> 7) & (timers->bucket_count - 1)];
}

static struct rondo_node_timer_list_s* node_list_find(const struct node_timers* timers,
                                                      uint32_t duration) {
  struct rondo_node_timer_list_s* list = *bucket_of(timers, duration);
  while (list != NULL && list->duration != duration)
    list = list->hash_next;
  return list;
}

static void node_lists_remove(struct node_timers* timers,
                              const struct rondo_node_timer_list_s* list) {
  struct rondo_node_timer_list_s** link = bucket_of(timers, list->duration);
  while (*link != list)
    link = &(*link)->hash_next;
  *link = list->hash_next;
}

static void node_lists_insert(struct node_timers* timers,
                              struct rondo_node_timer_list_s* list) {
  struct rondo_node_timer_list_s** bucket = bucket_of(timers, list->duration);
  list->hash_next = *bucket;
  *bucket = list;
}

/* Makes room for one more list in both structures. */
static int lists_reserve(struct node_timers* timers) {
  if (timers->heap_count < timers->heap_capacity)
    return 0;
  size_t capacity = timers->heap_capacity == 0 ? 16 : timers->heap_capacity * 2;
  struct rondo_node_timer_list_s** heap = realloc(timers->heap, capacity * sizeof(void*));
  if (heap == NULL)
    return UV_ENOMEM;
  timers->heap = heap;
  struct rondo_node_timer_list_s** buckets = calloc(capacity, sizeof(void*));
  if (buckets == NULL)
    return UV_ENOMEM;
  free(timers->buckets);
  timers->buckets = buckets;
  timers->bucket_count = timers->heap_capacity = capacity;
  for (size_t i = 0; i < timers->heap_count; i++)
    node_lists_insert(timers, timers->heap[i]);
  return 0;
}

/* ---- timers in their lists ------------------------------------------------ */

static void timer_append(struct rondo_node_timer_list_s* list,
                         rondo_node_timer_t* timer) {
  timer->list = list;
  timer->next = NULL;
  timer->prev = list->last;
  if (list->last == NULL)
    list->first = timer;
  else
    list->last->next = timer;
  list->last = timer;
}

static void timer_unlink(rondo_node_timer_t* timer) {
  struct rondo_node_timer_list_s* list = timer->list;
  if (list == NULL)
    return;
  if (timer->prev == NULL)
    list->first = timer->next;
  else
    timer->prev->next = timer->next;
  if (timer->next == NULL)
    list->last = timer->prev;
  else
    timer->next->prev = timer->prev;
  timer->list = NULL;
  timer->prev = timer->next = NULL;
}

static void list_destroy(struct node_timers* timers,
                         struct rondo_node_timer_list_s* list) {
  heap_remove(timers, list);
  node_lists_remove(timers, list);
  free(list);
}

/* Node reads the clock for every timer that is started, so that a timer started after a
 * long calculation doesn't fire early. */
static uint64_t timers_now(rondo_node_t* node) {
  uv_update_time(node->loop);
  return uv_now(node->loop);
}

static void timers_fired(uv_timer_t* handle);

static void handle_schedule(struct node_timers* timers, uint64_t delay) {
  uv_timer_start(&timers->handle, timers_fired, delay > 0 ? delay : 1, 0);
}

static void refed_add(struct node_timers* timers) {
  if (timers->refed++ == 0)
    uv_ref((uv_handle_t*) &timers->handle);
}

static void refed_drop(struct node_timers* timers) {
  if (--timers->refed == 0)
    uv_unref((uv_handle_t*) &timers->handle);
}

static int timer_insert(rondo_node_t* node, rondo_node_timer_t* timer, uint64_t start) {
  struct node_timers* timers = &node->timers;
  timer_unlink(timer);
  struct rondo_node_timer_list_s* list = node_list_find(timers, timer->duration);
  if (list == NULL) {
    if (lists_reserve(timers) != 0 || (list = calloc(1, sizeof(*list))) == NULL)
      return UV_ENOMEM;
    list->duration = timer->duration;
    list->expiry = start + timer->duration;
    list->id = timers->next_list_id++;
    node_lists_insert(timers, list);
    heap_put(timers, timers->heap_count++, list);
    heap_up(timers, timers->heap_count - 1);
    if (timers->next_expiry > list->expiry) {
      handle_schedule(timers, list->duration);
      timers->next_expiry = list->expiry;
    }
  }
  timer->start = start;
  timer_append(list, timer);
  return 0;
}

static void timer_finish(rondo_node_t* node, rondo_node_timer_t* timer) {
  timer->firing = 0;
  if (timer->done != NULL)
    timer->done(node, timer);
}

/* ---- firing ---------------------------------------------------------------- */

static const void* node_timer_fire(rondo_node_t* node, rondo_node_timer_t* timer) {
  struct node_timers* timers = &node->timers;
  uint64_t start = timer->repeat ? timers_now(node) : 0;
  timer_unlink(timer);
  timer->firing = 1;
  uint64_t due = timer->start + timer->duration;
  const void* error =
      node_call(node, timer, TRACE_NODE_TIMEOUT, due, timer->cb, timer->data);
  if (!timer->active) { /* cleared by its own callback */
    timer_finish(node, timer);
    return error;
  }
  /* An interval counts from before its callback. If there is no memory for its list, the
   * interval ends. */
  if (timer->repeat)
    timer_insert(node, timer, start);
  if (timer->list != NULL) { /* started again, or refreshed, by its own callback */
    timer->firing = 0;
    return error;
  }
  timer->active = 0;
  if (timer->refed)
    refed_drop(timers);
  timer_finish(node, timer);
  return error;
}

/* A timer started by a callback of this run may have begun after `now`. */
static int node_timer_is_due(const rondo_node_timer_t* timer, uint64_t now) {
  return timer->start + timer->duration <= now;
}

/* The first list of the heap, if its expiry has been reached. */
static struct rondo_node_timer_list_s* list_up(const struct node_timers* timers,
                                               uint64_t now) {
  struct rondo_node_timer_list_s* list = timers->heap_count > 0 ? timers->heap[0] : NULL;
  return list != NULL && list->expiry <= now ? list : NULL;
}

/* A list without a due timer is removed if it is empty, or else moves to its first
 * timer's expiry, behind the lists that already have that expiry. */
static void list_settle(struct node_timers* timers, struct rondo_node_timer_list_s* list,
                        uint64_t now) {
  if (list->first == NULL) {
    list_destroy(timers, list);
    return;
  }
  uint64_t expiry = list->first->start + list->duration;
  list->expiry = expiry > now ? expiry : now + 1;
  list->id = timers->next_list_id++;
  heap_down(timers, list->heap_index);
}

/* Fires the timers that are due, list by list; stops at an error. `now` is fixed, so that
 * timers which keep starting others can't hold up the loop. Ticks come between lists, and
 * between the timers of one list unless those are grouped. A callback or a tick may clear
 * anything, even the list, so the first list is looked up again for each step. */
static const void* node_timers_run(rondo_node_t* node, uint64_t now, int* cut_short) {
  enum {
    NOTHING,
    FIRED,
    LEFT_LIST
  } last = NOTHING; /* what happened since the last ticks */
  struct node_timers* timers = &node->timers;
  struct rondo_node_timer_list_s* list;
  uint64_t fired_of = 0; /* the id of the list that fired */
  timers->next_expiry = UINT64_MAX;
  while ((list = list_up(timers, now)) != NULL) {
    rondo_node_timer_t* timer = list->first;
    int due = timer != NULL && node_timer_is_due(timer, now);
    if (last == FIRED && list->id != fired_of)
      last = LEFT_LIST;
    if (last == LEFT_LIST || (last == FIRED && due && !node->grouped)) {
      last = NOTHING;
      if (ticks_drain(node) != 0) {
        *cut_short = 1;
        return NULL;
      }
    } else if (due) {
      last = FIRED;
      fired_of = list->id;
      const void* error = node_timer_fire(node, timer);
      if (error != NULL || node->left)
        return error;
    } else {
      last = LEFT_LIST;
      list_settle(timers, list, now);
    }
  }
  if (timers->heap_count > 0)
    timers->next_expiry = timers->heap[0]->expiry;
  return NULL;
}

static void timers_fired(uv_timer_t* handle) {
  rondo_node_t* node = handle->data;
  struct node_timers* timers = &node->timers;
  if (node->left)
    return;
  uint64_t now = timers_now(node);
  const void* error;
  int cut_short;
  rondo_node_enter(node);
  /* After an error the other due timers run at once, before any tick. */
  do {
    cut_short = 0;
    error = node_timers_run(node, now, &cut_short);
    if (error != NULL)
      rondo_node_uncaught(node, error);
  } while ((error != NULL || cut_short) && !node->left);
  if (!node->left && timers->next_expiry != UINT64_MAX) {
    uint64_t current = uv_now(node->loop);
    handle_schedule(timers,
                    timers->next_expiry > current ? timers->next_expiry - current : 1);
  }
  rondo_node_leave(node, NULL);
}

/* ---- interface --------------------------------------------------------------- */

int timers_init(rondo_node_t* node) {
  struct node_timers* timers = &node->timers;
  int err = lists_reserve(timers);
  if (err != 0)
    return err;
  timers->next_expiry = UINT64_MAX;
  uv_timer_init(node->loop, &timers->handle);
  timers->handle.data = node;
  uv_unref((uv_handle_t*) &timers->handle);
  return 0;
}

void timers_release(rondo_node_t* node) {
  struct node_timers* timers = &node->timers;
  while (timers->heap_count > 0) {
    struct rondo_node_timer_list_s* list = timers->heap[0];
    rondo_node_timer_t* timer;
    while ((timer = list->first) != NULL) {
      timer_unlink(timer);
      timer->active = 0;
      timer_finish(node, timer);
    }
    list_destroy(timers, list);
  }
  free(timers->heap);
  free(timers->buckets);
  timers->heap = timers->buckets = NULL;
}

uint32_t rondo_node_delay(double ms) {
  /* Written so that NaN fails the test. */
  if (!(ms >= 1 && ms <= RONDO_NODE_TIMEOUT_MAX))
    return 1;
  return (uint32_t) ms;
}

int rondo_node_timer_start(rondo_node_t* node, rondo_node_timer_t* timer, double ms,
                           int repeat, rondo_node_cb cb, rondo_node_timer_done_cb done) {
  timer->prev = timer->next = NULL;
  timer->list = NULL;
  timer->cb = cb;
  timer->done = done;
  timer->duration = rondo_node_delay(ms);
  timer->repeat = repeat != 0;
  timer->firing = 0;
  timer->active = timer->refed = 0;
  int err = timer_insert(node, timer, timers_now(node));
  if (err != 0)
    return err;
  timer->active = timer->refed = 1;
  refed_add(&node->timers);
  return 0;
}

void rondo_node_timer_clear(rondo_node_t* node, rondo_node_timer_t* timer) {
  struct node_timers* timers = &node->timers;
  if (!timer->active)
    return;
  timer->active = 0;
  struct rondo_node_timer_list_s* list = node_list_find(timers, timer->duration);
  timer_unlink(timer);
  /* An empty list of unreferenced timers is kept: programs that unref their timers (for
   * idle connections) soon start another of the same duration. */
  if (timer->refed) {
    if (list != NULL && list->first == NULL)
      list_destroy(timers, list);
    refed_drop(timers);
  }
  if (!timer->firing)
    timer_finish(node, timer);
}

int rondo_node_timer_refresh(rondo_node_t* node, rondo_node_timer_t* timer) {
  if (!timer->active)
    return 0;
  return timer_insert(node, timer, timers_now(node));
}

void rondo_node_timer_ref(rondo_node_t* node, rondo_node_timer_t* timer) {
  if (timer->refed)
    return;
  timer->refed = 1;
  if (timer->active)
    refed_add(&node->timers);
}

void rondo_node_timer_unref(rondo_node_t* node, rondo_node_timer_t* timer) {
  if (!timer->refed)
    return;
  timer->refed = 0;
  if (timer->active)
    refed_drop(&node->timers);
}

int rondo_node_timer_has_ref(const rondo_node_timer_t* timer) {
  return timer->refed;
}
