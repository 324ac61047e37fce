/* An intrusive doubly linked ring. Every link is part of the thing that is
 * queued, so no operation allocates or fails, and a thing can leave its queue
 * without knowing which one it is in.
 *
 * The public structures reserve a link as `void* name[2]`, because the layout
 * of uv.h is fixed; queue_of() gives it its type. An unlinked link points at
 * itself once it went through queue_init() or queue_remove(), so that removing
 * it again is harmless and queue_empty() also answers "is it linked?".
 *
 * To run callbacks over a queue that they may change, move it to a local head
 * first and take things from its front:
 *
 *     struct queue batch;
 *     queue_move(&loop_queue, &batch);
 *     while (!queue_empty(&batch)) {
 *       struct queue* link = queue_first(&batch);
 *       queue_remove(link);
 *       ...
 *     }
 *
 * What is added meanwhile waits in loop_queue; what is removed meanwhile
 * leaves the batch; nothing is visited twice. */
#ifndef RONDO_BASE_QUEUE_H
#define RONDO_BASE_QUEUE_H

#include "base/base.h"

#include <stdbool.h>

/* The links live in memory that uv.h declares as an array of void pointers;
 * may_alias: the compiler must expect both types to mean the same bytes. */
struct __attribute__((may_alias)) queue {
  struct queue* next;
  struct queue* prev;
};

_Static_assert(sizeof(struct queue) == 2 * sizeof(void*),
               "a queue link must fit the two words of a public structure");

static inline struct queue* queue_of(void* words[2]) {
  return (struct queue*) words;
}

static inline void queue_init(struct queue* queue) {
  queue->next = queue;
  queue->prev = queue;
}

static inline bool queue_empty(const struct queue* queue) {
  return queue->next == queue;
}

static inline void queue_link_between(struct queue* link, struct queue* prev,
                                      struct queue* next) {
  link->prev = prev;
  link->next = next;
  prev->next = link;
  next->prev = link;
}

static inline void queue_push_back(struct queue* queue, struct queue* link) {
  queue_link_between(link, queue->prev, queue);
}

static inline void queue_push_front(struct queue* queue, struct queue* link) {
  queue_link_between(link, queue, queue->next);
}

static inline void queue_remove(struct queue* link) {
  assert(link->next->prev == link && link->prev->next == link);
  link->prev->next = link->next;
  link->next->prev = link->prev;
  queue_init(link);
}

/* As queue_remove, where a neighbour may have been freed without leaving the queue: a
 * neighbour is written to only if it still points to this link. */
static inline void queue_leave(struct queue* link) {
  if (link->prev->next == link)
    link->prev->next = link->next;
  if (link->next->prev == link)
    link->next->prev = link->prev;
  queue_init(link);
}

/* The first and the last link; NULL in an empty queue. */
static inline struct queue* queue_first(const struct queue* queue) {
  return queue_empty(queue) ? NULL : queue->next;
}

static inline struct queue* queue_last(const struct queue* queue) {
  return queue_empty(queue) ? NULL : queue->prev;
}

/* The link after this one; NULL at the end. For read-only walks. */
static inline struct queue* queue_next(const struct queue* queue,
                                       const struct queue* link) {
  return link->next == queue ? NULL : link->next;
}

/* Moves all links of `from`, in order, to `to`, which need not be initialised and must
 * not hold any. `from` is empty afterwards. */
static inline void queue_move(struct queue* from, struct queue* to) {
  if (queue_empty(from)) {
    queue_init(to);
    return;
  }
  to->next = from->next;
  to->prev = from->prev;
  to->next->prev = to;
  to->prev->next = to;
  queue_init(from);
}

/* All links of `from`, in order, go behind those that `to` has already. */
static inline void queue_append(struct queue* to, struct queue* from) {
  if (queue_empty(from))
    return;
  from->next->prev = to->prev;
  to->prev->next = from->next;
  from->prev->next = to;
  to->prev = from->prev;
  queue_init(from);
}

#endif
