/* Reading a file without waiting, where that can be; the rest is in fs_data.c.
 *
 * A read at an offset is gathered into a batch. The poll phase begins by trying every
 * gathered read with preadv2(RWF_NOWAIT), which takes what is in the page cache and never
 * waits. A read whose data isn't cached goes on to the ring or the pool. A read at the
 * file's own position is tried at once, since the next read begins where this one ends.
 *
 * Many reads are shared with a helper, a thread of the pool that has nothing else to do.
 * The helper claims full batches, oldest first; in the poll phase the loop claims what is
 * left, newest first. So the loop never waits for a helper that is slow to wake, and a
 * helper that is awake halves the time. A batch belongs to whoever moved its state, in
 * one atomic step:
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
#include "base/base.h"
#include "request/fs_sharing.h"
#include "request/pool.h"
#include "request/work.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/major.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/uio.h>

enum {
  BATCHES = 64,
  BATCH_READS = 4,
  /* The helper is called when this many batches are full: fewer reads are done before it
   * is awake. */
  BATCHES_TO_SHARE = 2,
  /* A helper that finishes this much later than the loop, which has nothing left to do,
   * was kept from its processor. */
  LATE_NS = 50 * 1000,
  /* A helper that begins this long after it was called was kept from its processor, too:
   * being woken takes less. */
  BEGINS_LATE_NS = 500 * 1000,
};

enum { BATCH_LOOP, BATCH_OFFERED, BATCH_HELPER };

struct batch_read {
  int fd;
  unsigned int count;          /* number of vectors; 0: cancelled */
  const struct iovec* vectors; /* `one`, or the request's own */
  struct iovec one;
  int64_t offset;
  uv_fs_t* req; /* not read by the helper */
};

struct fs_batch {
  struct uv__work work; /* returns the batch from the helper to the loop */
  _Atomic int state;
  unsigned int count;
  /* When the loop had nothing left to do but wait for this batch; or 0. */
  uint64_t left_ns;
  struct batch_read reads[BATCH_READS];
  char apart[CACHE_LINE];
  int answers[BATCH_READS]; /* a read returns no more than fits an int */
  uint64_t finished_ns;     /* set by the helper; 0 before */
};

/* Batches are numbered consecutively; number n is in ring[n % BATCHES]. A round is what
 * is gathered between two poll phases. */
struct fs_batches {
  uv_loop_t* loop;
  unsigned int first;   /* of this round; earlier batches are with the helper or done */
  unsigned int filling; /* the batch that reads are added to */
  bool shared;          /* batches of this round are offered to the helper */
  struct fs_sharing sharing;
  uint64_t called_ns; /* when the helper was called */

  struct uv__work helper;
  char apart[CACHE_LINE];
  _Atomic unsigned int offered; /* batches before this number have been offered */
  _Atomic bool helper_called;   /* the helper was called and hasn't left yet */
  _Atomic bool helper_was_kept; /* from a processor, since the loop asked last */
  unsigned int helper_next; /* written by the helper only: the number to look at next */
  char behind[CACHE_LINE];
  struct fs_batch ring[BATCHES];
};

/* --- Trying ---------------------------------------------------------------------- */

static size_t read_size(const uv_fs_t* req) {
  size_t total = 0;
  for (unsigned int i = 0; i < req->nbufs; i++)
    total += req->bufs[i].len;
  return total;
}

/* With O_DIRECT the kernel waits for the device even under RWF_NOWAIT. Such reads and
 * writes go in whole sectors, so others are known not to be direct. The answer of
 * fcntl(2), which takes as long as a quarter of the read, is reused for some requests. If
 * the descriptor's number comes to mean another file meanwhile, these few requests may
 * wait for a device on the loop's thread; their results are right. */
bool fs_ask_direct(uv_fs_t* req) {
  if ((read_size(req) & 511) != 0 || (req->off > 0 && (req->off & 511) != 0))
    return false;
  struct fs_direct* known = &fs_state(req)->direct[(unsigned int) req->file % FS_FILES];
  if (known->fd != req->file || known->uses_left == 0) {
    int status = fcntl(req->file, F_GETFL);
    if (status < 0)
      return true;
    *known = (struct fs_direct){
        .fd = req->file, .uses_left = DIRECT_USES, .direct = (status & O_DIRECT) != 0};
  }
  known->uses_left--;
  return known->direct;
}

/* /dev/zero and similar devices give one page at a time under RWF_NOWAIT. */
static bool is_memory_device(const struct statx* about) {
  return S_ISCHR(about->stx_mode) && about->stx_rdev_major == MEM_MAJOR;
}

/* The offset of the next byte to read; negative if it isn't known. */
static int64_t read_position(const uv_fs_t* req) {
  return req->off >= 0 ? req->off : lseek(req->file, 0, SEEK_CUR);
}

/* After a short read, or an empty one: whether the read has reached the end. RWF_NOWAIT
 * may stop where the page cache does, and Linux 5.9 and 5.10 then return 0, as at the end
 * of the file. So a regular file has ended only beyond its size, and a block device only
 * if a read that may wait finds its end. Everything else returns what it has. The statx
 * here is the C library's, which works without the kernel's. */
static bool read_is_complete(const uv_fs_t* req, ssize_t answer) {
  struct statx about;
  if (statx(req->file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE,
            &about) != 0)
    return answer > 0;
  if (!S_ISREG(about.stx_mode))
    return !S_ISBLK(about.stx_mode) && !is_memory_device(&about);
  int64_t position = read_position(req);
  return position >= 0 && (uint64_t) position >= about.stx_size;
}

/* May be called on any thread. */
static ssize_t read_now(int fd, const struct iovec* vectors, unsigned int count,
                        int64_t offset) {
  return fs_result(preadv2(fd, vectors, (int) count, offset, RWF_NOWAIT));
}

static ssize_t read_try(const uv_fs_t* req) {
  return read_now(req->file, fs_vectors(req), req->nbufs, req->off);
}

/* Continues a read whose first try returned `answer`. */
static enum fs_way read_go_on(uv_fs_t* req, ssize_t answer) {
  size_t total = read_size(req);
  for (;;) {
    if (answer == -EAGAIN)
      return FS_WAY_WAIT;
    /* EPERM: a sandbox forbids preadv2(2). */
    if (answer == -EOPNOTSUPP || answer == -ENOSYS || answer == -EPERM)
      return FS_WAY_POOL;
    if (answer < 0) {
      req->result = req->result > 0 ? req->result : answer;
      return FS_WAY_DONE;
    }
    req->result += answer;
    if ((size_t) answer == total)
      return FS_WAY_DONE;
    total -= (size_t) answer;
    fs_advance(req, (size_t) answer);
    if (read_is_complete(req, answer))
      return FS_WAY_DONE;
    if (answer == 0)
      return FS_WAY_WAIT;
    answer = read_try(req);
  }
}

/* --- Batches, and the helper's side ------------------------------------------------ */

static struct fs_batch* batch_at(struct fs_batches* batches, unsigned int number) {
  return &batches->ring[number % BATCHES];
}

static bool batch_claim(struct fs_batch* batch, int claimant) {
  int offered = BATCH_OFFERED;
  return atomic_compare_exchange_strong_explicit(
      &batch->state, &offered, claimant, memory_order_acquire, memory_order_relaxed);
}

static bool batch_is(const struct fs_batch* batch, int state) {
  return atomic_load_explicit(&batch->state, memory_order_relaxed) == state;
}

static void batch_read(struct fs_batch* batch) {
  for (unsigned int i = 0; i < batch->count; i++) {
    const struct batch_read* read = &batch->reads[i];
    if (read->count > 0)
      batch->answers[i] =
          (int) read_now(read->fd, read->vectors, read->count, read->offset);
  }
}

/* The helper leaves after some batches even if there are more, since other work may wait
 * for its thread. A batch that is offered while the helper leaves stays with the loop. If
 * the slot of the next number has been reused by a newer batch, the helper takes that
 * one. */
static void batches_help(struct uv__work* w) {
  struct fs_batches* batches = rondo_container_of(w, struct fs_batches, helper);
  bool is_late = clock_now_ns() > batches->called_ns + BEGINS_LATE_NS;
  long switches = fs_sharing_switches();
  for (int i = 0; i < BATCHES; i++) {
    unsigned int offered = atomic_load_explicit(&batches->offered, memory_order_acquire);
    if (offered - batches->helper_next > BATCHES)
      batches->helper_next = offered - BATCHES;
    if (batches->helper_next == offered)
      break;
    struct fs_batch* batch = batch_at(batches, batches->helper_next++);
    if (batch_claim(batch, BATCH_HELPER)) {
      assert(batch->count == BATCH_READS && batch->finished_ns == 0);
      batch_read(batch);
      batch->finished_ns = clock_now_ns();
      work_give_back(&batch->work);
    }
  }
  if (is_late || fs_sharing_switches() != switches)
    atomic_store_explicit(&batches->helper_was_kept, true, memory_order_relaxed);
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
  batches->helper_next = batches->first;
  batches->called_ns = clock_now_ns();
  atomic_store_explicit(&batches->helper_called, true, memory_order_relaxed);
  if (!pool_lend(batches->loop, &batches->helper, batches_help))
    atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
}

/* --- The loop's side -------------------------------------------------------------- */

/* Called for a read that was tried in a batch. True if the read is over and has to be
 * called back; false if it has gone on to the ring or the pool. */
static bool read_settle(uv_fs_t* req, ssize_t answer) {
  enum fs_way way = FS_WAY_DONE;
  assert(fs_place(req) == FS_BATCH || fs_place(req) == FS_CANCELLED);
  if (fs_place(req) == FS_CANCELLED)
    req->result = UV_ECANCELED;
  else
    way = read_go_on(req, answer);
  if (way != FS_WAY_DONE && fs_send_rest(req, way))
    return false;
  fs_set_place(req, FS_DONE);
  return true;
}

/* Empties the batch: puts the requests that are over into `over`, in the order in which
 * they were made. */
static void batch_settle(struct fs_batch* batch, struct queue* over,
                         enum loop_counter counter) {
  assert(batch_is(batch, BATCH_LOOP) && batch->count <= BATCH_READS);
  queue_init(over);
  for (unsigned int i = 0; i < batch->count; i++) {
    uv_fs_t* req = batch->reads[i].req;
    assert(fs_inside(req)->batch == batch);
    if (!read_settle(req, batch->answers[i]))
      continue;
    loop_count(req->loop, counter);
    queue_push_back(over, queue_of(req->work_req.wq));
  }
  batch->count = 0;
}

/* Called on the loop's thread when the helper has read the batch. */
static void batch_done(struct uv__work* w, int status) {
  (void) status;
  struct fs_batch* batch = rondo_container_of(w, struct fs_batch, work);
  struct fs_batches* batches = ((struct file_state*) w->loop->file_state)->batches;
  struct queue over;
  /* Only the helper sends batches back, and only those that it has read. */
  assert(batch_is(batch, BATCH_HELPER) && batch->finished_ns != 0);
  if (batch->left_ns != 0 && batch->finished_ns > batch->left_ns + LATE_NS)
    fs_sharing_pause(&batches->sharing, clock_now_ns());
  else
    fs_sharing_won(&batches->sharing);
  atomic_store_explicit(&batch->state, BATCH_LOOP, memory_order_relaxed);
  batch_settle(batch, &over, COUNTER_FILE_SHARED);
  work_deliver_next(w->loop, &over);
}

/* Takes an offered batch back; false if the helper has claimed it. */
static bool batch_take_back(uv_loop_t* loop, struct fs_batch* batch) {
  if (batch_is(batch, BATCH_LOOP))
    return true;
  if (!batch_claim(batch, BATCH_LOOP))
    return false;
  assert(loop->work_active > 0);
  loop->work_active--;
  return true;
}

static void batch_complete(uv_loop_t* loop, struct fs_batch* batch) {
  struct queue over;
  batch_settle(batch, &over, COUNTER_FILE_AT_ONCE);
  while (!queue_empty(&over)) {
    struct queue* link = queue_first(&over);
    queue_remove(link);
    loop_complete(loop, rondo_container_of(link, struct uv__work, wq), 0);
  }
}

/* Called when the poll phase begins. Batches are completed in the order in which they
 * were filled. */
static void batches_run(uv_loop_t* loop) {
  struct fs_batches* batches = ((struct file_state*) loop->file_state)->batches;
  unsigned int helped = 0;
  loop->before_poll = NULL;
  /* With the ring full, the place to fill is the first batch, which counts already. */
  if (batches->filling - batches->first < BATCHES &&
      batch_at(batches, batches->filling)->count > 0)
    batches->filling++;
  assert(batches->filling - batches->first <= BATCHES);
  for (unsigned int n = batches->filling; n-- != batches->first;) {
    struct fs_batch* batch = batch_at(batches, n);
    if (batch_take_back(loop, batch))
      batch_read(batch);
    else
      helped++;
  }
  if (batches->shared && helped == 0)
    fs_sharing_lost(&batches->sharing); /* the helper came too late for all batches */
  batches->shared = false;
  uint64_t now = helped > 0 ? clock_now_ns() : 0;
  for (; batches->first != batches->filling; batches->first++) {
    struct fs_batch* batch = batch_at(batches, batches->first);
    if (batch_is(batch, BATCH_LOOP))
      batch_complete(loop, batch);
    else
      batch->left_ns = now;
  }
}

static void batch_offer(struct fs_batches* batches, struct fs_batch* batch) {
  assert(batch_is(batch, BATCH_LOOP) && batch->count == BATCH_READS);
  batches->loop->work_active++;
  batch->left_ns = 0;
  batch->finished_ns = 0;
  batch->work = (struct uv__work){.loop = batches->loop, .done = batch_done};
  atomic_store_explicit(&batch->state, BATCH_OFFERED, memory_order_release);
}

/* Whether this round is shared. Sharing costs the loop a wake-up. */
static bool round_take_chance(struct fs_batches* batches) {
  if (atomic_load_explicit(&batches->helper_was_kept, memory_order_relaxed)) {
    atomic_store_explicit(&batches->helper_was_kept, false, memory_order_relaxed);
    fs_sharing_pause(&batches->sharing, clock_now_ns());
  }
  return fs_sharing_take_chance(&batches->sharing, batches->loop->now_ns);
}

static void batch_full(struct fs_batches* batches) {
  batches->filling++;
  unsigned int full = batches->filling - batches->first;
  unsigned int n = batches->filling - 1;
  if (full == BATCHES_TO_SHARE) {
    batches->shared = round_take_chance(batches);
    n = batches->first;
  }
  if (!batches->shared)
    return;
  for (; n != batches->filling; n++)
    batch_offer(batches, batch_at(batches, n));
  atomic_store_explicit(&batches->offered, batches->filling, memory_order_release);
  helper_call(batches);
}

static struct fs_batches* batches_make(uv_loop_t* loop) {
  struct fs_batches* batches = NULL;
  if (work_can_give_back(loop))
    batches = mem_calloc(1, sizeof(*batches));
  if (batches != NULL) {
    batches->loop = loop;
    fs_sharing_begin(&batches->sharing, loop->now_ns);
  }
  return batches;
}

/* NULL without memory, or if the helper has all batches. */
static struct fs_batch* batch_to_fill(struct file_state* state, uv_loop_t* loop) {
  if (state->batches == NULL && (state->batches = batches_make(loop)) == NULL)
    return NULL;
  struct fs_batches* batches = state->batches;
  struct fs_batch* batch = batch_at(batches, batches->filling);
  bool ours = batch_is(batch, BATCH_LOOP) && batches->filling - batches->first < BATCHES;
  return ours ? batch : NULL;
}

static bool read_gather(uv_fs_t* req) {
  struct file_state* state = fs_state(req);
  uv_loop_t* loop = req->loop;
  struct fs_batch* batch = batch_to_fill(state, loop);
  if (batch == NULL)
    return false;

  struct batch_read* read = &batch->reads[batch->count++];
  const struct iovec* vectors = fs_vectors(req);
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
  fs_set_place(req, FS_BATCH);
  fs_order_enter(req);
  loop->before_poll = batches_run;
  loop_notify_outer(loop);
  if (batch->count == BATCH_READS)
    batch_full(state->batches);
  return true;
}

enum fs_way fs_read_start(uv_fs_t* req) {
  if (read_size(req) == 0)
    return FS_WAY_POOL;
  if (fs_ask_direct(req))
    return FS_WAY_WAIT;
  if (req->off >= 0 && read_gather(req))
    return FS_WAY_BATCH;
  return read_go_on(req, read_try(req));
}

int fs_read_cancel(uv_fs_t* req) {
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

/* In a forked child there is no helper. */
static void helper_forget(struct fs_batches* batches) {
  atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
  batches->helper.work = NULL;
}

/* In the child: batches that the helper had claimed and not finished are the parent's
 * alone; the others are the child's as well. */
void fs_read_fork(struct file_state* state, uv_loop_t* loop) {
  struct fs_batches* batches = state->batches;
  if (batches == NULL)
    return;
  helper_forget(batches);
  for (unsigned int n = 0; n < BATCHES; n++) {
    struct fs_batch* batch = &batches->ring[n];
    loop->work_active += batch_is(batch, BATCH_OFFERED);
    if (batch_is(batch, BATCH_HELPER) && batch->finished_ns == 0) {
      batch->count = 0;
      atomic_store_explicit(&batch->state, BATCH_LOOP, memory_order_relaxed);
    }
    for (unsigned int i = 0; i < batch->count; i++)
      fs_order_enter(batch->reads[i].req);
  }
}

void fs_read_close(struct file_state* state, uv_loop_t* loop) {
  struct fs_batches* batches = state->batches;
  if (batches == NULL)
    return;
  if (!loop_is_ours(loop))
    helper_forget(batches);
  if (pool_take_back(&batches->helper, NULL))
    atomic_store_explicit(&batches->helper_called, false, memory_order_relaxed);
  while (!helper_is_away(batches))
    sched_yield(); /* the helper has no batch left and is about to leave */
  mem_free(batches);
}
