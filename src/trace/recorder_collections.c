/* Garbage collections of the engine that runs on a loop's thread: a record each, when it
 * is over. In a ring, short ones are counted and written with the next that isn't. */
#include "trace/recorder.h"

#include "base/base.h"

/* The record that follows what is open, as a reader's clock never goes back. */
static void collected_write(struct recorder* recorder, uint64_t now, uint64_t took,
                            const char* kind) {
  uint32_t name = name_of_text(&recorder->names, &recorder->stream, kind);
  if (recorder->live != NULL)
    brief_write_open(recorder);
  record(recorder, TRACE_COLLECTED, now, took, name,
         detail_of((int64_t) recorder->collections + 1));
  recorder->collections = 0;
}

/* For whoever looks at the loop while it is held up. */
static void collected_show(struct board_loop* live, uint64_t took) {
  uint64_t looked = __atomic_load_n(&live->looked_ns, __ATOMIC_RELAXED);
  bool same = live->collected_looked_ns == looked;
  __atomic_store_n(&live->collected_ns, same ? live->collected_ns + took : took,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&live->collected_looked_ns, looked, __ATOMIC_RELEASE);
}

void rondo_trace_collected(uv_loop_t* loop, const char* kind, uint64_t began_ns,
                           uint64_t ended_ns) {
  struct recorder* recorder =
      traced(loop) && rondo_trace_active(loop) ? loop->trace_state : NULL;
  if (recorder == NULL || ended_ns < began_ns)
    return;
  uint64_t took = ended_ns - began_ns;
  if (recorder->live != NULL)
    collected_show(recorder->live, took);
  if (recorder->live != NULL && took < recorder->brief_ns)
    recorder->collections++;
  else
    collected_write(recorder, recorder_now(recorder), took, kind);
}
