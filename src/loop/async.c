/* Async handles: the one thing that may be touched from other threads.
 *
 * A send marks the handle as sent and pushes it on the loop's stack; a handle that is
 * marked already is left alone, so sends are coalesced. Only the send that finds the
 * stack empty wakes the loop. The loop takes the whole stack at once, so a burst costs it
 * what was sent, not how many handles there are. Callbacks of one batch run in the order
 * in which the handles were made, as in libuv, which walks its list of handles. Node's
 * message ports rely on that order.
 *
 * The stack is linked through the first word of the handle's queue link, which has no
 * other use until the loop takes the handle over. The callback may close the handle and
 * the loop. So the sender doesn't touch the handle after its push, nor the loop after it
 * has left loop->async_senders. */
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"
#include "sim/sim.h"

#include <sched.h>

/* Values of handle->pending. ASYNC_SENT means one of three things: a sender has claimed
 * the handle and has pushed it or is about to; the loop has taken the handle
 * (ASYNC_TAKEN); the handle is closed and sends do nothing. */
enum { ASYNC_IDLE = 0, ASYNC_SENT = 1 };

/* A bit of handle->flags, which senders never read: the handle is in the loop's queue. */
enum { ASYNC_TAKEN = HANDLE_ROOM };

static void async_close(uv_handle_t* base);

static const struct handle_kind async_kind = {.type = UV_ASYNC, .close = async_close};

int uv_async_init(uv_loop_t* loop, uv_async_t* handle, uv_async_cb cb) {
  handle_init(loop, (uv_handle_t*) handle, &async_kind);
  handle->async_cb = cb;
  handle->pending = ASYNC_IDLE;
  handle->number = ++loop->async_number;
  queue_init(queue_of(handle->queue));
  handle_start((uv_handle_t*) handle);
  return 0;
}

static void async_push(uv_loop_t* loop, uv_async_t* handle) {
  __atomic_fetch_add(&loop->async_senders, 1, __ATOMIC_RELAXED);
  uv_async_t* first = __atomic_load_n(&loop->async_sent, __ATOMIC_RELAXED);
  do
    handle->queue[0] = first;
  while (!__atomic_compare_exchange_n(&loop->async_sent, &first, handle, true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if (first == NULL)
    loop_wake(loop, WAKE_ASYNC);
  __atomic_fetch_sub(&loop->async_senders, 1, __ATOMIC_RELEASE);
}

/* The exchange is made even if the handle was marked before: only the exchange orders
 * what the sender has written before the loop's own exchange, so that the callback to
 * come sees the sender's data. After a plain load those writes might still be on their
 * way while the callback runs. */
int uv_async_send(uv_async_t* handle) {
  if (__atomic_exchange_n(&handle->pending, ASYNC_SENT, __ATOMIC_ACQ_REL) == ASYNC_IDLE)
    async_push(handle->loop, handle);
  return 0;
}

/* Merges two lists, each sorted by the order in which the handles were made. The numbers
 * wrap around, so their difference is compared. */
static uv_async_t* async_merge(uv_async_t* one, uv_async_t* other) {
  void* merged = NULL;
  void** end = &merged;
  while (one != NULL && other != NULL) {
    uv_async_t** earlier = (int) (one->number - other->number) < 0 ? &one : &other;
    *end = *earlier;
    end = &(*earlier)->queue[0];
    *earlier = *end;
  }
  *end = one != NULL ? one : other;
  return merged;
}

/* Merge sort: lists[i] has 2^i handles or none; the last list takes all that is more. */
static uv_async_t* async_sort(uv_async_t* handle) {
  enum { LISTS = 24 };
  uv_async_t* lists[LISTS] = {NULL};
  while (handle != NULL) {
    uv_async_t* sorted = handle;
    size_t i = 0;
    handle = handle->queue[0];
    sorted->queue[0] = NULL;
    for (; i < LISTS - 1 && lists[i] != NULL; i++) {
      sorted = async_merge(lists[i], sorted);
      lists[i] = NULL;
    }
    lists[i] = async_merge(lists[i], sorted);
  }
  for (size_t i = 0; i < LISTS; i++)
    handle = async_merge(lists[i], handle);
  return handle;
}

/* Moves the handles that were sent to from the stack to the loop's own queue. */
static void async_take_sent(uv_loop_t* loop) {
  uv_async_t* handle = __atomic_exchange_n(&loop->async_sent, NULL, __ATOMIC_SEQ_CST);
  if (handle != NULL && handle->queue[0] != NULL)
    handle = async_sort(handle);
  while (handle != NULL) {
    uv_async_t* next = handle->queue[0];
    queue_push_back(queue_of(loop->async_handles), queue_of(handle->queue));
    handle->flags |= ASYNC_TAKEN;
    handle = next;
  }
}

static void async_run(uv_loop_t* loop) {
  async_take_sent(loop);
  struct queue* sent = queue_of(loop->async_handles);
  struct queue batch;
  queue_move(sent, &batch);
  while (!queue_empty(&batch) && poll_take(loop)) {
    struct queue* link = queue_first(&batch);
    uv_async_t* handle = rondo_container_of(link, uv_async_t, queue);
    queue_remove(link);
    if (simulated(loop) && sim_async_waits(handle)) {
      queue_push_back(sent, link);
      continue;
    }
    handle->flags &= ~(unsigned int) ASYNC_TAKEN;
    /* Cleared before the callback runs: a send from now on causes another callback. */
    __atomic_exchange_n(&handle->pending, ASYNC_IDLE, __ATOMIC_ACQ_REL);
    if (handle->async_cb == NULL)
      continue;
    loop->events++;
    loop_call_back(loop, subject_handle(handle), 0, handle->async_cb, handle);
  }
  if (queue_empty(&batch))
    return;
  queue_append(&batch, sent);
  queue_move(&batch, sent);
  loop_wake(loop, WAKE_ASYNC); /* the limit is reached: the rest comes in the next turn */
}

void async_loop_init(uv_loop_t* loop) {
  queue_init(queue_of(loop->async_handles));
  loop->on_wake[WAKE_ASYNC] = async_run;
}

/* A thread of the parent may have been inside uv_async_send at the time of the fork. Its
 * sends are the parent's, and no thread of this process will ever finish them. */
void async_fork(uv_loop_t* loop) {
  loop->async_sent = NULL;
  loop->async_senders = 0;
  queue_init(queue_of(loop->async_handles));
  struct queue* handles = queue_of(loop->handle_queue);
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if (handle->type != UV_ASYNC || handle_closing(handle))
      continue;
    handle->flags &= ~(unsigned int) ASYNC_TAKEN;
    ((uv_async_t*) handle)->pending = ASYNC_IDLE;
    queue_init(queue_of(((uv_async_t*) handle)->queue));
  }
}

/* Called before the loop's memory goes: waits, for a few instructions, until senders that
 * have pushed have left the loop. */
void async_loop_close(uv_loop_t* loop) {
  while (__atomic_load_n(&loop->async_senders, __ATOMIC_ACQUIRE) > 0 &&
         loop_is_ours(loop))
    sched_yield();
}

/* Takes the handle off the stack or the queue and leaves it marked as sent, so that later
 * sends do nothing. Waits for a thread that has marked the handle and not pushed it yet.
 */
static void async_withdraw(uv_async_t* handle) {
  while (!(handle->flags & ASYNC_TAKEN)) {
    if (__atomic_exchange_n(&handle->pending, ASYNC_SENT, __ATOMIC_ACQ_REL) == ASYNC_IDLE)
      return;
    async_take_sent(handle->loop);
    if (!(handle->flags & ASYNC_TAKEN))
      sched_yield();
  }
  handle->flags &= ~(unsigned int) ASYNC_TAKEN;
  queue_remove(queue_of(handle->queue));
}

static void async_close(uv_handle_t* base) {
  uv_async_t* handle = (uv_async_t*) base;
  async_withdraw(handle);
  if (!queue_empty(queue_of(handle->loop->async_handles)))
    loop_wake(handle->loop, WAKE_ASYNC); /* taking the stack took other handles too */
  handle_stop(base);
  handle_closed(base);
}
