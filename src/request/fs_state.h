/* The state of a loop's file requests: one loop_part, made with the first request. A
 * comment above each field names the file that owns it. */
#ifndef RONDO_FS_STATE_H
#define RONDO_FS_STATE_H

#include "request/fs.h"

#include "loop/counters.h"
#include "loop/loop.h"

/* Tables are indexed by descriptor: numbers are low and dense, so few share a row. */
enum { FS_FILES = 64 };

/* Whether a descriptor is O_DIRECT, and for how many more requests that answer is used.
 */
struct fs_direct {
  int fd;
  unsigned char uses_left;
  bool direct;
};
enum { DIRECT_USES = 64 };

/* A file that was opened on the loop's thread, for reading, and its descriptor. */
struct fs_opened {
  int fd;
  uint32_t major, minor;
  uint64_t inode; /* 0: none */
};

struct file_state {
  struct loop_part part;

  /* fs_way.c */
  uint64_t turn;      /* the turn that `spent` counts for */
  unsigned int spent; /* cost of this turn's file requests on the loop's thread */

  /* fs_order.c: requests under way, oldest first */
  struct queue by_file[FS_FILES];
  struct queue by_two_files; /* sendfile */
  unsigned int held;         /* closes in these queues that are in FS_HELD */

  /* fs_cached.c */
  struct fs_opened opened[FS_FILES];

  /* fs_read.c */
  struct fs_direct direct[FS_FILES];
  struct fs_batches* batches; /* made by the first read that is gathered */
};

/* Called by a loop's first request. NULL without memory. */
struct file_state* file_state_make(uv_loop_t* loop);

static inline struct file_state* fs_state(const uv_fs_t* req) {
  return req->loop->file_state;
}

/* --- fs_order.c: a close never overtakes what was asked for before it ------------- */

void fs_order_init(struct file_state* state);
void fs_order_fork(struct file_state* state);

/* Holds a close behind the requests that are under way on its file; false if it need not
 * wait. When the last of them leaves, the close goes to the pool. */
bool fs_order_hold(uv_fs_t* close);

void fs_order_enter_two(uv_fs_t* req);
/* Lets the closes go that were held behind the request, which has just left its queue. */
void fs_order_let_closes(uv_fs_t* req);

static inline struct queue* fs_order_row(struct file_state* state, uv_file file) {
  return &state->by_file[(unsigned int) file % FS_FILES];
}

static inline bool fs_order_is_in(const uv_fs_t* req) {
  return fs_inside(req)->order.next != NULL;
}

/* Records that the request is under way on its descriptor, if it has one. */
static inline void fs_order_enter(uv_fs_t* req) {
  if (req->path != NULL || req->fs_type == UV_FS_READDIR ||
      req->fs_type == UV_FS_CLOSEDIR || fs_order_is_in(req))
    return;
  if (req->fs_type == UV_FS_SENDFILE)
    fs_order_enter_two(req);
  else
    queue_push_back(fs_order_row(fs_state(req), req->file), &fs_inside(req)->order);
}

static inline void fs_order_leave(uv_fs_t* req) {
  if (!fs_order_is_in(req))
    return;
  queue_remove(&fs_inside(req)->order);
  fs_inside(req)->order.next = NULL;
  if (fs_state(req)->held > 0)
    fs_order_let_closes(req);
}

/* --- fs_read.c: batches of reads --------------------------------------------------- */

void fs_read_fork(struct file_state* state, uv_loop_t* loop);
void fs_read_close(struct file_state* state, uv_loop_t* loop);

#endif
