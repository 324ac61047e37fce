/* Pending: I/O callbacks that were put off. These callbacks run in the pending phase and
 * again after the poll (contract Q1, run.c). */
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "loop/watcher.h"

void pending_run(uv_loop_t* loop) {
  struct queue* pending = queue_of(loop->pending_queue);
  if (queue_empty(pending))
    return;
  trace_phase(loop, RONDO_PHASE_PENDING);
  unsigned int limit = phase_limit(loop, RONDO_PHASE_PENDING);
  struct queue batch;
  queue_move(pending, &batch);
  while (!queue_empty(&batch) && limit-- > 0) {
    struct queue* link = queue_first(&batch);
    uv__io_t* w = rondo_container_of(link, uv__io_t, pending_queue);
    queue_remove(link);
    w->cb(loop, w, WATCH_FED);
  }
  queue_append(
      &batch,
      pending); /* callbacks left over by the limit come first in the next round */
  queue_move(&batch, pending);
}
