/* The order of closes: a close never overtakes an earlier request on the same descriptor.
 *
 * Every request that is under way on a descriptor, in whatever place, is in a queue in
 * the order of the calls. A close is held until it is the first request of its descriptor
 * in that queue. Files and directories are treated so. On a pipe, a socket or a terminal
 * a read may wait for ever, and a program may close the descriptor to get rid of that
 * read: there a close doesn't wait. */
#include "request/fs_state.h"

#include "backend/backend.h"
#include "base/base.h"

#include <fcntl.h>

static uv_fs_t* order_request(const struct queue* link) {
  struct fs_inside* inside = rondo_container_of(link, struct fs_inside, order);
  return rondo_container_of((void**) inside, uv_fs_t, reserved[0]);
}

/* The first request in the queue that uses the file; NULL if none. sendfile's input is in
 * `flags`. */
static uv_fs_t* order_find(const struct queue* queue, uv_file file) {
  for (struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link)) {
    uv_fs_t* req = order_request(link);
    if (req->file == file || (req->fs_type == UV_FS_SENDFILE && req->flags == file))
      return req;
  }
  return NULL;
}

static bool order_is_free(struct file_state* state, uv_file file) {
  return order_find(fs_order_row(state, file), file) == NULL &&
         order_find(&state->by_two_files, file) == NULL;
}

static bool is_sure_to_end(uv_file file) {
  struct statx about;
  if (fs_statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about) != 0)
    return false;
  return S_ISREG(about.stx_mode) || S_ISDIR(about.stx_mode) || S_ISBLK(about.stx_mode);
}

/* A sendfile to a pipe or a socket holds back no close, not even that of its input. */
void fs_order_enter_two(uv_fs_t* req) {
  if (is_sure_to_end(req->file) && is_sure_to_end(req->flags))
    queue_push_back(&fs_state(req)->by_two_files, &fs_inside(req)->order);
}

#ifdef RONDO_SLOW_CHECKS
static unsigned int order_count_held(const struct file_state* state) {
  unsigned int count = 0;
  for (int i = 0; i < FS_FILES; i++) {
    const struct queue* row = &state->by_file[i];
    for (struct queue* link = queue_first(row); link != NULL;
         link = queue_next(row, link))
      count += fs_place(order_request(link)) == FS_HELD;
  }
  return count;
}
#endif

bool fs_order_hold(uv_fs_t* close) {
  struct file_state* state = fs_state(close);
  assert_slow(order_count_held(state) == state->held);
  if (order_is_free(state, close->file))
    return false;
  if (!is_sure_to_end(close->file)) {
    /* A request that waits in the backend's queue is submitted first: from then on the
     * kernel holds the file itself. */
    (void) close->loop->backend->flush(close->loop, -1);
    return false;
  }
  loop_count(close->loop, COUNTER_FILE_HELD);
  fs_set_place(close, FS_HELD);
  fs_order_enter(close);
  state->held++;
  return true;
}

static void order_let_close(struct file_state* state, uv_file file) {
  uv_fs_t* first = order_find(fs_order_row(state, file), file);
  if (first == NULL || fs_place(first) != FS_HELD ||
      order_find(&state->by_two_files, file) != NULL)
    return;
  assert(state->held > 0);
  state->held--;
  if (!fs_send_rest(first, FS_WAY_POOL))
    fs_complete(first);
}

void fs_order_let_closes(uv_fs_t* req) {
  order_let_close(fs_state(req), req->file);
  if (req->fs_type == UV_FS_SENDFILE)
    order_let_close(fs_state(req), req->flags);
}

void fs_order_init(struct file_state* state) {
  queue_init(&state->by_two_files);
  for (int i = 0; i < FS_FILES; i++)
    queue_init(&state->by_file[i]);
}

/* Unlinks all requests, so that removing one of them later does nothing. */
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
