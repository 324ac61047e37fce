/* Idle, prepare and check: handles that are called once a turn in their phase until they
 * are stopped (contract W). The three differ in their phase only, and their structures
 * are alike, so one set of functions serves them. */
#include "base/base.h"
#include "loop/limits.h"
#include "loop/loop.h"

/* uv_idle_t, uv_prepare_t and uv_check_t, as laid out in the public header. */
struct turn_handle {
  UV_HANDLE_FIELDS
  void (*cb)(struct turn_handle* handle);
  void* queue[2];
};

_Static_assert(sizeof(struct turn_handle) == sizeof(uv_idle_t) &&
                   sizeof(struct turn_handle) == sizeof(uv_prepare_t) &&
                   sizeof(struct turn_handle) == sizeof(uv_check_t) &&
                   offsetof(struct turn_handle, cb) == offsetof(uv_idle_t, cb) &&
                   offsetof(struct turn_handle, cb) == offsetof(uv_prepare_t, cb) &&
                   offsetof(struct turn_handle, cb) == offsetof(uv_check_t, cb),
               "idle, prepare and check handles are alike");

static void turn_init(uv_loop_t* loop, void* handle, const struct handle_kind* kind) {
  struct turn_handle* turn = handle;
  handle_init(loop, handle, kind);
  turn->cb = NULL;
  queue_init(queue_of(turn->queue));
}

/* The handle that was started last is called first. */
static int turn_start(void* handle, struct queue* phase,
                      void (*cb)(struct turn_handle*)) {
  struct turn_handle* turn = handle;
  if (handle_active(handle))
    return 0;
  if (cb == NULL || handle_closing(handle))
    return UV_EINVAL;
  queue_push_front(phase, queue_of(turn->queue));
  turn->cb = cb;
  handle_start(handle);
  return 0;
}

static int turn_stop(void* handle) {
  struct turn_handle* turn = handle;
  if (!handle_active(handle))
    return 0;
  queue_remove(queue_of(turn->queue));
  handle_stop(handle);
  return 0;
}

static void turn_close(uv_handle_t* handle) {
  turn_stop(handle);
  handle_closed(handle);
}

static unsigned int turn_handles_count(const struct queue* queue) {
  unsigned int count = 0;
  for (const struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link))
    count++;
  return count;
}

/* Calls the handles that were started when the phase was entered. Each handle goes to the
 * end of the phase's queue before its callback, which keeps their order.
 *
 * With a limit, some handles are left over in every turn, since they are called until
 * they are stopped. The poll may sleep only after a complete round: loop->owed counts the
 * handles that this round still has to call. */
static void turn_run(uv_loop_t* loop, struct queue* phase, enum rondo_phase which) {
  trace_phase(loop, which);
  unsigned int limit = phase_limit(loop, which);
  unsigned int* owed = &loop->owed[which];
  struct queue batch;
  queue_move(phase, &batch);
  if (phase_is_limited(loop, which) && *owed == 0)
    *owed = turn_handles_count(&batch);
  while (!queue_empty(&batch) && limit-- > 0) {
    struct queue* link = queue_first(&batch);
    struct turn_handle* turn = rondo_container_of(link, struct turn_handle, queue);
    queue_remove(link);
    queue_push_back(phase, link);
    *owed -= *owed > 0;
    loop_call_back(loop, subject_handle(turn), 0, turn->cb, turn);
  }
  if (queue_empty(&batch)) {
    *owed = 0;
    return;
  }
  if (*owed > 0)
    phase_leave_rest(loop);
  queue_append(&batch, phase); /* handles left over come first in the next turn */
  queue_move(&batch, phase);
}

/* --- idle ------------------------------------------------------------------------ */

static const struct handle_kind idle_kind = {.type = UV_IDLE, .close = turn_close};

int uv_idle_init(uv_loop_t* loop, uv_idle_t* handle) {
  turn_init(loop, handle, &idle_kind);
  return 0;
}

int uv_idle_start(uv_idle_t* handle, uv_idle_cb cb) {
  return turn_start(handle, queue_of(handle->loop->idle_handles),
                    (void (*)(struct turn_handle*)) cb);
}

int uv_idle_stop(uv_idle_t* handle) {
  return turn_stop(handle);
}

void idle_run(uv_loop_t* loop) {
  if (!queue_empty(queue_of(loop->idle_handles)))
    turn_run(loop, queue_of(loop->idle_handles), RONDO_PHASE_IDLE);
}

/* --- prepare --------------------------------------------------------------------- */

static const struct handle_kind prepare_kind = {.type = UV_PREPARE, .close = turn_close};

int uv_prepare_init(uv_loop_t* loop, uv_prepare_t* handle) {
  turn_init(loop, handle, &prepare_kind);
  return 0;
}

int uv_prepare_start(uv_prepare_t* handle, uv_prepare_cb cb) {
  return turn_start(handle, queue_of(handle->loop->prepare_handles),
                    (void (*)(struct turn_handle*)) cb);
}

int uv_prepare_stop(uv_prepare_t* handle) {
  return turn_stop(handle);
}

void prepare_run(uv_loop_t* loop) {
  if (!queue_empty(queue_of(loop->prepare_handles)))
    turn_run(loop, queue_of(loop->prepare_handles), RONDO_PHASE_PREPARE);
}

/* --- check ----------------------------------------------------------------------- */

static const struct handle_kind check_kind = {.type = UV_CHECK, .close = turn_close};

int uv_check_init(uv_loop_t* loop, uv_check_t* handle) {
  turn_init(loop, handle, &check_kind);
  return 0;
}

int uv_check_start(uv_check_t* handle, uv_check_cb cb) {
  return turn_start(handle, queue_of(handle->loop->check_handles),
                    (void (*)(struct turn_handle*)) cb);
}

int uv_check_stop(uv_check_t* handle) {
  return turn_stop(handle);
}

void check_run(uv_loop_t* loop) {
  if (!queue_empty(queue_of(loop->check_handles)))
    turn_run(loop, queue_of(loop->check_handles), RONDO_PHASE_CHECK);
}
