/* The epoll backend: waits on the interest set itself. There are no file operations here;
 * on this backend all go to the pool. */
#include "backend/backend.h"
#include "backend/interest.h"
#include "base/alloc.h"

struct epoll_state {
  struct epoll_event events[BACKEND_BATCH];
};

static int epoll_open(uv_loop_t* loop) {
  loop->backend_state = mem_calloc(1, sizeof(struct epoll_state));
  if (loop->backend_state == NULL)
    return UV_ENOMEM;
  int err = interest_open(loop);
  if (err == 0)
    return 0;
  mem_free(loop->backend_state);
  loop->backend_state = NULL;
  return err;
}

static void epoll_close(uv_loop_t* loop) {
  interest_close(loop);
  mem_free(loop->backend_state);
  loop->backend_state = NULL;
}

static int epoll_backend_wait(uv_loop_t* loop, int64_t timeout_ns,
                              const struct epoll_event** events, int max) {
  struct epoll_state* state = loop->backend_state;
  *events = state->events;
  timeout_ns = interest_flush(loop, timeout_ns);
  if (interest_needs_no_look(loop, timeout_ns))
    return 0;
  int room = interest_room(loop, max);
  int count = room == 0 ? 0 : interest_wait(loop, timeout_ns, state->events, room);
  return count + interest_fetch_unset(loop, state->events + count, max - count);
}

static int epoll_submit(uv_loop_t* loop, const struct file_operation* op,
                        struct uv__work* w) {
  (void) loop, (void) op, (void) w;
  return UV_ENOSYS;
}

static int epoll_cancel(uv_loop_t* loop, struct uv__work* w) {
  (void) loop, (void) w;
  return UV_EBUSY;
}

const struct rondo_backend backend_epoll = {
    .name = "epoll",
    .open = epoll_open,
    .close = epoll_close,
    .fork = interest_fork,
    .flush = interest_flush,
    .wait = epoll_backend_wait,
    .submit = epoll_submit,
    .cancel = epoll_cancel,
};
