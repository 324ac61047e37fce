/* Reads in numbers, shared between the loop's thread and one of the pool's.
 *
 * One read from the page cache is done on the loop's thread before another could be woken
 * for it. Many are gathered in batches. A full batch is offered to a helper, a thread of
 * the pool that has nothing else to do. In its poll phase the loop takes back the batches
 * that the helper has not claimed, newest first, and reads them itself. So it never waits
 * for a helper that is slow to get up, and one that is awake halves the time.
 *
 * Both sides do only what cannot wait: one preadv2(RWF_NOWAIT) for each read. What comes
 * of it is decided on the loop's thread (fs_settle_read).
 *
 * A batch belongs to whoever moved its state, in one atomic step:
 *
 *   BATCH_LOOP     the loop's: empty, being filled, or being read by it
 *   BATCH_OFFERED  full; the first to claim it reads it (BATCH_LOOP or BATCH_HELPER)
 *   BATCH_HELPER   the helper's, until it comes back as finished work (batch_done)
 *
 * A cache line that two processors write costs them up to a third of a microsecond every
 * time it changes hands, half as much as reading a page. So the helper sees nothing of a
 * request but its row in the batch, which it only reads. */
#include "request/fs_state.h"

#include "base/alloc.h"
#include "request/pool.h"
#include "request/work.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/uio.h>

enum {
  BATCHES = 32,
  BATCH_READS = 8,
  BATCH_FIRST = 4, /* a smaller one to begin with: the helper has nothing to do yet */
  CACHE_LINE = 64,
  /* A helper that needs this much longer than the loop, which has nothing left to do, was
   * kept from its processor. */
  LATE_NS = 50 * 1000,
  /* Rounds in which the helper came too late for all of it, before sharing is given up
   * for a while: a thread that sleeps needs longer to get up than a round takes. */
  VAIN_MOST = 8,
  /* For how many reads it is given up. */
  ALONE_LEAST = 64,
  ALONE_MOST = 64 * 1024,
};

enum { BATCH_LOOP, BATCH_OFFERED, BATCH_HELPER };

struct batch_read {
  int fd;
  unsigned int count;          /* of vectors; 0: cancelled */
  const struct iovec* vectors; /* `one`, or the request's own */
  struct iovec one;
  int64_t offset;
  uv_fs_t* req; /* not for the helper */
};

struct fs_batch {
  struct uv__work work; /* how it comes back from the helper */
  _Atomic int state;
  unsigned int count;
  uint64_t left_ns; /* when the loop had nothing more to do but wait for it; or 0 */
  struct batch_read reads[BATCH_READS];
  char apart[CACHE_LINE];
  int answers[BATCH_READS]; /* no read gives more than an int */
  uint64_t finished_ns;     /* by the helper */
};

/* Batches are numbered on and on; number n is in ring[n % BATCHES]. */
struct fs_batches {
  uv_loop_t* loop;
  unsigned int first;     /* of this round: those before it are somebody's */
  unsigned int filling;   /* the one that reads are added to */
  unsigned int fill_size; /* how many make it full */

  unsigned int vain;        /* rounds in a row for which the helper came too late */
  unsigned int reads_alone; /* reads to come that are not gathered */
  unsigned int alone_next;  /* how many that will be the next time */

  struct uv__work helper;
  char apart[CACHE_LINE];
  _Atomic unsigned int offered; /* batches before this number have been */
  _Atomic bool helper_called;   /* and has not left yet */
  unsigned int helper_next;     /* the helper's own: the number to look at next */
  char behind[CACHE_LINE];
  struct fs_batch ring[BATCHES];
};

static struct fs_batch* batch_at(struct fs_batches* batches, unsigned int number) {
  return &batches->ring[number % BATCHES];
}

static bool batch_claim(struct fs_batch* batch, int claimant) {
  int offered = BATCH_OFFERED;
  return atomic_compare_exchange_strong_explicit(
      &batch->state, &offered, claimant, memory_order_acquire, memory_order_relaxed);
}

static void batch_read(struct fs_batch* batch) {
  for (unsigned int i = 0; i < batch->count; i++) {
    const struct batch_read* read = &batch->reads[i];
    if (read->count > 0)
      batch->answers[i] =
          (int) fs_read_now(read->fd, read->vectors, read->count, read->offset);
  }
}

/* --- The helper's side ------------------------------------------------------------ */

/* The helper leaves after some batches even if there are more: other work may wait for
 * its thread. A batch that is offered while it leaves is the loop's. A number that is
 * behind the times means a newer batch: as good as any. */
static void batches_help(struct uv__work* w) {
  struct fs_batches* batches = rondo_container_of(w, struct fs_batches, helper);
  for (int i = 0; i < BATCHES; i++) {
    unsigned int offered = atomic_load_explicit(&batches->offered, memory_order_acquire);
    if (offered - batches->helper_next > BATCHES)
      batches->helper_next = offered - BATCHES;
    if (batches->helper_next == offered)
      break;
    struct fs_batch* batch = batch_at(batches, batches->helper_next++);
    if (batch_claim(batch, BATCH_HELPER)) {
      batch_read(batch);
      batch->finished_ns = clock_now_ns();
      work_give_back(&batch->work);
    }
  }
  /* The loop may be closed from here on. */
  atomic_store_explicit(&batches->helper_called, false, memory_order_release);
}

static bool helper_is_away(const struct fs_batches* batches) {
  return !atomic_load_explicit(&batches->helper_called, memory_order_acquire);
}

static void helper_call(struct fs_batches* batches) {
  if (!helper_is_away(batches))
    return;
  loop_count(batches->loop, COUNTER_HELPER_CALLS);
  atomic_store_explicit(&batches->helper_called, true, memory_order_relaxed);
  if (!pool_lend(batches->loop, &batches->helper, batches_help))
    atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
}

/* Sharing costs the loop a wake-up, and the helper may be kept from a processor by other
 * programs. While sharing is of no use, reads are done at once, each time twice as many
 * before the next attempt. */
static void sharing_give_up(struct fs_batches* batches) {
  batches->vain = 0;
  batches->reads_alone = batches->alone_next;
  if (batches->alone_next < ALONE_MOST)
    batches->alone_next *= 2;
}

static void sharing_was_vain(struct fs_batches* batches) {
  if (++batches->vain == VAIN_MOST)
    sharing_give_up(batches);
}

static void sharing_was_of_use(struct fs_batches* batches) {
  batches->vain = 0;
  if (batches->alone_next > ALONE_LEAST)
    batches->alone_next /= 2;
}

/* --- The loop's side -------------------------------------------------------------- */

/* The requests that are over, in the order they were asked for. The batch is empty then.
 */
static void batch_settle(struct fs_batch* batch, struct queue* over) {
  for (unsigned int i = 0; i < batch->count; i++) {
    uv_fs_t* req = batch->reads[i].req;
    if (fs_settle_read(req, batch->answers[i]))
      queue_push_back(over, queue_of(req->work_req.wq));
  }
  batch->count = 0;
}

/* The helper has read it. */
static void batch_done(struct uv__work* w, int status) {
  (void) status;
  struct fs_batch* batch = rondo_container_of(w, struct fs_batch, work);
  struct file_state* state = w->loop->file_state;
  struct queue over;
  queue_init(&over);
  if (batch->left_ns != 0 && batch->finished_ns > batch->left_ns + LATE_NS)
    sharing_give_up(state->batches);
  else
    sharing_was_of_use(state->batches);
  atomic_store_explicit(&batch->state, BATCH_LOOP, memory_order_relaxed);
  batch_settle(batch, &over);
  work_deliver_next(w->loop, &over);
}

/* False if the helper has claimed it. */
static bool batch_take_back(uv_loop_t* loop, struct fs_batch* batch) {
  if (atomic_load_explicit(&batch->state, memory_order_relaxed) == BATCH_LOOP)
    return true;
  if (!batch_claim(batch, BATCH_LOOP))
    return false;
  loop->work_active--;
  return true;
}

static void batch_complete(struct fs_batch* batch) {
  struct queue over;
  queue_init(&over);
  batch_settle(batch, &over);
  while (!queue_empty(&over)) {
    struct queue* link = queue_first(&over);
    struct uv__work* w = rondo_container_of(link, struct uv__work, wq);
    queue_remove(link);
    fs_complete(rondo_container_of(w, uv_fs_t, work_req));
  }
}

/* Newest first, for the helper takes the oldest; but completed in the order they were
 * asked for. */
static void batches_run(uv_loop_t* loop) {
  struct fs_batches* batches = ((struct file_state*) loop->file_state)->batches;
  unsigned int shared = batches->filling - batches->first;
  unsigned int helped = 0;
  loop->before_poll = NULL;
  batches->fill_size = BATCH_FIRST;
  if (batch_at(batches, batches->filling)->count > 0)
    batches->filling++;
  for (unsigned int n = batches->filling; n-- != batches->first;) {
    struct fs_batch* batch = batch_at(batches, n);
    if (batch_take_back(loop, batch))
      batch_read(batch);
    else
      helped++;
  }
  if (shared > 0 && helped == 0)
    sharing_was_vain(batches);
  uint64_t now = helped > 0 ? clock_now_ns() : 0;
  for (; batches->first != batches->filling; batches->first++) {
    struct fs_batch* batch = batch_at(batches, batches->first);
    if (atomic_load_explicit(&batch->state, memory_order_relaxed) == BATCH_LOOP)
      batch_complete(batch);
    else
      batch->left_ns = now;
  }
}

static struct fs_batches* batches_make(uv_loop_t* loop) {
  if (!work_can_give_back(loop))
    return NULL;
  struct fs_batches* batches = mem_calloc(1, sizeof(*batches));
  if (batches == NULL)
    return NULL;
  batches->loop = loop;
  batches->fill_size = BATCH_FIRST;
  batches->alone_next = ALONE_LEAST;
  return batches;
}

static void batch_offer(struct fs_batches* batches, struct fs_batch* batch) {
  uv_loop_t* loop = batches->loop;
  loop->work_active++;
  batch->left_ns = 0;
  batch->work = (struct uv__work){.loop = loop, .done = batch_done};
  atomic_store_explicit(&batch->state, BATCH_OFFERED, memory_order_release);
  batches->filling++;
  batches->fill_size = BATCH_READS;
  atomic_store_explicit(&batches->offered, batches->filling, memory_order_release);
  helper_call(batches);
}

/* NULL if the read isn't to be gathered: not while sharing is given up, not if the helper
 * has all batches. */
static struct fs_batch* batch_to_fill(struct file_state* state, uv_loop_t* loop) {
  struct fs_batches* batches = state->batches;
  if (batches == NULL && (batches = state->batches = batches_make(loop)) == NULL)
    return NULL;
  if (batches->reads_alone > 0) {
    batches->reads_alone--;
    return NULL;
  }
  struct fs_batch* batch = batch_at(batches, batches->filling);
  bool ours = atomic_load_explicit(&batch->state, memory_order_relaxed) == BATCH_LOOP &&
              batches->filling - batches->first < BATCHES;
  return ours ? batch : NULL;
}

bool fs_batch_add(uv_fs_t* req) {
  struct file_state* state = fs_state(req);
  uv_loop_t* loop = req->loop;
  if (req->off < 0 || fs_read_size(req) == 0)
    return false;
  struct fs_batch* batch = batch_to_fill(state, loop);
  if (batch == NULL)
    return false;

  struct batch_read* read = &batch->reads[batch->count++];
  const struct iovec* vectors = (const struct iovec*) (const void*) req->bufs;
  *read = (struct batch_read){.fd = req->file,
                              .count = req->nbufs,
                              .vectors = req->nbufs == 1 ? &read->one : vectors,
                              .one = vectors[0],
                              .offset = req->off,
                              .req = req};
  req->work_req.loop = loop;
  req->work_req.work = NULL;
  req->work_req.done = fs_done;
  fs_inside(req)->batch = batch;
  loop_count(loop, COUNTER_FILE_SHARED);
  fs_set_place(req, FS_BATCH);
  fs_order_enter(req);
  loop->before_poll = batches_run;
  loop_notify_outer(loop);
  if (batch->count == state->batches->fill_size)
    batch_offer(state->batches, batch);
  return true;
}

int fs_batch_cancel(uv_fs_t* req) {
  struct fs_batch* batch = fs_inside(req)->batch;
  if (!batch_take_back(req->loop, batch))
    return UV_EBUSY;
  for (unsigned int i = 0; i < batch->count; i++) {
    if (batch->reads[i].req == req)
      batch->reads[i].count = 0;
  }
  fs_set_place(req, FS_CANCELLED);
  return 0;
}

/* --- Life ------------------------------------------------------------------------- */

/* In a forked child the helper is gone, whatever it was about to do. */
static void helper_forget(struct fs_batches* batches) {
  atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
  batches->helper.work = NULL;
}

/* What the helper had claimed and not given back is the parent's; the rest is the child's
 * as well. */
void fs_batch_fork(struct file_state* state, uv_loop_t* loop) {
  struct fs_batches* batches = state->batches;
  if (batches == NULL)
    return;
  helper_forget(batches);
  for (unsigned int n = batches->first; n != batches->filling + 1; n++) {
    struct fs_batch* batch = batch_at(batches, n);
    int owner = atomic_load_explicit(&batch->state, memory_order_relaxed);
    loop->work_active += owner == BATCH_OFFERED;
    for (unsigned int i = 0; i < batch->count && owner != BATCH_HELPER; i++)
      fs_order_enter(batch->reads[i].req);
  }
}

void fs_batch_close(struct file_state* state, uv_loop_t* loop) {
  struct fs_batches* batches = state->batches;
  if (batches == NULL)
    return;
  if (!loop_is_ours(loop))
    helper_forget(batches);
  if (pool_take_back(&batches->helper, NULL))
    atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
  while (!helper_is_away(batches))
    sched_yield(); /* it has nothing to do and is about to see it */
  mem_free(batches);
}
