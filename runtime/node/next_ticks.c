/* Ticks, the microtask checkpoint and the callback scope. Ticks and microtasks aren't a
 * phase of the loop: they run whenever the outermost scope is left, and between the
 * timers or immediates of one phase (contract N4). */
#include "internal.h"

#include <assert.h>

int rondo_node_next_tick(rondo_node_t* node, rondo_node_tick_t* tick, rondo_node_cb cb,
                         void* data) {
  if (node->exiting)
    return UV_ECANCELED;
  tick->next = NULL;
  tick->cb = cb;
  tick->data = data;
  if (node->tick_last == NULL)
    node->tick_first = tick;
  else
    node->tick_last->next = tick;
  node->tick_last = tick;
  return 0;
}

static rondo_node_tick_t* tick_shift(rondo_node_t* node) {
  rondo_node_tick_t* tick = node->tick_first;
  if (tick != NULL) {
    node->tick_first = tick->next;
    if (node->tick_first == NULL)
      node->tick_last = NULL;
  }
  return tick;
}

static int ticks_call(rondo_node_t* node) {
  rondo_node_tick_t* tick;
  while ((tick = tick_shift(node)) != NULL) {
    const void* error = tick->cb(node, tick->data);
    /* Ticks after the one that failed stay queued for the next checkpoint. */
    if (error != NULL)
      rondo_node_uncaught(node, error);
    if (error != NULL || node->left)
      return -1;
  }
  return 0;
}

static int ticks_run(rondo_node_t* node) {
  if (node->tick_first == NULL)
    return 0;
  trace_begin(node->loop, TRACE_TICKS);
  int err = ticks_call(node);
  trace_end(node->loop);
  return err;
}

static void microtasks_run(rondo_node_t* node) {
  if (node->hooks.microtasks == NULL)
    return;
  trace_begin(node->loop, TRACE_MICROTASKS);
  node->hooks.microtasks(node, node->hooks.data);
  trace_end(node->loop);
}

int ticks_drain(rondo_node_t* node) {
  int again;
  node->cut_short = 1;
  do {
    again = 0;
    if (ticks_run(node) != 0)
      return -1;
    microtasks_run(node);
    if (node->left)
      return -1;
    if (node->tick_first == NULL && node->hooks.rejections != NULL) {
      const void* error = node->hooks.rejections(node, &again, node->hooks.data);
      if (error != NULL)
        rondo_node_uncaught(node, error);
      if (error != NULL || node->left)
        return -1;
    }
  } while (node->tick_first != NULL || again);
  node->cut_short = 0;
  return 0;
}

void rondo_node_enter(rondo_node_t* node) {
  node->depth++;
}

void rondo_node_leave(rondo_node_t* node, const void* error) {
  assert(node->depth > 0);
  /* The error is reported inside the scope, so that what its handler starts belongs to
   * the scope. */
  if (error != NULL && !node->left) {
    node->cut_short = 1;
    rondo_node_uncaught(node, error);
  }
  if (node->depth == 1 && error == NULL && !node->left)
    ticks_drain(node);
  node->depth--;
}

void rondo_node_call(rondo_node_t* node, rondo_node_cb cb, void* data) {
  if (node->left)
    return;
  rondo_node_enter(node);
  rondo_node_leave(node, cb(node, data));
}
