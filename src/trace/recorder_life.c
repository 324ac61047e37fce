/* A recorder's life: started by the environment or by the program, stopped, forked. */
#include "trace/recorder.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>

static int recorder_start(uv_loop_t* loop, const char* path, bool for_many) {
  if (loop == NULL || path == NULL || *path == '\0')
    return UV_EINVAL;
  if (loop->trace_state != NULL)
    return UV_EALREADY;
  struct recorder* recorder = mem_calloc(1, sizeof(*recorder));
  char* pattern = mem_strdup(path);
  int err = recorder == NULL || pattern == NULL
                ? UV_ENOMEM
                : recording_join(&recorder->stream, loop, path, for_many);
  if (err != 0) {
    mem_free(recorder);
    mem_free(pattern);
    return err;
  }
  uint64_t now = clock_now_ns();
  recorder->pattern = pattern;
  recorder->phase = -1;
  recorder->thread = pthread_self();
  recorder->waiting = wake_is_awake(loop);
  recorder->start_ns = recording_start_ns(&recorder->stream);
  recorder->waits_ns = now - WAITS_EVERY_NS - 1; /* the first turn lists it */
  recorder->waits_credit = WAITS_CREDIT;
  cpu_start(&recorder->cpu, now);
  sampler_join(&recorder->sampled, now);
  loop->trace_state = recorder;
  return 0;
}

int rondo_trace_start(uv_loop_t* loop, const char* path) {
  return recorder_start(loop, path, false);
}

static void recorder_free(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  loop->trace_state = NULL;
  names_free(&recorder->names);
  mem_free(recorder->pattern);
  mem_free(recorder);
}

void rondo_trace_stop(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (recorder == NULL)
    return;
  if (loop_is_ours(loop)) {
    recorder_write_samples(recorder, clock_now_ns());
    sampler_leave(&recorder->sampled);
    recording_leave(&recorder->stream);
  } else {
    sampler_abandon(&recorder->sampled);
    recording_abandon(&recorder->stream);
  }
  recorder_free(loop);
}

static void start_or_report(uv_loop_t* loop, const char* pattern) {
  int err = recorder_start(loop, pattern, true);
  if (err != 0)
    fprintf(stderr, "rondo: no trace in %s: %s\n", pattern, uv_strerror(err));
}

void trace_loop_init(uv_loop_t* loop) {
  const char* pattern = system_setting("RONDO_TRACE");
  if (pattern != NULL && *pattern != '\0')
    start_or_report(loop, pattern);
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
  recorder->pattern = NULL;
  sampler_abandon(&recorder->sampled);
  recording_abandon(&recorder->stream);
  recorder_free(loop);
  start_or_report(loop, pattern);
  mem_free(pattern);
}
