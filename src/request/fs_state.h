/* What a loop keeps about its file requests: one part, made with the first of them. Each
 * field belongs to the file that it names. */
#ifndef RONDO_FS_STATE_H
#define RONDO_FS_STATE_H

#include "request/fs.h"

#include "loop/counters.h"
#include "loop/loop.h"

/* Tables by descriptor: numbers are low and close to each other, so few share a row. */
enum { FS_FILES = 64 };

/* Whether a descriptor is O_DIRECT, and for how many more requests that is believed. */
struct fs_direct {
  int fd;
  unsigned char uses_left;
  bool direct;
};
enum { DIRECT_USES = 16 };

struct file_state {
  struct loop_part part;

  /* fs_way.c */
  uint64_t turn;        /* the turn that `spent` is about */
  unsigned int spent;   /* of what files may take on the loop's thread in a turn */
  unsigned int in_ring; /* requests that the backend has */

  /* fs_cached.c */
  struct fs_direct direct[FS_FILES];

  /* fs_order.c: requests under way, oldest first */
  struct queue by_file[FS_FILES];
  struct queue by_two_files; /* sendfile */
  unsigned int held;         /* closes among them that are in FS_HELD */
  bool ring_is_behind;       /* the kernel hasn't taken all that the backend has */

  struct fs_batches* batches; /* fs_batch.c; made by the first */
};

/* Made by a loop's first request: NULL without memory for it. */
struct file_state* file_state_make(uv_loop_t* loop);

static inline struct file_state* fs_state(const uv_fs_t* req) {
  return req->loop->file_state;
}

/* --- fs_order.c: a close never overtakes what was asked for before it ------------- */

void fs_order_init(struct file_state* state);
void fs_order_fork(struct file_state* state);

/* Whether another request is under way on this descriptor. */
bool fs_order_is_in_use(const struct file_state* state, uv_file file);
/* Holds a close that would take its descriptor from a request before it; false if there
 * is none. Its turn comes when that request leaves: fs_send_held_close. */
bool fs_order_hold(uv_fs_t* close);

/* The request is under way on its descriptor; and no longer, so that closes behind it may
 * go. For requests by path nothing happens. */
void fs_order_enter(uv_fs_t* req);
void fs_order_release(uv_fs_t* req);
static inline void fs_order_leave(uv_fs_t* req) {
  if (fs_inside(req)->order.next != NULL)
    fs_order_release(req);
}

/* --- fs_batch.c: reads in numbers ------------------------------------------------- */

void fs_batch_fork(struct file_state* state, uv_loop_t* loop);
void fs_batch_close(struct file_state* state, uv_loop_t* loop);

/* Puts a read into a batch. False if it is better tried at once. */
bool fs_batch_add(uv_fs_t* req);
/* UV_EBUSY if the helper has claimed its batch. */
int fs_batch_cancel(uv_fs_t* req);

#endif
