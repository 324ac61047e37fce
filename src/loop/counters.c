/* The names of a loop's counters, and the line that shows them. */
#include "loop/counters.h"

#include "base/base.h"
#include "rondo.h"
#include "system/system.h"

#include <stdio.h>

_Static_assert((size_t) COUNTER_COUNT <= ARRAY_LENGTH(((uv_loop_t*) 0)->counters),
               "the loop has room for every counter");

const char* loop_counter_name(enum loop_counter counter) {
  static const char* const names[COUNTER_COUNT] = {
      [COUNTER_SPIN_WORK_WON] = "spins for work won",
      [COUNTER_SPIN_WORK_LOST] = "spins for work lost",
      [COUNTER_SPIN_ASYNC_WON] = "spins for asyncs won",
      [COUNTER_SPIN_ASYNC_LOST] = "spins for asyncs lost",
      [COUNTER_POOL_AWAKE] = "work for a spinning thread",
      [COUNTER_POOL_WOKEN] = "threads woken for work",
      [COUNTER_RING_LOOKS] = "looks by io_uring",
      [COUNTER_READS_SIZED] = "reads sized by what arrived",
      [COUNTER_FILE_AT_ONCE] = "files at once",
      [COUNTER_FILE_SHARED] = "files by a helper",
      [COUNTER_FILE_RING] = "files by io_uring",
      [COUNTER_FILE_POOL] = "files by the pool",
      [COUNTER_FILE_HELD] = "closes held",
      [COUNTER_HELPER_CALLS] = "helpers called",
  };
  return names[counter];
}

void rondo_loop_report(const uv_loop_t* loop) {
  if (!debug_wants("counters"))
    return;
  char line[1024];
  int used = snprintf(line, sizeof(line), "a loop on %s ends: %llu turns",
                      rondo_backend_name(loop), (unsigned long long) loop->turns);
  for (int i = 0; i < COUNTER_COUNT && used < (int) sizeof(line); i++) {
    if (loop->counters[i] != 0)
      used += snprintf(line + used, sizeof(line) - (size_t) used, ", %s %llu",
                       loop_counter_name((enum loop_counter) i),
                       (unsigned long long) loop->counters[i]);
  }
  debug_report("%s", line);
}
