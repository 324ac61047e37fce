/* Immediates: a check handle runs them; an idle handle, active while one that counts is
 * queued, keeps the poll from blocking (contract N3). A check phase runs the immediates
 * that were queued when it began; those queued by them wait for the next turn. */
#include "internal.h"

#include <assert.h>

static void idle_nothing(uv_idle_t* idle) {
  (void) idle;
}

static void refed_changed(struct node_immediates* im) {
  if (im->refed > 0)
    uv_idle_start(&im->idle, idle_nothing);
  else
    uv_idle_stop(&im->idle);
}

static void queue_push(struct immediate_queue* queue, rondo_node_immediate_t* immediate) {
  immediate->next = NULL;
  immediate->prev = queue->last;
  if (queue->last == NULL)
    queue->first = immediate;
  else
    queue->last->next = immediate;
  queue->last = immediate;
}

static void immediate_remove(struct immediate_queue* queue,
                             rondo_node_immediate_t* immediate) {
  if (immediate->prev == NULL)
    queue->first = immediate->next;
  else
    immediate->prev->next = immediate->next;
  if (immediate->next == NULL)
    queue->last = immediate->prev;
  else
    immediate->next->prev = immediate->prev;
  immediate->prev = immediate->next = NULL;
}

/* Finds the queue that holds the immediate. Only the first and the last one show that;
 * for all others it doesn't matter, since their removal changes no end of a queue. */
static struct immediate_queue* immediates_of(struct node_immediates* im,
                                             const rondo_node_immediate_t* immediate) {
  if (im->entered.first == immediate || im->entered.last == immediate)
    return &im->entered;
  return &im->queued;
}

static void immediate_take(struct node_immediates* im,
                           rondo_node_immediate_t* immediate) {
  immediate_remove(immediates_of(im, immediate), immediate);
  immediate->queued = 0;
  im->count--;
  if (immediate->refed)
    im->refed--;
  immediate->refed = 0;
}

/* Runs one group. An error ends it; the rest stays in `entered`. The ticks between two
 * callbacks may clear any immediate, so each step starts from the head again. */
static const void* immediates_run(rondo_node_t* node) {
  struct node_immediates* im = &node->immediates;
  int ran_one = 0;
  while (im->entered.first != NULL && !node->left) {
    if (ran_one && !node->grouped)
      ticks_drain(node); /* an error in a tick has been reported; the next immediate runs
                            anyway */
    if (node->left || im->entered.first == NULL)
      break;
    rondo_node_immediate_t* immediate = im->entered.first;
    rondo_node_cb cb = immediate->cb;
    void* data = immediate->data;
    immediate_take(im, immediate);
    const void* error = node_call(node, immediate, TRACE_NODE_IMMEDIATE, 0, cb, data);
    if (error != NULL)
      return error;
    ran_one = 1;
  }
  return NULL;
}

static void check_phase(uv_check_t* check) {
  rondo_node_t* node = check->data;
  struct node_immediates* im = &node->immediates;
  /* Ticks left behind by an error come before the immediates. */
  if (node->cut_short && !node->left) {
    rondo_node_enter(node);
    rondo_node_leave(node, NULL);
  }
  if (im->count == 0 || node->left)
    return;
  assert(im->entered.first == NULL);
  /* After an error the other immediates of this turn run at once, before any tick; if
   * there are none, those queued meanwhile do, as in Node. */
  const void* error;
  do {
    if (im->entered.first == NULL) {
      im->entered = im->queued;
      im->queued.first = im->queued.last = NULL;
    }
    rondo_node_enter(node);
    error = immediates_run(node);
    rondo_node_leave(node, error);
  } while (error != NULL && !node->left);
  refed_changed(im);
}

int immediates_init(rondo_node_t* node) {
  struct node_immediates* im = &node->immediates;
  int err = uv_check_init(node->loop, &im->check);
  if (err != 0)
    return err;
  im->check.data = node;
  uv_idle_init(node->loop, &im->idle);
  im->idle.data = node;
  uv_check_start(&im->check, check_phase);
  uv_unref((uv_handle_t*) &im->check);
  return 0;
}

static const void* nudge_nothing(rondo_node_t* node, void* data) {
  (void) node;
  (void) data;
  return NULL;
}

void immediates_nudge(rondo_node_t* node) {
  if (!node->immediates.nudge.queued)
    rondo_node_immediate_start(node, &node->immediates.nudge, nudge_nothing);
}

void rondo_node_immediate_start(rondo_node_t* node, rondo_node_immediate_t* immediate,
                                rondo_node_cb cb) {
  struct node_immediates* im = &node->immediates;
  immediate->cb = cb;
  immediate->queued = 1;
  immediate->refed = 0;
  queue_push(&im->queued, immediate);
  im->count++;
  rondo_node_immediate_ref(node, immediate);
}

void rondo_node_immediate_clear(rondo_node_t* node, rondo_node_immediate_t* immediate) {
  if (!immediate->queued)
    return;
  immediate_take(&node->immediates, immediate);
  refed_changed(&node->immediates);
}

void rondo_node_immediate_ref(rondo_node_t* node, rondo_node_immediate_t* immediate) {
  if (!immediate->queued || immediate->refed)
    return;
  immediate->refed = 1;
  if (node->immediates.refed++ == 0)
    refed_changed(&node->immediates);
}

void rondo_node_immediate_unref(rondo_node_t* node, rondo_node_immediate_t* immediate) {
  if (!immediate->queued || !immediate->refed)
    return;
  immediate->refed = 0;
  if (--node->immediates.refed == 0)
    refed_changed(&node->immediates);
}

int rondo_node_immediate_has_ref(const rondo_node_immediate_t* immediate) {
  return immediate->queued && immediate->refed;
}
