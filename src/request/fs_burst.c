/* Reads that come in numbers.
 *
 * One read from the page cache is done on the loop's thread before another could be woken
 * for it. Many of them are shared: they are written into a ring of places from which both
 * the loop's thread, when it comes to its poll, and one thread of the pool take their
 * share. The loop never waits for that thread. If it is slow to get up, or has other
 * things to do, the loop does all of it; if it is awake, which it is while bursts follow
 * each other, the work takes half the time.
 *
 * Both do nothing but what cannot wait: one attempt for each. What comes of it is the
 * loop's business alone (fs_way.c).
 *
 * What two processors write costs them up to a third of a microsecond every time it
 * changes hands, half as much as reading a page. So the helper sees nothing of a request
 * but its place, which it only reads; places are offered, taken and given back several at
 * a time; and what each side writes are cache lines of its own. It holds for the buffers
 * too, so each side gets those it had the last time, if a program uses them again: the
 * helper takes from the front, where its own stand, since they are called back first, and
 * the loop from the back. */
#include "request/fs_burst.h"

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/queue.h"
#include "loop/loop.h"
#include "request/pool.h"
#include "request/work.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/uio.h>

enum {
  BURST_ROOM = 256,
  /* As many waiting reads are worth a thread's getting up, and are offered at once. */
  BURST_OFFER = 8,
  LOOP_SHARE = 16,
  HELPER_SHARE = 8,
  /* A helper that got less done than this was not worth it: the next calls are left out,
   * twice as many each time, until they are more than BURST_PATIENCE. */
  BURST_WORTH = 4,
  BURST_PATIENCE = 64,
  CACHE_LINE = 64,
};

enum { HELPER_AWAY, HELPER_CALLED };

/* What is to be read. `answer` and `req` are not for the helper. */
struct place {
  int fd;
  unsigned int count;
  const struct iovec* vectors; /* `one`, or the request's own */
  struct iovec one;
  int64_t offset;
  uv_fs_t* req;
  ssize_t answer;
  bool cancelled;
};

static_assert(sizeof(struct place) == CACHE_LINE, "a place is a cache line");

/* Places that somebody has taken. They are numbered on and on; what is left of a number
 * in the ring is where it is. */
struct share {
  unsigned int first;
  unsigned int count;
};

/* One that the helper has done: a cache line as well. No read gives more than an int. */
struct returned {
  struct share share;
  int answers[HELPER_SHARE];
  char rest[CACHE_LINE - sizeof(struct share) - HELPER_SHARE * sizeof(int)];
};

/* The distances between hold wherever the memory begins: no allocator promises more than
 * the alignment of a pointer or two. */
struct burst {
  struct loop_part part;
  uv_loop_t* loop;
  struct place* places;
  struct returned* shares;

  /* The loop's own. */
  unsigned int tail;      /* the next place to be filled */
  unsigned int offered;   /* the helper may take what is before it */
  unsigned int left;      /* what is before it was left to the helper */
  unsigned int oldest;    /* what is before it is done */
  unsigned int collected; /* of the returned shares */
  struct queue followers; /* what comes after the helper's, first come first */
  unsigned int calls_left_out;
  unsigned int to_leave_out;
  struct uv__work helper;
  char before[CACHE_LINE];

  _Atomic uint64_t open; /* what is to be taken: see open_make */
  char behind[CACHE_LINE];

  /* The helper's own, which the loop reads. */
  _Atomic int helper_state;
  _Atomic unsigned int helped; /* how much it did since it was called */
  _Atomic unsigned int returned;

  char memory[CACHE_LINE + BURST_ROOM * (sizeof(struct place) + sizeof(struct returned))];
};

static struct place* place_at(const struct burst* burst, unsigned int number) {
  return &burst->places[number % BURST_ROOM];
}

static struct returned* returned_at(const struct burst* burst, unsigned int number) {
  return &burst->shares[number % BURST_ROOM];
}

static ssize_t place_read(const struct place* place) {
  return fs_read_now(place->fd, place->vectors, place->count, place->offset);
}

/* --- What is open ---------------------------------------------------------------- */

/* The places from `front` on and before `back`, in one word. To take some is to move
 * either. Whether both came back to where they were in the meantime doesn't matter:
 * what the places hold is looked at when they are taken. */
static uint64_t open_make(unsigned int front, unsigned int back) {
  return (uint64_t) back << 32 | front;
}

static unsigned int open_front(uint64_t open) {
  return (unsigned int) open;
}

static unsigned int open_back(uint64_t open) {
  return (unsigned int) (open >> 32);
}

enum side { FROM_FRONT, FROM_BACK };

/* Half of them, so that both sides are done at the same time, and `most` at most. */
static struct share open_take(struct burst* burst, enum side side, unsigned int most) {
  uint64_t open = atomic_load_explicit(&burst->open, memory_order_acquire);
  uint64_t rest;
  struct share share;
  do {
    unsigned int front = open_front(open);
    unsigned int back = open_back(open);
    share.count = (back - front + 1) / 2;
    if (share.count > most)
      share.count = most;
    share.first = side == FROM_FRONT ? front : back - share.count;
    rest = side == FROM_FRONT ? open_make(front + share.count, back)
                              : open_make(front, back - share.count);
  } while (share.count > 0 &&
           !atomic_compare_exchange_weak_explicit(
               &burst->open, &open, rest, memory_order_acq_rel, memory_order_acquire));
  return share;
}

/* Only the loop moves the back. */
static void open_extend(struct burst* burst) {
  uint64_t open = atomic_load_explicit(&burst->open, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(
      &burst->open, &open, open_make(open_front(open), burst->tail), memory_order_release,
      memory_order_relaxed))
    continue;
  burst->offered = burst->tail;
}

/* --- The helper's side ----------------------------------------------------------- */

/* It leaves after a while even if there is more: other work may wait for its thread. */
static void burst_help(struct uv__work* w) {
  struct burst* burst = rondo_container_of(w, struct burst, helper);
  unsigned int returned = atomic_load_explicit(&burst->returned, memory_order_relaxed);
  unsigned int helped = 0;
  while (helped < BURST_ROOM) {
    struct share share = open_take(burst, FROM_FRONT, HELPER_SHARE);
    if (share.count == 0)
      break;
    struct returned* back = returned_at(burst, returned);
    back->share = share;
    for (unsigned int i = 0; i < share.count; i++)
      __builtin_prefetch(place_at(burst, share.first + i));
    for (unsigned int i = 0; i < share.count; i++) {
      const struct place* place = place_at(burst, share.first + i);
      if (!place->cancelled)
        back->answers[i] = (int) place_read(place);
    }
    atomic_store_explicit(&burst->returned, ++returned, memory_order_release);
    loop_wake(burst->loop, WAKE_WORK);
    helped += share.count;
  }
  atomic_store_explicit(&burst->helped, helped, memory_order_relaxed);
  /* The loop may be closed from here on. */
  atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_release);
}

static bool helper_is_away(const struct burst* burst) {
  return atomic_load_explicit(&burst->helper_state, memory_order_acquire) == HELPER_AWAY;
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

static void burst_call(struct burst* burst) {
  if (!helper_is_away(burst) || !burst_call_is_worth_it(burst))
    return;
  atomic_store_explicit(&burst->helper_state, HELPER_CALLED, memory_order_relaxed);
  if (!pool_lend(burst->loop, &burst->helper, burst_help))
    atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_relaxed);
}

/* --- The loop's side ------------------------------------------------------------- */

/* Errors are asked for again: they shall be the same whoever was asked. */
static ssize_t burst_answer(const struct place* place, int result) {
  return result >= 0 || result == -EAGAIN ? result : place_read(place);
}

/* All of a share, with few calls to the kernel as far as the backend has such. */
static void burst_read(struct burst* burst, struct share share) {
  struct place* places[LOOP_SHARE];
  struct file_operation operations[LOOP_SHARE];
  int results[LOOP_SHARE];
  int count = 0;
  for (unsigned int i = 0; i < share.count; i++) {
    struct place* place = place_at(burst, share.first + i);
    if (place->cancelled)
      continue;
    operations[count] = (struct file_operation){.opcode = FILE_READV,
                                                .fd = place->fd,
                                                .address = place->vectors,
                                                .count = place->count,
                                                .offset = place->offset};
    places[count++] = place;
  }
  uv_loop_t* loop = burst->loop;
  for (int i = 0, tried = 0; i < count; i += tried) {
    tried = loop->backend->read_now(loop, &operations[i], count - i, results);
    if (tried == 0) {
      places[i]->answer = place_read(places[i]);
      tried = 1;
      continue;
    }
    for (int j = 0; j < tried && i + j < count; j++)
      places[i + j]->answer = burst_answer(places[i + j], results[j]);
  }
}

/* The loop has other things to do now, called-back programs to listen to: while it does,
 * a helper that is at it finishes what little is left. But nothing is left to it twice,
 * in case it isn't. */
static bool burst_leaves_the_rest(struct burst* burst) {
  uint64_t open = atomic_load_explicit(&burst->open, memory_order_relaxed);
  unsigned int front = open_front(open);
  unsigned int back = open_back(open);
  if (back - front > HELPER_SHARE || helper_is_away(burst) ||
      (int) (burst->left - front) > 0)
    return false;
  burst->left = back;
  return true;
}

static void burst_take_part(uv_loop_t* loop, struct burst* burst) {
  unsigned int first = burst->tail;
  open_extend(burst);
  struct share share = open_take(burst, FROM_BACK, LOOP_SHARE);
  while (share.count > 0) {
    burst_read(burst, share);
    first = share.first;
    if (burst_leaves_the_rest(burst))
      break;
    share = open_take(burst, FROM_BACK, LOOP_SHARE);
  }
  /* What was taken from the back is the loop's alone again, and is called back in the
   * order in which it was asked for. */
  unsigned int end = burst->tail;
  burst->tail = burst->offered = first;
  loop->files_gathered =
      first - open_front(atomic_load_explicit(&burst->open, memory_order_relaxed));
  for (; first != end; first++) {
    struct place* place = place_at(burst, first);
    loop->work_active--;
    fs_burst_done(place->req, place->answer);
  }
}

/* The poll doesn't sleep while something is left. So something must be there to be called
 * back, or the turn would be in vain, which ONCE must not be (contract L8). */
static void burst_run(uv_loop_t* loop) {
  do
    burst_take_part(loop, loop->burst_state);
  while (loop->files_gathered > 0 && queue_empty(queue_of(loop->completed_queue)));
}

/* What is over goes the way of all work that comes back. */
static void burst_sort(uv_loop_t* loop, struct queue* finished, uv_fs_t* req, bool over) {
  if (over)
    queue_push_back(finished, queue_of(req->work_req.wq));
  else
    loop->work_active--;
}

static void burst_let_follow(uv_loop_t* loop, struct burst* burst,
                             struct queue* finished) {
  while (!queue_empty(&burst->followers)) {
    struct queue* link = queue_first(&burst->followers);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    uv_fs_t* req = rondo_container_of(w, uv_fs_t, work_req);
    if (fs_burst_place(req) - burst->oldest - 1 < BURST_ROOM)
      return;
    queue_remove(link);
    burst_sort(loop, finished, req, fs_burst_followed(req));
  }
}

static void burst_collect(uv_loop_t* loop, struct queue* finished) {
  struct burst* burst = loop->burst_state;
  unsigned int returned = atomic_load_explicit(&burst->returned, memory_order_acquire);
  for (unsigned int i = burst->collected; i != returned; i++)
    __builtin_prefetch(returned_at(burst, i));
  for (; burst->collected != returned; burst->collected++) {
    const struct returned* back = returned_at(burst, burst->collected);
    for (unsigned int i = 0; i < back->share.count; i++) {
      uv_fs_t* req = place_at(burst, back->share.first + i)->req;
      burst_sort(loop, finished, req, fs_burst_back(req, back->answers[i]));
    }
    burst->oldest = back->share.first + back->share.count;
  }
  burst_let_follow(loop, burst, finished);
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
  if (pool_take_back(&burst->helper, NULL))
    atomic_store_explicit(&burst->helper_state, HELPER_AWAY, memory_order_relaxed);
  while (!helper_is_away(burst))
    sched_yield(); /* it has nothing to do and is about to see it */
  loop->run_gathered = NULL;
  mem_free(burst);
}

/* What the helper had taken and not given back is the parent's. */
static int burst_fork(uv_loop_t* loop, struct loop_part* part) {
  struct burst* burst = (struct burst*) part;
  burst_forget_helper(burst);
  unsigned int returned = atomic_load_explicit(&burst->returned, memory_order_acquire);
  for (; burst->collected != returned; burst->collected++) {
    const struct returned* back = returned_at(burst, burst->collected);
    for (unsigned int i = 0; i < back->share.count; i++)
      fs_burst_done(place_at(burst, back->share.first + i)->req, back->answers[i]);
  }
  burst->oldest = open_front(atomic_load_explicit(&burst->open, memory_order_relaxed));
  loop->work_active += burst->tail - burst->oldest;
  for (struct queue* link = queue_first(&burst->followers); link != NULL;
       link = queue_next(&burst->followers, link))
    loop->work_active++;
  loop_wake(loop, WAKE_WORK); /* they have nothing to wait for any more */
  return 0;
}

static struct burst* burst_make(uv_loop_t* loop) {
  if (!work_can_give_back(loop))
    return NULL;
  struct burst* burst = mem_calloc(1, sizeof(*burst));
  if (burst == NULL)
    return NULL;
  uintptr_t memory = (uintptr_t) burst->memory + CACHE_LINE - 1;
  burst->places = (struct place*) (memory - memory % CACHE_LINE);
  burst->shares = (struct returned*) (void*) (burst->places + BURST_ROOM);
  burst->loop = loop;
  burst->part.close = burst_close;
  burst->part.fork = burst_fork;
  queue_init(&burst->followers);
  atomic_store_explicit(&burst->helped, BURST_WORTH, memory_order_relaxed);
  loop->burst_state = burst;
  loop->run_gathered = burst_run;
  work_also_collect(loop, burst_collect);
  return burst;
}

bool fs_burst_add(uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  struct burst* burst = loop->burst_state;
  if ((burst == NULL && (burst = burst_make(loop)) == NULL) ||
      burst->tail - burst->oldest == BURST_ROOM)
    return false;

  struct place* place = place_at(burst, burst->tail);
  const struct iovec* vectors = (const struct iovec*) (const void*) req->bufs;
  place->fd = req->file;
  place->count = req->nbufs;
  place->vectors = req->nbufs == 1 ? &place->one : vectors;
  place->one = vectors[0];
  place->offset = req->off;
  place->req = req;
  place->cancelled = false;
  fs_set_burst_place(req, burst->tail++);

  loop->work_active++;
  loop->files_gathered++;
  if (burst->tail - burst->offered == BURST_OFFER) {
    open_extend(burst);
    burst_call(burst);
  }
  return true;
}

/* To be alone with it, the loop takes all that is open, and opens it again. */
bool fs_burst_cancel(uv_fs_t* req) {
  struct burst* burst = req->loop->burst_state;
  uint64_t open = atomic_load_explicit(&burst->open, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(
      &burst->open, &open, open_make(open_front(open), open_front(open)),
      memory_order_acquire, memory_order_relaxed))
    continue;
  unsigned int ahead = fs_burst_place(req) - open_front(open);
  bool waiting = ahead < burst->tail - open_front(open);
  if (waiting)
    place_at(burst, fs_burst_place(req))->cancelled = true;
  atomic_store_explicit(&burst->open, open, memory_order_release);
  return waiting;
}

/* Nothing is open, or it would be the helper's later. Only the helper moves the front, so
 * no number is lower than that of an earlier follower. */
bool fs_burst_follow(uv_fs_t* req) {
  uv_loop_t* loop = req->loop;
  struct burst* burst = loop->burst_state;
  assert(loop->files_gathered == 0);
  if (burst == NULL)
    return false;
  unsigned int front =
      open_front(atomic_load_explicit(&burst->open, memory_order_relaxed));
  if (front == burst->oldest)
    return false;
  fs_set_burst_place(req, front);
  queue_push_back(&burst->followers, queue_of(req->work_req.wq));
  loop->work_active++;
  return true;
}
