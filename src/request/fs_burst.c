/* Reads that come in numbers.
 *
 * One read from the page cache is done on the loop's thread before another could be woken
 * for it. Many of them are shared: they are put into a ring from which both the loop's
 * thread, when it comes to its poll, and one thread of the pool take them one by one. The
 * loop never waits for that thread. If it is slow to get up, or has other things to do,
 * the loop does all of it; if it is awake, which it is while bursts follow each other,
 * the work takes half the time.
 *
 * Both do nothing but what cannot wait (fs_read_cached). What would have to goes its own
 * way from the loop's thread. Results of the helper come back as any work of the pool.
 *
 * A place in the ring is given out by moving `head`; whoever moves it owns the request
 * that was read there before. The loop alone moves `tail`, and not before the place is
 * free, so a value read at a `head` that has moved on is never used. */
#include "request/fs.h"

#include "base/alloc.h"
#include "loop/loop.h"
#include "request/work.h"

#include <sched.h>
#include <stdatomic.h>

enum {
  BURST_ROOM = 256,
  /* As many waiting reads are worth a thread's getting up. */
  BURST_CALL = 8,
  /* A helper that got less done than this was not worth it: the next calls are left out,
   * twice as many each time, up to BURST_PATIENCE. */
  BURST_WORTH = 4,
  BURST_PATIENCE = 64,
};

enum { HELPER_AWAY, HELPER_CALLED };

/* What both sides write is a cache line away from what only the loop writes, wherever the
 * memory begins: no allocator promises more than the alignment of a pointer or two. */
struct burst {
  struct loop_part part;
  struct uv__work helper;
  _Atomic unsigned int tail;
  unsigned int calls_left_out;
  unsigned int to_leave_out;
  char before[64];
  _Atomic unsigned int head;
  _Atomic int helper_state;
  _Atomic unsigned int helped; /* what the helper did since it was called */
  char behind[64];
  _Atomic(uv_fs_t*) requests[BURST_ROOM];
};

static unsigned int burst_waiting(struct burst* burst) {
  return atomic_load_explicit(&burst->tail, memory_order_relaxed) -
         atomic_load_explicit(&burst->head, memory_order_relaxed);
}

/* The next one before `end`, or NULL. Since `end` was read, `head` may have gone past
 * it: the loop may have added more, and all of it may have been taken. */
static uv_fs_t* burst_take(struct burst* burst, unsigned int end) {
  unsigned int head = atomic_load_explicit(&burst->head, memory_order_acquire);
  while ((int) (end - head) > 0) {
    uv_fs_t* req =
        atomic_load_explicit(&burst->requests[head % BURST_ROOM], memory_order_relaxed);
    if (atomic_compare_exchange_weak_explicit(&burst->head, &head, head + 1,
                                              memory_order_acq_rel, memory_order_acquire))
      return req;
  }
  return NULL;
}

/* --- The helper's side ----------------------------------------------------------- */

/* It leaves after a while even if there is more: other work may wait for its thread. */
static void burst_help(struct uv__work* w) {
  struct burst* burst = rondo_container_of(w, struct burst, helper);
  unsigned int helped = 0;
  uv_fs_t* req;
  while (helped < BURST_ROOM &&
         (req = burst_take(
              burst, atomic_load_explicit(&burst->tail, memory_order_acquire))) != NULL) {
    fs_try(req);
    work_give_back(&req->work_req);
    helped++;
  }
  atomic_store_explicit(&burst->helped, helped, memory_order_relaxed);
  /* The loop may be closed from here on. */
  atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_release);
}

static bool burst_call_is_worth_it(struct burst* burst) {
  if (burst->to_leave_out > 0) {
    burst->to_leave_out--;
    return false;
  }
  if (atomic_load_explicit(&burst->helped, memory_order_relaxed) >= BURST_WORTH) {
    burst->calls_left_out = 0;
    return true;
  }
  if (burst->calls_left_out < BURST_PATIENCE)
    burst->calls_left_out = burst->calls_left_out * 2 + 1;
  burst->to_leave_out = burst->calls_left_out;
  return true;
}

static void burst_call(uv_loop_t* loop, struct burst* burst) {
  if (atomic_load_explicit(&burst->helper_state, memory_order_acquire) != HELPER_AWAY ||
      !burst_call_is_worth_it(burst))
    return;
  atomic_store_explicit(&burst->helper_state, HELPER_CALLED, memory_order_relaxed);
  if (!work_lend(loop, &burst->helper, burst_help))
    atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_relaxed);
}

/* --- The loop's side ------------------------------------------------------------- */

static void burst_run(uv_loop_t* loop) {
  struct burst* burst = loop->burst_state;
  unsigned int end = atomic_load_explicit(&burst->tail, memory_order_relaxed);
  uv_fs_t* req;
  loop->files_gathered = 0;
  while ((req = burst_take(burst, end)) != NULL) {
    fs_try(req);
    loop->work_active--;
    fs_tried(req);
  }
}

/* In a forked child the helper is gone, whatever it was about to do. */
static void burst_forget_helper(struct burst* burst) {
  atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_relaxed);
  burst->helper.work = NULL;
}

static void burst_close(uv_loop_t* loop, struct loop_part* part) {
  struct burst* burst = (struct burst*) part;
  if (!loop_is_ours(loop))
    burst_forget_helper(burst);
  if (work_take_back(&burst->helper))
    atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_relaxed);
  while (atomic_load_explicit(&burst->helper_state, memory_order_acquire) != HELPER_AWAY)
    sched_yield(); /* it has nothing to do and is about to see it */
  loop->run_gathered = NULL;
  mem_free(burst);
}

/* What the helper had taken is the parent's. */
static int burst_fork(uv_loop_t* loop, struct loop_part* part) {
  struct burst* burst = (struct burst*) part;
  burst_forget_helper(burst);
  loop->work_active += burst_waiting(burst);
  return 0;
}

static struct burst* burst_make(uv_loop_t* loop) {
  struct burst* burst = mem_calloc(1, sizeof(*burst));
  if (burst == NULL)
    return NULL;
  burst->part.close = burst_close;
  burst->part.fork = burst_fork;
  atomic_store_explicit(&burst->helped, BURST_WORTH, memory_order_relaxed);
  loop->burst_state = burst;
  loop->run_gathered = burst_run;
  return burst;
}

bool fs_burst_add(uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  struct burst* burst = loop->burst_state;
  if ((burst == NULL && (burst = burst_make(loop)) == NULL) || !work_can_give_back(loop))
    return false;
  unsigned int tail = atomic_load_explicit(&burst->tail, memory_order_relaxed);
  unsigned int head = atomic_load_explicit(&burst->head, memory_order_acquire);
  assert(tail - head <= BURST_ROOM);
  if (tail - head == BURST_ROOM)
    return false;
  req->work_req.loop = loop;
  fs_set_place(req, FS_BURST);
  loop->work_active++;
  loop->files_gathered++;
  atomic_store_explicit(&burst->requests[tail % BURST_ROOM], req, memory_order_relaxed);
  atomic_store_explicit(&burst->tail, tail + 1, memory_order_release);
  if (tail + 1 - head == BURST_CALL)
    burst_call(loop, burst);
  return true;
}
