/* Creates, forks and frees a loop's file_state. */
#include "request/fs_state.h"

#include "base/alloc.h"

static void file_state_close(uv_loop_t* loop, struct loop_part* part) {
  struct file_state* state = (struct file_state*) part;
  fs_read_close(state, loop);
  loop->before_poll = NULL;
  mem_free(state);
}

/* Requests in the parent's pool or ring stay the parent's: they are never called back in
 * the child, and nothing in the child waits for them. */
static int file_state_fork(uv_loop_t* loop, struct loop_part* part) {
  struct file_state* state = (struct file_state*) part;
  fs_order_fork(state);
  fs_read_fork(state, loop);
  return 0;
}

struct file_state* file_state_make(uv_loop_t* loop) {
  struct file_state* state = mem_calloc(1, sizeof(*state));
  if (state == NULL)
    return NULL;
  state->part.close = file_state_close;
  state->part.fork = file_state_fork;
  fs_order_init(state);
  loop->file_state = state;
  return state;
}
