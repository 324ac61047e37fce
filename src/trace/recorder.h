/* One loop's recorder, inside. What it hands out is in trace.h; where it writes to, in
 * output.h. Only the loop's own thread touches it, so there is no lock. */
#ifndef RONDO_TRACE_RECORDER_H
#define RONDO_TRACE_RECORDER_H

#include "trace/names.h"
#include "trace/output.h"
#include "trace/trace.h"

#include <pthread.h>

struct recorder {
  struct trace_output output;
  struct trace_names names;
  uint64_t start_ns;
  unsigned int depth; /* of spans that have begun here, and not ended */
  int phase;          /* enum rondo_phase, or -1 */
  bool phase_written;
  bool waiting;              /* started in the middle of a turn: for the next one */
  unsigned int waits_listed; /* how many handles kept the loop alive when they were
                                listed last, */
  uint64_t waits_ns;         /* when that was, */
  uint64_t waits_credit;     /* and how many may be looked at */
  bool thread_known;
  pthread_t thread; /* that ran the loop last, */
  uint32_t thread_id;
  char* pattern;
};

/* Place for a record and for `text` more of text behind it, or NULL when it is lost. All
 * but its first word is to be filled in; then record_commit. */
struct trace_record* record_next(struct recorder* recorder, size_t text);

static inline void record_commit(struct recorder* recorder, struct trace_record* record,
                                 enum trace_kind kind, uint64_t now) {
  uint64_t time = now > recorder->start_ns ? now - recorder->start_ns : 0;
  /* Last, also for the compiler: see format.h. */
  __atomic_store_n(&record->when, time << TRACE_TIME_SHIFT | kind, __ATOMIC_RELEASE);
}

#endif
