/* Async handles: the one thing that may be touched from other threads.
 *
 * A send marks the handle and pushes it on the loop's stack of handles that were told
 * about; a handle that is marked already is left alone, so sends are coalesced. Only the
 * send that finds the stack empty wakes the loop. The loop takes the whole stack at once,
 * so a burst costs it what was sent, not how many handles there are.
 *
 * Private words of a handle: u.reserved[1] is the next on the stack, u.reserved[2] counts
 * the sends that are inside uv_async_send, for uv_close to wait for. */
#include "base/base.h"
#include "loop/loop.h"

#include <sched.h>

enum { PENDING_NO = 0, PENDING_YES = 1, PENDING_CLOSED = 2 };

static const struct handle_kind async_kind = {.type = UV_ASYNC, .close = async_close};

static uv_async_t** next_of(uv_async_t* handle) {
  return (uv_async_t**) &handle->u.reserved[1];
}

static uintptr_t* senders_of(uv_async_t* handle) {
  return (uintptr_t*) &handle->u.reserved[2];
}

int uv_async_init(uv_loop_t* loop, uv_async_t* handle, uv_async_cb cb) {
  handle_init(loop, (uv_handle_t*) handle, &async_kind);
  handle->async_cb = cb;
  handle->pending = PENDING_NO;
  *senders_of(handle) = 0;
  queue_init(queue_of(handle->queue));
  handle_start((uv_handle_t*) handle);
  return 0;
}

static void push_told(uv_loop_t* loop, uv_async_t* handle) {
  uv_async_t* first = __atomic_load_n(&loop->async_told, __ATOMIC_RELAXED);
  do
    *next_of(handle) = first;
  while (!__atomic_compare_exchange_n(&loop->async_told, &first, handle, true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if (first == NULL)
    loop_wake(loop, WAKE_ASYNC);
}

int uv_async_send(uv_async_t* handle) {
  if (__atomic_load_n(&handle->pending, __ATOMIC_SEQ_CST) != PENDING_NO)
    return 0;
  __atomic_fetch_add(senders_of(handle), 1, __ATOMIC_SEQ_CST);
  int no = PENDING_NO;
  if (__atomic_compare_exchange_n(&handle->pending, &no, PENDING_YES, false,
                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    push_told(handle->loop, handle);
  __atomic_fetch_sub(senders_of(handle), 1, __ATOMIC_SEQ_CST);
  return 0;
}

/* Moves what was told to the loop's own queue, oldest first. */
static void take_told(uv_loop_t* loop) {
  uv_async_t* handle = __atomic_exchange_n(&loop->async_told, NULL, __ATOMIC_SEQ_CST);
  struct queue batch;
  queue_init(&batch);
  while (handle != NULL) {
    uv_async_t* next = *next_of(handle);
    queue_push_front(&batch, queue_of(handle->queue));
    handle = next;
  }
  queue_append(queue_of(loop->async_handles), &batch);
}

static void async_run(uv_loop_t* loop) {
  take_told(loop);
  struct queue* told = queue_of(loop->async_handles);
  struct queue batch;
  queue_move(told, &batch);
  while (!queue_empty(&batch) && poll_take(loop)) {
    struct queue* link = queue_first(&batch);
    uv_async_t* handle = rondo_container_of(link, uv_async_t, queue);
    queue_remove(link);
    /* Before the callback: a send from now on is a new one. */
    __atomic_store_n(&handle->pending, PENDING_NO, __ATOMIC_SEQ_CST);
    if (handle->async_cb == NULL)
      continue;
    loop_count_callback(loop);
    loop->events++;
    handle->async_cb(handle);
  }
  if (queue_empty(&batch))
    return;
  queue_append(&batch, told);
  queue_move(&batch, told);
  loop_wake(loop, WAKE_ASYNC); /* a limit's leftovers: again in the next turn */
}

void async_loop_init(uv_loop_t* loop) {
  queue_init(queue_of(loop->async_handles));
  loop->on_wake[WAKE_ASYNC] = async_run;
}

/* After a fork: a thread of the parent may have been inside uv_async_send. Its sends are
 * not ours, and nobody in this process will ever finish them. */
void async_fork(uv_loop_t* loop) {
  take_told(loop);
  struct queue* link;
  while ((link = queue_first(queue_of(loop->async_handles))) != NULL) {
    queue_remove(link);
    rondo_container_of(link, uv_async_t, queue)->pending = PENDING_NO;
  }
  struct queue* handles = queue_of(loop->handle_queue);
  for (link = queue_first(handles); link != NULL; link = queue_next(handles, link)) {
    uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if (handle->type == UV_ASYNC && !handle_closing(handle)) {
      ((uv_async_t*) handle)->pending = PENDING_NO;
      *senders_of((uv_async_t*) handle) = 0;
    }
  }
}

/* Waits for sends that are under way in other threads, which is a matter of a few
 * instructions: after this nobody touches the handle any more, as the manual promises. */
void async_close(uv_handle_t* base) {
  uv_async_t* handle = (uv_async_t*) base;
  __atomic_store_n(&handle->pending, PENDING_CLOSED, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(senders_of(handle), __ATOMIC_SEQ_CST) != 0)
    sched_yield();
  take_told(handle->loop);
  queue_remove(queue_of(handle->queue));
  if (!queue_empty(queue_of(handle->loop->async_handles)))
    loop_wake(handle->loop, WAKE_ASYNC);
  handle_stop(base);
  handle_closed(base);
}
