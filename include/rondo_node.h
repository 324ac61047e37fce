/* The layer that Node puts on top of the loop, for any embedder: ticks and the
 * microtask checkpoint, timers and immediates with Node's ordering, the
 * callback scope, and the outer loop with beforeExit and exit. There is no
 * JavaScript in it: a callback is a C function, and the engine, if there is
 * one, fills the hooks.
 *
 * The rules a user can rely on:
 *  - One rondo_node_t belongs to one loop and is used on that loop's thread.
 *  - Ticks, timers and immediates live in the caller's memory. The layer holds
 *    on to a timer from the call that starts it until its `done` callback, to a
 *    tick or an immediate until its callback is entered, and never touches it
 *    afterwards.
 *  - A callback returns NULL, or a non-NULL "error" of the embedder's own kind,
 *    which is what a thrown exception is here. The layer never looks inside.
 */
#ifndef RONDO_NODE_H
#define RONDO_NODE_H

#include <stddef.h>
#include <stdint.h>
#include "uv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rondo_node_s rondo_node_t;

/* Returns NULL, or the error that was "thrown". */
typedef const void* (*rondo_node_cb)(rondo_node_t* node, void* data);

/* Hooks that the embedder fills in. Every member may be NULL. */
typedef struct rondo_node_hooks_s {
  void* data;
  /* Runs promise jobs until there are none left. */
  void (*microtasks)(rondo_node_t* node, void* data);
  /* Handles rejections without a handler, once ticks and microtasks are empty. Sets
   * *again if ticks or microtasks may have been queued. */
  const void* (*rejections)(rondo_node_t* node, int* again, void* data);
  /* Runs the engine's own finished tasks (Node: platform tasks). */
  void (*drain)(rondo_node_t* node, void* data);
  /* Node's beforeExit and exit. The second returns the final exit code. */
  const void* (*before_exit)(rondo_node_t* node, void* data);
  int (*exit)(rondo_node_t* node, int code, void* data);
  /* An error no callback caught: non-zero if someone handled it. */
  int (*uncaught)(rondo_node_t* node, const void* error, void* data);
  /* Called for an error that `uncaught` did not handle, after exit was emitted: prints
   * it. */
  void (*fatal)(rondo_node_t* node, const void* error, void* data);
} rondo_node_hooks_t;

/* ---- life ------------------------------------------------------------- */

/* Makes the layer on a loop. The hooks are copied. */
UV_EXTERN int rondo_node_new(rondo_node_t** out, uv_loop_t* loop,
                             const rondo_node_hooks_t* hooks);

/* Closes the layer's handles; the memory is freed when the loop has run their close
 * callbacks (one more uv_run). Ticks and immediates still queued are dropped; timers too,
 * with their `done` callbacks called. */
UV_EXTERN void rondo_node_free(rondo_node_t* node);

/* The loop that the layer is on, and the `data` of its hooks. */
UV_EXTERN uv_loop_t* rondo_node_loop(const rondo_node_t* node);
UV_EXTERN void* rondo_node_data(const rondo_node_t* node);

/* Runs `main`, its ticks and microtasks, then the loop until nothing is left:
 * the outer loop of N1 in docs/contract.md. Returns the exit code. */
UV_EXTERN int rondo_node_run(rondo_node_t* node, rondo_node_cb main, void* data);

/* process.exit(): emits exit once, then no callback runs any more and
 * rondo_node_run returns the code. Returns the code that the exit hook chose. */
UV_EXTERN int rondo_node_exit(rondo_node_t* node, int code);

/* Non-zero once exit has begun. */
UV_EXTERN int rondo_node_exiting(const rondo_node_t* node);

/* Reports an error as if a callback had returned it. Non-zero if it was handled; if not,
 * the layer has ended as after rondo_node_exit(1). */
UV_EXTERN int rondo_node_uncaught(rondo_node_t* node, const void* error);

/* Node 10 and older: ticks and microtasks run after a whole group of timers or
 * immediates instead of after each (N5 in docs/contract.md). Off by default. */
UV_EXTERN void rondo_node_set_grouped(rondo_node_t* node, int on);

/* ---- the callback scope ------------------------------------------------ */

/* Everything that enters the engine from the loop does so between these two. Leaving the
 * outermost scope runs all ticks, then all microtasks, again until both are empty. If
 * `error` is given, it is reported instead. */
UV_EXTERN void rondo_node_enter(rondo_node_t* node);
UV_EXTERN void rondo_node_leave(rondo_node_t* node, const void* error);

/* Calls `cb` in a callback scope: rondo_node_enter, the callback, rondo_node_leave with
 * what it returned. */
UV_EXTERN void rondo_node_call(rondo_node_t* node, rondo_node_cb cb, void* data);

/* ---- ticks -------------------------------------------------------------- */

typedef struct rondo_node_tick_s {
  struct rondo_node_tick_s* next;
  rondo_node_cb cb;
  void* data;
} rondo_node_tick_t;

/* process.nextTick(). UV_ECANCELED, and nothing happens, while exiting. */
UV_EXTERN int rondo_node_next_tick(rondo_node_t* node, rondo_node_tick_t* tick,
                                   rondo_node_cb cb, void* data);

/* ---- timers ------------------------------------------------------------- */

typedef struct rondo_node_timer_s rondo_node_timer_t;
typedef void (*rondo_node_timer_done_cb)(rondo_node_t* node, rondo_node_timer_t* timer);

struct rondo_node_timer_s {
  void* data;
  /* private from here on */
  rondo_node_timer_t *prev, *next;
  struct rondo_node_timer_list_s* list;
  rondo_node_cb cb;
  rondo_node_timer_done_cb done;
  uint64_t start;
  uint32_t duration;
  unsigned char active, firing, refed, repeat;
};

#define RONDO_NODE_TIMEOUT_MAX 2147483647

/* Node's conversion of a number to a delay: whole milliseconds, and 1 for anything below
 * 1, above RONDO_NODE_TIMEOUT_MAX or not a number. */
UV_EXTERN uint32_t rondo_node_delay(double ms);

/* setTimeout() and setInterval(). `done`, which may be NULL, is called once when the
 * layer is done with the timer: the timer fired for the last time and its callback did
 * not refresh it, or it was cleared. Until then the timer must not be started again, not
 * even by its own callback. UV_ENOMEM, and nothing is started, if there is no memory for
 * a new duration. */
UV_EXTERN int rondo_node_timer_start(rondo_node_t* node, rondo_node_timer_t* timer,
                                     double ms, int repeat, rondo_node_cb cb,
                                     rondo_node_timer_done_cb done);

/* clearTimeout(); nothing happens if the timer isn't running. Safe from any
 * callback, the timer's own included (`done` then comes after it). */
UV_EXTERN void rondo_node_timer_clear(rondo_node_t* node, rondo_node_timer_t* timer);

/* timeout.refresh(): the delay begins again now. Does nothing and returns 0 if the timer
 * isn't running or was cleared. */
UV_EXTERN int rondo_node_timer_refresh(rondo_node_t* node, rondo_node_timer_t* timer);

/* timeout.ref(), unref() and hasRef(): a running timer keeps the loop alive unless it is
 * unreferenced. rondo_node_timer_start makes it referenced. */
UV_EXTERN void rondo_node_timer_ref(rondo_node_t* node, rondo_node_timer_t* timer);
UV_EXTERN void rondo_node_timer_unref(rondo_node_t* node, rondo_node_timer_t* timer);
UV_EXTERN int rondo_node_timer_has_ref(const rondo_node_timer_t* timer);

/* ---- immediates --------------------------------------------------------- */

typedef struct rondo_node_immediate_s rondo_node_immediate_t;

struct rondo_node_immediate_s {
  void* data;
  /* private from here on */
  rondo_node_immediate_t *prev, *next;
  rondo_node_cb cb;
  unsigned char queued, refed;
};

/* setImmediate(), clearImmediate(), and ref(), unref() and hasRef() of an immediate. The
 * layer is done with the immediate when its callback is entered or when it is cleared. */
UV_EXTERN void rondo_node_immediate_start(rondo_node_t* node,
                                          rondo_node_immediate_t* immediate,
                                          rondo_node_cb cb);
UV_EXTERN void rondo_node_immediate_clear(rondo_node_t* node,
                                          rondo_node_immediate_t* immediate);
UV_EXTERN void rondo_node_immediate_ref(rondo_node_t* node,
                                        rondo_node_immediate_t* immediate);
UV_EXTERN void rondo_node_immediate_unref(rondo_node_t* node,
                                          rondo_node_immediate_t* immediate);
UV_EXTERN int rondo_node_immediate_has_ref(const rondo_node_immediate_t* immediate);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_NODE_H */
