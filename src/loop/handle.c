/* The common part of all handles and requests: life, references, names, accessors. */
#include "base/base.h"
#include "loop/loop.h"
#include "sim/sim.h"

#include <stdlib.h>

void handle_init(uv_loop_t* loop, uv_handle_t* handle, const struct handle_kind* kind) {
  handle->loop = loop;
  handle->type = kind->type;
  handle->close_cb = NULL;
  handle->next_closing = NULL;
  handle->flags = HANDLE_REFERENCED;
  handle->u.reserved[0] = (void*) (uintptr_t) kind;
  handle->u.reserved[1] = NULL;
  handle->u.reserved[2] = NULL;
  handle->u.reserved[3] = NULL;
  queue_push_back(queue_of(loop->handle_queue), queue_of(handle->handle_queue));
  if (simulated(loop))
    sim_handle_made(loop, handle);
}

/* Neighbours in the list may be freed memory: some programs free a handle that they never
 * closed, which is an error but works with libuv. queue_leave doesn't rely on them. */
void handle_unlink(uv_handle_t* handle) {
  queue_leave(queue_of(handle->handle_queue));
}

void handle_uninit(uv_handle_t* handle) {
  handle_stop(handle);
  handle_unlink(handle);
}

void uv_close(uv_handle_t* handle, uv_close_cb cb) {
  assert(!handle_closing(handle) && "a handle is closed once");
  handle->flags |= HANDLE_CLOSING;
  handle->close_cb = cb;
  handle_kind(handle)->close(handle);
}

int uv_is_closing(const uv_handle_t* handle) {
  return handle_closing(handle);
}

int uv_is_active(const uv_handle_t* handle) {
  return handle_active(handle);
}

void uv_ref(uv_handle_t* handle) {
  if (handle->flags & HANDLE_REFERENCED)
    return;
  handle->flags |= HANDLE_REFERENCED;
  if (handle_active(handle))
    handle->loop->active_handles++;
}

void uv_unref(uv_handle_t* handle) {
  if (!(handle->flags & HANDLE_REFERENCED))
    return;
  handle->flags &= ~(unsigned int) HANDLE_REFERENCED;
  if (handle_active(handle))
    handle->loop->active_handles--;
}

int uv_has_ref(const uv_handle_t* handle) {
  return (handle->flags & HANDLE_REFERENCED) != 0;
}

/* --- walking and printing -------------------------------------------------------- */

/* The callback may close any handle: a handle leaves the list only after its close
 * callback, which never runs in here. The callback may also add handles, which are not
 * visited. */
void uv_walk(uv_loop_t* loop, uv_walk_cb cb, void* arg) {
  struct queue* handles = queue_of(loop->handle_queue);
  struct queue batch;
  queue_move(handles, &batch);
  struct queue* link;
  while ((link = queue_first(&batch)) != NULL) {
    uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    queue_remove(link);
    queue_push_back(handles, link);
    if (!(handle->flags & HANDLE_INTERNAL))
      cb(handle, arg);
  }
}

static void print_handles(uv_loop_t* loop, bool only_active, FILE* stream) {
  if (loop == NULL)
    loop = uv_default_loop();
  if (stream == NULL)
    stream = stderr;
  const struct queue* handles = queue_of(loop->handle_queue);
  for (const struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if (only_active && !handle_active(handle))
      continue;
    const char* name = uv_handle_type_name(handle->type);
    fprintf(stream, "[%c%c%c] %-8s %p\n", handle->flags & HANDLE_REFERENCED ? 'R' : '-',
            handle_active(handle) ? 'A' : '-',
            handle->flags & HANDLE_INTERNAL ? 'I' : '-', name == NULL ? "?" : name,
            (const void*) handle);
  }
}

void uv_print_all_handles(uv_loop_t* loop, FILE* stream) {
  print_handles(loop, false, stream);
}

void uv_print_active_handles(uv_loop_t* loop, FILE* stream) {
  print_handles(loop, true, stream);
}

/* --- accessors ------------------------------------------------------------------- */

uv_handle_type uv_handle_get_type(const uv_handle_t* handle) {
  return handle->type;
}

void* uv_handle_get_data(const uv_handle_t* handle) {
  return handle->data;
}

uv_loop_t* uv_handle_get_loop(const uv_handle_t* handle) {
  return handle->loop;
}

void uv_handle_set_data(uv_handle_t* handle, void* data) {
  handle->data = data;
}

uv_req_type uv_req_get_type(const uv_req_t* req) {
  return req->type;
}

void* uv_req_get_data(const uv_req_t* req) {
  return req->data;
}

void uv_req_set_data(uv_req_t* req, void* data) {
  req->data = data;
}
