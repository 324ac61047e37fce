/* The order of closes: a close never takes its descriptor from a request that was asked
 * for before it.
 *
 * Every request that is under way on a descriptor stands in a queue, in the order they
 * were asked for. A close is held while a request before it still needs the number, and
 * is looked at again when one leaves. What needs the number:
 *   - a read in a batch;
 *   - a sync in the ring, which begins on a worker of the kernel's. Reads and writes
 * there have the file itself as soon as they are submitted;
 *   - all that is in the pool, if it is about files and directories. On a pipe, a socket
 *     or a terminal a read may wait for ever, and a program may close the descriptor to
 *     be rid of it: there a close waits for nobody. */
#include "request/fs_state.h"

#include "backend/backend.h"

#include <fcntl.h>

static struct queue* order_queue(struct file_state* state, const uv_fs_t* req) {
  return req->fs_type == UV_FS_SENDFILE
             ? &state->by_two_files
             : &state->by_file[(unsigned int) req->file % FS_FILES];
}

static uv_fs_t* order_request(const struct queue* link) {
  struct fs_inside* inside = rondo_container_of(link, struct fs_inside, order);
  return rondo_container_of((void**) inside, uv_fs_t, reserved[0]);
}

/* sendfile's input is in `flags`. */
static bool uses_file(const uv_fs_t* req, uv_file file) {
  return req->file == file || (req->fs_type == UV_FS_SENDFILE && req->flags == file);
}

static bool is_sure_to_end(uv_file file) {
  struct statx about;
  if (fs_statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about) != 0)
    return false;
  return S_ISREG(about.stx_mode) || S_ISDIR(about.stx_mode) || S_ISBLK(about.stx_mode);
}

static bool needs_number(const uv_fs_t* req) {
  switch (fs_place(req)) {
  case FS_RING:
    return req->fs_type == UV_FS_FSYNC || req->fs_type == UV_FS_FDATASYNC ||
           (fs_state(req)->ring_is_behind && is_sure_to_end(req->file));
  case FS_POOL:
    return is_sure_to_end(req->file) &&
           (req->fs_type != UV_FS_SENDFILE || is_sure_to_end(req->flags));
  default:
    return true;
  }
}

/* The first request in the queue, before `end`, that uses the file; NULL if none. */
static uv_fs_t* order_find(const struct queue* queue, const struct queue* end,
                           uv_file file, bool (*is_wanted)(const uv_fs_t* req)) {
  for (struct queue* link = queue_first(queue); link != NULL && link != end;
       link = queue_next(queue, link)) {
    uv_fs_t* req = order_request(link);
    if (uses_file(req, file) && is_wanted(req))
      return req;
  }
  return NULL;
}

static bool is_any(const uv_fs_t* req) {
  (void) req;
  return true;
}

static bool is_held(const uv_fs_t* req) {
  return fs_place(req) == FS_HELD;
}

static const struct queue* order_of_file(const struct file_state* state, uv_file file) {
  return &state->by_file[(unsigned int) file % FS_FILES];
}

bool fs_order_is_in_use(const struct file_state* state, uv_file file) {
  return order_find(order_of_file(state, file), NULL, file, is_any) != NULL ||
         order_find(&state->by_two_files, NULL, file, is_any) != NULL;
}

static bool order_must_wait(const struct file_state* state, const uv_fs_t* close) {
  const struct queue* own = &fs_inside(close)->order;
  return order_find(order_of_file(state, close->file), own, close->file, needs_number) !=
             NULL ||
         order_find(&state->by_two_files, NULL, close->file, needs_number) != NULL;
}

/* Before a close is looked at: hands over what the backend has only noted so far. */
static void order_flush_ring(struct file_state* state, uv_loop_t* loop) {
  state->ring_is_behind = state->in_ring > 0 && loop->backend->flush(loop, -1) >= 0;
}

void fs_order_enter(uv_fs_t* req) {
  if (req->path != NULL || req->fs_type == UV_FS_READDIR ||
      req->fs_type == UV_FS_CLOSEDIR || fs_inside(req)->order.next != NULL)
    return;
  queue_push_back(order_queue(fs_state(req), req), &fs_inside(req)->order);
}

bool fs_order_hold(uv_fs_t* close) {
  struct file_state* state = fs_state(close);
  if (!fs_order_is_in_use(state, close->file))
    return false;
  order_flush_ring(state, close->loop);
  if (!order_must_wait(state, close))
    return false;
  loop_count(close->loop, COUNTER_FILE_HELD);
  fs_set_place(close, FS_HELD);
  fs_order_enter(close);
  state->held++;
  return true;
}

/* One close at a time: the next waits for this one. */
static void order_release(struct file_state* state, uv_loop_t* loop, uv_file file) {
  uv_fs_t* close = NULL;
  if (state->held > 0)
    close = order_find(order_of_file(state, file), NULL, file, is_held);
  if (close == NULL)
    return;
  order_flush_ring(state, loop);
  if (order_must_wait(state, close))
    return;
  state->held--;
  fs_send_held_close(close);
}

void fs_order_release(uv_fs_t* req) {
  struct queue* link = &fs_inside(req)->order;
  struct file_state* state = fs_state(req);
  queue_remove(link);
  link->next = NULL;
  if (fs_place(req) == FS_HELD)
    state->held--;
  order_release(state, req->loop, req->file);
  if (req->fs_type == UV_FS_SENDFILE)
    order_release(state, req->loop, req->flags);
}

void fs_order_init(struct file_state* state) {
  queue_init(&state->by_two_files);
  for (int i = 0; i < FS_FILES; i++)
    queue_init(&state->by_file[i]);
}

/* Later removals must do nothing. */
static void order_forget(struct queue* queue) {
  while (!queue_empty(queue)) {
    struct queue* link = queue_first(queue);
    queue_remove(link);
    link->next = NULL;
  }
}

void fs_order_fork(struct file_state* state) {
  state->held = 0;
  order_forget(&state->by_two_files);
  for (int i = 0; i < FS_FILES; i++)
    order_forget(&state->by_file[i]);
}
