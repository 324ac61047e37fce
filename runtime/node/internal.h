/* The common part of this room's files: the state of one Node layer. */
#ifndef RONDO_NODE_INTERNAL_H
#define RONDO_NODE_INTERNAL_H

#include "rondo_node.h"
#include "node/tracing.h"

/* Timers of one duration, in the order they were started. All lists are in a
 * heap by (expiry, id) and in a hash table by duration. */
struct rondo_node_timer_list_s {
  rondo_node_timer_t *first, *last;
  struct rondo_node_timer_list_s* hash_next;
  uint64_t expiry;
  uint64_t id;
  size_t heap_index;
  uint32_t duration;
};

struct node_timers {
  uv_timer_t handle;
  struct rondo_node_timer_list_s** heap;
  size_t heap_count, heap_capacity;
  struct rondo_node_timer_list_s** buckets;
  size_t bucket_count;  /* a power of two */
  uint64_t next_expiry; /* when the handle is set to fire; UINT64_MAX: not at all */
  uint64_t next_list_id;
  size_t refed;
};

struct immediate_queue {
  rondo_node_immediate_t *first, *last;
};

struct node_immediates {
  uv_check_t check;
  uv_idle_t idle;                 /* active while a referenced immediate is queued */
  struct immediate_queue queued;  /* for the next turn */
  struct immediate_queue entered; /* those that this turn's check phase began with */
  size_t count, refed;
  rondo_node_immediate_t nudge; /* see immediates_nudge */
};

struct rondo_node_s {
  uv_loop_t* loop;
  rondo_node_hooks_t hooks;
  rondo_node_tick_t *tick_first, *tick_last;
  struct node_timers timers;
  struct node_immediates immediates;
  unsigned depth; /* number of open callback scopes */
  int grouped;    /* contract N5 */
  int exiting;    /* exit was or is being emitted */
  int cut_short;  /* an error left ticks or microtasks behind */
  int left;       /* no callback may run any more */
  int exit_code;
  int open_handles;
};

/* Calls back a timer or an immediate, the subject of the record. Only a timer has a time
 * when it was due. */
static inline const void* node_call(rondo_node_t* node, const void* address,
                                    enum trace_node_subject subject, uint64_t due_ms,
                                    rondo_node_cb cb, void* data) {
  if (!traced(node->loop))
    return cb(node, data);
  bool timeout = subject == TRACE_NODE_TIMEOUT;
  trace_callback(node->loop, trace_subject(address, TRACE_SUBJECT_NODE + subject),
                 (trace_function) cb, timeout ? trace_late_us(due_ms * 1000) : 0);
  const void* error = cb(node, data);
  trace_end(node->loop);
  return error;
}

/* Runs ticks and microtasks until both are empty. Non-zero if an error ended it early;
 * the error has been reported by then. */
int ticks_drain(rondo_node_t* node);

int timers_init(rondo_node_t* node);
void timers_release(rondo_node_t* node);

int immediates_init(rondo_node_t* node);

/* Makes sure that the next check phase enters a callback scope, so that ticks left behind
 * by an error soon run. */
void immediates_nudge(rondo_node_t* node);

#endif
