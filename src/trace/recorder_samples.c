/* From samples to records: the frames of a stack become names, as the functions of
 * callbacks are, and are written behind the stretch in which they were taken. */
#include "trace/recorder.h"

#include "base/base.h"

#include <string.h>

static void write_sample(struct recorder* recorder, const struct sample* sample,
                         uint64_t now) {
  uint32_t names[SAMPLE_FRAMES];
  for (uint32_t i = 0; i < sample->count; i++)
    names[i] = name_of_frame(&recorder->names, &recorder->stream, sample->frames[i]);
  size_t bytes = sample->count * sizeof(names[0]);
  size_t records =
      (bytes + sizeof(struct trace_record) - 1) / sizeof(struct trace_record);
  struct trace_record* row = stream_row(&recorder->stream, records + 1);
  if (row == NULL)
    return;
  memset(row + 1, 0, records * sizeof(*row));
  memcpy(row + 1, names, bytes);
  row->number =
      sample->when_ns > recorder->start_ns ? sample->when_ns - recorder->start_ns : 0;
  row->name = 0;
  row->detail = (int32_t) bytes;
  record_commit(row, TRACE_SAMPLE,
                now > recorder->start_ns ? now - recorder->start_ns : 0);
}

void recorder_write_samples(struct recorder* recorder, uint64_t now) {
  const struct sample* sample;
  while ((sample = sampler_take(&recorder->sampled)) != NULL)
    write_sample(recorder, sample, now);
}
