/* Turns samples into records: each frame has a name, as the function of a callback does.
 * Of a ring, and of an engine that samples itself, they are written after the stretch in
 * which they were taken. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"

#include <stdatomic.h>
#include <string.h>

void stack_write(struct trace_stream* stream, uint64_t when_ns, uint64_t now,
                 const uint32_t* names, size_t count) {
  uint64_t start_ns = recording_start_ns(stream);
  size_t bytes = count * sizeof(uint32_t);
  size_t records =
      (bytes + sizeof(struct trace_record) - 1) / sizeof(struct trace_record);
  struct trace_record* row = stream_row(stream, records + 1);
  if (row == NULL)
    return;
  memset(row + 1, 0, records * sizeof(*row));
  if (bytes > 0)
    memcpy(row + 1, names, bytes);
  row->number = when_ns > start_ns ? when_ns - start_ns : 0;
  row->name = 0;
  row->detail = (int32_t) bytes;
  record_commit(row, TRACE_SAMPLE, now > start_ns ? now - start_ns : 0);
}

/* The watcher's samples have addresses, which get their names now. */
static void write_sample(struct recorder* recorder, const struct sample* sample,
                         uint64_t now) {
  uint32_t names[SAMPLE_FRAMES];
  if (!recorder->sampled.is_watched) {
    stack_write(&recorder->stream, sample->when_ns, now, sample->names, sample->count);
    return;
  }
  for (uint32_t i = 0; i < sample->count; i++)
    names[i] = name_of_frame(&recorder->names, &recorder->stream, sample->frames[i]);
  stack_write(&recorder->stream, sample->when_ns, now, names, sample->count);
}

void recorder_stack(uv_loop_t* loop, uint64_t when_ns, const char* const* frames,
                    size_t count) {
  struct recorder* recorder = recorder_of(loop);
  uint32_t names[SAMPLE_FRAMES];
  count = count < SAMPLE_FRAMES ? count : SAMPLE_FRAMES;
  for (size_t i = 0; i < count; i++)
    names[i] = name_of_text(&recorder->names, &recorder->stream, frames[i]);
  stack_write(&recorder->stream, when_ns, clock_now_ns(), names, count);
}

static _Atomic(rondo_trace_frame_namer) frame_namer;

void rondo_trace_frames_named_by(rondo_trace_frame_namer namer) {
  atomic_store(&frame_namer, namer);
}

rondo_trace_frame_namer sampler_frame_namer(void) {
  return atomic_load(&frame_namer);
}

void rondo_trace_stacks_from(uv_loop_t* loop, rondo_trace_stack_source source) {
  struct recorder* recorder = loop->trace_state;
  if (recorder != NULL)
    recorder->stack_source = source;
}

/* Samples from the engine replace the recorder's own, which know less of the engine's
 * frames. */
static void stacks_ask(struct recorder* recorder, uint64_t from_ns) {
  rondo_trace_stack_source source = recorder->stack_source;
  if (from_ns != UINT64_MAX && recorder->sampled.writes)
    stack_write(&recorder->stream, from_ns, clock_now_ns(), NULL, 0);
  recorder->stack_source = NULL; /* the engine may make records itself */
  source(recorder->loop, from_ns);
  recorder->stack_source = source;
}

void recorder_write_samples(struct recorder* recorder, uint64_t now) {
  const uint64_t forget_every_ns = 1000000000, before_first_ns = 20000000;
  const struct sample* sample = sampler_take(&recorder->sampled);
  if (recorder->stack_source != NULL && sample != NULL) {
    uint64_t first_ns = sample->when_ns;
    while (sampler_take(&recorder->sampled) != NULL)
      ;
    recorder->stacks_forgotten_ns = now;
    stacks_ask(recorder, first_ns > before_first_ns ? first_ns - before_first_ns : 0);
    return;
  }
  if (recorder->stack_source != NULL &&
      now - recorder->stacks_forgotten_ns > forget_every_ns) {
    recorder->stacks_forgotten_ns = now;
    stacks_ask(recorder, UINT64_MAX);
  }
  for (; sample != NULL; sample = sampler_take(&recorder->sampled)) {
    if (!recorder->sampled.writes)
      write_sample(recorder, sample, now);
  }
}
