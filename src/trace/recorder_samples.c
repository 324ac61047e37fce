/* Turns samples into records: each frame gets a name, as the function of a callback does,
 * and the stack is written after the stretch in which it was sampled. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"

#include <string.h>

static void write_stack(struct recorder* recorder, uint64_t when_ns, uint64_t now,
                        const uint32_t* names, size_t count) {
  size_t bytes = count * sizeof(names[0]);
  size_t records =
      (bytes + sizeof(struct trace_record) - 1) / sizeof(struct trace_record);
  struct trace_record* row = stream_row(&recorder->stream, records + 1);
  if (row == NULL)
    return;
  memset(row + 1, 0, records * sizeof(*row));
  memcpy(row + 1, names, bytes);
  row->number = when_ns > recorder->start_ns ? when_ns - recorder->start_ns : 0;
  row->name = 0;
  row->detail = (int32_t) bytes;
  record_commit(row, TRACE_SAMPLE,
                now > recorder->start_ns ? now - recorder->start_ns : 0);
}

static void write_sample(struct recorder* recorder, const struct sample* sample,
                         uint64_t now) {
  uint32_t names[SAMPLE_FRAMES];
  if (recorder->sampled.live != NULL && !recorder->sampled.is_watched) {
    write_stack(recorder, sample->when_ns, now, sample->names, sample->count);
    return;
  }
  for (uint32_t i = 0; i < sample->count; i++)
    names[i] = name_of_frame(&recorder->names, &recorder->stream, sample->frames[i]);
  write_stack(recorder, sample->when_ns, now, names, sample->count);
}

void rondo_trace_stack(uv_loop_t* loop, uint64_t when_ns, const char* const* frames,
                       size_t count) {
  struct recorder* recorder = loop->trace_state;
  uint32_t names[SAMPLE_FRAMES];
  if (recorder == NULL || !loop_is_ours(loop))
    return;
  count = count < SAMPLE_FRAMES ? count : SAMPLE_FRAMES;
  for (size_t i = 0; i < count; i++)
    names[i] = name_of_text(&recorder->names, &recorder->stream, frames[i]);
  write_stack(recorder, when_ns, clock_now_ns(), names, count);
}

void rondo_trace_stacks_from(uv_loop_t* loop, rondo_trace_stack_source source) {
  struct recorder* recorder = loop->trace_state;
  if (recorder != NULL)
    recorder->stack_source = source;
}

/* Samples from the engine replace the recorder's own, which can't name the engine's
 * frames. */
static void stacks_ask(struct recorder* recorder, uint64_t from_ns) {
  rondo_trace_stack_source source = recorder->stack_source;
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
  for (; sample != NULL; sample = sampler_take(&recorder->sampled))
    write_sample(recorder, sample, now);
}
