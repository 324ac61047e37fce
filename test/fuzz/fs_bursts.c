/* Reads in numbers: many at once, begun from callbacks of every kind, and more from their
 * own; cancelled, with a close or a truncation behind them, with the pool busy, in a
 * child that was forked in the middle. Who does them, in which order and how many can
 * still be cancelled is nobody's promise; what each of them gives is, and is checked
 * right here. */
#include "fs_reads.h"

#include "../unit/sanitizers.h"
#include "rondo.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READERS = 400, CHILD_READERS = 40, BLOCKS = 6 };

#pragma weak rondo_loop_limit

/* Of some promises libuv makes less: that every run brings something, that a loop can be
 * used in a forked child whatever its threads were about to do. */
static bool is_ours(void) {
  int (*limit)(uv_loop_t*, enum rondo_phase, unsigned int) = rondo_loop_limit;
  return limit != NULL;
}

enum starter { AT_TIMER, AT_IDLE, AT_PREPARE, AT_CHECK, AT_ASYNC, OUTSIDE, STARTERS };

struct burst {
  struct chain* chain;
  struct source sources[SOURCES];
  struct reader readers[READERS];
  struct reader child_readers[CHILD_READERS];
  enum length length;
  bool has_favourites; /* in each round another */
  struct source* favourite;
  bool alone;
  bool in_child;
  int rounds_left;
  int under_way; /* of all that must be over before the next round */
  bool over;
  unsigned int calls;
  unsigned int limit; /* of callbacks in the poll, where there is one */
  uv_timer_t timer;
  uv_idle_t idle;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_async_t async;
  uv_idle_t release; /* of the threads that are blocked */
  int turns_blocked;
  uv_sem_t free;
  uv_work_t blocks[BLOCKS];
  unsigned int blocked;
  uv_fs_t truncation;
  uv_fs_t closing;
  struct source* truncated;
  int closed;
};

static void begin_round(struct burst* burst);

/* --- The end of a round ----------------------------------------------------------- */

static void one_is_over(struct burst* burst) {
  burst->calls++;
  expect(burst->under_way > 0);
  if (--burst->under_way > 0 || burst->in_child)
    return;
  if (burst->closed >= 0)
    source_open(burst->chain, burst->sources, burst->closed);
  if (burst->rounds_left > 0 && pick(burst->chain, 2) == 0)
    begin_round(burst); /* from a callback of a read, most of the time */
  else
    burst->over = true;
}

/* --- Reads ------------------------------------------------------------------------ */

static void on_read(uv_fs_t* request);

static void begin_read(struct burst* burst, struct reader* reader) {
  reader_choose(reader, burst->sources, burst->favourite, burst->length);
  burst->under_way++;
  unsigned int calls = burst->calls;
  expect(reader_begin(reader, burst->chain->loop, on_read) == 0);
  expect(burst->calls == calls); /* nothing is called back from inside */
}

static void cancel_read(struct reader* reader) {
  /* What moves the file's position must not leave open whether it did. */
  if (!reader->under_way || reader->offset < 0)
    return;
  int err = uv_cancel((uv_req_t*) &reader->request);
  expect(err == 0 || err == UV_EBUSY);
  if (err == 0)
    reader->cancelled = true;
}

static void on_read(uv_fs_t* request) {
  struct reader* reader = request->data;
  struct burst* burst = reader->burst;
  expect(request == &reader->request && reader->under_way);
  reader_check(reader);
  reader_end(reader);
  if (reader->left > 0 && roll(&reader->seed, 10) == 0)
    cancel_read(&burst->readers[roll(&reader->seed, READERS)]);
  if (reader->left-- > 0)
    begin_read(burst, reader);
  one_is_over(burst);
}

/* --- What comes behind them ------------------------------------------------------- */

static void cancel_some(struct burst* burst, unsigned int count) {
  for (unsigned int n = pick(burst->chain, count + 1); n > 0; n--)
    cancel_read(&burst->readers[pick(burst->chain, count)]);
}

static void on_truncated(uv_fs_t* request) {
  struct burst* burst = request->data;
  expect(uv_fs_get_result(request) == 0);
  source_truncated(burst->truncated);
  uv_fs_req_cleanup(request);
  one_is_over(burst);
}

static struct source* choose_file(struct burst* burst, int* number) {
  do
    *number = (int) pick(burst->chain, SOURCES);
  while (burst->sources[*number].bytes == NULL);
  return &burst->sources[*number];
}

static void truncate_one(struct burst* burst) {
  int number;
  struct source* source = choose_file(burst, &number);
  burst->truncated = source;
  source->other_size = pick(burst->chain, SOURCE_MOST);
  source->truncating = true;
  for (int i = 0; i < READERS; i++) {
    if (burst->readers[i].under_way && burst->readers[i].source == source)
      burst->readers[i].truncated = true;
  }
  fprintf(burst->chain->log, "truncate %d %lld\n", number,
          (long long) source->other_size);
  burst->truncation.data = burst;
  burst->under_way++;
  expect(uv_fs_ftruncate(burst->chain->loop, &burst->truncation, source->fd,
                         source->other_size, on_truncated) == 0);
}

static void on_closed(uv_fs_t* request) {
  struct burst* burst = request->data;
  expect(uv_fs_get_result(request) == 0);
  uv_fs_req_cleanup(request);
  one_is_over(burst);
}

static void close_one(struct burst* burst) {
  struct source* source = choose_file(burst, &burst->closed);
  if (source->truncating) {
    burst->closed = -1;
    return;
  }
  source->closing = true;
  for (int i = 0; i < READERS; i++) {
    struct reader* reader = &burst->readers[i];
    reader->closed = reader->under_way && reader->source == source;
    reader->lost = reader->closed && !burst->alone;
  }
  burst->closing.data = burst;
  burst->under_way++;
  expect(uv_fs_close(burst->chain->loop, &burst->closing, source->fd, on_closed) == 0);
}

/* --- A busy pool ------------------------------------------------------------------ */

static void block_thread(uv_work_t* work) {
  struct burst* burst = work->data;
  uv_sem_wait(&burst->free);
}

static void on_free(uv_work_t* work, int status) {
  expect(status == 0);
  one_is_over(work->data);
}

static void release_threads(uv_idle_t* idle) {
  struct burst* burst = idle->data;
  burst->calls++;
  if (--burst->turns_blocked > 0)
    return;
  expect(uv_idle_stop(idle) == 0);
  for (unsigned int i = 0; i < burst->blocked; i++)
    uv_sem_post(&burst->free);
}

static void block_threads(struct burst* burst) {
  burst->blocked = 1 + pick(burst->chain, BLOCKS);
  burst->turns_blocked = 1 + (int) pick(burst->chain, 4);
  for (unsigned int i = 0; i < burst->blocked; i++) {
    burst->blocks[i].data = burst;
    burst->under_way++;
    expect(uv_queue_work(burst->chain->loop, &burst->blocks[i], block_thread, on_free) ==
           0);
  }
  expect(uv_idle_start(&burst->release, release_threads) == 0);
}

/* --- A forked child --------------------------------------------------------------- */

/* Of the reads begun before, it is told as much as had come back. */
static void go_on_in_child(struct burst* burst) {
  alarm(30);
  burst->in_child = true;
  for (int i = 0; i < READERS; i++)
    burst->readers[i].left = 0;
  for (int i = 0; i < SOURCES; i++)
    burst->sources[i].positioned = true; /* the position is the parent's too */
  expect(uv_loop_fork(burst->chain->loop) == 0);
  for (int i = 0; i < CHILD_READERS; i++) {
    struct reader* reader = &burst->child_readers[i];
    reader->burst = burst;
    reader->seed = burst->chain->seed + (unsigned int) i * 1000003u + 1;
    begin_read(burst, reader);
  }
  for (int i = 0; i < CHILD_READERS; i++) {
    while (burst->child_readers[i].under_way)
      uv_run(burst->chain->loop, UV_RUN_ONCE);
  }
  _exit(0);
}

static void fork_now(struct burst* burst) {
  int status;
  pid_t child = fork();
  expect(child >= 0);
  if (child == 0)
    go_on_in_child(burst);
  expect(waitpid(child, &status, 0) == child && status == 0);
}

/* --- A round ---------------------------------------------------------------------- */

static void prepare_sources(struct burst* burst) {
  int number;
  burst->closed = -1;
  burst->truncated = NULL;
  burst->favourite = burst->has_favourites ? choose_file(burst, &number) : NULL;
  if (pick(burst->chain, 6) == 0)
    source_write(burst->chain, choose_file(burst, &number));
  if (pick(burst->chain, 12) == 0)
    source_make_cold(choose_file(burst, &number));
}

static void begin_reads(struct burst* burst, unsigned int count) {
  struct chain* chain = burst->chain;
  for (unsigned int i = 0; i < count; i++) {
    struct reader* reader = &burst->readers[i];
    reader->burst = burst;
    reader->seed = ((uint64_t) pick(chain, 1u << 30) << 30 | pick(chain, 1u << 30)) + 1;
    reader->left = pick(chain, 3) == 0 ? (int) pick(chain, 6) : 0;
    begin_read(burst, reader);
  }
}

static void begin_round(struct burst* burst) {
  struct chain* chain = burst->chain;
  unsigned int count = 1 + pick(chain, pick(chain, 3) == 0 ? READERS : 100);
  burst->rounds_left--;
  burst->length = (enum length) pick(chain, LENGTHS);
  fprintf(chain->log, "%u reads\n", count);
  burst->under_way++; /* so that nothing that fails ends the round before it has begun */
  prepare_sources(burst);
  if (pick(chain, 10) == 0)
    block_threads(burst);
  begin_reads(burst, count);
  if (pick(chain, 3) == 0)
    cancel_some(burst, count);
  if (pick(chain, 6) == 0)
    truncate_one(burst);
  bool forks = pick(chain, 40) == 0 && burst->alone && burst->truncated == NULL;
  if (forks && is_ours() && !UNDER_THREAD_SANITIZER)
    fork_now(burst);
  if (pick(chain, 4) == 0)
    close_one(burst);
  burst->under_way--;
  expect(burst->under_way > 0);
}

/* --- The rounds ------------------------------------------------------------------- */

static void at_timer(uv_timer_t* timer) {
  begin_round(timer->data);
}

static void at_idle(uv_idle_t* idle) {
  expect(uv_idle_stop(idle) == 0);
  begin_round(idle->data);
}

static void at_prepare(uv_prepare_t* prepare) {
  expect(uv_prepare_stop(prepare) == 0);
  begin_round(prepare->data);
}

static void keep_awake(uv_idle_t* idle) {
  (void) idle;
}

static void at_check(uv_check_t* check) {
  struct burst* burst = check->data;
  expect(uv_check_stop(check) == 0 && uv_idle_stop(&burst->idle) == 0);
  begin_round(burst);
}

static void at_async(uv_async_t* async) {
  uv_unref((uv_handle_t*) async);
  begin_round(async->data);
}

static void arm(struct burst* burst, enum starter starter) {
  switch (starter) {
  case AT_TIMER:
    expect(uv_timer_start(&burst->timer, at_timer, 0, 0) == 0);
    break;
  case AT_IDLE:
    expect(uv_idle_start(&burst->idle, at_idle) == 0);
    break;
  case AT_PREPARE:
    expect(uv_prepare_start(&burst->prepare, at_prepare) == 0);
    break;
  case AT_CHECK:
    expect(uv_check_start(&burst->check, at_check) == 0);
    expect(uv_idle_start(&burst->idle, keep_awake) == 0);
    break;
  case AT_ASYNC:
    uv_ref((uv_handle_t*) &burst->async);
    expect(uv_async_send(&burst->async) == 0);
    break;
  default:
    begin_round(burst);
  }
}

static void burst_set_up(struct burst* burst, struct chain* chain) {
  uv_loop_t* loop = chain->loop;
  burst->chain = chain;
  burst->has_favourites = pick(chain, 2) == 0;
  burst->rounds_left = 5 + (int) pick(chain, burst->has_favourites ? 60 : 30);
  sources_make(chain, burst->sources);
  expect(uv_timer_init(loop, &burst->timer) == 0);
  expect(uv_idle_init(loop, &burst->idle) == 0);
  expect(uv_prepare_init(loop, &burst->prepare) == 0);
  expect(uv_check_init(loop, &burst->check) == 0);
  expect(uv_async_init(loop, &burst->async, at_async) == 0);
  expect(uv_idle_init(loop, &burst->release) == 0);
  uv_unref((uv_handle_t*) &burst->async);
  expect(uv_sem_init(&burst->free, 0) == 0);
  burst->timer.data = burst->idle.data = burst->prepare.data = burst->check.data =
      burst->async.data = burst->release.data = burst;
}

/* Closes the handles with what is left of them. */
static void burst_end(struct burst* burst) {
  uv_handle_t* handles[] = {
      (uv_handle_t*) &burst->timer,   (uv_handle_t*) &burst->idle,
      (uv_handle_t*) &burst->prepare, (uv_handle_t*) &burst->check,
      (uv_handle_t*) &burst->async,   (uv_handle_t*) &burst->release};
  for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
    uv_close(handles[i], NULL);
  expect(uv_run(burst->chain->loop, UV_RUN_DEFAULT) == 0);
  uv_sem_destroy(&burst->free);
  sources_end(burst->sources);
  free(burst);
}

static void run_until_over(struct burst* burst) {
  uv_run_mode mode = (uv_run_mode) pick(burst->chain, 3);
  while (!burst->over) {
    unsigned int calls = burst->calls;
    bool begun = burst->under_way > 0;
    int alive = uv_run(burst->chain->loop, mode);
    expect(mode != UV_RUN_DEFAULT || alive == 0);
    if (mode == UV_RUN_ONCE && begun && is_ours())
      expect(burst->calls > calls);
  }
}

void scene_bursts(struct chain* chain) {
  struct burst* burst = calloc(1, sizeof(*burst));
  expect(burst != NULL);
  burst_set_up(burst, chain);
  burst->alone = chain->alone;
  while (burst->rounds_left > 0) {
    burst->limit = pick(chain, 4) == 0 ? 1 + pick(chain, 30) : 0;
    if (is_ours())
      expect(rondo_loop_limit(chain->loop, RONDO_PHASE_POLL, burst->limit) == 0);
    burst->over = false;
    arm(burst, (enum starter) pick(chain, STARTERS));
    run_until_over(burst);
  }
  burst_end(burst);
}
