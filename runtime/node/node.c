/* Creates and frees the layer, routes errors, and runs the outer loop: main script, loop,
 * engine tasks, beforeExit, exit (contract N1, N7). */
#include "internal.h"

#include <assert.h>
#include <stdlib.h>

int rondo_node_new(rondo_node_t** out, uv_loop_t* loop, const rondo_node_hooks_t* hooks) {
  rondo_node_t* node = calloc(1, sizeof(*node));
  if (node == NULL)
    return UV_ENOMEM;
  node->loop = loop;
  if (hooks != NULL)
    node->hooks = *hooks;
  int err = timers_init(node);
  if (err == 0)
    err = immediates_init(node);
  if (err != 0) {
    timers_release(node);
    free(node);
    return err;
  }
  node->open_handles = 3;
  *out = node;
  return 0;
}

static void node_handle_closed(uv_handle_t* handle) {
  rondo_node_t* node = handle->data;
  if (--node->open_handles == 0)
    free(node);
}

void rondo_node_free(rondo_node_t* node) {
  assert(node->depth == 0);
  node->left = 1;
  timers_release(node);
  uv_close((uv_handle_t*) &node->timers.handle, node_handle_closed);
  uv_close((uv_handle_t*) &node->immediates.check, node_handle_closed);
  uv_close((uv_handle_t*) &node->immediates.idle, node_handle_closed);
}

uv_loop_t* rondo_node_loop(const rondo_node_t* node) {
  return node->loop;
}

void* rondo_node_data(const rondo_node_t* node) {
  return node->hooks.data;
}

void rondo_node_set_grouped(rondo_node_t* node, int on) {
  node->grouped = on != 0;
}

int rondo_node_exiting(const rondo_node_t* node) {
  return node->exiting;
}

int rondo_node_exit(rondo_node_t* node, int code) {
  if (!node->exiting) {
    node->exiting = 1;
    node->exit_code = code;
    if (node->hooks.exit != NULL)
      node->exit_code = node->hooks.exit(node, code, node->hooks.data);
  } else if (!node->left) {
    node->exit_code = code; /* exit() from inside an exit callback */
  }
  node->left = 1;
  uv_stop(node->loop);
  return node->exit_code;
}

int rondo_node_uncaught(rondo_node_t* node, const void* error) {
  rondo_node_hooks_t* hooks = &node->hooks;
  if (hooks->uncaught != NULL && hooks->uncaught(node, error, hooks->data)) {
    immediates_nudge(node);
    return 1;
  }
  if (node->left)
    return 0;
  rondo_node_exit(node, 1);
  if (hooks->fatal != NULL)
    hooks->fatal(node, error, hooks->data);
  return 0;
}

static void run_main(rondo_node_t* node, rondo_node_cb main, void* data) {
  rondo_node_enter(node);
  trace_begin(node->loop, TRACE_SCRIPT);
  const void* error = main(node, data);
  trace_end(node->loop);
  if (error != NULL && !node->left)
    rondo_node_uncaught(node, error);
  /* Unlike any later callback, the main script gets its ticks run even if it threw and
   * the error was handled. */
  rondo_node_leave(node, NULL);
}

static int emit_before_exit(rondo_node_t* node) {
  rondo_node_hooks_t* hooks = &node->hooks;
  if (hooks->before_exit == NULL)
    return 0;
  rondo_node_enter(node);
  rondo_node_leave(node, hooks->before_exit(node, hooks->data));
  return !node->left && uv_loop_alive(node->loop);
}

/* The regular end. Promise jobs of exit callbacks still run, as in Node; ticks are
 * refused by then, and no phase follows. */
static void emit_exit(rondo_node_t* node) {
  node->exiting = 1;
  rondo_node_enter(node);
  if (node->hooks.exit != NULL) {
    int code = node->hooks.exit(node, 0, node->hooks.data);
    if (!node->left)
      node->exit_code = code;
  }
  rondo_node_leave(node, NULL);
  node->left = 1;
}

int rondo_node_run(rondo_node_t* node, rondo_node_cb main, void* data) {
  if (main != NULL)
    run_main(node, main, data);
  int more = !node->left;
  while (more) {
    uv_run(node->loop, UV_RUN_DEFAULT);
    if (node->left)
      break;
    if (node->hooks.drain != NULL)
      node->hooks.drain(node, node->hooks.data);
    if (node->left)
      break;
    more = uv_loop_alive(node->loop) || emit_before_exit(node);
  }
  if (!node->left)
    emit_exit(node);
  return node->exit_code;
}
