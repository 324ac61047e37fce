/* The closing phase (contract C): the close callbacks of this turn, last closed first. */
#include "loop/limits.h"
#include "loop/loop.h"

void handle_closed(uv_handle_t* handle) {
  assert(handle->flags & HANDLE_CLOSING);
  assert(!(handle->flags & HANDLE_CLOSED));
  uv_loop_t* loop = handle->loop;
  if (loop->closing_handles == NULL)
    loop->closing_first = handle;
  handle->next_closing = loop->closing_handles;
  loop->closing_handles = handle;
}

static void closing_finish(uv_loop_t* loop, uv_handle_t* handle) {
  const struct handle_kind* kind = handle_kind(handle);
  handle->flags |= HANDLE_CLOSED;
  if (kind->finish != NULL)
    kind->finish(handle);
  uv_unref(handle);
  handle_unlink(handle);
  if (handle->close_cb == NULL) {
    trace_gone(loop, handle);
    return;
  }
  /* The handle's memory is the caller's from here on. */
  loop_call_back(loop, subject_closed(handle), 0, handle->close_cb, handle);
}

/* Handles closed since the last turn go behind those that a limit left over in it: all
 * were there when the phase was entered, so all may run in it (contract P2). */
static void batch_add_closed(uv_loop_t* loop) {
  if (loop->closing_handles == NULL)
    return;
  if (loop->closing_batch == NULL)
    loop->closing_batch = loop->closing_handles;
  else
    loop->closing_batch_last->next_closing = loop->closing_handles;
  loop->closing_batch_last = loop->closing_first;
  loop->closing_handles = NULL;
}

static uv_handle_t* batch_take(uv_loop_t* loop) {
  uv_handle_t* handle = loop->closing_batch;
  if (handle != NULL)
    loop->closing_batch = handle->next_closing;
  return handle;
}

/* Handles that the callbacks close wait for the next turn, behind those that the limit
 * leaves over. */
void closing_run(uv_loop_t* loop) {
  batch_add_closed(loop);
  if (loop->closing_batch == NULL)
    return;
  trace_phase(loop, RONDO_PHASE_CLOSING);
  unsigned int limit = phase_limit(loop, RONDO_PHASE_CLOSING);
  while (limit-- > 0) {
    uv_handle_t* handle = batch_take(loop);
    if (handle == NULL)
      return;
    closing_finish(loop, handle);
  }
}
