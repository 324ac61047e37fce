/* The closing phase (contract C): the close callbacks of this turn, last closed first. */
#include "loop/loop.h"

void handle_closed(uv_handle_t* handle) {
  assert(handle->flags & HANDLE_CLOSING);
  assert(!(handle->flags & HANDLE_CLOSED));
  handle->next_closing = handle->loop->closing_handles;
  handle->loop->closing_handles = handle;
}

static void finish(uv_loop_t* loop, uv_handle_t* handle) {
  const struct handle_kind* kind = handle_kind(handle);
  handle->flags |= HANDLE_CLOSED;
  if (kind->finish != NULL)
    kind->finish(handle);
  uv_unref(handle);
  queue_remove(queue_of(handle->handle_queue));
  if (handle->close_cb == NULL)
    return;
  loop_count_callback(loop);
  handle->close_cb(handle); /* the handle's memory is the caller's from here on */
}

static uv_handle_t* closing_take(uv_loop_t* loop) {
  uv_handle_t* handle = loop->closing_batch;
  if (handle != NULL)
    loop->closing_batch = handle->next_closing;
  return handle;
}

/* What the callbacks close waits for the next turn; so does what is beyond the limit, in
 * front of that. */
void closing_run(uv_loop_t* loop) {
  if (loop->closing_batch == NULL) {
    loop->closing_batch = loop->closing_handles;
    loop->closing_handles = NULL;
  }
  unsigned int limit = phase_limit(loop, RONDO_PHASE_CLOSING);
  while (limit-- > 0) {
    uv_handle_t* handle = closing_take(loop);
    if (handle == NULL)
      return;
    finish(loop, handle);
  }
}
