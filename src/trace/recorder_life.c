/* Starts, stops and forks a recorder, for the environment or the program. */
#include "trace/recorder.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum target { TARGET_NAMED, TARGET_FOR_MANY, TARGET_RING };

static int recorder_join(struct recorder* recorder, const uv_loop_t* loop,
                         const char* path, enum target target) {
  recorder->kind = target == TARGET_RING ? &recorder_ring : &recorder_file;
  if (target == TARGET_RING)
    return recording_join_ring(&recorder->stream, loop, path);
  return recording_join(&recorder->stream, loop, path, target == TARGET_FOR_MANY);
}

/* A ring's place on the board; of its own, where there is none. False without memory. */
static bool recorder_take_place(struct recorder* recorder) {
  recorder->board = recording_board(&recorder->stream);
  recorder->live = recording_place(&recorder->stream);
  recorder->live_is_own = recorder->live == NULL;
  if (recorder->live_is_own)
    recorder->live = mem_calloc_line(sizeof(*recorder->live));
  if (recorder->live == NULL)
    return false;
  recorder->fresh_front = recorder->fresh_end = recorder->live->fresh;
  recorder->fresh_from = recorder->live->fresh;
  recorder->sampled.looked = &recorder->live->looked_ns;
  recorder->sampled.live = recorder->live_is_own ? NULL : recorder->live;
  recorder->sampled.board = recorder->board;
  return true;
}

/* --- forks ------------------------------------------------------------------------- */

/* All of this process. A forked child writes nothing to a board or a file, which are
 * still the parent's. */
static struct recorder* recorders;
static pthread_mutex_t recorders_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t recorders_once = PTHREAD_ONCE_INIT;

static void recorders_before_fork(void) {
  pthread_mutex_lock(&recorders_lock);
}

static void recorders_after_fork(void) {
  pthread_mutex_unlock(&recorders_lock);
}

static void recorders_after_fork_in_child(void) {
  for (struct recorder* recorder = recorders; recorder != NULL; recorder = recorder->next)
    recorder_rest(recorder);
  recorders_lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
}

static void recorders_init(void) {
  system_at_fork(recorders_before_fork, recorders_after_fork,
                 recorders_after_fork_in_child);
}

static void recorders_add(struct recorder* recorder) {
  pthread_once(&recorders_once, recorders_init);
  pthread_mutex_lock(&recorders_lock);
  recorder->next = recorders;
  recorders = recorder;
  pthread_mutex_unlock(&recorders_lock);
}

static void recorders_remove(const struct recorder* recorder) {
  pthread_mutex_lock(&recorders_lock);
  struct recorder** at = &recorders;
  while (*at != recorder)
    at = &(*at)->next;
  *at = recorder->next;
  pthread_mutex_unlock(&recorders_lock);
}

/* --- start and end ----------------------------------------------------------------- */

static int recorder_start(uv_loop_t* loop, const char* path, enum target target) {
  if (loop == NULL || path == NULL || (*path == '\0' && target != TARGET_RING))
    return UV_EINVAL;
  if (loop->trace_state != NULL)
    return UV_EALREADY;
  struct recorder* recorder = mem_calloc_line(sizeof(*recorder));
  char* pattern = mem_strdup(path);
  int err = recorder == NULL || pattern == NULL
                ? UV_ENOMEM
                : recorder_join(recorder, loop, path, target);
  if (err == 0 && !recorder_take_place(recorder)) {
    recording_leave(&recorder->stream);
    err = UV_ENOMEM;
  }
  if (err != 0) {
    mem_free_line(recorder);
    mem_free(pattern);
    return err;
  }
  uint64_t now = clock_now_ns();
  recorder->loop = loop;
  recorder->pattern = pattern;
  recorder->last_ns = now;
  ticks_start(&recorder->lesson);
  recorder->phase = -1;
  recorder->thread = pthread_self();
  if (wake_is_awake(loop))
    recorder_rest(recorder);
  else
    recorder_begin(recorder);
  recorder->start_ns = recording_start_ns(&recorder->stream);
  /* The time of the last list is set back, so that the first turn lists the handles. */
  recorder->waits_ns = now - WAITS_EVERY_NS - 1;
  recorder->waits_credit = WAITS_CREDIT;
  ring_start(recorder);
  cpu_start(recorder, now);
  counts_start(loop, recorder);
  recorder->sampled.stream = &recorder->stream;
  recorder->sampled.depth = &recorder->depth;
  sampler_join(&recorder->sampled, now);
  recorders_add(recorder);
  loop->trace_state = recorder;
  return 0;
}

int rondo_trace_start(uv_loop_t* loop, const char* path) {
  return recorder_start(loop, path, TARGET_NAMED);
}

static void recorder_free(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  loop->trace_state = NULL;
  recorders_remove(recorder);
  names_free(&recorder->names);
  if (recorder->live_is_own)
    mem_free_line(recorder->live);
  mem_free(recorder->pattern);
  mem_free_line(recorder);
}

void rondo_trace_stop(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (recorder == NULL)
    return;
  if (loop_is_ours(loop)) {
    recorder_write_samples(recorder, clock_now_ns());
    ring_flush(recorder);
    counts_write(loop, recorder, clock_now_ns());
    sampler_leave(&recorder->sampled);
    if (!recorder->live_is_own)
      __atomic_store_n(&recorder->live->number, 0, __ATOMIC_RELEASE);
    recording_leave(&recorder->stream);
  } else {
    sampler_abandon(&recorder->sampled);
    recording_abandon(&recorder->stream);
  }
  recorder_free(loop);
}

static void start_or_report(uv_loop_t* loop, const char* pattern, enum target target) {
  int err = recorder_start(loop, pattern, target);
  if (err != 0 && target == TARGET_RING)
    fprintf(stderr,
            "rondo: process %d is not recorded: no folder for its ring, in "
            "$XDG_RUNTIME_DIR, /run/user, /dev/shm or /tmp: %s\n",
            (int) getpid(), uv_strerror(err));
  else if (err != 0)
    fprintf(stderr, "rondo: no trace in %s: %s\n", pattern, uv_strerror(err));
}

/* Where everything is recorded, no ring is needed. */
void trace_loop_init(uv_loop_t* loop) {
  const char* pattern = system_setting("RONDO_TRACE");
  const char* ring = system_setting("RONDO_RECORD");
  if (pattern != NULL && *pattern != '\0')
    start_or_report(loop, pattern, TARGET_FOR_MANY);
  else if (ring != NULL && strcmp(ring, "0") != 0 && strcmp(ring, "off") != 0)
    start_or_report(loop, ring, TARGET_RING);
}

void trace_loop_close(uv_loop_t* loop) {
  if (traced(loop))
    rondo_trace_stop(loop);
}

void trace_loop_fork(uv_loop_t* loop) {
  if (!traced(loop) || loop_is_ours(loop))
    return;
  struct recorder* recorder = loop->trace_state;
  char* pattern = recorder->pattern;
  enum target target = recorder->kind == &recorder_ring ? TARGET_RING : TARGET_FOR_MANY;
  recorder->pattern = NULL;
  sampler_abandon(&recorder->sampled);
  recording_abandon(&recorder->stream);
  recorder_free(loop);
  start_or_report(loop, pattern, target);
  mem_free(pattern);
}
