/* Records the loop's counters (loop/counters.h): those that have changed since they were
 * last recorded, about once a second, when a run ends (not in a ring) and when the
 * recording ends. Values count from the beginning of the recording. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/counters.h"

_Static_assert(ARRAY_LENGTH(((struct recorder*) 0)->counts_written) ==
                   ARRAY_LENGTH(((uv_loop_t*) 0)->counters),
               "one for each of the loop's");

void counts_start(const uv_loop_t* loop, struct recorder* recorder) {
  for (size_t i = 0; i < COUNTER_COUNT; i++)
    recorder->counts_start[i] = recorder->counts_written[i] = loop->counters[i];
}

void counts_write(const uv_loop_t* loop, struct recorder* recorder, uint64_t now) {
  for (size_t i = 0; i < COUNTER_COUNT; i++) {
    if (loop->counters[i] == recorder->counts_written[i])
      continue;
    recorder->counts_written[i] = loop->counters[i];
    if (recorder->counts_names[i] == 0)
      recorder->counts_names[i] = name_of_text(&recorder->names, &recorder->stream,
                                               loop_counter_name((enum loop_counter) i));
    if (recorder->counts_names[i] != 0)
      record(recorder, TRACE_COUNT, now, loop->counters[i] - recorder->counts_start[i],
             recorder->counts_names[i], 0);
  }
}
